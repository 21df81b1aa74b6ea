#pragma once

#include <vector>

#include "frame.hpp"
#include "kido/ik/velocity_problem.hpp"
#include "velocity_coupling.hpp"
#include "working_block.hpp"

namespace kido {

// Bounds of numbers; empty where there are none.
struct NumberRange {
    std::vector<double> lower, upper;

    bool is_empty() const { return lower.empty(); }
};

// What a velocity in a given direction has to keep to.
struct ScaledLimits {
    double time_step = 1.0;
    int positions = 0, velocities = 0;
    NumberRange position, velocity, acceleration;
    std::vector<double> nominal, gain;  // (positions), (positions, positions)
    bool flags[6] = {true, true, true, true, true, true};  // angular, then linear, in axes of the frame
    double angular_speed = 0.0;                             // [rad/s] of pose tracking
    double linear_lower[3] = {}, linear_upper[3] = {};      // [m/s]
    std::vector<double> G;  // (rows, velocities)
    NumberRange rows;
    VelocityCoupling coupling;
};

// Arrays of one step: J (rows, velocities) and V (rows); N (positions, velocities) and N+ may be null: 1.
struct ScaledInput {
    int rows;
    const double *q, *v, *V, *J, *N, *N_inverse;
    double rounding;  // by how much V may be off
};

// At which limits velocities are: -1 at the lower one, 1 at the upper one, of positions, velocities, accelerations and rows.
struct ScaledActive {
    std::vector<double> position, velocity, acceleration, rows;
};

// What is wanted of a frame as seen from `base` (null: the world), in its axes: a twist (6) or, by rows, a pose (4, 4).
struct ScaledFrame {
    const Frame *frame, *base;
    bool is_pose;
    double target[16];
};

class ScaledStep {
public:
    explicit ScaledStep(ScaledLimits limits) : limits_(std::move(limits)) {}

    const ScaledLimits& limits() const { return limits_; }
    // Writes v (velocities); the status is infeasible where limits contradict each other.
    QuadraticStatus solve(const ScaledInput& input, double* v, double& alpha, ScaledActive& active);
    // Of frames, below each other, at the state's positions and velocities.
    QuadraticStatus solve_frames(State& state, const std::vector<ScaledFrame>& frames, double* v, double& alpha, ScaledActive& active);

private:
    void add_frame(State& state, const ScaledFrame& frame);
    void raise_size(const Vec3<double>& p);
    void track(const Mat3<double>& R, const Vec3<double>& p, const double* T, double* twist) const;
    void set_center(const ScaledInput& input);
    void set_bounds(const ScaledInput& input);
    void set_rows(const ScaledInput& input);
    QuadraticStatus solve_program(const ScaledProgram& program, double* v, double& alpha);
    QuadraticStatus solve_coupled(const ScaledProgram& program, double* v, double& alpha);
    void tell_active(const ScaledInput& input, const double* side, ScaledActive& active) const;

    ScaledLimits limits_;
    std::vector<double> center_, pull_, lower_, upper_, position_lower_, position_upper_, G_, G_lower_, G_upper_, side_, V_, J_, whole_, N_, N_inverse_;
    double size_ = 1.0;  // the largest number that V was computed from
    WorkingBlock memory_;
};

// Whether positions of a model's dofs are not integrals of their velocities.
bool has_groups(const Model& model);
// Rates of positions for one of each velocity, N (dofs, dofs), and the inverse, at positions (dofs).
void position_rates(const Model& model, const double* q, double* N, double* N_inverse);

}  // namespace kido
