#pragma once

#include "kido/algorithm/armature.hpp"
#include "kido/algorithm/composite.hpp"

// Joint-space inertia by the composite-rigid-body algorithm (Walker and Orin 1982; Featherstone 2008, table 6.2).
// The wrench that a unit acceleration of a dof takes, projected on the axes of the dof's ancestors.

KIDO_BEGIN

// Axis of every dof as the motion that it gives a point at the tree's common origin.
template <class T, class F>
KIDO_INLINE void for_dofs(const Model& m, const Pose<T>* poses, const T* users, F f) {
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        const Vec3<T> p = poses[i].p - poses[link.tree_root].p;
        visit(link, users, [&](auto joint) {
            for_axes(joint, link, poses[i].R, [&](int k, const auto& axis) { f(link, i, link.dof + k, axis, p); });
        });
    }
}

// One row of project_composites. Checked: near the end of the matrix, where a whole register may not fit.
template <bool Checked, class T>
KIDO_INLINE void project_row(const Columns<T>& wrenches, const Wrench<T>& axis, int d, int end, int n, T* row,
                             const T* matrix_end) {
    using L = Loader<T>;
    const auto store = [&](int e, const typename L::Value& x) {
        const auto room = matrix_end - (row + e);
        if (!Checked || room >= L::width) {
            L::store(row + e, x);
        } else {
            L::store_first(row + e, x, static_cast<int>(room));
        }
    };
    int e = block_begin<T>(d);
    for (; e < end; e += L::width) {
        const Block<T> wrench(wrenches, e);
        store(e, dot(wrench.angular, axis.torque) + dot(wrench.linear, axis.force));
    }
    for (e = end; e < n; e += L::width) store(e, T(0.0));
}

// The symmetric matrix of every dof's axis times the wrenches of the dofs in its subtree, which are contiguous, with
// the armature on its diagonal.
template <class T>
KIDO_INLINE void project_composites(const Model& m, const Columns<T>& axes, const Columns<T>& wrenches, T* matrix) {
    const int n = m.num_dofs;
    const T* matrix_end = matrix + static_cast<std::ptrdiff_t>(n) * n;
    for (int d = 0; d < n; ++d) {
        T* row = matrix + static_cast<std::ptrdiff_t>(d) * n;
        const int end = m.links[m.dof_link[d]].dof_end;
        if (d + 1 < n && n >= Loader<T>::width) {
            project_row<false>(wrenches, axes.wrench(d), d, end, n, row, matrix_end);
        } else {
            project_row<true>(wrenches, axes.wrench(d), d, end, n, row, matrix_end);
        }
    }
    mirror_upper(matrix, n);
    if (m.armature) add_armature(m, matrix);
}

// in: q; out: M (dofs, dofs).
struct MassMatrix {
    static constexpr int inputs = 1, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) {
        return static_cast<std::size_t>(p.model->num_dofs) * p.model->num_dofs;
    }

    template <class T>
    struct Memory : CompositeMemory<T> {
        Columns<T> axes, wrenches;
        Memory(const Problem& p, Scratch& s)
            : CompositeMemory<T>(*p.model, s), axes(p.model->num_dofs, s), wrenches(p.model->num_dofs, s) {}
    };

    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        composite_inertias(m, w, in[Problem::users], in[0]);
        const T* users = in[Problem::users];
        if constexpr (lanes_of<T> == 1) {
            for_dofs(m, w.pose, users, [&](const Link& link, int i, int d, const auto& axis, const Vec3<T>& r) {
                set_dof(w.axes, w.wrenches, w.inertia, link, i, d, axis, r);
            });
        } else {  // what the loop holds by value stays in registers
            const auto set = [axes = w.axes, wrenches = w.wrenches, inertia = w.inertia](
                                 const Link& link, int i, int d, const auto& axis, const Vec3<T>& r) {
                set_dof(axes, wrenches, inertia, link, i, d, axis, r);
            };
            for_dofs(m, w.pose, users, set);
        }
        clear_padding(w.wrenches, m.num_dofs);
        project_composites(m, w.axes, w.wrenches, out[0]);
        return true;
    }

private:
    // Axis of a dof, and the wrench that its unit acceleration takes.
    template <class Axis, class T>
    static KIDO_INLINE void set_dof(const Columns<T>& axes, const Columns<T>& wrenches, const RigidInertia<T>* inertia,
                                    const Link& link, int i, int d, const Axis& axis, const Vec3<T>& r) {
        const Motion<T> motion = axis_velocity(axis, -r);
        axes.set(d, motion.angular, motion.linear);
        wrenches.set(d, shift(times(inertia[i], link.subtree_mass, axis), r));
    }
};

KIDO_END
