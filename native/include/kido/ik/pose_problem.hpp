#pragma once

#include <cstddef>

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/pose_region.hpp"
#include "kido/ik/search_settings.hpp"
#include "kido/tree/model.hpp"

// Inverse kinematics of one frame of a body: the problem that the solver is given, and its results.

namespace kido {

struct PoseProblem : SearchSettings {
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
    const double* dampings;       // (targets) in place of `damping`; null: none

    PoseRegion region;
    StopSignal* stop;  // ends the search early; null: nothing does
};

// Where starts ended, of all targets.
struct PoseEnds {
    double* positions;         // (targets, dofs)
    double* angular_error;     // [rad]
    double* linear_error;      // [m]
    double* squared;           // squared weighted error, lengths in [m] and angles times the characteristic length
    int* iterations;
};

// Results of all targets, written by the solver: of the first start that reached the target, else of the one that came nearest.
struct PoseResults : PoseEnds {
    unsigned char* reached;
    unsigned char* timed_out;  // whether the time budget ended the search, which would have gone on
    int* start;                // number of the start that gave the answer; the first is 0
    PoseEnds connected;        // where the first start ended, before it was mirrored: a path without jumps leads there
};

}  // namespace kido
