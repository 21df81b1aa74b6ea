#pragma once

#include "kido/geometry/collide.hpp"
#include "kido/geometry/shape_queries.hpp"
#include "kido/geometry/surface_distance.hpp"

// Signed distance of two shapes of which one is convex.

KIDO_BEGIN

namespace geometry {

inline constexpr double kAnyDistance = 1e300;

// Writes the nearest points as the only ones of the pair's manifold. The margin is kAnyDistance.
inline int nearest_points(ShapePair& pair) {
    using enum ShapeKind;
    const ShapeKind first = pair.first.kind, second = pair.second.kind;
    if (first == plane) return kUnsupportedPair;
    if (!is_convex(first)) return second == plane ? surface_plane_distance(pair) : kUnsupportedPair;
    if (!is_convex(second)) return surface_distance(pair);
    if (second == plane) return single_above_plane(pair);
    if (first == sphere && second != hull) return collide_ordered(pair);
    if (first == capsule && second == capsule) return capsule_capsule(pair, false);
    Vector normal;
    Touch touch;
    ConvexPair(pair).nearest({}, kAnyDistance, normal, touch);
    return pair.single(normal, touch);
}

// Returns 0, or an error of contact_manifold.hpp.
inline int distance(const CollisionShape& a, const double* pose_a, const CollisionShape& b, const double* pose_b, ShapeDistance& out) {
    const Pose A = read_pose(pose_a), B = read_pose(pose_b);
    const bool ordered = rank(a.kind) <= rank(b.kind);
    const CollisionShape &first = ordered ? a : b, &second = ordered ? b : a;
    const Pose &first_pose = ordered ? A : B, &second_pose = ordered ? B : A;
    PairMemory memory{};
    ContactManifold manifold;
    ShapePair pair{first, second, first_pose.R, second_pose.R, first_pose.p - second_pose.p, second_pose.p, kAnyDistance, memory, manifold};
    if (nearest_points(pair) < 0) return kUnsupportedPair;
    if (!ordered) turn_around(manifold);
    const ContactPoint& point = manifold.points[0];
    out.distance = point.gap;
    store(vector(manifold.normal), out.normal);
    store(vector(point.on_first), out.on_first);
    store(vector(point.on_second), out.on_second);
    return 0;
}

}  // namespace geometry

KIDO_END
