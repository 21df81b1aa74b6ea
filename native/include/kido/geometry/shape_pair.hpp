#pragma once

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/contact_manifold.hpp"
#include "kido/geometry/space.hpp"

// Two shapes whose contact is asked for. All points are in world axes about the origin of the second shape, so that nothing
// is lost far from the world's origin; normals point from the second shape to the first.

KIDO_BEGIN

namespace geometry {

// A place where two shapes meet, or nearly do.
struct Touch {
    Vector on_first, on_second;
    double gap;
    std::uint32_t feature;
};

struct ShapePair {
    const CollisionShape &first, &second;
    Axes first_axes, second_axes;
    Vector offset;  // of the first shape's origin
    Vector origin;  // of the second shape in the world
    double margin;
    PairMemory& memory;
    ContactManifold& manifold;

    // Of shapes at poses (12), see read_pose. Written where it stays: a copy of numbers just written would wait for them.
    static ShapePair placed(const CollisionShape& a, const double* at, const CollisionShape& b, const double* other, double margin,
                            PairMemory& memory, ContactManifold& out) {
        return {a, b, {vector(at + 3), vector(at + 6), vector(at + 9)}, {vector(other + 3), vector(other + 6), vector(other + 9)},
                vector(at) - vector(other), vector(other), margin, memory, out};
    }

    Vector remembered() const { return vector(memory.axis); }

    // No contact: the shapes are at least `gap` apart, along `axis`.
    int apart(double gap, const Vector& axis) {
        store(axis, memory.axis);
        memory.gap = gap;
        return 0;
    }

    void begin(const Vector& normal) {
        store(normal, manifold.normal);
        store(normal, memory.axis);
        memory.gap = 0.0;
        manifold.count = 0;
        manifold.part = 0;
    }

    KIDO_INLINE void add(const Touch& touch) {
        ContactPoint& point = manifold.points[manifold.count++];
        store(origin + touch.on_first, point.on_first);
        store(origin + touch.on_second, point.on_second);
        point.gap = touch.gap;
        point.feature = touch.feature;
    }

    int single(const Vector& normal, const Touch& touch) {
        begin(normal);
        add(touch);
        return 1;
    }
};

}  // namespace geometry

KIDO_END
