#pragma once

#include "kido/ik/ordered_approach.hpp"

// Where all is reached that must be, steps that lower what is wished for beside it.

KIDO_BEGIN

class WishDescent : protected OrderedApproach {
protected:
    using OrderedApproach::OrderedApproach;

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
            const double next = wished(), worth = kWorth * min(bound_ / kWishedStep, 1.0);
            little = reached && next > (1.0 - worth) * merit ? little + 1 : 0;
            if (reached && next < merit) {
                merit = next;
                bound_ = min(2.0 * bound_, 1.0);
            } else {
                back();
                if (reached && next < (1.0 + kLittle) * merit) break;
                forget_wishes();
                bound_ *= 0.25;
                if (bound_ < kLeastStep) break;
            }
            if (little == 2) break;
        }
        bound_ = 1.0;
        stacks_ = stacked;
        return steps;
    }

    bool wishes_ = false;
    bool only_postures_ = true;  // whether nothing else is wished for

private:
    static constexpr double kWorth = 5e-3;     // relative decrease by a step of `kWishedStep` or more that is worth another one
    static constexpr double kWishedStep = 0.25, kLeastStep = 1e-3;  // parts of the largest step that are tried for it
    static constexpr double kShrinks = 1e-2;   // part of a squared error that a repeated step leaves at most to be worth another
    static constexpr int kCorrections = 3;     // steps that bring required tasks back after one for the wishes

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
        for (int i = 0; i < kCorrections && !reached && !is_over(); ++i) {
            reached = advance_by(required_levels_);
            for (bool shrinks = stacks_ && has_factors_; !reached && shrinks && !has_failed();) {
                const double before = required_squared_;
                repeat_stacked_step(required_levels_);
                reached = evaluate();
                shrinks = required_squared_ <= kShrinks * before;
            }
        }
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
};

KIDO_END
