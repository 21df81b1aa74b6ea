#pragma once

#include <limits>

#include "kido/ik/stacked_step.hpp"

// A step for what is wished for, each dof by itself, that leaves the rest as it is.

KIDO_BEGIN

class WishStep : protected StackedStep {
protected:
    using StackedStep::StackedStep;

    // One step of all levels as one that lowers what is wished for, each dof by itself, and leaves the rest as it is to first order:
    // Gauss-Newton where each row depends on one dof, as those of postures. `rank` is the weight of a level beside the one above.
    void yield_to_wishes(double rank) {
        fill_jacobian();
        for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
        want(p_.num_levels);
        pull(rank);
        pulls_ = true;
        num_held_ = 0;
        for (int j = 0; j < w_.stride; ++j) w_.step[j] = 0.0;
        double excess = 1.0;
        for (int round = 0; round <= m_.num_dofs; ++round) {
            stacked_step(p_.num_levels, round == 0);
            const int first = first_beyond(excess);
            if (excess <= kBeyond) break;
            hold(p_.num_levels, first);
        }
        pulls_ = false;
        lengthen();
        first_beyond(excess);
        excess = max(excess, excess_of_step(p_.num_levels));
        for (int j = 0; j < m_.num_dofs; ++j) w_.moved[j] = w_.step[j] / excess;
        advance(1.0 / excess);
    }

    // The next step for wishes has none before it.
    void forget_wishes() { follows_ = false; }

private:
    static constexpr double kStiffness = 1e-2;    // least weight of a dof that nothing is wished of, beside the largest
    static constexpr double kBeyond = 10.0;       // length of a step beside the part up to a limit, from which on a dof stops there
    static constexpr double kLongest = 8.0, kShortest = 0.5;  // factors of a step for wishes

    // The step of each dof towards what is wished for if it were alone, in a scale in which all of these are worth the same.
    void pull(double rank) {
        double *gradient = w_.pull, *curvature = w_.prior, most = 0.0;
        for (int j = 0; j < w_.stride; ++j) gradient[j] = curvature[j] = w_.scale[j] = w_.free[j] = 0.0;
        for (int t = 0, level = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (!task.wished) continue;
            double weight = 1.0;
            for (level = 0; level < task.level; ++level) weight *= rank;
            for (int r = task.row; r < task.row + task.rows; ++r) {
                const double* J = row(w_.J, r);
                for (int j = 0; j < m_.num_dofs; ++j) {
                    gradient[j] += weight * J[j] * w_.error[r];
                    curvature[j] += weight * J[j] * J[j];
                }
            }
        }
        for (int j = 0; j < m_.num_dofs; ++j) most = max(most, curvature[j]);
        if (most == 0.0) most = 1.0;  // nothing that may move is wished of
        for (int j = 0; j < m_.num_dofs; ++j) {
            w_.free[j] = p_.moves[j] ? 1.0 : 0.0;
            w_.scale[j] = 1.0 / sqrt(max(curvature[j] / most, kStiffness));  // whatever the weight of the level: damping is not relative
            w_.pull[j] *= w_.scale[j] / most;
            w_.unit[j] *= w_.scale[j];
            w_.inverse[j] = 1.0 / w_.unit[j];
        }
        scale_rows(p_.num_levels);
    }

    // Makes a step for wishes as long as the change of the steps by the last one says: targets that curve the way make it too long or
    // too short. Barzilai and Borwein, "Two-point step size gradient methods" (1988).
    void lengthen() {
        double length = 1.0, squared = 0.0, change = 0.0;
        for (int j = 0; follows_ && j < m_.num_dofs; ++j) {
            squared += w_.moved[j] * w_.moved[j];
            change += w_.moved[j] * (w_.before[j] - w_.step[j]);
        }
        if (squared > 0.0) length = change * kLongest > squared ? max(squared / change, kShortest) : kLongest;
        for (int j = 0; j < m_.num_dofs; ++j) {
            w_.before[j] = w_.step[j];
            w_.step[j] *= length;
        }
        follows_ = true;
    }

    bool follows_ = false;     // whether a step for wishes follows another
};

KIDO_END
