#pragma once

#include <chrono>
#include <limits>

#include "kido/ik/best_end.hpp"

// Steps that lower the errors of levels: until all is reached, towards what cannot be, and one level after the other.

KIDO_BEGIN

class LevelDescent : protected BestEnd {
protected:
    using BestEnd::BestEnd;

    static constexpr double kRank = 1e-3;      // weight of a level beside the one above it, where not all can be reached
    static constexpr double kLittle = 1e-5;    // relative change that is not worth another step

    // Whether the time ran out, or whoever asked wants an end.
    bool is_over() {
        if (has_failed() || (p_.stop && p_.stop->poll())) return true;
        if (p_.time_budget == std::numeric_limits<double>::infinity()) return false;
        const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        out_.timed_out = out_.timed_out || spent > share_ * p_.time_budget;
        return spent > share_ * p_.time_budget;
    }

    // Steps until all that must be is reached, or errors get hardly smaller; one at least.
    bool lower_errors(int& iterations) { return lower_errors(required_levels_, iterations); }

    // The same for the first levels alone, from positions that were evaluated. Steps keep what is between bounds where it is, until
    // that leaves no way on.
    bool lower_errors(int levels, int& iterations) {
        forget_progress();
        skips_wishes_ = true;
        bool reached = false;
        for (int iteration = 0;; ++iteration) {
            if (iteration > 0) evaluate();
            reached = levels_reached(levels);
            if (reached || has_failed() || iterations >= most_iterations() || (iterations > 0 && is_over())) break;
            if (iteration % kPatience == 0 && !progresses(levels < required_levels_ ? levels : p_.num_levels)) {
                if (releases_ || !(several_ ? has_bounds_ : has_room())) break;
                release(true);
                forget_progress();
            }
            move(levels);
            ++iterations;
        }
        skips_wishes_ = false;
        if (releases_) release(false);
        return reached;
    }

    // Approaches targets that cannot be reached, with damping that grows after a step that raised the error.
    int approach() {
        double merit = merit_of_levels();
        const double weakest = small_steps_ ? kWeakest : 1.0, worth = small_steps_ ? kHardlyAny : kLittle;
        int steps = 0, little = 0;
        approaches_ = true;
        for (strength_ = 1.0; steps < p_.iterations && strength_ <= kStrongest && !(steps > 0 && is_over());) {
            ++steps;
            take(w_.q, w_.best);
            advance_by(p_.num_levels);
            const double next = merit_of_levels();
            little = abs(next - merit) <= worth * merit ? little + 1 : next < merit ? 0 : little;
            if (next < merit) {
                merit = next;
                strength_ = max(kWeaker * strength_, weakest);
                if (little == kTries || (little > 0 && strength_ <= 1.0)) break;
            } else {
                back();
                strength_ *= kStronger;
                if (little == kTries) break;
            }
        }
        strength_ = 1.0;
        approaches_ = false;
        return steps;
    }

    // Where small steps from the given positions alone come as near to what cannot be reached, they lead to the answer: free ones
    // wander where they help little, as about the line of a stretched arm. Back to the present positions otherwise, and where all is
    // reached: that is another answer than that of the first start, which says what is.
    int approach_directly() {
        take(w_.q, w_.found);
        for (int k = 0; k < p_.num_levels; ++k) w_.checkpoint[k] = squared(k);
        place(0);
        evaluate();
        small_steps_ = true;
        const int steps = approach();
        small_steps_ = false;
        if (has_failed() || (is_as_near() && !levels_reached(p_.num_levels))) return steps;
        take(w_.found, w_.q);
        evaluate();
        return 0;
    }

    // Gradient methods with steps of their own may go along what changes nothing, or away from what cannot be reached, and end there when
    // time is over: within a largest change, steps from the given positions that lower the errors lead to the answer then.
    int approach_by_own_steps() {
        double motion = 0.0;
        for (int j = 0; j < m_.num_dofs; ++j) motion = max(motion, abs(w_.q[j] - p_.start[j]));
        take(w_.q, w_.found);
        for (int k = 0; k < p_.num_levels; ++k) w_.checkpoint[k] = squared(k);
        place(0);
        evaluate();
        int k = 0;
        const auto flat = [&] { return abs(squared(k) - w_.checkpoint[k]) <= kFlat * motion * motion * squared(k); };
        while (k < p_.num_levels && (same(squared(k), w_.checkpoint[k]) || flat())) ++k;
        if (k == p_.num_levels || squared(k) < w_.checkpoint[k]) return approach();
        take(w_.found, w_.q);
        evaluate();
        return 0;
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

    // Where dofs move by a largest change at most, too many may have moved as far as that for the rest to bring first levels back that
    // were reached at the given positions: half of the way leaves them room.
    int settle_within_change() {
        int steps = settle();
        for (int i = 0; i < kRetreats && p_.largest_change && !levels_reached(held_levels_) && !is_over(); ++i) {
            retreat();
            evaluate();
            steps += settle();
        }
        return steps;
    }

    // Where dofs hardly move and errors hardly fall, positions stay: within a largest change, a robot that cannot get nearer stands still.
    void stay_if_idle() {
        if (!p_.largest_change || largest_motion(p_.start) > kIdle) return;
        take(w_.q, w_.found);
        for (int k = 0; k < p_.num_levels; ++k) w_.checkpoint[k] = squared(k);
        place(0);
        evaluate();
        int k = 0;
        while (k < p_.num_levels && (same(squared(k), w_.checkpoint[k]) || abs(squared(k) - w_.checkpoint[k]) <= kIdleGain * squared(k))) ++k;
        if (k == p_.num_levels || squared(k) < w_.checkpoint[k]) return;
        take(w_.found, w_.q);
        evaluate();
    }

    // Remembers how many of the first levels are reached.
    void see_held_levels() {
        held_levels_ = 0;
        while (held_levels_ + 1 < p_.num_levels && levels_reached(held_levels_ + 1)) ++held_levels_;
    }

    bool advance_by(int levels) {
        move(levels);
        return evaluate();
    }

    void back() {
        take(w_.best, w_.q);
        evaluate();
    }

    // The largest part of its largest change that a dof is away from some positions.
    double largest_motion(const double* from) const {
        double most = 0.0;
        for (int j = 0; j < m_.num_dofs; ++j) most = max(most, abs(w_.q[j] - from[j]) / p_.largest_change[j]);
        return most;
    }

    bool levels_reached(int levels) const {
        for (int t = 0; t < p_.num_tasks && p_.tasks[t].level < levels; ++t) {
            if (!p_.tasks[t].wished && !is_reached(t)) return false;
        }
        return true;
    }

    double merit_of_levels(int levels) const {
        double sum = 0.0, weight = 1.0;
        for (int k = 0; k < levels; ++k, weight *= kRank) sum += weight * w_.squared[k];
        return sum;
    }

    static constexpr int kTries = 4;           // little changes in a row that strong damping may be the cause of
    static constexpr double kIdle = 0.02, kIdleGain = 1e-5;  // parts of a largest change, and of squared errors, that are no motion
    static constexpr double kStrongest = 1e9;  // factor of the damping
    static constexpr double kWeakest = 0.125;  // least factor of that of small steps
    double share_ = 1.0;    // of the time that may be taken
    bool has_bounds_ = false;  // whether tasks have bounds between which there is no error
    int required_levels_ = 0;  // levels down to the last with a task that must be reached
    bool steps_itself_ = false;

private:
    static constexpr double kOwnProgress = 0.9;  // in place of kProgress where gradient methods have steps of their own
    static constexpr int kOwnIterations = 5;   // factor of their number where gradient methods have steps of their own
    static constexpr double kFlat = 0.01;      // of a squared motion [1/rad^2]: squared errors that change by less do not depend on it
    static constexpr int kRetreats = 6;        // each leaves a fourth of what curves
    static constexpr double kHardlyAny = 1e-12;  // decrease by a small step that is not worth another one

    int most_iterations() const {
        constexpr int most = std::numeric_limits<int>::max() / kOwnIterations;
        return steps_itself_ ? kOwnIterations * min(p_.iterations, most) : p_.iterations;
    }

    double merit_of_levels() const { return merit_of_levels(p_.num_levels); }

    // Whether no level is worse than at the last checkpoint before one is better; of errors too large to be squared nobody knows.
    bool is_as_near() const {
        for (int k = 0; k < p_.num_levels; ++k) {
            if (squared(k) == std::numeric_limits<double>::max()) return false;
        }
        int k = 0;
        while (k < p_.num_levels && same(squared(k), w_.checkpoint[k])) ++k;
        return k == p_.num_levels || squared(k) < w_.checkpoint[k];
    }

    // Whether a component of an error is between bounds that leave it room.
    bool has_room() const {
        bool some = false;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            for (int r = 0; r < 6 && task.kind == TaskKind::pose && task.region.bounded; ++r) {
                some = some || (w_.error[task.row + r] == 0.0 && leaves_room(task.region, r));
            }
        }
        return some;
    }

    void release(bool releases) {
        releases_ = releases;
        errors();  // which know what is held
    }

    void forget_progress() {
        for (int k = 0; k < p_.num_levels; ++k) w_.checkpoint[k] = std::numeric_limits<double>::infinity();
    }

    // Whether the error of one of the first levels is much less than at the last checkpoint.
    bool progresses(int levels) {
        const double most = steps_itself_ ? kOwnProgress : kProgress;
        bool some = false;
        for (int k = 0; k < levels; ++k) {
            const double squared = stacks_ ? required_squared_ : w_.squared[k];
            some = some || squared <= most * w_.checkpoint[k];
            w_.checkpoint[k] = squared;
        }
        return some;
    }

    int held_levels_ = 0;  // first levels that were reached at the given positions
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

KIDO_END
