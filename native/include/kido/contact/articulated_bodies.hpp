#pragma once

#include <vector>

#include "kido/contact/articulation_links.hpp"

// The articulated-body algorithm (Featherstone 2008, table 7.1) of one time step, of one skeleton or of several of one model in
// lanes. What the elimination of each dof leaves is kept: it is the response to impulses.

KIDO_BEGIN

// What acts on the dofs: forces with those of springs and dampers; what armature and these, implicit in a step of length h, add to the
// inertias: armature + h damping + h^2 stiffness.
template <class T>
struct DofLoads {
    const T *forces, *added;
};

// What a body takes: its inertia with that of its children, and the wrench that velocities take, less gravity, about the reference.
template <class T>
struct BodyLoad {
    ArticulatedInertia<T> inertia;
    Wrench<T> bias;

    KIDO_INLINE void add(const BodyLoad& other) {
        inertia = inertia + other.inertia;
        bias = bias + other.bias;
    }
    // Number by number: a copy of what was just written would wait for it.
    KIDO_INLINE void set(const BodyLoad& other) {
        write6(inertia.A, other.inertia.A);
        const Mat3<T>& H = other.inertia.H;
        write3(&inertia.H.x.x, H.x), write3(&inertia.H.y.x, H.y), write3(&inertia.H.z.x, H.z);
        write6(inertia.M, other.inertia.M);
        write3(&bias.torque.x, other.bias.torque), write3(&bias.force.x, other.bias.force);
    }

    // More mass on a link, with its first and second moments about the reference; `weight`, `moment`: the mass on which gravity acts,
    // and its first moment.
    KIDO_INLINE void add(double mass, const Vec3<T>& h, const Sym3<T>& I, const Motion<T>& v, double weight, const Vec3<T>& moment,
                         const Vec3<double>& gravity) {
        const Vec3<T> angular = I * v.angular + cross(h, v.linear), linear = v.linear * mass + cross(v.angular, h);
        bias.torque += cross(v.angular, angular) + cross(v.linear, linear) - cross(moment, gravity);
        bias.force += cross(v.angular, linear) - broadcast<T>(gravity * weight);
        inertia.A = inertia.A + I;
        inertia.H.x.y += h.z;
        inertia.H.x.z -= h.y;
        inertia.H.y.x -= h.z;
        inertia.H.y.z += h.x;
        inertia.H.z.x += h.y;
        inertia.H.z.y -= h.x;
        inertia.M.xx += T(mass);
        inertia.M.yy += T(mass);
        inertia.M.zz += T(mass);
    }
};

// Of skeletons on which nothing but gravity and forces of dofs acts, whose dofs all follow forces.
struct NothingSpecial {
    template <class T>
    KIDO_INLINE void load(const Link&, int, const LinkMotion<T>&, BodyLoad<T>&) const {}
    template <class T>
    KIDO_INLINE bool take_given(int, DofFactors<T>&, const Wrench<T>&, Wrench<T>&) const {
        return false;
    }
    template <class T>
    KIDO_INLINE bool follow_given(int, const Motion<T>&) const {
        return false;
    }
};

template <class T>
class ArticulatedBodies {
public:
    explicit ArticulatedBodies(const Model& m) : waiting_(m.num_links + 1) {}

    // Accelerations without impulses of the dofs and links; false where an inertia is not positive. `special`: what else acts, and which
    // dofs' motion is given.
    template <class Special>
    bool accelerate(const Model& m, const Vec3<double>& gravity, const DofLoads<T>& loads, const Special& special,
                    ArticulationLinks<T>& at, T* accelerations) {
        bool positive = true;
        top_ = &waiting_[0];
        Body body = {};
        for (int i = m.num_links - 1; i >= 0; --i) {
            const Link& link = m.links[i];
            load(m, gravity, special, i, at.links[i], body);
            for (int k = link.dof + link.dof_count - 1; k >= link.dof; --k) {
                positive &= eliminate(k, loads, special, at.factors[k], body, accelerations);
            }
            pass_on(link, i, body);
        }
        for (int i = 0; i < m.num_links; ++i) solve(m.links[i], i, special, at, accelerations);
        return positive;
    }

private:
    using Body = BodyLoad<T>;

    // Inertia of a link with what its children have passed on, and the wrench that its velocities take, less gravity.
    template <class Special>
    KIDO_INLINE void load(const Model& m, const Vec3<double>& gravity, const Special& special, int i, const LinkMotion<T>& at, Body& body) {
        const Link& link = m.links[i];
        if (link.leaf) body = {};
        special.load(link, i, at, body);
        if (!link.massless) {
            const auto [h, I] = moments_of(link, at);
            const double weight = m.weights ? m.weights[i].mass : link.mass;
            const Vec3<T> moment = m.weights ? at.axes * vec3(m.weights[i].h) + at.arm * weight : h;
            body.add(link.mass, h, I, at.motion, weight, moment, gravity);
        }
        body.bias = body.bias + times(body.inertia, ScrewAxis<T>{at.drift.angular, at.drift.linear});
    }
    template <class Special>
    KIDO_INLINE bool eliminate(int k, const DofLoads<T>& loads, const Special& special, DofFactors<T>& f, Body& body, T* accelerations) {
        const Wrench<T> u = times(body.inertia, ScrewAxis<T>{f.axis.angular, f.axis.linear});
        if (special.take_given(k, f, u, body.bias)) return true;
        const T d = dot(f.axis, u) + loads.added[k];
        f.inverse = 1.0 / d;
        f.gain = u * f.inverse;
        const T rest = (loads.forces[k] - dot(f.axis, body.bias)) * f.inverse;
        accelerations[k] = rest;
        body.bias = body.bias + u * rest;
        subtract_outer(body.inertia, u, f.gain);
        return all(d > 0.0);
    }
    // Links come depth first, last ones first: the next is the parent, or the last link of another branch. What all branches but the
    // first have passed on waits on a stack.
    KIDO_INLINE void pass_on(const Link& link, int i, Body& body) {
        if (link.parent < 0) return;
        const bool first = link.parent == i - 1;
        if (link.last_child) {
            if (!first) (++top_)->set(body);
        } else if (first) {
            body.add(*top_--);
        } else {
            top_->add(body);
        }
    }
    template <class Special>
    KIDO_INLINE void solve(const Link& link, int i, const Special& special, ArticulationLinks<T>& at, T* accelerations) {
        Motion<T> a = link.parent < 0 ? no_motion<T>() : at.accelerations[link.parent];
        for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
            const DofFactors<T>& f = at.factors[k];
            if (!special.follow_given(k, a)) accelerations[k] -= dot(a, f.gain);
            a = a + f.axis * accelerations[k];
        }
        at.accelerations[i] = a + at.links[i].drift;
    }

    std::vector<Body> waiting_;
    Body* top_ = nullptr;
};

KIDO_END
