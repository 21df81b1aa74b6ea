#pragma once

#include "kido/ik/level_descent.hpp"

// Steps towards what cannot be reached within a largest change: the first level that is not reached comes as near as it gets, then
// one level after the other below it, as far as those above let it. With one damping for all, steps of levels below that raise an error
// above would also shorten those of the levels above, and robots would creep to where these are nearest.

KIDO_BEGIN

class OrderedApproach : protected LevelDescent {
protected:
    using LevelDescent::LevelDescent;

    int approach_in_order() {
        int first = 0, steps = 0;
        while (first + 1 < p_.num_levels && levels_reached(first + 1)) ++first;
        approaches_ = small_steps_ = has_own_strengths_ = true;
        for (int k = 0; k < p_.num_levels; ++k) w_.strength[k] = 1.0;
        for (int level = first; level < p_.num_levels && !(steps > 0 && is_over()); ++level) {
            steps += level == first ? approach_first(level) : approach_below(level);
        }
        approaches_ = small_steps_ = has_own_strengths_ = false;
        return steps;
    }

private:
    static constexpr double kLeastGain = 1e-9;  // relative decrease of a squared error that is not worth another step
    static constexpr double kRaised = 1e-8;     // relative increase of one that is none
    static constexpr int kCorrections = 5;      // steps that bring levels back after one for a level below

    // Lowers the error of a level beside those above it, which are reached.
    int approach_first(int level) {
        double merit = merit_of_levels(level + 1), &strength = w_.strength[level];
        int steps = 0, little = 0;
        while (steps < p_.iterations && strength <= kStrongest && little < kTries && !(steps > 0 && is_over())) {
            ++steps;
            take(w_.q, w_.best);
            advance_by(level + 1);
            const double next = merit_of_levels(level + 1);
            if (next < merit) {
                little = next > (1.0 - kLeastGain) * merit ? little + 1 : 0;
                merit = next;
                strength = max(kWeaker * strength, kWeakest);
            } else {
                back();
                strength *= kStronger;
            }
        }
        return steps;
    }

    // Lowers the error of a level by steps after which those above can be as near as they were.
    int approach_below(int level) {
        for (int k = 0; k < level; ++k) w_.checkpoint[k] = squared(k);
        double error = squared(level), &strength = w_.strength[level];
        int steps = 0;
        while (steps < p_.iterations && strength <= kStrongest && !is_over()) {
            ++steps;
            take(w_.q, w_.best);
            advance_by(level + 1);
            const double way = largest_motion(w_.best);
            for (int i = 0, raised = first_raised(level); raised < level && i < kCorrections && !is_over(); ++i, ++steps) {
                advance_by(raised + 1);
                raised = first_raised(level);
            }
            const double next = squared(level);
            if (next < error && first_raised(level) == level) {
                const bool little = next > (1.0 - kIdleGain) * error;
                error = next;
                strength = max(kWeaker * strength, kWeakest);
                if (little) break;
            } else {
                back();
                if (way <= kIdle) break;
                strength *= kStronger;
            }
        }
        return steps;
    }

    // The first of some levels that is further from its targets than at the last checkpoint; their number where none is.
    int first_raised(int levels) const {
        const double least = square(min(p_.angular_tolerance, p_.linear_tolerance));
        int k = 0;
        while (k < levels && squared(k) <= max((1.0 + kRaised) * w_.checkpoint[k], least)) ++k;
        return k;
    }
};

KIDO_END
