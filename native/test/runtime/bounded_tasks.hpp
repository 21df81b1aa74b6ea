#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "kido/ik/objective_program.hpp"
#include "random_tree.hpp"

// A pose, a gaze and a task of a user's own of a random robot, each between bounds, and what searches make of them.

namespace bounded {

using namespace kido;

inline constexpr double kOpen = std::numeric_limits<double>::infinity();
inline constexpr int kPoseTask = 0, kGazeTask = 1, kCustomTask = 2;
inline constexpr int kGazeRow = 6, kCustomRow = 9, kCustomRows = 3, kRows = 12, kProgramRows = 10;  // the gaze has 3 rows, and 1 in programs

inline constexpr int kOneSided = 4;  // of the pose: nothing is above

// Of all rows, the one that a row of programs is.
inline int row_of(int program_row) { return program_row <= kGazeRow ? program_row : program_row + 2; }

// A task that a user has written: sums of positions, the last of which is a length, each between two bounds or above one.
struct Sums : TaskParts {
    int dofs;
    std::vector<double> rows, q;
    double least[kCustomRows] = {-0.3, -20.0, -0.4}, most[kCustomRows] = {0.2, kOpen, 0.5};

    Sums(int dofs, RandomNumbers& random) : dofs(dofs), rows(random.numbers(kCustomRows * dofs)) {}

    double value(int r) const {
        double sum = 0.0;
        for (int j = 0; j < dofs; ++j) sum += rows[r * dofs + j] * std::sin(q[j]);
        return sum;
    }
    bool place(const double* positions) override {
        q.assign(positions, positions + dofs);
        return true;
    }
    bool error(int, double* error, double* angular, double* linear) override {
        for (int r = 0; r < kCustomRows; ++r) error[r] = value(r) - std::clamp(value(r), least[r], most[r]);
        *angular = 0.0;
        *linear = std::fabs(error[2]);
        return true;
    }
    bool jacobian(int, double* out) override {
        for (int k = 0; k < kCustomRows * dofs; ++k) out[k] = rows[k] * std::cos(q[k % dofs]);
        return true;
    }
    bool bounds(int task, double* out, double* low, double* high) override {
        for (int r = 0; r < kCustomRows; ++r) {
            low[r] = least[r] - value(r);
            high[r] = most[r] - value(r);
        }
        return jacobian(task, out);
    }
    bool step(int, const double*, const double*, double*) override { return false; }
    bool objective(double*, double*) override { return false; }
    bool is_length(int, unsigned char* rows) override {
        rows[2] = 1;
        return true;
    }
};

struct Tasks {
    RandomTree tree;
    Sums sums;
    std::vector<unsigned char> moves;
    std::vector<double> lower, upper, q;
    HierarchyTask tasks[3] = {};
    HierarchyProblem problem{};
    std::vector<double> memory;

    explicit Tasks(int seed)
        : tree(seed, 2), sums(dofs(), tree.random), moves(dofs(), 1), lower(dofs(), -9.0), upper(dofs(), 9.0),
          q(tree.random.numbers(dofs())) {
        int row = 0;
        for (int t = 0; t < 3; ++t) {
            HierarchyTask& task = tasks[t];
            task.kind = t == kPoseTask ? TaskKind::pose : t == kGazeTask ? TaskKind::gaze : TaskKind::custom;
            task.row = row;
            row += task.rows = t == kPoseTask ? 6 : 3;
            task.moves = moves.data();
            task.link = t == kCustomTask ? -1 : RandomTree::kLinks - 1;
            put(task.R, task.p, 0.2);
            put(task.target, task.target + 9, 3.0);
            for (double& w : task.region.weight) w = tree.random.between(0.5, 2.0);
        }
        write3(tasks[kGazeTask].axis, tree.random.direction());
        tasks[kGazeTask].half_angle = 0.8;
        PoseRegion& region = tasks[kPoseTask].region;
        region.bounded = region.in_target = true;
        double unused[3];
        put(region.axes, unused, 1.0);
        for (int k = 0; k < 6; ++k) {
            region.low[k] = tree.random.between(-0.5, -0.1);
            region.high[k] = tree.random.between(0.1, 0.5);
        }
        region.low[kOneSided] = -20.0;
        region.high[kOneSided] = kOpen;
        tasks[kCustomTask].region.bounded = true;
        problem.model = &tree.model();
        problem.tasks = tasks;
        problem.num_tasks = problem.num_told = 3;
        problem.num_levels = 1;
        problem.num_rows = kRows;
        problem.moves = problem.lowers = moves.data();
        problem.lower = lower.data();
        problem.upper = upper.data();
        problem.parts = &sums;
        problem.has_objective = problem.native_motion = true;
        problem.angular_tolerance = problem.linear_tolerance = 1e-6;
        const std::size_t bytes = measure<HierarchyMemory>(problem) + measure<ObjectiveMemory>(problem);
        memory.assign(bytes / sizeof(double) + 2 * kAlignment, std::numeric_limits<double>::signaling_NaN());
    }
    Tasks(const Tasks&) = delete;
    Tasks& operator=(const Tasks&) = delete;

    int dofs() const { return tree.model().num_dofs; }
    void* aligned() {
        void* start = memory.data();
        std::size_t space = memory.size() * sizeof(double);
        return std::align(kAlignment, 1, start, space);
    }

private:
    void put(double* R, double* p, double size) {
        const Mat3<double> turn = tree.random.rotation();
        write3(R, turn.x);
        write3(R + 3, turn.y);
        write3(R + 6, turn.z);
        write3(p, tree.random.vector() * size);
    }
};

struct Bounds {
    std::vector<double> low, high, J;  // of the program's rows
};

class Probe : public ObjectiveProgram {
public:
    Probe(Tasks& tasks, double length) : ObjectiveProgram(tasks.problem, tasks.aligned()) {
        length_ = {length, 1.0 / length};
        std::fill(w_.is_length, w_.is_length + kRows, static_cast<unsigned char>(0));
        std::fill(o_.left, o_.left + kRows, 0.0);
        std::fill(o_.all, o_.all + m_.num_dofs, 1.0);
        tasks.sums.is_length(kCustomTask, w_.is_length + kCustomRow);
        go(tasks.q);
    }
    void go(const std::vector<double>& q) {
        std::copy(q.begin(), q.end(), w_.q);
        kinematics();
    }
    // What `constrain` calls with.
    Bounds bounds() {
        Bounds out;
        error();
        fill_jacobian();
        for (int t = 0; t < 3; ++t) {
            constrain(t, [&](const double* J, double low, double high) {
                out.low.push_back(low);
                out.high.push_back(high);
                out.J.insert(out.J.end(), J, J + m_.num_dofs);
            });
        }
        return out;
    }
    // Has all stand on bounds or none, by signs of rows, and less than these.
    void pin(const std::vector<int>& sides, const std::vector<double>& less) {
        for (int r = 0; r < kRows; ++r) {
            w_.pin[r] = static_cast<signed char>(sides[r]);
            w_.short_of[r] = less[r];
        }
        for (int t = 0; t < 3; ++t) w_.pinned[t] = true;
    }
    std::vector<double> error() {
        for (int t = 0; t < 3; ++t) error_of(t);
        return {w_.error, w_.error + kRows};
    }
    std::vector<double> jacobian() {
        std::vector<double> out;
        fill_jacobian();
        for (int r = 0; r < kRows; ++r) out.insert(out.end(), row(w_.J, r), row(w_.J, r) + m_.num_dofs);
        return out;
    }
    // Of a dof in a step [rad, m].
    double unit(int dof) const {
        double unit = 1.0;
        for_each_dof([&](int j, bool prismatic) { unit = j == dof && prismatic ? length_.value : unit; });
        return unit;
    }
    Sight sight() const { return sight_of(p_.tasks[kGazeTask]); }
    double angular(int t) const { return w_.angular[t]; }
    double linear(int t) const { return w_.linear[t]; }
    using ObjectiveProgram::corrected;
    using ObjectiveProgram::fill_program;
    using ObjectiveProgram::pin_active;
    using ObjectiveProgram::unpin;
    QuadraticSolver<double>& program() { return o_.qp; }
    double* side(int r) { return o_.qp.side + o_.unknowns + r; }
    double* force(int r) { return o_.qp.force + o_.unknowns + r; }
    int pinned_at(int r) const { return w_.pin[r]; }
    double short_of(int r) const { return w_.short_of[r]; }
    bool is_pinned(int t) const { return w_.pinned[t]; }
};

}  // namespace bounded
