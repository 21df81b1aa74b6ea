#pragma once

#include <algorithm>

#include "kido/algorithm/jacobian.hpp"
#include "kido/ik/characteristic_length.hpp"
#include "kido/ik/hierarchy_problem.hpp"
#include "kido/tree/scratch.hpp"

// One step of several tasks in levels of priority: each level moves by damped least squares in the null space of the Jacobians
// of all levels above together, so that it disturbs none of them. Joint limits are kept by an active set. Siciliano and Slotine, "A general framework for managing multiple tasks in highly redundant robotic systems" (1991);
// Baerlocher and Boulic, "An inverse kinematics architecture enforcing an arbitrary number of strict priority levels" (2004).

KIDO_BEGIN

// Working memory; lengths of errors and of translational dofs are in characteristic lengths.
struct HierarchyMemory {
    static constexpr int pad = 8;

    double *q, *best, *sine, *cosine, *step, *free, *unit, *inverse;  // unit: of a dof [rad, m], and 1 over it
    Pose<double>* pose;
    double *J, *projected, *basis;  // rows of `stride` numbers: weighted Jacobian, that of a level, orthonormal rows of levels above
    double *error, *left, *solved, *gram;
    double *squared, *checkpoint, *best_squared;  // (levels)
    PoseError<double>* task_error;
    int stride;

    HierarchyMemory(const HierarchyProblem& p, Scratch& s) {
        const int n = p.model->num_dofs, rows = 6 * p.num_tasks;
        stride = (n + pad - 1) / pad * pad;
        for (double** x : {&q, &best, &sine, &cosine, &step, &free, &unit, &inverse}) *x = s.take<double>(stride);
        pose = s.take<Pose<double>>(p.model->num_links);
        for (double** x : {&J, &projected}) *x = s.take<double>(static_cast<std::size_t>(rows) * stride);
        basis = s.take<double>(static_cast<std::size_t>(rows < n ? rows : n) * stride);
        for (double** x : {&error, &left, &solved}) *x = s.take<double>(rows);
        gram = s.take<double>(static_cast<std::size_t>(rows) * rows);
        for (double** x : {&squared, &checkpoint, &best_squared}) *x = s.take<double>(p.num_levels);
        task_error = s.take<PoseError<double>>(p.num_tasks);
    }
};

// Positions, the errors and Jacobians of all tasks there, and a step that lowers them.
class HierarchyStepper {
protected:
    static constexpr int kRounds = 4;             // times that joints may be found beyond their limits in one step
    static constexpr double kIndependent = 1e-6;  // part of a row outside the levels above, that makes it independent

    HierarchyStepper(const HierarchyProblem& problem, void* memory)
        : p_(problem), m_(*problem.model), scratch_(memory), w_(problem, scratch_) {
        for (int t = 0; t < p_.num_tasks; ++t) reach_ = max(reach_, path_reach(m_, p_.tasks[t].link, p_.tasks[t].p));
    }

    // Chooses the characteristic length for the present positions.
    void choose_length() {
        double distance = 0.0;
        bool translates = false;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const Vec3<double> d = error_of(p_.tasks[t]).linear;
            distance = max(distance, max(abs(d.x), max(abs(d.y), abs(d.z))));
        }
        for_each_dof([&](int j, bool prismatic) { translates = translates || (prismatic && p_.moves[j]); });
        length_.value = characteristic_length(reach_, distance, translates);
        length_.inverse = 1.0 / length_.value;
        for_each_dof([&](int j, bool prismatic) {
            w_.unit[j] = prismatic ? length_.value : 1.0;
            w_.inverse[j] = prismatic ? length_.inverse : 1.0;
        });
    }

    template <class Visit>
    void for_each_dof(Visit&& visit) const {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            for (int k = 0; k < link.dof_count; ++k) visit(link.dof + k, is_prismatic(link, k));
        }
    }

    void kinematics() {
        sincos(w_.q, m_.num_dofs, w_.sine, w_.cosine);
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            visit(link.kind, [&](auto joint) {
                using J = decltype(joint);
                const Pose<double>* parent = link.parent < 0 ? nullptr : w_.pose + link.parent;
                const double* q = w_.q + link.dof;
                const Mat3<double> base = parent ? parent->R * mat3(link.R) : mat3(link.R);
                Vec3<double> at = parent ? parent->p + parent->R * vec3(link.p) : vec3(link.p);
                if constexpr (J::translates) at += J::translate(link, base, q);
                w_.pose[i] = {J::rotate(base, q, w_.sine[link.dof], w_.cosine[link.dof]), at};
            });
        }
    }

    Pose<double> pose_of(const HierarchyTask& task) const {
        const Pose<double>& at = w_.pose[task.link];
        return {at.R * mat3(task.R), at.p + at.R * vec3(task.p)};
    }

    PoseError<double> error_of(const HierarchyTask& task) const {
        const double* x = task.target;
        return region_error<double>(task.region, {{read3(x), read3(x + 3), read3(x + 6)}, read3(x + 9)}, pose_of(task));
    }

    // Computes the weighted errors of all tasks, and their squares level by level; whether all tasks are reached.
    bool errors() {
        bool all_reached = true;
        for (int k = 0; k < p_.num_levels; ++k) w_.squared[k] = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            PoseError<double> e = error_of(task);
            e.linear = e.linear * length_.inverse;
            w_.task_error[t] = e;
            double weighted_error[6];
            weighted(task.region, e, weighted_error);
            for (int r = 0; r < 6; ++r) {
                w_.error[6 * t + r] = weighted_error[r];
                w_.squared[task.level] += weighted_error[r] * weighted_error[r];
            }
            all_reached = all_reached && is_reached(e);
        }
        return all_reached;
    }

    bool is_reached(const PoseError<double>& e) const {
        return norm(e.angular) <= p_.angular_tolerance && norm(e.linear) <= p_.linear_tolerance * length_.inverse;
    }

    static double norm(const Vec3<double>& x) { return sqrt(dot(x, x)); }

    double* row(double* rows, int r) const { return rows + static_cast<std::ptrdiff_t>(r) * w_.stride; }

    void fill_jacobian() {
        const int rows = 6 * p_.num_tasks;
        for (int i = 0; i < rows * w_.stride; ++i) w_.J[i] = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            const Vec3<double> point = pose_of(task).p;
            for (int i = task.link; i >= 0; i = m_.links[i].parent) {
                const Link& link = m_.links[i];
                const Vec3<double> arm = point - w_.pose[i].p;
                visit(link.kind, [&](auto joint) {
                    for_axes(joint, link, w_.pose[i].R, [&](int k, const auto& axis) {
                        if (!task.moves[link.dof + k]) return;
                        const Motion<double> c =
                            region_column(task.region, w_.task_error[t], axis_velocity(axis, arm), length_.inverse);
                        const double unit = w_.unit[link.dof + k];
                        const double x[6] = {c.angular.x, c.angular.y, c.angular.z, c.linear.x, c.linear.y, c.linear.z};
                        for (int r = 0; r < 6; ++r) row(w_.J, 6 * t + r)[link.dof + k] = x[r] * unit;
                    });
                });
            }
        }
    }

    // One step of the first levels.
    void move(int levels) {
        fill_jacobian();
        for (int j = 0; j < m_.num_dofs; ++j) w_.free[j] = p_.moves[j] ? 1.0 : 0.0;
        for (int r = 0; r < 6 * p_.num_tasks; ++r) w_.left[r] = w_.error[r];
        for (int j = 0; j < w_.stride; ++j) w_.step[j] = 0.0;
        for (int round = 0; round < kRounds; ++round) {
            hierarchical_step(levels);
            if (!stop_at_limits()) break;
        }
        double largest = p_.largest_step;
        for (int j = 0; j < m_.num_dofs; ++j) largest = max(largest, abs(w_.step[j]));
        advance(p_.largest_step / largest);
    }

    // Joints beyond their limits stop there and the others have to make up for it; whether there were any.
    bool stop_at_limits() {
        bool any_beyond = false;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] == 0.0) continue;
            const double lowest = (p_.lower[j] - w_.q[j]) * w_.inverse[j], highest = (p_.upper[j] - w_.q[j]) * w_.inverse[j];
            const double allowed = min(max(w_.step[j], lowest), highest);
            if (allowed == w_.step[j]) continue;
            any_beyond = true;
            w_.step[j] = allowed;
            w_.free[j] = 0.0;
            for (int r = 0; r < 6 * p_.num_tasks; ++r) w_.left[r] -= row(w_.J, r)[j] * allowed;
        }
        return any_beyond;
    }

    // Steps of the free dofs: level by level, each in the null space of those above.
    void hierarchical_step(int levels) {
        const int n = w_.stride;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (w_.free[j] != 0.0) w_.step[j] = 0.0;
        }
        int rank = 0, most = 6 * p_.num_tasks < m_.num_dofs ? 6 * p_.num_tasks : m_.num_dofs;
        for (int t = 0; t < p_.num_tasks && p_.tasks[t].level < levels;) {
            const int level = p_.tasks[t].level, first = 6 * t;
            while (t < p_.num_tasks && p_.tasks[t].level == level) ++t;
            const int count = 6 * t - first;
            for (int r = 0; r < count; ++r) {
                const double* J = row(w_.J, first + r);
                double *P = row(w_.projected, r), missing = w_.left[first + r];
                for (int j = 0; j < n; ++j) P[j] = J[j] * (j < m_.num_dofs ? w_.free[j] : 0.0);
                for (int j = 0; j < m_.num_dofs; ++j) missing -= P[j] * w_.step[j];
                for (int b = 0; b < rank; ++b) remove(P, row(w_.basis, b));
                w_.solved[r] = missing;
            }
            damped(count, w_.squared[level] * p_.damping * strength_ + p_.least_damping);
            for (int r = 0; r < count; ++r) {
                const double *P = row(w_.projected, r), x = w_.solved[r];
                for (int j = 0; j < m_.num_dofs; ++j) w_.step[j] += P[j] * x;
            }
            if (t < p_.num_tasks) rank = extend(count, rank, most);
        }
    }

    double product(const double* a, const double* b) const {
        double sum[HierarchyMemory::pad] = {};
        for (int j = 0; j < w_.stride; j += HierarchyMemory::pad) {
            for (int k = 0; k < HierarchyMemory::pad; ++k) sum[k] += a[j + k] * b[j + k];
        }
        return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
    }

    void remove(double* x, const double* unit) const {
        const double along = product(x, unit);
        for (int j = 0; j < w_.stride; ++j) x[j] -= along * unit[j];
    }

    // Solves (P P^T + damping) x = missing by L D L^T, in `solved`.
    void damped(int count, double damping) {
        double *A = w_.gram, *x = w_.solved;
        for (int r = 0; r < count; ++r) {
            for (int c = 0; c <= r; ++c) A[r * count + c] = product(row(w_.projected, r), row(w_.projected, c));
            A[r * count + r] += damping;
        }
        for (int j = 0; j < count; ++j) {
            double d = A[j * count + j];
            for (int k = 0; k < j; ++k) d -= A[j * count + k] * A[j * count + k] * A[k * count + k];
            A[j * count + j] = d;
            for (int i = j + 1; i < count; ++i) {
                double sum = A[i * count + j];
                for (int k = 0; k < j; ++k) sum -= A[i * count + k] * A[j * count + k] * A[k * count + k];
                A[i * count + j] = sum / d;
            }
        }
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < i; ++k) x[i] -= A[i * count + k] * x[k];
        }
        for (int i = 0; i < count; ++i) x[i] /= A[i * count + i];
        for (int i = count - 1; i >= 0; --i) {
            for (int k = i + 1; k < count; ++k) x[i] -= A[k * count + i] * x[k];
        }
    }

    // Extends the basis by the rows of a level that are independent of it; returns its new rank.
    int extend(int count, int rank, int most) {
        const int before = rank;
        for (int r = 0; r < count && rank < most; ++r) {
            double* P = row(w_.projected, r);
            const double size = sqrt(product(P, P));
            for (int pass = 0; pass < 2; ++pass) {
                for (int b = pass == 0 ? before : 0; b < rank; ++b) remove(P, row(w_.basis, b));
            }
            const double rest = sqrt(product(P, P));
            if (rest <= kIndependent * max(size, kIndependent)) continue;
            double* unit = row(w_.basis, rank++);
            for (int j = 0; j < w_.stride; ++j) unit[j] = P[j] / rest;
        }
        return rank;
    }

    void advance(double scale) {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            double* q = w_.q + link.dof;
            const double* d = w_.step + link.dof;
            if (link.kind == JointKind::ball || link.kind == JointKind::free) {
                if (!std::any_of(p_.moves + link.dof, p_.moves + link.dof + link.dof_count, [](int x) { return x; })) continue;
                const Mat3<double> R = so3_exp(read3(q));
                const Vec3<double> rotation = read3(d) * scale;
                write3(q, so3_log(R * so3_exp(rotation)));
                if (link.kind == JointKind::free) {
                    write3(q + 3, read3(q + 3) + R * (so3_left_jacobian(rotation) * (read3(d + 3) * (scale * length_.value))));
                }
                continue;
            }
            for (int k = 0; k < link.dof_count; ++k) {
                const int j = link.dof + k;
                if (p_.moves[j]) q[k] = min(max(q[k] + d[k] * w_.unit[j] * scale, p_.lower[j]), p_.upper[j]);
            }
        }
    }

    const HierarchyProblem& p_;
    const Model& m_;
    Scratch scratch_;
    const HierarchyMemory w_;
    CharacteristicLength<double> length_;
    double reach_ = 0.0;
    double strength_ = 1.0;  // of the damping
};

KIDO_END
