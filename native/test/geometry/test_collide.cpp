#include "shape_cases.hpp"

using namespace check;

// Every pair of shapes in random poses, against the distance found by search.

namespace {

constexpr double kMargin = 0.02;

// By how much of the distance a pair may miss, where one direction is preferred to another.
double loss(const PairCase& c) {
    const bool boxes = c.b.kind == ShapeKind::box;
    if (boxes && c.a.kind == ShapeKind::box) return 0.013 * 0.2;
    return boxes && c.a.kind == ShapeKind::capsule ? 2e-4 : 0.0;
}

}  // namespace

TEST("the deepest gap is the signed distance, and where there is no contact the shapes are at least as far apart as told") {
    for_pairs(40, [](const PairCase& c, const Solid& a, const Solid& b) {
        const Answer found = collide(a, b, kMargin);
        const double exact = largest_separation(a, b, geometry::vector(found.memory.axis));
        CHECK(found.count == 0 || found.count == 1);
        if (found.count == 0) {
            CHECK(exact > kMargin - loss(c) - 1e-9);
            CHECK(found.memory.gap <= exact + 1e-9);
        } else {
            CHECK_WITHIN(found.depth() - exact, 1e-9 + loss(c));
            CHECK_WITHIN(exact - found.depth(), 1e-9 + loss(c));
        }
    });
}

TEST("along the normal, which points from the second shape to the first, the shapes overlap least") {
    for_pairs(40, [](const PairCase& c, const Solid& a, const Solid& b) {
        const Answer found = collide(a, b, kMargin);
        if (found.count == 0) return;
        CHECK_WITHIN(std::fabs(length(found.normal()) - 1.0), 1e-14);
        CHECK_WITHIN(largest_separation(a, b, geometry::vector(found.memory.axis)) - separation_along(a, b, found.normal()), 1e-9 + loss(c));
    });
}

TEST("points lie on both surfaces or within the other shape, and their gaps are along the normal") {
    for_pairs(40, [](const PairCase&, const Solid& a, const Solid& b) {
        const Answer found = collide(a, b, kMargin);
        for (int k = 0; k < found.count * found.manifold.count; ++k) {
            const kido::ContactPoint& p = found.manifold.points[k];
            const Vector on_first = geometry::vector(p.on_first), on_second = geometry::vector(p.on_second);
            CHECK_WITHIN(length(on_second + found.normal() * p.gap - on_first), 1e-13);
            CHECK_WITHIN(a.distance(on_first), 1e-3);
            CHECK_WITHIN(b.distance(on_second), 1e-3);
            CHECK(p.gap <= kMargin);
        }
    });
}

TEST("exchanged shapes give the same contact seen from the other side") {
    for_pairs(40, [](const PairCase& c, const Solid& a, const Solid& b) {
        if (c.a.kind == c.b.kind) return;
        const Answer there = collide(a, b, kMargin), back = collide(b, a, kMargin);
        CHECK(there.count == back.count);
        if (there.count == 0) {
            CHECK(same_bits(there.memory.gap, back.memory.gap));
            return;
        }
        CHECK(there.manifold.count == back.manifold.count);
        for (int k = 0; k < 3; ++k) CHECK(there.manifold.normal[k] == -back.manifold.normal[k]);
        for (int k = 0; k < there.manifold.count; ++k) {
            const kido::ContactPoint &p = there.manifold.points[k], &q = back.manifold.points[k];
            CHECK(std::memcmp(p.on_first, q.on_second, sizeof p.on_first) == 0);
            CHECK(std::memcmp(p.on_second, q.on_first, sizeof p.on_first) == 0);
            CHECK(same_bits(p.gap, q.gap) && p.feature == q.feature);
        }
    });
}

TEST("faces, edges and corners of a hull are the same whether its edges stand in columns or not") {
    for (const auto& points : {ball_points(24, 0.3, 5), prism_points(6, 0.3, 0.2), prism_points(30, 0.3, 0.2)}) {
        const PointHull hull(points);
        const kido::ConvexHull one_by_one = hull.without_columns();
        CollisionShape plain = hull.shape();
        plain.hull = &one_by_one;
        Random random(3);
        int faces = 0, lines = 0;
        for (int k = 0; k < 200; ++k) {
            // Axes that are aligned but for a turn about as large as that by which a face or edge is still meant.
            const Pose pose{kido::so3_exp(random.in_ball() * (k % 4 == 0 ? 1.0 : 0.05)) * random.aligned_axes(), random.direction() * 0.5};
            const Solid ground{box(0.3, 0.3, 0.3), {random.aligned_axes(), {0.0, 0.0, 0.0}}};
            const Answer found = collide({hull.shape(), pose}, ground, kMargin), expected = collide({plain, pose}, ground, kMargin);
            CHECK(found.count == expected.count);
            if (found.count == 0) continue;
            CHECK(found.manifold.count == expected.manifold.count);
            CHECK_WITHIN(length(found.normal() - expected.normal()), 1e-13);
            faces += found.manifold.count > 2;
            lines += found.manifold.count == 2;
            for (int i = 0; i < found.manifold.count; ++i) {
                const kido::ContactPoint &p = found.manifold.points[i], &q = expected.manifold.points[i];
                CHECK_WITHIN(length(geometry::vector(p.on_first) - geometry::vector(q.on_first)), 1e-12);
                CHECK(p.feature == q.feature);
            }
        }
        CHECK(points.size() == 24 || (faces > 10 && lines > 10));
    }
}

TEST("far from the origin nothing is lost but the last digits of the points") {
    for_pairs(100, [](const PairCase& c, const Solid& a, const Solid& b) {
        const Vector away{1e4, -2e4, 3e3};
        Solid first = a, second = b;
        first.pose.p += away;
        second.pose.p += away;
        const Answer near = collide(a, b, kMargin), far = collide(first, second, kMargin);
        if (near.count == 0 || far.count == 0) return;
        CHECK_WITHIN(std::fabs(near.depth() - far.depth()), 1e-10);
        CHECK_WITHIN(length(near.normal() - far.normal()), c.wobble);
    });
}
