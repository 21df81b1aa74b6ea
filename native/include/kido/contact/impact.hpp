#pragma once

#include <algorithm>
#include <cmath>

#include "kido/contact/serial_contact.hpp"

// Restitution: impacts within a time step, before its sub-steps. A manifold that closes fast is resolved at the time of impact: its
// points at once, by the impulse that stops them, times one and the restitution (Poisson's hypothesis). Of that impulse the size is
// chosen by energy: with restitution 1, exactly what comes in goes out; friction, then, only takes. Manifolds follow one after the
// other, until nothing closes any more, so that a row of balls passes momentum on as it should. An impulse at the time t displaces
// by (step - t) times what it gives to the velocity; for the sub-steps the bodies have left.

KIDO_BEGIN

struct ImpactSettings {
    double step;       // [s]
    double threshold;  // approach below which nothing bounces [m/s]
    double per_step;   // 1 / length of a sub-step [1/s]
};

// What a manifold gave in the impacts of a step: normal and tangential impulses of its points [N s].
struct ImpactImpulses {
    int touch;
    double impulses[4][3];

    void add(double (&forces)[4][3], double per_step) const {
        for (int p = 0; p < 4; ++p) {
            for (int c = 0; c < 3; ++c) forces[p][c] += impulses[p][c] * per_step;
        }
    }
};

// Lanes of a bundle that may have an impact in the step, as bits.
template <class T, int Points>
KIDO_NOINLINE unsigned closing_lanes(const ImpactSettings& s, const ManifoldAnchors<T, Points>& a,
                                     const ManifoldBlock<T, Points>& m, const MotionRow* velocities,
                                     const MotionRow* displacements, const MotionRow* gains) {
    const T zero(0.0), per_step(s.per_step);
    if (all(a.restitution == zero)) return 0;
    const auto motion = [&](const MotionRow* rows) {
        return relative_motion(m, load_motion<T>(rows, m.first), load_motion<T>(rows, m.second));
    };
    const FrameMotion<T> u = motion(velocities), moved = motion(displacements), gain = motion(gains);
    Mask<T> closing = zero > zero;
    for (int p = 0; p < Points; ++p) {
        const T last = normal_motion(m, u, p) + min(normal_motion(m, gain, p), zero) * per_step * s.step;
        const T gap = m.gap[p] + normal_motion(m, moved, p);
        closing = closing | ((last < T(-s.threshold)) & (gap + last * s.step < zero) & (m.normal_mass[p] > zero));
    }
    const T bits = select(closing & (a.restitution > zero), T(1.0), zero);
    unsigned out = 0;
    for (int i = 0; i < lanes_of<T>; ++i) out |= static_cast<unsigned>(get_lane(bits, i) > 0.0) << i;
    return out;
}

template <class T, int Points>
KIDO_INLINE void widen_gaps(ManifoldBlock<T, Points>& m, const FrameMotion<T>& moved) {
    for (int p = 0; p < Points; ++p) m.gap[p] = m.gap[p] + max(normal_motion(m, moved, p), T(0.0));
}

// A manifold out of a bundle, without its impulses.
template <class T, int Points>
ManifoldBlock<double, Points> lane_of(const ManifoldBlock<T, Points>& from, int lane) {
    ManifoldBlock<double, Points> to;
    to.first[0] = from.first[lane];
    to.second[0] = from.second[lane];
    const T* a = from.normal_impulse;
    double* b = to.normal_impulse;
    const std::size_t count = (reinterpret_cast<const char*>(&from + 1) - reinterpret_cast<const char*>(a)) / sizeof(T);
    for (std::size_t i = 0; i < count; ++i) b[i] = stored_lane(a[i], lane);
    for (int p = 0; p < Points; ++p) to.normal_impulse[p] = to.impulse_1[p] = to.impulse_2[p] = 0.0;
    return to;
}

// One manifold's impacts. Its impulses are those of the impact.
template <class Block>
class ManifoldImpact {
public:
    static constexpr int Points = Block::points;

    ManifoldImpact(const ImpactSettings& settings, const SideRows& rows, const ContactSides& sides, Block& m)
        : s_(settings), rows_(rows), sides_(sides), m_(m), frame_(frame_of(m)) {}

    // False where there is none.
    bool resolve(double restitution) {
        u_ = sides_.velocity(rows_, frame_);
        const FrameMotion<double> moved = sides_.displacement(rows_, frame_), gain = sides_.gain(rows_, frame_);
        if (!find_points(moved, gain) || !stop() || !scale(restitution)) return false;
        FrameWrench<double> w = total_wrench(m_);
        const Vec3<double> coupled = m_.coupling * Vec3<double>{w.force.x, w.torque.y, w.torque.z};
        FrameMotion<double> u = u_;
        u.linear.y += gain.linear.y * s_.per_step * time_ + coupled.x;
        u.linear.z += gain.linear.z * s_.per_step * time_ + coupled.y;
        if constexpr (Points > 1) u.angular.x += gain.angular.x * s_.per_step * time_ + coupled.z;
        for (int i = 0; i < kFrictionPasses; ++i) visit_friction(m_, u, w);
        sides_.give(rows_, frame_, w);
        const double late = -time_;
        sides_.displace(rows_, frame_, {w.force * late, w.torque * late}, 1.0 / s_.per_step);
        return true;
    }

private:
    static constexpr int kPasses = 200, kFrictionPasses = 10;
    static constexpr double kConverged = 1e-14;  // of the velocities

    // Time until a gap is closed, the step where it is not.
    double closing_time(double gap, double u, double a) const {
        if (gap <= 0.0) return u < 0.0 ? 0.0 : s_.step;
        const double square = u * u - 2.0 * a * gap;
        if (square < 0.0) return s_.step;
        const double sum = std::sqrt(square) - u;
        return sum > 0.0 ? std::min(2.0 * gap / sum, s_.step) : s_.step;
    }
    // The points that meet within the step, the time of the first of them, and their velocities then.
    bool find_points(const FrameMotion<double>& moved, const FrameMotion<double>& gain) {
        time_ = s_.step;
        bool fast = false;
        for (int p = 0; p < Points; ++p) {
            const double a = normal_motion(m_, gain, p) * s_.per_step, u = normal_motion(m_, u_, p);
            const double t = closing_time(m_.gap[p] + normal_motion(m_, moved, p), u, a);
            meets_[p] = t < s_.step && m_.normal_mass[p] > 0.0;
            if (!meets_[p]) continue;
            fast |= u + a * t < -s_.threshold;
            time_ = std::min(time_, t);
        }
        for (int p = 0; p < Points; ++p) {
            approach_[p] = normal_motion(m_, u_, p) + normal_motion(m_, gain, p) * s_.per_step * time_;
        }
        return fast;
    }
    // Normal impulses that stop all points, none of which pulls.
    bool stop() {
        FrameMotion<double> du = {zero3<double>(), zero3<double>()};
        double speed = 0.0;
        for (int p = 0; p < Points; ++p) {
            m_.normal_impulse[p] = m_.impulse_1[p] = m_.impulse_2[p] = 0.0;
            if (meets_[p]) speed = std::max(speed, -approach_[p]);
        }
        for (int pass = 0; pass < kPasses; ++pass) {
            double most = 0.0;
            for (int p = 0; p < Points; ++p) {
                if (!meets_[p]) continue;
                const double change = approach_[p] + normal_motion(m_, du, p);
                const double next = std::max(m_.normal_impulse[p] - m_.normal_mass[p] * change, 0.0);
                const double d = next - m_.normal_impulse[p];
                m_.normal_impulse[p] = next;
                add(du, p, d);
                most = std::max(most, std::fabs(d) / m_.normal_mass[p]);
            }
            if (most <= kConverged * speed) break;
        }
        return speed > 0.0;
    }
    // Scales the impulses: what they take of the energy is (1 - restitution^2) of what impulses like them can take.
    bool scale(double restitution) {
        FrameMotion<double> du = {zero3<double>(), zero3<double>()};
        double power = 0.0, square = 0.0;
        for (int p = 0; p < Points; ++p) add(du, p, m_.normal_impulse[p]);
        for (int p = 0; p < Points; ++p) {
            power -= m_.normal_impulse[p] * approach_[p];
            square += m_.normal_impulse[p] * normal_motion(m_, du, p);
        }
        if (!(power > 0.0) || !(square > 0.0)) return false;
        for (double& x : m_.normal_impulse) x *= (1.0 + restitution) * power / square;
        return true;
    }
    void add(FrameMotion<double>& motion, int p, double d) const {
        motion.linear.x += m_.by_normal[p].x * d;
        motion.angular.y += m_.by_normal[p].y * d;
        motion.angular.z += m_.by_normal[p].z * d;
    }

    const ImpactSettings& s_;
    const SideRows& rows_;
    const ContactSides& sides_;
    Block& m_;
    Mat3<double> frame_;
    FrameMotion<double> u_ = {zero3<double>(), zero3<double>()};
    bool meets_[Points] = {};
    double approach_[Points] = {}, time_ = 0.0;
};

KIDO_END
