#pragma once

#include <algorithm>

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/contact_manifold.hpp"
#include "kido/tree/joint.hpp"

// Motion of shapes that touch, below which they need not be tested again [m]. What rolls moves away from its point of contact, and would
// be driven by its own weight where that stayed behind.

KIDO_BEGIN

// Of shapes of two radii that touch at a point or along a line.
inline double rolling_room(double first_radius, double second_radius) {
    constexpr double kRolls = 1e-6;  // of the smaller shape
    return kRolls * std::min(first_radius, second_radius);
}
inline bool is_round(ShapeKind kind) {
    return kind == ShapeKind::sphere || kind == ShapeKind::capsule || kind == ShapeKind::cylinder || kind == ShapeKind::cone ||
           kind == ShapeKind::ellipsoid;
}
// Whether the points of a manifold span no area.
inline bool is_line(const ContactManifold& m) {
    constexpr double kNarrow = 1e-2;  // width of a line, of its length
    const auto from_first = [&](int i) { return vec3(m.points[i].on_second) - vec3(m.points[0].on_second); };
    double length = 0.0, area = 0.0;  // squares
    for (int i = 1; i < m.count; ++i) {
        length = std::max(length, dot(from_first(i), from_first(i)));
        for (int j = 1; j < i; ++j) {
            const Vec3<double> a = cross(from_first(i), from_first(j));
            area = std::max(area, dot(a, a));
        }
    }
    return area <= kNarrow * kNarrow * length * length;
}
// Of shapes with these manifolds.
inline double touching_room(const ContactManifold* found, int count, const CollisionShape& first, const CollisionShape& second) {
    constexpr double kLeast = 2e-4, kMost = 5e-4;  // [m]
    constexpr double kStill = 5e-3;                // of the smaller shape
    const double still = std::clamp(kStill * std::min(first.radius, second.radius), kLeast, kMost);
    if (!is_round(first.kind) && !is_round(second.kind)) return still;
    return std::any_of(found, found + count, is_line) ? rolling_room(first.radius, second.radius) : still;
}

KIDO_END
