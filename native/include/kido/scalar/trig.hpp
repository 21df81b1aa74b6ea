#pragma once

#include "kido/scalar/dual.hpp"
#include "kido/scalar/masked.hpp"
#include "kido/scalar/reduction.hpp"

// sin and cos of one angle, the same operations for double and lanes, so the same bits; error below 1 ulp.
// Polynomials on [-pi/4, pi/4]: the minimax coefficients published with fdlibm (Sun Microsystems, 1993).

KIDO_BEGIN

template <class T>
struct SinCos {
    T sin, cos;
};

template <class T>
KIDO_INLINE SinCos<T> sincos(T x) {
    const ReducedAngle<T> angle = reduce_angle(x);
    const T r = angle.high;
    const T tail = angle.low;
    const T z = r * r;
    const T s_poly =
        8.33333333332248946124e-03 +
        z * (-1.98412698298579493134e-04 +
             z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
    const T cube = z * r;
    const T s = r - ((z * (0.5 * tail - cube * s_poly) - tail) - cube * -1.66666666666666324348e-01);
    const T c_poly =
        z * (4.16666666666666019037e-02 +
             z * (-1.38888888888741095749e-03 +
                  z * (2.48015872894767294178e-05 +
                       z * (-2.75573143513906633035e-07 +
                            z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const T half = 0.5 * z;
    const T w = 1.0 - half;
    const T c = w + (((1.0 - w) - half) + (z * c_poly - r * tail));
    const T sine = select(angle.odd, c, s);
    const T cosine = select(angle.odd, s, c);
    return {select(angle.half_turn, -sine, sine), select(angle.half_turn ^ angle.odd, -cosine, cosine)};
}

template <class T>
KIDO_INLINE SinCos<Dual<T>> sincos(Dual<T> x) {
    const SinCos<T> y = sincos(x.value);
    return {{y.sin, y.cos * x.dot}, {y.cos, -(y.sin * x.dot)}};
}

// sin and cos of `count` angles; doubles go through the lanes, which give the same bits.
template <class T>
KIDO_NOINLINE inline void sincos(const T* x, int count, T* sine, T* cosine) {
    for (int i = 0; i < count; ++i) {
        const SinCos<T> y = sincos(x[i]);
        sine[i] = y.sin;
        cosine[i] = y.cos;
    }
}

KIDO_NOINLINE inline void sincos(const double* x, int count, double* sine, double* cosine) {
    constexpr int width = KIDO_LANES;
    int i = 0;
    for (; i + width <= count; i += width) {
        NativeLanes angle;
        std::memcpy(&angle.v, x + i, sizeof angle.v);
        const SinCos<NativeLanes> y = sincos(angle);
        std::memcpy(sine + i, &y.sin.v, sizeof y.sin.v);
        std::memcpy(cosine + i, &y.cos.v, sizeof y.cos.v);
    }
    if (i == count) return;
    const SinCos<NativeLanes> y = sincos(masked::load(x + i, count - i));
    masked::store(sine + i, y.sin, count - i);
    masked::store(cosine + i, y.cos, count - i);
}

KIDO_END
