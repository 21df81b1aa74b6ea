#pragma once

#include "kido/batch/stop_signal.hpp"
#include "kido/ik/hierarchy_problem.hpp"

namespace kido {

// Where `stop` is set, the result is what was found by then.
void search_hierarchy(HierarchyProblem problem, HierarchyResult& result, StopSignal* stop = nullptr);

}  // namespace kido
