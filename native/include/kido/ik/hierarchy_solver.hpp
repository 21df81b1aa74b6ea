#pragma once

#include <chrono>
#include <limits>

#include "kido/ik/hierarchy_step.hpp"
#include "kido/ik/random_start.hpp"

// Inverse kinematics in levels of priority: steps from the given positions, then from random ones, until all tasks are reached.
// Else levels come to their targets one after the other, and the answer is the start whose first levels came nearest.

KIDO_BEGIN

class HierarchySolver : HierarchyStepper {
public:
    HierarchySolver(const HierarchyProblem& problem, HierarchyResult& result, void* memory)
        : HierarchyStepper(problem, memory), out_(result) {}

    void run() {
        for (int k = 0; k < p_.num_levels; ++k) w_.best_squared[k] = std::numeric_limits<double>::infinity();
        for (int start = 0; start < p_.starts && (start == 0 || !is_over()); ++start) {
            place(start);
            if (descend(start) && !p_.nearest) return;
        }
    }

private:
    static constexpr int kPatience = 10;      // iterations in which some level has to halve its error
    static constexpr double kRank = 1e-3;     // weight of a level beside the one above it, where not all can be reached
    static constexpr double kLittle = 1e-6;   // relative decrease that is not worth another step
    static constexpr double kStrongest = 1e9;  // factor of the damping

    // Whether the time ran out, or whoever asked wants an end.
    bool is_over() const {
        if (p_.stop && p_.stop->poll()) return true;
        if (p_.time_budget == std::numeric_limits<double>::infinity()) return false;
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() > p_.time_budget;
    }

    void place(int start) {
        for (int j = 0; j < m_.num_dofs; ++j) {
            double q = p_.start[j];
            const double low = p_.low_seed[j], high = p_.high_seed[j];
            if (start > 0 && p_.moves[j] && low < high) q = low + (high - low) * drawn(p_.seed, start, j);
            w_.q[j] = p_.moves[j] ? min(max(q, p_.lower[j]), p_.upper[j]) : q;
        }
    }

    bool descend(int start) {
        for (int k = 0; k < p_.num_levels; ++k) w_.checkpoint[k] = std::numeric_limits<double>::infinity();
        kinematics();
        choose_length();
        for (int iteration = 0;; ++iteration) {
            if (iteration > 0) kinematics();
            const bool reached = errors();
            const bool stuck = iteration >= p_.iterations || (iteration % kPatience == 0 && !progresses());
            const bool over = is_over();
            if (reached || stuck || over) {
                const int more = reached || over ? 0 : approach() + settle();
                keep_if_better(start, iteration + more, reached);
                return reached;
            }
            move(p_.num_levels);
        }
    }

    // Approaches targets that cannot be reached, with damping that grows after a step that raised the error.
    int approach() {
        double merit = merit_of_levels();
        int steps = 0;
        for (strength_ = 1.0; steps < p_.iterations && strength_ <= kStrongest && !is_over();) {
            ++steps;
            take(w_.q, w_.best);
            advance_by(p_.num_levels);
            const double next = merit_of_levels();
            if (next < merit) {
                const bool little = next > (1.0 - kLittle) * merit;
                merit = next;
                strength_ = max(0.5 * strength_, 1.0);
                if (little) break;
            } else {
                take(w_.best, w_.q);
                kinematics();
                errors();
                strength_ *= 8.0;
            }
        }
        strength_ = 1.0;
        return steps;
    }

    // Brings levels to their targets one after the other, at the cost of those below, up to the first that cannot be reached.
    int settle() {
        int steps = 0;
        for (int levels = 1; levels < p_.num_levels; ++levels) {
            take(w_.q, w_.best);
            for (int i = 0; i < kPatience && !levels_reached(levels); ++i, ++steps) advance_by(levels);
            if (levels_reached(levels)) continue;
            take(w_.best, w_.q);
            kinematics();
            errors();
            break;
        }
        return steps;
    }

    void advance_by(int levels) {
        move(levels);
        kinematics();
        errors();
    }

    void take(const double* from, double* to) const {
        for (int j = 0; j < m_.num_dofs; ++j) to[j] = from[j];
    }

    double merit_of_levels() const {
        double sum = 0.0, weight = 1.0;
        for (int k = 0; k < p_.num_levels; ++k, weight *= kRank) sum += weight * w_.squared[k];
        return sum;
    }

    bool levels_reached(int levels) const {
        for (int t = 0; t < p_.num_tasks && p_.tasks[t].level < levels; ++t) {
            if (!is_reached(w_.task_error[t])) return false;
        }
        return true;
    }

    bool progresses() {
        bool some = false;
        for (int k = 0; k < p_.num_levels; ++k) {
            some = some || w_.squared[k] <= 0.25 * w_.checkpoint[k];
            w_.checkpoint[k] = w_.squared[k];
        }
        return some;
    }

    // The largest change of a dof from the given positions.
    double displacement() const {
        double most = 0.0;
        for (int j = 0; j < m_.num_dofs; ++j) most = max(most, abs(w_.q[j] - p_.start[j]));
        return most;
    }

    // Squared error of a level with lengths in [m], comparable between starts.
    double squared(int level) const {
        return min(w_.squared[level] * square(length_.value), std::numeric_limits<double>::max());
    }

    // Levels count in their order: the first that differs decides.
    bool is_better(bool reached) const {
        if (reached != best_reached_) return reached;
        if (reached) return displacement() < best_displacement_;
        int k = 0;
        while (k < p_.num_levels && same(squared(k), w_.best_squared[k])) ++k;
        return k < p_.num_levels && squared(k) < w_.best_squared[k];
    }

    void keep_if_better(int start, int iteration, bool reached) {
        if (start > 0 && !is_better(reached)) return;
        best_reached_ = reached;
        best_displacement_ = displacement();
        for (int i = 0; i < p_.num_levels; ++i) w_.best_squared[i] = squared(i);
        for (int j = 0; j < m_.num_dofs; ++j) out_.positions[j] = w_.q[j];
        for (int t = 0; t < p_.num_tasks; ++t) {
            out_.angular_error[t] = norm(w_.task_error[t].angular);
            out_.linear_error[t] = norm(w_.task_error[t].linear) * length_.value;
            out_.reached[t] = is_reached(w_.task_error[t]);
        }
        out_.start = start;
        out_.iterations = iteration;
    }

    bool same(double a, double b) const {
        const double least = square(min(p_.angular_tolerance, p_.linear_tolerance));
        return max(a, b) <= least || abs(a - b) <= 1e-6 * max(a, b);
    }
    static double square(double x) { return x * x; }

    HierarchyResult& out_;
    bool best_reached_ = false;
    double best_displacement_ = 0.0;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

KIDO_END
