#pragma once

#include "kido/ik/hierarchy_step.hpp"
#include "kido/ik/objective_memory.hpp"

// The way back to the targets after a step for the objective. Beside a singular position, as of an arm that is all but
// straight, they cannot be kept to the last digit: an error of 1e-11 m leaves the elbow 1e-5 rad of freedom. There,
// errors well within the tolerances stay as they are, so that the positions that keep them are a smooth set again.

KIDO_BEGIN

class ObjectiveReturn : protected HierarchyStepper {
protected:
    ObjectiveReturn(const HierarchyProblem& problem, void* memory) : HierarchyStepper(problem, memory), o_(problem, scratch_) {
        unpin();
        if (!p_.has_objective) return;
        o_.unknowns = 0;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (p_.lowers[j]) o_.dof[o_.unknowns++] = j;
        }
        o_.qp.set_shape({o_.unknowns, p_.num_rows});
        std::fill(o_.qp.side, o_.qp.side + o_.unknowns + p_.num_rows, 0.0);
    }

    // To the targets, as near as the steps of the search lead.
    void begin_at_targets() {
        for (int r = 0; r < p_.num_rows; ++r) o_.left[r] = 0.0;
        exact_ = 1.0;
        return_damping_ = p_.least_damping;
        return_to_targets(kFirstReturns);
        deviations();  // of all components, also those between their bounds
        fill_jacobian();
        double square = 0.0;
        for (int r = 0; r < p_.num_rows; ++r) square = max(square, product(row(w_.J, r), row(w_.J, r)));
        if (square > 0.0) return_damping_ = min(kReturnDamping * square, p_.least_damping);
    }

    // Steps of the search itself for what must be reached, with little damping, until the errors that are not left
    // count no more; whether all is reached.
    bool return_to_targets(int most) {
        only_required_ = releases_ = true;
        least_damping_ = return_damping_;
        kinematics();
        bool reached = deviations();
        for (int i = 0; i < most && !has_failed() && excess_ > exact_; ++i) {
            const double before = excess_;
            move(p_.num_levels);
            kinematics();
            reached = deviations();
            if (excess_ <= 1.0 && excess_ > 0.5 * before) break;  // it is rounding
        }
        least_damping_ = p_.least_damping;
        only_required_ = releases_ = false;
        return reached;
    }

    // Has the components of regions stand where a part of the program's step has those whose bounds it reaches: errors would not
    // tell where it goes within a bound that bends away, and then the objective is not lowered as its Lagrangian says.
    void pin_active(double part) {
        int r = 0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.wished) continue;
            w_.pinned[t] = false;
            for (int k = task.row; k < task.row + program_rows(task); ++k, ++r) {
                const double low = o_.qp.row_lower[r], high = o_.qp.row_upper[r], side = low < high ? o_.qp.side[o_.unknowns + r] : 0.0;
                w_.pin[k] = side < 0.0 ? -1 : side > 0.0 ? 1 : 0;
                const double short_of = side < 0.0 ? min(low, 0.0) : side > 0.0 ? max(high, 0.0) : 0.0;  // what is beyond comes back whole
                w_.short_of[k] = (1.0 - part) * short_of;
                w_.pinned[t] = w_.pinned[t] || side != 0.0;
            }
        }
    }

    // Whether there were some.
    bool unpin() {
        bool some = false;
        for (int t = 0; t < p_.num_tasks; ++t) {
            some = some || w_.pinned[t];
            w_.pinned[t] = false;
        }
        return some;
    }

    // Errors but for what the descent leaves of them; whether all is reached.
    bool deviations() {
        const bool reached = errors();
        for (int r = 0; r < p_.num_rows; ++r) w_.error[r] -= o_.left[r];
        excess_ = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (!p_.tasks[t].wished) excess_ = max(excess_, excess_of(t));
        }
        return reached;
    }

    // Chooses which errors count, by the largest multiplier and component of the gradient, and leaves those of
    // equations that do as they are from here on. Beside a singular position multipliers are large, so that a small
    // error is worth much, and the last of it takes many steps, which go far.
    void leave_errors(double force, double gradient) {
        const double ordinary = kOrdinaryForce * gradient;
        exact_ = force > ordinary ? max((ordinary / force) * (ordinary / force), kRounding) : 1.0;
        if (excess_ <= exact_) return;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.wished || is_bounded(task) || excess_of(t) <= exact_) continue;
            for (int r = task.row; r < task.row + task.rows; ++r) o_.left[r] += w_.error[r];
        }
        deviations();
    }

    // Rows of a task in the program.
    static int program_rows(const HierarchyTask& task) {
        return task.kind != TaskKind::gaze ? task.rows : task.half_angle > 0.0 ? 1 : 2;
    }

    // Whether a task has inequalities in place of equations.
    static bool is_bounded(const HierarchyTask& task) {
        const bool has_region = task.kind == TaskKind::pose || task.kind == TaskKind::custom;
        return task.kind == TaskKind::limits || (has_region && task.region.bounded) || (task.kind == TaskKind::gaze && task.half_angle > 0.0);
    }

    ObjectiveMemory o_;

private:
    static constexpr int kFirstReturns = 40;
    static constexpr double kExact = 1e-5;           // of a tolerance: an error that does not count where multipliers are ordinary
    static constexpr double kOrdinaryForce = 1e3;    // of a multiplier, beside the gradient
    static constexpr double kRounding = 1e-4;        // of the least error that counts: less is rounding
    static constexpr double kReturnDamping = 1e-12;  // beside the largest square of a row

    // The error of a task, but for what is left of it, in parts of one that does not count.
    double excess_of(int t) const {
        const HierarchyTask& task = p_.tasks[t];
        const double angular = kExact * min(p_.angular_tolerance, 1.0), linear = kExact * min(p_.linear_tolerance, 1.0) * length_.inverse;
        double squared = 0.0;
        bool leaves = false;
        for (int r = task.row; r < task.row + task.rows; ++r) {
            squared += w_.error[r] * w_.error[r];
            leaves = leaves || o_.left[r] != 0.0;
        }
        return leaves ? sqrt(squared) / min(angular, linear) : max(w_.angular[t] / angular, w_.linear[t] / linear);
    }

    double excess_ = 0.0;  // the largest error but for what is left, in parts of one that does not count
    double exact_ = 1.0;   // of these, from which on it does
    double return_damping_ = 0.0;
};

KIDO_END
