#pragma once

#include "kido/algorithm/forward_dynamics.hpp"
#include "kido/algorithm/inverse_dynamics_derivatives.hpp"
#include "kido/algorithm/inverse_mass_matrix.hpp"

// Analytic derivatives of forward dynamics: those of inverse dynamics at the resulting acceleration, solved with the
// mass matrix (Carpentier and Mansard 2018), by the factors that the articulated-body algorithm has made anyway.

KIDO_BEGIN

// Solves M x = -b for two right sides, a few registers of columns from j on, with the factors of the articulated-body
// recursion: wrenches to the roots, accelerations to the leaves. The b have `stride` numbers a row, a multiple of the
// register's width. Several columns and both right sides at a time keep the processor busy.
template <int Blocks, class T>
KIDO_INLINE void solve_negative(const Model& m, const InverseMassMatrixMemory<T>& w, int stride, int j,
                                const T* const (&b)[2], T* const (&x)[2]) {
    using L = Loader<T>;
    using Value = typename L::Value;
    constexpr int streams = 2 * Blocks;  // right side k % 2, block k / 2
    const int n = m.num_dofs;
    Vec3<Value> angular[streams], linear[streams];  // wrench of what dof d carries, then the acceleration behind it
    for (int d = n - 1; d >= 0; --d) {
        const Link& link = m.links[m.dof_link[d]];
        const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
        const T inverse = w.inverse_inertia[d];
        const int parent = m.dof_parent[d];
        const bool last = d + 1 == link.dof + link.dof_count;
        const bool carried = parent == d - 1 && !(parent >= 0 && m.links[m.dof_link[parent]].branches);
        const bool first = d > link.dof || link.last_child;
        const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(d) * stride + j;
        KIDO_UNROLL
        for (int k = 0; k < streams; ++k) {
            if (last && link.leaf) {
                angular[k] = linear[k] = {Value(0.0), Value(0.0), Value(0.0)};
            } else if (last && link.branches) {
                angular[k] = w.angular[streams * d + k];
                linear[k] = w.linear[streams * d + k];
            }
            const Value rest = -L::load(b[k % 2] + row + k / 2 * L::width) -
                               (dot(angular[k], axis.torque) + dot(linear[k], axis.force));
            w.rest[streams * d + k] = rest * inverse;
            angular[k] = {angular[k].x + rest * gain.torque.x, angular[k].y + rest * gain.torque.y,
                          angular[k].z + rest * gain.torque.z};
            linear[k] = {linear[k].x + rest * gain.force.x, linear[k].y + rest * gain.force.y,
                         linear[k].z + rest * gain.force.z};
            if (carried || parent < 0) continue;
            Vec3<Value>&angular_sum = w.angular[streams * parent + k], &linear_sum = w.linear[streams * parent + k];
            angular_sum = first ? angular[k] : angular_sum + angular[k];
            linear_sum = first ? linear[k] : linear_sum + linear[k];
        }
    }
    for (int d = 0; d < n; ++d) {
        const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
        const int parent = m.dof_parent[d];
        const bool kept = m.links[m.dof_link[d]].branches;
        KIDO_UNROLL
        for (int k = 0; k < streams; ++k) {
            Value rate = w.rest[streams * d + k];
            if (parent < 0) {
                angular[k] = linear[k] = {Value(0.0), Value(0.0), Value(0.0)};
            } else {
                if (parent != d - 1) {
                    angular[k] = w.angular[streams * parent + k];
                    linear[k] = w.linear[streams * parent + k];
                }
                rate = rate - (dot(angular[k], gain.torque) + dot(linear[k], gain.force));
            }
            const int column = j + k / 2 * L::width;
            const int count = n - column < L::width ? n - column : L::width;
            L::store_first(x[k % 2] + static_cast<std::ptrdiff_t>(d) * n + column, rate, count);
            angular[k] = {angular[k].x + rate * axis.torque.x, angular[k].y + rate * axis.torque.y,
                          angular[k].z + rate * axis.torque.z};
            linear[k] = {linear[k].x + rate * axis.force.x, linear[k].y + rate * axis.force.y,
                         linear[k].z + rate * axis.force.z};
            if (kept) {
                w.angular[streams * d + k] = angular[k];
                w.linear[streams * d + k] = linear[k];
            }
        }
    }
}

// The factors of the inverse mass matrix that the forward dynamics left behind, but for the axes.
template <class T>
KIDO_INLINE void factors_of_dynamics(const Model& m, const AbaMemory<T>& dynamics, const Pose<T>* poses,
                                     const InverseMassMatrixMemory<T>& w) {
    for (int d = 0; d < m.num_dofs; ++d) {
        const int i = m.dof_link[d];
        w.gains.set(d, shift(dynamics.dofs[d].factors.gain, poses[i].p - poses[m.links[i].tree_root].p));
        w.inverse_inertia[d] = dynamics.dofs[d].factors.inverse;
    }
}

// in: q, v, tau, wrenches (or null); out: d a / d q, d a / d v, d a / d tau.
struct ForwardDynamicsDerivatives {
    static constexpr int inputs = 4, outputs = 3;
    static std::size_t input_size(const Problem& p, int i) { return InverseDynamics::input_size(p, i); }
    static std::size_t output_size(const Problem& p, int i) { return MassMatrix::output_size(p, i); }
    template <class T>
    struct Memory {
        AbaMemory<T> dynamics;
        DerivativesMemory<T> derivatives;
        InverseMassMatrixMemory<T> inverse;
        int stride;
        T *a, *by_q, *by_v;
        Memory(const Problem& p, Scratch& s)
            : dynamics(p, s),
              derivatives(*p.model, s),
              inverse(*p.model, s),
              stride((p.model->num_dofs + Loader<T>::width - 1) / Loader<T>::width * Loader<T>::width),
              a(s.take<T>(p.model->num_dofs)),
              by_q(s.take<T>(static_cast<std::size_t>(p.model->num_dofs) * stride)),
              by_v(s.take<T>(static_cast<std::size_t>(p.model->num_dofs) * stride)) {
            inverse.axes = derivatives.axes;  // the same motions about the same points
            derivatives.kinematics.sine = dynamics.sine;
            derivatives.kinematics.cosine = dynamics.cosine;
        }
    };
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        if (!aba<T>(m, w.dynamics, nullptr, in[0], in[1], in[2], in[3], w.a)) return false;
        inverse_dynamics_derivatives(m, w.derivatives, in[0], in[1], w.a, in[3], w.stride, w.by_q, w.by_v);
        factors_of_dynamics(m, w.dynamics, w.derivatives.kinematics.pose, w.inverse);
        inverse_from_factors(m, w.inverse, out[2]);
        constexpr int width = Loader<T>::width;
        int j = 0;
        for (; j + width < m.num_dofs; j += 2 * width) {
            solve_negative<2>(m, w.inverse, w.stride, j, {w.by_q, w.by_v}, {out[0], out[1]});
        }
        if (j < m.num_dofs) solve_negative<1>(m, w.inverse, w.stride, j, {w.by_q, w.by_v}, {out[0], out[1]});
        return true;
    }
};

KIDO_END
