#pragma once

#include "kido/scalar/scalar.hpp"
#include "kido/tree/scratch.hpp"

// Small dense convex quadratic programs by an active set: minimise g.x + 1/2 x.B x with rows of A x and all x between bounds, where
// a row with equal bounds is an equation. Nocedal and Wright, Numerical Optimization (2006), section 16.5; equations that depend
// on others are as good as left out.

KIDO_BEGIN

struct QuadraticProgram {
    int n, m;              // unknowns, rows
    double *B, *g;         // (n, n) positive definite, (n)
    double *A;             // (m, n)
    double *low, *high;    // (m)
    double *lower, *upper;  // (n)
    double *x, *row_force, *force;  // solution (n), multipliers of rows (m) and of bounds (n)
    signed char *row_side, *side;   // 0: inside, -1: at the lower bound, 1: at the upper one; what was active last is tried first

    QuadraticProgram(int unknowns, int rows, Scratch& s) : n(unknowns), m(rows) {
        const std::size_t wide = static_cast<std::size_t>(n), high_count = static_cast<std::size_t>(m);
        for (double** square : {&B, &L_}) *square = s.take<double>(wide * wide);
        A = s.take<double>(high_count * wide);
        W_ = s.take<double>(high_count * wide);
        S_ = s.take<double>(high_count * high_count);
        for (double** v : {&g, &lower, &upper, &x, &force, &y_}) *v = s.take<double>(wide);
        for (double** v : {&low, &high, &row_force, &b_}) *v = s.take<double>(high_count);
        side = s.take<signed char>(wide);
        row_side = s.take<signed char>(high_count);
        free_ = s.take<int>(wide);
        rows_ = s.take<int>(high_count);
    }

    void forget() {
        for (int j = 0; j < n; ++j) side[j] = 0;
        for (int r = 0; r < m; ++r) row_side[r] = 0;
    }

    // Whether a solution was found within so many changes of the active set.
    bool solve() {
        for (int changes = 0; changes < 4 * (n + m) + 10; ++changes) {
            solve_active();
            if (!take_in() && !let_go()) return true;
        }
        return false;
    }

private:
    static constexpr double kBeyond = 1e-12;    // of a bound, that counts
    static constexpr double kPulling = 1e-12;   // of a multiplier of the wrong sign, relative to the gradient
    static constexpr double kDependent = 1e-13;  // part of the diagonal below which a row depends on others

    // Minimiser with the active bounds and rows as equations.
    void solve_active() {
        free_count_ = row_count_ = 0;
        for (int j = 0; j < n; ++j) {
            x[j] = side[j] < 0 ? lower[j] : side[j] > 0 ? upper[j] : 0.0;
            if (side[j] == 0) free_[free_count_++] = j;
        }
        for (int r = 0; r < m; ++r) {
            if (low[r] == high[r] || row_side[r] != 0) rows_[row_count_++] = r;
        }
        const int f = free_count_, k = row_count_;
        // B = L L^T of the free ones, y = L^-1 (g + B x_fixed), W = A L^-T
        for (int a = 0; a < f; ++a) {
            for (int b = 0; b <= a; ++b) {
                double sum = B[free_[a] * n + free_[b]];
                for (int c = 0; c < b; ++c) sum -= L_[a * n + c] * L_[b * n + c];
                L_[a * n + b] = a == b ? sqrt(max(sum, 1e-300)) : sum / L_[b * n + b];
            }
            double sum = g[free_[a]];
            for (int j = 0; j < n; ++j) {
                if (side[j] != 0) sum += B[free_[a] * n + j] * x[j];
            }
            for (int c = 0; c < a; ++c) sum -= L_[a * n + c] * y_[c];
            y_[a] = sum / L_[a * n + a];
        }
        for (int i = 0; i < k; ++i) {
            const double* row = A + rows_[i] * n;
            double *w = W_ + i * n, wanted = row_side[rows_[i]] > 0 ? high[rows_[i]] : low[rows_[i]];
            for (int a = 0; a < f; ++a) {
                double sum = row[free_[a]];
                for (int c = 0; c < a; ++c) sum -= L_[a * n + c] * w[c];
                w[a] = sum / L_[a * n + a];
            }
            for (int j = 0; j < n; ++j) wanted -= row[j] * x[j];  // of the fixed ones; others are zero so far
            for (int a = 0; a < f; ++a) wanted += w[a] * y_[a];
            b_[i] = wanted;  // A B^-1 A^T u = b with x = B^-1 (A^T u - g)
        }
        solve_rows(f, k);
        for (int a = 0; a < f; ++a) {
            y_[a] = -y_[a];
            for (int i = 0; i < k; ++i) y_[a] += W_[i * n + a] * b_[i];
        }
        for (int a = f - 1; a >= 0; --a) {
            double sum = y_[a];
            for (int c = a + 1; c < f; ++c) sum -= L_[c * n + a] * x[free_[c]];
            x[free_[a]] = sum / L_[a * n + a];
        }
        for (int r = 0; r < m; ++r) row_force[r] = 0.0;
        for (int i = 0; i < k; ++i) row_force[rows_[i]] = b_[i];
        for (int j = 0; j < n; ++j) {
            double sum = side[j] == 0 ? 0.0 : g[j];
            if (side[j] != 0) {
                for (int c = 0; c < n; ++c) sum += B[j * n + c] * x[c];
                for (int i = 0; i < k; ++i) sum -= A[rows_[i] * n + j] * b_[i];
            }
            force[j] = sum;
        }
    }

    // Solves (W W^T) u = b by L D L^T, in b; rows that depend on those before them get no multiplier.
    void solve_rows(int f, int k) {
        for (int i = 0; i < k; ++i) {
            for (int c = 0; c <= i; ++c) {
                double sum = 0.0;
                for (int a = 0; a < f; ++a) sum += W_[i * n + a] * W_[c * n + a];
                S_[i * m + c] = sum;
            }
        }
        for (int j = 0; j < k; ++j) {
            double d = S_[j * m + j];
            const double whole = d;
            for (int c = 0; c < j; ++c) d -= S_[j * m + c] * S_[j * m + c] * S_[c * m + c];
            const bool depends = !(d > kDependent * whole);
            S_[j * m + j] = depends ? 0.0 : d;
            for (int i = j + 1; i < k; ++i) {
                double sum = S_[i * m + j];
                for (int c = 0; c < j; ++c) sum -= S_[i * m + c] * S_[j * m + c] * S_[c * m + c];
                S_[i * m + j] = depends ? 0.0 : sum / d;
            }
        }
        for (int i = 0; i < k; ++i) {
            for (int c = 0; c < i; ++c) b_[i] -= S_[i * m + c] * b_[c];
        }
        for (int i = 0; i < k; ++i) b_[i] = S_[i * m + i] > 0.0 ? b_[i] / S_[i * m + i] : 0.0;
        for (int i = k - 1; i >= 0; --i) {
            if (S_[i * m + i] == 0.0) continue;
            for (int c = i + 1; c < k; ++c) b_[i] -= S_[c * m + i] * b_[c];
        }
    }

    // Makes the most violated bound or row active; whether there was one.
    bool take_in() {
        double most = kBeyond;
        int which = -1;
        signed char to = 0;
        const auto look = [&](int index, double value, double least, double largest) {
            if (least - value > most) {
                most = least - value;
                which = index;
                to = -1;
            }
            if (value - largest > most) {
                most = value - largest;
                which = index;
                to = 1;
            }
        };
        for (int j = 0; j < n; ++j) {
            if (side[j] == 0) look(j, x[j], lower[j], upper[j]);
        }
        for (int r = 0; r < m; ++r) {
            if (low[r] == high[r] || row_side[r] != 0) continue;
            double value = 0.0;
            for (int j = 0; j < n; ++j) value += A[r * n + j] * x[j];
            look(n + r, value, low[r], high[r]);
        }
        if (which < 0) return false;
        (which < n ? side[which] : row_side[which - n]) = to;
        return true;
    }

    // Lets go of the bound or row that holds back most; whether there was one. Where x is at a lower bound the objective must rise
    // with it.
    bool let_go() {
        double scale = 0.0;
        for (int j = 0; j < n; ++j) scale = max(scale, abs(g[j]));
        double most = kPulling * scale;
        int which = -1;
        for (int j = 0; j < n; ++j) {
            if (side[j] == 0 || lower[j] == upper[j] || side[j] * force[j] <= most) continue;
            most = side[j] * force[j];
            which = j;
        }
        for (int r = 0; r < m; ++r) {
            if (row_side[r] == 0 || low[r] == high[r] || row_side[r] * row_force[r] <= most) continue;
            most = row_side[r] * row_force[r];
            which = n + r;
        }
        if (which < 0) return false;
        (which < n ? side[which] : row_side[which - n]) = 0;
        return true;
    }

    double *L_, *W_, *S_, *y_, *b_;
    int *free_, *rows_;
    int free_count_ = 0, row_count_ = 0;
};

KIDO_END
