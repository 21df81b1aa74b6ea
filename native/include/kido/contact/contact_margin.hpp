#pragma once

#include <cmath>

#include "kido/contact/body_rows.hpp"

// Up to which distance two shapes have points of contact: those that may meet within the step are among them.

KIDO_BEGIN

// Largest speed of two bodies towards each other, whose shapes reach that far from their centers.
template <class T>
KIDO_INLINE T closing_speed(const BodyMotion<T>& first, const BodyMotion<T>& second, const T& reach_first, const T& reach_second) {
    const auto sum = [](const Vec3<T>& v) { return abs(v.x) + abs(v.y) + abs(v.z); };
    return sum(first.linear - second.linear) + sum(first.angular) * reach_first + sum(second.angular) * reach_second;
}
// The distance [m], for shapes of two radii. It never grows by more than the smaller shape: farther off, points would be of sides that
// will not meet.
template <class T>
KIDO_INLINE T contact_margin(const T& closing_speed, double step, const T& first_radius, const T& second_radius) {
    constexpr double kMargin = 1e-3, kMostMargin = 1e-2;
    return T(kMargin) + min(closing_speed * step, max(T(kMostMargin), min(first_radius, second_radius)));
}
// The same for a ball, whose contacts are those of the other shape's sides: see FastBall.
inline double ball_margin(double closing_speed, double step, double other_radius) {
    return contact_margin(closing_speed, step, HUGE_VAL, other_radius);
}

KIDO_END
