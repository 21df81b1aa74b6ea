#pragma once

#include "kido/algorithm/armature.hpp"
#include "kido/algorithm/inverse_dynamics.hpp"
#include "kido/algorithm/kinematics.hpp"
#include "kido/spatial/rigid_inertia.hpp"

// The articulated-body algorithm (Featherstone 2008, table 7.1), in world axes, each link at its own origin, so that
// inertias and wrenches pass to the parent by a shift. Accelerations of the articulated pass are taken relative to
// those of the motion without joint accelerations, which carry gravity and all velocity terms. A joint with several
// dofs is eliminated one dof at a time: the same factorization, no small matrix to invert. Armature is added to the
// inertia of its dof alone: nothing of it is passed on.

KIDO_BEGIN

// Motion of a link without joint accelerations.
template <class T>
struct AbaMotion {
    Mat3<T> R;
    Vec3<T> angular, alpha, acceleration;
};

// What the children of a link pass on to it.
template <class T>
struct AbaChildren {
    ArticulatedInertia<T> inertia;
    Wrench<T> bias;
};

template <class T>
struct AbaFactors {
    Wrench<T> gain;  // I S / D, D = S^T I S + armature
    T rest;          // (tau - S^T p) / D
    T inverse;       // 1 / D
};

template <class T>
struct AbaDof {
    Vec3<T> axis;
    union {
        RigidInertia<T> own;  // of the link, at its first dof, until the dof is eliminated
        AbaFactors<T> factors;
    };
};

template <class T>
struct AbaMemory {
    Vec3<T>* arm;              // parent origin -> own origin
    Vec3<T>* slide;            // linear part of the axes of links of kind user
    Wrench<T>* bias;           // on each link
    AbaDof<T>* dofs;
    AbaMotion<T>* motion;      // by slots, as all that follows up to the sines
    AbaChildren<T>* children;
    Motion<T>* solution;       // acceleration that joint accelerations add
    T *sine, *cosine;

    AbaMemory(const Problem& p, Scratch& s) : AbaMemory(*p.model, slot_count<T>(*p.model), s) {}
    AbaMemory(const Model& m, int slots, Scratch& s)
        : arm(s.take<Vec3<T>>(m.num_links)),
          slide(s.take<Vec3<T>>(m.num_user_links)),
          bias(s.take<Wrench<T>>(m.num_links)),
          dofs(s.take<AbaDof<T>>(m.num_dofs)),
          motion(s.take<AbaMotion<T>>(slots)),
          children(s.take<AbaChildren<T>>(slots)),
          solution(s.take<Motion<T>>(slots)),
          sine(s.take<T>(m.num_dofs)),
          cosine(s.take<T>(m.num_dofs)) {}
};

// Remembers the directions of a joint's axes; `for_kept_axes` gives them back.
template <class J, class T>
KIDO_INLINE void keep_axes(J joint, const Link& link, const Mat3<T>& R, const AbaMemory<T>& w) {
    AbaDof<T>* dofs = w.dofs + link.dof;
    if constexpr (J::drifts) {
        for_axes(joint, link, R, [&](int, const auto& axis) {
            dofs[0].axis = axis.angular;
            w.slide[link.user] = axis.linear;
        });
    } else if constexpr (J::dofs == 1) {
        dofs[0].axis = R.z;
    } else {
        dofs[0].axis = R.x;
        dofs[1].axis = R.y;
        dofs[2].axis = R.z;
    }
}
// The link's axes, as far as the joint needs them.
template <class J, class T>
KIDO_INLINE Mat3<T> axis_frame(J, const AbaDof<T>* dofs) {
    if constexpr (J::dofs == 1) {
        return {dofs[0].axis, dofs[0].axis, dofs[0].axis};
    } else {
        return {dofs[0].axis, dofs[1].axis, dofs[2].axis};
    }
}

// Calls f(i, axis) for the joint's dofs, the last dof first where Reversed.
template <bool Reversed, class J, class T, class F>
KIDO_INLINE void for_kept_axes(J joint, const Link& link, const AbaMemory<T>& w, F f) {
    const AbaDof<T>* dofs = w.dofs + link.dof;
    if constexpr (J::drifts) {
        f(0, ScrewAxis<T>{dofs[0].axis, w.slide[link.user]});
    } else if constexpr (Reversed) {
        for_axes_reversed(joint, link, axis_frame(joint, dofs), f);
    } else {
        for_axes(joint, link, axis_frame(joint, dofs), f);
    }
}

// Pose, velocity, acceleration without joint accelerations, and the wrench that this motion takes, less the load that
// stands in its place. The parent (null: the world) may stand in the place of `self`.
template <bool Loaded, class J, class T>
KIDO_INLINE void aba_forward(J joint, const Model& m, const Link& link, const AbaMotion<T>* parent, AbaMotion<T>& self,
                             const AbaMemory<T>& w, int i, const T* q, const T* v) {
    Mat3<T> R;
    Vec3<T> r;
    place(joint, link, parent ? &parent->R : nullptr, q, w.sine, w.cosine, R, r);
    Vec3<T> angular = zero3<T>(), alpha = zero3<T>(), carried = zero3<T>();
    Vec3<T> linear = -broadcast<T>(vec3(m.gravity));
    if (parent) {
        carried = angular = parent->angular;
        alpha = parent->alpha;
        linear = parent->acceleration + cross(alpha, r) + cross(carried, cross(carried, r));
    }
    Vec3<T> spin = zero3<T>();
    if constexpr (J::rotates) {
        spin = joint.angular(link, R, v + link.dof);
        angular += spin;
        if (parent) alpha += cross(carried, spin);
    }
    if constexpr (J::translates) linear += cross(carried + carried + spin, joint.linear(link, R, v + link.dof));
    if constexpr (J::drifts) {
        alpha += joint.angular_drift(R, v + link.dof);
        linear += joint.linear_drift(R, v + link.dof);
    }
    self.R = R;
    self.angular = angular;
    self.alpha = alpha;
    self.acceleration = linear;
    w.arm[i] = r;
    keep_axes(joint, link, R, w);
    Wrench<T>& bias = w.bias[i];
    RigidInertia<T>& own = w.dofs[link.dof].own;
    const Wrench<T> load = Loaded ? Wrench<T>{R * bias.torque, R * bias.force} : Wrench<T>{};
    if (link.massless) {
        bias = {zero3<T>(), zero3<T>()};
        own = {zero3<T>(), {T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)}};
    } else {
        const Vec3<T> h = R * vec3(link.h);
        const Sym3<T> I = rotate(R, sym3(link.I));
        write3(&own.h.x, h);
        write6(own.I, I);
        bias.force = linear * link.mass + cross(alpha, h) + cross(angular, cross(angular, h));
        bias.torque = I * alpha + cross(angular, I * angular) + cross(h, linear);
    }
    if constexpr (Loaded) {
        bias.torque -= load.torque;
        bias.force -= load.force;
        if (m.lifted) {
            const Weight& weight = m.weights[i];
            const Wrench<T> lifted = lift_wrench(weight, R * vec3(weight.lifted_h), broadcast<T>(vec3(m.gravity)));
            bias.torque -= lifted.torque;
            bias.force -= lifted.force;
        }
    }
}

// Eliminates one dof, whose inertia is d: its gain and rest; `bias` becomes the wrench that the joint passes on. The inertia
// that it passes on is I - u gain^T. False where the dof's inertia is not positive.
template <class Axis, class T>
KIDO_INLINE Mask<T> aba_eliminate(const Axis& axis, const T& d, const T& tau, const Wrench<T>& u, AbaFactors<T>& factors,
                                  Wrench<T>& bias) {
    const T inverse = 1.0 / d;
    const T rest = (tau - along(axis, bias)) * inverse;
    bias = bias + u * rest;
    factors.gain = u * inverse;
    factors.rest = rest;
    factors.inverse = inverse;
    return d > T(0.0);
}

// `to`: what the link's parent gets, which may stand in the place of what its children gave.
// `leaf` and `first` (whether no other child has left anything yet) are constants for revolute joints, else bools.
template <class Leaf, class First, class J, class T>
KIDO_INLINE Mask<T> aba_backward(Leaf leaf, First first, J joint, const Link& link, int i,
                                 const AbaChildren<T>& children, AbaChildren<T>& to, const AbaMemory<T>& w,
                                 const T* tau, const double* armature) {
    AbaDof<T>* dofs = w.dofs + link.dof;
    ArticulatedInertia<T> inertia = articulated(link.mass, dofs->own.h, dofs->own.I);
    if (!leaf) inertia = children.inertia + inertia;
    Wrench<T> bias = w.bias[i];
    if (!leaf) bias = bias + children.bias;
    Mask<T> positive = T(1.0) > T(0.0);
    if constexpr (J::dofs > 1) {
        for_kept_axes<true>(joint, link, w, [&](int k, const auto& axis) {
            const Wrench<T> u = times(inertia, axis);
            const T d = with_armature(along(axis, u), armature, link.dof + k);
            positive = positive & aba_eliminate(axis, d, tau[link.dof + k], u, dofs[k].factors, bias);
            subtract_outer(inertia, u, dofs[k].factors.gain);
        });
        if (link.parent >= 0) {
            leave(first, to.inertia, shift(inertia, w.arm[i]));
            leave(first, to.bias, shift(bias, w.arm[i]));
        }
    } else {
        for_kept_axes<false>(joint, link, w, [&](int, const auto& axis) KIDO_INLINE_LAMBDA {
            const Wrench<T> u = times(inertia, axis);
            const T d = with_armature(along(axis, u), armature, link.dof);
            positive = aba_eliminate(axis, d, tau[link.dof], u, dofs->factors, bias);
            if (link.parent < 0) return;
            leave(first, to.bias, shift(bias, w.arm[i]));
            pass_on(first, inertia, u, dofs->factors.gain, w.arm[i], to.inertia);
        });
    }
    return positive;
}

// `x`: the parent's solution, which becomes the link's.
template <class J, class T>
KIDO_INLINE void aba_solve(J joint, const Link& link, int i, const AbaMemory<T>& w, Motion<T>& x, T* a) {
    const AbaDof<T>* dofs = w.dofs + link.dof;
    x.linear += cross(x.angular, w.arm[i]);
    for_kept_axes<false>(joint, link, w, [&](int k, const auto& axis) KIDO_INLINE_LAMBDA {
        using Axis = std::remove_cvref_t<decltype(axis)>;
        const AbaFactors<T>& factors = dofs[k].factors;
        T rate = factors.rest;
        if (link.parent >= 0 || k > 0) {
            rate = rate - (dot(factors.gain.torque, x.angular) + dot(factors.gain.force, x.linear));
        }
        a[k] = rate;
        if constexpr (Axis::rotates) x.angular += axis.angular * rate;
        if constexpr (Axis::translates) x.linear += axis.linear * rate;
    });
}

// Of all links; returns where the slots stand after it.
template <bool Loaded, class T>
KIDO_INLINE int aba_motion(const Model& m, const AbaMemory<T>& w, const T* users, const T* q, const T* v) {
    Slots slots;
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        slots.enter(link);
        visit(link, users, [&](auto joint) KIDO_INLINE_LAMBDA {
            const AbaMotion<T>* parent = link.parent < 0 ? nullptr : w.motion + slots.parent();
            aba_forward<Loaded>(joint, m, link, parent, w.motion[slots.self()], w, i, q, v);
        });
    }
    return slots.at();
}

// A call costs little here. `template KIDO_ABA(T)` compiles it, `extern template KIDO_ABA(T)` takes what another family
// has compiled.
#define KIDO_ABA(T)                                                                                                    \
    bool aba(const Model& m, const AbaMemory<T>& w, const T* users, const T* q, const T* v, const T* tau, const T* loads, \
             T* a)
template <class T>
KIDO_NOINLINE bool aba(const Model& m, const AbaMemory<T>& w, const T* users, const T* q, const T* v, const T* tau,
                       const T* loads, T* a) {
    sincos(q, m.num_dofs, w.sine, w.cosine);
    const bool loaded = loads || m.lifted;
    if (loaded) link_wrenches(m, loads, w.bias);
    Slots slots(loaded ? aba_motion<true>(m, w, users, q, v) : aba_motion<false>(m, w, users, q, v));
    Mask<T> positive = T(1.0) > T(0.0);
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        slots.leave(link);
        const AbaChildren<T>& children = w.children[slots.self()];
        AbaChildren<T>& to = w.children[slots.parent()];
        visit(link, users, [&](auto joint) KIDO_INLINE_LAMBDA {
            constexpr std::true_type yes;
            constexpr std::false_type no;
            const auto backward = [&](auto leaf, auto first) KIDO_INLINE_LAMBDA {
                positive = positive & aba_backward(leaf, first, joint, link, i, children, to, w, tau, m.armature);
            };
            if constexpr (std::is_same_v<decltype(joint), RevoluteJoint>) {
                if (link.leaf) {
                    link.last_child ? backward(yes, yes) : backward(yes, no);
                } else {
                    link.last_child ? backward(no, yes) : backward(no, no);
                }
            } else {
                backward(link.leaf, link.last_child);
            }
        });
    }
    slots = Slots();
    Motion<T> x;
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        slots.enter(link);
        if (link.parent < 0) {
            x = {zero3<T>(), zero3<T>()};
        } else if (link.parent != i - 1) {
            x = w.solution[slots.parent()];
        }
        visit(link, users, [&](auto joint) KIDO_INLINE_LAMBDA {
            aba_solve(joint, link, i, w, x, a + link.dof);
        });
        if (link.branches) w.solution[slots.self()] = x;
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
        return aba(*p.model, w, in[Problem::users], in[0], in[1], in[2], in[3], out[0]);
    }
};

KIDO_END
