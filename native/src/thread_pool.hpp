#pragma once

#include <functional>

#include "kido/batch/stop_signal.hpp"

namespace kido {

// Processors that this process may use.
int available_processors();

// Calls job(0) ... job(count - 1), on the calling thread and on threads that wait between calls; on fewer where the system
// gives no more. Returns once all are done, and throws what the first of them to fail threw. Calls from several threads take
// turns; a job that calls this runs its own jobs by itself. With `stop`, it may return before all were begun: then `stop` is set.
void run_in_parallel(int count, const std::function<void(int)>& job, StopSignal* stop = nullptr);

// The same, where the threads can begin at once; else false, and nothing is called. For who holds Python's lock: a call that the
// threads work for may wait for it.
bool run_in_parallel_if_free(int count, const std::function<void(int)>& job);

}  // namespace kido
