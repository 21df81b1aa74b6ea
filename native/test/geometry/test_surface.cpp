#include "kido/geometry/sweep.hpp"
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

int contacts(const Solid& a, const Solid& b, double margin, kido::ContactManifold* out, int capacity) {
    kido::PairMemory memory{};
    return geometry::collide(a.shape, a.numbers().data(), b.shape, b.numbers().data(), margin, memory, out, capacity);
}

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
        kido::ContactManifold found[8];
        CHECK(contacts(ball, flat.at(kOrigin), 1e-3, found, 8) == 1);
        CHECK(found[0].count == 1);
        CHECK_WITHIN(std::fabs(found[0].points[0].gap + 1e-3), 1e-15);
        CHECK_WITHIN(std::fabs(found[0].normal[2] - 1.0), 1e-15);
        CHECK_WITHIN(std::hypot(found[0].points[0].on_second[0] - ball.pose.p.x, found[0].points[0].on_second[1] - ball.pose.p.y), 1e-15);
    }
}

TEST("no more manifolds than there is room for, the deepest among them") {
    const Field hills(30, 30, 0.1, [](int row, int column) { return 0.05 * std::sin(1.3 * row) * std::cos(1.7 * column); });
    Solid slab = {measured(box(0.6, 0.6, 0.1)), kOrigin};
    slab.pose.p.z = 0.12;
    kido::ContactManifold all[64], few[2];
    const int count = contacts(slab, hills.at(kOrigin), 1e-3, all, 64), kept = contacts(slab, hills.at(kOrigin), 1e-3, few, 2);
    CHECK(count > 2 && count <= 16);
    CHECK(kept == 2);
    const auto deepest = [](const kido::ContactManifold* m, int number) {
        double least = 1.0;
        for (int k = 0; k < number; ++k) {
            for (int i = 0; i < m[k].count; ++i) least = std::min(least, m[k].points[i].gap);
        }
        return least;
    };
    CHECK(deepest(all, count) == deepest(few, kept));
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < k; ++j) CHECK(all[j].part != all[k].part);
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
        kido::SweepHit hit{};
        const auto g = ground.numbers();
        CHECK(geometry::sweep(start.shape, start.numbers().data(), end.numbers().data(), ground.shape, g.data(), g.data(), 1e-6, hit) == 1);
        CHECK(hit.time > 0.3 && hit.time < 0.8);
        CHECK_WITHIN(std::fabs(hit.at_hit.distance), 1e-6);
        Solid before = start;
        before.pose.p = start.pose.p + (end.pose.p - start.pose.p) * (hit.time - 1e-4);
        kido::ShapeDistance gap{};
        geometry::distance(before.shape, before.numbers().data(), ground.shape, g.data(), gap);
        CHECK(gap.distance > 0.0);
    }
}
