#pragma once

#include "kido/algorithm/composite.hpp"

// Gravity compensation of links without gravity, as a whole or in part: the wrenches that cancel the weight of their
// masses, and the part of these in the derivatives of inverse dynamics.

KIDO_BEGIN

// Wrench about the link origin that cancels gravity on a mass and its first moment h, in the axes of h.
template <class A, class T>
KIDO_INLINE Wrench<T> lift_wrench(const Weight& weight, const Vec3<A>& h, const Vec3<T>& gravity) {
    return {-cross(h, gravity), -(gravity * weight.lifted_mass)};
}

// Mass without gravity of the subtree of a link; first moment about the link origin, world axes.
template <class T>
struct LiftedMass {
    Vec3<T> h;
    double mass;
};

template <class T>
KIDO_INLINE void lifted_masses(const Model& m, const Pose<T>* poses, LiftedMass<T>* masses) {
    for (int i = 0; i < m.num_links; ++i) {
        masses[i] = {poses[i].R * vec3(m.weights[i].lifted_h), m.weights[i].lifted_mass};
    }
    for (int i = m.num_links - 1; i >= 0; --i) {
        const int parent = m.links[i].parent;
        if (parent < 0) continue;
        masses[parent].h += masses[i].h + (poses[i].p - poses[parent].p) * masses[i].mass;
        masses[parent].mass += masses[i].mass;
    }
}

// Adds the derivatives of the compensating wrenches to d tau / d q, `stride` numbers a row. The generalized force on a
// dof is g . F, F = mass linear + angular x h of its axis; a dof before it on the path to the root rotates F against g.
template <class T>
KIDO_INLINE void lift_derivatives(const Model& m, const Pose<T>* poses, const Columns<T>& axes,
                                  LiftedMass<T>* masses, int stride, T* by_q) {
    const Vec3<T> g = broadcast<T>(vec3(m.gravity));
    lifted_masses(m, poses, masses);
    for (int d = 0; d < m.num_dofs; ++d) {
        const int i = m.dof_link[d];
        const Link& link = m.links[i];
        const Vec3<T> from_root = poses[i].p - poses[link.tree_root].p;
        const Wrench<T> axis = axes.wrench(d);  // angular, linear about the origin of the tree's first link
        const Vec3<T> at_link = axis.force + cross(axis.torque, from_root);
        const Vec3<T> turned = cross(at_link * masses[i].mass + cross(axis.torque, masses[i].h), g);
        for (int k = link.run_begin; k < link.run_end; ++k) {
            for (int e = m.runs[k].begin; e < m.runs[k].end; ++e) {
                const T slope = dot(axes.wrench(e).torque, turned);
                by_q[static_cast<std::ptrdiff_t>(d) * stride + e] += slope;
                if (e < link.dof) by_q[static_cast<std::ptrdiff_t>(e) * stride + d] += slope;
            }
        }
    }
}

KIDO_END
