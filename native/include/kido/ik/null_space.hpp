#pragma once

#include "kido/ik/step_limits.hpp"

// Products of rows, and an orthonormal basis of what levels above take, or leave.

KIDO_BEGIN

class NullSpace : protected StepLimits {
protected:
    using StepLimits::StepLimits;

    using L = Loader<double>;

    double product(const double* a, const double* b) const {
        constexpr int pad = HierarchyMemory::pad, parts = pad / L::width;
        L::Value sum[parts];
        for (L::Value& s : sum) s = L::Value(0.0);
        for (int j = 0; j < w_.stride; j += pad) {
            for (int k = 0; k < parts; ++k) sum[k] += L::load(a + j + k * L::width) * L::load(b + j + k * L::width);
        }
        double x[pad];
        for (int k = 0; k < parts; ++k) L::store(x + k * L::width, sum[k]);
        return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
    }

    // x += factor y, of rows.
    void add(double* x, const double* y, double factor) const {
        for (int j = 0; j < w_.stride; j += L::width) L::store(x + j, L::load(x + j) + L::load(y + j) * factor);
    }

    // Takes from x what it has along some vectors of the basis: classical Gram-Schmidt, to be done twice where little is left. Daniel,
    // Gragg, Kaufman and Stewart, "Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization" (1976).
    void project_out(double* x, int begin, int end) const {
        for (int b = begin; b < end; ++b) w_.along[b] = product(x, row(w_.basis, b));
        subtract_along(x, begin, end);
    }

    // Extends the basis to all free dofs, by unit vectors, those first that are least in it; returns its new rank.
    int complete(int rank) {
        double* rest = w_.prior;
        for (int j = 0; j < w_.stride; ++j) rest[j] = w_.free[j];
        for (int b = 0; b < rank; ++b) subtract_squares(rest, row(w_.basis, b));
        for (const int all = num_free(); rank < all; ++rank) {
            int most = 0;
            for (int j = 1; j < m_.num_dofs; ++j) most = rest[j] > rest[most] ? j : most;
            double* unit = row(w_.basis, rank);
            for (int j = 0; j < w_.stride; ++j) unit[j] = 0.0;
            unit[most] = 1.0;
            for (int b = 0; b < rank; ++b) w_.along[b] = row(w_.basis, b)[most];
            subtract_along(unit, 0, rank);
            double squared = product(unit, unit);
            if (squared < kLittle) {
                project_out(unit, 0, rank);
                squared = product(unit, unit);
            }
            scale(unit, unit, 1.0 / sqrt(squared));
            subtract_squares(rest, unit);
        }
        return rank;
    }

    // Extends the basis by the rows of a level that are independent of it, of which it was taken out before; returns its new rank.
    int extend(int count, int rank, int most) {
        const int before = rank;
        for (int r = 0; r < count && rank < most; ++r) {
            double* P = row(w_.projected, r);
            const double size = sqrt(product(P, P));
            project_out(P, before, rank);
            double squared = product(P, P);
            if (squared < kLittle * w_.whole[r]) {
                project_out(P, 0, rank);
                squared = product(P, P);
            }
            const double rest = sqrt(squared);
            if (rest <= kIndependent * max(size, kIndependent)) continue;
            scale(row(w_.basis, rank++), P, 1.0 / rest);
        }
        return rank;
    }

private:
    static constexpr double kLittle = 0.01;  // part of a squared row: one pass that leaves more of it is as exact as two, but for a digit
    static constexpr double kIndependent = 1e-6;  // part of a row outside the levels above, that makes it independent

    void scale(double* x, const double* y, double factor) const {
        for (int j = 0; j < w_.stride; j += L::width) L::store(x + j, L::load(y + j) * factor);
    }

    void subtract_squares(double* x, const double* y) const {
        for (int j = 0; j < w_.stride; j += L::width) L::store(x + j, L::load(x + j) - L::load(y + j) * L::load(y + j));
    }

    // Some registers of x side by side, as each difference waits for the one before.
    void subtract_along(double* x, int begin, int end) const {
        int j = 0;
        for (; j + 5 * L::width <= w_.stride; j += 5 * L::width) subtract_along<5>(x, j, begin, end);
        for (; j + 2 * L::width <= w_.stride; j += 2 * L::width) subtract_along<2>(x, j, begin, end);
        for (; j < w_.stride; j += L::width) subtract_along<1>(x, j, begin, end);
    }

    template <int count>
    void subtract_along(double* x, int j, int begin, int end) const {
        L::Value rest[count];
        for (int k = 0; k < count; ++k) rest[k] = L::load(x + j + k * L::width);
        for (int b = begin; b < end; ++b) {
            const double* unit = row(w_.basis, b) + j;
            KIDO_UNROLL
            for (int k = 0; k < count; ++k) rest[k] -= L::load(unit + k * L::width) * w_.along[b];
        }
        for (int k = 0; k < count; ++k) L::store(x + j + k * L::width, rest[k]);
    }
};

KIDO_END
