#pragma once

#include <algorithm>
#include <limits>

#include "kido/ik/objective_return.hpp"
#include "kido/ik/quadratic_objective.hpp"

// The objective and what is wished for beside it, with their gradient, and the quadratic program whose solution is the
// next step: the linearised constraints, and a model of the Lagrangian.

KIDO_BEGIN

class ObjectiveProgram : protected ObjectiveReturn {
protected:
    using ObjectiveReturn::ObjectiveReturn;

    // The objective and half the squares of what is wished for, at the present positions; its gradient by velocities.
    double evaluate_objective() {
        double value = 0.0;
        if (p_.asks_objective) {
            ask_objective(value, o_.all);
        } else {
            for (int j = 0; j < m_.num_dofs; ++j) o_.all[j] = 0.0;
        }
        return value + quadratic_parts() + 0.5 * wished_square();
    }

    // Constraints and gradient at the present positions, for steps in the units of the dofs.
    void fill_program() {
        QuadraticSolver<double>& qp = o_.qp;
        const int n = o_.unknowns;
        fill_jacobian();
        for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
        for (int i = 0; i < n; ++i) {
            const int j = o_.dof[i];
            o_.gradient[i] = o_.all[j] * w_.unit[j];
            const bool open = moves_as_group(j);
            qp.lower[i] = open ? -std::numeric_limits<double>::infinity() : min((p_.lower[j] - w_.q[j]) / w_.unit[j], 0.0);
            qp.upper[i] = open ? std::numeric_limits<double>::infinity() : max((p_.upper[j] - w_.q[j]) / w_.unit[j], 0.0);
        }
        qp.m = 0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.wished) {
                for (int r = task.row; r < task.row + task.rows; ++r) {
                    for (int i = 0; i < n; ++i) o_.gradient[i] -= row(w_.J, r)[o_.dof[i]] * w_.error[r];
                }
                continue;
            }
            constrain(t, [&](const double* J, double low, double high) {
                for (int i = 0; i < n; ++i) qp.A[qp.m * n + i] = J[o_.dof[i]];
                // What errors are left goes by steps of the search: near singular positions it leads far, and where rows depend on
                // each other no step would undo the rounding of all of them.
                const bool equation = low == high;
                qp.row_lower[qp.m] = equation ? 0.0 : min(low, 0.0);
                qp.row_upper[qp.m++] = equation ? 0.0 : max(high, 0.0);
            });
        }
        for (int i = 0; i < n; ++i) qp.g[i] = o_.gradient[i];
    }

    bool has_finite_gradient() const {
        return std::all_of(o_.all, o_.all + m_.num_dofs, [](double x) { return is_finite(x); });
    }

    // Gradient of the Lagrangian with the multipliers of the program, on dofs that no limit holds.
    double lagrangian(int i) const {
        double sum = o_.gradient[i];
        for (int r = 0; r < o_.qp.m; ++r) sum -= o_.qp.A[r * o_.unknowns + i] * row_force(r);
        return sum;
    }

    // Relative to the largest gradient, `scale`.
    double residual(double scale) const {
        double most = 0.0;
        for (int i = 0; i < o_.unknowns; ++i) {
            if (o_.qp.side[i] == 0) most = max(most, abs(lagrangian(i)) / scale);
        }
        // What holds back a step to bounds that are not there yet counts as well.
        for (int i = 0; i < o_.unknowns; ++i) {
            if (o_.qp.side[i] != 0) most = max(most, min(abs(o_.qp.force[i]) / scale, abs(o_.qp.x[i])));
        }
        return most;
    }

    // What the objective will be once the errors that are left are gone, to first order; of bounds those by which they are passed.
    double corrected(double value) const {
        int r = 0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.wished) continue;
            if (task.kind == TaskKind::gaze) {  // its first row is about the direction of the error
                value += row_force(r) * dot(sight_of(task).about, read3(w_.error + task.row));
                r += program_rows(task);
                continue;
            }
            for (int k = 0; k < task.rows; ++k, ++r) value += row_force(r) * w_.error[task.row + k];
        }
        return value;
    }

    double row_force(int r) const { return o_.qp.force[o_.unknowns + r]; }

    // From the constraints that were active last; whether there is a solution, which was found.
    bool solve_program() {
        o_.qp.solve({});
        return o_.qp.outcome[0].status == QuadraticStatus::solved;
    }

    double largest_force() const {
        double most = 0.0;
        for (int r = 0; r < o_.qp.m; ++r) most = max(most, abs(row_force(r)));
        return most;
    }

    double largest_gradient() const {
        double most = 0.0;
        for (int i = 0; i < o_.unknowns; ++i) most = max(most, abs(o_.gradient[i]));
        return most;
    }

private:
    double quadratic_parts() {
        if (p_.num_quadratics == 0) return 0.0;
        double value = 0.0;
        for (int j = 0; j < m_.num_dofs; ++j) o_.slope[j] = 0.0;
        for (int i = 0; i < p_.num_quadratics; ++i) value += quadratic_value(p_.quadratics[i], w_.q, o_.away, o_.slope);
        add_by_velocities(m_, w_.q, o_.slope, o_.all);
        return value;
    }

    double wished_square() const {
        double sum = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            for (int r = task.row; task.wished && r < task.row + task.rows; ++r) sum += w_.error[r] * w_.error[r];
        }
        return sum;
    }
};

KIDO_END
