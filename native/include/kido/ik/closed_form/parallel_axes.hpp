#pragma once

#include "kido/ik/closed_form/planar_arm.hpp"
#include "kido/ik/closed_form/position_part.hpp"
#include "kido/ik/closed_form/trig_roots.hpp"

// Six joints with three parallel axes in a row: the first three, or the second to the fourth. Those three change
// neither the angle of a direction with their own nor the height of a point along it: two equations, linear in cos and sin
// of two further joints (subproblem 6 of Elias and Wen). What remains is a planar arm.

KIDO_BEGIN

namespace closed_form {

// Two equations row . (cos x, sin x, cos y, sin y) = right.
struct LinearPair {
    double row[2][4], right[2];
};

struct PairSolution {
    double x, y;
    double excess;
    bool y_known;  // else one equation for y remains
};

// Whether neither equation has x.
inline bool without_x(const LinearPair& p) {
    return max(max(abs(p.row[0][0]), abs(p.row[0][1])), max(abs(p.row[1][0]), abs(p.row[1][1]))) <= kLost;
}

// Returns how many, four at most.
inline int solve_pair(const LinearPair& p, bool nearest, double near_x, PairSolution* found) {
    const auto& r = p.row;
    const double det = r[0][2] * r[1][3] - r[0][3] * r[1][2];
    const double n0 = r[0][2] * r[0][2] + r[0][3] * r[0][3], n1 = r[1][2] * r[1][2] + r[1][3] * r[1][3];
    if (det * det <= 1e-16 * square(max(n0, n1))) {
        // A combination is free of y.
        const double f = (r[1][2] * r[0][2] + r[1][3] * r[0][3]) / n0;
        const Angles x =
            on_line(r[1][0] - f * r[0][0], r[1][1] - f * r[0][1], p.right[1] - f * p.right[0], 1.0, near_x);
        for (int i = 0; i < x.count; ++i) found[i] = {x.angle[i], 0.0, x.excess, false};
        return x.count;
    }
    const auto cramer = [&](double a0, double a1, double b0, double b1) { return (a0 * b1 - a1 * b0) / det; };
    double c[3], s[3];
    for (int k = 0; k < 3; ++k) {
        const double a = k == 0 ? p.right[0] : -r[0][k - 1], b = k == 0 ? p.right[1] : -r[1][k - 1];
        c[k] = cramer(a, b, r[0][3], r[1][3]);
        s[k] = cramer(r[0][2], r[1][2], a, b);
    }
    TrigPolynomial f = sum(product(c, c), 1.0, product(s, s));
    f.c0 -= 1.0;
    double angles[4];
    const int count = roots_on_circle(f, nearest, angles);
    for (int k = 0; k < count; ++k) {
        const SinCos<double> t = sincos(angles[k]);
        const double y = atan2(s[0] + s[1] * t.cos + s[2] * t.sin, c[0] + c[1] * t.cos + c[2] * t.sin);
        found[k] = {angles[k], y, 0.0, true};
    }
    return count;
}

struct ParallelAxes {
    Screw joint[6];
    int first;  // of the three: 0 or 1
    PlanarArm arm;
    double size;

    static constexpr double kAligned = 1e-3;  // sine below which an angle is better known from directions
    static constexpr double kDoubtful = 1e-7;  // sine below which a direction is as good as along the axis
    static constexpr int kSweep = 16;  // values tried of a joint that a singular pose leaves free

    template <class Emit>
    void solve(const Placement& moved, const double* near, bool nearest, Emit&& emit) const {
        if (first == 1) {
            solve_inner(moved, near, nearest, emit);
        } else {
            solve_outer(moved, near, nearest, emit);
        }
    }

private:
    // Joint 1, then the three, then 5 and 6.
    template <class Emit>
    void solve_inner(const Placement& moved, const double* near, bool nearest, Emit&& emit) const {
        const Screw &one = joint[0], &five = joint[4], &six = joint[5];
        const Point& h = joint[1].axis;
        const Point last = moved.R * six.axis, spot = moved * wrist(), hand = wrist() - five.point;
        const Projected turned(last, one.axis, h), bent(h, five.axis, six.axis);
        const Projected height(spot - one.point, one.axis, h), lift(h, five.axis, hand);
        const double s = 1.0 / size;
        const LinearPair pair = {{{turned.c[1], turned.c[2], -bent.c[1], -bent.c[2]},
                                  {height.c[1] * s, height.c[2] * s, -lift.c[1] * s, -lift.c[2] * s}},
                                 {bent.c[0] - turned.c[0],
                                  (lift.c[0] + dot(h, five.point - one.point) - height.c[0]) * s}};
        for_each(pair, nearest, near[0], near[4], [&](double q1) { return one.rotation(q1).back(last); },
                 [&](double q1, double q5, double excess) {
                     const AngleAxis first_turn = one.rotation(q1), fifth = five.rotation(q5);
                     const Point from = transposed_times(moved.R, first_turn * h);
                     const OneAngle sixth = known(align(six.axis, from, fifth.back(h), 1.0, near[5]), six.axis, from, near[5]);
                     return sweep(sixth, [&](double q6) {
                         const auto back = [&](const Point& x) {
                             return one.back(q1, moved * six.back(q6, five.back(q5, x)));
                         };
                         return arm.solve(back, near + first, excess, [&](double q2, double q3, double q4, double e) {
                             const double q[6] = {q1, q2, q3, q4, q5, q6};
                             emit(q, e);
                         });
                     });
                 });
    }

    // The three, then 4, 5 and 6.
    template <class Emit>
    void solve_outer(const Placement& moved, const double* near, bool nearest, Emit&& emit) const {
        const Screw &four = joint[3], &five = joint[4], &six = joint[5];
        const Point& h = joint[0].axis;
        const Point seen = transposed_times(moved.R, h), meet = elbow(), hand = meet - six.point;
        const Projected turned(five.axis, six.axis, seen), bent(h, four.axis, five.axis);
        const Projected height(hand, six.axis, seen), lift(h, four.axis, meet - four.point);
        const double s = 1.0 / size;
        const double offset = dot(h, moved * six.point);
        const LinearPair pair = {{{turned.c[1], turned.c[2], -bent.c[1], -bent.c[2]},
                                  {height.c[1] * s, height.c[2] * s, -lift.c[1] * s, -lift.c[2] * s}},
                                 {bent.c[0] - turned.c[0],
                                  (lift.c[0] + dot(h, four.point) - height.c[0] - offset) * s}};
        for_each(pair, nearest, near[5], near[3], [&](double q6) { return moved.R * six.rotation(q6).back(five.axis); },
                 [&](double q6, double q4, double excess) {
                     const Point from = six.rotation(q6) * seen, to = four.rotation(q4).back(h);
                     const OneAngle fifth = known(align(five.axis, from, to, 1.0, near[4]), five.axis, from, near[4]);
                     return sweep(fifth, [&](double q5) {
                         const auto back = [&](const Point& x) {
                             return moved * six.back(q6, five.back(q5, four.back(q4, x)));
                         };
                         return arm.solve(back, near + first, excess, [&](double q1, double q2, double q3, double e) {
                             const double q[6] = {q1, q2, q3, q4, q5, q6};
                             emit(q, e);
                         });
                     });
                 });
    }

    // The point of axis 6 that is nearest to axis 5; of axis 5 that is nearest to axis 4.
    Point wrist() const { return near_to(joint[4], joint[5]); }
    Point elbow() const { return near_to(joint[3], joint[4]); }
    static Point near_to(const Screw& a, const Screw& b) {
        Point on_a, on_b;
        nearest_points(a, b, on_a, on_b);
        return on_b;
    }

    // Angles x, y of the joints beside the three.
    template <class Direction, class Emit>
    void for_each(const LinearPair& pair, bool nearest, double near_x, double near_y, Direction&& direction,
                  Emit&& emit) const {
        const auto both = [&](double x, double excess) {
            const Angles y =
                at_angle(joint[first].axis, joint[first + 3].axis, joint[first + 4].axis, direction(x), near_y);
            bool found = false;
            for (int k = 0; k < y.count; ++k) found |= emit(x, y.angle[k], max(excess, y.excess));
            return found;
        };
        if (without_x(pair)) {
            sweep({near_x, true}, [&](double x) { return both(x, 0.0); });
            return;
        }
        PairSolution found[4];
        const int count = solve_pair(pair, nearest, near_x, found);
        for (int i = 0; i < count; ++i) {
            if (found[i].y_known) {
                emit(found[i].x, refined(direction(found[i].x), near_y, found[i].y), found[i].excess);
            } else {
                both(found[i].x, found[i].excess);
            }
        }
    }

    // The angle of the joint after the three: where it aligns its neighbours, their directions know it better.
    double refined(const Point& direction, double near, double rough) const {
        const Point& h = joint[first].axis;
        if (length(cross(h, direction)) >= kAligned) return rough;
        const Angles exact = at_angle(h, joint[first + 3].axis, joint[first + 4].axis, direction, near);
        const auto away = [&](int j) { return 1.0 - sincos(exact.angle[j] - rough).cos; };
        return exact.count > 1 && away(1) < away(0) ? exact.angle[1] : exact.angle[0];
    }

    // An angle that turns a direction too near to its axis is free: roots that meet are known to half of the digits only.
    static OneAngle known(const OneAngle& angle, const Point& axis, const Point& direction, double near) {
        return length(cross(axis, direction)) < kDoubtful ? OneAngle{near, true} : angle;
    }

    // A free joint takes the first of some angles that the planar arm can answer.
    template <class Try>
    static bool sweep(const OneAngle& angle, Try&& attempt) {
        for (int i = 0; i < (angle.free ? kSweep : 1); ++i) {
            const double side = i % 2 ? 1.0 : -1.0;
            if (attempt(angle.angle + side * ((i + 1) / 2) * (2.0 * arctangent::kPiHigh / kSweep))) return true;
        }
        return false;
    }
};

}  // namespace closed_form

KIDO_END
