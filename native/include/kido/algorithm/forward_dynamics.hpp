#pragma once

#include "kido/algorithm/inverse_dynamics.hpp"
#include "kido/algorithm/kinematics.hpp"
#include "kido/spatial/articulated.hpp"

// The articulated-body algorithm (Featherstone 2008, table 7.1), in world axes, each link at its own origin, so that
// inertias and wrenches pass to the parent by a shift. Accelerations of the articulated pass are taken relative to
// those of the motion without joint accelerations, which carry gravity and all velocity terms. A joint with several
// dofs is eliminated one dof at a time: the same factorization, no small matrix to invert.

KIDO_BEGIN

template <class T>
struct AbaLink {
    Mat3<T> R;
    Vec3<T> r;                 // parent origin -> own origin
    Vec3<T> angular, alpha, acceleration;
    Vec3<T> h;
    Sym3<T> I;
    Wrench<T> bias;
    ArticulatedInertia<T> inertia;  // of the children
    Wrench<T> from_children;
    Motion<T> solution;      // acceleration that joint accelerations add
};

template <class T>
struct AbaDof {
    Wrench<T> gain;  // I S / (S^T I S)
    T rest;          // (tau - S^T p) / (S^T I S)
    T inverse;       // 1 / (S^T I S)
};

template <class T>
struct AbaMemory {
    AbaLink<T>* links;
    AbaDof<T>* dofs;
    T *sine, *cosine;
    Vec3<T>*torque, *force;

    AbaMemory(const Problem& p, Scratch& s)
        : links(s.take<AbaLink<T>>(p.model->num_links)),
          dofs(s.take<AbaDof<T>>(p.model->num_dofs)),
          sine(s.take<T>(p.model->num_dofs)),
          cosine(s.take<T>(p.model->num_dofs)),
          torque(s.take<Vec3<T>>(p.model->num_links)),
          force(s.take<Vec3<T>>(p.model->num_links)) {}
};

// Pose, velocity, acceleration without joint accelerations, and the wrench that this motion takes.
template <class J, class T>
KIDO_INLINE void aba_forward(J joint, const Model& m, const Link& link, const AbaLink<T>* all, AbaLink<T>& self,
                             const T* q, const T* v, const T* sine, const T* cosine) {
    const AbaLink<T>* parent = link.parent < 0 ? nullptr : all + link.parent;
    Mat3<T> R;
    Vec3<T> r;
    place(joint, link, parent ? &parent->R : nullptr, q, sine, cosine, R, r);
    Vec3<T> angular = zero3<T>(), alpha = zero3<T>(), carried = zero3<T>();
    Vec3<T> linear = -lift<T>(vec3(m.gravity));
    if (parent) {
        carried = angular = parent->angular;
        alpha = parent->alpha;
        linear = parent->acceleration + cross(alpha, r) + cross(carried, cross(carried, r));
    }
    Vec3<T> spin = zero3<T>();
    if constexpr (J::turns) {
        spin = J::angular(link, R, v + link.dof);
        angular += spin;
        if (parent) alpha += cross(carried, spin);
    }
    if constexpr (J::slides) linear += cross(carried + carried + spin, J::linear(link, R, v + link.dof));
    self.R = R;
    self.r = r;
    self.angular = angular;
    self.alpha = alpha;
    self.acceleration = linear;
    if (link.massless) {
        self.bias = {zero3<T>(), zero3<T>()};
        return;
    }
    const Vec3<T> h = R * vec3(link.h);
    const Sym3<T> I = rotate(R, sym3(link.I));
    self.h = h;
    self.I = I;
    self.bias.force = linear * link.mass + cross(alpha, h) + cross(angular, cross(angular, h));
    self.bias.torque = I * alpha + cross(angular, I * angular) + cross(h, linear);
}

// Inertia and bias of a link with its children.
template <bool Leaf, class T>
KIDO_INLINE ArticulatedInertia<T> aba_inertia(const Link& link, const AbaLink<T>& self) {
    if (link.massless) {
        const T o(0.0);
        return Leaf ? articulated(0.0, zero3<T>(), Sym3<T>{o, o, o, o, o, o}) : self.inertia;
    }
    if constexpr (Leaf) {
        return articulated(link.mass, self.h, self.I);
    } else {
        return self.inertia + articulated(link.mass, self.h, self.I);
    }
}

// Eliminates one dof: its gain and rest; `bias` becomes the wrench that the joint passes on. The inertia that it passes
// on is I - u gain^T. False where the dof's inertia is not positive.
template <class Axis, class T>
KIDO_INLINE Mask<T> aba_eliminate(const Axis& axis, const T& tau, const Wrench<T>& u, AbaDof<T>& dof,
                                  Wrench<T>& bias) {
    const T d = along(axis, u);
    const T inverse = 1.0 / d;
    const T rest = (tau - along(axis, bias)) * inverse;
    bias = bias + u * rest;
    dof.gain = u * inverse;
    dof.rest = rest;
    dof.inverse = inverse;
    return d > T(0.0);
}

template <bool Leaf, bool First, class J, class T>
KIDO_INLINE Mask<T> aba_backward(J joint, const Link& link, AbaLink<T>* all, AbaLink<T>& self, AbaDof<T>* dofs,
                                 const T* tau) {
    ArticulatedInertia<T> inertia = aba_inertia<Leaf>(link, self);
    Wrench<T> bias = self.bias;
    if constexpr (!Leaf) bias = bias + self.from_children;
    Mask<T> positive = T(1.0) > T(0.0);
    if constexpr (J::dofs > 1) {
        for_axes_reversed(joint, link, self.R, [&](int i, const auto& axis) {
            const Wrench<T> u = times(inertia, axis);
            positive = positive & aba_eliminate(axis, tau[link.dof + i], u, dofs[link.dof + i], bias);
            subtract_outer(inertia, u, dofs[link.dof + i].gain);
        });
        if (link.parent >= 0) {
            leave<First>(all[link.parent].inertia, shift(inertia, self.r));
            leave<First>(all[link.parent].from_children, shift(bias, self.r));
        }
    } else {
        for_axes(joint, link, self.R, [&](int, const auto& axis) {
            const Wrench<T> u = times(inertia, axis);
            positive = aba_eliminate(axis, tau[link.dof], u, dofs[link.dof], bias);
            if (link.parent < 0) return;
            AbaLink<T>& parent = all[link.parent];
            leave<First>(parent.from_children, shift(bias, self.r));
            pass_on<First>(inertia, u, dofs[link.dof].gain, self.r, parent.inertia);
        });
    }
    return positive;
}

template <class J, class T>
KIDO_INLINE void aba_solve(J joint, const Link& link, const AbaLink<T>* all, AbaLink<T>& self, const AbaDof<T>* dofs,
                           T* a) {
    Motion<T> x = {zero3<T>(), zero3<T>()};
    if (link.parent >= 0) {
        const Motion<T>& parent = all[link.parent].solution;
        x = {parent.angular, parent.linear + cross(parent.angular, self.r)};
    }
    for_axes(joint, link, self.R, [&](int i, const auto& axis) {
        using Axis = std::remove_cvref_t<decltype(axis)>;
        const AbaDof<T>& dof = dofs[link.dof + i];
        T rate = dof.rest;
        if (link.parent >= 0 || i > 0) rate = rate - (dot(dof.gain.torque, x.angular) + dot(dof.gain.force, x.linear));
        a[link.dof + i] = rate;
        if constexpr (Axis::turns) x.angular += axis.angular * rate;
        if constexpr (Axis::slides) x.linear += axis.linear * rate;
    });
    self.solution = x;
}

template <class T>
KIDO_INLINE bool aba(const Model& m, const AbaMemory<T>& w, const T* q, const T* v, const T* tau, const T* wrenches,
                     T* a) {
    sincos(q, m.num_dofs, w.sine, w.cosine);
    for (int i = 0; i < m.num_links; ++i) {
        visit(m.links[i].kind, [&](auto joint) {
            aba_forward(joint, m, m.links[i], w.links, w.links[i], q, v, w.sine, w.cosine);
        });
    }
    if (wrenches) {
        link_wrenches(m, wrenches, w.torque, w.force);
        for (int i = 0; i < m.num_links; ++i) {
            w.links[i].bias.torque -= w.links[i].R * w.torque[i];
            w.links[i].bias.force -= w.links[i].R * w.force[i];
        }
    }
    Mask<T> positive = T(1.0) > T(0.0);
    for (int i = m.num_links - 1; i >= 0; --i) {
        visit(m.links[i].kind, [&](auto joint) {
            const Link& link = m.links[i];
            if (link.leaf) {
                positive = positive & (link.last_child
                                           ? aba_backward<true, true>(joint, link, w.links, w.links[i], w.dofs, tau)
                                           : aba_backward<true, false>(joint, link, w.links, w.links[i], w.dofs, tau));
            } else {
                positive = positive & (link.last_child
                                           ? aba_backward<false, true>(joint, link, w.links, w.links[i], w.dofs, tau)
                                           : aba_backward<false, false>(joint, link, w.links, w.links[i], w.dofs, tau));
            }
        });
    }
    for (int i = 0; i < m.num_links; ++i) {
        visit(m.links[i].kind,
              [&](auto joint) { aba_solve(joint, m.links[i], w.links, w.links[i], w.dofs, a); });
    }
    return all(positive);
}

// in: q, v, tau, wrenches (or null); out: a.
struct ForwardDynamics {
    static constexpr int inputs = 4, outputs = 1;
    static std::size_t input_size(const Problem& p, int i) { return InverseDynamics::input_size(p, i); }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = AbaMemory<T>;
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        return aba(*p.model, w, in[0], in[1], in[2], in[3], out[0]);
    }
};

KIDO_END
