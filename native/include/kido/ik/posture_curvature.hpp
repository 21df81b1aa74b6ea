#pragma once

#include "kido/ik/posture_point.hpp"

// Curvature of the Lagrangian of a posture problem: of squares in costs as it is, of all else by damped BFGS (Powell 1978).

KIDO_BEGIN

class PostureCurvature {
public:
    double* B;  // (unknowns, unknowns)

    PostureCurvature(const PostureProgram& program, Scratch& s) : p_(program), n_(program.all()), m_(program.rows) {
        const std::size_t n = n_;
        for (double** x : {&B, &A_, &factor_}) *x = s.take<double>(n * n);
        for (double** x : {&change_, &slope_}) *x = s.take<double>(n);
    }

    void forget() { clear(A_, static_cast<std::size_t>(n_) * n_); }

    // B: squares of costs and what was learned.
    void add_squares(const PosturePoint& here) {
        add(here.H);
        bool none = true;
        for (int i = 0; i < n_ * n_ && none; ++i) none = B[i] == 0.0;
        for (int i = 0; i < n_ && none; ++i) B[i * n_ + i] = 1.0 / (p_.scale[i] * p_.scale[i]);
    }

    double quadratic(const double* s) const {
        double sum = 0.0;
        for (int i = 0; i < n_; ++i) sum += s[i] * dot_numbers(B + i * n_, s, n_);
        return sum;
    }

    // Damped BFGS: of the Lagrangian, less the squares of costs that are known. The step leads from here to there.
    void learn(const PosturePoint& here, const PosturePoint& there, const double* step, const double* force) {
        const auto slope = [&](const PosturePoint& x, int j) {
            double sum = x.g[j];
            for (int r = 0; r < m_; ++r) {
                if (force[r] != 0.0) sum -= force[r] * x.J[static_cast<std::size_t>(r) * n_ + j];
            }
            return sum;
        };
        double largest = 0.0;
        for (int j = 0; j < n_; ++j) largest = max(largest, std::fabs(step[j]));
        if (largest < 1e-12) return;
        for (int j = 0; j < n_; ++j) change_[j] = slope(there, j) - slope(here, j);
        renew(here, there, step);
        double s_B_s = quadratic(step), s_y = dot_numbers(step, change_, n_);
        const double s_s = dot_numbers(step, step, n_);
        if (!(s_B_s > 1e-16 * s_s)) {
            forget();
            return;
        }
        for (int i = 0; i < n_; ++i) slope_[i] = dot_numbers(B + i * n_, step, n_);
        if (s_y < 0.2 * s_B_s) {
            const double part = 0.8 * s_B_s / (s_B_s - s_y);
            for (int j = 0; j < n_; ++j) change_[j] = part * change_[j] + (1.0 - part) * slope_[j];
            s_y = dot_numbers(step, change_, n_);
        }
        if (!(s_y < kLargest * s_s)) {  // of multipliers of rows that nearly depend on each other
            forget();
            return;
        }
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) {
                B[i * n_ + j] += change_[i] * change_[j] / s_y - slope_[i] * slope_[j] / s_B_s;
                A_[i * n_ + j] = B[i * n_ + j] - there.H[i * n_ + j];
            }
        }
    }

private:
    static constexpr double kShift = 1e-8;   // of B, relative to its largest diagonal element
    static constexpr double kLargest = 1e8;  // curvature that is learned

    // B at the end of a step: with the squares of costs there, where that leaves no direction of negative curvature. In directions without
    // any, products would be rounding.
    void renew(const PosturePoint& here, const PosturePoint& there, const double* step) {
        const bool squares = has_squares(here);
        if (squares) {
            shrink(there, step);
            add(there.H);
        }
        if (!squares || !is_convex()) add_squares(here);
        const double shift = kShift * largest();
        for (int i = 0; i < n_; ++i) B[i * n_ + i] += shift;
    }

    // Makes what was learned no larger than the step asks for: Dennis, Gay and Welsch, "An adaptive nonlinear least-squares algorithm"
    // (1981). Near a cost of 0, squares alone are right.
    void shrink(const PosturePoint& there, const double* step) {
        double wanted = dot_numbers(step, change_, n_), learned = 0.0;
        for (int i = 0; i < n_; ++i) {
            wanted -= step[i] * dot_numbers(there.H + i * n_, step, n_);
            learned += step[i] * dot_numbers(A_ + i * n_, step, n_);
        }
        if (!(std::fabs(wanted) < std::fabs(learned))) return;
        const double part = std::fabs(wanted / learned);
        for (int i = 0; i < n_ * n_; ++i) A_[i] *= part;
    }

    void add(const double* H) {
        for (int i = 0; i < n_ * n_; ++i) B[i] = H[i] + A_[i];
    }

    double largest() const {
        double most = 0.0;
        for (int i = 0; i < n_; ++i) most = max(most, B[i * n_ + i]);
        return most;
    }

    // Whether no eigenvalue of B is negative by more than the shift: by Cholesky.
    bool is_convex() {
        const double shift = kShift * largest();
        for (int i = 0; i < n_; ++i) {
            double* L = factor_ + i * n_;
            for (int j = 0; j <= i; ++j) {
                const double* M = factor_ + j * n_;
                const double left = B[i * n_ + j] + (i == j ? shift : 0.0) - dot_numbers(L, M, j);
                if (i == j && !(left > 0.0)) return false;
                L[j] = i == j ? std::sqrt(left) : left / M[j];
            }
        }
        return true;
    }

    bool has_squares(const PosturePoint& here) const {
        for (int i = 0; i < n_; ++i) {
            if (here.H[i * n_ + i] > 0.0) return true;
        }
        return false;
    }

    const PostureProgram& p_;
    const int n_, m_;
    double *A_, *factor_, *change_, *slope_;
};

KIDO_END
