#pragma once

#include "kido/contact/contact_law.hpp"

// Sweeps over manifolds between free bodies, as many at once as there are lanes.

KIDO_BEGIN

// Shared: among threads.
template <bool Shared, class T, int Points>
KIDO_NOINLINE void warm_start(const ManifoldBlock<T, Points>* blocks, std::size_t count, MotionRow* velocities) {
    for (std::size_t k = 0; k < count; ++k) {
        const ManifoldBlock<T, Points>& m = blocks[k];
        BodyMotion<T> first = load_motion<T>(velocities, m.first), second = load_motion<T>(velocities, m.second);
        give_wrench(m, total_wrench(m), first, second);
        store_motion<Shared>(velocities, m.first, first);
        store_motion<Shared>(velocities, m.second, second);
    }
}

// One sweep; `displacements` are those since the poses were taken.
template <bool Relaxing, bool Shared, class T, int Points>
KIDO_NOINLINE void sweep(const SweepSettings& settings, ManifoldBlock<T, Points>* blocks, std::size_t count,
                         MotionRow* velocities, const MotionRow* displacements) {
    for (std::size_t k = 0; k < count; ++k) {
        ManifoldBlock<T, Points>& m = blocks[k];
        BodyMotion<T> first = load_motion<T>(velocities, m.first), second = load_motion<T>(velocities, m.second);
        const FrameMotion<T> moved = relative_motion(m, load_motion<T>(displacements, m.first),
                                                     load_motion<T>(displacements, m.second));
        const FrameWrench<T> wrench = visit_manifold<Relaxing>(settings, m, relative_motion(m, first, second), moved);
        give_wrench(m, wrench, first, second);
        store_motion<Shared>(velocities, m.first, first);
        store_motion<Shared>(velocities, m.second, second);
    }
}

// What restitution needs of the time step.
struct BounceSettings {
    double step;       // [s]
    double threshold;  // approach below which nothing bounces [m/s]
    double gravity[3];
};

// The visit of restitution: impulse and displacing push of one manifold, whose points accelerate freely by `acceleration` along
// the normal. At the time of impact within the step the speed is that of the approach times the restitution, then follows free
// flight for the rest of the step, in velocity and in displacement. So nothing gains energy, whatever the step.
constexpr int kBouncePasses = 8;   // over several points
constexpr double kClosed = 1e-3;   // of the way of a step: a gap that is closed

template <class T>
struct Bounce {
    FrameWrench<T> impulse, push;
};

template <class T, int Points>
KIDO_INLINE Bounce<T> bounce_manifold(const BounceSettings& s, const T& restitution, const T& acceleration,
                                      ManifoldBlock<T, Points>& m, FrameMotion<T> u, FrameMotion<T> moved) {
    const T zero(0.0);
    Bounce<T> bounce = {{zero3<T>(), zero3<T>()}, {zero3<T>(), zero3<T>()}};
    const auto add = [&](FrameMotion<T>& motion, FrameWrench<T>& wrench, int p, const T& d) {
        motion.linear.x = motion.linear.x + m.by_normal[p].x * d;
        motion.angular.y = motion.angular.y + m.by_normal[p].y * d;
        motion.angular.z = motion.angular.z + m.by_normal[p].z * d;
        wrench.force.x = wrench.force.x + d;
        wrench.torque.y = wrench.torque.y + m.at_2[p] * d;
        wrench.torque.z = wrench.torque.z - m.at_1[p] * d;
    };
    Mask<T> bounces[Points], met = zero > zero;
    T leaves[Points], left[Points];
    for (int p = 0; p < Points; ++p) {
        const T approach = m.approach[p], gap = max(m.gap[p], zero);
        const T root = sqrt(max(approach * approach - (acceleration * gap) * 2.0, zero));
        const T until = min((gap * 2.0) / max(root - approach, T(1e-30)), T(s.step));
        left[p] = s.step - until;
        leaves[p] = -(restitution * (approach + acceleration * until));
        // The impulse may have been that of an earlier sub-step: then the gap has been closed.
        const Mask<T> closed = m.gap[p] + normal_motion(m, moved, p) <= approach * (-kClosed * s.step);
        const Mask<T> pushed = m.normal_impulse[p] > zero, due = until < T(s.step);
        met = met | pushed | (due & closed);
        bounces[p] = (pushed | due) & (approach < T(-s.threshold)) & (restitution > zero);
    }
    // Points that are due while others of the manifold have met: a sweep that is not converged turns the body away from them.
    for (int p = 0; p < Points; ++p) bounces[p] = bounces[p] & met;
    for (int pass = 0; pass < (Points == 1 ? 1 : kBouncePasses); ++pass) {
        for (int p = 0; p < Points; ++p) {
            const T missing = leaves[p] + acceleration * left[p] - normal_motion(m, u, p);
            const T d = select(bounces[p], max(m.normal_mass[p] * missing, -m.normal_impulse[p]), zero);
            m.normal_impulse[p] = m.normal_impulse[p] + d;
            add(u, bounce.impulse, p, d);
            const T flown = leaves[p] * left[p] + (acceleration * left[p]) * (left[p] * 0.5);
            const T missed = flown - (m.gap[p] + normal_motion(m, moved, p));
            add(moved, bounce.push, p, select(bounces[p], m.normal_mass[p] * max(missed, zero), zero));
        }
    }
    return bounce;
}

template <class T, int Points>
KIDO_NOINLINE void bounce(const BounceSettings& s, const ManifoldAnchors<T, Points>* anchors,
                          ManifoldBlock<T, Points>* blocks, std::size_t count, MotionRow* velocities,
                          MotionRow* displacements) {
    const T zero(0.0);
    for (std::size_t k = 0; k < count; ++k) {
        if (all(anchors[k].restitution == zero)) continue;
        ManifoldBlock<T, Points>& m = blocks[k];
        BodyMotion<T> first = load_motion<T>(velocities, m.first), second = load_motion<T>(velocities, m.second);
        BodyMotion<T> moved_first = load_motion<T>(displacements, m.first);
        BodyMotion<T> moved_second = load_motion<T>(displacements, m.second);
        const T fall = dot(m.normal, Vec3<double>{s.gravity[0], s.gravity[1], s.gravity[2]});
        const T acceleration = select(m.inverse_mass_first > zero, fall, zero) - select(m.inverse_mass_second > zero, fall, zero);
        const Bounce<T> b = bounce_manifold(s, anchors[k].restitution, acceleration, m, relative_motion(m, first, second),
                                            relative_motion(m, moved_first, moved_second));
        give_wrench(m, b.impulse, first, second);
        give_wrench(m, b.push, moved_first, moved_second);
        store_motion(velocities, m.first, first);
        store_motion(velocities, m.second, second);
        store_motion(displacements, m.first, moved_first);
        store_motion(displacements, m.second, moved_second);
    }
}

KIDO_END
