#pragma once

#include <limits>

#include "kido/ik/wish_descent.hpp"

// Inverse kinematics in levels of priority: steps from the given positions, then from random ones, until all tasks are reached that
// must be. Else levels come to their targets one after the other, and the answer is the start whose first levels came nearest.

KIDO_BEGIN

class HierarchySolver : WishDescent {
public:
    HierarchySolver(const HierarchyProblem& problem, HierarchyResult& result, void* memory)
        : WishDescent(problem, result, memory) {
        for (int t = 0; t < p_.num_told; ++t) {
            wishes_ = wishes_ || p_.tasks[t].wished;
            only_postures_ = only_postures_ && (!p_.tasks[t].wished || p_.tasks[t].kind == TaskKind::posture);
            several_ = several_ || (required_levels_ > 0 && !p_.tasks[t].wished);
            if (!p_.tasks[t].wished) required_levels_ = p_.tasks[t].level + 1;
            has_bounds_ = has_bounds_ || is_bounded(p_.tasks[t]);
            steps_itself_ = steps_itself_ || p_.tasks[t].own_step;
        }
    }

    void run() {
        for (int k = 0; k < p_.num_levels; ++k) w_.best_squared[k] = std::numeric_limits<double>::infinity();
        stacks_ = required_levels_ > 1 && !steps_itself_;
        share_ = stacks_ ? kStackedShare : 1.0;
        for (int start = 0; start < p_.starts && (start == 0 || !is_over()); ++start) {
            place(start, hops(start));
            if (descend(start) && !p_.nearest) return;
            if (asks_python() && !best_reached_ && found_again_ >= kAgain) break;
            if (several_ && misses_much(start)) break;
        }
        if (stacks_ && !best_reached_ && !has_failed()) separate();
    }

private:
    static constexpr double kMuch = 0.98;      // of a squared error, which less is worth going further for
    static constexpr double kSame = 1e-2;      // part by which squared errors of one end differ where it was not refined
    static constexpr int kAgain = 10;          // times that starts find the best end again, after which no other is expected
    static constexpr double kStackedShare = 0.6;  // of the time, for steps of all levels as one

    static constexpr int kFirstHop = 4, kHopsEach = 2;  // start that is the first to hop, and from one to the next
    // Starts after which a search of several tasks only goes on where the best end does not miss much, and where it misses little: how
    // far that is [rad, m]. Of 2000 reachable sets of a humanoid's tasks none missed as much after as many.
    static constexpr int kEarly = 8, kTrial = 24;
    static constexpr double kMuchMissed = 0.3, kLittleMissed = 0.1;
    static constexpr int kSeeking = 4;     // further starts where the first level is not reached; of 1000 hands out of reach six needed one or two

    // Whether a start keeps some of the positions where the best other one ended.
    bool hops(int start) const { return other_start_ >= 0 && start >= kFirstHop && start % kHopsEach == 0; }

    // Whether the best end of the starts so far is so far from the targets that others would hardly reach them.
    bool misses_much(int start) const {
        if (start < kEarly || start > kTrial || other_start_ < 0 || best_reached_) return false;
        double sum = 0.0;
        for (int k = 0; k < required_levels_; ++k) sum += w_.best_squared[k];
        return sum > square(start < kTrial ? kMuchMissed : kLittleMissed);
    }

    // From the present positions, and where the last start gets stuck from its mirror images; whether all is reached.
    bool descend(int start) {
        begin();
        int iterations = 0;
        for (int mirrors = 0;; ++mirrors) {
            const bool reached = lower_errors(iterations);
            if (has_failed()) return true;
            if (!reached && start > 0 && mirrors == 0) count_again();
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
            evaluate();
        }
    }

    void begin() {
        length_ = {};
        evaluate();
        choose_length();
        if (length_.value != 1.0) evaluate();
        see_held_levels();
    }

    // Counts how often the best end was found again, since it was.
    void count_again() {
        int k = 0;
        const auto near = [&] { return abs(squared(k) - w_.best_squared[k]) <= kSame * w_.best_squared[k]; };
        while (k < p_.num_levels && (same(squared(k), w_.best_squared[k]) || near())) ++k;
        if (k == p_.num_levels) {
            ++found_again_;
        } else if (squared(k) < w_.best_squared[k]) {
            found_again_ = 0;
        }
    }

    // Goes on from where the errors are no longer lowered, and keeps the end.
    void finish(int start, int mirrors, int iterations, bool reached) {
        stationarity_ = std::numeric_limits<double>::quiet_NaN();
        if (reached) {
            iterations += refine();
        } else if (start == 0 || ((start == other_start_ || is_better(false)) && !is_over())) {
            const bool first = start == 0 && mirrors == 0, ordered = separates_ && p_.largest_change && !steps_itself_;
            iterations += ordered ? approach_in_order() : approach();  // of others nothing would be told
            iterations += settle_within_change();
            if (first && !separates_ && !steps_itself_ && !is_over()) iterations += approach_directly();
            if (first && steps_itself_ && p_.largest_change && !has_failed()) iterations += approach_by_own_steps();
            if (first && !has_failed()) stay_if_idle();
            reached = p_.has_objective && !has_failed() && errors();  // by the last steps
            if (reached) iterations += refine();
        }
        if (!has_failed()) keep(start, mirrors, iterations, reached);
    }

    // What is left to do where all is reached.
    int refine() {
        unwind();
        const double share = share_;
        share_ = 1.0;
        out_.timed_out = false;
        const int steps = p_.has_objective ? lower_objective([&] { return is_over(); }) : refine_wishes();
        share_ = share;
        return steps;
    }

    // Positions to come back to where no start reaches all.
    void remember(int start, int mirrors) {
        if ((start == 0 && mirrors == 0) || (other_start_ >= 0 && !is_better(false))) return;
        for (int k = 0; k < p_.num_levels; ++k) w_.best_squared[k] = squared(k);
        take(w_.q, w_.other);
        other_start_ = start;
    }

    // Where not all can be reached: first levels first, from the given positions, then from where the best other start ended. By
    // steps that never raise the errors a robot stays where it is as near as it gets; free ones lead on, the first level alone, then
    // with the next, which has to be worth it.
    void separate() {
        stacks_ = false;
        separates_ = true;
        share_ = 1.0;
        place(0);
        begin();
        finish(0, 0, 0, false);
        if (p_.largest_change || has_failed() || is_over()) return;
        place(0);
        begin();
        int iterations = 0;
        bool all = false;
        for (int levels = 1; levels <= required_levels_ && !has_failed(); ++levels) all = lower_errors(levels, iterations);
        if (all || has_failed()) {
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
        seek_first_level();
    }

    // What comes first may be in reach though no start led there with all levels as one: from further ones, level by level.
    void seek_first_level() {
        for (int i = 1; i <= kSeeking && !is_first_level_kept() && !has_failed() && !is_over(); ++i) {
            const int start = kTrial + i;
            if (start >= p_.starts) return;
            place(start);
            begin();
            int iterations = 0;
            bool all = false;
            for (int levels = 1; levels <= required_levels_ && !has_failed(); ++levels) all = lower_errors(levels, iterations);
            if (!has_failed()) finish(start, 0, iterations, all);
        }
    }

    // Whether the best end reaches what must be reached of the first level.
    bool is_first_level_kept() const {
        bool kept = true;
        for (int t = 0; t < p_.num_told && p_.tasks[t].level == 0; ++t) kept = kept && (p_.tasks[t].wished || out_.best.reached[t]);
        return kept;
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

    bool separates_ = false;
    int found_again_ = 0;
    int other_start_ = -1;  // the best start of those that reached nothing with all levels as one, but the first; -1: none
};

KIDO_END
