#pragma once

#include "kido/algorithm/forward_dynamics.hpp"

// Dynamics of joints of which some have their accelerations prescribed and the others their forces (Featherstone 2008,
// section 9.2), by the articulated-body recursion: a dof whose acceleration is prescribed is not eliminated, it passes
// its whole inertia on. Added inertia stands on the diagonal of the mass matrix, as armature and implicit springs and
// dampers do.

namespace kido {

// Of all dofs, the same for all samples.
struct HybridOptions {
    const unsigned char* prescribed;  // whether the acceleration is given
    const double* added;              // inertia on the diagonal besides armature, or null [kg m^2, kg]
    bool weightless;                  // without gravity
};

}  // namespace kido

KIDO_BEGIN

template <class T>
struct HybridMemory : AbaMemory<T> {
    HybridMemory(const Problem& p, Scratch& s) : AbaMemory<T>(p, s) {}
};

// Of a prescribed dof: gain = I S, rest = the force without the parent's acceleration.
template <class Axis, class T>
KIDO_INLINE void hybrid_prescribe(const Axis& axis, const T& acceleration, double added, const Wrench<T>& u,
                                  AbaFactors<T>& factors, Wrench<T>& bias) {
    factors.gain = u;
    factors.rest = (along(axis, u) + added) * acceleration + along(axis, bias);
    bias = bias + u * acceleration;
}

template <class T>
KIDO_INLINE Mask<T> hybrid_backward(const Model& m, const HybridOptions& o, int i, const Slots& slots,
                                    const HybridMemory<T>& w, const T* users, const T* tau, const T* a) {
    const Link& link = m.links[i];
    Mask<T> positive = T(1.0) > T(0.0);
    visit(link, users, [&](auto joint) KIDO_INLINE_LAMBDA {
        AbaDof<T>* dofs = w.dofs + link.dof;
        const AbaChildren<T>& children = w.children[slots.self()];
        ArticulatedInertia<T> inertia = articulated(link.mass, dofs->own.h, dofs->own.I);
        Wrench<T> bias = w.bias[i];
        if (!link.leaf) {
            inertia = children.inertia + inertia;
            bias = bias + children.bias;
        }
        for_kept_axes<true>(joint, link, w, [&](int k, const auto& axis) KIDO_INLINE_LAMBDA {
            const int j = link.dof + k;
            const Wrench<T> u = times(inertia, axis);
            const double added = with_armature(o.added ? o.added[j] : 0.0, m.armature, j);
            if (o.prescribed[j]) {
                hybrid_prescribe(axis, a[j], added, u, dofs[k].factors, bias);
                return;
            }
            const T d = along(axis, u) + added;
            positive = positive & (d > T(0.0));
            const T inverse = 1.0 / d;
            dofs[k].factors.rest = (tau[j] - along(axis, bias)) * inverse;
            dofs[k].factors.gain = u * inverse;
            bias = bias + u * dofs[k].factors.rest;
            subtract_outer(inertia, u, dofs[k].factors.gain);
        });
        if (link.parent < 0) return;
        AbaChildren<T>& to = w.children[slots.parent()];
        const ArticulatedInertia<T> passed = shift(inertia, w.arm[i]);
        const Wrench<T> left = shift(bias, w.arm[i]);
        leave(link.last_child, to.inertia, passed);
        leave(link.last_child, to.bias, left);
    });
    return positive;
}

template <class T>
KIDO_INLINE void hybrid_forward(const Model& m, const HybridOptions& o, int i, const Slots& slots,
                                const HybridMemory<T>& w, const T* users, const T* tau, const T* a, T* a_out,
                                T* tau_out) {
    const Link& link = m.links[i];
    visit(link, users, [&](auto joint) KIDO_INLINE_LAMBDA {
        Motion<T> x = {zero3<T>(), zero3<T>()};
        if (link.parent >= 0) {
            const Motion<T>& parent = w.solution[slots.parent()];
            x = {parent.angular, parent.linear + cross(parent.angular, w.arm[i])};
        }
        for_kept_axes<false>(joint, link, w, [&](int k, const auto& axis) KIDO_INLINE_LAMBDA {
            using Axis = std::remove_cvref_t<decltype(axis)>;
            const int j = link.dof + k;
            const AbaFactors<T>& dof = w.dofs[j].factors;
            const T carried = dot(dof.gain.torque, x.angular) + dot(dof.gain.force, x.linear);
            T rate;
            if (o.prescribed[j]) {
                rate = a[j];
                tau_out[j] = dof.rest + carried;
            } else {
                rate = dof.rest - carried;
                tau_out[j] = tau[j];
            }
            a_out[j] = rate;
            if constexpr (Axis::rotates) x.angular += axis.angular * rate;
            if constexpr (Axis::translates) x.linear += axis.linear * rate;
        });
        w.solution[slots.self()] = x;
    });
}

// in: q, v, tau, a, wrenches (or null); out: a, tau.
struct HybridDynamics {
    using Options = HybridOptions;
    static constexpr int inputs = 5, outputs = 2;
    static std::size_t input_size(const Problem& p, int i) { return i == 4 ? 6 * p.model->num_bodies : p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = HybridMemory<T>;
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        Model m = *p.model;
        if (p.options.weightless) m.gravity[0] = m.gravity[1] = m.gravity[2] = 0.0;
        sincos(in[0], m.num_dofs, w.sine, w.cosine);
        const T* users = in[Problem::users];
        const bool loaded = in[4] || m.lifted;
        if (loaded) link_wrenches(m, in[4], w.bias);
        Slots slots(loaded ? aba_motion<true>(m, w, users, in[0], in[1]) : aba_motion<false>(m, w, users, in[0], in[1]));
        Mask<T> positive = T(1.0) > T(0.0);
        for (int i = m.num_links - 1; i >= 0; --i) {
            slots.leave(m.links[i]);
            positive = positive & hybrid_backward(m, p.options, i, slots, w, users, in[2], in[3]);
        }
        slots = Slots();
        for (int i = 0; i < m.num_links; ++i) {
            slots.enter(m.links[i]);
            hybrid_forward(m, p.options, i, slots, w, users, in[2], in[3], out[0], out[1]);
        }
        return all(positive);
    }
};

KIDO_END
