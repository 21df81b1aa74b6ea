#pragma once

#include <limits>

#include "kido/ik/hierarchy_step.hpp"
#include "kido/ik/quadratic_objective.hpp"
#include "kido/optimize/quadratic_program.hpp"

// Where all is reached that must be, lowers an objective and what is wished for beside it, until no step that keeps the targets and
// the limits lowers it further: sequential quadratic programming from feasible positions to feasible positions, with damped BFGS.
// Nocedal and Wright, Numerical Optimization (2006), chapter 18 and procedure 18.2; returning to the constraints after each
// step is that of the generalised reduced gradient method, Abadie and Carpentier (1969).

KIDO_BEGIN

struct ObjectiveMemory {
    int *dof;  // (unknowns) dofs that may move
    int unknowns;
    double *gradient, *all, *before, *change, *curved;  // (unknowns), but all: (dofs)
    double *slope, *away;                               // (dofs) of quadratic parts
    QuadraticProgram qp;

    ObjectiveMemory(const HierarchyProblem& p, Scratch& s)
        : dof(s.take<int>(p.model->num_dofs)),
          unknowns(p.has_objective ? p.model->num_dofs : 0),
          gradient(s.take<double>(unknowns)),
          all(s.take<double>(p.model->num_dofs)),
          before(s.take<double>(unknowns)),
          change(s.take<double>(unknowns)),
          curved(s.take<double>(unknowns)),
          slope(s.take<double>(p.num_quadratics > 0 ? p.model->num_dofs : 0)),
          away(s.take<double>(p.num_quadratics > 0 ? p.model->num_dofs : 0)),
          qp(unknowns, p.has_objective ? p.num_rows : 0, s) {}
};

class ObjectiveDescent : protected HierarchyStepper {
protected:
    ObjectiveDescent(const HierarchyProblem& problem, void* memory)
        : HierarchyStepper(problem, memory), o_(problem, scratch_) {
        if (!p_.has_objective) return;
        o_.unknowns = 0;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (p_.lowers[j]) o_.dof[o_.unknowns++] = j;
        }
        o_.qp.n = o_.unknowns;
    }

    // Largest component of the gradient of the Lagrangian where the descent ended, relative to the largest gradient met; and the
    // objective there.
    double stationarity_ = 0.0, objective_ = 0.0;

    // Steps from positions at which all is reached that must be. `is_over()` ends them.
    template <class IsOver>
    int lower_objective(IsOver&& is_over) {
        int steps = 0;
        bool fresh = true;
        return_to_targets(kReturns);
        double value = evaluate_objective(), scale = 0.0;
        for (;; ++steps) {
            if (has_failed()) return steps;
            fill_program();
            for (int i = 0; i < o_.unknowns; ++i) scale = max(scale, abs(o_.gradient[i]));
            if (!is_finite(scale) || !is_finite(value)) {
                stationarity_ = std::numeric_limits<double>::infinity();
                break;
            }
            if (scale == 0.0) {
                stationarity_ = 0.0;
                break;
            }
            if (fresh) start_curvature();
            const bool solved = o_.qp.solve();
            stationarity_ = residual(scale);
            if (stationarity_ <= kStationary || steps >= kSteps || is_over()) break;
            if (!solved && fresh) break;
            remember_lagrangian();
            const bool lowered = solved && line_search(value, is_over);
            if (has_failed()) return steps;
            if (!lowered) {
                if (fresh) break;
                fresh = true;  // once more, along the gradient
                continue;
            }
            pending_ = true;
            fresh = false;
        }
        pending_ = false;
        objective_ = value;
        return steps;
    }

private:
    static constexpr int kSteps = 200, kHalvings = 30, kReturns = 40, kFewReturns = 6, kPatient = 3;
    static constexpr double kStationary = 1e-8;  // at which the descent ends
    static constexpr double kDecrease = 1e-4;    // part of the slope by which a step has to lower the objective
    static constexpr double kNoise = 1e-14;      // of an objective, relative
    static constexpr double kFirst = 0.2;        // largest change of a dof in the first step [rad, characteristic length]

    // The objective and half the squares of what is wished for, at the present positions; its gradient by velocities.
    double evaluate_objective() {
        double value = 0.0;
        if (p_.asks_objective) {
            ask([&] { return p_.parts->objective(&value, o_.all); });
        } else {
            for (int j = 0; j < m_.num_dofs; ++j) o_.all[j] = 0.0;
        }
        return value + quadratic_parts() + 0.5 * wished_square();
    }

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

    // Constraints and gradient at the present positions, for steps in the units of the dofs; then the curvature, from the change of
    // the Lagrangian's gradient.
    void fill_program() {
        QuadraticProgram& qp = o_.qp;
        const int n = o_.unknowns;
        fill_jacobian();
        for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
        for (int i = 0; i < n; ++i) {
            const int j = o_.dof[i];
            o_.gradient[i] = o_.all[j] * w_.unit[j];
            const bool open = moves_as_group(j);
            qp.lower[i] = open ? -std::numeric_limits<double>::infinity() : (p_.lower[j] - w_.q[j]) / w_.unit[j];
            qp.upper[i] = open ? std::numeric_limits<double>::infinity() : (p_.upper[j] - w_.q[j]) / w_.unit[j];
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
                const bool equation = low == high;  // whose error goes by steps of the search: near singular positions it leads far
                qp.low[qp.m] = equation ? 0.0 : low;
                qp.high[qp.m++] = equation ? 0.0 : high;
            });
        }
        for (int i = 0; i < n; ++i) qp.g[i] = o_.gradient[i];
        if (pending_) update_curvature();
    }

    void start_curvature() {
        double most = 1e-300;
        for (int i = 0; i < o_.unknowns; ++i) most = max(most, abs(o_.gradient[i]));
        for (int i = 0; i < o_.unknowns; ++i) {
            for (int k = 0; k < o_.unknowns; ++k) o_.qp.B[i * o_.unknowns + k] = i == k ? most / kFirst : 0.0;
        }
        scaled_ = false;
    }

    // Gradient of the Lagrangian with the multipliers of the program, on dofs that no limit holds.
    double lagrangian(int i) const {
        double sum = o_.gradient[i];
        for (int r = 0; r < o_.qp.m; ++r) sum -= o_.qp.A[r * o_.unknowns + i] * o_.qp.row_force[r];
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

    void remember_lagrangian() {
        for (int i = 0; i < o_.unknowns; ++i) o_.before[i] = lagrangian(i);
    }

    // Damped BFGS.
    void update_curvature() {
        const int n = o_.unknowns;
        double* B = o_.qp.B;
        double sBs = 0.0, sy = 0.0, yy = 0.0;
        for (int i = 0; i < n; ++i) {
            const double y = lagrangian(i) - o_.before[i];
            o_.before[i] = y;
            sy += o_.change[i] * y;
            yy += y * y;
        }
        if (!scaled_ && sy > 0.0) {
            for (int i = 0; i < n * n; ++i) B[i] = 0.0;
            for (int i = 0; i < n; ++i) B[i * n + i] = yy / sy;
        }
        scaled_ = true;
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) sum += B[i * n + k] * o_.change[k];
            o_.curved[i] = sum;
            sBs += o_.change[i] * sum;
        }
        if (!(sBs > 0.0)) return;
        const double theta = sy >= 0.2 * sBs ? 1.0 : 0.8 * sBs / (sBs - sy);
        double sr = 0.0;
        for (int i = 0; i < n; ++i) {
            o_.before[i] = theta * o_.before[i] + (1.0 - theta) * o_.curved[i];
            sr += o_.change[i] * o_.before[i];
        }
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                B[i * n + k] += o_.before[i] * o_.before[k] / sr - o_.curved[i] * o_.curved[k] / sBs;
            }
        }
    }

    // What the objective will be once the errors that are left are gone, to first order.
    double corrected(double value) const {
        int r = 0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.wished) continue;
            const bool ranges = task.kind == TaskKind::pose && task.region.bounded;
            if (task.kind == TaskKind::gaze && task.half_angle > 0.0) {
                ++r;
                continue;
            }
            for (int k = 0; k < task.rows; ++k, ++r) {
                if (!ranges) value += o_.qp.row_force[r] * w_.error[task.row + k];
            }
        }
        return value;
    }

    // Takes a part of the program's step that lowers the objective, and goes back to the constraints; whether there is one. Keeps
    // the change of the dofs.
    template <class IsOver>
    bool line_search(double& value, IsOver&& is_over) {
        const int n = o_.unknowns;
        double slope = 0.0, largest = p_.largest_step;
        for (int i = 0; i < n; ++i) {
            slope += o_.gradient[i] * o_.qp.x[i];
            largest = max(largest, abs(o_.qp.x[i]));
        }
        double part = p_.largest_step / largest;
        take(w_.q, w_.best);
        const double before = corrected(value), noise = kNoise * max(abs(value), 1e-300);
        for (int halving = 0; halving < kHalvings && !(halving > 0 && is_over()); ++halving, part *= 0.5) {
            for (int j = 0; j < w_.stride; ++j) w_.step[j] = 0.0;
            for (int i = 0; i < n; ++i) w_.step[o_.dof[i]] = o_.qp.x[i];
            for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
            advance(part);
            const bool back = return_to_targets(halving < kPatient ? kReturns : kFewReturns);
            if (has_failed()) return false;
            if (back) {
                const double next = evaluate_objective(), after = corrected(next);
                if (has_failed()) return false;
                if (after < before && after <= before + kDecrease * part * min(slope, 0.0) + noise) {
                    measure_change();
                    value = next;
                    return true;
                }
            }
            take(w_.best, w_.q);
        }
        kinematics();
        errors();
        evaluate_objective();
        return false;
    }

    // Steps of the search itself for what must be reached: few, but near singular positions.
    bool return_to_targets(int most) {
        only_required_ = true;
        kinematics();
        bool reached = errors();
        for (int i = 0; i < most && !has_failed() && !is_exact(); ++i) {
            move(p_.num_levels);
            kinematics();
            reached = errors();
        }
        only_required_ = false;
        return reached;
    }

    // Whether errors are small beside the tolerances, so that they do not count in the objective.
    bool is_exact() const {
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (p_.tasks[t].wished) continue;
            if (w_.angular[t] > kExact * min(p_.angular_tolerance, 1.0)) return false;
            if (w_.linear[t] > kExact * min(p_.linear_tolerance, 1.0) * length_.inverse) return false;
        }
        return true;
    }
    static constexpr double kExact = 1e-5;

    // The change of the dofs since `best`, in their units, along the group.
    void measure_change() {
        for (int i = 0; i < o_.unknowns; ++i) {
            const int j = o_.dof[i];
            const Link& link = m_.links[m_.dof_link[j]];
            if (!moves_as_group(j)) {
                o_.change[i] = (w_.q[j] - w_.best[j]) / (is_prismatic(link, j - link.dof) ? length_.value : 1.0);
                continue;
            }
            const Mat3<double> R = so3_exp(read3(w_.best + link.dof));
            double own[6] = {};
            write3(own, so3_log(transpose(R) * so3_exp(read3(w_.q + link.dof))));
            if (link.kind == JointKind::free) {
                write3(own + 3, transpose(R) * (read3(w_.q + link.dof + 3) - read3(w_.best + link.dof + 3)) * length_.inverse);
            }
            o_.change[i] = own[j - link.dof];
        }
    }

    ObjectiveMemory o_;
    bool pending_ = false;  // whether a step was made whose curvature is not known yet
    bool scaled_ = false;   // whether the curvature has the objective's size
};

KIDO_END
