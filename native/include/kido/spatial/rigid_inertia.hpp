#pragma once

#include "kido/spatial/articulated.hpp"

// Inertia of a rigid body about a point, in world axes; its mass is a constant of the model and stands beside it.

KIDO_BEGIN

template <class T>
struct RigidInertia {
    Vec3<T> h;  // first moment of mass
    Sym3<T> I;  // second moment
};

template <class T>
KIDO_INLINE RigidInertia<T> operator+(const RigidInertia<T>& a, const RigidInertia<T>& b) {
    return {a.h + b.h, a.I + b.I};
}

// The same inertia about a point that lies at -r.
template <class T>
KIDO_INLINE RigidInertia<T> shift(const RigidInertia<T>& a, double mass, const Vec3<T>& r) {
    const Vec3<T> mr = r * mass;
    const Vec3<T> e = a.h + mr * 0.5;
    const T xx = e.x * r.x, yy = e.y * r.y, zz = e.z * r.z;
    return {a.h + mr,
            {a.I.xx + 2.0 * (yy + zz), a.I.xy - (e.x * r.y + e.y * r.x), a.I.xz - (e.x * r.z + e.z * r.x),
             a.I.yy + 2.0 * (xx + zz), a.I.yz - (e.y * r.z + e.z * r.y), a.I.zz + 2.0 * (xx + yy)}};
}

// The wrench, about the same point, that an acceleration along the axis takes.
template <class Axis, class T>
KIDO_INLINE Wrench<T> times(const RigidInertia<T>& a, double mass, const Axis& axis) {
    if constexpr (Axis::rotates && Axis::translates) {
        return {a.I * axis.angular + cross(a.h, axis.linear), cross(axis.angular, a.h) + axis.linear * mass};
    } else if constexpr (Axis::rotates) {
        return {a.I * axis.angular, cross(axis.angular, a.h)};
    } else {
        return {cross(a.h, axis.linear), axis.linear * mass};
    }
}

KIDO_END
