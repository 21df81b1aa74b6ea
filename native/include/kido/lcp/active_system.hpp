#pragma once

#include <utility>

#include "kido/lcp/residual.hpp"

// The linear equations of a guess at where each row ends: inside its bounds, where w = 0, or at one of them; a tangent
// inside its disc or at the rim. Their solution is the step to x where the guess is right; where it is made from x
// itself, Newton's step for the natural residual. Bounds of friction move with their normal row, and so does a rim.
// Alart and Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods"
// (1991).

KIDO_BEGIN

enum class RowState : signed char { lower, inside, upper, rim };

class ActiveSystem {
public:
    ActiveSystem(const LcpProblem& view, int n, Scratch& s) : p_(view) {
        const std::size_t count = static_cast<std::size_t>(n);
        K_ = s.take<double>(count * (count + 1));
        for (double** v : {&step_, &moved_}) *v = s.take<double>(count);
        unknown_ = s.take<int>(count);
        pivot_ = s.take<double*>(count);
        state = s.take<RowState>(count);
    }

    // The states of x - w.
    void guess(const ScaledProblem& s, const double* x, const double* w) {
        for (int i = 0; i < p_.n; ++i) {
            const double z = x[i] - w[i];
            if (s.cone_of[i] >= 0) continue;
            state[i] = z <= lower_bound(p_, i, x) ? RowState::lower : (z >= upper_bound(p_, i, x) ? RowState::upper : RowState::inside);
        }
        for (int c = 0; c < p_.cones; ++c) {
            const int *r = p_.cone_rows + 3 * c, t = r[1], u = r[2];
            const double z = x[t] - w[t], y = x[u] - w[u], radius = p_.cone_friction[c] * max(x[r[0]], 0.0);
            state[t] = state[u] = z * z + y * y <= radius * radius ? RowState::inside : RowState::rim;
        }
    }

    // The step (n) from x, where w is A x + b. `damping` is added to the diagonal of rows inside.
    const double* solve(const ScaledProblem& s, const double* x, const double* w, double damping) {
        count_ = 0;
        for (int i = 0; i < p_.n; ++i) {
            step_[i] = 0.0;
            if (is_constant(i)) {
                step_[i] = (state[i] == RowState::lower ? p_.lower[i] : p_.upper[i]) - x[i];
            } else {
                unknown_[count_++] = i;
            }
        }
        for (int k = 0; k < count_; ++k) write_equation(s, unknown_[k], K_ + k * width(), x, w, damping);
        eliminate();
        return step_;
    }

    RowState* state;  // (n)

private:
    std::size_t width() const { return static_cast<std::size_t>(count_) + 1; }
    bool is_constant(int i) const {
        return (state[i] == RowState::lower || state[i] == RowState::upper) && p_.friction_index[i] < 0;
    }

    // The equation of row i for the unknown steps, its right side last.
    void write_equation(const ScaledProblem& s, int i, double* out, const double* x, const double* w, double damping) {
        if (state[i] == RowState::rim) {
            write_rim(s.cone_of[i], i, out, x, w);
        } else if (state[i] == RowState::inside) {
            const double* a = p_.A + static_cast<std::size_t>(i) * p_.n;
            double right = -w[i];
            for (int j = 0; j < p_.n; ++j) {
                if (is_constant(j)) right -= a[j] * step_[j];
            }
            for (int k = 0; k < count_; ++k) out[k] = a[unknown_[k]] + (unknown_[k] == i ? damping : 0.0);
            out[count_] = right;
        } else {
            const int normal = p_.friction_index[i];
            const double factor = state[i] == RowState::lower ? p_.lower[i] : p_.upper[i];
            double right = factor * x[normal] - x[i];
            for (int k = 0; k < count_; ++k) out[k] = unknown_[k] == i ? 1.0 : (unknown_[k] == normal ? -factor : 0.0);
            if (is_constant(normal)) right += factor * step_[normal];
            out[count_] = right;
        }
    }

    // x_t - radius z / |z| = 0, z = x_t - w_t, for one of the two tangents.
    void write_rim(int cone, int i, double* out, const double* x, const double* w) {
        const int *r = p_.cone_rows + 3 * cone, normal = r[0], rows[2] = {r[1], r[2]}, own = i == r[1] ? 0 : 1;
        double z[2] = {x[rows[0]] - w[rows[0]], x[rows[1]] - w[rows[1]]};
        const double size = sqrt(z[0] * z[0] + z[1] * z[1]), mu = p_.cone_friction[cone];
        const bool pressed = x[normal] > 0.0;
        const double radius = pressed ? mu * x[normal] : 0.0;
        for (double& axis : z) axis = size > 0.0 ? axis / size : 0.0;
        // radius / |z| (1 - z z^T), and its row of this tangent times the derivatives of z.
        const double over = size > 0.0 ? radius / size : 0.0;
        double turn[2];
        for (int k = 0; k < 2; ++k) turn[k] = over * ((k == own ? 1.0 : 0.0) - z[own] * z[k]);
        double right = radius * z[own] - x[i];
        const double* a[2] = {p_.A + static_cast<std::size_t>(rows[0]) * p_.n, p_.A + static_cast<std::size_t>(rows[1]) * p_.n};
        const auto derivative = [&](int j) {
            double d = (j == i ? 1.0 : 0.0) + turn[0] * a[0][j] + turn[1] * a[1][j];
            if (j == rows[0]) d -= turn[0];
            if (j == rows[1]) d -= turn[1];
            if (j == normal && pressed) d -= mu * z[own];
            return d;
        };
        for (int j = 0; j < p_.n; ++j) {
            if (is_constant(j)) right -= derivative(j) * step_[j];
        }
        for (int k = 0; k < count_; ++k) out[k] = derivative(unknown_[k]);
        out[count_] = right;
    }

    // Gauss with partial pivoting; a column without a pivot leaves its unknown where it is.
    void eliminate() {
        for (int k = 0; k < count_; ++k) pivot_[k] = K_ + k * width();
        int rank = 0;
        for (int k = 0; k < count_; ++k) {
            int best = rank;
            for (int r = rank + 1; r < count_; ++r) {
                if (abs(pivot_[r][k]) > abs(pivot_[best][k])) best = r;
            }
            moved_[k] = -1.0;
            if (abs(pivot_[best][k]) < kDependent) continue;
            std::swap(pivot_[rank], pivot_[best]);
            const double* from = pivot_[rank];
            for (int r = rank + 1; r < count_; ++r) {
                const double factor = pivot_[r][k] / from[k];
                if (factor != 0.0) dense::add(pivot_[r] + k, -factor, from + k, count_ + 1 - k);
            }
            moved_[k] = rank++;
        }
        for (int k = count_ - 1; k >= 0; --k) {
            if (moved_[k] < 0.0) continue;
            const double* from = pivot_[static_cast<int>(moved_[k])];
            double sum = from[count_];
            for (int l = k + 1; l < count_; ++l) sum -= from[l] * step_[unknown_[l]];
            step_[unknown_[k]] = sum / from[k];
        }
    }

    static constexpr double kDependent = 1e-13;

    const LcpProblem& p_;
    double *K_, *step_, *moved_;  // moved_: place of a column's pivot, or -1
    double** pivot_;
    int* unknown_;
    int count_ = 0;
};

KIDO_END
