#pragma once

#include "kido/scalar/scalar.hpp"

// Sums and products as two numbers whose sum is exact (Dekker 1971, Knuth 1969).

KIDO_BEGIN

template <class T>
struct TwoParts {
    T high, low;
};

template <class T>
KIDO_INLINE TwoParts<T> exact_sum(T a, T b) {
    const T sum = a + b;
    const T t = sum - a;
    return {sum, (a - (sum - t)) + (b - t)};
}

template <class T>
KIDO_INLINE TwoParts<T> exact_product(T a, T b) {
    const T a_scaled = a * 134217729.0, b_scaled = b * 134217729.0;
    const T a_high = a_scaled - (a_scaled - a), a_low = a - a_high;
    const T b_high = b_scaled - (b_scaled - b), b_low = b - b_high;
    const T product = a * b;
    return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

KIDO_END
