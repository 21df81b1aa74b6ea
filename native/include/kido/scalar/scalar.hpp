#pragma once

#include <cmath>
#include <cstdint>
#include <concepts>
#include <cstring>

#include "kido/config.hpp"

// Scalar concept: + - * / and unary minus with itself and with double, comparisons that give a mask, and the
// functions below. Models: double, Lanes<W> (one sample a lane), Dual<T> (value and one directional derivative).

KIDO_BEGIN

template <class T>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
    using Mask = bool;
    static constexpr int lanes = 1;
};

template <class T>
using Mask = typename ScalarTraits<T>::Mask;

template <class T>
inline constexpr int lanes_of = ScalarTraits<T>::lanes;

KIDO_INLINE double select(bool mask, double a, double b) { return mask ? a : b; }
KIDO_INLINE double sqrt(double x) { return std::sqrt(x); }
KIDO_INLINE double abs(double x) { return std::fabs(x); }
KIDO_INLINE bool any(bool mask) { return mask; }
KIDO_INLINE bool all(bool mask) { return mask; }
KIDO_INLINE double get_lane(double x, int) { return x; }
KIDO_INLINE void set_lane(double& x, int, double value) { x = value; }

template <class T>
concept Scalar = requires(T a, T b, Mask<T> m, double c) {
    a + b;
    a - b;
    a * b;
    a / b;
    -a;
    a * c;
    c * a;
    a + c;
    { a < b } -> std::same_as<Mask<T>>;
    { select(m, a, b) } -> std::same_as<T>;
    { sqrt(a) } -> std::same_as<T>;
    { abs(a) } -> std::same_as<T>;
    { any(m) } -> std::same_as<bool>;
    { all(m) } -> std::same_as<bool>;
};

// Bit `index` of the binary64 pattern, as a mask: reads the integer out of a sum with 1.5 * 2^52.
KIDO_INLINE bool pattern_bit(double x, int index) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return (bits >> index) & 1U;
}

KIDO_INLINE bool is_finite(double x) { return x - x == 0.0; }

template <class T>
KIDO_INLINE T square(T x) {
    return x * x;
}

template <class T>
KIDO_INLINE T max(T a, T b) {
    return select(a < b, b, a);
}

template <class T>
KIDO_INLINE T min(T a, T b) {
    return select(b < a, b, a);
}

KIDO_END
