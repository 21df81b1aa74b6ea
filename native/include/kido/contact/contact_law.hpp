#pragma once

#include <cmath>

#include "kido/contact/manifold_block.hpp"

// The visit of one manifold in a sweep of block Gauss-Seidel: normal impulses one after the other, then friction, within the
// exact cone of Coulomb. Contacts are springs and dampers, implicit in a sub-step (Catto 2011, Soft constraints), so stiff that
// what they regularize is the convergence of the sweeps.

KIDO_BEGIN

// How strongly a sub-step of length h pulls at what is wrong: an implicit spring and damper, given by natural frequency and
// damping ratio, as shares of the rigid impulse.
struct Softness {
    double bias;     // velocity [1/s] per length of the error
    double mass;     // share of the impulse that a rigid constraint would take
    double impulse;  // share of the accumulated impulse that is given back

    // frequency in 1/h: 0.25 makes contacts as stiff as a sub-step resolves.
    static Softness of(double frequency, double damping_ratio, double h) {
        const double omega = 2.0 * M_PI * frequency, a = 2.0 * damping_ratio + omega, b = omega * a, c = 1.0 / (1.0 + b);
        return {omega / (h * a), b * c, c};
    }
    // That gives way by a share of what this does, and pulls as strongly.
    Softness stiffened(double share) const { return {bias, 1.0 - share * impulse, share * impulse}; }
};

// What all contacts of a sweep share.
struct SweepSettings {
    Softness softness;
    Softness of_points;  // of contacts of soft bodies
    double per_step;   // 1 / h [1/s]
    double push_speed;  // largest velocity at which depth is pushed out [m/s]
    double closing;     // velocity by which what is held rigidly closes its errors until the end of the step [1/s]

    // The same for contacts of soft bodies.
    SweepSettings yielding() const {
        SweepSettings s = *this;
        s.softness = of_points;
        return s;
    }
};

// What a normal impulse has to change, with a motion `u` along the normal, at distance `gap`: impulse - mass * u, where nothing pulls. A point
// that is apart may close its gap within the sub-step, rigidly. A relaxing sweep takes back the velocity that pushed depth out.
template <class T>
struct NormalChange {
    T impulse, mass;
};
template <bool Relaxing, class T>
KIDO_INLINE NormalChange<T> normal_change(const SweepSettings& s, const T& present, const T& mass, const T& gap) {
    const T zero(0.0);
    if constexpr (Relaxing) {
        const T taken = select((gap > zero) & (present <= zero), zero, mass);
        return {-(taken * (max(gap, zero) * s.per_step)), taken};
    }
    const Mask<T> apart = gap > zero;
    const T share = mass * select(apart, T(1.0), T(s.softness.mass));
    const T bias = select(apart, gap * s.per_step, max(gap * s.softness.bias, T(-s.push_speed)));
    return {-(present * select(apart, zero, T(s.softness.impulse))) - share * bias, share};
}
// The new impulse of a point that moves with velocity `u`.
template <bool Relaxing, class T>
KIDO_INLINE T normal_impulse(const SweepSettings& s, const T& present, const T& mass, const T& u, const T& gap) {
    const NormalChange<T> change = normal_change<Relaxing>(s, present, mass, gap);
    return present + max(change.impulse - change.mass * u, -present);
}

// The normal impulses of a manifold in a visit, one after the other. Each changes what the ones behind it have to change, by the response
// of points to each other: the motion itself would take three times as long to go from one to the next.
template <class T, int Points>
struct NormalVisit {
    T change[Points];                                  // of the impulses, if nothing pulls
    [[no_unique_address]] PointResponse<T, Points> by;  // what a unit impulse takes from the change of a point behind

    template <bool Relaxing>
    KIDO_INLINE void begin(const SweepSettings& s, const ManifoldBlock<T, Points>& m, const FrameMotion<T>& u, const T (&gap)[Points]) {
        KIDO_UNROLL
        for (int p = 0; p < Points; ++p) {
            const NormalChange<T> wanted = normal_change<Relaxing>(s, m.normal_impulse[p], m.normal_mass[p], gap[p]);
            change[p] = wanted.impulse - wanted.mass * normal_motion(m, u, p);
            if constexpr (Points > 1) {
                for (int q = 0; q < p; ++q) by.between(q, p) = wanted.mass * m.normal_response.between(q, p);
            }
        }
    }
    // Adds to the wrench `w`.
    KIDO_INLINE void visit(ManifoldBlock<T, Points>& m, int p, FrameWrench<T>& w) {
        const T d = max(change[p], -m.normal_impulse[p]);
        m.normal_impulse[p] = m.normal_impulse[p] + d;
        w.force.x = w.force.x + d;
        if constexpr (Points > 1) {
            for (int q = p + 1; q < Points; ++q) change[q] = change[q] - by.between(p, q) * d;
            w.torque.y = w.torque.y + m.at_2[p] * d;
            w.torque.z = w.torque.z - m.at_1[p] * d;
        }
    }
};

// The friction of a manifold in a visit, point by point, each within the exact cone of its normal impulse. Motion and wrench are those at
// the pivot, where a force does not turn and a torque does not move: less to compute, and less to wait for, from one point to the next.
template <class T, int Points>
struct FrictionVisit {
    static constexpr bool turns = Points > 1;

    T u1, u2, turn;             // motion in the plane; about the normal
    T force_1, force_2, torque;  // what the visit gives

    // After normal impulses whose wrench is `w`; `u`: the motion before these.
    KIDO_INLINE void begin(const ManifoldBlock<T, Points>& m, const FrameMotion<T>& u, const FrameWrench<T>& w) {
        force_1 = force_2 = torque = T(0.0);
        if constexpr (turns) {
            const Vec3<T> coupled = m.coupling * Vec3<T>{w.force.x, w.torque.y, w.torque.z};
            u1 = (u.linear.y - u.angular.x * m.pivot_2) + coupled.x;
            u2 = (u.linear.z + u.angular.x * m.pivot_1) + coupled.y;
            turn = u.angular.x + coupled.z;
        } else {
            u1 = u.linear.y + m.coupling.x.x * w.force.x;
            u2 = u.linear.z + m.coupling.x.y * w.force.x;
        }
    }
    KIDO_INLINE void visit(ManifoldBlock<T, Points>& m, int p) {
        const T v1 = motion_1(m, p), v2 = motion_2(m, p), bound = m.friction * m.normal_impulse[p];
        // What stops the point. While all stick, nothing waits for more than that.
        T taken_1 = m.inverse_11[p] * v1 + m.inverse_12[p] * v2, taken_2 = m.inverse_12[p] * v1 + m.inverse_22[p] * v2;
        T next_1 = m.impulse_1[p] - taken_1, next_2 = m.impulse_2[p] - taken_2;
        const Mask<T> sticks = next_1 * next_1 + next_2 * next_2 <= bound * bound;
        if (!all(sticks)) {
            // A step along the gradient, put back onto the cone: its fixed point slides exactly against the motion.
            const T step_1 = m.impulse_1[p] - m.tangent_step[p] * v1, step_2 = m.impulse_2[p] - m.tangent_step[p] * v2;
            const T length = sqrt(max(step_1 * step_1 + step_2 * step_2, T(1e-300)));
            const T scale = min(bound / length, T(1.0));
            next_1 = select(sticks, next_1, step_1 * scale);
            next_2 = select(sticks, next_2, step_2 * scale);
            taken_1 = select(sticks, taken_1, m.impulse_1[p] - next_1);
            taken_2 = select(sticks, taken_2, m.impulse_2[p] - next_2);
        }
        m.impulse_1[p] = next_1;
        m.impulse_2[p] = next_2;
        take(m, p, taken_1, taken_2);
    }
    // Adds to the wrench `w` at the center.
    KIDO_INLINE void end(const ManifoldBlock<T, Points>& m, FrameWrench<T>& w) const {
        w.force.y = w.force.y + force_1;
        w.force.z = w.force.z + force_2;
        if constexpr (turns) w.torque.x = w.torque.x + (torque + (m.pivot_1 * force_2 - m.pivot_2 * force_1));
    }
    // Takes tangential impulses from a point.
    KIDO_INLINE void take(const ManifoldBlock<T, Points>& m, int p, const T& taken_1, const T& taken_2) {
        force_1 = force_1 - taken_1;
        force_2 = force_2 - taken_2;
        u1 = u1 - (m.tangent_11 * taken_1 + m.tangent_12 * taken_2);
        u2 = u2 - (m.tangent_12 * taken_1 + m.tangent_22 * taken_2);
        if constexpr (turns) {
            const T taken = at_1(m, p) * taken_2 - at_2(m, p) * taken_1;
            torque = torque - taken;
            turn = turn - m.turning * taken;
        }
    }
    // The motion of a point.
    KIDO_INLINE T motion_1(const ManifoldBlock<T, Points>& m, int p) const {
        if constexpr (turns) return u1 - turn * at_2(m, p);
        return u1;
    }
    KIDO_INLINE T motion_2(const ManifoldBlock<T, Points>& m, int p) const {
        if constexpr (turns) return u2 + turn * at_1(m, p);
        return u2;
    }

private:
    // The place of a point from the pivot.
    KIDO_INLINE static T at_1(const ManifoldBlock<T, Points>& m, int p) { return m.at_1[p] - m.pivot_1; }
    KIDO_INLINE static T at_2(const ManifoldBlock<T, Points>& m, int p) { return m.at_2[p] - m.pivot_2; }
};

// The distance of a point after a displacement.
template <class T, int Points>
KIDO_INLINE T moved_gap(const ManifoldBlock<T, Points>& m, const FrameMotion<T>& moved, int p) {
    return m.gap[p] + normal_motion(m, moved, p);
}

// The normal impulses add to the wrench `w`; friction then sees what they make of the motion `u`.
template <bool Relaxing, class T, int Points>
KIDO_INLINE void visit_normals(const SweepSettings& s, ManifoldBlock<T, Points>& m, const FrameMotion<T>& u, const T (&gap)[Points],
                               FrameWrench<T>& w) {
    NormalVisit<T, Points> normals;
    normals.template begin<Relaxing>(s, m, u, gap);
    for (int p = 0; p < Points; ++p) normals.visit(m, p, w);
}
template <class T, int Points>
KIDO_INLINE void visit_friction(ManifoldBlock<T, Points>& m, const FrameMotion<T>& u, FrameWrench<T>& w, int passes = 1) {
    FrictionVisit<T, Points> friction;
    friction.begin(m, u, w);
    for (int i = 0; i < passes; ++i) {
        for (int p = 0; p < Points; ++p) friction.visit(m, p);
    }
    friction.end(m, w);
}

// One visit: `u` is the relative motion in the manifold's frame; returns the wrench that it adds.
template <bool Relaxing, class T, int Points>
KIDO_INLINE FrameWrench<T> visit_manifold(const SweepSettings& s, ManifoldBlock<T, Points>& m, const FrameMotion<T>& u,
                                          const T (&gap)[Points]) {
    FrameWrench<T> w = {zero3<T>(), zero3<T>()};
    visit_normals<Relaxing>(s, m, u, gap, w);
    visit_friction(m, u, w);
    return w;
}
// Likewise after the displacement `moved` since the poses were taken.
template <bool Relaxing, class T, int Points>
KIDO_INLINE FrameWrench<T> visit_manifold(const SweepSettings& s, ManifoldBlock<T, Points>& m, const FrameMotion<T>& u,
                                          const FrameMotion<T>& moved) {
    T gap[Points];
    for (int p = 0; p < Points; ++p) gap[p] = moved_gap(m, moved, p);
    return visit_manifold<Relaxing>(s, m, u, gap);
}

KIDO_END
