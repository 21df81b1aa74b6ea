#pragma once

#include "kido/ik/closed_form/subproblems.hpp"

// Real roots on the circle of c0 + c1 cos + s1 sin + c2 cos 2x + s2 sin 2x, those where it only touches zero included.
// With t = tan(x / 2), measured from where the function is large, it is a quartic; its roots are bracketed by those of
// its derivatives.

KIDO_BEGIN

namespace closed_form {

struct TrigPolynomial {
    double c0, c1, s1, c2, s2;

    KIDO_INLINE double at(double x) const {
        const SinCos<double> y = sincos(x);
        return c0 + c1 * y.cos + s1 * y.sin + c2 * (y.cos * y.cos - y.sin * y.sin) + s2 * (2.0 * y.sin * y.cos);
    }
    KIDO_INLINE double size() const { return abs(c0) + abs(c1) + abs(s1) + abs(c2) + abs(s2); }

    // As a function of x - by.
    TrigPolynomial shifted(double by) const {
        const SinCos<double> a = sincos(by), b = sincos(2.0 * by);
        return {c0, c1 * a.cos + s1 * a.sin, s1 * a.cos - c1 * a.sin, c2 * b.cos + s2 * b.sin, s2 * b.cos - c2 * b.sin};
    }
};

// Product of (a0 + a1 cos + a2 sin) and (b0 + b1 cos + b2 sin).
KIDO_INLINE TrigPolynomial product(const double (&a)[3], const double (&b)[3]) {
    return {a[0] * b[0] + 0.5 * (a[1] * b[1] + a[2] * b[2]), a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[2] * b[0],
            0.5 * (a[1] * b[1] - a[2] * b[2]), 0.5 * (a[1] * b[2] + a[2] * b[1])};
}
KIDO_INLINE TrigPolynomial sum(const TrigPolynomial& p, double f, const TrigPolynomial& q) {
    return {p.c0 + f * q.c0, p.c1 + f * q.c1, p.s1 + f * q.s1, p.c2 + f * q.c2, p.s2 + f * q.s2};
}

inline double value_of(const double* p, int degree, double t) {
    double y = p[degree];
    for (int k = degree - 1; k >= 0; --k) y = y * t + p[k];
    return y;
}

// The root between two points where signs differ: Newton steps that bisect where they would leave the bracket.
inline double bracketed(const double* p, const double* slope, int degree, double low, double high) {
    const bool rising = value_of(p, degree, high) > 0.0;
    double t = 0.5 * (low + high);
    for (int k = 0; k < 200; ++k) {
        const double y = value_of(p, degree, t);
        if (y == 0.0) return t;
        ((y > 0.0) == rising ? high : low) = t;
        const double next = t - y / value_of(slope, degree - 1, t);
        const double last = t;
        t = next > low && next < high ? next : 0.5 * (low + high);
        if (abs(t - last) <= 1e-16 * (abs(t) + 1e-3)) return t;
    }
    return t;
}

// Real roots of a polynomial in increasing order, touching ones included, within +-bound; returns their number.
inline int real_roots(const double* p, int degree, double bound, double* roots) {
    double slope[4] = {}, extrema[6];
    int count = 0;
    if (degree == 1) {
        if (p[1] == 0.0) return 0;
        roots[0] = -p[0] / p[1];
        return abs(roots[0]) <= bound ? 1 : 0;
    }
    for (int k = 1; k <= degree; ++k) slope[k - 1] = k * p[k];
    const int between = real_roots(slope, degree - 1, bound, extrema + 1);
    extrema[0] = -bound;
    extrema[between + 1] = bound;
    double before = value_of(p, degree, extrema[0]);
    for (int k = 1; k <= between + 1; ++k) {
        const double y = value_of(p, degree, extrema[k]);
        if ((before < 0.0) != (y < 0.0)) roots[count++] = bracketed(p, slope, degree, extrema[k - 1], extrema[k]);
        before = y;
    }
    return count;
}

// Up to four angles. Where there is none and `nearest`, those where the function comes closest to zero.
inline int roots_on_circle(const TrigPolynomial& original, bool nearest, double* angles) {
    constexpr int samples = 8;
    constexpr double touching = 1e-10, separation = 1e-4;
    double away = 0.0, most = -1.0;
    for (int k = 0; k < samples; ++k) {
        const double x = 2.0 * arctangent::kPiHigh * k / samples;
        const double y = abs(original.at(x));
        if (y > most) {
            most = y;
            away = x;
        }
    }
    const double by = away - arctangent::kPiHigh;
    const TrigPolynomial f = original.shifted(by);
    const double p[5] = {f.c0 + f.c1 + f.c2, 2.0 * f.s1 + 4.0 * f.s2, 2.0 * f.c0 - 6.0 * f.c2, 2.0 * f.s1 - 4.0 * f.s2,
                         f.c0 - f.c1 + f.c2};
    const double slope[4] = {p[1], 2.0 * p[2], 3.0 * p[3], 4.0 * p[4]};
    double bound = 0.0, t[8];
    for (int k = 0; k < 4; ++k) bound = max(bound, abs(p[k] / p[4]));
    if (!is_finite(bound)) return 0;
    const int crossings = real_roots(p, 4, bound + 1.0, t);
    int count = crossings;
    for (int k = 0; k < count; ++k) angles[k] = 2.0 * atan2(t[k], 1.0) + by;
    const int extrema = real_roots(slope, 3, bound + 1.0, t);
    for (int k = 0; k < extrema; ++k) {
        const double x = 2.0 * atan2(t[k], 1.0) + by;
        bool counts = nearest && crossings == 0;
        counts = counts || abs(original.at(x)) <= touching * original.size();
        for (int j = 0; j < crossings; ++j) counts = counts && abs(angles[j] - x) > separation;
        if (counts && count < 4) angles[count++] = x;
    }
    return count;
}

}  // namespace closed_form

KIDO_END
