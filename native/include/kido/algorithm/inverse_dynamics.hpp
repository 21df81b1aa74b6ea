#pragma once

#include "kido/algorithm/problem.hpp"
#include "kido/scalar/trig.hpp"
#include "kido/tree/joint.hpp"
#include "kido/tree/scratch.hpp"

// Recursive Newton-Euler: the generalized forces of a motion (Luh, Walker and Paul 1980; Featherstone 2008, table 5.1).
// Everything of a link is in its own axes at its own origin; accelerations are classical, so that linear velocities
// never appear.

KIDO_BEGIN

// Contact and other loads: wrenches (torque, force) on bodies, body axes, about the body origin -> on links.
template <class T>
KIDO_INLINE void link_wrenches(const Model& m, const T* wrenches, Vec3<T>* torque, Vec3<T>* force) {
    for (int i = 0; i < m.num_links; ++i) torque[i] = force[i] = zero3<T>();
    for (int k = 0; k < m.num_bodies; ++k) {
        const Body& body = m.bodies[k];
        if (body.link < 0) continue;
        const Vec3<T> f = mat3(body.R) * read3(wrenches + 6 * k + 3);
        torque[body.link] += mat3(body.R) * read3(wrenches + 6 * k) + cross(vec3(body.p), f);
        force[body.link] += f;
    }
}

template <class T>
struct RneaLink {
    Mat3<T> R;       // link axes in parent axes
    Vec3<T> r;       // link origin in the parent link
    Vec3<T> angular; // velocity
    Vec3<T> alpha, acceleration;
    Mat3<T> spread;  // [alpha]x + [omega]x [omega]x: acceleration of a point over its position
    Vec3<T> torque, force;
};

template <class T>
KIDO_INLINE Mat3<T> acceleration_spread(const Vec3<T>& w, const Vec3<T>& alpha) {
    const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return {{-(yy + zz), xy + alpha.z, xz - alpha.y},
            {xy - alpha.z, -(xx + zz), yz + alpha.x},
            {xz + alpha.y, yz - alpha.x, -(xx + yy)}};
}

// Motion of a link from its parent's; `v` and `a` null where zero.
template <class J, class T>
KIDO_INLINE void rnea_forward(J, const Model& m, const Link& link, RneaLink<T>* all, RneaLink<T>& self, const T* q,
                              const T* v, const T* a, const T* sine, const T* cosine) {
    const int d = link.dof;
    const Mat3<T> base = lift<T>(mat3(link.R));
    self.R = J::rotate(base, q + d, sine[d], cosine[d]);
    self.r = lift<T>(vec3(link.p));
    if constexpr (J::slides) self.r += J::translate(link, base, q + d);
    Vec3<T> angular = zero3<T>(), alpha = zero3<T>();
    Vec3<T> linear = -lift<T>(vec3(m.gravity));
    if (link.parent >= 0) {
        const RneaLink<T>& parent = all[link.parent];
        angular = transposed_times(self.R, parent.angular);
        alpha = transposed_times(self.R, parent.alpha);
        linear = parent.acceleration + parent.spread * self.r;
    }
    linear = transposed_times(self.R, linear);
    if constexpr (J::dofs == 1) {  // the axis is z
        const Vec3<T> carried = angular;
        if constexpr (J::turns) {
            angular.z += v[d];
            alpha.x += carried.y * v[d];
            alpha.y -= carried.x * v[d];
            alpha.z += a[d];
        }
        if constexpr (J::slides) {
            const double scale = J::turns ? link.pitch : 1.0;
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
        if constexpr (J::slides) linear += cross(carried + carried + spin, read3(v + d + 3)) + read3(a + d + 3);
    }
    self.angular = angular;
    self.alpha = alpha;
    self.acceleration = linear;
    self.spread = acceleration_spread(angular, alpha);
}

// The wrench that moves the link's own mass.
template <class T>
KIDO_INLINE void rnea_wrench(const Link& link, RneaLink<T>& self) {
    if (link.massless) {
        self.torque = self.force = zero3<T>();
        return;
    }
    const Vec3<double> h = vec3(link.h);
    const Sym3<double> I = sym3(link.I);
    const Vec3<T> momentum = I * self.angular;
    self.force = self.acceleration * link.mass + self.spread * h;
    self.torque = I * self.alpha + cross(self.angular, momentum) + cross(h, self.acceleration);
}

template <class J, class T>
KIDO_INLINE void rnea_project(J, const Link& link, const Vec3<T>& torque, const Vec3<T>& force, T* tau) {
    T* t = tau + link.dof;
    if constexpr (J::dofs == 1) {
        if constexpr (J::turns && J::slides) {
            t[0] = torque.z + force.z * link.pitch;
        } else {
            t[0] = J::turns ? torque.z : force.z;
        }
    } else {
        write3(t, torque);
        if constexpr (J::slides) write3(t + 3, force);
    }
}

template <class T>
struct RneaMemory {
    RneaLink<T>* links;
    T *sine, *cosine, *zero;
    Vec3<T>*torque, *force;

    RneaMemory(const Problem& p, Scratch& s)
        : links(s.take<RneaLink<T>>(p.model->num_links)),
          sine(s.take<T>(p.model->num_dofs)),
          cosine(s.take<T>(p.model->num_dofs)),
          zero(s.take<T>(p.model->num_dofs)),
          torque(s.take<Vec3<T>>(p.model->num_links)),
          force(s.take<Vec3<T>>(p.model->num_links)) {}
};

// tau of (q, v, a) under loads; null v, a or wrenches are zero.
template <class T>
KIDO_INLINE void rnea(const Model& m, const RneaMemory<T>& w, const T* q, const T* v, const T* a, const T* wrenches,
                      T* tau) {
    if (!v || !a) {
        for (int d = 0; d < m.num_dofs; ++d) w.zero[d] = T(0.0);
        v = v ? v : w.zero;
        a = a ? a : w.zero;
    }
    sincos(q, m.num_dofs, w.sine, w.cosine);
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        visit(link.kind, [&](auto joint) {
            rnea_forward(joint, m, link, w.links, w.links[i], q, v, a, w.sine, w.cosine);
        });
        rnea_wrench(link, w.links[i]);
    }
    if (wrenches) {
        link_wrenches(m, wrenches, w.torque, w.force);
        for (int i = 0; i < m.num_links; ++i) {
            w.links[i].torque -= w.torque[i];
            w.links[i].force -= w.force[i];
        }
    }
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        const RneaLink<T>& self = w.links[i];
        visit(link.kind, [&](auto joint) { rnea_project(joint, link, self.torque, self.force, tau); });
        if (link.parent >= 0) {
            RneaLink<T>& parent = w.links[link.parent];
            const Vec3<T> force = self.R * self.force;
            parent.force += force;
            parent.torque += self.R * self.torque + cross(self.r, force);
        }
    }
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
        rnea(*p.model, w, in[0], in[1], in[2], in[3], out[0]);
        return true;
    }
};

KIDO_END
