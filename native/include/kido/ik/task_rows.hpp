#pragma once

#include "kido/ik/limit_rows.hpp"
#include "kido/ik/sight.hpp"

// The error of each kind of task, and its derivative.

KIDO_BEGIN

class TaskRows : protected LimitRows {
protected:
    using LimitRows::LimitRows;

    void error_of(int t) {
        const HierarchyTask& task = p_.tasks[t];
        double* e = w_.error + task.row;
        w_.angular[t] = w_.linear[t] = 0.0;
        switch (task.kind) {
            case TaskKind::pose: {
                const double* x = task.target;
                const Pose<double> target = {{read3(x), read3(x + 3), read3(x + 6)}, read3(x + 9)};
                PoseError<double>& own = w_.pose_error[t];
                own = region_error<double>(w_.pinned[t] ? pinned_region(t) : task.region, target, pose_of(task));
                own.linear = own.linear * length_.inverse;
                double weighted_error[6];
                weighted(task.region, own, weighted_error);
                for (int r = 0; r < 6; ++r) {
                    e[r] = weighted_error[r];
                    if (is_released(t, r, task.region.low[r], task.region.high[r])) own.active[r] = 0.0;
                }
                w_.angular[t] = norm(own.angular);
                w_.linear[t] = norm(own.linear);
                break;
            }
            case TaskKind::gaze: {
                const Sight sight = sight_of(task);
                const double beyond = w_.pinned[t] ? sight.angle - pinned_angle(t) : max(sight.angle - task.half_angle, 0.0);
                w_.angular[t] = abs(beyond);
                write3(e, sight.about * (-task.region.weight[0] * beyond));
                break;
            }
            case TaskKind::center_of_mass: {
                const Vec3<double> apart = read3(task.target + 9) - (center_of_mass() * task.share + read3(task.fixed));
                const double* weight = task.region.weight + 3;
                Vec3<double> own = transposed_times(axes_of(task), apart) * length_.inverse;
                own = {weight[0] > 0.0 ? own.x : 0.0, weight[1] > 0.0 ? own.y : 0.0, weight[2] > 0.0 ? own.z : 0.0};
                w_.linear[t] = norm(own);
                write3(e, Vec3<double>{own.x * weight[0], own.y * weight[1], own.z * weight[2]});
                break;
            }
            case TaskKind::posture: posture_error(t); break;
            case TaskKind::limits: limit_error(t); break;
            case TaskKind::custom:
                ask([&] { return p_.parts->error(t, e, w_.angular + t, w_.linear + t); });
                w_.linear[t] *= length_.inverse;
                for (int r = 0; r < task.rows; ++r) e[r] *= -row_scale(task, r);
                if (w_.pinned[t]) pinned_error(t);
                break;
        }
    }

    void pose_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        for_columns(task, task.link, pose_of(task).p, [&](int j, const Motion<double>& J) {
            const Motion<double> c = region_column(task.region, w_.pose_error[t], J, length_.inverse);
            const double x[6] = {c.angular.x, c.angular.y, c.angular.z, c.linear.x, c.linear.y, c.linear.z};
            for (int r = 0; r < 6; ++r) row(w_.J, task.row + r)[j] = x[r];
        });
    }

    void gaze_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        const Sight sight = sight_of(task);
        if (releases_ && !w_.pinned[t] && task.half_angle > 0.0 && sight.angle <= task.half_angle) return;  // steps may move it
        const double allowed = w_.pinned[t] ? pinned_angle(t) : sight.angle > task.half_angle ? task.half_angle : 0.0;
        for_columns(task, task.link, pose_of(task).p, [&](int j, const Motion<double>& J) {
            const Vec3<double> c = sight.column(J, allowed) * task.region.weight[0];
            row(w_.J, task.row)[j] = c.x;
            row(w_.J, task.row + 1)[j] = c.y;
            row(w_.J, task.row + 2)[j] = c.z;
        });
    }

    // A dof moves the centre of mass by that of its subtree. Sugihara, Nakamura and Inoue (2002).
    void mass_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        const Mat3<double> axes = axes_of(task);
        const double* weight = task.region.weight + 3;
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            if (link.subtree_mass <= 0.0) continue;
            const Vec3<double> arm = w_.moment[i] * (1.0 / link.subtree_mass) - w_.pose[i].p;
            const double part = link.subtree_mass / m_.total_mass * (task.share * length_.inverse);
            visit(link.kind, [&](auto joint) {
                for_axes(joint, link, w_.pose[i].R, [&](int k, const auto& axis) {
                    if (!task.moves[link.dof + k]) return;
                    const Vec3<double> c = transposed_times(axes, axis_velocity(axis, arm).linear) * part;
                    row(w_.J, task.row)[link.dof + k] = c.x * weight[0];
                    row(w_.J, task.row + 1)[link.dof + k] = c.y * weight[1];
                    row(w_.J, task.row + 2)[link.dof + k] = c.z * weight[2];
                });
            });
        }
    }

    void custom_rows(int t) {
        if (w_.pinned[t] || (releases_ && p_.tasks[t].region.bounded)) {
            pinned_rows(t);
            return;
        }
        ask([&] { return p_.parts->jacobian(t, w_.custom); });
        spread_custom(t);
    }

    // Whether steps may move a component, because it is between different bounds and nothing holds it on one.
    bool is_released(int t, int r, double low, double high) const {
        const int k = p_.tasks[t].row + r;
        return releases_ && p_.tasks[t].region.bounded && low < high && w_.error[k] == 0.0 && !(w_.pinned[t] && w_.pin[k] != 0);
    }

    // A region whose components stand on the bounds on which they shall be.
    PoseRegion pinned_region(int t) const {
        const HierarchyTask& task = p_.tasks[t];
        PoseRegion g = task.region;
        for (int r = 0; r < task.rows; ++r) {
            const int k = task.row + r;
            if (w_.pin[k] == 0) continue;
            const double scale = g.weight[r] * (r < 3 ? 1.0 : length_.inverse);
            g.low[r] = g.high[r] = (w_.pin[k] < 0 ? g.low[r] : g.high[r]) - w_.short_of[k] / scale;
        }
        return g;
    }

    double pinned_angle(int t) const {
        const HierarchyTask& task = p_.tasks[t];
        return task.half_angle - w_.short_of[task.row] / task.region.weight[0];
    }

    // What is pinned, in place of the error that custom parts know; the sizes count as lengths.
    void pinned_error(int t) {
        const HierarchyTask& task = p_.tasks[t];
        bounded_rows(t);
        if (has_failed()) return;
        double most = 0.0;
        for (int r = task.row; r < task.row + task.rows; ++r) {
            if (w_.pin[r] == 0) continue;
            w_.error[r] = (w_.pin[r] < 0 ? w_.low[r] : w_.high[r]) - w_.short_of[r];
            most = max(most, abs(w_.error[r]));
        }
        w_.linear[t] = max(w_.linear[t], most);
    }

    void pinned_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        bounded_rows(t);
        if (has_failed()) return;
        for (int r = task.row; r < task.row + task.rows; ++r) {
            const bool stays = !releases_ && is_finite(w_.low[r]) && is_finite(w_.high[r]), held = w_.pinned[t] && w_.pin[r] != 0;
            if (held || stays || w_.low[r] > 0.0 || w_.high[r] < 0.0) continue;
            for (int j = 0; j < m_.num_dofs; ++j) row(w_.J, r)[j] = 0.0;
        }
    }

    // Rows of what is measured, and bounds of its change, in place of those of the error.
    void bounded_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        double *low = w_.low + task.row, *high = w_.high + task.row;
        ask([&] { return p_.parts->bounds(t, w_.custom, low, high); });
        spread_custom(t);
        for (int r = 0; r < task.rows; ++r) {
            low[r] *= row_scale(task, r);
            high[r] *= row_scale(task, r);
        }
    }

    void spread_custom(int t) {
        const HierarchyTask& task = p_.tasks[t];
        const int n = m_.num_dofs;
        if (has_failed()) return;
        for (int r = 0; r < task.rows; ++r) {
            for (int j = 0; j < n; ++j) row(w_.J, task.row + r)[j] = w_.custom[r * n + j] * row_scale(task, r);
        }
    }

    bool releases_ = false;  // whether steps may move what is between two bounds, instead of keeping it where it is

    Sight sight_of(const HierarchyTask& task) const {
        return {pose_of(task).p, w_.pose[task.link].R * vec3(task.axis), read3(task.target + 9)};
    }
};

KIDO_END
