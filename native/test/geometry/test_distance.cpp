#include "shape_cases.hpp"

using namespace check;

TEST("the distance is the largest separation of all directions, and the normal its direction") {
    for_pairs(40, [](const PairCase&, const Solid& a, const Solid& b) {
        const kido::ShapeDistance found = distance_of(a, b);
        const Vector n = geometry::vector(found.normal);
        CHECK_WITHIN(std::fabs(length(n) - 1.0), 1e-14);
        CHECK_WITHIN(std::fabs(separation_along(a, b, n) - found.distance), 1e-9);
        CHECK_WITHIN(largest_separation(a, b, n) - found.distance, 1e-7);
    });
}

TEST("nearest points lie in both shapes, and between them is the distance along the normal") {
    for_pairs(40, [](const PairCase&, const Solid& a, const Solid& b) {
        const kido::ShapeDistance found = distance_of(a, b);
        const Vector on_first = geometry::vector(found.on_first), on_second = geometry::vector(found.on_second);
        CHECK_WITHIN(length(on_first - on_second - geometry::vector(found.normal) * found.distance), 1e-14);
        CHECK_WITHIN(a.distance(on_first), 1e-6);
        CHECK_WITHIN(b.distance(on_second), 1e-6);
    });
}

TEST("far apart, the distance is that of the nearest points") {
    for_pairs(10, [](const PairCase&, const Solid& a, const Solid& b) {
        Solid far = a;
        far.pose.p += Vector{30.0, -200.0, 70.0};
        if (b.shape.kind == ShapeKind::plane || a.shape.kind == ShapeKind::plane) return;
        const kido::ShapeDistance found = distance_of(far, b);
        CHECK_WITHIN(std::fabs(separation(far, b, geometry::vector(found.normal)) - found.distance), 1e-10);
        CHECK_WITHIN(far.distance(geometry::vector(found.on_first)), 1e-8);
    });
}

TEST("shapes that have no volume in common to begin with are told apart by the last digits of their poses") {
    // A face against a face, an edge against an edge, a tip against a face, exactly touching.
    const Solid brick{box(0.3, 0.5, 0.2), {kido::identity3<double>(), {0.0, 0.0, 0.0}}};
    const Solid above{box(0.1, 0.1, 0.1), {kido::identity3<double>(), {0.2, 0.1, 0.3}}};
    CHECK_WITHIN(std::fabs(distance_of(above, brick).distance), 1e-15);
    const Solid can{cylinder(0.25, 0.3), {kido::identity3<double>(), {0.1, 0.0, 0.5}}};
    CHECK_WITHIN(std::fabs(distance_of(can, brick).distance), 1e-15);
    const Axes upside_down = kido::so3_exp(Vector{3.141592653589793, 0.0, 0.0});
    const Solid hat{cone(0.3, 0.35), {upside_down, {0.1, 0.2, 0.55}}};
    const kido::ShapeDistance tip = distance_of(hat, brick);
    CHECK_WITHIN(std::fabs(tip.distance), 1e-15);
    CHECK_WITHIN(length(geometry::vector(tip.normal) - Vector{0.0, 0.0, 1.0}), 1e-9);
}

TEST("shapes with the same center come apart along their shortest way") {
    const Axes still = kido::identity3<double>();
    const Vector center{1.0, 2.0, 3.0};
    const auto at_center = [&](const CollisionShape& shape) { return Solid{shape, {still, center}}; };
    const auto depth = [&](const CollisionShape& a, const CollisionShape& b) { return -distance_of(at_center(a), at_center(b)).distance; };
    CHECK_WITHIN(std::fabs(depth(sphere(0.3), sphere(0.2)) - 0.5), 1e-14);
    CHECK_WITHIN(std::fabs(depth(capsule(0.2, 0.4), capsule(0.1, 0.9)) - 0.3), 1e-14);
    CHECK_WITHIN(std::fabs(depth(sphere(0.3), capsule(0.2, 0.4)) - 0.5), 1e-14);
    CHECK_WITHIN(std::fabs(depth(box(0.3, 0.5, 0.2), box(0.1, 0.1, 0.1)) - 0.3), 1e-12);
    CHECK_WITHIN(std::fabs(depth(sphere(0.1), box(0.3, 0.5, 0.2)) - 0.3), 1e-14);
    CHECK_WITHIN(std::fabs(depth(sphere(0.1), cylinder(0.25, 0.3)) - 0.35), 1e-14);
    CHECK_WITHIN(std::fabs(depth(sphere(0.1), ellipsoid(0.3, 0.2, 0.45)) - 0.3), 1e-12);
    CHECK_WITHIN(std::fabs(depth(cylinder(0.25, 0.3), cylinder(0.25, 0.3)) - 0.5), 1e-9);
    CHECK_WITHIN(std::fabs(depth(ellipsoid(0.3, 0.2, 0.45), ellipsoid(0.3, 0.2, 0.45)) - 0.4), 1e-9);
}

TEST("sizes that differ by a million and needles are no exception") {
    Random random(3);
    const CollisionShape big = box(500.0, 300.0, 400.0), grain = ellipsoid(2e-3, 1e-3, 3e-3), needle = cylinder(1e-3, 1.0);
    const CollisionShape pencil = cone(1e-3, 0.5), chip = box(0.5, 0.5, 5e-4);
    for (int k = 0; k < 200; ++k) {
        const Solid ground{big, {random.axes(), random.in_ball()}};
        const Vector top = ground.pose.p + ground.pose.R * Vector{random.uniform(-400.0, 400.0), random.uniform(-200.0, 200.0), 400.0};
        for (const CollisionShape& small : {grain, needle, pencil, chip, sphere(1e-3), capsule(1e-3, 1e-3)}) {
            Solid solid{small, {random.axes(), top}};
            const double height = random.uniform(-0.5, 0.5) * 1e-3;
            // Placed so that its lowest point is at that height above the big box's top.
            const Vector up = ground.pose.R.z;
            solid.pose.p += up * (height + solid.reach(kido::transposed_times(solid.pose.R, -up)));
            const kido::ShapeDistance found = distance_of(solid, ground);
            CHECK_WITHIN(std::fabs(found.distance - height), 2e-12);
            CHECK_WITHIN(length(geometry::vector(found.normal) - up), 1e-6);
        }
    }
}
