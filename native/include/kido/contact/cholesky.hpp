#pragma once

#include <algorithm>
#include <cmath>

#include "kido/config.hpp"

// Cholesky factors of the small symmetric matrices by which rows of constraints respond to each other. Matrices and vectors are
// functions of indices, `at(i, j)` and `x(i)`, that give references.

KIDO_BEGIN

// L L^T of a matrix of n rows, in the place of its lower half. A pivot is the root of `least(i)` at least: rows that constrain the
// same leave none but rounding.
template <class Matrix, class Least>
KIDO_INLINE void factorize_in_place(int n, const Matrix& at, const Least& least) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = at(i, j);
            for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
            at(i, j) = i == j ? std::sqrt(std::max(sum, least(i))) : sum / at(j, j);
        }
    }
}

// x <- L^-1 x.
template <class Matrix, class Vector>
KIDO_INLINE void solve_lower(int n, const Matrix& at, const Vector& x) {
    for (int i = 0; i < n; ++i) {
        double sum = x(i);
        for (int k = 0; k < i; ++k) sum -= at(i, k) * x(k);
        x(i) = sum / at(i, i);
    }
}

// x <- L^-T x.
template <class Matrix, class Vector>
KIDO_INLINE void solve_upper(int n, const Matrix& at, const Vector& x) {
    for (int i = n - 1; i >= 0; --i) {
        double sum = x(i);
        for (int k = i + 1; k < n; ++k) sum -= at(k, i) * x(k);
        x(i) = sum / at(i, i);
    }
}

KIDO_END
