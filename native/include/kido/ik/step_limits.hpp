#pragma once

#include <limits>

#include "kido/ik/dof_motion.hpp"

// Which tasks take part in a step, and how far it may go: an active set of joint limits, and largest changes.

KIDO_BEGIN

class StepLimits : protected DofMotion {
protected:
    using DofMotion::DofMotion;

    // Whether a task is one of the first levels, and not left out because it is wished for. Limits count on the way back from a step for
    // an objective.
    bool takes_part(const HierarchyTask& task, int levels) const {
        return task.level < levels && (task.kind != TaskKind::limits || only_required_) && !(task.wished && (only_required_ || skips_wishes_));
    }

    // Calls use(number, task) for those that take part.
    template <class Use>
    void for_each_task(int levels, Use&& use) const {
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (takes_part(p_.tasks[t], levels)) use(t, p_.tasks[t]);
        }
    }

    // Calls use(row) for the rows of all tasks that take part.
    template <class Use>
    void for_each_row(int levels, Use&& use) const {
        for_each_task(levels, [&](int, const HierarchyTask& task) {
            for (int r = task.row; r < task.row + task.rows; ++r) use(r);
        });
    }

    // By how much the step is too long.
    double excess_of_step(int levels) const {
        double excess = 1.0;
        for_each_dof([&](int j, bool prismatic) {
            const double change = abs(w_.step[j] * w_.unit[j]);
            excess = max(excess, (prismatic ? change * length_.inverse : change) / (p_.largest_step * bound_));
            for (int t = 0; t < p_.num_tasks && p_.tasks[t].level < levels; ++t) {
                if (p_.tasks[t].moves[j]) excess = max(excess, change / p_.tasks[t].clamp);
            }
        });
        return excess;
    }

    // The dof that gets to its limit first, and what part of the step leads there: 1 over `excess`.
    int first_beyond(double& excess) const {
        int first = -1;
        excess = 1.0;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] == 0.0 || moves_as_group(j)) continue;
            const double allowed = allowed_of(j);
            if (allowed == w_.step[j]) continue;
            const double beyond = allowed == 0.0 ? std::numeric_limits<double>::infinity() : w_.step[j] / allowed;
            if (beyond > excess) {
                excess = beyond;
                first = j;
            }
        }
        return first;
    }

    // The step of a dof, up to its limit.
    double allowed_of(int j) const {
        const double lowest = (p_.lower[j] - w_.q[j]) * w_.inverse[j], highest = (p_.upper[j] - w_.q[j]) * w_.inverse[j];
        return min(max(w_.step[j], lowest), highest);
    }

    // A dof stops at its limit, and the others have to make up for it.
    void hold(int levels, int j) {
        const double allowed = allowed_of(j);
        w_.step[j] = allowed;
        w_.free[j] = 0.0;
        w_.held[num_held_++] = j;
        for_each_row(levels, [&](int r) { w_.left[r] -= row(w_.J, r)[j] * allowed; });
    }

    // Joints beyond their limits stop there, where the step is `least` times as long as the part that leads there; whether there were any.
    bool stop_at_limits(int levels, double least) {
        bool any_beyond = false;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] == 0.0 || moves_as_group(j) || abs(w_.step[j]) <= least * abs(allowed_of(j))) continue;
            any_beyond = true;
            hold(levels, j);
        }
        return any_beyond;
    }

    // Of the coordinates of ball and free joints on their limits that the step would pass, the one that it passes fastest stays there;
    // whether there is one.
    bool bar_at_limits() {
        int most = -1;
        double fastest = 0.0;
        for_each_group_at_limit([&](const Link& link, int k, bool is_low) {
            const int j = link.dof + k;
            const double rate = dot(coordinate_row(link, k), read3(w_.step + link.dof + k / 3 * 3)), outward = is_low ? -rate : rate;
            if (w_.barred[j] != 0.0 || outward <= fastest) return;
            fastest = outward;
            most = j;
        });
        if (most >= 0) w_.barred[most] = 1.0;
        return most >= 0;
    }

    // By how much the step is too long for coordinates of ball and free joints that are not on their limits yet.
    double excess_beyond_limits() const {
        double excess = 1.0;
        for_each_group_coordinate([&](const Link& link, int k) {
            const int j = link.dof + k;
            const double rate = dot(coordinate_row(link, k), read3(w_.step + link.dof + k / 3 * 3));
            const double room = rate > 0.0 ? p_.upper[j] - w_.q[j] : w_.q[j] - p_.lower[j];
            if (room > kOnLimit) excess = max(excess, abs(rate) / room);
        });
        return excess;
    }

    // Calls use(link, coordinate) for those of ball and free joints that move.
    template <class Use>
    void for_each_group_coordinate(Use&& use) const {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            if (link.kind != JointKind::ball && link.kind != JointKind::free) continue;
            for (int k = 0; k < link.dof_count; ++k) {
                if (p_.moves[link.dof + k]) use(link, k);
            }
        }
    }

    // Calls use(link, coordinate, is_low) for those of these that are on a limit.
    template <class Use>
    void for_each_group_at_limit(Use&& use) const {
        for_each_group_coordinate([&](const Link& link, int k) {
            const int j = link.dof + k;
            const bool is_low = w_.q[j] <= p_.lower[j] + kOnLimit;
            if (is_low || w_.q[j] >= p_.upper[j] - kOnLimit) use(link, k, is_low);
        });
    }

    static constexpr double kOnLimit = 1e-6;  // distance from a limit at which a coordinate of a ball or free joint is on it [rad, m]

    int num_free() const {
        int count = 0;
        for (int j = 0; j < m_.num_dofs; ++j) count += w_.free[j] != 0.0;
        return count;
    }

    // The free dofs, as `open`; how many there are.
    int list_free() {
        int count = 0;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] != 0.0) w_.open[count++] = j;
        }
        return count;
    }

    double bound_ = 1.0;       // of the largest step
    bool skips_wishes_ = false;   // whether steps leave what is wished for alone
    bool only_required_ = false;  // whether they do, and are the search's own
    int num_held_ = 0;         // dofs held since the last step
};

KIDO_END
