#pragma once

#include "kido/scalar/atan.hpp"
#include "kido/scalar/trig.hpp"

// The motions of a joint whose position is an interval. Of an angle c + d with |d| <= w, the rotation by d is
//   middle + swing_cosine e2 + swing_sine J e1 in the plane,  |e1|, |e2| <= 1,  J the quarter turn,
// and no more than `deviation` away from `middle` times the identity.

KIDO_BEGIN

template <class T>
struct JointRange {
    T center, half_width;
    T sine, cosine;  // of the centre
    T middle, swing_sine, swing_cosine, deviation;
};

inline constexpr double kPi = 3.14159265358979323846;

template <class T>
KIDO_INLINE void set_range(JointRange<T>& r, bool prismatic, double scale, T lower, T upper) {
    constexpr double kRounding = 1e-15;
    const double size = scale < 0.0 ? -scale : scale;
    r.center = (lower + upper) * (0.5 * scale);
    r.half_width = (upper - lower) * (0.5 * size) + (abs(lower) + abs(upper)) * (kRounding * size);
    if (prismatic) return;
    const SinCos<T> at = sincos(r.center);
    r.sine = at.sin;
    r.cosine = at.cos;
    const T w = min(r.half_width, T(kPi));
    const SinCos<T> half = sincos(w * 0.5), whole = sincos(w);
    r.swing_cosine = half.sin * half.sin;  // (1 - cos w) / 2
    r.middle = 1.0 - r.swing_cosine;
    r.deviation = sqrt(whole.sin * whole.sin + r.swing_cosine * r.swing_cosine);
    r.swing_sine = select(w > T(0.5 * kPi), T(1.0), whole.sin);
    // A whole turn or more.
    const Mask<T> any_angle = r.half_width >= T(kPi);
    r.middle = select(any_angle, T(0.0), r.middle);
    r.swing_cosine = select(any_angle, T(1.0), r.swing_cosine);
    r.deviation = select(any_angle, T(1.0), r.deviation);
}

KIDO_END
