#include "kido/geometry/triangle_mesh.hpp"
#include "shape_cases.hpp"

using namespace check;

namespace {

// A height field that stands in no file: its heights by a function of row and column.
class Field {
public:
    template <class Height>
    Field(int rows, int columns, double spacing, const Height& height) {
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) heights_.push_back(height(row, column));
        }
        const int triangles = 2 * (rows - 1) * (columns - 1);
        for (int t = 0; t < triangles; ++t) regions_.push_back(t);
        double low = heights_[0], high = heights_[0];
        for (const double h : heights_) {
            low = std::min(low, h);
            high = std::max(high, h);
        }
        field_ = {heights_.data(), regions_.data(), rows, columns, {spacing, spacing}, low, high};
        shape_ = {ShapeKind::height_field, {}, spacing * (rows + columns), nullptr, nullptr, &field_};
    }
    Field(const Field&) = delete;

    Solid at(const Pose& pose) const { return {shape_, pose}; }

private:
    std::vector<double> heights_;
    std::vector<int> regions_;
    kido::HeightField field_{};
    CollisionShape shape_{};
};

// With the radius that boxes around shapes and bounds of rotations are made of.
CollisionShape measured(CollisionShape shape) {
    shape.radius = shape.kind == ShapeKind::sphere ? shape.size[0] : 1.0;
    return shape;
}

const Pose kOrigin = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};

}  // namespace

TEST("a sphere over flat triangles touches as over a plane, wherever it is") {
    const Field flat(20, 30, 0.1, [](int, int) { return 0.0; });
    for (int k = 0; k < 200; ++k) {
        Solid ball = {measured(sphere(0.2)), kOrigin};
        ball.pose.p = {-0.9 + 0.009 * k, 0.7 - 0.0069 * k, 0.199};
        const ContactAnswer found = contacts(ball, flat.at(kOrigin), 1e-3, 8);
        const ContactManifold& m = found.manifolds[0];
        CHECK(found.count == 1);
        CHECK(m.count == 1);
        CHECK_WITHIN(std::fabs(m.points[0].gap + 1e-3), 1e-15);
        CHECK_WITHIN(std::fabs(m.normal[2] - 1.0), 1e-15);
        CHECK_WITHIN(std::hypot(m.points[0].on_second[0] - ball.pose.p.x, m.points[0].on_second[1] - ball.pose.p.y), 1e-15);
    }
}

TEST("no more manifolds than there is room for, the deepest among them") {
    const Field hills(30, 30, 0.1, [](int row, int column) { return 0.05 * std::sin(1.3 * row) * std::cos(1.7 * column); });
    Solid slab = {measured(box(0.6, 0.6, 0.1)), kOrigin};
    slab.pose.p.z = 0.12;
    const ContactAnswer all = contacts(slab, hills.at(kOrigin), 1e-3, 64), few = contacts(slab, hills.at(kOrigin), 1e-3, 2);
    CHECK(all.count > 2 && all.count <= 16);
    CHECK(few.count == 2);
    const auto deepest = [](const ContactAnswer& found) {
        double least = 1.0;
        for (int k = 0; k < found.count; ++k) {
            const ContactManifold& m = found.manifolds[k];
            for (int i = 0; i < m.count; ++i) least = std::min(least, m.points[i].gap);
        }
        return least;
    };
    CHECK(deepest(all) == deepest(few));
    for (int k = 0; k < all.count; ++k) {
        for (int j = 0; j < k; ++j) CHECK(all.manifolds[j].part != all.manifolds[k].part);
    }
}

TEST("a tip below the bottom of a valley comes out upward, though it is behind neither side along that side's normal") {
    const Field valley(6, 11, 0.1, [](int, int column) { return 0.05 * std::abs(column - 5); });
    for (const double depth : {1e-3, 0.01, 0.03}) {
        const Solid tip = {measured(cone(0.1, 0.3)), {{{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}}, {0.0, 0.02, 0.3 - depth}}};
        const ContactAnswer found = contacts(tip, valley.at(kOrigin), 0.0, 16);
        CHECK(found.count == 1);
        CHECK_WITHIN(std::fabs(found.manifolds[0].points[0].gap + depth), 1e-6);
        CHECK_WITHIN(std::fabs(found.manifolds[0].normal[2] - 1.0), 1e-9);
    }
}

TEST("whatever is pushed into hills has contacts that lead out of them") {
    const Field hills(30, 30, 0.1, [](int row, int column) { return 0.05 * std::sin(1.3 * row) * std::cos(1.7 * column); });
    for (const NamedShape& named : convex_shapes()) {
        if (named.shape.kind == ShapeKind::plane) continue;
        Random random(13);
        for (int k = 0; k < 200; ++k) {
            Solid solid = {measured(named.shape), {random.axes(), random.in_ball()}};
            solid.pose.p.z = 0.2 + 0.1 * solid.pose.p.z;
            const ContactAnswer found = contacts(solid, hills.at(kOrigin), 0.0, 16);
            CHECK((found.count > 0) == (distance_of(solid, hills.at(kOrigin)).distance <= 0.0));
            for (int i = 0; i < found.count; ++i) CHECK(found.manifolds[i].normal[2] > 0.3);
        }
    }
}

TEST("where nothing touches a surface, the gap that is remembered is no more than the distance") {
    const Field hills(30, 30, 0.1, [](int row, int column) { return 0.05 * std::sin(1.3 * row) * std::cos(1.7 * column); });
    const Solid ground = hills.at(kOrigin);
    for (const NamedShape& named : convex_shapes()) {
        if (named.shape.kind == ShapeKind::plane) continue;
        Random random(11);
        int apart = 0;
        for (int k = 0; k < 60; ++k) {
            Solid solid = {measured(named.shape), {random.axes(), random.in_ball()}};
            solid.pose.p.z = 0.4 + 0.3 * solid.pose.p.z;
            const ContactAnswer found = contacts(solid, ground, 0.02, 16);
            if (found.count > 0) continue;
            ++apart;
            CHECK(found.memory.gap > 0.0 && found.memory.gap <= distance_of(solid, ground).distance + 1e-9);
        }
        CHECK(apart > 5);
    }
}

TEST("what moves into a surface meets it when the distance is gone") {
    const Field hills(30, 30, 0.1, [](int row, int column) { return 0.05 * std::sin(1.3 * row) * std::cos(1.7 * column); });
    for (const NamedShape& named : convex_shapes()) {
        if (named.shape.kind == ShapeKind::plane) continue;
        Solid start = {measured(named.shape), kOrigin}, end = start;
        start.pose.p = {0.3, -0.2, 2.0};
        end.pose.p = {-0.1, 0.3, -1.0};
        const Solid ground = hills.at(kOrigin);
        const SweepAnswer found = sweep(start, end.pose, ground, 1e-6);
        const kido::SweepHit& hit = found.hit;
        CHECK(found.met == 1);
        CHECK(hit.time > 0.3 && hit.time < 0.8);
        CHECK_WITHIN(std::fabs(hit.at_hit.distance), 1e-6);
        Solid before = start;
        before.pose.p = start.pose.p + (end.pose.p - start.pose.p) * (hit.time - 1e-4);
        CHECK(distance_of(before, ground).distance > 0.0);
    }
}
