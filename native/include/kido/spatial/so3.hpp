#pragma once

#include <array>

#include "kido/scalar/atan.hpp"
#include "kido/scalar/trig.hpp"
#include "kido/spatial/quaternion.hpp"

// The rotation group: exponential, logarithm and their Jacobians as functions of the rotation vector
// r = axis * angle. Chirikjian, "Stochastic Models, Information Theory, and Lie Groups" vol. 2 (2012),
// section 10.6; Sola, Deray and Atchuthan, "A micro Lie theory for state estimation in robotics" (2018),
// section B.

KIDO_BEGIN

namespace so3 {

// Below these a power series takes over.
inline constexpr double kSmallSquare = 1e-4;         // angle^2, for sin and cos of its half
inline constexpr double kSmallTangentSquare = 1e-9;  // tan(angle / 2)^2, for the angle
inline constexpr double kSeriesSquare = 4.0;         // angle^2, for (angle - sin) / angle^3
inline constexpr double kCotangentSquare = 1.0;      // angle^2, for the cotangent of its half

// sin(t/2) / (t/2) and cos(t/2) as functions of t^2; smooth at 0.
template <class T>
struct HalfAngle {
    T sinc, cos;
};

template <class T>
KIDO_INLINE HalfAngle<T> half_angle(T square) {
    const T h2 = 0.25 * square;
    const T half = 0.5 * T(sqrt(square));
    const SinCos<T> exact = sincos(half);
    const T sinc = 1.0 - h2 * ((1.0 / 6.0) - h2 * (1.0 / 120.0));
    const T cosine = 1.0 - h2 * (0.5 - h2 * (1.0 / 24.0));
    const Mask<T> small = square < kSmallSquare;
    return {select(small, sinc, T(exact.sin / half)), select(small, cosine, exact.cos)};
}

inline constexpr int kTerms = 12;

// 1/3!, 1/5!, 1/7!, ...
inline constexpr std::array<double, kTerms> kSineTerms = [] {
    std::array<double, kTerms> terms{};
    double factorial = 6.0;
    for (int k = 0; k < kTerms; ++k) {
        terms[k] = 1.0 / factorial;
        factorial *= (2.0 * k + 4.0) * (2.0 * k + 5.0);
    }
    return terms;
}();

// |B_2|/2!, |B_4|/4!, |B_6|/6!, ... with Bernoulli numbers B.
inline constexpr std::array<double, kTerms> kCotangentTerms = [] {
    std::array<double, kTerms> terms = {
        1.0 / 6.0, 1.0 / 30.0,     1.0 / 42.0,      1.0 / 30.0,       5.0 / 66.0,       691.0 / 2730.0,
        7.0 / 6.0, 3617.0 / 510.0, 43867.0 / 798.0, 174611.0 / 330.0, 854513.0 / 138.0, 236364091.0 / 2730.0};
    double factorial = 2.0;
    for (int k = 0; k < kTerms; ++k) {
        terms[k] /= factorial;
        factorial *= (2.0 * k + 3.0) * (2.0 * k + 4.0);
    }
    return terms;
}();

// (t - sin t) / t^3 as a function of t^2.
template <class T>
KIDO_INLINE T third_coefficient(T square, const HalfAngle<T>& half) {
    T series = kSineTerms[kTerms - 1];
    for (int k = kTerms - 2; k >= 0; --k) series = kSineTerms[k] - square * series;
    const T direct = (1.0 - half.sinc * half.cos) / square;
    return select(square < kSeriesSquare, series, direct);
}

// (1 - (t/2) cot(t/2)) / t^2 as a function of t^2.
template <class T>
KIDO_INLINE T inverse_coefficient(T square, const HalfAngle<T>& half) {
    T series = kCotangentTerms[kTerms - 1];
    for (int k = kTerms - 2; k >= 0; --k) series = kCotangentTerms[k] + square * series;
    const T direct = (1.0 - half.cos / half.sinc) / square;
    return select(square < kCotangentSquare, series, direct);
}

// I + linear [r]x + quadratic [r]x^2.
template <class T>
KIDO_INLINE Mat3<T> polynomial(const Vec3<T>& r, T linear, T quadratic) {
    const Vec3<T> a = r * linear, b = r * quadratic;
    const T xx = b.x * r.x, yy = b.y * r.y, zz = b.z * r.z;
    const T xy = b.x * r.y, xz = b.x * r.z, yz = b.y * r.z;
    return {{1.0 - (yy + zz), xy + a.z, xz - a.y},
            {xy - a.z, 1.0 - (xx + zz), yz + a.x},
            {xz + a.y, yz - a.x, 1.0 - (xx + yy)}};
}

}  // namespace so3

// Rotation about r by the angle |r|.
template <class T>
KIDO_INLINE Mat3<T> so3_exp(const Vec3<T>& r) {
    const so3::HalfAngle<T> half = so3::half_angle<T>(dot(r, r));
    return so3::polynomial<T>(r, half.sinc * half.cos, 0.5 * (half.sinc * half.sinc));
}

// Rotation vector of R, |r| <= pi. Of the two at |r| = pi, the one whose largest component is positive.
template <class T>
KIDO_INLINE Vec3<T> so3_log(const Mat3<T>& R) {
    Quaternion<T> q = scaled_quaternion(R);
    q = select<T>(q.w < 0.0, q * T(-1.0), q);
    const Vec3<T> v{q.x, q.y, q.z};
    const T square = dot(v, v);
    const T length = sqrt(square);
    const T tangent2 = square / (q.w * q.w);
    const T series = (2.0 - tangent2 * (2.0 / 3.0)) / q.w;
    const T direct = 2.0 * T(atan2(length, q.w)) / length;
    return v * T(select(tangent2 < so3::kSmallTangentSquare, series, direct));
}

// J_l with exp(r + dr) = exp(J_l dr) exp(r): spatial angular velocity = J_l dr/dt.
template <class T>
KIDO_INLINE Mat3<T> so3_left_jacobian(const Vec3<T>& r) {
    const T square = dot(r, r);
    const so3::HalfAngle<T> half = so3::half_angle(square);
    return so3::polynomial<T>(r, 0.5 * (half.sinc * half.sinc), so3::third_coefficient(square, half));
}

// J_r with exp(r + dr) = exp(r) exp(J_r dr): body angular velocity = J_r dr/dt.
template <class T>
KIDO_INLINE Mat3<T> so3_right_jacobian(const Vec3<T>& r) {
    return so3_left_jacobian<T>(-r);
}

// Singular at |r| = 2 pi, 4 pi, ...
template <class T>
KIDO_INLINE Mat3<T> so3_left_jacobian_inverse(const Vec3<T>& r) {
    const T square = dot(r, r);
    return so3::polynomial<T>(r, T(-0.5), so3::inverse_coefficient(square, so3::half_angle(square)));
}

template <class T>
KIDO_INLINE Mat3<T> so3_right_jacobian_inverse(const Vec3<T>& r) {
    return so3_left_jacobian_inverse<T>(-r);
}

KIDO_END
