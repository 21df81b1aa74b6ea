#pragma once

#include <algorithm>

#include "kido/batch/stop_signal.hpp"
#include "kido/optimize/quadratic_terms.hpp"

// The active set of a dual method, with multipliers and orthogonal factors: J^T B J = 1, J^T N = [R; 0] for the normals N of the
// active constraints and the positive definite B. Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex
// quadratic programs" (1983), section 3.

KIDO_BEGIN

// Sums in four parts, the same for doubles and lanes.
template <class T>
KIDO_INLINE T dot_in_parts(const T* a, const T* b, int count) {
    T s[4] = {T(0.0), T(0.0), T(0.0), T(0.0)};
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        s[0] += a[k] * b[k];
        s[1] += a[k + 1] * b[k + 1];
        s[2] += a[k + 2] * b[k + 2];
        s[3] += a[k + 3] * b[k + 3];
    }
    for (; k < count; ++k) s[k & 3] += a[k] * b[k];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

template <class T>
class ActiveSet {
public:
    static constexpr int W = lanes_of<T>;
    using M = Mask<T>;

    int n;                          // unknowns
    T *multiplier, *orientation;    // of active constraints: 0 or above, but for equations; 1 at a lower bound, -1 at an upper one
    T *combination;                 // of active normals, equal to the last normal where that depends on them
    int* index;                     // of active constraints, lane by lane
    T count, equations;             // active constraints; the first of them are equations
    StopSignal* stop = nullptr;     // ends work on many unknowns early; null: nothing does

    ActiveSet(int unknowns, Scratch& s) : n(unknowns) {
        const std::size_t wide = n;
        for (T** square : {&U_, &J_, &R_}) *square = s.take<T>(wide * wide);
        for (T** v : {&normal_, &d_, &sum_}) *v = s.take<T>(wide);
        for (T** v : {&multiplier, &orientation, &combination, &inverse_, &y_}) *v = s.take<T>(wide + 1);
        index = s.take<int>((wide + 1) * W);
    }

    // Whether the numbers are not needed any more, and may be left as they are.
    bool is_stopped() const { return stop && stop->poll(); }

    // B = H and `shift` on its diagonal = U^T U. Lanes in which a pivot is not above `least`, relative to the diagonal.
    M factor(const T* H, const T* shift, double least) {
        M failed = T(1.0) < T(0.0);
        for (int a = 0; a < n; ++a) {
            for (int b = a; b < n; ++b) U_[a * n + b] = H[a * n + b];
            U_[a * n + a] += shift[a];
        }
        for (int c = 0; c < n; ++c) {
            if (c % kRowsAtOnce == 0 && is_stopped()) break;
            T* pivot = U_ + c * n;
            const M sound = pivot[c] > (abs(H[c * n + c]) + shift[c]) * least;
            failed = failed | except(T(0.0) < T(1.0), sound);
            const T root = sqrt(select(sound, pivot[c], T(1.0)));
            inverse_[c] = 1.0 / root;
            pivot[c] = root;
            for (int b = c + 1; b < n; ++b) pivot[b] = pivot[b] * inverse_[c];
            for (int a = c + 1; a < n; ++a) {
                T* row = U_ + a * n;
                const T part = pivot[a];
                for (int b = a; b < n; ++b) row[b] -= part * pivot[b];
            }
        }
        return failed;
    }

    // J = U^-1, and nothing active.
    void clear() {
        for (int a = 0; a < n; ++a) {
            if (a % kRowsAtOnce == 0 && is_stopped()) break;
            T* row = J_ + a * n;
            for (int b = 0; b < n; ++b) row[b] = T(0.0);
            for (int c = 0; c < a; ++c) {
                const T part = U_[c * n + a];
                const T* other = J_ + c * n;
                for (int b = 0; b <= c; ++b) row[b] -= part * other[b];
            }
            for (int b = 0; b < a; ++b) row[b] = row[b] * inverse_[a];
            row[a] = inverse_[a];
        }
        for (int k = 0; k < n * n; ++k) R_[k] = T(0.0);
        for (int k = 0; k <= n; ++k) {
            multiplier[k] = y_[k] = combination[k] = T(0.0);
            inverse_[k] = orientation[k] = T(1.0);
        }
        for (int k = 0; k < (n + 1) * W; ++k) index[k] = 0;
        count = equations = T(0.0);
    }

    int size(int lane) const { return static_cast<int>(get_lane(count, lane)); }
    int most() const { return static_cast<int>(greatest(count)); }
    M is_active(int k) const { return T(static_cast<double>(k)) < count; }
    M is_free(int k) const { return both(is_active(k), equations <= T(static_cast<double>(k))); }
    // Multipliers of inequalities are 0 or above.
    T lowest_multiplier(int k) const {
        return select(T(static_cast<double>(k)) < equations, T(-QuadraticTerms<T>::kInfinity), T(0.0));
    }

    // x -= B^-1 gradient, where all of it is free.
    void lower_gradient(const T* gradient, T* x, M where) const {
        for (int a = 0; a < n; ++a) {
            const T along = select(where, dot_in_parts(J_ + a * n, gradient, n), T(0.0));
            for (int j = 0; j < n; ++j) x[j] -= along * J_[a * n + j];
        }
    }

    // x += part along what changes active constraint k.
    void move_along(int k, const T& part, T* x) const {
        for (int j = 0; j < n; ++j) x[j] += part * J_[k * n + j];
    }

    // The normal of a constraint and its parts along J.
    void set_normal(const QuadraticTerms<T>& terms, const int* constraint, const T& sign) {
        bool rows = false, same = true;
        for (int lane = 0; lane < W; ++lane) {
            rows = rows || constraint[lane] >= n;
            same = same && constraint[lane] == constraint[0];
        }
        if (!rows && same) {  // a column of J
            for (int a = 0; a < n; ++a) d_[a] = sign * J_[a * n + constraint[0]] + 0.0;
            return;
        }
        if (!rows) {
            for (int a = 0; a < n; ++a) d_[a] = sign * gather_lanes(J_ + a * n, constraint) + 0.0;
            return;
        }
        terms.write_normal(constraint, normal_);
        for (int a = 0; a < n; ++a) d_[a] = sign * dot_in_parts(J_ + a * n, normal_, n) + 0.0;
    }

    // Whether it is a combination of the normals of active constraints.
    M depends() const {
        T outside = T(0.0), inside = T(0.0);
        for (int a = 0; a < n; ++a) {
            const T part = d_[a] * d_[a];
            const M active = is_active(a);
            inside = select(active, inside + part, inside);
            outside = select(active, outside, outside + part);
        }
        return outside <= (inside + outside) * kDependent;
    }

    // R^-1 of the part along the active constraints.
    void combine() {
        const int end = most();
        for (int k = 0; k < end; ++k) combination[k] = select(is_active(k), d_[k], T(0.0));
        solve(combination, end);
    }

    // R b = b and R^T b = b, of the first `end` active constraints.
    void solve(T* b, int end) const {
        for (int i = end - 1; i >= 0; --i) {
            T sum = b[i];
            for (int k = i + 1; k < end; ++k) sum = select(is_active(k), sum - R_[i * n + k] * b[k], sum);
            b[i] = select(is_active(i), sum * inverse_[i], T(0.0));
        }
    }
    void solve_transposed(T* b, int end) const {
        for (int k = 0; k < end; ++k) {
            b[k] = select(is_active(k), b[k] * inverse_[k], T(0.0));
            for (int i = k + 1; i < end; ++i) b[i] = select(is_active(i), b[i] - R_[k * n + i] * b[k], b[i]);
        }
    }

    // The constraint of the last normal becomes active: a column of R by Householder's reflection of the rows of J^T that belong to
    // no active constraint.
    void take_in(const int* constraint, const T& sign, const T& with_multiplier, M where) {
        int least = n;
        for (int lane = 0; lane < W; ++lane) {
            if (mask_lane(where, lane)) least = std::min(least, size(lane));
        }
        T squared = T(0.0), first = T(0.0);
        for (int a = least; a < n; ++a) {
            const T number = static_cast<double>(a);
            squared = select(count <= number, squared + d_[a] * d_[a], squared);
            first = select(count == number, d_[a], first);
        }
        const T length = sqrt(squared), signed_length = select(first < 0.0, -length, length);
        reflect(least, length, first, signed_length, where);
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            const int k = size(lane);
            for (int i = 0; i < k; ++i) set_lane(R_[i * n + k], lane, get_lane(d_[i], lane));
            set_lane(R_[k * n + k], lane, -get_lane(signed_length, lane));
            set_lane(inverse_[k], lane, -1.0 / get_lane(signed_length, lane));
            set_lane(multiplier[k], lane, get_lane(with_multiplier, lane));
            set_lane(orientation[k], lane, get_lane(sign, lane));
            index[k * W + lane] = constraint[lane];
        }
        count = select(where, count + 1.0, count);
    }

    // A constraint of each lane is let go: its column of R leaves, Givens' rotations make R triangular again.
    void drop(const int* place, M where) {
        int least = n, end = 0;
        for (int lane = 0; lane < W; ++lane) {
            if (!mask_lane(where, lane)) continue;
            const int left = size(lane) - 1;
            least = std::min(least, place[lane]);
            end = std::max(end, left);
            for (int k = place[lane]; k < left; ++k) index[k * W + lane] = index[(k + 1) * W + lane];
        }
        const T from = lanes_from<T>(place);
        count = select(where, count - 1.0, count);
        for (int k = least; k < end; ++k) {
            const M moves = moved(k, from, where);
            multiplier[k] = select(moves, multiplier[k + 1], multiplier[k]);
            orientation[k] = select(moves, orientation[k + 1], orientation[k]);
            for (int i = 0; i <= k + 1; ++i) R_[i * n + k] = select(moves, R_[i * n + k + 1], R_[i * n + k]);
        }
        for (int k = least; k < end; ++k) {
            const M moves = moved(k, from, where);
            const T one = R_[k * n + k], other = R_[(k + 1) * n + k];
            const T length = sqrt(one * one + other * other);
            const M sound = both(moves, length > 0.0);
            const T scale = 1.0 / select(sound, length, T(1.0));
            rotate(R_ + k * n, R_ + (k + 1) * n, k, end, one * scale, other * scale, sound);
            rotate(J_ + k * n, J_ + (k + 1) * n, 0, n, one * scale, other * scale, sound);
            inverse_[k] = select(sound, scale, inverse_[k]);
        }
    }

private:
    static constexpr int kRowsAtOnce = 16;       // between two looks at the stop signal
    static constexpr double kDependent = 1e-18;  // part of the square of a normal outside those of the active set that is none

    static double greatest(double x) { return x; }
    template <int V>
    static double greatest(const Lanes<V>& x) {
        return greatest_lane(x);
    }

    // v = d + signed_length e, 2 / v.v = 1 / (length (length + |first|)).
    void reflect(int least, const T& length, const T& first, const T& signed_length, M where) {
        const T usual = length * (length + abs(first));
        const T factor = 1.0 / select(both(where, usual > 0.0), usual, T(1.0));
        for (int j = 0; j < n; ++j) sum_[j] = T(0.0);
        for (int a = least; a < n; ++a) {
            const T number = static_cast<double>(a);
            T part = select(count <= number, d_[a], T(0.0));
            part = select(count == number, part + signed_length, part);
            y_[a] = part;
            const T* row = J_ + a * n;
            for (int j = 0; j < n; ++j) sum_[j] += part * row[j];
        }
        for (int j = 0; j < n; ++j) sum_[j] = sum_[j] * factor;
        for (int a = least; a < n; ++a) {
            const M moves = both(where, count <= T(static_cast<double>(a)));
            T* row = J_ + a * n;
            const T part = y_[a];
            for (int j = 0; j < n; ++j) row[j] = select(moves, row[j] - part * sum_[j], row[j]);
        }
    }

    M moved(int k, const T& from, M where) const { return both(both(where, is_active(k)), from <= T(static_cast<double>(k))); }

    static KIDO_INLINE void rotate(T* p, T* q, int begin, int end, const T& cosine, const T& sine, M where) {
        for (int j = begin; j < end; ++j) {
            const T one = p[j], other = q[j];
            p[j] = select(where, cosine * one + sine * other, one);
            q[j] = select(where, cosine * other - sine * one, other);
        }
    }

    T *U_, *J_, *R_;  // J_: column by column
    T *normal_, *d_, *sum_;  // the last normal, its parts along J
    T *inverse_, *y_;  // of the diagonal of R
};

KIDO_END
