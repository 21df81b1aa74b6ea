#pragma once

#include <cstddef>

#include "kido/optimize/quadratic_problem.hpp"
#include "kido/tree/model.hpp"

// Steps of differential inverse kinematics: velocities that serve tasks within limits, for one state of a robot or for many.

namespace kido {

enum class VelocityTaskKind : int {
    frame,           // pose or velocity of a frame seen from another one: target (12: origin, axes by columns) or twist (6)
    axis,            // an axis of a frame along a direction of the other: target (3)
    gaze,            // an axis of a frame aims at a point of the other: target (3)
    center_of_mass,  // target (3), seen from the base frame, or its velocity
    posture,         // positions (dofs); without a gain, damping
    rows             // J (rows, dofs) and J v (rows), from the caller
};

struct VelocityTask {
    VelocityTaskKind kind;
    int level;            // -1: an equation; else the priority, 0 the highest
    int rows;             // of the task, those of weight 0 included
    bool is_velocity;     // the target is a velocity, not a place
    int link, base_link;  // -1: the world
    double R[9], p[3], base_R[9], base_p[3];  // the frames in their links, by columns
    double axis[3];       // of the frame; center_of_mass: the part of what is fixed to the world [m]
    double share;         // center_of_mass: of the links in all mass
    double gain;          // part of the error that a step takes away [-]
    double damping;       // added to the diagonal for each unit of squared weighted error
    const double* weight;  // (rows); posture: (dofs)
    const double* target;  // one sample after the other, `stride` apart; 0: one for all
    std::ptrdiff_t stride;
    const int* column;    // (dofs) which column of the task's rows a dof has, -1: none
    const int* unknown;   // (columns) which unknown it is
    int columns;
};

struct VelocityProgram {
    const Model* model;
    int unknowns;
    const int* unknown;    // (dofs) -1: stands still
    const double* factor;  // (dofs) velocity for one of the unknown's
    const VelocityTask* tasks;
    int num_tasks, levels, rows;  // rows: of all tasks but postures that are no equations
    double time_step, damping;
    double equation_share;  // part of what equations ask for that has to hold, in (0, 1]
    // Limits (dofs), null where there are none.
    const double *position_lower, *position_upper, *velocity_lower, *velocity_upper, *acceleration;
    double position_gain;
    int limit_rows;  // limit_lower <= G v <= limit_upper
    const double *q, *v, *users, *G, *limit_lower, *limit_upper, *start;  // samples; start: (unknowns + limit rows), may be null
    std::ptrdiff_t q_stride, v_stride, users_stride, G_stride, limit_lower_stride, limit_upper_stride, start_stride;
};

struct VelocityResults {
    double* v;      // (dofs)
    double* error;  // (error_rows) errors of the tasks, one after the other
    double* side;   // (unknowns + limit rows): -1, 1: at a bound
    QuadraticOutcome* outcome;
    unsigned char* relaxed;  // whether limits in rows contradicted each other and were widened as little as possible
    int error_rows;
};

// The program of a Jacobian and a velocity that may only be scaled down:
// min -100 alpha + |P (v - c)|^2, J v = alpha V, 0 <= alpha <= 1, bounds, rows; P an orthonormal basis of the null space of J.
struct ScaledProgram {
    int dofs, rows;                  // of J
    int limit_rows;
    const double *V, *J, *center;    // center: c
    const double *lower, *upper;     // (dofs) bounds of v, infinite where there are none
    const double *G, *limit_lower, *limit_upper;
    double rounding;                 // by how much V may be off
};

struct ScaledResult {
    double* v;     // (dofs)
    double* side;  // (dofs + limit rows)
    double alpha;
    QuadraticOutcome outcome;
};

}  // namespace kido
