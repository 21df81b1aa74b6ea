#pragma once

#include <algorithm>
#include <cmath>

#include "kido/contact/dof_advance.hpp"
#include "kido/scalar/atan.hpp"

// A joint of three revolute dofs whose axes meet at a point, the second at right angles to both others, with rings that have no mass:
// an Euler joint. Near the position where the first and third axis are parallel its dofs turn fast though what it carries does not, and
// their rates change within a step. There the step is taken in rotations: the angular velocity that the dofs' velocities and accelerations
// make turns what is carried, and the dofs follow from that.

KIDO_BEGIN

class Gimbal {
public:
    // Whether the joint begins at a link of the model.
    static bool begins_at(const Model& m, int link) {
        if (link + 2 >= m.num_links) return false;
        for (int i = link; i < link + 3; ++i) {
            const Link& l = m.links[i];
            if (l.kind != JointKind::revolute || (i < link + 2 && (!l.massless || l.branches))) return false;
            if (i == link) continue;
            const double across = l.R[8], apart = std::fabs(l.p[0]) + std::fabs(l.p[1]) + std::fabs(l.p[2]);
            if (l.parent != i - 1 || apart > 0.0 || std::fabs(across) > kRightAngle) return false;
        }
        return true;
    }
    // `link`: the first of the three.
    Gimbal(const Model& m, int link) : link_(link), dof_(m.links[link].dof) {
        const Mat3<double> second = mat3(m.links[link + 1].R);
        axes_[0] = {0.0, 0.0, 1.0};
        axes_[1] = second.z;
        axes_[2] = second * mat3(m.links[link + 2].R).z;
        const Vec3<double> side = cross(axes_[1], axes_[2]);
        offset_ = atan2(dot(axes_[0], side), dot(axes_[0], axes_[2]));
    }
    int link() const { return link_; }
    int dof() const { return dof_; }

    // Whether a dof turns so far in a step that the step has to be taken in rotations; `changes` of velocities by impulses, or null.
    bool is_fast(const double* velocities, const double* accelerations, const double* changes, double step) const {
        double most = 0.0;
        for (int k = dof_; k < dof_ + 3; ++k) {
            const double end = velocities[k] + accelerations[k] * step + (changes ? changes[k] : 0.0);
            most = std::max({most, std::fabs(velocities[k]), std::fabs(end)});
        }
        return most * step > kFastTurn;
    }
    // The dofs' accelerations that the angular acceleration would take if the axes stood: so rows that stop dofs find the velocities that
    // they stop.
    Vec3<double> standing(const double* positions, const double* velocities, const double* accelerations) const {
        const Axes at = axes(positions + dof_);
        return read3(accelerations + dof_) + rates(at, velocity_product(at, velocities + dof_));
    }
    // Positions and velocities at the end of the step; `stands`: whether accelerations are as of axes that stand. Where a position would
    // be beyond its bounds, positions follow the dofs' velocities, which the bounds were told of.
    void advance(const DofStep<double>& d, const StepReach<double>& reach, bool stands, const double* lower, const double* upper) const {
        const Axes at = axes(d.positions + dof_);
        const Vec3<double> drift = stands ? zero3<double>() : velocity_product(at, d.velocities + dof_);
        const Vec3<double> a = read3(d.accelerations + dof_), moved = displacement(d, reach, dof_, a);
        const Vec3<double> turn = along(at, moved) + drift * (reach.weight * reach.substep());
        const Vec3<double> end = along(at, end_velocity(d, reach, dof_, a)) + drift * reach.step;
        Vec3<double> q = positions(so3_exp(turn) * at.rotation, d.positions + dof_);
        if (!within(q, lower + dof_, upper + dof_)) q = read3(d.positions + dof_) + moved;
        const Vec3<double> v = rates(axes(&q.x), end);
        write3(d.positions + dof_, q);
        write3(d.velocities + dof_, v);
    }

private:
    static constexpr double kRightAngle = 1e-12;  // sine
    static constexpr double kFastTurn = 0.05;     // of a dof in a step [rad]
    static constexpr double kParallel = 1e-5;     // least angle that the first and third axis are left with [rad]

    // The dofs' axes, and the rotation from zero positions; in the frame that carries the joint.
    struct Axes {
        Vec3<double> first, second, third;
        Mat3<double> rotation;
    };

    Axes axes(const double* q) const {
        const Mat3<double> one = so3_exp(axes_[0] * q[0]), two = one * so3_exp(axes_[1] * q[1]);
        return {axes_[0], one * axes_[1], two * axes_[2], two * so3_exp(axes_[2] * q[2])};
    }
    static Vec3<double> along(const Axes& at, const Vec3<double>& v) { return at.first * v.x + at.second * v.y + at.third * v.z; }
    static bool within(const Vec3<double>& q, const double* lower, const double* upper) {
        const double* of = &q.x;
        return of[0] >= lower[0] && of[0] <= upper[0] && of[1] >= lower[1] && of[1] <= upper[1] && of[2] >= lower[2] && of[2] <= upper[2];
    }
    // Angular acceleration without accelerations of the dofs.
    static Vec3<double> velocity_product(const Axes& at, const double* v) {
        const Vec3<double> first = at.first * v[0], second = at.second * v[1];
        return cross(first, second) + cross(first + second, at.third * v[2]);
    }
    // The rates that make an angular velocity.
    static Vec3<double> rates(const Axes& at, const Vec3<double>& w) {
        const double cosine = dot(at.first, at.third), along_first = dot(at.first, w), along_third = dot(at.third, w);
        const Vec3<double> side = cross(at.first, at.third);
        const double square = std::max(dot(side, side), kParallel * kParallel);
        return {(along_first - cosine * along_third) / square, dot(at.second, w), (along_third - cosine * along_first) / square};
    }
    // Those that make a rotation and are nearest to q; the axes are kept apart.
    Vec3<double> positions(const Mat3<double>& rotation, const double* q) const {
        const Vec3<double> to = rotation * axes_[2];
        const double height = dot(axes_[0], to);
        const Vec3<double> side = to - axes_[0] * height;
        const double tilt = std::clamp(atan2(std::sqrt(dot(side, side)), height), kParallel, M_PI - kParallel);
        const Vec3<double> one = solution(rotation, to, offset_ + tilt, q), two = solution(rotation, to, offset_ - tilt, q);
        return distance(one, q) <= distance(two, q) ? one : two;
    }
    Vec3<double> solution(const Mat3<double>& rotation, const Vec3<double>& to, double second, const double* q) const {
        const Vec3<double> tilted = so3_exp(axes_[1] * second) * axes_[2];
        const double first = angle(axes_[0], tilted, to);
        const Mat3<double> rest = transpose(so3_exp(axes_[0] * first) * so3_exp(axes_[1] * second)) * rotation;
        const double third = angle(axes_[2], axes_[1], rest * axes_[1]);
        return {nearest(first, q[0]), nearest(second, q[1]), nearest(third, q[2])};
    }
    // By which a turns about an axis to get to b, both projected across it.
    static double angle(const Vec3<double>& axis, const Vec3<double>& a, const Vec3<double>& b) {
        return atan2(dot(axis, cross(a, b)), dot(a, b) - dot(axis, a) * dot(axis, b));
    }
    static double nearest(double angle, double to) { return angle + 2.0 * M_PI * std::nearbyint((to - angle) / (2.0 * M_PI)); }
    static double distance(const Vec3<double>& a, const double* q) {
        return std::fabs(a.x - q[0]) + std::fabs(a.y - q[1]) + std::fabs(a.z - q[2]);
    }

    int link_, dof_;
    Vec3<double> axes_[3];  // at zero positions
    double offset_;         // the second position at which the first and third axis have the same direction [rad]
};

KIDO_END
