#pragma once

#include "kido/ik/velocity_rows.hpp"
#include "kido/optimize/quadratic_solver.hpp"

// One step of differential inverse kinematics, of one state or one a lane: a quadratic program for each level of priority, whose
// optimum the next ones keep by equations. Kanoun, Lamiraux and Wieber, "Kinematic control of redundant manipulators: generalizing
// the task-priority framework to inequality tasks" (2011).

KIDO_BEGIN

template <class T>
class VelocitySolver {
public:
    static constexpr int W = lanes_of<T>;

    T *v, *error, *side;
    QuadraticOutcome outcome[W];

    VelocitySolver(const VelocityProgram& program, Scratch& s)
        : p_(program), m_(*program.model), rows_(program, s), solver_({program.unknowns, most_rows(program)}, s) {
        const std::size_t n = m_.num_dofs;
        v = s.take<T>(n);
        int errors = 0;
        for (int t = 0; t < p_.num_tasks; ++t) errors += p_.tasks[t].rows;
        error = s.take<T>(errors);
        side = s.take<T>(p_.unknowns + p_.limit_rows);
        for (T** x : {&lower_, &upper_, &solution_}) *x = s.take<T>(p_.unknowns);
    }

    // Rows of all equations, limits and levels but the last.
    static int most_rows(const VelocityProgram& p) { return p.limit_rows + p.rows; }

    // G (limit rows, dofs) and its bounds; start: (unknowns + limit rows) or null.
    void solve(const VelocitySample<T>& sample, const T* G, const T* limit_lower, const T* limit_upper, const T* start) {
        rows_.place(sample);
        bound(sample);
        write_limits(G, limit_lower, limit_upper);
        count_ = p_.limit_rows;
        for (int i = 0; i < p_.unknowns; ++i) solution_[i] = T(0.0);
        for (int i = 0; i < p_.unknowns + p_.limit_rows; ++i) side[i] = start ? start[i] : T(0.0);
        for (int level = 0; level < p_.levels; ++level) solve_level(level, sample);
        for (int d = 0; d < m_.num_dofs; ++d) v[d] = p_.unknown[d] < 0 ? T(0.0) : solution_[p_.unknown[d]] * p_.factor[d];
    }

    // Where limits in rows contradict the others: widened, to what the velocities reach that break them least, by squares.
    void relax(QuadraticSolver<T>& elastic, T* low, T* high) const {
        const int n = p_.unknowns, m = p_.limit_rows, all = n + m;
        for (int i = 0; i < all * all; ++i) elastic.H[i] = T(0.0);
        for (int i = 0; i < all; ++i) {
            elastic.H[i * all + i] = T(i < n ? kSlight : 1.0);
            elastic.g[i] = elastic.side[i] = elastic.side[m + i] = T(0.0);
            elastic.lower[i] = i < n ? lower_[i] : T(-kInfinity);
            elastic.upper[i] = i < n ? upper_[i] : T(kInfinity);
        }
        for (int r = 0; r < m; ++r) {
            for (int i = 0; i < all; ++i) elastic.A[r * all + i] = i < n ? solver_.A[r * n + i] : T(i == n + r ? 1.0 : 0.0);
            elastic.row_lower[r] = low[r];
            elastic.row_upper[r] = high[r];
        }
        elastic.solve({});
        for (int r = 0; r < m; ++r) {
            T sum = T(0.0);
            for (int i = 0; i < n; ++i) sum += solver_.A[r * n + i] * elastic.x[i];
            const T margin = (abs(sum) + 1.0) * kMargin;
            low[r] = min(low[r], sum - margin);
            high[r] = max(high[r], sum + margin);
        }
    }

private:
    using M = Mask<T>;

    static constexpr double kSlight = 1e-8;  // weight of velocities beside that of broken limits
    static constexpr double kMargin = 1e-9;  // of limits that were widened
    static constexpr double kRounding = 1e-14;  // of errors, relative to the numbers that they are the difference of
    static constexpr double kNothing = 1e-13;   // in rows, relative to the largest number beside it
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    // The bounds that are both within others, or, where none are, that value of the others which is nearest.
    static void within(T& lower, T& upper, const T& low, const T& high) {
        const T least = min(max(low, lower), upper), most = max(min(high, upper), lower);
        lower = min(least, most);
        upper = max(least, most);
    }

    // Bounds of the unknowns: those of acceleration, within these of velocity, within these of position.
    void bound(const VelocitySample<T>& sample) {
        const double dt = p_.time_step;
        for (int i = 0; i < p_.unknowns; ++i) {
            lower_[i] = T(-kInfinity);
            upper_[i] = T(kInfinity);
        }
        for (int d = 0; d < m_.num_dofs; ++d) {
            const int i = p_.unknown[d];
            if (i < 0) continue;
            T low = T(-kInfinity), high = T(kInfinity);
            const double a = p_.acceleration ? p_.acceleration[d] : kInfinity;
            if (p_.acceleration) {
                low = sample.v[d] - a * dt;
                high = sample.v[d] + a * dt;
            }
            if (p_.velocity_lower) within(low, high, T(p_.velocity_lower[d]), T(p_.velocity_upper[d]));
            if (p_.position_lower && is_additive(d)) {
                const T below = p_.position_lower[d] - sample.q[d], above = p_.position_upper[d] - sample.q[d];
                within(low, high, -room(-below, a), room(above, a));
            }
            const double factor = p_.factor[d];
            within(lower_[i], upper_[i], (factor > 0.0 ? low : high) * (1.0 / factor), (factor > 0.0 ? high : low) * (1.0 / factor));
        }
    }

    bool is_additive(int d) const {
        const JointKind kind = m_.links[m_.dof_link[d]].kind;
        return kind != JointKind::ball && kind != JointKind::free;
    }

    // The velocity with which a dof stays in front of a limit at a distance, and can brake in time where its acceleration is
    // limited: v dt + v^2 / (2 a) <= distance.
    T room(const T& distance, double a) const {
        const double dt = p_.time_step;
        T v = distance * (p_.position_gain / dt);
        if (a < kInfinity) {
            const T inside = max(distance, T(0.0));
            const T braking = 2.0 * inside / (dt + sqrt(T(dt * dt) + inside * (2.0 / a)));
            v = select(distance > T(0.0), min(v, braking), v);  // v where the distance is infinite
        }
        return v;
    }

    void write_limits(const T* G, const T* low, const T* high) {
        const int n = p_.unknowns;
        for (int r = 0; r < p_.limit_rows; ++r) {
            T* row = solver_.A + r * n;
            for (int i = 0; i < n; ++i) row[i] = T(0.0);
            for (int d = 0; d < m_.num_dofs; ++d) {
                if (p_.unknown[d] >= 0) row[p_.unknown[d]] += G[r * m_.num_dofs + d] * p_.factor[d];
            }
            solver_.row_lower[r] = low[r];
            solver_.row_upper[r] = high[r];
        }
        clear_rounding(solver_.A, p_.limit_rows * n);
    }

    // Rows that are 0 but for rounding, as those of directions in which no dof moves a frame, are 0.
    static void clear_rounding(T* rows, int size) {
        T least = T(0.0);
        for (int i = 0; i < size; ++i) least = max(least, T(abs(rows[i]) * kNothing));
        for (int i = 0; i < size; ++i) rows[i] = select(abs(rows[i]) > least, rows[i], T(0.0));
    }

    void solve_level(int level, const VelocitySample<T>& sample) {
        const int n = p_.unknowns, first = count_;
        for (int i = 0; i < n * n; ++i) solver_.H[i] = T(0.0);
        for (int i = 0; i < n; ++i) {
            solver_.H[i * n + i] = T(p_.damping);
            solver_.g[i] = T(0.0);
            solver_.lower[i] = lower_[i];
            solver_.upper[i] = upper_[i];
        }
        if (level == 0) solver_.rounding = T(p_.limit_rows > 0 ? kRounding / p_.time_step : 0.0);
        int place = 0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const VelocityTask& task = p_.tasks[t];
            const bool equation = task.level < 0 && level == 0;
            if (equation || task.level == level) {
                rows_.write(t, sample);
                for (int r = 0; r < task.rows; ++r) error[place + r] = rows_.error[r];
                if (equation) {
                    solver_.rounding = max(solver_.rounding, rows_.size(task) * (kRounding / p_.time_step));
                } else {
                    add_cost(task);
                }
                if (equation || level + 1 < p_.levels) append(task);
            }
            place += task.rows;
        }
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < i; ++k) solver_.H[k * n + i] = solver_.H[i * n + k];
        }
        // Equations stand before rows that the next levels keep, for tasks stand in order of their levels.
        const int equations = level == 0 ? count_ - kept_rows(level) : first;
        for (int i = 0; i < n + p_.limit_rows; ++i) solver_.side[i] = side[i];
        for (int i = n + p_.limit_rows; i < n + equations; ++i) solver_.side[i] = T(0.0);
        solver_.set_shape({n, equations});
        solver_.is_rounded = level > 0;
        solver_.solve({});
        finish(level, equations);
    }

    // Rows of a level that the next ones keep.
    int kept_rows(int level) const {
        if (level + 1 >= p_.levels) return 0;
        int rows = 0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (p_.tasks[t].level == level) rows += weighted_rows(p_.tasks[t]);
        }
        return rows;
    }

    int weighted_rows(const VelocityTask& task) const {
        int count = 0;
        for (int r = 0; r < task.rows; ++r) count += has_row(task, r);
        return count;
    }

    bool has_row(const VelocityTask& task, int r) const {
        return task.weight[r] > 0.0 && (task.kind != VelocityTaskKind::posture || p_.unknown[r] >= 0);
    }

    // Weighted rows below the others: equal to a share of what is wanted; `finish` writes what a level reaches instead.
    void append(const VelocityTask& task) {
        const int n = p_.unknowns, first = count_;
        for (int r = 0; r < task.rows; ++r) {
            if (!has_row(task, r)) continue;
            T* row = solver_.A + count_ * n;
            for (int i = 0; i < n; ++i) row[i] = T(0.0);
            if (task.kind == VelocityTaskKind::posture) {
                row[p_.unknown[r]] = T(p_.factor[r]);
            } else {
                for (int c = 0; c < task.columns; ++c) row[task.unknown[c]] = rows_.J[r * task.columns + c];
            }
            solver_.row_lower[count_] = solver_.row_upper[count_] = rows_.wanted[r] * p_.equation_share;
            ++count_;
        }
        clear_rounding(solver_.A + first * n, (count_ - first) * n);
    }

    void add_cost(const VelocityTask& task) {
        const int n = p_.unknowns, columns = task.columns;
        T squared = T(0.0);
        if (task.kind == VelocityTaskKind::posture) {
            for (int d = 0; d < m_.num_dofs; ++d) {
                const int i = p_.unknown[d];
                if (i < 0) continue;
                const double w = task.weight[d] * task.weight[d], f = p_.factor[d];
                solver_.H[i * n + i] += T(w * f * f);
                solver_.g[i] -= rows_.wanted[d] * (w * f);
            }
            return;
        }
        for (int r = 0; r < task.rows; ++r) {
            const double w = task.weight[r] * task.weight[r];
            if (w == 0.0) continue;
            const T* row = rows_.J + r * columns;
            for (int c = 0; c < columns; ++c) {
                const T x = row[c] * w;
                const int i = task.unknown[c];
                T* to = solver_.H + i * n;
                for (int k = 0; k <= c; ++k) to[task.unknown[k]] += x * row[k];
                solver_.g[i] -= x * rows_.wanted[r];
            }
            squared += rows_.error[r] * rows_.error[r] * w;
        }
        if (task.damping > 0.0) {
            for (int c = 0; c < columns; ++c) solver_.H[task.unknown[c] * n + task.unknown[c]] += squared * task.damping;
        }
    }

    void finish(int level, int equations) {
        const int n = p_.unknowns;
        for (int lane = 0; lane < W; ++lane) {
            if (level == 0) outcome[lane] = solver_.outcome[lane];
            const bool solved = solver_.outcome[lane].status == QuadraticStatus::solved;
            if (level > 0) {
                outcome[lane].iterations += solver_.outcome[lane].iterations;
                if (outcome[lane].status == QuadraticStatus::solved && !solved) outcome[lane].status = QuadraticStatus::iterations;
            }
            if (!solved) continue;
            // Where equations keep what levels reach at bounds, rounding may be beyond these.
            for (int i = 0; i < n; ++i) {
                set_lane(solution_[i], lane, get_lane(min(max(solver_.x[i], lower_[i]), upper_[i]), lane));
            }
            for (int i = 0; i < n + p_.limit_rows; ++i) set_lane(side[i], lane, get_lane(solver_.side[i], lane));
        }
        for (int r = equations; r < count_; ++r) {
            T sum = T(0.0);
            for (int i = 0; i < n; ++i) sum += solver_.A[r * n + i] * solution_[i];
            solver_.row_lower[r] = solver_.row_upper[r] = sum;
        }
    }

    const VelocityProgram& p_;
    const Model& m_;
    VelocityRows<T> rows_;
    QuadraticSolver<T> solver_;
    T *lower_, *upper_, *solution_;
    int count_ = 0;  // rows written so far
};

KIDO_END
