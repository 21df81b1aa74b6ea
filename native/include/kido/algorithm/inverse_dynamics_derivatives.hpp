#pragma once

#include "kido/algorithm/inverse_dynamics.hpp"
#include "kido/algorithm/mass_matrix.hpp"
#include "kido/spatial/inertia_rate.hpp"

// Analytic derivatives of inverse dynamics (Carpentier and Mansard 2018; Singh, Russo and Wensing 2022). With respect to
// q they are taken along the group: the change of tau when q becomes q (+) dq. Trees with joints of the user's have none:
// they would take derivatives of the user's functions.
// Notation: S axis of a dof, P = v x S and Q = a x S + v x P with velocity v and acceleration a of the link before the
// joint, D = P + dS/dt; I, B, f composite inertia, its rate and wrench.

KIDO_BEGIN

template <class T>
struct DerivativesLink {
    RigidInertia<T> inertia;
    InertiaRate<T> rate;
    Wrench<T> wrench;
    Motion<T> before_velocity, before_acceleration;  // spatial, of the carrying link, at this link's origin
};

template <class T>
struct DerivativesMemory {
    KinematicsMemory<T> kinematics;
    DerivativesLink<T>* links;
    Columns<T> axes, P, Q, D;   // motions
    Columns<T> IS, q_wrench, v_wrench;  // wrenches
    Vec3<T>* BS;
    Vec3<T>*torque, *force;
    LiftedMass<T>* lifted;  // where some link is

    DerivativesMemory(const Model& m, Scratch& s)
        : kinematics(m, 2, s),
          links(s.take<DerivativesLink<T>>(m.num_links)),
          axes(m.num_dofs, s),
          P(m.num_dofs, s),
          Q(m.num_dofs, s),
          D(m.num_dofs, s),
          IS(m.num_dofs, s),
          q_wrench(m.num_dofs, s),
          v_wrench(m.num_dofs, s),
          BS(s.take<Vec3<T>>(m.num_dofs)),
          torque(s.take<Vec3<T>>(m.num_links)),
          force(s.take<Vec3<T>>(m.num_links)),
          lifted(s.take<LiftedMass<T>>(m.lifted ? m.num_links : 0)) {}
};

// Rate of a wrench fixed in a frame that moves with v (Featherstone 2008, section 2.9).
template <class T>
KIDO_INLINE Wrench<T> wrench_cross(const Motion<T>& v, const Wrench<T>& f) {
    return {cross(v.angular, f.torque) + cross(v.linear, f.force), cross(v.angular, f.force)};
}
template <class T>
KIDO_INLINE Motion<T> operator+(const Motion<T>& a, const Motion<T>& b) {
    return {a.angular + b.angular, a.linear + b.linear};
}
// The same motion at a point at -r.
template <class T>
KIDO_INLINE Motion<T> carry(const Motion<T>& v, const Vec3<T>& r) {
    return {v.angular, v.linear + cross(r, v.angular)};
}
template <class T>
KIDO_INLINE Wrench<T> times(const RigidInertia<T>& a, double mass, const Motion<T>& u) {
    return {a.I * u.angular + cross(a.h, u.linear), u.linear * mass + cross(u.angular, a.h)};
}
// Own inertia, rate and wrench of every link, and the motion that its parent lends it.
template <class T>
KIDO_INLINE void derivatives_links(const Model& m, const DerivativesMemory<T>& w) {
    const KinematicsMemory<T>& k = w.kinematics;
    const Vec3<T> g = broadcast<T>(vec3(m.gravity));
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        DerivativesLink<T>& self = w.links[i];
        const Motion<T>& v = k.velocity[i];
        const Vec3<T>& alpha = k.acceleration[i].angular;
        const Vec3<T> linear = k.acceleration[i].linear - g;
        self.inertia = rigid_inertia(link, k.pose[i].R);
        self.rate = inertia_rate(self.inertia, link.mass, v);
        const Vec3<T>& h = self.inertia.h;
        self.wrench.force = linear * link.mass + cross(alpha, h) + cross(v.angular, cross(v.angular, h));
        self.wrench.torque =
            self.inertia.I * alpha + cross(v.angular, self.inertia.I * v.angular) + cross(h, linear);
        self.before_velocity = {zero3<T>(), zero3<T>()};
        self.before_acceleration = {zero3<T>(), -g};
        if (link.parent >= 0) {
            const Motion<T>& pv = k.velocity[link.parent];
            const Acceleration<T>& pa = k.acceleration[link.parent];
            const Vec3<T> r = k.pose[i].p - k.pose[link.parent].p;
            self.before_velocity = {pv.angular, pv.linear + cross(pv.angular, r)};
            self.before_acceleration = {pa.angular,
                                        pa.linear - g - cross(pv.angular, pv.linear) + cross(pa.angular, r)};
        }
    }
}

// Composites from the leaves to the roots, and what each dof contributes to its row and column.
template <class T>
KIDO_INLINE void derivatives_dofs(const Model& m, const DerivativesMemory<T>& w) {
    const KinematicsMemory<T>& k = w.kinematics;
    const Vec3<T> zero = zero3<T>();
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        const DerivativesLink<T>& self = w.links[i];
        const double mass = link.subtree_mass;
        const Vec3<T> r = k.pose[i].p - k.pose[link.tree_root].p;
        visit(link.kind, [&](auto joint) {
            for_axes(joint, link, k.pose[i].R, [&](int index, const auto& axis) {
                const int d = link.dof + index;
                const Motion<T> S = axis_velocity(axis, zero);
                const Motion<T> P = motion_cross(self.before_velocity, S);
                const Motion<T> Q = motion_cross(self.before_acceleration, S) +
                                      motion_cross(self.before_velocity, P);
                const Motion<T> D = P + motion_cross(k.velocity[i], S);
                const Wrench<T> q_wrench = times(self.rate, P) + times(self.inertia, mass, Q) +
                                           wrench_cross(S, self.wrench);
                const Wrench<T> v_wrench = times(self.rate, S) + times(self.inertia, mass, D);
                const auto store = [&](const Columns<T>& columns, const Motion<T>& motion) {
                    const Motion<T> at_root = carry(motion, r);
                    columns.set(d, at_root.angular, at_root.linear);
                };
                store(w.axes, S);
                store(w.P, P);
                store(w.Q, Q);
                store(w.D, D);
                w.IS.set(d, shift(times(self.inertia, mass, axis), r));
                w.q_wrench.set(d, shift(q_wrench, r));
                w.v_wrench.set(d, shift(v_wrench, r));
                w.BS[d] = transposed_times(self.rate.Z, S.angular) + cross(self.rate.momentum, S.linear) * 2.0;
            });
        });
        if (link.parent < 0) continue;
        DerivativesLink<T>& parent = w.links[link.parent];
        const Vec3<T> arm = k.pose[i].p - k.pose[link.parent].p;
        parent.inertia = parent.inertia + shift(self.inertia, mass, arm);
        parent.rate = parent.rate + shift(self.rate, arm);
        parent.wrench = parent.wrench + shift(self.wrench, arm);
    }
}

// Rows and columns of d tau / d q and d tau / d v, `stride` numbers a row.
template <class T>
KIDO_INLINE void derivatives_matrices(const Model& m, const DerivativesMemory<T>& w, int stride, T* by_q, T* by_v) {
    using L = Loader<T>;
    const int n = m.num_dofs;
    const T* q_end = by_q + static_cast<std::ptrdiff_t>(n) * stride;
    const T* v_end = by_v + static_cast<std::ptrdiff_t>(n) * stride;
    for (int d = 0; d < n; ++d) {
        const Link& link = m.links[m.dof_link[d]];
        const Wrench<T> IS = w.IS.wrench(d);
        const Vec3<T> BS = w.BS[d];
        T* q_row = by_q + static_cast<std::ptrdiff_t>(d) * stride;
        T* v_row = by_v + static_cast<std::ptrdiff_t>(d) * stride;
        fill_row(q_row, q_end, m.runs, link.run_begin, link.run_end, [&](int e) {
            const Block<T> P(w.P, e), Q(w.Q, e);
            return dot(P.angular, BS) + (dot(Q.angular, IS.torque) + dot(Q.linear, IS.force));
        });
        fill_row(v_row, v_end, m.runs, link.run_begin, link.run_end, [&](int e) {
            const Block<T> S(w.axes, e), D(w.D, e);
            return dot(S.angular, BS) + (dot(D.angular, IS.torque) + dot(D.linear, IS.force));
        });
        const int own_end = link.dof + link.dof_count;
        const Wrench<T> axis = w.axes.wrench(d);
        for (int e = own_end; e < link.dof_end; e += L::width) {
            const Block<T> q_wrench(w.q_wrench, e), v_wrench(w.v_wrench, e);
            const auto of_q = dot(q_wrench.angular, axis.torque) + dot(q_wrench.linear, axis.force);
            const auto of_v = dot(v_wrench.angular, axis.torque) + dot(v_wrench.linear, axis.force);
            const auto room = q_end - (q_row + e);
            L::store_first(q_row + e, of_q, room < L::width ? static_cast<int>(room) : L::width);
            L::store_first(v_row + e, of_v, room < L::width ? static_cast<int>(room) : L::width);
        }
        fill_zeros(q_row, link.dof_end, stride, q_end);
        fill_zeros(v_row, link.dof_end, stride, v_end);
    }
}

// With w's sines and cosines known.
template <class T>
KIDO_NOINLINE void inverse_dynamics_derivatives(const Model& m, const DerivativesMemory<T>& w, const T* q, const T* v,
                                              const T* a, const T* wrenches, int stride, T* by_q, T* by_v) {
    turned_kinematics<2, T>(m, w.kinematics, nullptr, q, v, a);
    derivatives_links(m, w);
    if (wrenches) {
        link_wrenches(m, wrenches, w.torque, w.force);
        for (int i = 0; i < m.num_links; ++i) {
            w.links[i].wrench.torque -= w.kinematics.pose[i].R * w.torque[i];
            w.links[i].wrench.force -= w.kinematics.pose[i].R * w.force[i];
        }
    }
    derivatives_dofs(m, w);
    for (const Columns<T>& columns : {w.axes, w.P, w.Q, w.D, w.IS, w.q_wrench, w.v_wrench}) {
        clear_padding(columns, m.num_dofs);
    }
    derivatives_matrices(m, w, stride, by_q, by_v);
    if (m.lifted) lift_derivatives(m, w.kinematics.pose, w.axes, w.lifted, stride, by_q);
}

// in: q, v, a, wrenches (or null); out: d tau / d q, d tau / d v, M.
struct InverseDynamicsDerivatives {
    static constexpr int inputs = 4, outputs = 3;
    static std::size_t input_size(const Problem& p, int i) { return InverseDynamics::input_size(p, i); }
    static std::size_t output_size(const Problem& p, int i) { return MassMatrix::output_size(p, i); }
    template <class T>
    struct Memory : DerivativesMemory<T> {
        Memory(const Problem& p, Scratch& s) : DerivativesMemory<T>(*p.model, s) {}
    };
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        sincos(in[0], m.num_dofs, w.kinematics.sine, w.kinematics.cosine);
        inverse_dynamics_derivatives(m, w, in[0], in[1], in[2], in[3], m.num_dofs, out[0], out[1]);
        project_composites(m, w.axes, w.IS, out[2]);
        return true;
    }
};

KIDO_END
