#pragma once

#include <algorithm>
#include <vector>

#include "kido/algorithm/kinematics.hpp"
#include "kido/spatial/articulated.hpp"

// The links of a skeleton in a world, of one or of several in lanes: where they are, how they move, and what the
// articulated-body algorithm leaves of them. All spatial vectors are in world axes about one point, the first link's origin at the
// start of the step, so that nothing is shifted between links.

KIDO_BEGIN

template <class T>
KIDO_INLINE Motion<T> operator+(const Motion<T>& a, const Motion<T>& b) {
    return {a.angular + b.angular, a.linear + b.linear};
}
template <class T>
KIDO_INLINE Motion<T> operator*(const Motion<T>& a, const T& s) {
    return {a.angular * s, a.linear * s};
}
template <class T>
KIDO_INLINE T dot(const Motion<T>& m, const Wrench<T>& w) {
    return dot(m.angular, w.torque) + dot(m.linear, w.force);
}
template <class T>
KIDO_INLINE Motion<T> no_motion() {
    return {zero3<T>(), zero3<T>()};
}

// Pose and motion of a link: three times eight numbers, so that lanes move them by whole registers.
template <class T>
struct LinkMotion {
    Mat3<T> axes;
    Vec3<T> arm;      // from the reference to the link's origin
    Motion<T> motion;
    Motion<T> drift;  // what its spatial acceleration has of its own joint's velocities
};

// What is kept of an eliminated dof, and its axis: twice eight numbers.
template <class T>
struct DofFactors {
    Motion<T> axis;
    Wrench<T> gain;  // I S / D, D = S^T I S and what the dof itself adds
    T inverse;       // 1 / D; 0 of a dof whose motion is given
    T unused[3];
};

// First and second moments of a link with mass about the reference, world axes.
template <class T>
struct LinkMoments {
    Vec3<T> first;
    Sym3<T> second;
};

// Rotational inertia about a point that the origin is `arm` away from; h: first moment about the origin.
template <class T>
KIDO_INLINE Sym3<T> moved_inertia(const Sym3<T>& I, double mass, const Vec3<T>& h, const Vec3<T>& arm) {
    const T along = 2.0 * dot(arm, h) + mass * dot(arm, arm);
    const auto entry = [&](const T& a, const T& b, const T& ha, const T& hb) { return a * hb + ha * b + mass * (a * b); };
    return {I.xx + along - entry(arm.x, arm.x, h.x, h.x), I.xy - entry(arm.x, arm.y, h.x, h.y),
            I.xz - entry(arm.x, arm.z, h.x, h.z), I.yy + along - entry(arm.y, arm.y, h.y, h.y),
            I.yz - entry(arm.y, arm.z, h.y, h.z), I.zz + along - entry(arm.z, arm.z, h.z, h.z)};
}
template <class T>
KIDO_INLINE LinkMoments<T> moments_of(const Link& link, const LinkMotion<T>& at) {
    const Vec3<T> own = at.axes * vec3(link.h);
    return {own + at.arm * link.mass, moved_inertia<T>(rotate(at.axes, sym3(link.I)), link.mass, own, at.arm)};
}

template <class T>
struct ArticulationLinks {
    Vec3<T> reference;
    std::vector<T> sine, cosine;
    std::vector<LinkMotion<T>> links;
    std::vector<Motion<T>> accelerations;  // spatial, without impulses
    std::vector<DofFactors<T>> factors;

    explicit ArticulationLinks(const Model& m)
        : reference(zero3<T>()), sine(m.num_dofs, T(0.0)), cosine(m.num_dofs, T(0.0)), links(m.num_links), accelerations(m.num_links),
          factors(m.num_dofs) {}

    // Poses and velocities of all links at positions q and velocities v of the dofs.
    void place(const Model& m, const T* users, const T* q, const T* v) {
        sincos(q, m.num_dofs, sine.data(), cosine.data());
        for (int i = 0; i < m.num_links; ++i) {
            visit_mostly_revolute(m.links[i], users, [&](auto joint) KIDO_INLINE_LAMBDA { place(joint, m.links[i], i, q, v); });
        }
    }

private:
    template <class J>
    KIDO_INLINE void place(J joint, const Link& link, int i, const T* q, const T* v) {
        const LinkMotion<T>* const parent = link.parent < 0 ? nullptr : &links[link.parent];
        LinkMotion<T> at;
        Vec3<T> r;
        kido::place(joint, link, parent ? &parent->axes : nullptr, q, sine.data(), cosine.data(), at.axes, r);
        if (i == 0) reference = r;
        at.arm = parent ? parent->arm + r : r - reference;
        Motion<T> own = no_motion<T>(), rate = own;
        for_axes(joint, link, at.axes, [&](int k, const auto& axis) {
            using Axis = std::remove_cvref_t<decltype(axis)>;
            Motion<T> s = no_motion<T>();
            if constexpr (Axis::translates) s.linear = axis.linear;
            if constexpr (Axis::rotates) {
                s.angular = axis.angular;
                s.linear += cross(at.arm, axis.angular);
            }
            const T speed = v[link.dof + k];
            if constexpr (Axis::drifts) {
                rate = rate + Motion<T>{axis.angular_rate, axis.linear_rate + cross(at.arm, axis.angular_rate)} * speed;
            }
            factors[link.dof + k].axis = s;
            own = own + s * speed;
        });
        at.motion = parent ? parent->motion + own : own;
        at.drift = motion_cross(at.motion, own) + rate;
        links[i] = at;
    }
};

// Row of a link for collision: origin, axes and zeros (16); velocity at the origin, linear and angular, and zeros (8). Number by number:
// whole registers of numbers that were just written would wait for these.
template <class T>
KIDO_INLINE void write_row(const ArticulationLinks<T>& links, int i, T* pose, T* velocity) {
    const LinkMotion<T>& at = links.links[i];
    write3(pose, links.reference + at.arm);
    write3(pose + 3, at.axes.x);
    write3(pose + 6, at.axes.y);
    write3(pose + 9, at.axes.z);
    for (int k = 12; k < 16; ++k) pose[k] = T(0.0);
    write3(velocity, at.motion.linear + cross(at.motion.angular, at.arm));
    write3(velocity + 3, at.motion.angular);
    velocity[6] = velocity[7] = T(0.0);
}

KIDO_END
