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
    Velocity<T> solution;      // acceleration that joint accelerations add
};

template <class T>
struct AbaDof {
    Wrench<T> gain;  // I S / (S^T I S)
    T rest;          // (tau - S^T p) / (S^T I S)
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

// Eliminates one dof; false where its inertia is not positive.
template <class Axis, class T>
KIDO_INLINE Mask<T> aba_eliminate(const Axis& axis, const T& tau, AbaDof<T>& dof, ArticulatedInertia<T>& inertia,
                                  Wrench<T>& bias) {
    const Wrench<T> u = times(inertia, axis);
    const T d = along(axis, u);
    const T inverse = 1.0 / d;
    const T rest = (tau - along(axis, bias)) * inverse;
    const Wrench<T> gain = u * inverse;
    subtract_outer(inertia, u, gain);
    bias = bias + u * rest;
    dof.gain = gain;
    dof.rest = rest;
    return d > T(0.0);
}

template <class J, class T>
KIDO_INLINE Mask<T> aba_backward(J joint, const Link& link, AbaLink<T>* all, AbaLink<T>& self, AbaDof<T>* dofs,
                                 const T* tau) {
    ArticulatedInertia<T> inertia;
    Wrench<T> bias = self.bias;
    if (link.massless) {
        inertia = self.inertia;
        bias = bias + self.from_children;
        if (link.leaf) {
            inertia = articulated(0.0, zero3<T>(), Sym3<T>{T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)});
            bias = self.bias;
        }
    } else {
        inertia = articulated(link.mass, self.h, self.I);
        if (!link.leaf) {
            inertia = inertia + self.inertia;
            bias = bias + self.from_children;
        }
    }
    Mask<T> positive = T(1.0) > T(0.0);
    for_axes_reversed(joint, link, self.R, [&](int i, const auto& axis) {
        positive = positive & aba_eliminate(axis, tau[link.dof + i], dofs[link.dof + i], inertia, bias);
    });
    if (link.parent >= 0) {
        AbaLink<T>& parent = all[link.parent];
        const ArticulatedInertia<T> shifted = shift(inertia, self.r);
        const Wrench<T> wrench = shift(bias, self.r);
        if (link.last_child) {
            parent.inertia = shifted;
            parent.from_children = wrench;
        } else {
            parent.inertia = parent.inertia + shifted;
            parent.from_children = parent.from_children + wrench;
        }
    }
    return positive;
}

template <class J, class T>
KIDO_INLINE void aba_solve(J joint, const Link& link, const AbaLink<T>* all, AbaLink<T>& self, const AbaDof<T>* dofs,
                           T* a) {
    Velocity<T> x = {zero3<T>(), zero3<T>()};
    if (link.parent >= 0) {
        const Velocity<T>& parent = all[link.parent].solution;
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
            positive = positive & aba_backward(joint, m.links[i], w.links, w.links[i], w.dofs, tau);
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
