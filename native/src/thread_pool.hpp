#pragma once

#include <functional>

namespace kido {

// Processors that this process may use.
int available_processors();

// Calls job(0) ... job(count - 1), the last on the calling thread, the others on threads that wait between calls. Calls
// from several threads take turns. A job does not throw.
void run_in_parallel(int count, const std::function<void(int)>& job);

}  // namespace kido
