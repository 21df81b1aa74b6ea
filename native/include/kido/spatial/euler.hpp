#pragma once

#include "kido/scalar/atan.hpp"
#include "kido/scalar/trig.hpp"
#include "kido/spatial/vector.hpp"

// Euler angles, intrinsic: R = R_first(a) R_second(b) R_last(c), each about an axis of the frame turned so
// far. Shoemake, "Euler angle conversion", Graphics Gems IV (1994).

KIDO_BEGIN

// Gimbal lock: below this |cos| of the second angle (|sin| where first = last) the third angle is taken as 0.
inline constexpr double kGimbalLock = 1e-14;

// Axes x, y, z are 0, 1, 2; second differs from first and last.
struct EulerOrder {
    int first, second, last;

    constexpr bool symmetric() const { return first == last; }
    constexpr int third() const { return 3 - first - second; }
    constexpr double parity() const { return (second - first + 3) % 3 == 1 ? 1.0 : -1.0; }
};

template <class T>
KIDO_INLINE Mat3<T> axis_rotation(int axis, T angle) {
    const SinCos<T> t = sincos(angle);
    const T o(0.0), l(1.0);
    if (axis == 0) return {{l, o, o}, {o, t.cos, t.sin}, {o, -t.sin, t.cos}};
    if (axis == 1) return {{t.cos, o, -t.sin}, {o, l, o}, {t.sin, o, t.cos}};
    return {{t.cos, t.sin, o}, {-t.sin, t.cos, o}, {o, o, l}};
}

template <class T>
KIDO_INLINE Mat3<T> euler_rotation(const Vec3<T>& angles, EulerOrder order) {
    const Mat3<T> start = axis_rotation(order.first, angles.x) * axis_rotation(order.second, angles.y);
    return start * axis_rotation(order.last, angles.z);
}

// Angles of R: the first and last in [-pi, pi], the second in [-pi/2, pi/2], or [0, pi] where first = last.
template <class T>
KIDO_INLINE Vec3<T> euler_angles(const Mat3<T>& R, EulerOrder order) {
    const Vec3<T> columns[3] = {R.x, R.y, R.z};
    const auto at = [&](int row, int column) {
        const Vec3<T>& c = columns[column];
        return row == 0 ? c.x : row == 1 ? c.y : c.z;
    };
    const int i = order.first, j = order.second, k = order.third();
    const double e = order.parity();
    const bool symmetric = order.symmetric();
    const T y = symmetric ? at(j, i) : -e * at(j, k), x = symmetric ? -e * at(k, i) : at(k, k);
    const T length = sqrt(x * x + y * y);
    const Mask<T> locked = length < kGimbalLock;
    const T a = atan2(T(select(locked, e * at(k, j), y)), T(select(locked, at(j, j), x)));
    const T b = symmetric ? atan2(length, at(i, i)) : atan2(T(e * at(i, k)), length);
    // R_second(b) leaves this row of R_last(c) alone, so c fits a and b however near the lock is.
    const SinCos<T> t = sincos(a);
    const int m = symmetric ? k : i;
    const T sine = (t.cos * at(j, m) + e * t.sin * at(k, m)) * (symmetric ? -e : e);
    const T cosine = t.cos * at(j, j) + e * t.sin * at(k, j);
    return {a, b, select(locked, T(0.0), T(atan2(sine, cosine)))};
}

KIDO_END
