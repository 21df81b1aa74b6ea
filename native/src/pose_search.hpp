#pragma once

#include "kido/ik/pose_problem.hpp"

namespace kido {

// Solves all targets, in shares for threads. Results do not depend on their number.
void search_poses(const PoseProblem& problem, const PoseResults& results);

}  // namespace kido
