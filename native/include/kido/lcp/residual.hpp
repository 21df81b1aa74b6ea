#pragma once

#include "kido/lcp/scaled_problem.hpp"

// How far x is from a solution: the largest |x - P(x - w)|, where P moves a number to the nearest one within its
// bounds, and the two of a cone's tangent into its disc. It is zero at solutions and nowhere else. Taken in the scaled
// problem, and divided by the size of that: a number without unit.

KIDO_BEGIN

// The nearest point of a disc.
KIDO_INLINE void into_disc(double radius, double& first, double& second) {
    const double size = sqrt(first * first + second * second);
    if (size <= radius) return;
    const double factor = radius / size;
    first *= factor;
    second *= factor;
}

// Constant bounds, or those of friction at x.
KIDO_INLINE double lower_bound(const LcpProblem& p, int i, const double* x) {
    const int j = p.friction_index[i];
    return j < 0 ? p.lower[i] : p.lower[i] * max(x[j], 0.0);
}
KIDO_INLINE double upper_bound(const LcpProblem& p, int i, const double* x) {
    const int j = p.friction_index[i];
    return j < 0 ? p.upper[i] : p.upper[i] * max(x[j], 0.0);
}

inline void project(const LcpProblem& p, double* x) {
    for (int i = 0; i < p.n; ++i) {
        if (p.friction_index[i] < 0) x[i] = min(max(x[i], p.lower[i]), p.upper[i]);
    }
    for (int i = 0; i < p.n; ++i) {
        if (p.friction_index[i] >= 0) x[i] = min(max(x[i], lower_bound(p, i, x)), upper_bound(p, i, x));
    }
    for (int c = 0; c < p.cones; ++c) {
        const int* r = p.cone_rows + 3 * c;
        into_disc(p.cone_friction[c] * max(x[r[0]], 0.0), x[r[1]], x[r[2]]);
    }
}

inline void multiply(const LcpProblem& p, const double* x, double* w) {
    for (int i = 0; i < p.n; ++i) w[i] = dense::dot(p.A + static_cast<std::size_t>(i) * p.n, x, p.n) + p.b[i];
}

// x - P(x - w) of all rows, into r (n). `scale` may be null: all 1. Both are numbers of the scaled problem then.
inline void natural_residual(const LcpProblem& p, const double* scale, const double* x, const double* w, double* r) {
    for (int i = 0; i < p.n; ++i) {
        const double D = scale ? scale[i] : 1.0, y = x[i] / D, moved = y - w[i] * D;
        r[i] = y - min(max(moved, lower_bound(p, i, x) / D), upper_bound(p, i, x) / D);
    }
    for (int c = 0; c < p.cones; ++c) {
        const int* rows = p.cone_rows + 3 * c;
        const int t = rows[1], u = rows[2];
        const double D = scale ? scale[t] : 1.0;
        double first = x[t] / D - w[t] * D, second = x[u] / D - w[u] * D;
        into_disc(p.cone_friction[c] * max(x[rows[0]], 0.0) / D, first, second);
        r[t] = x[t] / D - first;
        r[u] = x[u] / D - second;
    }
}

inline constexpr double kLeastSize = 0x1p-970;  // the least normal number, over the rounding of 1

// What residuals are compared with: the largest sum of sizes, in the scaled problem, of b and of what A makes of the
// point within constant bounds that is nearest to zero. It is that of the problem and not of x, so that nothing counts
// as small beside an x that grows without end. `nearest` (n) is overwritten. Where it is zero, that point is a
// solution. It is not less than what rounds as other numbers do: the last motions of what friction stops are 1e-317 m/s.
inline double size_of(const LcpProblem& p, const double* scale, double* nearest) {
    for (int i = 0; i < p.n; ++i) nearest[i] = p.friction_index[i] < 0 ? min(max(0.0, p.lower[i]), p.upper[i]) : 0.0;
    double largest = 0.0;
    for (int i = 0; i < p.n; ++i) {
        const double terms = dense::dot_of_sizes(p.A + static_cast<std::size_t>(i) * p.n, nearest, p.n) + abs(p.b[i]);
        largest = max(largest, terms * (scale ? scale[i] : 1.0));
    }
    return largest > 0.0 ? max(largest, kLeastSize) : largest;
}

// `size` is that of the problem, `r` (n) is overwritten. Infinite where a number is not finite.
inline double relative_residual(const LcpProblem& p, const double* scale, double size, const double* x, const double* w,
                                double* r) {
    natural_residual(p, scale, x, w, r);
    double largest = 0.0, poison = 0.0;
    for (int i = 0; i < p.n; ++i) {
        largest = max(largest, abs(r[i]));
        poison += 0.0 * (x[i] + w[i]);
    }
    if (!is_finite(poison) || !is_finite(size)) return HUGE_VAL;
    return largest == 0.0 ? 0.0 : (size > 0.0 ? largest / size : HUGE_VAL);
}

KIDO_END
