#pragma once

#include <limits>

#include "kido/scalar/dual.hpp"
#include "kido/scalar/exact.hpp"
#include "kido/scalar/lanes.hpp"

// atan2 of any two numbers, signed zeros and infinities included, error below 0.7 ulp; the same operations
// for double and lanes, so the same bits. The smaller over the larger magnitude is reduced to |s| < 7/16 by
// atan(c) with c = 0, 1/2 or 1, whose numerator is exact; the quotient is kept in two parts. Polynomial: the
// minimax coefficients published with fdlibm (Sun Microsystems, 1993).

KIDO_BEGIN

namespace arctangent {

inline constexpr double kPiHigh = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;
inline constexpr double kAtanHalfHigh = 0x1.dac670561bb4fp-2, kAtanHalfLow = 0x1.a2b7f222f65e2p-56;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// numerator / (a + b) for a >= b >= 0.
template <class T>
KIDO_INLINE TwoParts<T> quotient(T numerator, T a, T b) {
    const TwoParts<T> sum = exact_sum(a, b);
    const T high = numerator / sum.high;
    const TwoParts<T> product = exact_product(high, sum.high);
    const T rest = ((numerator - product.high) - product.low) - high * sum.low;
    return {high, select(abs(high) < T(0x1p-27), T(0.0), rest / sum.high)};
}

// atan(s) - s.high for |s| < 7/16.
template <class T>
KIDO_INLINE T bend(TwoParts<T> s) {
    const T z = s.high * s.high;
    const T series = 3.33333333333329318027e-01 +
                     z * (-1.99999999998764832476e-01 +
                          z * (1.42857142725034663711e-01 +
                               z * (-1.11111104054623557880e-01 +
                                    z * (9.09088713343650656196e-02 +
                                         z * (-7.69187620504482999495e-02 +
                                              z * (6.66107313738753120669e-02 +
                                                   z * (-5.83357013379057348645e-02 +
                                                        z * (4.97687799461593236017e-02 +
                                                             z * (-3.65315727442169155270e-02 +
                                                                  z * 1.62858201153657823623e-02)))))))));
    return (s.low - s.low * z) - s.high * (z * series);
}

}  // namespace arctangent

// Angle of the vector (x, y) from the x axis, in [-pi, pi].
template <class T>
KIDO_INLINE T atan2(T y, T x) {
    using namespace arctangent;
    const T width = abs(x), height = abs(y);
    const Mask<T> steep = height > width, behind = pattern_bit(x, 63), below = pattern_bit(y, 63);
    T small = select(steep, width, height), large = select(steep, height, width);
    const Mask<T> endless = large == T(kInfinity);
    small = select(endless, select(small == T(kInfinity), T(1.0), T(0.0)), small);
    large = select(endless | (large == T(0.0)), T(1.0), large);
    const T scale = select(large > T(0x1p900), T(0x1p-128), select(large < T(0x1p-800), T(0x1p200), T(1.0)));
    small = small * scale;
    large = large * scale;

    const Mask<T> middle = small * 16.0 >= large * 7.0, upper = small * 16.0 >= large * 11.0;
    const T twice = select(upper, T(1.0), T(2.0));
    const TwoParts<T> s = quotient(select(middle, small * twice - large, small),
                                   select(middle, large * twice, large), select(middle, small, T(0.0)));
    const T c_high = select(upper, T(0.25 * kPiHigh), select(middle, T(kAtanHalfHigh), T(0.0)));
    const T c_low = select(upper, T(0.25 * kPiLow), select(middle, T(kAtanHalfLow), T(0.0)));
    const T turn = select(steep, T(0.5), select(behind, T(1.0), T(0.0)));
    const T sign = select(steep ^ behind, T(-1.0), T(1.0));

    const TwoParts<T> base = exact_sum(turn * kPiHigh, sign * c_high);
    const TwoParts<T> angle = exact_sum(base.high, sign * s.high);
    const T rest = base.low + (turn * kPiLow + sign * c_low);
    const T result = angle.high + (angle.low + (rest + sign * bend(s)));
    return select(below, -result, result);
}

template <class T>
KIDO_INLINE Dual<T> atan2(Dual<T> y, Dual<T> x) {
    const T size = max(T(abs(x.value)), T(abs(y.value)));
    const T u = x.value / size, w = y.value / size;
    return {atan2(y.value, x.value), (u * y.dot - w * x.dot) / (size * (u * u + w * w))};
}

KIDO_END
