#pragma once

#include "kido/scalar/exact.hpp"
#include "kido/scalar/lanes.hpp"

// Reduction of an angle to [-pi/4, pi/4]: x = quadrant * pi/2 + (high + low), |low| <= ulp(high) / 2.
// Up to 1.02e5 by Cody and Waite (1980) with pi/2 in three parts whose products with the quadrant are exact;
// beyond by Payne and Hanek (1983): the bits of 2/pi that matter, multiplied as integers.

KIDO_BEGIN

template <class T>
struct ReducedAngle {
    T high, low;
    Mask<T> odd;       // quadrant 1 or 3
    Mask<T> half_turn; // quadrant 2 or 3
};

namespace reduction {

inline constexpr double kLargest = 102943.0;  // 2^16 * pi/2
inline constexpr double kToInteger = 0x1.8p52;
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kPart1 = 0x1.921fb5444p+0;  // 36 bits
inline constexpr double kPart2 = 0x1.68c234c4cp-39; // 36 bits
inline constexpr double kPart3 = 0x1.98a2e03707345p-77;
inline constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
inline constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;

// 2/pi after the binary point, 32 bits a word.
inline constexpr std::uint32_t kTwoOverPiWords[40] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
    0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
    0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D};

// Payne and Hanek for one |x| > kLargest, finite. Returns the quadrant.
KIDO_NOINLINE inline int reduce_large(double x, double& high, double& low) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const bool negative = bits >> 63;
    const int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1075;  // |x| = mantissa * 2^exponent
    const std::uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFULL) | 0x10000000000000ULL;
    // Words of 2/pi before `first` only add multiples of 4 to the quadrant.
    const int first = exponent > 2 ? (exponent - 2) / 32 : 0;
    constexpr int window = 8, digits = window + 2;
    std::uint32_t product[digits] = {};  // least significant first: mantissa * window of 2/pi
    const std::uint64_t factor[2] = {mantissa & 0xFFFFFFFFULL, mantissa >> 32};
    for (int part = 0; part < 2; ++part) {
        std::uint64_t carry = 0;
        for (int i = 0; i < window; ++i) {
            const std::uint64_t t = factor[part] * kTwoOverPiWords[first + window - 1 - i] + product[i + part] + carry;
            product[i + part] = static_cast<std::uint32_t>(t);
            carry = t >> 32;
        }
        product[window + part] = static_cast<std::uint32_t>(carry);
    }
    // The binary point stands `point` bits above the bottom of the product.
    const int point = 32 * (first + window) - exponent;
    const auto bit = [&](int i) { return (product[i / 32] >> (i % 32)) & 1U; };
    int quadrant = static_cast<int>(bit(point) | (bit(point + 1) << 1));
    const bool up = bit(point - 1);
    quadrant += up ? 1 : 0;
    double sum = 0.0, error = 0.0;  // the fraction in [-1/2, 1/2)
    for (int i = 0; 32 * i < point; ++i) {
        std::uint32_t word = up ? ~product[i] : product[i];
        const int keep = point - 32 * i;
        if (keep < 32) word &= (1U << keep) - 1U;
        const TwoParts<double> s = exact_sum(std::ldexp(static_cast<double>(word), 32 * i - point), sum);
        const TwoParts<double> t = exact_sum(s.high, s.low + error);
        sum = t.high;
        error = t.low;
    }
    const TwoParts<double> p = exact_product(sum, kHalfPiHigh);
    const TwoParts<double> r = exact_sum(p.high, p.low + (sum * kHalfPiLow + error * kHalfPiHigh));
    const bool minus = up != negative;
    high = minus ? -r.high : r.high;
    low = minus ? -r.low : r.low;
    return (negative ? -quadrant : quadrant) & 3;
}

}  // namespace reduction

template <class T>
KIDO_INLINE ReducedAngle<T> reduce_angle(T x) {
    using namespace reduction;
    T shifted = x * kTwoOverPi + kToInteger;
    const T k = shifted - kToInteger;
    const T first = x - k * kPart1;
    const T second = k * kPart2;
    const T difference = first - second;
    const T back = difference - first;
    const T rounding = (first - (difference - back)) - (second + back);
    const T rest = rounding - k * kPart3;
    T high = difference + rest;
    const T moved = high - difference;
    T low = (difference - (high - moved)) + (rest - moved);
    const Mask<T> large = abs(x) > T(kLargest);
    if (any(large)) [[unlikely]] {
        for (int i = 0; i < lanes_of<T>; ++i) {
            const double angle = get_lane(x, i);
            if (!(std::fabs(angle) > kLargest)) continue;
            double lane_high = angle - angle, lane_low = 0.0;  // NaN where the angle is not finite
            const int quadrant = is_finite(angle) ? reduce_large(angle, lane_high, lane_low) : 0;
            set_lane(high, i, lane_high);
            set_lane(low, i, lane_low);
            set_lane(shifted, i, kToInteger + quadrant);
        }
    }
    return {high, low, pattern_bit(shifted, 0), pattern_bit(shifted, 1)};
}

KIDO_END
