#pragma once

#include <algorithm>

#include "kido/ik/velocity_problem.hpp"
#include "kido/optimize/quadratic_solver.hpp"

// The velocity in a given direction that is nearest to the wanted one: min -100 alpha + |P (v - c)|^2 with J v = alpha V, 0 <= alpha <= 1
// and limits. With the null space of J, from Householder's triangular factors with pivoting (Golub and Van Loan, "Matrix
// Computations", 5.4.2), v = alpha u + Z w, where J u = V and Z = P^T: what is left has unknowns alpha and w, and no equations.

KIDO_BEGIN

class ScaledSolver {
public:
    static constexpr double kPrimaryGain = 100.0;

    ScaledSolver(const ScaledProgram& program, Scratch& s)
        : p_(program), n_(program.dofs), k_(program.rows), solver_({n_ + 1, n_ + program.limit_rows}, s) {
        const std::size_t n = n_, k = k_;
        a_ = s.take<double>(n * k);
        z_ = s.take<double>(n * n);
        for (double** x : {&factor_, &u_, &reflected_}) *x = s.take<double>(n);
        y_ = s.take<double>(k);
        order_ = s.take<int>(k);
    }

    void solve(ScaledResult& out) {
        factor();
        const bool reachable = find_direction();
        const int free = n_ - rank_, wide = free + 1;
        QuadraticSolver<double>& qp = solver_;
        qp.set_shape({wide, n_ + p_.limit_rows});
        for (int i = 0; i < wide * wide; ++i) qp.H[i] = 0.0;
        for (int i = 0; i < wide; ++i) {
            qp.lower[i] = -kInfinity;
            qp.upper[i] = kInfinity;
            qp.H[i * wide + i] = i == 0 ? 0.0 : 2.0;
        }
        qp.g[0] = -kPrimaryGain;
        qp.lower[0] = 0.0;
        qp.upper[0] = reachable ? 1.0 : 0.0;
        for (int i = 0; i < free; ++i) {
            double sum = 0.0;
            for (int j = 0; j < n_; ++j) sum += column(i)[j] * p_.center[j];
            qp.g[i + 1] = -2.0 * sum;
        }
        write_rows(wide);
        qp.solve({});
        out.outcome = qp.outcome[0];
        out.alpha = qp.x[0];
        for (int j = 0; j < n_; ++j) {
            double sum = out.alpha * u_[j];
            for (int i = 0; i < free; ++i) sum += qp.x[i + 1] * column(i)[j];
            out.v[j] = std::min(std::max(sum, p_.lower[j]), p_.upper[j]);  // within rounding
        }
        for (int r = 0; r < n_ + p_.limit_rows; ++r) out.side[r] = qp.side[wide + r];
    }

private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kRank = 1e-12;      // of the largest pivot, below which there is none
    static constexpr double kReachable = 1e-9;  // part of V outside the range of J that is none
    static constexpr double kRounding = 1e-9;   // part of a direction that is none
    static constexpr double kNothing = 1e-13;   // in rows, relative to the largest number beside it

    // Columns of J^T below each other: row r of J.
    double* row(int r) const { return a_ + r * n_; }
    double* column(int i) const { return z_ + i * n_; }

    // J^T with permuted columns = Q [R; 0]; reflections below the diagonal of R and in `factor_`.
    void factor() {
        for (int i = 0; i < n_ * k_; ++i) a_[i] = p_.J[i];
        for (int r = 0; r < k_; ++r) order_[r] = r;
        rank_ = 0;
        double largest = 0.0;
        while (rank_ < std::min(n_, k_)) {
            int best = rank_;
            double most = -1.0;
            for (int r = rank_; r < k_; ++r) {
                double sum = 0.0;
                for (int j = rank_; j < n_; ++j) sum += row(r)[j] * row(r)[j];
                if (sum > most) {
                    most = sum;
                    best = r;
                }
            }
            const double length = std::sqrt(most);
            largest = std::max(largest, length);
            if (!(length > kRank * largest)) break;
            for (int j = 0; j < n_; ++j) std::swap(row(best)[j], row(rank_)[j]);
            std::swap(order_[best], order_[rank_]);
            reflect(length);
            ++rank_;
        }
        null_space();
    }

    void reflect(double length) {
        double* own = row(rank_);
        const double first = own[rank_], diagonal = first > 0.0 ? -length : length;
        own[rank_] = first - diagonal;
        factor_[rank_] = 1.0 / (length * (length + std::fabs(first)));
        for (int r = rank_ + 1; r < k_; ++r) apply(own, rank_, row(r));
        reflected_[rank_] = diagonal;
    }

    void apply(const double* v, int i, double* x) const {
        double sum = 0.0;
        for (int j = i; j < n_; ++j) sum += v[j] * x[j];
        sum *= factor_[i];
        for (int j = i; j < n_; ++j) x[j] -= sum * v[j];
    }

    void null_space() {
        for (int i = 0; i < n_ - rank_; ++i) {
            double* z = column(i);
            for (int j = 0; j < n_; ++j) z[j] = j == rank_ + i ? 1.0 : 0.0;
            for (int r = rank_ - 1; r >= 0; --r) apply(row(r), r, z);
        }
    }

    // The shortest u with J u = V; false where V is out of the range of J.
    bool find_direction() {
        double size = 0.0;
        for (int r = 0; r < k_; ++r) size = std::max(size, std::fabs(p_.V[r]));
        for (int i = 0; i < n_; ++i) u_[i] = 0.0;
        // R^T y = V: element i of column r of R stands in row(r)[i], the diagonal in `reflected_`.
        for (int r = 0; r < rank_; ++r) {
            double sum = p_.V[order_[r]];
            for (int i = 0; i < r; ++i) sum -= row(r)[i] * y_[i];
            y_[r] = sum / reflected_[r];
        }
        double left = 0.0, parts = size;
        for (int r = rank_; r < k_; ++r) {
            double sum = p_.V[order_[r]], part = std::fabs(sum);
            for (int i = 0; i < rank_; ++i) {
                sum -= row(r)[i] * y_[i];
                part += std::fabs(row(r)[i] * y_[i]);
            }
            left = std::max(left, std::fabs(sum));
            parts = std::max(parts, part);
        }
        for (int i = 0; i < rank_; ++i) u_[i] = y_[i];
        for (int r = rank_ - 1; r >= 0; --r) apply(row(r), r, u_);
        return left <= kReachable * parts + p_.rounding;
    }

    // Bounds of v and limits in rows, by alpha and w. What is 0 but for rounding is 0: a row that depends on those of J would forbid a
    // direction where it is an equation.
    void write_rows(int wide) {
        QuadraticSolver<double>& qp = solver_;
        for (int i = 0; i < wide + n_ + p_.limit_rows; ++i) qp.side[i] = 0.0;
        double nothing = 0.0;
        for (int i = 0; i < p_.limit_rows * n_; ++i) nothing = std::max(nothing, kNothing * std::fabs(p_.G[i]));
        for (int i = 0; i < wide; ++i) {
            const double* direction = i == 0 ? u_ : column(i - 1);
            double least = 0.0;
            for (int j = 0; j < n_; ++j) least = std::max(least, kRounding * std::fabs(direction[j]));
            for (int j = 0; j < n_; ++j) qp.A[j * wide + i] = std::fabs(direction[j]) > least ? direction[j] : 0.0;
            for (int r = 0; r < p_.limit_rows; ++r) {
                double sum = 0.0, size = 0.0;
                for (int j = 0; j < n_; ++j) {
                    sum += p_.G[r * n_ + j] * direction[j];
                    size += std::fabs(p_.G[r * n_ + j]);
                }
                qp.A[(n_ + r) * wide + i] = size > nothing && std::fabs(sum) > least * size ? sum : 0.0;
            }
        }
        for (int j = 0; j < n_; ++j) {
            qp.row_lower[j] = p_.lower[j];
            qp.row_upper[j] = p_.upper[j];
        }
        for (int r = 0; r < p_.limit_rows; ++r) {
            qp.row_lower[n_ + r] = p_.limit_lower[r];
            qp.row_upper[n_ + r] = p_.limit_upper[r];
        }
    }

    const ScaledProgram& p_;
    const int n_, k_;
    QuadraticSolver<double> solver_;
    double *a_, *z_, *factor_, *u_, *reflected_, *y_;
    int* order_;
    int rank_ = 0;
};

KIDO_END
