#pragma once

#include "kido/scalar/lanes.hpp"

// Sums over rows of doubles, in one order on every instruction set.

KIDO_BEGIN

namespace dense {

// Eight sums side by side, then those of the rest.
template <class Product>
KIDO_INLINE double sum_of(const double* a, const double* b, int n, const Product& product) {
    Lanes<8> sums(0.0);
    int k = 0;
    for (; k + 8 <= n; k += 8) {
        Lanes<8> p, q;
        std::memcpy(&p.v, a + k, sizeof p.v);
        std::memcpy(&q.v, b + k, sizeof q.v);
        sums = sums + product(p, q);
    }
    double rest = 0.0;
    for (; k < n; ++k) rest += product(a[k], b[k]);
    const auto& s = sums.v;
    return (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))) + rest;
}

KIDO_INLINE double dot(const double* a, const double* b, int n) {
    return sum_of(a, b, n, [](auto x, auto y) { return x * y; });
}

// Sum of |a b|: what the rounding of `dot` goes by.
KIDO_INLINE double dot_of_sizes(const double* a, const double* b, int n) {
    return sum_of(a, b, n, [](auto x, auto y) { return abs(x * y); });
}

// y += factor x
KIDO_INLINE void add(double* y, double factor, const double* x, int n) {
    for (int k = 0; k < n; ++k) y[k] += factor * x[k];
}

}  // namespace dense

KIDO_END
