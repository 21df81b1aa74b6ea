#pragma once

#include <limits>

#include "kido/ik/search_start.hpp"

// The best of the ends of a search, and that of its first start.

KIDO_BEGIN

class BestEnd : protected SearchStart {
protected:
    BestEnd(const HierarchyProblem& problem, HierarchyResult& result, void* memory)
        : SearchStart(problem, memory), out_(result) {}

    // Levels count in their order: the first that differs decides.
    bool is_better(bool reached) const {
        if (reached != best_reached_) return reached;
        if (reached) return displacement() < best_displacement_;
        int k = 0;
        while (k < p_.num_levels && same(squared(k), w_.best_squared[k])) ++k;
        return k < p_.num_levels && squared(k) < w_.best_squared[k];
    }

    void keep(int start, int mirrors, int iterations, bool reached) {
        if (start == 0 && mirrors == 0) write(out_.connected, start, iterations);
        if ((start > 0 || mirrors > 0) && !is_better(reached)) return;
        out_.elsewhere = start > 0 || mirrors > 0;
        best_reached_ = reached;
        best_displacement_ = displacement();
        for (int i = 0; i < p_.num_levels; ++i) w_.best_squared[i] = squared(i);
        write(out_.best, start, iterations);
    }

    // Squared error of a level with lengths in [m], comparable between starts.
    double squared(int level) const {
        return min(w_.squared[level] * square(length_.value), std::numeric_limits<double>::max());
    }

    bool same(double a, double b) const {
        const double least = square(min(p_.angular_tolerance, p_.linear_tolerance));
        return max(a, b) <= least || abs(a - b) <= 1e-6 * max(a, b);
    }

    static double square(double x) { return x * x; }

    HierarchyResult& out_;
    bool best_reached_ = false;

private:
    // The largest change of a dof from the given positions.
    double displacement() const {
        double most = 0.0;
        for (int j = 0; j < m_.num_dofs; ++j) most = max(most, abs(w_.q[j] - p_.start[j]));
        return most;
    }

    void write(HierarchyEnd& end, int start, int iterations) const {
        for (int j = 0; j < m_.num_dofs; ++j) end.positions[j] = w_.q[j];
        for (int t = 0; t < p_.num_told; ++t) {
            end.angular_error[t] = w_.angular[t];
            end.linear_error[t] = w_.linear[t] * length_.value;
            end.reached[t] = is_reached(t);
        }
        end.start = start;
        end.iterations = iterations;
        end.stationarity = stationarity_;
    }

    double best_displacement_ = 0.0;
};

KIDO_END
