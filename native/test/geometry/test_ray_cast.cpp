#include "shape_cases.hpp"

using namespace check;

namespace {

// By steps as long as the distance from the surface: the place of the hit, or infinity.
double march(const Solid& solid, const Vector& origin, const Vector& direction, double length) {
    double place = 0.0;
    for (int k = 0; k < 20000 && place <= length; ++k) {
        const double step = solid.distance(origin + direction * place);
        if (step < 1e-11) return place;
        place += step;
    }
    return INFINITY;
}

template <class F>
void for_rays(int count, F f) {
    for (const NamedShape& named : convex_shapes()) {
        const int before = failures();
        Random random(5);
        for (int k = 0; k < count; ++k) {
            const bool aligned = k % 4 == 3;
            const Solid solid{named.shape, {aligned ? random.aligned_axes() : random.axes(), random.in_ball() * 0.2}};
            const Vector origin = aligned ? solid.pose.p + solid.pose.R * Vector{1.0, 0.1, 0.07} : random.in_ball() * 2.0;
            const Vector direction = aligned ? -solid.pose.R.x : normalized(random.in_ball() * 0.5 - origin);
            f(solid, origin, direction);
        }
        if (failures() != before) std::printf("  of %s\n", named.name.c_str());
    }
}

}  // namespace

TEST("a ray meets a shape where steps towards its surface end") {
    for_rays(400, [](const Solid& solid, const Vector& origin, const Vector& direction) {
        const RayAnswer found = cast(solid, origin, direction, 5.0);
        const double expected = march(solid, origin, direction, 5.0);
        if (!std::isfinite(expected)) {
            // A ray that grazes may be seen either way.
            CHECK(!found.met || solid.distance(origin + direction * found.hit.distance) > -1e-9);
            return;
        }
        CHECK(found.met == 1);
        CHECK_WITHIN(std::fabs(solid.distance(origin + direction * found.hit.distance)) * (expected > 0.0 ? 1.0 : 0.0), 1e-10);
        CHECK_WITHIN(found.hit.distance - expected, 1e-5);
        CHECK_WITHIN(expected - found.hit.distance, 1e-9);
    });
}

TEST("the normal points out of the surface, against the ray") {
    for_rays(400, [](const Solid& solid, const Vector& origin, const Vector& direction) {
        const RayAnswer found = cast(solid, origin, direction, 5.0);
        if (!found.met || found.hit.distance == 0.0) return;
        const Vector n = geometry::vector(found.hit.normal), p = origin + direction * found.hit.distance;
        CHECK_WITHIN(std::fabs(length(n) - 1.0), 1e-12);
        CHECK(kido::dot(n, direction) <= 1e-9);
        // Of a convex shape no point lies beyond the plane there.
        CHECK_WITHIN(solid.farthest(n) - kido::dot(n, p), 1e-9);
    });
}

TEST("a ray that begins inside meets at once, one that ends before does not") {
    for_rays(100, [](const Solid& solid, const Vector& origin, const Vector& direction) {
        const RayAnswer found = cast(solid, origin, direction, 5.0);
        if (!found.met || found.hit.distance == 0.0) return;
        CHECK(cast(solid, origin, direction, found.hit.distance * 0.999).met == 0);
        const RayAnswer inside = cast(solid, solid.pose.p - solid.pose.R.z * 0.01, direction, 5.0);
        CHECK(inside.met == 1 && inside.hit.distance == 0.0);
        CHECK_WITHIN(length(geometry::vector(inside.hit.normal) + direction), 1e-14);
    });
}

TEST("rays from far away lose nothing but the digits of their origin") {
    for_rays(100, [](const Solid& solid, const Vector& origin, const Vector& direction) {
        const RayAnswer near = cast(solid, origin, direction, 5.0);
        const RayAnswer far = cast(solid, origin - direction * 1e5, direction, 2e5);
        if (!near.met || near.hit.distance == 0.0 || solid.shape.kind == ShapeKind::plane) return;
        const double grazes = -kido::dot(geometry::vector(near.hit.normal), direction);
        if (grazes < 0.05) return;
        CHECK(far.met == 1);
        CHECK_WITHIN(std::fabs(far.hit.distance - 1e5 - near.hit.distance), 1e-8);
    });
}
