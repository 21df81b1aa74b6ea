#pragma once

#include "kido/ik/closed_form/screw_chain.hpp"
#include "kido/ik/closed_form/trig_roots.hpp"

// Three joints that bring a point of the last link to a place in the base. Two axes that meet or are parallel leave
// quadratic equations; else the third angle is a root of a quartic: Pieper, "The kinematics of manipulators under
// computer control" (1968), chapter 4.

KIDO_BEGIN

namespace closed_form {

enum class PositionMethod { first_meet, last_parallel, last_meet, first_parallel, quartic };

struct PositionPart {
    PositionMethod method;
    Screw joint[3];
    Point carried;  // the point at zero
    Point meeting;  // of the two axes that do
    double size;
};

// Coefficients of 1, cos, sin in a . R(k, angle) x.
struct Projected {
    double c[3];

    Projected(const Point& a, const Point& k, const Point& x)
        : c{dot(a, k) * dot(k, x), dot(a, x) - dot(a, k) * dot(k, x), dot(a, cross(k, x))} {}
};

template <class Emit>
void first_meet(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &three = m.joint[2];
    const Point goal = place - m.meeting;
    const Angles third =
        at_distance(three.axis, m.carried - three.point, m.meeting - three.point, length(goal), m.size, near[2]);
    for (int i = 0; i < third.count; ++i) {
        const Point x = three.move(third.angle[i], m.carried) - m.meeting;
        const Angles second = at_angle(one.axis, two.axis, x, goal, near[1]);
        for (int j = 0; j < second.count; ++j) {
            const Point y = AngleAxis(two.axis, second.angle[j]) * x;
            emit(align(one.axis, y, goal, m.size, near[0]).angle, second.angle[j], third.angle[i],
                 max(third.excess, second.excess));
        }
    }
}

template <class Emit>
void last_parallel(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &three = m.joint[2];
    const Projected height(place - one.point, one.axis, two.axis);
    const Angles first =
        on_line(height.c[1], height.c[2], dot(two.axis, m.carried - one.point) - height.c[0], m.size, near[0]);
    const Point pivot = two.point + two.axis * dot(two.axis, m.carried - two.point);
    for (int i = 0; i < first.count; ++i) {
        const Point goal = one.back(first.angle[i], place) - pivot;
        const double distance = length(cross(two.axis, goal));
        const Angles third =
            at_distance(three.axis, m.carried - three.point, pivot - three.point, distance, m.size, near[2]);
        for (int j = 0; j < third.count; ++j) {
            const Point x = three.move(third.angle[j], m.carried) - pivot;
            emit(first.angle[i], align(two.axis, x, goal, m.size, near[1]).angle, third.angle[j],
                 max(first.excess, third.excess));
        }
    }
}

template <class Emit>
void last_meet(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &three = m.joint[2];
    const Point arm = m.carried - m.meeting;
    const Angles first =
        at_distance(one.axis, m.meeting - one.point, place - one.point, length(arm), m.size, near[0]);
    for (int i = 0; i < first.count; ++i) {
        const Point goal = one.back(first.angle[i], place) - m.meeting;
        const Angles third = at_angle(two.axis, three.axis, arm, goal, near[2]);
        for (int j = 0; j < third.count; ++j) {
            const Point x = AngleAxis(three.axis, third.angle[j]) * arm;
            emit(first.angle[i], align(two.axis, x, goal, m.size, near[1]).angle, third.angle[j],
                 max(first.excess, third.excess));
        }
    }
}

template <class Emit>
void first_parallel(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &three = m.joint[2];
    const Projected height(one.axis, three.axis, m.carried - three.point);
    const Angles third =
        on_line(height.c[1], height.c[2], dot(one.axis, place - three.point) - height.c[0], m.size, near[2]);
    const Point pivot = one.point + one.axis * dot(one.axis, place - one.point);
    const Point goal = place - pivot;
    for (int i = 0; i < third.count; ++i) {
        const Point x = three.move(third.angle[i], m.carried);
        const Angles second =
            at_distance(two.axis, x - two.point, pivot - two.point, length(goal), m.size, near[1]);
        for (int j = 0; j < second.count; ++j) {
            const Point y = two.move(second.angle[j], x) - pivot;
            emit(align(one.axis, y, goal, m.size, near[0]).angle, second.angle[j], third.angle[i],
                 max(third.excess, second.excess));
        }
    }
}

// Points of two skew axes that are nearest to each other.
KIDO_INLINE void nearest_points(const Screw& a, const Screw& b, Point& on_a, Point& on_b) {
    const Point n = cross(a.axis, b.axis), between = b.point - a.point;
    const double s = 1.0 / dot(n, n);
    on_a = a.point + a.axis * (dot(cross(between, b.axis), n) * s);
    on_b = b.point + b.axis * (dot(cross(between, a.axis), n) * s);
}

// Axes u, v, h2 at the foot of the common normal: along u the distance from the first foot and along the first axis the
// height are what the first joint cannot change. Each is linear in cos and sin of the third angle.
template <class Emit>
void quartic(const PositionPart& m, const Point& place, const double* near, bool nearest, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &three = m.joint[2];
    Point foot1, foot2;
    nearest_points(one, two, foot1, foot2);
    const Point normal = foot2 - foot1, goal = place - foot1;
    const double d = length(normal), scale = 1.0 / m.size;
    const Point u = normal * (1.0 / d), v = cross(two.axis, u);
    const double cosine = dot(one.axis, two.axis), sine = dot(one.axis, v);
    const Point arm = m.carried - three.point;
    const Point fixed = three.axis * dot(three.axis, arm) + (three.point - foot2);
    const Point along = arm - three.axis * dot(three.axis, arm), aside = cross(three.axis, arm);
    const double rise[3] = {dot(two.axis, fixed), dot(two.axis, along), dot(two.axis, aside)};
    const double square_length[3] = {dot(fixed, fixed) + dot(along, along), 2.0 * dot(fixed, along),
                                     2.0 * dot(fixed, aside)};
    const double goal_height = dot(one.axis, goal), goal_square = dot(goal, goal);
    double x[3], y[3], level[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = ((k == 0 ? goal_square - d * d : 0.0) - square_length[k]) * sine * scale;
        y[k] = ((k == 0 ? goal_height : 0.0) - cosine * rise[k]) * 2.0 * d * scale;
        level[k] = rise[k] * 2.0 * d * sine * scale;
    }
    TrigPolynomial f = sum(sum(product(x, x), 1.0, product(y, y)), 1.0, product(level, level));
    const double weight = -square(2.0 * d * sine * scale);
    f = sum(f, weight, {square_length[0], square_length[1], square_length[2], 0.0, 0.0});
    double angles[4];
    const int count = roots_on_circle(f, nearest, angles);
    for (int k = 0; k < count; ++k) {
        const SinCos<double> t = sincos(angles[k]);
        const Point r = fixed + along * t.cos + aside * t.sin;
        const double across = (goal_square - d * d - dot(r, r)) / (2.0 * d);
        const double up = (goal_height - cosine * dot(two.axis, r)) / sine;
        const double second = align(two.axis, r, u * across + v * up, m.size, near[1]).angle;
        const Point reached = normal + AngleAxis(two.axis, second) * r;
        emit(align(one.axis, reached, goal, m.size, near[0]).angle, second, angles[k], 0.0);
    }
}

template <class Emit>
void solve_position(const PositionPart& m, const Point& place, const double* near, bool nearest, Emit&& emit) {
    switch (m.method) {
        case PositionMethod::first_meet: return first_meet(m, place, near, emit);
        case PositionMethod::last_parallel: return last_parallel(m, place, near, emit);
        case PositionMethod::last_meet: return last_meet(m, place, near, emit);
        case PositionMethod::first_parallel: return first_parallel(m, place, near, emit);
        case PositionMethod::quartic: return quartic(m, place, near, nearest, emit);
    }
}

}  // namespace closed_form

KIDO_END
