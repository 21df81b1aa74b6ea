#pragma once

#include "kido/ik/null_space.hpp"
#include "kido/ik/search_rules.hpp"

// By how much each row is to change in a step, and how much each dof counts in it.

KIDO_BEGIN

class WantedChange : protected NullSpace {
protected:
    using NullSpace::NullSpace;

    // By how much each row is to change: by the error, or by what the step of the task's own would change it.
    void want(int levels) {
        for_each_task(levels, [&](int t, const HierarchyTask& task) {
            for (int r = task.row; r < task.row + task.rows; ++r) w_.left[r] = w_.error[r];
            if (!steps_itself(task)) return;
            double* own = row(w_.own, t);
            ask_step(t, own);
            if (has_failed()) return;
            for (int j = 0; j < m_.num_dofs; ++j) own[j] /= strength_;
            for (int r = task.row; r < task.row + task.rows; ++r) {
                w_.left[r] = 0.0;
                for (int j = 0; j < m_.num_dofs; ++j) w_.left[r] += row(w_.J, r)[j] * (own[j] / w_.unit[j]);
            }
        });
    }

    // The nearer the limit that a dof moves to, the less it moves.
    void weigh(int levels) {
        double* downhill = w_.prior;
        for (int j = 0; j < w_.stride; ++j) downhill[j] = 0.0;
        for_each_row(levels, [&](int r) { add(downhill, row(w_.J, r), w_.left[r]); });
        for (int j = 0; j < m_.num_dofs; ++j) {
            w_.scale[j] = 1.0;
            w_.free[j] = p_.moves[j] ? 1.0 : 0.0;
            if (!p_.moves[j] || moves_as_group(j)) continue;
            const double room = downhill[j] > 0.0 ? p_.upper[j] - w_.q[j] : w_.q[j] - p_.lower[j];
            if (room <= 0.0) w_.free[j] = 0.0;
            const double part = p_.largest_change ? max(1.0, kWideRoom * w_.unit[j] / p_.largest_change[j]) : 1.0;
            const double weight = weight_by_room(room / w_.unit[j] * part);
            if (weight == 1.0) continue;
            w_.scale[j] = sqrt(weight);
            w_.unit[j] *= w_.scale[j];
        }
        for (int j = m_.num_dofs; j < w_.stride; ++j) w_.free[j] = w_.scale[j] = 0.0;
        scale_rows(levels);
        for (int j = 0; j < m_.num_dofs; ++j) w_.inverse[j] = 1.0 / w_.unit[j];
    }

    void scale_rows(int levels) {
        for_each_row(levels, [&](int r) {
            double* J = row(w_.J, r);
            for (int j = 0; j < w_.stride; j += L::width) L::store(J + j, L::load(J + j) * L::load(w_.scale + j));
        });
    }

    bool steps_itself(const HierarchyTask& task) const { return task.own_step && !only_required_; }

    double strength_ = 1.0;    // of the damping
    bool has_own_strengths_ = false;  // whether that of each level is its own

private:
    void ask_step(int t, double* own) {
        const HierarchyTask& task = p_.tasks[t];
        if (length_.value != 1.0) {
            ask([&] { return p_.parts->step(t, nullptr, nullptr, own); });
            return;
        }
        const int n = m_.num_dofs;
        for (int r = 0; r < task.rows; ++r) {
            w_.solved[r] = -w_.error[task.row + r];
            for (int j = 0; j < n; ++j) w_.custom[r * n + j] = row(w_.J, task.row + r)[j];
        }
        ask([&] { return p_.parts->step(t, w_.solved, w_.custom, own); });
    }
};

KIDO_END
