#pragma once

#include "kido/ik/closed_form/line_roots.hpp"
#include "kido/ik/closed_form/position_part.hpp"

// Three joints of which one or two are prismatic, that bring a point of the last link to a place in the base: as Pieper's for
// three revolute joints, with lengths among the unknowns. What the first axis cannot change, the height of a point along it
// and its distance from it, are the equations for the other two joints.

KIDO_BEGIN

namespace closed_form {

enum class PrismaticMethod {
    none,
    meeting,   // two axes that meet, then a prismatic joint
    parallel,  // two parallel axes, then a prismatic joint that is not normal to them
    skew,      // two axes, then a prismatic joint
    across,    // a prismatic joint between two axes, normal to the first
    along,     // a prismatic joint between two parallel axes, not normal to them
    oblique,   // a prismatic joint between two axes
    last_two,  // an axis, then two prismatic joints
    outer_two  // an axis between two prismatic joints
};

// Along an axis two prismatic joints rise together by a height: their positions are base + t direction.
struct SharedRise {
    double base[2], direction[2];

    SharedRise(double rise0, double rise1, double height) {
        const double squares = rise0 * rise0 + rise1 * rise1, n = 1.0 / sqrt(squares);
        base[0] = rise0 * height / squares;
        base[1] = rise1 * height / squares;
        direction[0] = -rise1 * n;
        direction[1] = rise0 * n;
    }
    double at(int k, double t) const { return base[k] + direction[k] * t; }
    double nearest(double s0, double s1) const { return direction[0] * s0 + direction[1] * s1; }
};

KIDO_INLINE Point across(const Point& k, const Point& x) { return x - k * dot(k, x); }

// The point of an axis at the height of another point.
KIDO_INLINE Point abreast(const Screw& s, const Point& x) { return s.point + s.axis * dot(s.axis, x - s.point); }

template <class Emit>
void slide_after_meeting(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &prismatic = m.joint[2];
    const Point goal = place - m.meeting;
    const Places third = at_sphere(prismatic.axis, m.carried, m.meeting, length(goal), m.size);
    if (length(goal) <= kLost * m.size) return emit(near[0], near[1], third.at[0], third.excess);
    for (int i = 0; i < third.count; ++i) {
        const Point x = m.carried + prismatic.axis * third.at[i] - m.meeting;
        const Angles second = at_angle(one.axis, two.axis, x, goal, near[1]);
        for (int j = 0; j < second.count; ++j) {
            const Point y = AngleAxis(two.axis, second.angle[j]) * x;
            emit(align(one.axis, y, goal, m.size, near[0]).angle, second.angle[j], third.at[i],
                 max(third.excess, second.excess));
        }
    }
}

template <class Emit>
void slide_after_parallel(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &prismatic = m.joint[2];
    const double third = dot(one.axis, place - m.carried) / dot(one.axis, prismatic.axis);
    const Point x = m.carried + prismatic.axis * third, pivot = abreast(one, place), goal = place - pivot;
    const Angles second = at_distance(two.axis, x - two.point, pivot - two.point, length(goal), m.size, near[1]);
    for (int j = 0; j < second.count; ++j) {
        const Point y = two.move(second.angle[j], x) - pivot;
        emit(align(one.axis, y, goal, m.size, near[0]).angle, second.angle[j], third, second.excess);
    }
}

// The quartic of three revolute joints, in the third position instead of an angle's cos and sin; lengths by the size.
template <class Emit>
void slide_after_skew(const PositionPart& m, const Point& place, const double* near, bool nearest, Emit&& emit) {
    const Screw &one = m.joint[0], &two = m.joint[1], &prismatic = m.joint[2];
    Point foot1, foot2;
    nearest_points(one, two, foot1, foot2);
    const double scale = 1.0 / m.size;
    const Point normal = (foot2 - foot1) * scale, goal = (place - foot1) * scale, from = (m.carried - foot2) * scale;
    const double d = length(normal);
    const Point u = normal * (1.0 / d), v = cross(two.axis, u);
    const double cosine = dot(one.axis, two.axis), sine = dot(one.axis, v);
    const double rise[2] = {dot(two.axis, from), dot(two.axis, prismatic.axis)};
    const double squares[3] = {dot(from, from), 2.0 * dot(from, prismatic.axis), 1.0};
    const double height = dot(one.axis, goal), reach = dot(goal, goal) - d * d;
    const double x[3] = {(reach - squares[0]) * sine, -squares[1] * sine, -sine};
    const double y[2] = {(height - cosine * rise[0]) * 2.0 * d, -cosine * rise[1] * 2.0 * d};
    const double w = square(2.0 * d * sine);
    const double p[5] = {
        x[0] * x[0] + y[0] * y[0] - w * (squares[0] - rise[0] * rise[0]),
        2.0 * (x[0] * x[1] + y[0] * y[1]) - w * (squares[1] - 2.0 * rise[0] * rise[1]),
        x[1] * x[1] + 2.0 * x[0] * x[2] + y[1] * y[1] - w * (1.0 - rise[1] * rise[1]),
        2.0 * x[1] * x[2], x[2] * x[2]};
    double places[4];
    const int count = roots_on_line(p, nearest, places);
    for (int k = 0; k < count; ++k) {
        const Point r = from + prismatic.axis * places[k];
        const double sideways = (reach - dot(r, r)) / (2.0 * d);
        const double up = (height - cosine * dot(two.axis, r)) / sine;
        const double second = align(two.axis, r, u * sideways + v * up, 1.0, near[1]).angle;
        const Point reached = normal + AngleAxis(two.axis, second) * r;
        emit(align(one.axis, reached, goal, 1.0, near[0]).angle, second, places[k] * m.size, 0.0);
    }
}

template <class Emit>
void slide_across(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &prismatic = m.joint[1], &three = m.joint[2];
    const Projected height(one.axis, three.axis, m.carried - three.point);
    const Angles third =
        on_line(height.c[1], height.c[2], dot(one.axis, place - three.point) - height.c[0], m.size, near[2]);
    const Point pivot = abreast(one, place), goal = place - pivot;
    for (int i = 0; i < third.count; ++i) {
        const Point x = three.move(third.angle[i], m.carried);
        const Places second = at_sphere(prismatic.axis, x, pivot, length(goal), m.size);
        for (int j = 0; j < second.count; ++j) {
            const Point y = x + prismatic.axis * second.at[j] - pivot;
            emit(align(one.axis, y, goal, m.size, near[0]).angle, second.at[j], third.angle[i],
                 max(third.excess, second.excess));
        }
    }
}

template <class Emit>
void slide_along(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw &one = m.joint[0], &prismatic = m.joint[1], &three = m.joint[2];
    const double second = dot(one.axis, place - m.carried) / dot(one.axis, prismatic.axis);
    const Point shift = prismatic.axis * second, pivot = abreast(one, place), goal = place - pivot;
    const Angles third = at_distance(three.axis, m.carried - three.point, pivot - shift - three.point, length(goal),
                                     m.size, near[2]);
    for (int i = 0; i < third.count; ++i) {
        const Point y = three.move(third.angle[i], m.carried) + shift - pivot;
        emit(align(one.axis, y, goal, m.size, near[0]).angle, second, third.angle[i], third.excess);
    }
}

// The prismatic joint makes up the height; the distance from the first axis then is quadratic in cos and sin of the third angle.
template <class Emit>
void slide_oblique(const PositionPart& m, const Point& place, const double* near, bool nearest, Emit&& emit) {
    const Screw &one = m.joint[0], &prismatic = m.joint[1], &three = m.joint[2];
    const Point pivot = abreast(one, place), goal = place - pivot, arm = m.carried - three.point;
    const Point along = across(three.axis, arm), fixed = m.carried - along;
    const double rise = dot(one.axis, prismatic.axis), scale = 1.0 / m.size;
    const auto level = [&](const Point& x) { return (x * rise - prismatic.axis * dot(one.axis, x)) * scale; };
    const Point part[3] = {level(fixed - pivot), level(along), level(cross(three.axis, arm))};
    const double x[3] = {part[0].x, part[1].x, part[2].x}, y[3] = {part[0].y, part[1].y, part[2].y};
    const double z[3] = {part[0].z, part[1].z, part[2].z};
    TrigPolynomial f = sum(sum(product(x, x), 1.0, product(y, y)), 1.0, product(z, z));
    f.c0 -= dot(goal, goal) * square(rise * scale);
    double angles[4];
    const int count = roots_on_circle(f, nearest, angles);
    for (int k = 0; k < count; ++k) {
        const Point from = three.move(angles[k], m.carried);
        const double second = dot(one.axis, place - from) / rise;
        const Point reached = from + prismatic.axis * second - pivot;
        emit(align(one.axis, reached, goal, m.size, near[0]).angle, second, angles[k], 0.0);
    }
}

// Both prismatic joints move in a plane; the first joint brings the place into it.
template <class Emit>
void two_prismatic_last(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Screw& one = m.joint[0];
    const Point &a = m.joint[1].axis, &b = m.joint[2].axis;
    const Point normal = unit(cross(a, b));
    const Projected height(place - one.point, one.axis, normal);
    const Angles first =
        on_line(height.c[1], height.c[2], dot(normal, m.carried - one.point) - height.c[0], m.size, near[0]);
    const double c = dot(a, b), n = 1.0 / dot(cross(a, b), cross(a, b));
    for (int i = 0; i < first.count; ++i) {
        const Point displacement = one.back(first.angle[i], place) - m.carried;
        const double s = dot(displacement, a), t = dot(displacement, b);
        emit(first.angle[i], (s - c * t) * n, (t - c * s) * n, first.excess);
    }
}

template <class Emit>
void two_prismatic_around(const PositionPart& m, const Point& place, const double* near, Emit&& emit) {
    const Point &a = m.joint[0].axis, &b = m.joint[2].axis, &h = m.joint[1].axis, &pivot = m.joint[1].point;
    const SharedRise rise(dot(h, a), dot(h, b), dot(h, place - m.carried));
    const Point goal = place - pivot - a * rise.base[0], arm = m.carried - pivot + b * rise.base[1];
    const Point first = across(h, a) * rise.direction[0], third = across(h, b) * rise.direction[1];
    const Places found = equally_long(across(h, goal), first, across(h, arm), third, m.size,
                                      rise.nearest(near[0], near[2]));
    for (int i = 0; i < found.count; ++i) {
        const double q1 = rise.at(0, found.at[i]), q3 = rise.at(1, found.at[i]);
        const Point x = m.carried + b * q3 - pivot, y = place - a * q1 - pivot;
        emit(q1, align(h, x, y, m.size, near[1]).angle, q3, found.excess);
    }
}

// The same three from the last to the first: the place becomes the point that is carried.
inline PositionPart mirrored_part(const PositionPart& m, const Point& place) {
    PositionPart other = m;
    for (int k = 0; k < 3; ++k) other.joint[k] = m.joint[2 - k].inverted();
    other.carried = place;
    return other;
}

template <class Emit>
void solve_prismatic(PrismaticMethod method, const PositionPart& m, const Point& place, const double* near, bool nearest,
                   Emit&& emit) {
    switch (method) {
        case PrismaticMethod::meeting: return slide_after_meeting(m, place, near, emit);
        case PrismaticMethod::parallel: return slide_after_parallel(m, place, near, emit);
        case PrismaticMethod::skew: return slide_after_skew(m, place, near, nearest, emit);
        case PrismaticMethod::across: return slide_across(m, place, near, emit);
        case PrismaticMethod::along: return slide_along(m, place, near, emit);
        case PrismaticMethod::oblique: return slide_oblique(m, place, near, nearest, emit);
        case PrismaticMethod::last_two: return two_prismatic_last(m, place, near, emit);
        case PrismaticMethod::outer_two: return two_prismatic_around(m, place, near, emit);
        case PrismaticMethod::none: return;
    }
}

}  // namespace closed_form

KIDO_END
