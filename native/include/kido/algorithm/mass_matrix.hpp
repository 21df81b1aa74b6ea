#pragma once

#include "kido/algorithm/composite.hpp"

// Joint-space inertia by the composite-rigid-body algorithm (Walker and Orin 1982; Featherstone 2008, table 6.2).
// The wrench that a unit acceleration of a dof takes, projected on the axes of the dof's ancestors.

KIDO_BEGIN

// Axis of every dof as the motion that it gives a point at the tree's common origin.
template <class T, class F>
KIDO_INLINE void for_dofs(const Model& m, const Pose<T>* poses, F f) {
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        const Vec3<T> p = poses[i].p - poses[link.tree_root].p;
        visit(link.kind, [&](auto joint) {
            for_axes(joint, link, poses[i].R, [&](int k, const auto& axis) { f(link, i, link.dof + k, axis, p); });
        });
    }
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
        const int n = m.num_dofs;
        composite_inertias(m, w, in[0]);
        for_dofs(m, w.pose, [&](const Link& link, int i, int d, const auto& axis, const Vec3<T>& r) {
            const Velocity<T> motion = axis_velocity(axis, -r);
            w.axes.set(d, motion.angular, motion.linear);
            w.wrenches.set(d, shift(times(w.inertia[i], link.subtree_mass, axis), r));
        });
        for (int d = 0; d < n; ++d) {
            const Link& link = m.links[m.dof_link[d]];
            const Wrench<T> wrench = w.wrenches.wrench(d);
            fill_row(out[0] + d * n, out[0] + n * n, m.runs, link.run_begin, link.run_end, [&](int e) {
                const Block<T> axis(w.axes, e);
                return dot(axis.angular, wrench.torque) + dot(axis.linear, wrench.force);
            });
        }
        mirror_lower(out[0], n);
        return true;
    }
};

KIDO_END
