#pragma once

#include <memory>
#include <vector>

#include "frame.hpp"
#include "kido/batch/stop_signal.hpp"
#include "kido/ik/velocity_problem.hpp"
#include "working_block.hpp"

namespace kido {

// What a task of a step wants, as its owner holds it; arrays stay where they are.
struct VelocityTaskSpec {
    VelocityTaskKind kind = VelocityTaskKind::rows;
    int level = 0, rows = 0;
    bool is_velocity = false;
    const Frame *frame = nullptr, *base = nullptr;  // null: none, and the world
    const double* numbers = nullptr;  // gain, damping, axis (3), share
    const double* weight = nullptr;
    const double* target = nullptr;
    std::ptrdiff_t stride = 0;
};

// How a dof moves with an unknown; unknown -1: it stands still.
struct VelocityDof {
    int unknown;
    double factor;
};

// Limits of all dofs; null where there are none.
struct VelocityLimits {
    const double *position_lower = nullptr, *position_upper = nullptr, *velocity_lower = nullptr, *velocity_upper = nullptr,
                 *acceleration = nullptr;
    double position_gain = 1.0;
};

// States of a call; strides 0: the same for all.
struct VelocityStates {
    std::size_t count = 1;
    const double *q = nullptr, *v = nullptr, *users = nullptr;
    std::ptrdiff_t q_stride = 0, v_stride = 0, users_stride = 0;
    int limit_rows = 0;
    const double *G = nullptr, *lower = nullptr, *upper = nullptr;
    std::ptrdiff_t G_stride = 0, lower_stride = 0, upper_stride = 0;
    double time_step = 1.0, damping = 0.0, equation_share = 1.0;
};

// Steps of one robot with certain tasks. Not for several threads at once.
class VelocityStep {
public:
    VelocityStep(const Model& model, std::vector<VelocityDof> dofs);

    std::vector<VelocityTaskSpec> tasks;
    VelocityLimits limits;

    const Model& model() const { return model_; }
    int unknowns() const { return unknowns_; }
    int error_rows() const;
    // Writes results; with `warm`, one state begins with the active constraints of the last. Frames are where `own` (null: none) puts
    // what it carries. Where `stop` is set, some are left unsolved. Throws std::bad_alloc.
    void solve(const VelocityStates& states, const State* own, bool warm, VelocityResults& results, StopSignal* stop = nullptr);
    void forget() { start_.clear(); }

private:
    struct Place {
        int link;
        double R[9], p[3];
    };
    struct Columns {
        int link = -2, base_link = -2;
        std::vector<int> column, unknown;
    };

    Place place_of(const Frame* frame, const State* own) const;
    void set_columns(const VelocityTaskSpec& spec, int link, int base_link, Columns& columns) const;
    void set_tasks(const State* own);
    void run(const VelocityProgram& program, VelocityResults& results, std::size_t count, StopSignal* stop);

    const Model& model_;
    std::vector<int> unknown_;
    std::vector<double> factor_;
    int unknowns_ = 0;
    std::vector<VelocityTask> compiled_;
    std::vector<Columns> columns_;
    std::vector<double> start_;
    WorkingBlock memory_;
};

}  // namespace kido
