#pragma once

#include <limits>

#include "kido/ik/task_rows.hpp"

// Errors of the tasks of a hierarchy at some positions, and their Jacobians: rows that all kinds of tasks have in common.

KIDO_BEGIN

class HierarchyRows : protected TaskRows {
protected:
    using TaskRows::TaskRows;

    // Chooses the characteristic length for the errors at the present positions, which were computed with another.
    void choose_length() {
        double distance = 0.0;
        bool translates = false;
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (p_.tasks[t].kind != TaskKind::posture) distance = max(distance, w_.linear[t] * length_.value);
        }
        for_each_dof([&](int j, bool prismatic) { translates = translates || (prismatic && p_.moves[j]); });
        length_.value = characteristic_length(reach_, distance, translates);
        length_.inverse = 1.0 / length_.value;
        if (length_.value == 1.0) return;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.kind == TaskKind::custom) ask([&] { return p_.parts->is_length(t, w_.is_length + task.row); });
        }
    }

    // Computes the weighted errors of all tasks, and their squares level by level; whether all that must be are reached.
    bool errors() {
        bool all_reached = true;
        for (int k = 0; k < p_.num_levels; ++k) w_.squared[k] = 0.0;
        required_squared_ = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            error_of(t);
            const double* e = w_.error + task.row;
            for (int r = 0; r < task.rows; ++r) {
                w_.squared[task.level] += e[r] * e[r];
                if (!task.wished) required_squared_ += e[r] * e[r];
            }
            all_reached = all_reached && (task.wished || is_reached(t));
        }
        return all_reached;
    }

    bool is_reached(int t) const {
        return w_.angular[t] <= p_.angular_tolerance && w_.linear[t] <= p_.linear_tolerance * length_.inverse;
    }

    // Derivatives of all errors by the dofs, each in [rad, characteristic length].
    void fill_jacobian() {
        fill_jacobian([](const HierarchyTask&) { return true; });
    }

    // Those of the tasks that are needed; other rows are zeros.
    template <class Needs>
    void fill_jacobian(Needs&& needs) {
        for (int i = 0; i < p_.num_rows * w_.stride; ++i) w_.J[i] = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (!needs(p_.tasks[t])) continue;
            switch (p_.tasks[t].kind) {
                case TaskKind::pose: pose_rows(t); break;
                case TaskKind::gaze: gaze_rows(t); break;
                case TaskKind::center_of_mass: mass_rows(t); break;
                case TaskKind::posture: posture_rows(t); break;
                case TaskKind::custom: custom_rows(t); break;
                case TaskKind::limits: limit_rows(t); break;
            }
        }
        measure_translations(0, p_.num_rows);
    }

    // Brings columns of translational dofs to derivatives by characteristic lengths, in rows that a task has just filled.
    void measure_translations(int first, int count) {
        if (length_.value == 1.0) return;
        for_each_dof([&](int j, bool prismatic) {
            if (!prismatic) return;
            for (int r = first; r < first + count; ++r) row(w_.J, r)[j] *= length_.value;
        });
    }

    // Calls use(row, low, high) for each row of the Jacobian of a task, with the bounds of its change that leave no error; a task
    // has always as many. Rows of what lies between bounds are those of what is bounded.
    template <class Use>
    void constrain(int t, Use&& use) {
        const HierarchyTask& task = p_.tasks[t];
        constexpr double open = std::numeric_limits<double>::infinity();
        const double* e = w_.error + task.row;
        if (task.kind == TaskKind::pose && task.region.bounded) {
            const PoseRegion& g = task.region;
            const double* x = task.target;
            const Pose<double> at = pose_of(task);
            const Mat3<double> target = {read3(x), read3(x + 3), read3(x + 6)}, axes = world_axes(g, target);
            const Vec3<double> angles = euler_angles(transpose(axes) * (at.R * transpose(target) * axes), EulerOrder{0, 1, 2});
            const Vec3<double> lengths = transposed_times(axes, at.p - read3(x + 9));
            const double d[6] = {angles.x, angles.y, angles.z, lengths.x, lengths.y, lengths.z};
            for (double& active : w_.pose_error[t].active) active = 1.0;
            pose_rows(t);
            measure_translations(task.row, task.rows);
            for (int r = 0; r < 6; ++r) {
                const double scale = g.weight[r] * (r < 3 ? 1.0 : length_.inverse);
                const bool counts = g.weight[r] > 0.0;
                use(row(w_.J, task.row + r), counts ? (g.low[r] - d[r]) * scale : -open, counts ? (g.high[r] - d[r]) * scale : open);
            }
        } else if (task.kind == TaskKind::gaze) {
            constrain_gaze(task, use);
        } else if (task.kind == TaskKind::custom && task.region.bounded) {
            bounded_rows(t);
            measure_translations(task.row, task.rows);
            for (int r = task.row; r < task.row + task.rows; ++r) use(row(w_.J, r), w_.low[r], w_.high[r]);
        } else if (task.kind == TaskKind::limits) {
            coordinate_rows(t);
            measure_translations(task.row, task.rows);
            for (int r = 0; r < task.rows; ++r) {
                const int j = task.dof[r];
                const double scale = scale_of(j);
                use(row(w_.J, task.row + r), (p_.lower[j] - w_.q[j]) * scale, (p_.upper[j] - w_.q[j]) * scale);
            }
        } else {
            for (int r = 0; r < task.rows; ++r) use(row(w_.J, task.row + r), e[r], e[r]);
        }
    }

    // Of a cone the angle; else the two components of the rotation vector that are not always zero, the first about its direction.
    template <class Use>
    void constrain_gaze(const HierarchyTask& task, Use&& use) {
        constexpr double open = std::numeric_limits<double>::infinity();
        const Sight sight = sight_of(task);
        const Vec3<double> across = cross(sight.line, sight.about);
        double *first = row(w_.J, task.row), *second = row(w_.J, task.row + 1), *third = row(w_.J, task.row + 2);
        for (int j = 0; j < m_.num_dofs; ++j) {
            const Vec3<double> c = {first[j], second[j], third[j]};
            first[j] = dot(sight.about, c);
            second[j] = dot(across, c);
        }
        const double left = (task.half_angle - sight.angle) * task.region.weight[0];
        if (task.half_angle > 0.0) {
            use(first, -open, left);
            return;
        }
        use(first, left, left);
        use(second, 0.0, 0.0);
    }

    double required_squared_ = 0.0;  // of all tasks that must be reached
};

KIDO_END
