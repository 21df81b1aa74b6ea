#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kido/optimize/quadratic_problem.hpp"
#include "kido/scalar/lane_masks.hpp"
#include "kido/tree/scratch.hpp"

// A quadratic program, one in doubles or one a lane: minimise 1/2 x.H x + g.x with all x and the rows of A x between bounds; what
// has equal bounds is an equation. Unknowns are constraints 0 to n - 1, rows those from n on.

KIDO_BEGIN

template <class T>
struct QuadraticTerms {
    static constexpr int W = lanes_of<T>;
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    int n, m;                  // unknowns, rows; at most as many as there is room for
    T *H, *g;                  // (n, n) symmetric, (n)
    T* A;                      // (m, n)
    T *row_lower, *row_upper;  // (m)
    T *lower, *upper;          // (n)

    QuadraticTerms(const QuadraticShape& shape, Scratch& s) : n(shape.unknowns), m(shape.rows) {
        const std::size_t wide = n, high = m;
        H = s.take<T>(wide * wide);
        A = s.take<T>(high * wide);
        for (T** v : {&g, &lower, &upper}) *v = s.take<T>(wide);
        for (T** v : {&row_lower, &row_upper}) *v = s.take<T>(high);
    }

    // The next program has another shape, not larger than the one that memory was taken for.
    void set_shape(const QuadraticShape& shape) {
        n = shape.unknowns;
        m = shape.rows;
    }

    T low_of(int i) const { return i < n ? lower[i] : row_lower[i - n]; }
    T high_of(int i) const { return i < n ? upper[i] : row_upper[i - n]; }

    double bound(int i, double sign, int lane) const {
        if (i < n) return get_lane(sign > 0.0 ? lower[i] : upper[i], lane);
        return get_lane(sign > 0.0 ? row_lower[i - n] : row_upper[i - n], lane);
    }

    // Bound of the size of the parts of a row's value.
    T reach(int r, const T* x) const {
        T sum = T(0.0);
        for (int j = 0; j < n; ++j) sum += abs(A[r * n + j] * x[j]);
        return sum;
    }
    double reach(int r, const T* x, int lane) const {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) sum += std::fabs(get_lane(A[r * n + j], lane) * get_lane(x[j], lane));
        return sum;
    }

    // The normal of each lane's constraint.
    void write_normal(const int* index, T* normal) const {
        for (int j = 0; j < n; ++j) {
            alignas(T) double numbers[W];
            for (int lane = 0; lane < W; ++lane) {
                const int i = index[lane];
                numbers[lane] = i < n ? (i == j ? 1.0 : 0.0) : reinterpret_cast<const double*>(A + (i - n) * n + j)[lane];
            }
            std::memcpy(&normal[j], numbers, sizeof(T));
        }
    }

    // Of multipliers that prove a lane infeasible by the lemma of Farkas: how far the normals are from adding up to nothing.
    double infeasibility_residual(const T* force, int lane) const {
        double left = 0.0, size = 0.0;
        for (int j = 0; j < n; ++j) {
            double sum = get_lane(force[j], lane), part = std::fabs(sum);
            for (int r = 0; r < m; ++r) {
                const double term = get_lane(force[n + r], lane) * get_lane(A[r * n + j], lane);
                sum += term;
                part += std::fabs(term);
            }
            left = std::max(left, std::fabs(sum));
            size = std::max(size, part);
        }
        return size > 0.0 ? left / size : 0.0;
    }

    // Whether the objective falls for ever along the ray from `before` through x, and no bound ends it.
    bool recedes(const T* before, const T* x, int lane) const {
        double length = 0.0, slope = 0.0, slopes = 0.0;
        for (int j = 0; j < n; ++j) {
            const double d = get_lane(x[j], lane) - get_lane(before[j], lane);
            length = std::max(length, std::fabs(d));
            slope += get_lane(g[j], lane) * d;
            slopes += std::fabs(get_lane(g[j], lane) * d);
        }
        if (!(length > 0.0) || !(slope < -kFlat * slopes)) return false;
        const double least = kFlat * length;
        for (int j = 0; j < n; ++j) {
            double bend = 0.0, parts = 0.0;
            for (int k = 0; k < n; ++k) {
                const double d = get_lane(x[k], lane) - get_lane(before[k], lane);
                bend += get_lane(H[j * n + k], lane) * d;
                parts += std::fabs(get_lane(H[j * n + k], lane)) * length;
            }
            const double d = get_lane(x[j], lane) - get_lane(before[j], lane);
            if (std::fabs(bend) > kFlat * parts) return false;
            if ((d < -least && get_lane(lower[j], lane) > -kInfinity) || (d > least && get_lane(upper[j], lane) < kInfinity)) return false;
        }
        for (int r = 0; r < m; ++r) {
            double along = 0.0, parts = 0.0;
            for (int k = 0; k < n; ++k) {
                const double part = get_lane(A[r * n + k], lane) * (get_lane(x[k], lane) - get_lane(before[k], lane));
                along += part;
                parts += std::fabs(part);
            }
            if (along < -kFlat * parts && get_lane(row_lower[r], lane) > -kInfinity) return false;
            if (along > kFlat * parts && get_lane(row_upper[r], lane) < kInfinity) return false;
        }
        return true;
    }

private:
    static constexpr double kFlat = 1e-9;  // of a ray: change relative to its parts that is none
};

KIDO_END
