#pragma once

#include <algorithm>

#include "kido/lcp/active_system.hpp"

// The standard problem v = M z + q, v >= 0, z >= 0, v.z = 0, to which any boxed one is brought: x is counted from a
// finite bound; the other one adds a row whose v is what is left to it and whose z is the part of w that it takes; rows
// without bounds are solved for and leave, or are counted from zero both ways where they cannot be. With friction x is
// counted both ways, and the row that is added has for z the size of the sliding velocity: for positive semidefinite A,
// M is copositive then.
// Cottle, Pang and Stone, "The linear complementarity problem" (1992); Anitescu and Potra, "Formulating dynamic
// multi-rigid-body contact problems with friction as solvable linear complementarity problems" (1997).

KIDO_BEGIN

class StandardProblem {
public:
    // Rows of the standard problem for each of the boxed one, at most.
    static constexpr std::size_t kMostRows = 3;

    StandardProblem(const LcpProblem& view, int n, Scratch& s) : p_(view) {
        const std::size_t count = static_cast<std::size_t>(n);
        G_ = s.take<double>(count * count);
        for (double** v : {&g_, &terms_, &origin_, &ray_, &image_}) *v = s.take<double>(count);
        for (int** v : {&kind_, &first_, &second_, &third_}) *v = s.take<int>(count);
    }

    int size() const { return size_; }

    // False where a redundant row without bounds contradicts others.
    bool reduce() {
        substitute();
        solve_for_free();
        return number_rows();
    }

    // M and, in column size() + 1, q; row by row with that many columns and one.
    void write(double* table) {
        table_ = table;
        for (int r = 0; r < size_; ++r) std::fill_n(row(r), width(), 0.0);
        for (int i = 0; i < p_.n; ++i) {
            if (first_[i] >= 0) write_rows(i);
        }
    }

    // x of z; with `is_direction`, how it changes with z.
    void write_x(const double* z, double* x, bool is_direction = false) const {
        for (int i = 0; i < p_.n; ++i) {
            double y = counted(i, z);
            if (kind_[i] == solved_for) {
                y = is_direction ? 0.0 : g_[i];
                for (int j = 0; j < p_.n; ++j) {
                    if (first_[j] >= 0) y += gram(i)[j] * counted(j, z);
                }
            }
            x[i] = (is_direction ? 0.0 : origin_[i]) + (kind_[i] == down ? -y : y);
        }
        for (int i = 0; i < p_.n; ++i) {
            const int normal = p_.friction_index[i];
            if (normal >= 0 && kind_[i] != pyramid) x[i] += p_.lower[i] * counted(normal, z);
        }
    }

    // Where each row ends, by which z are basic.
    template <class IsBasic>
    void write_states(const IsBasic& is_basic, RowState* state) const {
        for (int i = 0; i < p_.n; ++i) {
            state[i] = RowState::inside;
            if (kind_[i] == fixed) state[i] = RowState::lower;
            if (kind_[i] == pyramid && is_basic(third_[i])) {
                state[i] = is_basic(second_[i]) ? RowState::lower : RowState::upper;
            }
            if (!is_counted(i) || has_opposite(i)) continue;
            const RowState at_origin = kind_[i] == down ? RowState::upper : RowState::lower;
            if (!is_basic(first_[i])) state[i] = at_origin;
            if (kind_[i] == between && is_basic(second_[i])) state[i] = RowState::upper;
        }
    }

    // Whether a ray, along which z changes so, shows that there is no solution: x may go along it without end, A^T
    // takes it to zero, and b falls along it. At a solution w would have to fall along it too, which it must not where
    // x may grow.
    bool is_proof_of_none(const double* z) {
        write_x(z, ray_, true);
        double most = 0.0, fall = 0.0, terms = 0.0, change = 0.0;
        for (int i = 0; i < p_.n; ++i) most = max(most, abs(ray_[i]));
        std::fill_n(image_, p_.n, 0.0);
        for (int i = 0; i < p_.n; ++i) {
            const double tiny = 1e-9 * most, along = ray_[i];
            const bool may_grow = p_.friction_index[i] < 0 && !is_finite(p_.upper[i]);
            const bool may_fall = p_.friction_index[i] < 0 && !is_finite(p_.lower[i]);
            if ((along > tiny && !may_grow) || (along < -tiny && !may_fall)) return false;
            dense::add(image_, along, p_.A + static_cast<std::size_t>(i) * p_.n, p_.n);
            fall += p_.b[i] * along;
            terms += abs(p_.b[i] * along);
        }
        for (int i = 0; i < p_.n; ++i) change = max(change, abs(image_[i]));
        return most > 0.0 && change <= 1e-8 * most && fall < -1e-9 * terms;
    }

private:
    // How x is counted: from a lower bound, down from an upper one, from a lower one with an upper one above, both ways
    // from zero between bounds of friction, freely but solved for, both ways without bounds, idle: not at all and
    // without effect, not at all.
    enum Kind : int { up, down, between, pyramid, solved_for, both_ways, idle, fixed };

    static constexpr double kFlat = 1e-11, kRounding = 1e-13, kNoise = 1e-15;

    std::size_t width() const { return static_cast<std::size_t>(size_) + 2; }
    double* row(int r) const { return table_ + static_cast<std::size_t>(r) * width(); }
    double* gram(int i) const { return G_ + static_cast<std::size_t>(i) * p_.n; }
    bool is_counted(int i) const { return kind_[i] != solved_for && kind_[i] != idle && kind_[i] != fixed; }
    bool has_opposite(int i) const { return kind_[i] == both_ways || kind_[i] == pyramid; }

    // w = G y + g in the counted numbers y.
    void substitute() {
        const int n = p_.n;
        for (int i = 0; i < n; ++i) {
            const double low = p_.lower[i], high = p_.upper[i];
            if (p_.friction_index[i] >= 0) {
                kind_[i] = low == high ? fixed : (low < 0.0 && high > 0.0 ? pyramid : between);
                origin_[i] = 0.0;
                continue;
            }
            kind_[i] = low == high        ? fixed
                       : is_finite(low)   ? (is_finite(high) ? between : up)
                       : is_finite(high)  ? down
                                          : both_ways;
            origin_[i] = is_finite(low) ? low : (is_finite(high) ? high : 0.0);
        }
        for (int i = 0; i < n; ++i) {
            const int normal = p_.friction_index[i];
            if (normal >= 0 && kind_[i] != pyramid) origin_[i] = p_.lower[i] * origin_[normal];
        }
        multiply(p_, origin_, g_);
        for (int i = 0; i < n; ++i) {
            const double* a = p_.A + static_cast<std::size_t>(i) * n;
            terms_[i] = abs(p_.b[i]) + dense::dot_of_sizes(a, origin_, n);
            double* out = gram(i);
            for (int j = 0; j < n; ++j) out[j] = kind_[j] == fixed ? 0.0 : (kind_[j] == down ? -a[j] : a[j]);
            for (int j = 0; j < n; ++j) {
                const int normal = p_.friction_index[j];
                if (normal >= 0 && kind_[j] != pyramid && kind_[normal] != fixed) out[normal] += p_.lower[j] * a[j];
            }
            if (kind_[i] != down) continue;
            for (int j = 0; j < n; ++j) out[j] = -out[j];
            g_[i] = -g_[i];
        }
    }

    // Exchanges x and w of rows without bounds, largest pivot first, so that w = 0 can be left out.
    void solve_for_free() {
        const int n = p_.n;
        noise_ = error_ = 0.0;
        for (;;) {
            int pivot = -1;
            for (int i = 0; i < n; ++i) {
                if (kind_[i] != both_ways || abs(gram(i)[i]) <= max(kFlat, noise_)) continue;
                if (pivot < 0 || abs(gram(i)[i]) > abs(gram(pivot)[pivot])) pivot = i;
            }
            if (pivot < 0) break;
            double* own = gram(pivot);
            const double inverse = 1.0 / own[pivot];
            for (int j = 0; j < n; ++j) own[j] *= -inverse;
            own[pivot] = 0.0;
            g_[pivot] *= -inverse;
            terms_[pivot] *= abs(inverse);
            for (int i = 0; i < n; ++i) {
                if (i == pivot) continue;
                double* other = gram(i);
                const double factor = other[pivot];
                if (factor == 0.0) continue;
                other[pivot] = 0.0;
                dense::add(other, factor, own, n);
                g_[i] += factor * g_[pivot];
                terms_[i] += abs(factor) * terms_[pivot];
            }
            kind_[pivot] = solved_for;
            find_noise();
        }
        if (std::find(kind_, kind_ + n, solved_for) != kind_ + n) drop_rounding();
    }

    // Bounds on the errors of C - B^T F^-1 B and c - B^T F^-1 f, where F are the rows that were solved for: an error of F, B or C of
    // the size of rounding is multiplied by what F^-1 B and F^-1 f are. Where F is nearly singular they are large.
    void find_noise() {
        double spread = 0.0, point = 0.0;
        for (int i = 0; i < p_.n; ++i) {
            if (kind_[i] != solved_for) continue;
            for (int j = 0; j < p_.n; ++j) spread = max(spread, abs(gram(i)[j]));
            point = max(point, abs(g_[i]));
        }
        noise_ = kNoise * (1.0 + spread) * (1.0 + spread);
        error_ = kNoise * (1.0 + spread) * point;
    }

    // What rounding has left of rows that depend on those solved for: it would decide where the path goes.
    void drop_rounding() {
        for (int i = 0; i < p_.n; ++i) {
            if (kind_[i] == solved_for) continue;
            for (int j = 0; j < p_.n; ++j) {
                if (abs(gram(i)[j]) <= max(kRounding, noise_)) gram(i)[j] = 0.0;
            }
            if (abs(g_[i]) <= max(kRounding * terms_[i], error_)) g_[i] = 0.0;
        }
    }

    // A row without bounds whose w does not change: it is left out. False where its w is not zero.
    bool is_idle(int i, bool& contradicts) const {
        double most = 0.0;
        for (int j = 0; j < p_.n; ++j) {
            if (is_counted(j)) most = max(most, abs(gram(i)[j]));
        }
        if (most > max(kFlat, noise_)) return false;
        contradicts = contradicts || abs(g_[i]) > max(1e-9 * terms_[i], error_);
        return true;
    }

    bool number_rows() {
        bool contradicts = false;
        for (int i = 0; i < p_.n; ++i) {
            if (kind_[i] == both_ways && is_idle(i, contradicts)) kind_[i] = idle;
        }
        size_ = 0;
        for (int i = 0; i < p_.n; ++i) {
            first_[i] = second_[i] = third_[i] = -1;
            if (is_counted(i)) first_[i] = size_++;
            if (kind_[i] == between || has_opposite(i)) second_[i] = size_++;
            if (kind_[i] == pyramid) third_[i] = size_++;
        }
        return !contradicts;
    }

    void write_rows(int i) {
        double* w = row(first_[i]);
        for (int j = 0; j < p_.n; ++j) {
            if (first_[j] < 0) continue;
            w[first_[j]] = gram(i)[j];
            if (has_opposite(j)) w[second_[j]] = -gram(i)[j];
        }
        w[size_ + 1] = g_[i];
        if (has_opposite(i)) {
            double* opposite = row(second_[i]);
            for (std::size_t k = 0; k < width(); ++k) opposite[k] = -w[k];
        }
        if (kind_[i] == pyramid) write_friction(i);
        if (kind_[i] == between) write_upper_bound(i);
    }

    void write_upper_bound(int i) {
        double* left = row(second_[i]);
        const double range = p_.upper[i] - p_.lower[i];
        row(first_[i])[second_[i]] = 1.0;
        left[first_[i]] = -1.0;
        write_normal(i, range, left);
    }

    // upper x_j - y - y' upper / -lower >= 0, where x = y - y'.
    void write_friction(int i) {
        double* left = row(third_[i]);
        const double ratio = p_.upper[i] / -p_.lower[i];
        row(first_[i])[third_[i]] = 1.0;
        row(second_[i])[third_[i]] = ratio;
        left[first_[i]] = -1.0;
        left[second_[i]] = -ratio;
        write_normal(i, p_.upper[i], left);
    }

    // A constant; with friction, times the normal row.
    void write_normal(int i, double factor, double* out) const {
        const int normal = p_.friction_index[i];
        out[size_ + 1] = normal < 0 ? factor : factor * origin_[normal];
        if (normal >= 0 && first_[normal] >= 0) out[first_[normal]] = factor;
    }

    double counted(int i, const double* z) const {
        if (first_[i] < 0) return 0.0;
        const double y = z[first_[i]];
        return has_opposite(i) ? y - z[second_[i]] : y;
    }

    const LcpProblem& p_;
    double *G_, *g_, *terms_, *origin_, *ray_, *image_;  // terms_: sizes of what g is the sum of
    double* table_ = nullptr;
    int *kind_, *first_, *second_, *third_;  // how rows are counted, and what rows they have in the standard problem
    int size_ = 0;
    double noise_ = 0.0, error_ = 0.0;  // of G and g, see find_noise
};

KIDO_END
