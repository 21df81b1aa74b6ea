#pragma once

#include "kido/algorithm/forward_kinematics.hpp"
#include "kido/algorithm/jacobian.hpp"
#include "kido/spatial/columns.hpp"
#include "kido/spatial/rigid_inertia.hpp"

// Composite rigid bodies: the mass of a link and all it carries, as one body, in world axes about the link origin
// (Walker and Orin 1982; Featherstone 2008, section 6.2).

KIDO_BEGIN

template <class T>
KIDO_INLINE RigidInertia<T> rigid_inertia(const Link& link, const Mat3<T>& R) {
    return {R * vec3(link.h), rotate(R, sym3(link.I))};
}

template <class T>
struct CompositeMemory : KinematicsMemory<T> {
    RigidInertia<T>* inertia;  // composite

    CompositeMemory(const Model& m, Scratch& s)
        : KinematicsMemory<T>(m, 0, s), inertia(s.take<RigidInertia<T>>(m.num_links)) {}
};

// Poses and composite inertias of all links.
template <class T>
KIDO_INLINE void composite_inertias(const Model& m, const CompositeMemory<T>& w, const T* users, const T* q) {
    kinematics<0>(m, w, users, q);
    for (int i = 0; i < m.num_links; ++i) w.inertia[i] = rigid_inertia(m.links[i], w.pose[i].R);
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        if (link.parent < 0) continue;
        const Vec3<T> r = w.pose[i].p - w.pose[link.parent].p;
        w.inertia[link.parent] = w.inertia[link.parent] + shift(w.inertia[i], link.subtree_mass, r);
    }
}

KIDO_END
