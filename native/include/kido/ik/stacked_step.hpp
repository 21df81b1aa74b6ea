#pragma once

#include "kido/ik/level_step.hpp"

// A step of all levels as one, where all can be reached.

KIDO_BEGIN

class StackedStep : protected LevelStep {
protected:
    using LevelStep::LevelStep;

    // Steps of the free dofs for all levels as one. Where the step is not the first from these positions, only what was held since
    // is new.
    void stacked_step(int levels, bool first) {
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] != 0.0) w_.step[j] = pulls_ ? w_.pull[j] : 0.0;
        }
        int count = 0;
        for_each_row(levels, [&](int) { ++count; });
        has_factors_ = count <= num_free();
        if (!has_factors_) {
            project(0, p_.num_tasks, levels, 0);
            damped_in_null_space(count, 0);
            return;
        }
        if (first) {
            project(0, p_.num_tasks, levels, 0);
            build(count);
        } else {
            for (int k = 0; k < num_held_; ++k) {
                w_.system.remove_column(w_.held[k]);
                for (int r = 0; r < count; ++r) row(w_.projected, r)[w_.held[k]] = 0.0;
            }
            int i = 0;
            for_each_row(levels, [&](int r) {
                w_.solved[i] = w_.left[r] - product(row(w_.projected, i), w_.step);
                ++i;
            });
        }
        num_held_ = 0;
        w_.system.solve(w_.ridge, w_.solved);
        for (int r = 0; r < count; ++r) add(w_.step, row(w_.projected, r), w_.solved[r]);
    }

    // Moves by what the last step would be for the present errors: for small ones, with its Jacobian and its factors.
    void repeat_stacked_step(int levels) {
        int count = 0;
        for_each_row(levels, [&](int r) { w_.solved[count++] = w_.error[r]; });
        w_.system.solve_again(w_.solved);
        for (int j = 0; j < w_.stride; ++j) w_.step[j] = 0.0;
        for (int r = 0; r < count; ++r) add(w_.step, row(w_.projected, r), w_.solved[r]);
        advance(1.0 / excess_of_step(levels));
    }

    bool has_factors_ = false;  // whether the last step left factors that it can be repeated with
    bool pulls_ = false;       // whether steps begin with what dofs are pulled by
};

KIDO_END
