#pragma once

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/pose_problem.hpp"

namespace kido {

// Solves all targets, in shares for threads. Results do not depend on their number. Where `stop` is set, they are what was
// found by then, or nothing.
void search_poses(PoseProblem problem, const PoseResults& results, StopSignal* stop = nullptr);

}  // namespace kido
