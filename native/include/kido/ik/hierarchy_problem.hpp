#pragma once

#include <cstddef>
#include <cstdint>

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/pose_region.hpp"
#include "kido/tree/model.hpp"

// Inverse kinematics of several frames of one robot at once, in levels of priority: the problem and its result.

namespace kido {

struct HierarchyTask {
    int link;           // that carries the frame
    int level;          // 0 first, without gaps; tasks are sorted by it
    double R[9], p[3];  // the frame in the link
    double target[12];  // rotation by columns, position
    const unsigned char* moves;  // (dofs) whether a dof may move for it
    PoseRegion region;
};

struct HierarchyProblem {
    const Model* model;
    const HierarchyTask* tasks;
    int num_tasks, num_levels;
    // Of all dofs.
    const unsigned char* moves;      // whether it may for some task
    const double *lower, *upper;     // [rad, m]
    const double *low_seed, *high_seed;  // range of further starts; where they are equal, those keep the given position

    const double* start;
    double angular_tolerance, linear_tolerance;  // [rad], [m]
    double largest_step;                         // of a dof in one iteration [rad, characteristic length]
    double damping, least_damping;               // damping = damping * squared error of the level + least_damping
    int iterations, starts;
    std::uint64_t seed;
    bool nearest;        // all starts are made, and the solution nearest to the given positions is the answer
    double time_budget;  // after which a search ends with its best positions [s]; infinity: none
    StopSignal* stop;    // ends the search early; null: nothing does
};

struct HierarchyResult {
    double* positions;       // (dofs)
    double* angular_error;   // (tasks) [rad]
    double* linear_error;    // (tasks) [m]
    unsigned char* reached;  // (tasks)
    int start, iterations;   // of the start that gave the answer
};

}  // namespace kido
