#pragma once

#include <cstdint>
#include <vector>

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/loops/loop_problem.hpp"

namespace kido {

struct ProverSettings {
    double time_budget;      // [s]
    std::size_t most_nodes;  // boxes that are tested
    double resolution;       // width of boxes that are split no further [rad, m]
    std::size_t most_leaves;  // boxes of that size after which a proof is given up
    int starts;              // of the search for a posture before the first box
    std::uint64_t seed;
    bool all_regions;        // whether to keep all boxes that remain instead of looking for postures
};

enum class ProverVerdict : int { found, infeasible, undecided, out_of_time, out_of_nodes };

struct ProverResult {
    ProverVerdict verdict;
    std::vector<double> posture;  // variables: of the answer, or where the search came nearest
    double distance;              // that it leaves [m]; see LoopDescent
    std::size_t nodes;
    std::vector<double> leaves;   // boxes that remain: lower and upper limit of each variable
};

// Decides whether all loops of a problem, which is prepared, can close. First a search from `start` (variables, or null) and random
// starts; then branch and bound in rounds, in which threads share the boxes, and a search from each box that remains. The verdict
// "infeasible" is a proof: no posture within the limits closes all loops within their tolerances.
ProverResult prove(const LoopProblem& problem, const ProverSettings& settings, const double* start, StopSignal* stop);

}  // namespace kido
