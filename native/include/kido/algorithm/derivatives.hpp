#pragma once

#include "kido/algorithm/forward_dynamics.hpp"
#include "kido/algorithm/inverse_mass_matrix.hpp"
#include "kido/algorithm/mass_matrix.hpp"

// Analytic derivatives of inverse and forward dynamics (Carpentier and Mansard 2018; Singh, Russo and Wensing 2022).
// With respect to q they are taken along the group: the change of tau when q becomes q (+) dq.
// Notation: S axis of a dof, P = v x S and Q = a x S + v x P with velocity v and acceleration a of the link before the
// joint, D = P + dS/dt; I, B, f composite inertia, its rate and wrench. About one point, the operator 2 B of a link
// maps (angular, linear) to (Z angular, -2 momentum x angular).

KIDO_BEGIN

template <class T>
struct InertiaRate {
    Mat3<T> Z;
    Vec3<T> momentum;  // linear
};

template <class T>
KIDO_INLINE InertiaRate<T> inertia_rate(const RigidInertia<T>& inertia, double mass, const Velocity<T>& v) {
    const Vec3<T>& w = v.angular;
    const Sym3<T>& I = inertia.I;
    const Mat3<T> full = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
    const Mat3<T> wI = {cross(w, full.x), cross(w, full.y), cross(w, full.z)};
    const Vec3<T> turning = I * w + cross(inertia.h, v.linear);
    // [l]x [h]x + [h]x [l]x = h l^T + l h^T - 2 (h . l) 1
    const Vec3<T>&h = inertia.h, &l = v.linear;
    const T twice = 2.0 * dot(h, l);
    const Mat3<T> products = {l * h.x + h * l.x, l * h.y + h * l.y, l * h.z + h * l.z};
    Mat3<T> Z = wI + transpose(wI) - skew(turning) - products;
    Z.x.x += twice;
    Z.y.y += twice;
    Z.z.z += twice;
    return {Z, l * mass + cross(w, h)};
}

template <class T>
KIDO_INLINE InertiaRate<T> operator+(const InertiaRate<T>& a, const InertiaRate<T>& b) {
    return {a.Z + b.Z, a.momentum + b.momentum};
}

// About a point that lies at -r: Z - 2 [r]x [momentum]x.
template <class T>
KIDO_INLINE InertiaRate<T> shift(const InertiaRate<T>& a, const Vec3<T>& r) {
    const Vec3<T> p2 = a.momentum * 2.0;
    const T product = dot(r, p2);
    Mat3<T> Z = {a.Z.x - p2 * r.x, a.Z.y - p2 * r.y, a.Z.z - p2 * r.z};
    Z.x.x += product;
    Z.y.y += product;
    Z.z.z += product;
    return {Z, a.momentum};
}

template <class T>
struct DerivativesLink {
    RigidInertia<T> inertia;
    InertiaRate<T> rate;
    Wrench<T> wrench;
    Velocity<T> before_velocity, before_acceleration;  // spatial, of the carrying link, at this link's origin
};

template <class T>
struct DerivativesMemory {
    KinematicsMemory<T> kinematics;
    DerivativesLink<T>* links;
    Columns<T> axes, P, Q, D;   // motions
    Columns<T> IS, q_wrench, v_wrench;  // wrenches
    Vec3<T>* BS;
    Vec3<T>*torque, *force;

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
          force(s.take<Vec3<T>>(m.num_links)) {}
};

// Spatial cross product of two motions (Featherstone 2008, section 2.9).
template <class T>
KIDO_INLINE Velocity<T> motion_product(const Velocity<T>& v, const Velocity<T>& s) {
    return {cross(v.angular, s.angular), cross(v.angular, s.linear) + cross(v.linear, s.angular)};
}
template <class T>
KIDO_INLINE Wrench<T> force_product(const Velocity<T>& v, const Wrench<T>& f) {
    return {cross(v.angular, f.torque) + cross(v.linear, f.force), cross(v.angular, f.force)};
}
template <class T>
KIDO_INLINE Velocity<T> operator+(const Velocity<T>& a, const Velocity<T>& b) {
    return {a.angular + b.angular, a.linear + b.linear};
}
// The same motion at a point at -r.
template <class T>
KIDO_INLINE Velocity<T> carry(const Velocity<T>& v, const Vec3<T>& r) {
    return {v.angular, v.linear + cross(r, v.angular)};
}
template <class T>
KIDO_INLINE Wrench<T> times(const RigidInertia<T>& a, double mass, const Velocity<T>& u) {
    return {a.I * u.angular + cross(a.h, u.linear), u.linear * mass + cross(u.angular, a.h)};
}
template <class T>
KIDO_INLINE Wrench<T> times(const InertiaRate<T>& a, const Velocity<T>& u) {
    return {a.Z * u.angular, cross(u.angular, a.momentum) * 2.0};
}

// Own inertia, rate and wrench of every link, and the motion that its parent lends it.
template <class T>
KIDO_INLINE void derivatives_links(const Model& m, const DerivativesMemory<T>& w) {
    const KinematicsMemory<T>& k = w.kinematics;
    const Vec3<T> g = lift<T>(vec3(m.gravity));
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        DerivativesLink<T>& self = w.links[i];
        const Velocity<T>& v = k.velocity[i];
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
            const Velocity<T>& pv = k.velocity[link.parent];
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
                const Velocity<T> S = axis_velocity(axis, zero);
                const Velocity<T> P = motion_product(self.before_velocity, S);
                const Velocity<T> Q = motion_product(self.before_acceleration, S) +
                                      motion_product(self.before_velocity, P);
                const Velocity<T> D = P + motion_product(k.velocity[i], S);
                const Wrench<T> q_wrench = times(self.rate, P) + times(self.inertia, mass, Q) +
                                           force_product(S, self.wrench);
                const Wrench<T> v_wrench = times(self.rate, S) + times(self.inertia, mass, D);
                const auto store = [&](const Columns<T>& columns, const Velocity<T>& motion) {
                    const Velocity<T> at_root = carry(motion, r);
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

template <class T>
KIDO_INLINE void inverse_dynamics_derivatives(const Model& m, const DerivativesMemory<T>& w, const T* q, const T* v,
                                              const T* a, const T* wrenches, int stride, T* by_q, T* by_v) {
    kinematics<2>(m, w.kinematics, q, v, a);
    derivatives_links(m, w);
    if (wrenches) {
        link_wrenches(m, wrenches, w.torque, w.force);
        for (int i = 0; i < m.num_links; ++i) {
            w.links[i].wrench.torque -= w.kinematics.pose[i].R * w.torque[i];
            w.links[i].wrench.force -= w.kinematics.pose[i].R * w.force[i];
        }
    }
    derivatives_dofs(m, w);
    derivatives_matrices(m, w, stride, by_q, by_v);
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
        inverse_dynamics_derivatives(m, w, in[0], in[1], in[2], in[3], m.num_dofs, out[0], out[1]);
        project_composites(m, w.axes, w.IS, out[2]);
        return true;
    }
};

// Solves M x = -b for two right sides, one register of columns at a time, with the factors of the articulated-body
// recursion: wrenches to the roots, accelerations to the leaves. The b have `stride` numbers a row, a multiple of the
// register's width.
template <class T>
KIDO_INLINE void solve_negative(const Model& m, const InverseMassMatrixMemory<T>& w, int stride, int j,
                                const T* const (&b)[2], T* const (&x)[2]) {
    using L = Loader<T>;
    using Value = typename L::Value;
    const int n = m.num_dofs;
    const int count = n - j < L::width ? n - j : L::width;
    Vec3<Value> angular[2], linear[2];  // wrench of what dof d carries, then the acceleration behind it
    for (int d = n - 1; d >= 0; --d) {
        const Link& link = m.links[m.dof_link[d]];
        const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
        const int parent = m.dof_parent[d];
        const bool tip = link.leaf && d + 1 == link.dof + link.dof_count;
        const bool first = d > link.dof || link.last_child;
        KIDO_UNROLL
        for (int k = 0; k < 2; ++k) {
            if (tip) {
                angular[k] = linear[k] = {Value(0.0), Value(0.0), Value(0.0)};
            } else if (link.branches && d + 1 == link.dof + link.dof_count) {
                angular[k] = w.angular[2 * d + k];
                linear[k] = w.linear[2 * d + k];
            }
            const Value rest = -L::load(b[k] + static_cast<std::ptrdiff_t>(d) * stride + j) -
                               (dot(angular[k], axis.torque) + dot(linear[k], axis.force));
            w.rest[2 * d + k] = rest * w.inverse_inertia[d];
            angular[k] = {angular[k].x + rest * gain.torque.x, angular[k].y + rest * gain.torque.y,
                          angular[k].z + rest * gain.torque.z};
            linear[k] = {linear[k].x + rest * gain.force.x, linear[k].y + rest * gain.force.y,
                         linear[k].z + rest * gain.force.z};
            if (parent < 0 || (parent == d - 1 && !m.links[m.dof_link[parent]].branches)) continue;
            if (first) {
                w.angular[2 * parent + k] = angular[k];
                w.linear[2 * parent + k] = linear[k];
            } else {
                w.angular[2 * parent + k] = w.angular[2 * parent + k] + angular[k];
                w.linear[2 * parent + k] = w.linear[2 * parent + k] + linear[k];
            }
        }
    }
    for (int d = 0; d < n; ++d) {
        const Wrench<T> axis = w.axes.wrench(d), gain = w.gains.wrench(d);
        const int parent = m.dof_parent[d];
        const bool kept = m.links[m.dof_link[d]].branches;
        KIDO_UNROLL
        for (int k = 0; k < 2; ++k) {
            Value rate = w.rest[2 * d + k];
            if (parent < 0) {
                angular[k] = linear[k] = {Value(0.0), Value(0.0), Value(0.0)};
            } else {
                if (parent != d - 1) {
                    angular[k] = w.angular[2 * parent + k];
                    linear[k] = w.linear[2 * parent + k];
                }
                rate = rate - (dot(angular[k], gain.torque) + dot(linear[k], gain.force));
            }
            L::store_first(x[k] + static_cast<std::ptrdiff_t>(d) * n + j, rate, count);
            angular[k] = {angular[k].x + rate * axis.torque.x, angular[k].y + rate * axis.torque.y,
                          angular[k].z + rate * axis.torque.z};
            linear[k] = {linear[k].x + rate * axis.force.x, linear[k].y + rate * axis.force.y,
                         linear[k].z + rate * axis.force.z};
            if (kept) {
                w.angular[2 * d + k] = angular[k];
                w.linear[2 * d + k] = linear[k];
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
        w.gains.set(d, shift(dynamics.dofs[d].gain, poses[i].p - poses[m.links[i].tree_root].p));
        w.inverse_inertia[d] = dynamics.dofs[d].inverse;
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
        }
    };
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        if (!aba(m, w.dynamics, in[0], in[1], in[2], in[3], w.a)) return false;
        inverse_dynamics_derivatives(m, w.derivatives, in[0], in[1], w.a, in[3], w.stride, w.by_q, w.by_v);
        factors_of_dynamics(m, w.dynamics, w.derivatives.kinematics.pose, w.inverse);
        inverse_from_factors(m, w.inverse, out[2]);
        for (int j = 0; j < m.num_dofs; j += Loader<T>::width) {
            solve_negative(m, w.inverse, w.stride, j, {w.by_q, w.by_v}, {out[0], out[1]});
        }
        return true;
    }
};

KIDO_END
