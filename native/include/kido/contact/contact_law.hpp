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
};

// What all contacts of a sweep share.
struct SweepSettings {
    Softness softness;
    double per_step;   // 1 / h [1/s]
    double push_speed;  // largest velocity at which depth is pushed out [m/s]
    double closing;     // velocity by which what is held rigidly closes its errors until the end of the step [1/s]
};

// New normal impulse of a point that moves with velocity `u` along the normal, at distance `gap`. A point that is apart may
// close its gap within the sub-step, rigidly. A relaxing sweep takes back the velocity that pushed depth out.
template <bool Relaxing, class T>
KIDO_INLINE T normal_impulse(const SweepSettings& s, const T& present, const T& mass, const T& u, const T& gap) {
    const T zero(0.0);
    if constexpr (Relaxing) {
        // The part that does not depend on u first: the chain through u is what costs.
        const T next = max((present - mass * (max(gap, zero) * s.per_step)) - mass * u, zero);
        return select((gap > zero) & (present <= zero), zero, next);
    }
    const Mask<T> apart = gap > zero;
    const T k = mass * select(apart, T(1.0), T(s.softness.mass));
    const T bias = select(apart, gap * s.per_step, max(gap * s.softness.bias, T(-s.push_speed)));
    const T kept = present * select(apart, T(1.0), T(1.0 - s.softness.impulse));
    return max((kept - k * bias) - k * u, zero);
}

// Friction of a point, within the exact cone of its normal impulse: `u` is the relative motion of the points in the plane; adds to the
// wrench `w`.
template <class T, int Points>
KIDO_INLINE void visit_friction_of(ManifoldBlock<T, Points>& m, int p, FrameMotion<T>& u, FrameWrench<T>& w) {
    const T u1 = motion_1(m, u, p), u2 = motion_2(m, u, p), bound = m.friction * m.normal_impulse[p];
    T next_1 = m.impulse_1[p] - (m.inverse_11[p] * u1 + m.inverse_12[p] * u2);
    T next_2 = m.impulse_2[p] - (m.inverse_12[p] * u1 + m.inverse_22[p] * u2);
    const Mask<T> sticks = next_1 * next_1 + next_2 * next_2 <= bound * bound;
    if (!all(sticks)) {
        // A step along the gradient, put back onto the cone: its fixed point slides exactly against the motion.
        const T step_1 = m.impulse_1[p] - m.tangent_step[p] * u1, step_2 = m.impulse_2[p] - m.tangent_step[p] * u2;
        const T length = sqrt(max(step_1 * step_1 + step_2 * step_2, T(1e-300)));
        const T scale = min(bound / length, T(1.0));
        next_1 = select(sticks, next_1, step_1 * scale);
        next_2 = select(sticks, next_2, step_2 * scale);
    }
    const T d1 = next_1 - m.impulse_1[p], d2 = next_2 - m.impulse_2[p];
    m.impulse_1[p] = next_1;
    m.impulse_2[p] = next_2;
    w.force.y = w.force.y + d1;
    w.force.z = w.force.z + d2;
    const Sym3<T>& k = m.tangential;
    if constexpr (Points == 1) {
        u.linear.y = u.linear.y + (k.xx * d1 + k.xy * d2);
        u.linear.z = u.linear.z + (k.xy * d1 + k.yy * d2);
    } else {
        const T turn = m.at_1[p] * d2 - m.at_2[p] * d1;
        const Vec3<T> response = k * Vec3<T>{d1, d2, turn};
        w.torque.x = w.torque.x + turn;
        u.linear.y = u.linear.y + response.x;
        u.linear.z = u.linear.z + response.y;
        u.angular.x = u.angular.x + response.z;
    }
}
template <class T, int Points>
KIDO_INLINE void visit_friction(ManifoldBlock<T, Points>& m, FrameMotion<T>& u, FrameWrench<T>& w) {
    for (int p = 0; p < Points; ++p) visit_friction_of(m, p, u, w);
}

// The distance of a point after a displacement.
template <class T, int Points>
KIDO_INLINE T moved_gap(const ManifoldBlock<T, Points>& m, const FrameMotion<T>& moved, int p) {
    return m.gap[p] + normal_motion(m, moved, p);
}

// The normal impulse of a point, at a distance `gap`: adds to the wrench `w`, and to the motion `u` of the points along the normal.
template <bool Relaxing, class T, int Points>
KIDO_INLINE void visit_normal_of(const SweepSettings& s, ManifoldBlock<T, Points>& m, int p, FrameMotion<T>& u, const T& gap,
                                 FrameWrench<T>& w) {
    const T next = normal_impulse<Relaxing>(s, m.normal_impulse[p], m.normal_mass[p], normal_motion(m, u, p), gap);
    const T d = next - m.normal_impulse[p];
    m.normal_impulse[p] = next;
    w.force.x = w.force.x + d;
    u.linear.x = u.linear.x + m.by_normal[p].x * d;
    if constexpr (Points > 1) {
        u.angular.y = u.angular.y + m.by_normal[p].y * d;
        u.angular.z = u.angular.z + m.by_normal[p].z * d;
        w.torque.y = w.torque.y + m.at_2[p] * d;
        w.torque.z = w.torque.z - m.at_1[p] * d;
    }
}
// What the normal impulses of a visit make of the motion `u` in the plane.
template <class T, int Points>
KIDO_INLINE void couple(const ManifoldBlock<T, Points>& m, const FrameWrench<T>& w, FrameMotion<T>& u) {
    if constexpr (Points == 1) {
        u.linear.y = u.linear.y + m.coupling.x.x * w.force.x;
        u.linear.z = u.linear.z + m.coupling.x.y * w.force.x;
    } else {
        const Vec3<T> coupled = m.coupling * Vec3<T>{w.force.x, w.torque.y, w.torque.z};
        u.linear.y = u.linear.y + coupled.x;
        u.linear.z = u.linear.z + coupled.y;
        u.angular.x = u.angular.x + coupled.z;
    }
}
template <bool Relaxing, class T, int Points>
KIDO_INLINE void visit_normals(const SweepSettings& s, ManifoldBlock<T, Points>& m, FrameMotion<T>& u, const T (&gap)[Points],
                               FrameWrench<T>& w) {
    for (int p = 0; p < Points; ++p) visit_normal_of<Relaxing>(s, m, p, u, gap[p], w);
    couple(m, w, u);
}

// One visit: `u` is the relative motion in the manifold's frame; returns the wrench that it adds.
template <bool Relaxing, class T, int Points>
KIDO_INLINE FrameWrench<T> visit_manifold(const SweepSettings& s, ManifoldBlock<T, Points>& m, FrameMotion<T> u,
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
