#pragma once

#include <cstddef>
#include <cstdint>

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/pose_region.hpp"
#include "kido/tree/model.hpp"

// Inverse kinematics of one frame of a body: the problem that the solver is given, and its results.

namespace kido {

struct PoseProblem {
    static constexpr int target_numbers = 12;  // rotation by columns, position

    const Model* model;
    int link;               // that carries the frame; only dofs on its path can move it
    double R[9], p[3];      // the frame in the link
    const int* path;        // links from the root to `link`
    int path_links, dofs;   // their number, and that of their dofs
    // Of the dofs of the path, in their order.
    const unsigned char* moves;  // whether the solver may move it
    const double *lower, *upper;  // [rad, m]
    const double *low_seed, *high_seed;  // finite range from which further starts are drawn
    const unsigned char* cyclic;         // whether a whole turn leads back

    std::size_t targets;
    const double* target;         // (targets, 12)
    const double* start;          // (targets, dofs), or one row for all
    std::ptrdiff_t start_stride;  // 0 repeats the row

    PoseRegion region;
    double angular_tolerance, linear_tolerance;  // [rad], [m]
    double largest_step;                         // of a dof in one iteration [rad, characteristic length]
    double damping, least_damping;               // damping = damping * squared error + least_damping
    int iterations;                              // of one start
    int mirrors;                                 // times that the last start goes on from its mirror image where it is stuck
    int starts;
    std::uint64_t seed;
    bool nearest;        // all starts are made, and the solution nearest to the given positions is the answer
    double time_budget;  // after which a search ends with its best positions [s]; infinity: none
    StopSignal* stop;    // ends the search early; null: nothing does
};

// Results of all targets, written by the solver: where no start reached the target, those of the start that came nearest.
struct PoseResults {
    double* positions;         // (targets, dofs)
    double* angular_error;     // [rad]
    double* linear_error;      // [m]
    unsigned char* reached;
    int* start;                // number of the start that gave the answer; the first is 0
    int* iterations;           // of that start
    double* squared;           // squared weighted error, lengths in [m] and angles times the characteristic length
};

}  // namespace kido
