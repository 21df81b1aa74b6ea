#pragma once

#include "kido/batch/stop_signal.hpp"
#include "kido/optimize/quadratic_problem.hpp"

namespace kido {

// Solves all programs, several at a time in lanes and on threads; results do not depend on their number. Where `stop` is set, some
// are left unsolved. Throws std::bad_alloc.
void solve_quadratic(const QuadraticBatch& batch, StopSignal* stop = nullptr);

}  // namespace kido
