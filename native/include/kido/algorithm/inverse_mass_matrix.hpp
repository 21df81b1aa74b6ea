#pragma once

#include <type_traits>

#include "kido/algorithm/armature.hpp"
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
    Value* rest;                     // of each dof, for up to four blocks of columns
    Vec3<Value>*angular, *linear;    // acceleration behind each dof, for as many

    InverseMassMatrixMemory(const Model& m, Scratch& s)
        : kinematics(m, 0, s),
          inertia(s.take<ArticulatedInertia<T>>(m.num_links)),
          axes(m.num_dofs, s),
          gains(m.num_dofs, s),
          wrenches(m.num_dofs, s),
          inverse_inertia(s.take<T>(m.num_dofs)),
          rest(s.take<Value>(4 * m.num_dofs)),
          angular(s.take<Vec3<Value>>(4 * m.num_dofs)),
          linear(s.take<Vec3<Value>>(4 * m.num_dofs)) {}
};

// Articulated inertias from the leaves to the roots; each dof's axis and gain I S / D about the common origin, D its
// inertia S^T I S + armature.
template <class T>
KIDO_INLINE Mask<T> factorize(const Model& m, const InverseMassMatrixMemory<T>& w, const T* users) {
    Mask<T> positive = T(1.0) > T(0.0);
    const Pose<T>* poses = w.kinematics.pose;
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        const RigidInertia<T> rigid = rigid_inertia(link, poses[i].R);
        ArticulatedInertia<T> inertia = articulated(link.mass, rigid.h, rigid.I);
        if (!link.leaf) inertia = inertia + w.inertia[i];
        const Vec3<T> r = poses[i].p - poses[link.tree_root].p;
        visit(link, users, [&](auto joint) KIDO_INLINE_LAMBDA {
            using J = decltype(joint);
            const auto store = [&](int d, const auto& axis, const Wrench<T>& gain,
                                   const T& inverse) KIDO_INLINE_LAMBDA {
                const Motion<T> motion = axis_velocity(axis, -r);
                w.axes.set(d, motion.angular, motion.linear);
                w.gains.set(d, shift(gain, r));
                w.inverse_inertia[d] = inverse;
            };
            for_axes_reversed(joint, link, poses[i].R, [&](int k, const auto& axis) KIDO_INLINE_LAMBDA {
                const Wrench<T> u = times(inertia, axis);
                const T own = with_armature(along(axis, u), m.armature, link.dof + k);
                positive = positive & (own > T(0.0));
                const T inverse = 1.0 / own;
                const Wrench<T> gain = u * inverse;
                store(link.dof + k, axis, gain, inverse);
                if constexpr (J::dofs > 1) {
                    subtract_outer(inertia, u, gain);
                } else if (link.parent >= 0) {
                    const Vec3<T> arm = poses[i].p - poses[link.parent].p;
                    ArticulatedInertia<T>& to = w.inertia[link.parent];
                    if constexpr (!std::is_same_v<J, RevoluteJoint>) {
                        pass_on(link.last_child, inertia, u, gain, arm, to);
                    } else if (link.last_child) {
                        pass_on(std::true_type(), inertia, u, gain, arm, to);
                    } else {
                        pass_on(std::false_type(), inertia, u, gain, arm, to);
                    }
                }
            });
            if (J::dofs > 1 && link.parent >= 0) {
                const ArticulatedInertia<T> shifted = shift(inertia, poses[i].p - poses[link.parent].p);
                w.inertia[link.parent] = link.last_child ? shifted : w.inertia[link.parent] + shifted;
            }
        });
    }
    return positive;
}

// Row d of the upper triangle before the forward pass, and the wrench that each column's unit force leaves on the
// articulated body above dof d. Columns before d, and the row's lower part, are overwritten later. Column d enters in
// registers: a register that is read just after one of its numbers was written alone has to wait.
template <class T>
KIDO_INLINE void inverse_backward_row(const Model& m, const InverseMassMatrixMemory<T>& w, int d, T* row,
                                      const T* row_end) {
    using L = Loader<T>;
    constexpr bool several = L::width > 1;
    const int end = m.links[m.dof_link[d]].dof_end;
    const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
    const T inverse = w.inverse_inertia[d];
    for (int j = block_begin<T>(several ? d : d + 1); j < end; j += L::width) {
        const auto place = [&](const auto& x, const T& own) KIDO_INLINE_LAMBDA {
            return several && j <= d ? L::put(x, own, d - j) : x;
        };
        const Block<T> force(w.wrenches, j);
        auto t = dot(force.angular, axis.torque) + dot(force.linear, axis.force);
        if (end - j < L::width) t = L::keep_first(t, end - j);
        const auto room = row_end - (row + j);
        L::store_first(row + j, place(-(t * inverse), inverse), room < L::width ? static_cast<int>(room) : L::width);
        if (m.dof_parent[d] < 0) continue;
        L::store(w.wrenches.component[0] + j, place(force.angular.x - t * gain.torque.x, gain.torque.x));
        L::store(w.wrenches.component[1] + j, place(force.angular.y - t * gain.torque.y, gain.torque.y));
        L::store(w.wrenches.component[2] + j, place(force.angular.z - t * gain.torque.z, gain.torque.z));
        L::store(w.wrenches.component[3] + j, place(force.linear.x - t * gain.force.x, gain.force.x));
        L::store(w.wrenches.component[4] + j, place(force.linear.y - t * gain.force.y, gain.force.y));
        L::store(w.wrenches.component[5] + j, place(force.linear.z - t * gain.force.z, gain.force.z));
    }
    if constexpr (!several) {
        row[d] = inverse;
        w.wrenches.set(d, gain);
    }
}

// Columns [j, j + Blocks * width) of the upper triangle, from the roots to the leaves; not Full: the matrix ends in the
// last block. Two blocks at a time keep the processor busy while one waits for its parent's; rows that begin in the
// second one have nothing in the first.
template <int Blocks, bool Full, class T>
KIDO_INLINE void inverse_forward_blocks(const Model& m, const InverseMassMatrixMemory<T>& w, int j, T* matrix) {
    using L = Loader<T>;
    using Value = typename L::Value;
    const int n = m.num_dofs;
    const int end = Full ? j + Blocks * L::width : n;
    const int count = Full ? L::width : n - j - (Blocks - 1) * L::width;  // in the last block
    const auto load = [&](const T* at, int k) {
        return Full || k + 1 < Blocks ? L::load(at) : L::load_first(at, count);
    };
    const auto store = [&](T* at, const Value& x, int k) {
        return Full || k + 1 < Blocks ? L::store(at, x) : L::store_first(at, x, count);
    };
    Vec3<Value> angular[Blocks], linear[Blocks];
    const auto row = [&](int d, auto first) KIDO_INLINE_LAMBDA {
        const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
        const int parent = m.dof_parent[d];
        const bool kept = m.links[m.dof_link[d]].branches;
        T* at = matrix + static_cast<std::ptrdiff_t>(d) * n + j;
        KIDO_UNROLL
        for (int k = decltype(first)::value; k < Blocks; ++k) {
            Value x = load(at + k * L::width, k);
            if (parent < 0) {
                angular[k] = linear[k] = {Value(0.0), Value(0.0), Value(0.0)};
            } else {
                if (parent != d - 1) {
                    angular[k] = w.angular[Blocks * parent + k];
                    linear[k] = w.linear[Blocks * parent + k];
                }
                x = x - (dot(angular[k], gain.torque) + dot(linear[k], gain.force));
                store(at + k * L::width, x, k);
            }
            angular[k] = {angular[k].x + x * axis.torque.x, angular[k].y + x * axis.torque.y,
                          angular[k].z + x * axis.torque.z};
            linear[k] = {linear[k].x + x * axis.force.x, linear[k].y + x * axis.force.y,
                         linear[k].z + x * axis.force.z};
            if (kept) {
                w.angular[Blocks * d + k] = angular[k];
                w.linear[Blocks * d + k] = linear[k];
            }
        }
    };
    const int second = Blocks == 1 ? end : j + L::width;
    int d = 0;
    for (; d < second; ++d) row(d, std::integral_constant<int, 0>{});
    for (; d < end; ++d) row(d, std::integral_constant<int, Blocks - 1>{});
}

// The inverse from a factorization in w.axes, w.gains, w.inverse_inertia.
template <class T>
KIDO_INLINE void inverse_from_factors(const Model& m, const InverseMassMatrixMemory<T>& w, T* matrix) {
    constexpr int width = Loader<T>::width;
    const int n = m.num_dofs;
    if constexpr (width > 1) clear_columns(w.wrenches, 0, n);
    for (int d = n - 1; d >= 0; --d) {
        T* row = matrix + static_cast<std::ptrdiff_t>(d) * n;
        inverse_backward_row(m, w, d, row, row + n);
        for (int j = m.links[m.dof_link[d]].dof_end; j < n; j += width) {
            Loader<T>::store_first(row + j, T(0.0), n - j < width ? n - j : width);
        }
    }
    int j = 0;
    for (; j + 2 * width <= n; j += 2 * width) inverse_forward_blocks<2, true>(m, w, j, matrix);
    if (j + width < n) {
        inverse_forward_blocks<2, false>(m, w, j, matrix);
    } else if (j < n) {
        inverse_forward_blocks<1, false>(m, w, j, matrix);
    }
    mirror_upper(matrix, n);
}

template <class T>
KIDO_INLINE bool inverse_mass_matrix(const Model& m, const InverseMassMatrixMemory<T>& w, const T* users, const T* q,
                                     T* matrix) {
    kinematics<0>(m, w.kinematics, users, q);
    const Mask<T> positive = factorize(m, w, users);
    inverse_from_factors(m, w, matrix);
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
        if constexpr (lanes_of<T> == 1) {
            return run_flat(p, w, in, out);
        } else {
            return inverse_mass_matrix(*p.model, w, in[Problem::users], in[0], out[0]);
        }
    }

private:
    // Single samples are faster without calls inside, lanes are not.
    template <class T>
    KIDO_FLATTEN static bool run_flat(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        return inverse_mass_matrix(*p.model, w, in[Problem::users], in[0], out[0]);
    }
};

KIDO_END
