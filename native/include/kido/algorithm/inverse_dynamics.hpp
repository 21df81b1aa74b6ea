#pragma once

#include "kido/algorithm/lift.hpp"
#include "kido/algorithm/problem.hpp"
#include "kido/scalar/trig.hpp"
#include "kido/spatial/articulated.hpp"
#include "kido/tree/joint.hpp"
#include "kido/tree/scratch.hpp"

// Recursive Newton-Euler: the generalized forces of a motion (Luh, Walker and Paul 1980; Featherstone 2008, table 5.1).
// Everything of a link is in its own axes at its own origin; accelerations are classical, so that linear velocities
// never appear. Armature adds its own force to each dof.

KIDO_BEGIN

// Contact and other loads: calls f(link, torque, force) with the wrench (link axes, about the link origin) of every
// body's wrench (torque, force; body axes, about the body origin).
template <class T, class F>
KIDO_INLINE void for_loads(const Model& m, const T* wrenches, F f) {
    for (int k = 0; k < m.num_bodies; ++k) {
        const Body& body = m.bodies[k];
        if (body.link < 0) continue;
        const Vec3<T> force = mat3(body.R) * read3(wrenches + 6 * k + 3);
        f(body.link, mat3(body.R) * read3(wrenches + 6 * k) + cross(vec3(body.p), force), force);
    }
}

// The sum of the loads on each link; null loads are zero.
template <class T>
KIDO_INLINE void link_wrenches(const Model& m, const T* wrenches, Vec3<T>* torque, Vec3<T>* force) {
    for (int i = 0; i < m.num_links; ++i) torque[i] = force[i] = zero3<T>();
    for_loads(m, wrenches, [&](int link, const Vec3<T>& load_torque, const Vec3<T>& load_force) {
        torque[link] += load_torque;
        force[link] += load_force;
    });
}
template <class T>
KIDO_INLINE void link_wrenches(const Model& m, const T* wrenches, Wrench<T>* loads) {
    for (int i = 0; i < m.num_links; ++i) loads[i] = {zero3<T>(), zero3<T>()};
    if (!wrenches) return;
    for_loads(m, wrenches, [&](int link, const Vec3<T>& torque, const Vec3<T>& force) {
        loads[link] = loads[link] + Wrench<T>{torque, force};
    });
}

// Slots for what only the way from a link to its children needs: the last child takes its parent's slot, any other
// child the next one. Enter links in order, then leave them in reverse order.
class Slots {
public:
    Slots() = default;
    // To go on from where others stand: their address, given to a call, would keep them out of registers.
    KIDO_INLINE explicit Slots(int at) : at_(at) {}
    KIDO_INLINE int at() const { return at_; }
    KIDO_INLINE void enter(const Link& link) {
        parent_ = at_;
        self_ = at_ + (link.last_child ? 0 : 1);
        at_ = self_ - (link.leaf ? 1 : 0);
    }
    KIDO_INLINE void leave(const Link& link) {
        self_ = at_ + (link.leaf ? 1 : 0);
        parent_ = self_ - (link.last_child ? 0 : 1);
        at_ = parent_;
    }
    KIDO_INLINE int self() const { return self_; }
    KIDO_INLINE int parent() const { return parent_; }

private:
    int at_ = 0, self_ = 0, parent_ = 0;
};

// How many slots a pass over the model needs. Single samples have room for all, which saves them the count.
template <class T>
KIDO_INLINE int slot_count(const Model& m) {
    if (lanes_of<T> == 1) return m.num_links;
    int count = 0;
    Slots slots;
    for (int i = 0; i < m.num_links; ++i) {
        slots.enter(m.links[i]);
        if (slots.self() >= count) count = slots.self() + 1;
    }
    return count;
}

// Motion of a link.
template <class T>
struct RneaMotion {
    Vec3<T> angular, alpha, acceleration;
    Mat3<T> spread;  // [alpha]x + [omega]x [omega]x: acceleration of a point over its position
};

template <class T>
KIDO_INLINE Mat3<T> acceleration_spread(const Vec3<T>& w, const Vec3<T>& alpha) {
    const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return {{-(yy + zz), xy + alpha.z, xz - alpha.y},
            {xy - alpha.z, -(xx + zz), yz + alpha.x},
            {xz + alpha.y, yz - alpha.x, -(xx + yy)}};
}

// Axes and origin of a link in its parent.
template <class J, class T>
KIDO_INLINE void rnea_place(J joint, const Link& link, const T* q, const T* sine, const T* cosine, Mat3<T>& R, Vec3<T>& r) {
    const int d = link.dof;
    const Mat3<T> base = broadcast<T>(mat3(link.R));
    R = joint.rotate(base, q + d, sine[d], cosine[d]);
    r = broadcast<T>(vec3(link.p));
    if constexpr (J::translates) r += joint.translate(link, base, q + d);
}

// Motion of a link from its parent's, which may stand in the same place; null: the world.
template <class J, class T>
KIDO_INLINE void rnea_forward(J joint, const Model& m, const Link& link, const RneaMotion<T>* parent,
                              RneaMotion<T>& self, const T* q, const T* v, const T* a, const T* sine, const T* cosine) {
    const int d = link.dof;
    Mat3<T> R;
    Vec3<T> r;
    rnea_place(joint, link, q, sine, cosine, R, r);
    Vec3<T> angular = zero3<T>(), alpha = zero3<T>();
    Vec3<T> linear = -broadcast<T>(vec3(m.gravity));
    if (parent) {
        angular = transposed_times(R, parent->angular);
        alpha = transposed_times(R, parent->alpha);
        linear = parent->acceleration + parent->spread * r;
    }
    linear = transposed_times(R, linear);
    if constexpr (J::drifts) {
        const ScrewAxis<T> screw = joint.screw(), rate = joint.screw_rate();
        const Vec3<T> carried = angular;
        const Vec3<T> spin = screw.angular * v[d];
        angular += spin;
        alpha += cross(carried, spin) + screw.angular * a[d] + rate.angular * v[d];
        linear += cross(carried + carried + spin, screw.linear * v[d]) + screw.linear * a[d] + rate.linear * v[d];
    } else if constexpr (J::dofs == 1) {  // the axis is z
        const Vec3<T> carried = angular;
        if constexpr (J::rotates) {
            angular.z += v[d];
            alpha.x += carried.y * v[d];
            alpha.y -= carried.x * v[d];
            alpha.z += a[d];
        }
        if constexpr (J::translates) {
            const double scale = J::rotates ? link.pitch : 1.0;
            const T twice = 2.0 * (v[d] * scale);
            linear.x += carried.y * twice;
            linear.y -= carried.x * twice;
            linear.z += a[d] * scale;
        }
    } else {
        const Vec3<T> carried = angular;
        const Vec3<T> spin = read3(v + d);
        angular += spin;
        alpha += cross(carried, spin) + read3(a + d);
        if constexpr (J::translates) linear += cross(carried + carried + spin, read3(v + d + 3)) + read3(a + d + 3);
    }
    self.angular = angular;
    self.alpha = alpha;
    self.acceleration = linear;
    self.spread = acceleration_spread(angular, alpha);
}

// The wrench that moves the link's own mass, less the load that stands in its place.
template <bool Loaded, class T>
KIDO_INLINE void rnea_wrench(const Link& link, const RneaMotion<T>& self, Wrench<T>& wrench) {
    Vec3<T> torque = zero3<T>(), force = zero3<T>();
    if (!link.massless) {
        const Vec3<double> h = vec3(link.h);
        const Sym3<double> I = sym3(link.I);
        const Vec3<T> momentum = I * self.angular;
        force = self.acceleration * link.mass + self.spread * h;
        torque = I * self.alpha + cross(self.angular, momentum) + cross(h, self.acceleration);
    }
    if constexpr (Loaded) {
        torque -= wrench.torque;
        force -= wrench.force;
    }
    wrench.torque = torque;
    wrench.force = force;
}

template <class J, class T>
KIDO_INLINE void rnea_project(J joint, const Link& link, const Vec3<T>& torque, const Vec3<T>& force, T* tau) {
    T* t = tau + link.dof;
    if constexpr (J::drifts) {
        t[0] = along(joint.screw(), Wrench<T>{torque, force});
    } else if constexpr (J::dofs == 1) {
        if constexpr (J::rotates && J::translates) {
            t[0] = torque.z + force.z * link.pitch;
        } else {
            t[0] = J::rotates ? torque.z : force.z;
        }
    } else {
        write3(t, torque);
        if constexpr (J::translates) write3(t + 3, force);
    }
}

template <class T>
struct RneaMemory {
    Wrench<T>* wrenches;    // on each link, by its joint
    RneaMotion<T>* motion;  // by slots
    T *sine, *cosine, *zero;
    Vec3<T>* gravity;       // in link axes, where some link is lifted

    RneaMemory(const Problem& p, Scratch& s)
        : wrenches(s.take<Wrench<T>>(p.model->num_links)),
          motion(s.take<RneaMotion<T>>(slot_count<T>(*p.model))),
          sine(s.take<T>(p.model->num_dofs)),
          cosine(s.take<T>(p.model->num_dofs)),
          zero(s.take<T>(p.model->num_dofs)),
          gravity(s.take<Vec3<T>>(p.model->lifted ? p.model->num_links : 0)) {}
};

// Adds to the loads of all links, in link axes, those that undo gravity where it does not act.
template <class T>
KIDO_INLINE void lift_links(const Model& m, const RneaMemory<T>& w, const T* users, const T* q) {
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        visit(link, users, [&](auto joint) {
            Mat3<T> R;
            Vec3<T> r;
            rnea_place(joint, link, q, w.sine, w.cosine, R, r);
            const Vec3<T> carried = link.parent < 0 ? broadcast<T>(vec3(m.gravity)) : w.gravity[link.parent];
            w.gravity[i] = transposed_times(R, carried);
        });
        const Weight& weight = m.weights[i];
        w.wrenches[i] = w.wrenches[i] + lift_wrench(weight, vec3(weight.lifted_h), w.gravity[i]);
    }
}

// tau of (q, v, a) under loads; null v, a or loads are zero.
template <class T>
KIDO_NOINLINE void rnea(const Model& m, const RneaMemory<T>& w, const T* users, const T* q, const T* v, const T* a,
                      const T* loads, T* tau) {
    if (!v || !a) {
        for (int d = 0; d < m.num_dofs; ++d) w.zero[d] = T(0.0);
        v = v ? v : w.zero;
        a = a ? a : w.zero;
    }
    const bool loaded = loads || m.lifted;
    if (loaded) link_wrenches(m, loads, w.wrenches);
    sincos(q, m.num_dofs, w.sine, w.cosine);
    if (m.lifted) lift_links(m, w, users, q);
    Slots slots;
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        slots.enter(link);
        RneaMotion<T>& self = w.motion[slots.self()];
        visit(link, users, [&](auto joint) {
            const RneaMotion<T>* parent = link.parent < 0 ? nullptr : w.motion + slots.parent();
            rnea_forward(joint, m, link, parent, self, q, v, a, w.sine, w.cosine);
        });
        if (loaded) {
            rnea_wrench<true>(link, self, w.wrenches[i]);
        } else {
            rnea_wrench<false>(link, self, w.wrenches[i]);
        }
    }
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        const Wrench<T>& self = w.wrenches[i];
        visit(link, users, [&](auto joint) {
            rnea_project(joint, link, self.torque, self.force, tau);
            if (link.parent < 0) return;
            Mat3<T> R;
            Vec3<T> r;
            rnea_place(joint, link, q, w.sine, w.cosine, R, r);
            Wrench<T>& parent = w.wrenches[link.parent];
            const Vec3<T> force = R * self.force;
            parent.force += force;
            parent.torque += R * self.torque + cross(r, force);
        });
    }
    if (!m.armature) return;
    for (int d = 0; d < m.num_dofs; ++d) tau[d] = tau[d] + a[d] * m.armature[d];
}

// in: q, v, a, wrenches (or null); out: tau.
struct InverseDynamics {
    static constexpr int inputs = 4, outputs = 1;
    static std::size_t input_size(const Problem& p, int i) {
        return i < 3 ? p.model->num_dofs : 6 * static_cast<std::size_t>(p.model->num_bodies);
    }
    static std::size_t output_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    using Memory = RneaMemory<T>;
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        rnea(*p.model, w, in[Problem::users], in[0], in[1], in[2], in[3], out[0]);
        return true;
    }
};

KIDO_END
