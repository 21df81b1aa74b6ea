#pragma once

#include "kido/ik/hierarchy_problem.hpp"

namespace kido {

void search_hierarchy(const HierarchyProblem& problem, HierarchyResult& result);

}  // namespace kido
