#pragma once

#include <limits>

#include "kido/scalar/scalar.hpp"
#include "kido/tree/scratch.hpp"

// Small dense convex quadratic programs: minimise g.x + 1/2 x.B x with rows of A x and all x between bounds, where a row with equal
// bounds is an equation. The dual active-set method of Goldfarb and Idnani, "A numerically stable dual method for solving strictly
// convex quadratic programs" (1983): from the minimiser without constraints, violated ones are taken in one after the other, and those
// that stand in the way let go. Each step raises the dual objective, so no set of active constraints comes twice. Equations that
// depend on others are as good as left out.

KIDO_BEGIN

struct QuadraticProgram {
    int n, m;              // unknowns, rows
    double *B, *g;         // (n, n) positive definite, (n)
    double *A;             // (m, n)
    double *low, *high;    // (m)
    double *lower, *upper;  // (n)
    double *x, *row_force, *force;  // solution (n), multipliers of rows (m) and of bounds (n): B x + g is their sum
    signed char *row_side, *side;   // 0: inside, -1: at the lower bound, 1: at the upper one

    QuadraticProgram(int unknowns, int rows, Scratch& s) : n(unknowns), m(rows) {
        const std::size_t wide = static_cast<std::size_t>(n), high_count = static_cast<std::size_t>(m);
        for (double** square : {&B, &L_, &J_, &R_}) *square = s.take<double>(wide * wide);
        A = s.take<double>(high_count * wide);
        for (double** v : {&g, &lower, &upper, &x, &force, &normal_, &d_, &z_}) *v = s.take<double>(wide);
        for (double** v : {&low, &high, &row_force}) *v = s.take<double>(high_count);
        for (double** v : {&u_, &r_}) *v = s.take<double>(wide + 1);
        active_ = s.take<Constraint>(wide + 1);
        side = s.take<signed char>(wide);
        row_side = s.take<signed char>(high_count);
    }

    // Whether there is a solution; then it was found.
    bool solve() {
        start();
        for (int r = 0; r < m; ++r) {
            if (low[r] == high[r] && !take_in_equation({n + r, -1})) return false;
        }
        for (int j = 0; j < n; ++j) {
            if (lower[j] == upper[j] && !take_in_equation({j, -1})) return false;
        }
        bool solved = false;
        for (int changes = 0; changes < 10 * (n + m) + 50; ++changes) {
            Constraint worst{};
            solved = !find_violated(worst);
            if (solved || !take_in(worst)) break;
        }
        write_multipliers();
        return solved;
    }

private:
    // Unknown or, from n on, row; -1: no less than the lower bound, 1: no more than the upper one.
    struct Constraint {
        int index;
        int side;
    };

    static constexpr double kBeyond = 1e-12;     // of a bound, relative to its size and that of x, that counts
    static constexpr double kDependent = 1e-13;  // part of the square of a normal outside those of the active set, that is none

    // B = L L^T, J = L^-T, and the minimiser without constraints.
    void start() {
        for (int a = 0; a < n; ++a) {
            for (int b = 0; b <= a; ++b) {
                double sum = B[a * n + b];
                for (int c = 0; c < b; ++c) sum -= L_[a * n + c] * L_[b * n + c];
                L_[a * n + b] = a == b ? sqrt(max(sum, 1e-300)) : sum / L_[b * n + b];
            }
        }
        for (int a = 0; a < n; ++a) {  // row a of J^T is column a of J
            for (int b = 0; b < n; ++b) J_[a * n + b] = 0.0;
            J_[a * n + a] = 1.0 / L_[a * n + a];
        }
        for (int b = 0; b < n; ++b) {  // L^-1, column by column
            for (int a = b + 1; a < n; ++a) {
                double sum = 0.0;
                for (int c = b; c < a; ++c) sum -= L_[a * n + c] * J_[c * n + b];
                J_[a * n + b] = sum / L_[a * n + a];
            }
        }
        for (int j = 0; j < n; ++j) x[j] = 0.0;
        for (int a = 0; a < n; ++a) {
            double along = 0.0;
            for (int j = 0; j < n; ++j) along += J_[a * n + j] * g[j];
            for (int j = 0; j < n; ++j) x[j] -= along * J_[a * n + j];
        }
        count_ = equations_ = 0;
        for (int j = 0; j < n; ++j) side[j] = 0;
        for (int r = 0; r < m; ++r) row_side[r] = 0;
    }

    double value(int index) const {
        if (index < n) return x[index];
        double sum = 0.0;
        for (int j = 0; j < n; ++j) sum += A[(index - n) * n + j] * x[j];
        return sum;
    }

    double bound(const Constraint& c) const {
        if (c.index < n) return c.side < 0 ? lower[c.index] : upper[c.index];
        return c.side < 0 ? low[c.index - n] : high[c.index - n];
    }

    // How far a constraint is kept; below 0 it is violated.
    double slack(const Constraint& c) const { return c.side < 0 ? value(c.index) - bound(c) : bound(c) - value(c.index); }

    bool is_active(int index) const { return (index < n ? side[index] : row_side[index - n]) != 0; }

    bool find_violated(Constraint& worst) const {
        double size = 1.0, most = 0.0;
        for (int j = 0; j < n; ++j) size = max(size, abs(x[j]));
        for (int i = 0; i < n + m; ++i) {
            if (is_active(i)) continue;
            const double at = value(i), least = bound({i, -1}), largest = bound({i, 1});
            if (least == largest) continue;  // an equation that depends on others
            if (least - at > max(most, kBeyond * size)) {
                most = least - at;
                worst = {i, -1};
            }
            if (at - largest > max(most, kBeyond * size)) {
                most = at - largest;
                worst = {i, 1};
            }
        }
        return most > 0.0;
    }

    bool take_in_equation(Constraint c) {
        if (slack(c) > 0.0) c.side = 1;
        const bool taken = take_in(c);
        if (!taken && is_dependent_) return true;
        equations_ = count_;
        return taken;
    }

    // Steps until a violated constraint is kept, letting go of those in the way; false: it contradicts the active ones.
    bool take_in(const Constraint& c) {
        double multiplier = 0.0;
        for (;;) {
            along(c);
            double outside = 0.0, whole = 0.0;
            for (int a = 0; a < n; ++a) (a < count_ ? whole : outside) += d_[a] * d_[a];
            is_dependent_ = count_ == n || outside <= kDependent * (whole + outside);
            int blocking = -1;
            double dual = std::numeric_limits<double>::infinity();
            for (int k = equations_; k < count_; ++k) {
                if (r_[k] > 0.0 && u_[k] < dual * r_[k]) {
                    dual = u_[k] / r_[k];
                    blocking = k;
                }
            }
            const double primal = is_dependent_ ? std::numeric_limits<double>::infinity() : max(-slack(c), 0.0) / outside;
            const double t = min(dual, primal);
            if (t == std::numeric_limits<double>::infinity()) return false;
            if (!is_dependent_) {
                for (int j = 0; j < n; ++j) x[j] += t * z_[j];
            }
            for (int k = 0; k < count_; ++k) u_[k] -= t * r_[k];
            multiplier += t;
            if (primal <= dual) {
                u_[count_] = multiplier;
                add(c);
                return true;
            }
            drop(blocking);
        }
    }

    // d = J^T normal, the step z that keeps the active constraints, and what it changes of their multipliers, -r.
    void along(const Constraint& c) {
        const double sign = c.side < 0 ? 1.0 : -1.0;
        for (int j = 0; j < n; ++j) normal_[j] = c.index < n ? (j == c.index ? sign : 0.0) : sign * A[(c.index - n) * n + j];
        for (int a = 0; a < n; ++a) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += J_[a * n + j] * normal_[j];
            d_[a] = sum;
        }
        for (int j = 0; j < n; ++j) z_[j] = 0.0;
        for (int a = count_; a < n; ++a) {
            for (int j = 0; j < n; ++j) z_[j] += d_[a] * J_[a * n + j];
        }
        for (int i = count_ - 1; i >= 0; --i) {
            double sum = d_[i];
            for (int k = i + 1; k < count_; ++k) sum -= R_[i * n + k] * r_[k];
            r_[i] = sum / R_[i * n + i];
        }
    }

    // Turns rows a and b of J^T so that the second number becomes zero; returns the first.
    double turn(int a, int b, double first, double second, double& cosine, double& sine) {
        const double size = sqrt(first * first + second * second);
        cosine = size > 0.0 ? first / size : 1.0;
        sine = size > 0.0 ? second / size : 0.0;
        double *p = J_ + a * n, *q = J_ + b * n;
        for (int j = 0; j < n; ++j) {
            const double one = p[j], other = q[j];
            p[j] = cosine * one + sine * other;
            q[j] = cosine * other - sine * one;
        }
        return size;
    }

    void add(const Constraint& c) {
        double cosine, sine;
        for (int a = n - 1; a > count_; --a) {
            if (d_[a] != 0.0) d_[a - 1] = turn(a - 1, a, d_[a - 1], d_[a], cosine, sine);
        }
        for (int i = 0; i <= count_; ++i) R_[i * n + count_] = d_[i];
        active_[count_++] = c;
        mark(c, c.side);
    }

    void drop(int place) {
        mark(active_[place], 0);
        --count_;
        for (int k = place; k < count_; ++k) {
            active_[k] = active_[k + 1];
            u_[k] = u_[k + 1];
            for (int i = 0; i <= k + 1; ++i) R_[i * n + k] = R_[i * n + k + 1];
        }
        for (int k = place; k < count_; ++k) {
            double cosine, sine;
            R_[k * n + k] = turn(k, k + 1, R_[k * n + k], R_[(k + 1) * n + k], cosine, sine);
            for (int l = k + 1; l < count_; ++l) {
                const double one = R_[k * n + l], other = R_[(k + 1) * n + l];
                R_[k * n + l] = cosine * one + sine * other;
                R_[(k + 1) * n + l] = cosine * other - sine * one;
            }
        }
    }

    void mark(const Constraint& c, int where) {
        (c.index < n ? side[c.index] : row_side[c.index - n]) = static_cast<signed char>(where);
    }

    void write_multipliers() {
        for (int j = 0; j < n; ++j) force[j] = 0.0;
        for (int r = 0; r < m; ++r) row_force[r] = 0.0;
        for (int k = 0; k < count_; ++k) {
            const Constraint& c = active_[k];
            (c.index < n ? force[c.index] : row_force[c.index - n]) = c.side < 0 ? u_[k] : -u_[k];
        }
    }

    double *L_, *J_, *R_;  // J_: by columns
    double *normal_, *d_, *z_, *u_, *r_;
    Constraint* active_;
    int count_ = 0, equations_ = 0;  // active constraints, of them equations, which stand first
    bool is_dependent_ = false;      // whether the last constraint's normal depends on those of the active set
};

KIDO_END
