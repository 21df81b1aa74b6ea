#pragma once

#include <cstdint>
#include <limits>

// Settings that all searches for positions share.

namespace kido {

struct SearchSettings {
    double angular_tolerance, linear_tolerance;  // [rad], [m]
    double largest_step;                         // of a dof in one iteration [rad, characteristic length]
    double damping, least_damping;               // damping = damping * squared error + least_damping
    int iterations;                              // of one start
    int mirrors;                                 // times that the last start goes on from its mirror image where it is stuck
    int starts;
    std::uint64_t seed;
    bool nearest;  // all starts are made, and the solution nearest to the given positions is the answer
    double time_budget = std::numeric_limits<double>::infinity();  // after which a search ends with its best positions [s]
};

}  // namespace kido
