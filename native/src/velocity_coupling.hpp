#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kido {

// Velocities of dofs that move with each other, or not at all: v = T w. Columns of T are orthonormal, so that w is as long as v.
class VelocityCoupling {
public:
    VelocityCoupling() = default;
    // Of each dof the unknown that it moves with, -1: none, and its velocity for one of the unknown.
    VelocityCoupling(std::vector<int> unknown, std::vector<double> factor) : unknown_(std::move(unknown)), factor_(std::move(factor)) {
        for (int k : unknown_) unknowns_ = std::max(unknowns_, k + 1);
        std::vector<double> length(unknowns_, 0.0);
        for (int j = 0; j < dofs(); ++j) {
            if (moves(j)) length[unknown_[j]] = std::hypot(length[unknown_[j]], factor_[j]);
        }
        for (int j = 0; j < dofs(); ++j) factor_[j] = moves(j) ? factor_[j] / length[unknown_[j]] : 0.0;
    }

    // Whether every dof moves by itself.
    bool is_empty() const { return unknown_.empty(); }
    int unknowns() const { return unknowns_; }
    bool moves(int dof) const { return unknown_[dof] >= 0; }

    // A T (rows, unknowns) of A (rows, dofs).
    std::vector<double> columns(const double* A, int rows) const {
        std::vector<double> of(static_cast<std::size_t>(rows) * unknowns_, 0.0);
        for (int r = 0; r < rows; ++r) {
            for (int j = 0; j < dofs(); ++j) {
                if (moves(j)) of[r * unknowns_ + unknown_[j]] += A[r * dofs() + j] * factor_[j];
            }
        }
        return of;
    }

    // Bounds of w that keep those of v (dofs). Of dofs that do not move, none.
    void narrow(const std::vector<double>& lower, const std::vector<double>& upper, std::vector<double>& w_lower,
                std::vector<double>& w_upper) const {
        w_lower.assign(unknowns_, -std::numeric_limits<double>::infinity());
        w_upper.assign(unknowns_, std::numeric_limits<double>::infinity());
        for (int j = 0; j < dofs(); ++j) {
            if (!moves(j)) continue;
            w_lower[unknown_[j]] = std::max(w_lower[unknown_[j]], lowest(j, lower, upper));
            w_upper[unknown_[j]] = std::min(w_upper[unknown_[j]], highest(j, lower, upper));
        }
    }

    // Bounds of v (dofs) at which dofs are where w (unknowns) is at its own: -1 lower, 1 upper.
    std::vector<double> sides(const double* w_side, const std::vector<double>& lower, const std::vector<double>& upper,
                              const std::vector<double>& w_lower, const std::vector<double>& w_upper) const {
        std::vector<double> side(dofs(), 0.0);
        for (int j = 0; j < dofs(); ++j) {
            const double of = moves(j) ? w_side[unknown_[j]] : 0.0;
            const bool is_own = of < 0.0 ? lowest(j, lower, upper) == w_lower[unknown_[j]]
                                         : of > 0.0 && highest(j, lower, upper) == w_upper[unknown_[j]];
            if (is_own) side[j] = factor_[j] < 0.0 ? -of : of;
        }
        return side;
    }

    void expand(const double* w, double* v) const {
        for (int j = 0; j < dofs(); ++j) v[j] = moves(j) ? factor_[j] * w[unknown_[j]] : 0.0;
    }

private:
    int dofs() const { return static_cast<int>(unknown_.size()); }
    double lowest(int j, const std::vector<double>& lower, const std::vector<double>& upper) const {
        return (factor_[j] < 0.0 ? upper[j] : lower[j]) / factor_[j];
    }
    double highest(int j, const std::vector<double>& lower, const std::vector<double>& upper) const {
        return (factor_[j] < 0.0 ? lower[j] : upper[j]) / factor_[j];
    }

    std::vector<int> unknown_;
    std::vector<double> factor_;
    int unknowns_ = 0;
};

}  // namespace kido
