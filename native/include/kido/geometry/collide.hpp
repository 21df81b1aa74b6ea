#pragma once

#include "kido/geometry/box_box.hpp"
#include "kido/geometry/capsule_pairs.hpp"
#include "kido/geometry/convex_pair.hpp"
#include "kido/geometry/plane_pairs.hpp"
#include "kido/geometry/surface_pair.hpp"

// Contacts of any two shapes that are known here.

KIDO_BEGIN

namespace geometry {

// Shapes are taken in this order, and their contact is turned around where they come in the other.
KIDO_INLINE int rank(ShapeKind kind) { return kind == ShapeKind::plane ? static_cast<int>(ShapeKind::count) : static_cast<int>(kind); }

constexpr bool is_convex(ShapeKind kind) { return kind != ShapeKind::mesh && kind != ShapeKind::height_field; }

constexpr int pair_of(ShapeKind first, ShapeKind second) {
    return static_cast<int>(first) * static_cast<int>(ShapeKind::count) + static_cast<int>(second);
}

// One manifold, of two convex shapes.
inline int collide_ordered(ShapePair& pair) {
    using enum ShapeKind;
    switch (pair_of(pair.first.kind, pair.second.kind)) {
        case pair_of(sphere, sphere): return sphere_sphere(pair);
        case pair_of(sphere, capsule): return sphere_capsule(pair);
        case pair_of(sphere, box):
        case pair_of(sphere, cylinder):
        case pair_of(sphere, cone):
        case pair_of(sphere, ellipsoid): return sphere_solid(pair);
        case pair_of(sphere, plane): return sphere_plane(pair);
        case pair_of(capsule, capsule): return capsule_capsule(pair);
        case pair_of(capsule, box): return capsule_box(pair);
        case pair_of(capsule, plane): return capsule_plane(pair);
        case pair_of(box, box): return box_box(pair);
        case pair_of(box, plane): return box_plane(pair);
        default: break;
    }
    if (!is_convex(pair.first.kind) || !is_convex(pair.second.kind) || pair.first.kind == plane) return kUnsupportedPair;
    return pair.second.kind == plane ? convex_plane(pair) : convex_convex(pair);
}

KIDO_INLINE void negate(double* v) {
    for (int k = 0; k < 3; ++k) v[k] = -v[k];
}

inline void turn_around(ContactManifold& manifold) {
    negate(manifold.normal);
    for (int k = 0; k < manifold.count; ++k) {
        ContactPoint& p = manifold.points[k];
        for (int i = 0; i < 3; ++i) {
            const double first = p.on_first[i];
            p.on_first[i] = p.on_second[i];
            p.on_second[i] = first;
        }
    }
}

// The manifolds of any pair.
inline int collide_all(ShapePair& pair, ContactManifold* out, int capacity) {
    const bool first = is_convex(pair.first.kind), second = is_convex(pair.second.kind);
    if (first && second) return collide_ordered(pair);
    if (first) return pair.first.kind == ShapeKind::plane ? kUnsupportedPair : convex_surface(pair, out, capacity);
    if (pair.second.kind == ShapeKind::plane) return surface_plane(pair);
    return pair.first.kind == ShapeKind::mesh ? surface_surface(pair, out, capacity) : kUnsupportedPair;
}

// Writes the contacts of two shapes that are not farther apart than `margin` [m], and returns the number of manifolds; where it is 0,
// memory.gap is a lower bound of the distance. Negative: an error, see contact_manifold.hpp.
inline int collide(const CollisionShape& a, const double* pose_a, const CollisionShape& b, const double* pose_b, double margin,
                   PairMemory& memory, ContactManifold* out, int capacity) {
    if (capacity < 1) return kNoCapacity;
    if (rank(a.kind) <= rank(b.kind)) {
        ShapePair pair = ShapePair::placed(a, pose_a, b, pose_b, margin, memory, *out);
        return collide_all(pair, out, capacity);
    }
    ShapePair pair = ShapePair::placed(b, pose_b, a, pose_a, margin, memory, *out);
    negate(memory.axis);
    const int count = collide_all(pair, out, capacity);
    negate(memory.axis);
    for (int k = 0; k < count; ++k) turn_around(out[k]);
    return count;
}

}  // namespace geometry

KIDO_END
