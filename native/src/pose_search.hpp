#pragma once

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/pose_problem.hpp"

namespace kido {

// Solves all targets, in shares for threads. Results do not depend on their number. Where a target is not reached, the best
// and the connected end are improved, with a damping that suits a remaining distance. Where `stop` is set, results are what
// was found by then, or nothing.
void search_poses(PoseProblem problem, const PoseResults& results, StopSignal* stop = nullptr);

// Follows targets one after the other, from one start: each from where the last one ended, without random starts or mirrors, and
// within `largest_change` (dofs) of it, each dof by itself. `ends`, `reached` and `timed_out`: of each target.
void track_poses(const PoseProblem& problem, const double* largest_change, const PoseEnds& ends, unsigned char* reached,
                 unsigned char* timed_out, StopSignal* stop = nullptr);

}  // namespace kido
