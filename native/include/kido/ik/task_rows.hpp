#pragma once

#include "kido/ik/posture_rows.hpp"
#include "kido/ik/sight.hpp"

// The error of each kind of task, and its derivative.

KIDO_BEGIN

class TaskRows : protected PostureRows {
protected:
    using PostureRows::PostureRows;

    void error_of(int t) {
        const HierarchyTask& task = p_.tasks[t];
        double* e = w_.error + task.row;
        w_.angular[t] = w_.linear[t] = 0.0;
        switch (task.kind) {
            case TaskKind::pose: {
                const double* x = task.target;
                const Pose<double> target = {{read3(x), read3(x + 3), read3(x + 6)}, read3(x + 9)};
                PoseError<double>& own = w_.pose_error[t];
                own = region_error<double>(task.region, target, pose_of(task));
                own.linear = own.linear * length_.inverse;
                double weighted_error[6];
                weighted(task.region, own, weighted_error);
                for (int r = 0; r < 6; ++r) e[r] = weighted_error[r];
                w_.angular[t] = norm(own.angular);
                w_.linear[t] = norm(own.linear);
                break;
            }
            case TaskKind::gaze: {
                const Sight sight = sight_of(task);
                w_.angular[t] = max(sight.angle - task.half_angle, 0.0);
                write3(e, sight.about * (-task.region.weight[0] * w_.angular[t]));
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
            case TaskKind::custom:
                ask([&] { return p_.parts->error(t, e, w_.angular + t, w_.linear + t); });
                w_.linear[t] *= length_.inverse;
                for (int r = 0; r < task.rows; ++r) e[r] *= -row_scale(task, r);
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
        const double allowed = sight.angle > task.half_angle ? task.half_angle : 0.0;
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
        const HierarchyTask& task = p_.tasks[t];
        const int n = m_.num_dofs;
        ask([&] { return p_.parts->jacobian(t, w_.custom); });
        if (has_failed()) return;
        for (int r = 0; r < task.rows; ++r) {
            for (int j = 0; j < n; ++j) row(w_.J, task.row + r)[j] = w_.custom[r * n + j] * row_scale(task, r);
        }
    }

    Sight sight_of(const HierarchyTask& task) const {
        return {pose_of(task).p, w_.pose[task.link].R * vec3(task.axis), read3(task.target + 9)};
    }
};

KIDO_END
