#pragma once

#include <algorithm>
#include <cmath>

#include "kido/contact/serial_contact.hpp"

// Restitution: impacts within a time step, before its sub-steps. A manifold that closes fast is resolved at the time of impact, its
// points at once, by the impulse that stops them, times one and the restitution (Poisson's hypothesis). An impulse at the time t displaces
// by (step - t) times what it gives to the velocity; for the sub-steps the bodies have left. `impact_group.hpp` has the law for
// manifolds that meet at the same time.

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

// One manifold's impact. Its impulses are those of the impact.
template <class Block>
class ManifoldImpact {
public:
    static constexpr int Points = Block::points;

    ManifoldImpact(const ImpactSettings& settings, const ContactSides& sides, const Block& m, double restitution, int touch)
        : s_(settings), sides_(sides), m_(m), frame_(frame_of(m)), restitution_(restitution), touch_(touch) {}

    // Whether points meet within the step, fast; when the first of them does.
    bool find(const SideRows& rows) {
        const FrameMotion<double> u = sides_.velocity(rows, frame_), moved = sides_.displacement(rows, frame_);
        const FrameMotion<double> gain = sides_.gain(rows, frame_);
        const FrameMotion<double> of_first = sides_.gain(rows, frame_, sides_.first), of_second = sides_.gain(rows, frame_, sides_.second);
        time_ = s_.step;
        bool fast = false;
        for (int p = 0; p < Points; ++p) {
            const double a = normal_motion(m_, gain, p) * s_.per_step, v = normal_motion(m_, u, p);
            const double gap = m_.gap[p] + normal_motion(m_, moved, p), t = closing_time(gap, v, a);
            // What only just does not meet, the sub-steps might stop, which move by velocities at their end, and in which contacts may
            // carry one of the bodies: it meets at the last.
            const double least = std::min({a, normal_motion(m_, of_first, p) * s_.per_step, -normal_motion(m_, of_second, p) * s_.per_step});
            const double soonest = closing_time(gap, v + 0.5 * std::min(least, 0.0) / s_.per_step, least);
            meets_[p] = m_.normal_mass[p] > 0.0 && std::min(t, soonest) < s_.step;
            if (!meets_[p]) continue;
            fast |= v + a * t < -s_.threshold;
            time_ = std::min(time_, t);
        }
        return fast;
    }
    double time() const { return time_; }
    double restitution() const { return restitution_; }
    const ContactSides& sides() const { return sides_; }

    // At the time of impact, with its bodies as they are then: how fast the points meet.
    double begin(const SideRows& rows) {
        ManifoldAnchors<double, Points> anchors = {};
        for (int p = 0; p < Points; ++p) anchors.used[p] = m_.normal_mass[p] > 0.0 ? 1.0 : 0.0;
        set_response(anchors, sides_.response(rows, frame_), static_cast<ManifoldBlock<double, Points>&>(m_));
        start_ = sides_.velocity(rows, frame_);
        gained_ = sides_.gain(rows, frame_);
        double speed = 0.0;
        for (int p = 0; p < Points; ++p) {
            m_.normal_impulse[p] = m_.impulse_1[p] = m_.impulse_2[p] = 0.0;
            approach_[p] = normal_motion(m_, start_, p) + normal_motion(m_, gained_, p) * s_.per_step * time_;
            if (meets_[p]) speed = std::max(speed, -approach_[p]);
        }
        return speed;
    }
    // Normal impulses that stop its points, none of which pulls; how much the first of the passes had to change [m/s].
    double stop(const SideRows& rows, int passes, double converged) {
        const FrameMotion<double> du = change(rows, start_);
        double speed[Points], given[Points] = {}, first = 0.0;
        for (int p = 0; p < Points; ++p) speed[p] = approach_[p] + normal_motion(m_, du, p);
        for (int pass = 0; pass < passes; ++pass) {
            double most = 0.0;
            for (int p = 0; p < Points; ++p) {
                if (!meets_[p]) continue;
                const double next = std::max(m_.normal_impulse[p] - m_.normal_mass[p] * speed[p], 0.0);
                const double d = next - m_.normal_impulse[p];
                m_.normal_impulse[p] = next;
                given[p] += d;
                add(p, d, speed);
                most = std::max(most, std::fabs(d) / m_.normal_mass[p]);
            }
            if (pass == 0) first = most;
            if (most <= converged) break;
        }
        if (first > 0.0) give_normals(rows, given);
        return first;
    }
    // What its impulses take of the energy to first order, and what they give of second order, by what they have given.
    double power() const {
        double sum = 0.0;
        for (int p = 0; p < Points; ++p) sum -= m_.normal_impulse[p] * approach_[p];
        return sum;
    }
    double square(const SideRows& rows) const { return work(change(rows, start_), 1.0); }
    // Scales the impulses.
    void scale(const SideRows& rows, double factor) {
        double given[Points];
        for (int p = 0; p < Points; ++p) given[p] = (factor - 1.0) * m_.normal_impulse[p];
        give_normals(rows, given);
        for (double& x : m_.normal_impulse) x *= factor;
    }
    // Restores what has been stopped: gives its impulses a second time, times the restitution. Twice the energy of that alone.
    void begin_restoring(const SideRows& rows) { stopped_ = sides_.velocity(rows, frame_); }
    void restore(const SideRows& rows, double share) {
        double given[Points];
        for (int p = 0; p < Points; ++p) given[p] = share * restitution_ * m_.normal_impulse[p];
        give_normals(rows, given);
    }
    double restored(const SideRows& rows) const { return work(change(rows, stopped_), restitution_); }
    void take_restored(double share) {
        for (double& x : m_.normal_impulse) x *= 1.0 + share * restitution_;
    }
    // Friction within the cones of the normal impulses.
    void rub(const SideRows& rows, int passes) {
        FrameMotion<double> u = sides_.velocity(rows, frame_);
        const double t = s_.per_step * time_;
        u.linear += gained_.linear * t;
        u.angular += gained_.angular * t;
        FrameWrench<double> w = {zero3<double>(), zero3<double>()};
        visit_friction(m_, u, w, passes);
        sides_.give(rows, frame_, w);
    }
    // Displaces both sides back: until then they moved as before.
    void leap(const SideRows& rows) {
        const FrameWrench<double> w = total_wrench(m_);
        sides_.displace(rows, frame_, {w.force * -time_, w.torque * -time_}, 1.0 / s_.per_step);
    }
    ImpactImpulses impulses() const {
        ImpactImpulses out = {touch_, {}};
        for (int p = 0; p < Points; ++p) {
            out.impulses[p][0] = m_.normal_impulse[p];
            out.impulses[p][1] = m_.impulse_1[p];
            out.impulses[p][2] = m_.impulse_2[p];
        }
        return out;
    }

private:
    // Time until a gap is closed, the step where it is not.
    double closing_time(double gap, double u, double a) const {
        if (gap <= 0.0) return u < 0.0 ? 0.0 : s_.step;
        const double square = u * u - 2.0 * a * gap;
        if (square < 0.0) return s_.step;
        const double sum = std::sqrt(square) - u;
        return sum > 0.0 ? std::min(2.0 * gap / sum, s_.step) : s_.step;
    }
    FrameMotion<double> change(const SideRows& rows, const FrameMotion<double>& since) const {
        const FrameMotion<double> u = sides_.velocity(rows, frame_);
        return {u.linear - since.linear, u.angular - since.angular};
    }
    double work(const FrameMotion<double>& du, double share) const {
        double sum = 0.0;
        for (int p = 0; p < Points; ++p) sum += share * m_.normal_impulse[p] * normal_motion(m_, du, p);
        return sum;
    }
    void give_normals(const SideRows& rows, const double (&normal)[Points]) const {
        FrameWrench<double> w = {zero3<double>(), zero3<double>()};
        for (int p = 0; p < Points; ++p) {
            w.force.x += normal[p];
            if constexpr (Points > 1) {
                w.torque.y += m_.at_2[p] * normal[p];
                w.torque.z -= m_.at_1[p] * normal[p];
            }
        }
        sides_.give(rows, frame_, w);
    }
    // What a normal impulse at a point makes of the velocities of all.
    void add(int point, double d, double (&speed)[Points]) const {
        for (int p = 0; p < Points; ++p) {
            if (p == point) {
                speed[p] += d / m_.normal_mass[p];
            } else if constexpr (Points > 1) {
                speed[p] += m_.normal_response.between(point, p) * d;
            }
        }
    }

    ImpactSettings s_;
    ContactSides sides_;
    Block m_;
    Mat3<double> frame_;
    double restitution_;
    int touch_;
    FrameMotion<double> start_ = {}, gained_ = {}, stopped_ = {};
    bool meets_[Points] = {};
    double approach_[Points] = {}, time_ = 0.0;
};

KIDO_END
