#pragma once

#include <chrono>
#include <cmath>
#include <limits>

#include "kido/ik/objective_descent.hpp"
#include "kido/ik/random_start.hpp"

// Inverse kinematics in levels of priority: steps from the given positions, then from random ones, until all tasks are reached that
// must be. Else levels come to their targets one after the other, and the answer is the start whose first levels came nearest.

KIDO_BEGIN

class HierarchySolver : ObjectiveDescent {
public:
    HierarchySolver(const HierarchyProblem& problem, HierarchyResult& result, void* memory)
        : ObjectiveDescent(problem, memory), out_(result) {
        for (int t = 0; t < p_.num_tasks; ++t) {
            wishes_ = wishes_ || p_.tasks[t].wished;
            only_postures_ = only_postures_ && (!p_.tasks[t].wished || p_.tasks[t].kind == TaskKind::posture);
            several_ = several_ || (required_levels_ > 0 && !p_.tasks[t].wished);
            if (!p_.tasks[t].wished) required_levels_ = p_.tasks[t].level + 1;
            steps_itself_ = steps_itself_ || p_.tasks[t].own_step;
        }
    }

    void run() {
        for (int k = 0; k < p_.num_levels; ++k) w_.best_squared[k] = std::numeric_limits<double>::infinity();
        stacks_ = required_levels_ > 1 && !steps_itself_;
        share_ = stacks_ ? kStackedShare : 1.0;
        for (int start = 0; start < p_.starts && (start == 0 || !is_over()); ++start) {
            place(start);
            if (descend(start) && !p_.nearest) return;
        }
        if (stacks_ && !best_reached_ && !has_failed()) separate();
    }

private:
    static constexpr double kProgress = 0.25, kOwnProgress = 0.9;  // of a squared error in kPatience iterations, at most
    static constexpr int kOwnIterations = 5;   // factor of their number where gradient methods have steps of their own
    static constexpr double kRank = 1e-3;      // weight of a level beside the one above it, where not all can be reached
    static constexpr double kMuch = 0.98;      // of a squared error, which less is worth going further for
    static constexpr double kLittle = 1e-6;    // relative decrease that is not worth another step
    static constexpr int kTries = 4;           // little decreases in a row that strong damping may be the cause of
    static constexpr double kStrongest = 1e9;  // factor of the damping
    static constexpr double kWorth = 1e-2;     // relative decrease of what is wished for that is worth another step
    static constexpr double kWishedStep = 0.25, kLeastStep = 1e-3;  // parts of the largest step that are tried for it
    static constexpr int kCorrections = 3;     // steps that bring required tasks back after one for the wishes
    static constexpr double kNarrow = 0.4, kWide = 0.6;  // parts of the ranges in which starts of several tasks are drawn
    static constexpr double kStackedShare = 0.6;  // of the time, for steps of all levels as one

    // Whether the time ran out, or whoever asked wants an end.
    bool is_over() {
        if (has_failed() || (p_.stop && p_.stop->poll())) return true;
        if (p_.time_budget == std::numeric_limits<double>::infinity()) return false;
        const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        out_.timed_out = out_.timed_out || spent > share_ * p_.time_budget;
        return spent > share_ * p_.time_budget;
    }

    // The given positions, or random ones. Where several tasks tie many dofs together, few of those near the limits lead anywhere.
    void place(int start) {
        const double part = !several_ ? 1.0 : start % 2 == 0 ? kNarrow : kWide;
        for (int j = 0; j < m_.num_dofs; ++j) {
            double q = p_.start[j], low = p_.low_seed[j];
            const double range = p_.high_seed[j] - low;
            if (several_) low += 0.5 * (1.0 - part) * range;
            if (start > 0 && p_.moves[j] && range > 0.0) q = low + part * range * drawn(p_.seed, start, j);
            w_.q[j] = p_.moves[j] ? min(max(q, p_.lower[j]), p_.upper[j]) : q;
        }
    }

    int most_iterations() const {
        constexpr int most = std::numeric_limits<int>::max() / kOwnIterations;
        return steps_itself_ ? kOwnIterations * min(p_.iterations, most) : p_.iterations;
    }

    // From the present positions, and where the last start gets stuck from its mirror images; whether all is reached.
    bool descend(int start) {
        begin();
        int iterations = 0;
        for (int mirrors = 0;; ++mirrors) {
            const bool reached = lower_errors(iterations);
            if (has_failed()) return true;
            const bool goes_on = start == p_.starts - 1 && mirrors < p_.mirrors && !reached && !is_over();
            if (goes_on) take(w_.q, w_.stuck);
            if (stacks_ && !reached) {
                remember(start, mirrors);
            } else if (!goes_on || (start == 0 && mirrors == 0)) {
                finish(start, mirrors, iterations, reached);
            }
            if (has_failed() || !goes_on) return reached;
            take(w_.stuck, w_.q);
            mirror();
        }
    }

    void begin() {
        length_ = {};
        evaluate();
        choose_length();
        if (length_.value != 1.0) evaluate();
    }

    // Goes on from where the errors are no longer lowered, and keeps the end.
    void finish(int start, int mirrors, int iterations, bool reached) {
        stationarity_ = std::numeric_limits<double>::quiet_NaN();
        if (reached) {
            unwind();
            const double share = share_;
            share_ = 1.0;
            out_.timed_out = false;
            iterations += p_.has_objective ? lower_objective([&] { return is_over(); }) : refine_wishes();
            share_ = share;
        } else if (start == 0 || ((start == other_start_ || is_better(false)) && !is_over())) {
            iterations += approach() + settle();  // of others nothing would be told
        }
        if (!has_failed()) keep(start, mirrors, iterations, reached);
    }

    // Positions to come back to where no start reaches all.
    void remember(int start, int mirrors) {
        if ((start == 0 && mirrors == 0) || (other_start_ >= 0 && !is_better(false))) return;
        for (int k = 0; k < p_.num_levels; ++k) w_.best_squared[k] = squared(k);
        take(w_.q, w_.other);
        other_start_ = start;
    }

    // Where not all can be reached: first levels first, from the given positions, then from where the best other start ended. By
    // steps that never raise the errors a robot stays where it is as near as it gets; free ones lead on, which has to be worth it.
    void separate() {
        stacks_ = false;
        share_ = 1.0;
        place(0);
        begin();
        finish(0, 0, 0, false);
        if (p_.largest_change || has_failed() || is_over()) return;
        place(0);
        begin();
        int iterations = 0;
        if (lower_errors(iterations) || has_failed()) {
            if (!has_failed()) finish(0, 0, iterations, true);
            return;
        }
        iterations += approach() + settle();
        if (has_failed()) return;
        if (is_worth_it()) keep(0, 0, iterations, false);
        if (other_start_ < 0 || is_over()) return;
        take(w_.other, w_.q);
        begin();
        iterations = 0;
        const bool reached = lower_errors(iterations);
        if (!has_failed()) finish(other_start_, 1, iterations, reached);
    }

    // Whether the first level that differs much from that of the best end so far is better.
    bool is_worth_it() const {
        for (int k = 0; k < p_.num_levels; ++k) {
            if (same(squared(k), w_.best_squared[k])) continue;
            if (squared(k) < kMuch * w_.best_squared[k]) return true;
            if (kMuch * squared(k) > w_.best_squared[k]) return false;
        }
        return false;
    }

    // Steps until all that must be is reached, or errors get hardly smaller; one at least.
    bool lower_errors(int& iterations) {
        for (int k = 0; k < p_.num_levels; ++k) w_.checkpoint[k] = std::numeric_limits<double>::infinity();
        skips_wishes_ = true;
        bool reached = false;
        for (int iteration = 0;; ++iteration) {
            reached = evaluate();
            if (reached || has_failed() || iterations >= most_iterations() || (iterations > 0 && is_over())) break;
            if (iteration % kPatience == 0 && !progresses()) break;
            move(required_levels_);
            ++iterations;
        }
        skips_wishes_ = false;
        return reached;
    }

    bool evaluate() {
        kinematics();
        return errors();
    }

    // Other positions to go on from: dofs at a limit jump to the opposite side of their range; where none is, all do.
    void mirror() {
        bool some = false;
        for (int j = 0; j < m_.num_dofs; ++j) some = some || at_limit(j);
        for (int j = 0; j < m_.num_dofs; ++j) {
            const double low = p_.lower[j], high = p_.upper[j], q = w_.q[j];
            if (!p_.moves[j] || !is_finite(low) || !is_finite(high)) continue;
            const double image = some && !at_limit(j) ? q : low + high - q;
            w_.q[j] = image + kInward * (0.5 * (low + high) - image);
        }
    }

    bool at_limit(int j) const { return p_.moves[j] && (w_.q[j] <= p_.lower[j] || w_.q[j] >= p_.upper[j]); }

    // Approaches targets that cannot be reached, with damping that grows after a step that raised the error.
    int approach() {
        double merit = merit_of_levels();
        int steps = 0, little = 0;
        approaches_ = true;
        for (strength_ = 1.0; steps < p_.iterations && strength_ <= kStrongest && !(steps > 0 && is_over());) {
            ++steps;
            take(w_.q, w_.best);
            advance_by(p_.num_levels);
            const double next = merit_of_levels();
            if (next < merit) {
                little = next > (1.0 - kLittle) * merit ? little + 1 : 0;
                merit = next;
                strength_ = max(0.5 * strength_, 1.0);
                if (little == kTries || (little > 0 && strength_ == 1.0)) break;
            } else {
                back();
                strength_ *= 8.0;
            }
        }
        strength_ = 1.0;
        approaches_ = false;
        return steps;
    }

    // Where all is reached that must be, lowers what is wished beside it, as far as that goes.
    int refine_wishes() {
        if (!wishes_) return 0;
        const bool stacked = stacks_;
        double merit = wished();
        int steps = 0, little = 0;
        bound_ = kWishedStep;
        forget_wishes();
        while (steps < p_.iterations && !is_granted() && !is_over()) {
            ++steps;
            take(w_.q, w_.best);
            const bool reached = advance_by_wishes();
            const double next = wished();
            if (reached && next < merit) {
                little = bound_ == 1.0 && next > (1.0 - kWorth) * merit ? little + 1 : 0;
                merit = next;
                bound_ = min(2.0 * bound_, 1.0);
                if (little == 2) break;
            } else {
                back();
                if (reached && next < (1.0 + kLittle) * merit) break;
                forget_wishes();
                bound_ *= 0.25;
                if (bound_ < kLeastStep) break;
            }
        }
        bound_ = 1.0;
        stacks_ = stacked;
        return steps;
    }

    // A step for what is wished for, and some that bring back what must be reached; whether they do.
    bool advance_by_wishes() {
        stacks_ = only_postures_ && !steps_itself_;
        skips_wishes_ = stacks_;
        if (stacks_) {
            yield_to_wishes(kRank);
        } else {
            move(p_.num_levels);
        }
        bool reached = evaluate();
        skips_wishes_ = true;
        for (int i = 0; i < kCorrections && !reached && !is_over(); ++i) reached = advance_by(required_levels_);
        skips_wishes_ = false;
        return reached;
    }

    // Whether there is no error in what is wished for either.
    bool is_granted() const {
        bool all = true;
        for (int t = 0; t < p_.num_tasks; ++t) all = all && (!p_.tasks[t].wished || is_reached(t));
        return all;
    }

    // Squared errors of what is wished for, each level with its weight.
    double wished() const {
        double sum = 0.0, weight = 1.0;
        for (int t = 0, level = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            for (; level < task.level; ++level) weight *= kRank;
            if (!task.wished) continue;
            for (int r = task.row; r < task.row + task.rows; ++r) sum += weight * square(w_.error[r]);
        }
        return sum;
    }

    // Brings levels to their targets one after the other, at the cost of those below, up to the first that cannot be reached.
    int settle() {
        int steps = 0;
        for (int levels = 1; levels < p_.num_levels; ++levels) {
            if (levels_reached(levels)) continue;
            take(w_.q, w_.best);
            const int most = steps_itself_ ? kOwnIterations * kPatience : kPatience;
            for (int i = 0; i < most && !levels_reached(levels) && !is_over(); ++i, ++steps) advance_by(levels);
            if (levels_reached(levels)) continue;
            back();
            break;
        }
        return steps;
    }

    bool advance_by(int levels) {
        move(levels);
        return evaluate();
    }

    void back() {
        take(w_.best, w_.q);
        evaluate();
    }

    double merit_of_levels() const {
        double sum = 0.0, weight = 1.0;
        for (int k = 0; k < p_.num_levels; ++k, weight *= kRank) sum += weight * w_.squared[k];
        return sum;
    }

    bool levels_reached(int levels) const {
        for (int t = 0; t < p_.num_tasks && p_.tasks[t].level < levels; ++t) {
            if (!p_.tasks[t].wished && !is_reached(t)) return false;
        }
        return true;
    }

    bool progresses() {
        const double most = steps_itself_ ? kOwnProgress : kProgress;
        bool some = false;
        for (int k = 0; k < p_.num_levels; ++k) {
            const double squared = stacks_ ? required_squared_ : w_.squared[k];
            some = some || squared <= most * w_.checkpoint[k];
            w_.checkpoint[k] = squared;
        }
        return some;
    }

    // An angle, shifted by whole turns as near to the given one as limits let it.
    double unwound(int j) const {
        const double q = w_.q[j];
        if (!p_.cyclic[j] || !p_.moves[j]) return q;
        const double turn = 2.0 * arctangent::kPiHigh;
        double count = std::nearbyint((p_.start[j] - q) / turn);
        count = min(max(count, std::ceil((p_.lower[j] - q) / turn)), std::floor((p_.upper[j] - q) / turn));
        return min(max(q + count * turn, p_.lower[j]), p_.upper[j]);
    }

    // Whole turns back to the given positions, before anything is lowered that they make a difference to.
    void unwind() {
        bool some = false;
        for (int j = 0; j < m_.num_dofs; ++j) {
            const double q = unwound(j);
            some = some || q != w_.q[j];
            w_.q[j] = q;
        }
        if (some) evaluate();
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

    void keep(int start, int mirrors, int iterations, bool reached) {
        if (start == 0 && mirrors == 0) write(out_.connected, start, iterations);
        if ((start > 0 || mirrors > 0) && !is_better(reached)) return;
        out_.elsewhere = start > 0 || mirrors > 0;
        best_reached_ = reached;
        best_displacement_ = displacement();
        for (int i = 0; i < p_.num_levels; ++i) w_.best_squared[i] = squared(i);
        write(out_.best, start, iterations);
    }

    void write(HierarchyEnd& end, int start, int iterations) const {
        for (int j = 0; j < m_.num_dofs; ++j) end.positions[j] = w_.q[j];
        for (int t = 0; t < p_.num_tasks; ++t) {
            end.angular_error[t] = w_.angular[t];
            end.linear_error[t] = w_.linear[t] * length_.value;
            end.reached[t] = is_reached(t);
        }
        end.start = start;
        end.iterations = iterations;
        end.stationarity = stationarity_;
    }

    bool same(double a, double b) const {
        const double least = square(min(p_.angular_tolerance, p_.linear_tolerance));
        return max(a, b) <= least || abs(a - b) <= 1e-6 * max(a, b);
    }
    static double square(double x) { return x * x; }

    HierarchyResult& out_;
    bool wishes_ = false, steps_itself_ = false;
    bool only_postures_ = true;  // whether nothing else is wished for
    bool several_ = false;     // whether more than one task must be reached
    double share_ = 1.0;    // of the time that may be taken
    int other_start_ = -1;  // the best start of those that reached nothing with all levels as one, but the first; -1: none
    int required_levels_ = 0;  // levels down to the last with a task that must be reached
    bool best_reached_ = false;
    double best_displacement_ = 0.0;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

KIDO_END
