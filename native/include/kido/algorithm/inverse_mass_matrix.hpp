#pragma once

#include "kido/algorithm/mass_matrix.hpp"
#include "kido/spatial/articulated.hpp"

// The inverse of the mass matrix without the mass matrix: unit generalized forces sent through the articulated-body
// recursion, all columns at once (Carpentier 2018; Featherstone 2008, section 7.3). Rows run over columns of the
// result, so that doubles are processed one register at a time.

KIDO_BEGIN

template <class T>
struct InverseMassMatrixMemory {
    using Value = typename Loader<T>::Value;
    KinematicsMemory<T> kinematics;
    ArticulatedInertia<T>* inertia;  // of the children
    Columns<T> axes, gains, wrenches;
    T* inverse_inertia;
    Vec3<Value>*angular, *linear;    // acceleration behind each dof, for one block of columns

    InverseMassMatrixMemory(const Model& m, Scratch& s)
        : kinematics(m, 0, s),
          inertia(s.take<ArticulatedInertia<T>>(m.num_links)),
          axes(m.num_dofs, s),
          gains(m.num_dofs, s),
          wrenches(m.num_dofs, s),
          inverse_inertia(s.take<T>(m.num_dofs)),
          angular(s.take<Vec3<Value>>(m.num_dofs)),
          linear(s.take<Vec3<Value>>(m.num_dofs)) {}
};

KIDO_INLINE int parent_dof(const Model& m, int d) {
    const Link& link = m.links[m.dof_link[d]];
    if (d > link.dof || link.parent < 0) return d > link.dof ? d - 1 : -1;
    const Link& parent = m.links[link.parent];
    return parent.dof + parent.dof_count - 1;
}

// Articulated inertias from the leaves to the roots; each dof's axis and gain I S / (S^T I S) about the common origin.
template <class T>
KIDO_INLINE Mask<T> factorize(const Model& m, const InverseMassMatrixMemory<T>& w) {
    Mask<T> positive = T(1.0) > T(0.0);
    const Pose<T>* poses = w.kinematics.pose;
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        const RigidInertia<T> own = rigid_inertia(link, poses[i].R);
        ArticulatedInertia<T> inertia = articulated(link.mass, own.h, own.I);
        if (!link.leaf) inertia = inertia + w.inertia[i];
        const Vec3<T> r = poses[i].p - poses[link.tree_root].p;
        visit(link.kind, [&](auto joint) {
            for_axes_reversed(joint, link, poses[i].R, [&](int k, const auto& axis) {
                const Wrench<T> u = times(inertia, axis);
                const T inverse = 1.0 / along(axis, u);
                const Wrench<T> gain = u * inverse;
                subtract_outer(inertia, u, gain);
                const Velocity<T> motion = axis_velocity(axis, -r);
                w.axes.set(link.dof + k, motion.angular, motion.linear);
                w.gains.set(link.dof + k, shift(gain, r));
                w.inverse_inertia[link.dof + k] = inverse;
                positive = positive & (inverse > T(0.0));
            });
        });
        if (link.parent >= 0) {
            const ArticulatedInertia<T> shifted = shift(inertia, poses[i].p - poses[link.parent].p);
            w.inertia[link.parent] = link.last_child ? shifted : w.inertia[link.parent] + shifted;
        }
    }
    return positive;
}

// Row d of the upper triangle before the forward pass, and the wrench that each column's unit force leaves on the
// articulated body above dof d.
template <class T>
KIDO_INLINE void inverse_backward_row(const Model& m, const InverseMassMatrixMemory<T>& w, int d, T* row) {
    using L = Loader<T>;
    const int n = m.num_dofs, end = m.links[m.dof_link[d]].dof_end;
    const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
    for (int j = d / L::width * L::width; j < d; ++j) row[j] = T(0.0);
    row[d] = w.inverse_inertia[d];
    w.wrenches.set(d, gain);
    for (int j = d + 1; j < end; j += L::width) {
        const Block<T> force(w.wrenches, j);
        const auto t = dot(force.angular, axis.torque) + dot(force.linear, axis.force);
        const int count = end - j < L::width ? end - j : L::width;
        L::store_first(row + j, -(t * w.inverse_inertia[d]), count);
        L::store_first(w.wrenches.component[0] + j, force.angular.x - t * gain.torque.x, count);
        L::store_first(w.wrenches.component[1] + j, force.angular.y - t * gain.torque.y, count);
        L::store_first(w.wrenches.component[2] + j, force.angular.z - t * gain.torque.z, count);
        L::store_first(w.wrenches.component[3] + j, force.linear.x - t * gain.force.x, count);
        L::store_first(w.wrenches.component[4] + j, force.linear.y - t * gain.force.y, count);
        L::store_first(w.wrenches.component[5] + j, force.linear.z - t * gain.force.z, count);
    }
    for (int j = end; j < n; ++j) row[j] = T(0.0);
}

// Columns [j, j + width) of the upper triangle, from the roots to the leaves.
template <class T>
KIDO_INLINE void inverse_forward_block(const Model& m, const InverseMassMatrixMemory<T>& w, int j, T* matrix) {
    using L = Loader<T>;
    using Value = typename L::Value;
    const int n = m.num_dofs;
    const int count = n - j < L::width ? n - j : L::width;
    for (int d = 0; d < j + count; ++d) {
        const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
        const int parent = parent_dof(m, d);
        T* at = matrix + static_cast<std::ptrdiff_t>(d) * n + j;
        Value x = L::load_first(at, count);
        if (parent < 0) {
            w.angular[d] = {x * axis.torque.x, x * axis.torque.y, x * axis.torque.z};
            w.linear[d] = {x * axis.force.x, x * axis.force.y, x * axis.force.z};
            continue;
        }
        const Vec3<Value> angular = w.angular[parent], linear = w.linear[parent];
        x = x - (dot(angular, gain.torque) + dot(linear, gain.force));
        L::store_first(at, x, count);
        w.angular[d] = {angular.x + x * axis.torque.x, angular.y + x * axis.torque.y, angular.z + x * axis.torque.z};
        w.linear[d] = {linear.x + x * axis.force.x, linear.y + x * axis.force.y, linear.z + x * axis.force.z};
    }
}

template <class T>
KIDO_INLINE bool inverse_mass_matrix(const Model& m, const InverseMassMatrixMemory<T>& w, const T* q, T* matrix) {
    const int n = m.num_dofs;
    kinematics<0>(m, w.kinematics, q);
    const Mask<T> positive = factorize(m, w);
    for (int d = n - 1; d >= 0; --d) inverse_backward_row(m, w, d, matrix + static_cast<std::ptrdiff_t>(d) * n);
    for (int j = 0; j < n; j += Loader<T>::width) inverse_forward_block(m, w, j, matrix);
    mirror_upper(matrix, n);
    return all(positive);
}

// in: q; out: the inverse of M (dofs, dofs).
struct InverseMassMatrix {
    static constexpr int inputs = 1, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int i) { return MassMatrix::output_size(p, i); }
    template <class T>
    struct Memory : InverseMassMatrixMemory<T> {
        Memory(const Problem& p, Scratch& s) : InverseMassMatrixMemory<T>(*p.model, s) {}
    };
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        return inverse_mass_matrix(*p.model, w, in[0], out[0]);
    }
};

KIDO_END
