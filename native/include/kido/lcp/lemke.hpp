#pragma once

#include <algorithm>

#include "kido/lcp/active_system.hpp"
#include "kido/lcp/watch.hpp"

// Lemke's method on the standard problem v = M z + q, v >= 0, z >= 0, v.z = 0, to which any boxed one is brought: x is counted from a finite
// bound; the other one adds a row whose v is what is left to it and whose z is the part of w that it takes; rows without bounds are solved
// for and leave, or are counted from zero both ways where they cannot be. With friction x is counted both ways, and the row that is added
// has for z the size of the sliding velocity: for positive semidefinite A, M is copositive then, and where b is what motions make of the
// rows, as in contact, the path ends at a solution. Ties in the ratio test are broken lexicographically, so that no basis comes twice.
// Lemke, "Bimatrix equilibrium points and mathematical programming" (1965); Cottle, Pang and Stone, "The linear complementarity problem"
// (1992), 4.4 and 4.9; Anitescu and Potra, "Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
// complementarity problems" (1997).

KIDO_BEGIN

class Lemke {
public:
    Lemke(const LcpProblem& view, int n, Scratch& s) : p_(view) {
        const std::size_t count = static_cast<std::size_t>(n), most = 3 * count;
        G_ = s.take<double>(count * count);
        T_ = s.take<double>(most * (most + 2));
        for (double** v : {&g_, &terms_, &origin_, &ray_}) *v = s.take<double>(count);
        value_ = s.take<double>(2 * most + 1);
        for (int** v : {&kind_, &first_, &second_, &third_}) *v = s.take<int>(count);
        for (int** v : {&basic_, &nonbasic_}) *v = s.take<int>(most + 1);
        place_ = s.take<int>(2 * most + 1);
    }

    // Writes x; `state` becomes where each row ends.
    LcpReason run(double* x, int max_iterations, const LcpWatch& watch, int& iterations, RowState* state) {
        substitute();
        solve_for_free();
        if (!lay_out()) return LcpReason::infeasible;
        const LcpReason reason = pivot_on(max_iterations, watch, iterations);
        read_values();
        write_x(x);
        write_states(state);
        if (reason == LcpReason::ray && is_proof_of_none()) return LcpReason::infeasible;
        return reason;
    }

private:
    // How x is counted: from a lower bound, down from an upper one, from a lower one with an upper one above, both ways from zero
    // between bounds of friction, freely but solved for, both ways without bounds, not at all.
    enum Kind : int { up, down, between, pyramid, solved_for, both_ways, fixed };

    static constexpr double kPivot = 1e-11, kTie = 1e-13, kFlat = 1e-11, kRounding = 1e-13;

    std::size_t width() const { return static_cast<std::size_t>(size_) + 2; }
    double* row(int r) const { return T_ + static_cast<std::size_t>(r) * width(); }
    double* gram(int i) const { return G_ + static_cast<std::size_t>(i) * p_.n; }
    int artificial() const { return 2 * size_; }
    bool is_counted(int i) const { return kind_[i] != solved_for && kind_[i] != fixed; }
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
        for (int i = 0; i < n; ++i) terms_[i] = abs(p_.b[i]) + dense::dot_of_sizes(p_.A + static_cast<std::size_t>(i) * n, origin_, n);
        for (int i = 0; i < n; ++i) {
            const double* a = p_.A + static_cast<std::size_t>(i) * n;
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
        for (;;) {
            int pivot = -1;
            for (int i = 0; i < n; ++i) {
                if (kind_[i] != both_ways) continue;
                if (pivot < 0 || abs(gram(i)[i]) > abs(gram(pivot)[pivot])) pivot = i;
            }
            if (pivot < 0 || abs(gram(pivot)[pivot]) <= kFlat) break;
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
        }
        if (std::find(kind_, kind_ + n, solved_for) != kind_ + n) drop_rounding();
    }

    // What rounding has left of rows that depend on those solved for: it would decide where the path goes.
    void drop_rounding() {
        for (int i = 0; i < p_.n; ++i) {
            if (kind_[i] == solved_for) continue;
            for (int j = 0; j < p_.n; ++j) {
                if (abs(gram(i)[j]) <= kRounding) gram(i)[j] = 0.0;
            }
            if (abs(g_[i]) <= kRounding * terms_[i]) g_[i] = 0.0;
        }
    }

    // A row without bounds whose w does not change: it is left out. False where its w is not zero.
    bool is_idle(int i, bool& contradicts) const {
        double most = 0.0;
        for (int j = 0; j < p_.n; ++j) {
            if (kind_[j] != fixed && kind_[j] != solved_for) most = max(most, abs(gram(i)[j]));
        }
        if (most > kFlat) return false;
        contradicts = contradicts || abs(g_[i]) > 1e-9 * terms_[i];
        return true;
    }

    // Numbers the counted rows, and fills the table. False where a redundant row contradicts others.
    bool lay_out() {
        const int n = p_.n;
        bool contradicts = false;
        size_ = 0;
        for (int i = 0; i < n; ++i) {
            if (kind_[i] == both_ways && is_idle(i, contradicts)) kind_[i] = fixed;
        }
        for (int i = 0; i < n; ++i) {
            first_[i] = second_[i] = third_[i] = -1;
            if (is_counted(i)) first_[i] = size_++;
            if (kind_[i] == between || has_opposite(i)) second_[i] = size_++;
            if (kind_[i] == pyramid) third_[i] = size_++;
        }
        for (int r = 0; r < size_; ++r) std::fill_n(row(r), width(), 0.0);
        for (int i = 0; i < n; ++i) {
            if (first_[i] >= 0) write_rows(i);
        }
        for (int r = 0; r < size_; ++r) {
            basic_[r] = r;
            nonbasic_[r] = size_ + r;
            row(r)[size_] = 1.0;
        }
        nonbasic_[size_] = artificial();
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

    // Basic row r in terms of the others, after it has changed places with column c.
    void exchange(int r, int c) {
        double* own = row(r);
        const double inverse = 1.0 / own[c];
        for (std::size_t k = 0; k < width(); ++k) own[k] *= -inverse;
        own[c] = inverse;
        for (int i = 0; i < size_; ++i) {
            if (i == r) continue;
            double* other = row(i);
            const double factor = other[c];
            if (factor == 0.0) continue;
            other[c] = 0.0;
            dense::add(other, factor, own, static_cast<int>(width()));
        }
        std::swap(basic_[r], nonbasic_[c]);
    }

    // Number k of a row's perturbation, by which ties are broken: what the constants are moved by.
    double perturbation(int r, int k) const {
        const int place = place_[k];
        return place >= 0 ? (place == r ? 1.0 : 0.0) : -row(r)[-1 - place];
    }

    void note_places() {
        for (int r = 0; r < size_; ++r) place_[basic_[r]] = r;
        for (int c = 0; c <= size_; ++c) place_[nonbasic_[c]] = -1 - c;
    }

    // The first of rows a and b to come to zero along column c, where their constants do so together.
    int first_by_perturbation(int a, int b, int c) const {
        for (int k = 0; k < size_; ++k) {
            const double one = perturbation(a, k) / -row(a)[c], other = perturbation(b, k) / -row(b)[c];
            if (one < other) return a;
            if (other < one) return b;
        }
        return a;
    }

    // The row that leaves where column c enters, or -1.
    int leaving(int c) {
        double most = 0.0, least = HUGE_VAL;
        for (int r = 0; r < size_; ++r) most = max(most, abs(row(r)[c]));
        for (int r = 0; r < size_; ++r) {
            if (row(r)[c] < -kPivot * most) least = min(least, max(row(r)[size_ + 1], 0.0) / -row(r)[c]);
        }
        if (least == HUGE_VAL) return -1;
        int best = -1;
        note_places();
        for (int r = 0; r < size_; ++r) {
            if (!(row(r)[c] < -kPivot * most)) continue;
            const double ratio = max(row(r)[size_ + 1], 0.0) / -row(r)[c];
            if (ratio > least + kTie * (least + rounding_ / -row(r)[c])) continue;
            if (basic_[r] == artificial()) return r;
            best = best < 0 ? r : first_by_perturbation(best, r, c);
        }
        return best;
    }

    LcpReason pivot_on(int max_iterations, const LcpWatch& watch, int& iterations) {
        int worst = -1;
        rounding_ = 0.0;
        for (int r = 0; r < size_; ++r) {
            const double q = row(r)[size_ + 1];
            rounding_ = max(rounding_, abs(q));
            if (q < 0.0 && (worst < 0 || q <= row(worst)[size_ + 1])) worst = r;
        }
        entered_ = -1;
        if (worst < 0) return LcpReason::solved;
        int leaves = worst, column = size_;
        for (;;) {
            const int variable = basic_[leaves];
            exchange(leaves, column);
            ++iterations;
            if (variable == artificial()) return LcpReason::solved;
            if (iterations >= max_iterations) return LcpReason::iterations;
            if (watch.over()) return LcpReason::time;
            const int partner = variable < size_ ? variable + size_ : variable - size_;
            column = static_cast<int>(std::find(nonbasic_, nonbasic_ + size_ + 1, partner) - nonbasic_);
            leaves = leaving(column);
            if (leaves < 0) {
                entered_ = column;
                return LcpReason::ray;
            }
        }
    }

    // Values of all variables, v first.
    void read_values() {
        std::fill_n(value_, 2 * size_ + 1, 0.0);
        for (int r = 0; r < size_; ++r) value_[basic_[r]] = max(row(r)[size_ + 1], 0.0);
    }

    double counted(int i) const {
        if (first_[i] < 0) return 0.0;
        const double y = value_[size_ + first_[i]];
        return has_opposite(i) ? y - value_[size_ + second_[i]] : y;
    }

    // x of the values; without origin, of their direction.
    void write_x(double* x, bool direction = false) const {
        for (int i = 0; i < p_.n; ++i) {
            double y = counted(i);
            if (kind_[i] == solved_for) {
                y = direction ? 0.0 : g_[i];
                for (int j = 0; j < p_.n; ++j) {
                    if (first_[j] >= 0) y += gram(i)[j] * counted(j);
                }
            }
            x[i] = (direction ? 0.0 : origin_[i]) + (kind_[i] == down ? -y : y);
        }
        for (int i = 0; i < p_.n; ++i) {
            const int normal = p_.friction_index[i];
            if (normal >= 0 && kind_[i] != pyramid) x[i] += p_.lower[i] * counted(normal);
        }
    }

    bool is_basic(int variable) const { return std::find(basic_, basic_ + size_, variable) != basic_ + size_; }

    void write_states(RowState* state) const {
        for (int i = 0; i < p_.n; ++i) {
            state[i] = RowState::inside;
            if (kind_[i] == fixed) state[i] = RowState::lower;
            if (kind_[i] == pyramid && is_basic(size_ + third_[i])) {
                state[i] = is_basic(size_ + second_[i]) ? RowState::lower : RowState::upper;
            }
            if (!is_counted(i) || has_opposite(i)) continue;
            const RowState at_origin = kind_[i] == down ? RowState::upper : RowState::lower;
            if (!is_basic(size_ + first_[i])) state[i] = at_origin;
            if (kind_[i] == between && is_basic(size_ + second_[i])) state[i] = RowState::upper;
        }
    }

    // Whether the ray shows that there is no solution: x may go along it without end, A^T takes it to zero, and b falls along it. At a
    // solution w would have to fall along it too, which it must not where x may grow.
    bool is_proof_of_none() {
        std::fill_n(value_, 2 * size_ + 1, 0.0);
        for (int r = 0; r < size_; ++r) value_[basic_[r]] = row(r)[entered_];
        value_[nonbasic_[entered_]] = 1.0;
        write_x(ray_, true);
        double most = 0.0, fall = 0.0, terms = 0.0, change = 0.0;
        for (int i = 0; i < p_.n; ++i) most = max(most, abs(ray_[i]));
        double* image = value_;
        std::fill_n(image, p_.n, 0.0);
        for (int i = 0; i < p_.n; ++i) {
            const double tiny = 1e-9 * most, along = ray_[i];
            const bool may_grow = p_.friction_index[i] < 0 && !is_finite(p_.upper[i]);
            const bool may_fall = p_.friction_index[i] < 0 && !is_finite(p_.lower[i]);
            if ((along > tiny && !may_grow) || (along < -tiny && !may_fall)) return false;
            dense::add(image, along, p_.A + static_cast<std::size_t>(i) * p_.n, p_.n);
            fall += p_.b[i] * along;
            terms += abs(p_.b[i] * along);
        }
        for (int i = 0; i < p_.n; ++i) change = max(change, abs(image[i]));
        return most > 0.0 && change <= 1e-8 * most && fall < -1e-9 * terms;
    }

    const LcpProblem& p_;
    double *G_, *g_, *terms_, *origin_, *ray_;  // terms_: sizes of what g is the sum of
    double *T_, *value_;  // T_: basic variables in terms of the others, the artificial one and a constant
    int *kind_, *first_, *second_, *third_;  // of rows: how they are counted, and the rows of the standard problem that they have
    int *basic_, *nonbasic_, *place_;
    int size_ = 0, entered_ = -1;
    double rounding_ = 0.0;
};

KIDO_END
