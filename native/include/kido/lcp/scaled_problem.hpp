#pragma once

#include "kido/lcp/dense_rows.hpp"
#include "kido/lcp/problem.hpp"
#include "kido/scalar/scalar.hpp"
#include "kido/tree/scratch.hpp"

// The same problem with the diagonal of A near 1: x = D y, w = v / D, where D has powers of two, so that nothing is
// rounded. What is small or large is then so for all rows alike, whatever their units.

KIDO_BEGIN

// Powers of two near the inverse roots of the diagonal; of the largest entry of a row whose diagonal is not positive.
// The two tangents of a cone have one.
inline void find_scale(const LcpProblem& p, double* D) {
    const auto power = [](double size) {
        int exponent;
        std::frexp(size, &exponent);
        return std::ldexp(1.0, -((exponent - 1) >> 1));
    };
    for (int i = 0; i < p.n; ++i) {
        const double* row = p.A + static_cast<std::size_t>(i) * p.n;
        double size = row[i];
        if (!(size > 0.0)) {
            size = 0.0;
            for (int j = 0; j < p.n; ++j) size = max(size, abs(row[j]));
        }
        D[i] = size > 0.0 ? power(size) : 1.0;
    }
    for (int c = 0; c < p.cones; ++c) {
        const int *t = p.cone_rows + 3 * c;
        D[t[1]] = D[t[2]] = min(D[t[1]], D[t[2]]);
    }
}

// Of a scaled problem.
inline bool is_symmetric(const LcpProblem& p) {
    constexpr double kAsymmetry = 1e-9;  // relative to the roots of the two diagonals, which are near 1
    for (int i = 0; i < p.n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double one = p.A[static_cast<std::size_t>(i) * p.n + j], other = p.A[static_cast<std::size_t>(j) * p.n + i];
            if (!(abs(one - other) <= kAsymmetry)) return false;
        }
    }
    return true;
}

class ScaledProblem {
public:
    ScaledProblem(const LcpProblem& given, Scratch& s) : given_(given) {
        const std::size_t n = static_cast<std::size_t>(given.n);
        A = s.take<double>(n * n);
        for (double** v : {&scale, &b, &lower, &upper}) *v = s.take<double>(n);
        friction_index = s.take<int>(n);
        cone_of = s.take<int>(n);
        cone_friction = s.take<double>(static_cast<std::size_t>(given.cones));
    }

    void fill() {
        const int n = given_.n;
        find_scale(given_, scale);
        for (int i = 0; i < n; ++i) {
            const std::size_t row = static_cast<std::size_t>(i) * n;
            for (int j = 0; j < n; ++j) A[row + j] = given_.A[row + j] * (scale[i] * scale[j]);
            b[i] = given_.b[i] * scale[i];
            const int normal = friction_index[i] = given_.friction_index[i];
            const double factor = (normal < 0 ? 1.0 : scale[normal]) / scale[i];
            lower[i] = given_.lower[i] * factor;
            upper[i] = given_.upper[i] * factor;
            cone_of[i] = -1;
        }
        for (int c = 0; c < given_.cones; ++c) {
            const int* rows = given_.cone_rows + 3 * c;
            cone_friction[c] = given_.cone_friction[c] * scale[rows[0]] / scale[rows[1]];
            cone_of[rows[1]] = cone_of[rows[2]] = c;
        }
    }

    LcpProblem view() const {
        return {given_.n, A, b, lower, upper, friction_index, given_.cones, given_.cone_rows, cone_friction};
    }

    double *A, *scale, *b, *lower, *upper, *cone_friction;
    int *friction_index, *cone_of;  // cone_of: the cone that a tangential row belongs to, or -1

private:
    const LcpProblem& given_;
};

KIDO_END
