#pragma once

#include "kido/spatial/inertia.hpp"
#include "kido/spatial/so3.hpp"
#include "kido/spatial/solve3.hpp"

// The rotation in a step of a body that no torque acts on: the implicit midpoint rule of its angular momentum in its own axes, which
// keeps energy exactly, with the Cayley map, by which momentum stays in world axes (Hairer, Lubich and Wanner 2006, Geometric
// Numerical Integration, VII.5). The step is scaled so that a steady spin turns by its true angle.

KIDO_BEGIN

inline constexpr int kTurnIterations = 2;

// Half of a step of length h, scaled: the tangent of half the angle by which `spin` turns in it, over its size.
template <class T>
KIDO_INLINE T half_step(const Vec3<T>& spin, double h) {
    const T t = min(dot(spin, spin) * (0.25 * h * h), T(1.0));
    return (1.0 + t * (1.0 / 3.0 + t * (2.0 / 15.0 + t * (17.0 / 315.0 + t * (62.0 / 2835.0))))) * (0.5 * h);
}

// Tangent of half the angle times the axis, in principal axes; spin: angular velocity there.
template <class T>
KIDO_INLINE Vec3<T> free_turn(const Vec3<T>& spin, const Vec3<T>& moments, const Vec3<T>& inverse, double h) {
    const auto times = [](const Vec3<T>& a, const Vec3<T>& b) { return Vec3<T>{a.x * b.x, a.y * b.y, a.z * b.z}; };
    const T half = half_step(spin, h);
    const Vec3<T> momentum = times(moments, spin);
    Vec3<T> w = spin + times(inverse, cross(momentum, spin)) * half;
    KIDO_UNROLL
    for (int i = 0; i < kTurnIterations; ++i) {  // Newton: I w - half (I w) x w = I spin
        const Vec3<T> l = times(moments, w), miss = l - cross(l, w) * half - momentum;
        // Columns of I - half ([I w] - [w] I).
        const Vec3<T> x = {moments.x, (w.z * moments.x - l.z) * half, (l.y - w.y * moments.x) * half};
        const Vec3<T> y = {(l.z - w.z * moments.y) * half, moments.y, (w.x * moments.y - l.x) * half};
        const Vec3<T> z = {(w.y * moments.z - l.y) * half, (l.x - w.x * moments.z) * half, moments.z};
        w -= solved(x, y, z, miss);
    }
    return w * half;
}

// How a body turns in a step, in the axes that it has at the start.
struct Turn {
    Mat3<double> rotation;
    Vec3<double> velocity;  // angular, at the end
};

// The same of any inertia I, with the rotation that it makes and the angular velocity at its end.
inline Turn free_turn(const Vec3<double>& spin, const Sym3<double>& I, double h) {
    const double half = half_step(spin, h);
    const Vec3<double> momentum = I * spin, x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    Vec3<double> w = spin;
    for (int i = 0; i <= kTurnIterations; ++i) {
        const Vec3<double> l = I * w, miss = l - cross(l, w) * half - momentum;
        const auto column = [&](const Vec3<double>& e) { return I * e - (cross(I * e, w) + cross(l, e)) * half; };
        w -= solved(column(x), column(y), column(z), miss);
    }
    const Vec3<double> c = w * half;
    const double size = std::sqrt(dot(c, c)), scale = size > 1e-8 ? 2.0 * std::atan(size) / size : 2.0;
    const Mat3<double> R = so3_exp(c * scale);
    return {R, solved(I * x, I * y, I * z, transposed_times(R, momentum))};
}

KIDO_END
