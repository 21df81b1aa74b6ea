#pragma once

#include <algorithm>

#include "kido/lcp/standard_problem.hpp"
#include "kido/lcp/watch.hpp"

// Lemke's method: a path of almost complementary points of the standard problem, along which an artificial variable
// falls to zero. Where M is copositive, and q is what motions make of the rows, as in contact, it ends at a solution.
// Ties in the ratio test are broken lexicographically, so that no basis comes twice.
// Lemke, "Bimatrix equilibrium points and mathematical programming" (1965); Cottle, Pang and Stone, "The linear
// complementarity problem" (1992), 4.4 and 4.9.

KIDO_BEGIN

class Lemke {
public:
    Lemke(const LcpProblem& view, int n, Scratch& s) : standard_(view, n, s) {
        const std::size_t most = StandardProblem::kMostRows * static_cast<std::size_t>(n);
        T_ = s.take<double>(most * (most + 2));
        z_ = s.take<double>(most);
        for (int** v : {&basic_, &nonbasic_}) *v = s.take<int>(most + 1);
        place_ = s.take<int>(2 * most + 1);
    }

    // Writes x; `state` becomes where each row ends.
    LcpReason run(double* x, int max_iterations, const LcpWatch& watch, int& iterations, RowState* state) {
        if (!standard_.reduce()) return LcpReason::infeasible;
        LcpReason reason = LcpReason::ray;
        // Another path may lead to a solution where the first one, or rounding on it, has led to a ray.
        for (int path = 0; path < kPaths && reason == LcpReason::ray; ++path) {
            start(path);
            reason = pivot_on(max_iterations, watch, iterations);
            read([this](int r) { return max(row(r)[size_ + 1], 0.0); });
            standard_.write_x(z_, x);
            note_places();
            standard_.write_states([this](int i) { return place_[size_ + i] >= 0; }, state);
            if (reason == LcpReason::ray && is_proof_of_none()) return LcpReason::infeasible;
        }
        return reason;
    }

private:
    static constexpr double kPivot = 1e-11, kTie = 1e-13;
    static constexpr int kPaths = 4;

    // Variables are v, z and the artificial one.
    std::size_t width() const { return static_cast<std::size_t>(size_) + 2; }
    double* row(int r) const { return T_ + static_cast<std::size_t>(r) * width(); }
    int artificial() const { return 2 * size_; }

    // The ray along which the entering variable grows.
    bool is_proof_of_none() {
        read([this](int r) { return row(r)[entered_]; });
        if (nonbasic_[entered_] >= size_ && nonbasic_[entered_] != artificial()) z_[nonbasic_[entered_] - size_] = 1.0;
        return standard_.is_proof_of_none(z_);
    }

    // The first path covers all rows alike, others by different shares, which a golden section spreads.
    void start(int path) {
        size_ = standard_.size();
        standard_.write(T_);
        for (int r = 0; r < size_; ++r) {
            basic_[r] = r;
            nonbasic_[r] = size_ + r;
            const double place = 0.6180339887498949 * (r + 1) * path;
            row(r)[size_] = 1.0 + (place - std::floor(place));
        }
        nonbasic_[size_] = artificial();
    }

    // z, of numbers of its rows; the others are zero.
    template <class Number>
    void read(const Number& number) {
        std::fill_n(z_, size_, 0.0);
        for (int r = 0; r < size_; ++r) {
            if (basic_[r] >= size_ && basic_[r] != artificial()) z_[basic_[r] - size_] = number(r);
        }
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
            if (abs(one - other) <= kTie * (abs(one) + abs(other))) continue;
            return one < other ? a : b;
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
            const auto ratio = [this](int k) { return row(k)[size_ + 1] / row(k)[size_]; };
            if (q < 0.0 && (worst < 0 || ratio(r) <= ratio(worst))) worst = r;
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

    StandardProblem standard_;
    double *T_, *z_;  // T_: basic variables in terms of the others, the artificial one and a constant
    int *basic_, *nonbasic_, *place_;
    int size_ = 0, entered_ = -1;
    double rounding_ = 0.0;
};

KIDO_END
