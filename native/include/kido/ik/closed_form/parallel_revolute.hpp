#pragma once

#include "kido/ik/closed_form/planar_arm.hpp"
#include "kido/ik/closed_form/prismatic_part.hpp"

// Two or three revolute joints about parallel axes and up to two prismatic ones, in any order: SCARA robots, and planar
// arms. Prismatic joints that are not normal to the axes make up the height; what remains is planar.

KIDO_BEGIN

namespace closed_form {

struct ParallelRevolute {
    Screw joint[4];
    int count, num_revolute;
    int revolute[3], prismatic[2];
    PlanarArm arm;  // of three revolute joints
    double sign;    // of the second axis in that of the first
    Point side;     // normal to the axes
    double size;

    static constexpr double kLevel = 1e-3;  // rise below which a prismatic joint is taken for normal to the axes

    template <class Emit>
    void solve(const Placement& moved, const double* near, bool, Emit&& emit) const {
        const double tilt = length(moved.R * axis() - axis());
        if (num_revolute == 3) {
            solve_three(moved, near, tilt, emit);
        } else {
            solve_two(moved, near, tilt, emit);
        }
    }

    double rise(int k) const { return dot(axis(), joint[prismatic[k]].axis); }
    int num_prismatic() const { return count - num_revolute; }

private:
    const Point& axis() const { return joint[revolute[0]].axis; }
    double reach(const Placement& moved) const { return max(size, length(moved.p)); }

    // The height of a point that only prismatic joints change.
    double height(const Placement& moved) const {
        const Point& x = joint[revolute[num_revolute - 1]].point;
        return dot(axis(), moved * x - x);
    }

    // A prismatic joint keeps its length, and what follows it has moved.
    template <class Emit>
    void solve_three(const Placement& moved, const double* near, double tilt, Emit&& emit) const {
        const bool has_prismatic = num_prismatic() == 1;
        const double up = height(moved), lift = has_prismatic ? up / rise(0) : 0.0;
        const Point shift = has_prismatic ? joint[prismatic[0]].axis * lift : zero3<double>();
        PlanarArm planar = arm;
        planar.size = reach(moved);
        double start[3];
        for (int k = 0; k < 3; ++k) {
            if (has_prismatic && revolute[k] > prismatic[0]) planar.joint[k].point += shift;
            start[k] = near[revolute[k]];
        }
        const double excess = max(tilt, has_prismatic ? 0.0 : abs(up) / planar.size);
        planar.solve([&](const Point& x) { return moved * (x - shift); }, start, excess,
                     [&](double a, double b, double c, double e) {
                         double q[4];
                         q[revolute[0]] = a;
                         q[revolute[1]] = b;
                         q[revolute[2]] = c;
                         if (has_prismatic) q[prismatic[0]] = lift;
                         emit(q, e);
                     });
    }

    // Lengths of the prismatic joints that make up a height: base + t direction; `left`: the height that remains.
    struct SlideLine {
        double base[2], direction[2], otherwise, left;
    };

    SlideLine slide_line(double up, const double* near) const {
        if (num_prismatic() == 2) {
            const SharedRise shared(rise(0), rise(1), up);
            return {{shared.base[0], shared.base[1]}, {shared.direction[0], shared.direction[1]},
                    shared.nearest(near[prismatic[0]], near[prismatic[1]]), 0.0};
        }
        if (num_prismatic() == 0) return {{}, {}, 0.0, up};
        if (abs(rise(0)) > kLevel) return {{up / rise(0)}, {}, 0.0, 0.0};
        return {{}, {1.0}, near[prismatic[0]], up};
    }

    // The sum of the angles rotates the prismatic joints after the second; the first angle those between: p - b t is c + d t
    // turned about the first axis.
    template <class Emit>
    void solve_two(const Placement& moved, const double* near, double tilt, Emit&& emit) const {
        const Screw &one = joint[revolute[0]], &two = joint[revolute[1]];
        const double sum = align(axis(), side, moved.R * side, 1.0, 0.0).angle, scale = reach(moved);
        const AngleAxis whole(axis(), sum);
        const SlideLine line = slide_line(height(moved), near);
        Point p = moved * two.point - one.point, b = zero3<double>(), c = two.point - one.point, d = b;
        for (int k = 0; k < num_prismatic(); ++k) {
            const Point& direction = joint[prismatic[k]].axis;
            if (prismatic[k] > revolute[0] && prismatic[k] < revolute[1]) {
                c += direction * line.base[k];
                d += direction * line.direction[k];
            } else {
                const Point turned = prismatic[k] > revolute[1] ? whole * direction : direction;
                p -= turned * line.base[k];
                b += turned * line.direction[k];
            }
        }
        const auto flat = [&](const Point& x) { return across(axis(), x); };
        const Places found = equally_long(flat(p), flat(b), flat(c), flat(d), scale, line.otherwise);
        const double excess = max(max(tilt, abs(line.left) / scale), found.excess);
        for (int i = 0; i < found.count; ++i) {
            const double t = found.at[i];
            double q[4];
            q[revolute[0]] = align(axis(), c + d * t, p - b * t, scale, near[revolute[0]]).angle;
            q[revolute[1]] = (sum - q[revolute[0]]) * sign;
            for (int k = 0; k < num_prismatic(); ++k) q[prismatic[k]] = line.base[k] + line.direction[k] * t;
            emit(q, excess);
        }
    }
};

}  // namespace closed_form

KIDO_END
