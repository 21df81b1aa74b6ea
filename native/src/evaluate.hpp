#pragma once

#include "kido/batch/kernel_table.hpp"
#include "kido/batch/stop_signal.hpp"

namespace kido {

// Most threads that one batched call uses.
int num_threads();
void set_num_threads(int count);

// Runs the problem's algorithm over all its samples; returns the first sample (of its group of lanes) whose mass matrix
// is not positive definite, or kAllPositive. Results do not depend on the number of threads. Where `stop` is set, only some
// samples are computed. Throws std::bad_alloc.
std::size_t evaluate(const Problem& problem, StopSignal* stop = nullptr);

}  // namespace kido
