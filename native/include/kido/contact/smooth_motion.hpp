#pragma once

#include <cmath>

#include "kido/contact/articulation.hpp"
#include "kido/spatial/so3.hpp"

// Integrators of skeletons that nothing touches in a step: their motion is smooth, and accelerations are a function of positions
// and velocities.

KIDO_BEGIN

class SmoothMotion {
public:
    // A step of length h from the articulation's state; false where an inertia is not positive.
    bool step(Integrator integrator, Articulation& a, const double (&gravity)[3], double h) {
        const std::size_t n = a.model().num_dofs;
        start_q_ = a.positions;
        start_v_ = a.velocities;
        for (auto* v : {&rate_, &sum_q_, &sum_v_, &middle_}) v->assign(n, 0.0);
        return integrator == Integrator::runge_kutta ? runge_kutta(a, gravity, h) : midpoint(a, gravity, h);
    }
    // Accelerations at other positions and velocities than the articulation's, which stay; springs are explicit.
    bool accelerations(Articulation& a, const double (&gravity)[3], const double* q, const double* v, double* out) {
        start_q_ = a.positions;
        start_v_ = a.velocities;
        middle_ = a.accelerations;
        const std::size_t n = start_q_.size();
        a.positions.assign(q, q + n);
        a.velocities.assign(v, v + n);
        const bool positive = accelerate(a, gravity);
        std::copy(a.accelerations.begin(), a.accelerations.end(), out);
        a.positions = start_q_;
        a.velocities = start_v_;
        a.accelerations = middle_;
        a.place();
        return positive;
    }

private:
    static constexpr int kLeastIterations = 3, kMostIterations = 12;
    static constexpr double kConverged = 1e-10;  // of positions [m or rad]

    static bool accelerate(Articulation& a, const double (&gravity)[3]) {
        a.place();
        return a.accelerate(gravity, 0.0, false);
    }
    // The classical method of order 4, in the coordinates of the positions.
    bool runge_kutta(Articulation& a, const double (&gravity)[3], double h) {
        constexpr double reach[4] = {0.5, 0.5, 1.0, 0.0}, share[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
        const std::size_t n = start_q_.size();
        bool positive = true;
        for (int stage = 0; stage < 4; ++stage) {
            positive &= accelerate(a, gravity);
            rates(a.model(), a.positions.data(), a.velocities.data(), rate_.data());
            for (std::size_t k = 0; k < n; ++k) {
                sum_q_[k] += share[stage] * rate_[k];
                sum_v_[k] += share[stage] * a.accelerations[k];
                a.positions[k] = start_q_[k] + h * (stage == 3 ? sum_q_[k] : reach[stage] * rate_[k]);
                a.velocities[k] = start_v_[k] + h * (stage == 3 ? sum_v_[k] : reach[stage] * a.accelerations[k]);
            }
        }
        wrap(a.model(), a.positions.data());
        return positive;
    }
    // The implicit midpoint rule on the joints' groups, which keeps quadratic invariants and is symplectic: the motion at the middle
    // of the step, found by iteration, carries over the whole of it (Hairer, Lubich and Wanner 2006, Geometric Numerical Integration).
    bool midpoint(Articulation& a, const double (&gravity)[3], double h) {
        const std::size_t n = start_q_.size();
        bool positive = true;
        middle_ = start_v_;
        double change = HUGE_VAL;
        for (int i = 0; i < kMostIterations && (i < kLeastIterations || change > kConverged); ++i) {
            moved(a.model(), start_q_.data(), middle_.data(), h, 0.5, a.positions.data());
            a.velocities = middle_;
            positive &= accelerate(a, gravity);
            change = 0.0;
            for (std::size_t k = 0; k < n; ++k) {
                const double next = start_v_[k] + 0.5 * h * a.accelerations[k];
                change = std::max(change, h * std::fabs(next - middle_[k]));
                middle_[k] = next;
            }
        }
        moved(a.model(), start_q_.data(), middle_.data(), h, 1.0, a.positions.data());
        for (std::size_t k = 0; k < n; ++k) a.velocities[k] = start_v_[k] + h * a.accelerations[k];
        return positive;
    }

    // Positions after a share of a step of length h that has the velocities v in its middle. Rotations go by the Cayley map: with
    // it the momentum of what nothing acts on stays in world axes, as it does in the velocities; with the exponential it would turn
    // by a share of angle^2 / 12, which lets a gyroscope precess at a wrong rate.
    static void moved(const Model& m, const double* q, const double* v, double h, double share, double* out) {
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            const int k = link.dof;
            if (link.kind != JointKind::ball && link.kind != JointKind::free) {
                if (link.dof_count > 0) out[k] = q[k] + v[k] * (share * h);
                continue;
            }
            const Vec3<double> spin = vec3(v + k);
            const double t = 0.5 * h * std::sqrt(dot(spin, spin)), scale = t > 1e-8 ? std::atan(t) / t : 1.0;
            const Mat3<double> R = so3_exp(vec3(q + k));
            if (link.kind == JointKind::free) {
                const Vec3<double> linear = vec3(v + k + 3);
                write3(out + k + 3, vec3(q + k + 3) + R * (linear + cross(spin, linear) * (0.5 * h)) * (share * h));
            }
            write3(out + k, so3_log(R * so3_exp(spin * (scale * share * h))));
        }
    }
    // Rates of the coordinates: of rotation vectors by the inverse of their right Jacobian.
    static void rates(const Model& m, const double* q, const double* v, double* out) {
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            const int k = link.dof;
            if (link.kind == JointKind::ball || link.kind == JointKind::free) {
                write3(out + k, so3_right_jacobian_inverse(vec3(q + k)) * vec3(v + k));
                if (link.kind == JointKind::free) write3(out + k + 3, so3_exp(vec3(q + k)) * vec3(v + k + 3));
            } else {
                out[k] = v[k];
            }
        }
    }
    // Rotation vectors no longer than pi.
    static void wrap(const Model& m, double* q) {
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            if (link.kind != JointKind::ball && link.kind != JointKind::free) continue;
            const Vec3<double> r = vec3(q + link.dof);
            if (dot(r, r) > M_PI * M_PI) write3(q + link.dof, so3_log(so3_exp(r)));
        }
    }

    std::vector<double> start_q_, start_v_, rate_, sum_q_, sum_v_, middle_;
};

KIDO_END
