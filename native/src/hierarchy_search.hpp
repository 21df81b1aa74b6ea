#pragma once

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/hierarchy_problem.hpp"

namespace kido {

// Solves the levels of a hierarchy one after the other. Where `stop` is set, the result is the best so far.
void search_hierarchy(HierarchyProblem problem, HierarchyResult& result, StopSignal* stop = nullptr);

}  // namespace kido
