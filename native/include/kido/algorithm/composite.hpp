#pragma once

#include "kido/algorithm/forward_kinematics.hpp"
#include "kido/algorithm/jacobian.hpp"
#include "kido/spatial/columns.hpp"

// Composite rigid bodies: the mass of a link and all it carries, as one body, in world axes about the link origin
// (Walker and Orin 1982; Featherstone 2008, section 6.2).

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

template <class T>
KIDO_INLINE RigidInertia<T> rigid_inertia(const Link& link, const Mat3<T>& R) {
    return {R * vec3(link.h), rotate(R, sym3(link.I))};
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
    if constexpr (Axis::turns && Axis::slides) {
        return {a.I * axis.angular + cross(a.h, axis.linear), cross(axis.angular, a.h) + axis.linear * mass};
    } else if constexpr (Axis::turns) {
        return {a.I * axis.angular, cross(axis.angular, a.h)};
    } else {
        return {cross(a.h, axis.linear), axis.linear * mass};
    }
}

template <class T>
struct CompositeMemory : KinematicsMemory<T> {
    RigidInertia<T>* inertia;  // composite

    CompositeMemory(const Model& m, Scratch& s)
        : KinematicsMemory<T>(m, 0, s), inertia(s.take<RigidInertia<T>>(m.num_links)) {}
};

// Poses and composite inertias of all links.
template <class T>
KIDO_INLINE void composite_inertias(const Model& m, const CompositeMemory<T>& w, const T* q) {
    kinematics<0>(m, w, q);
    for (int i = 0; i < m.num_links; ++i) w.inertia[i] = rigid_inertia(m.links[i], w.pose[i].R);
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        if (link.parent < 0) continue;
        const Vec3<T> r = w.pose[i].p - w.pose[link.parent].p;
        w.inertia[link.parent] = w.inertia[link.parent] + shift(w.inertia[i], link.subtree_mass, r);
    }
}

KIDO_END
