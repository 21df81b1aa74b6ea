#pragma once

#include "kido/contact/native_world.hpp"

namespace kido {

// Threads that the steps of a world are worth.
int threads_for(const NativeWorld& world);

// NativeWorld::step on threads, without the lock of Python; the same bits on any number of them. `done`: steps that were made,
// also where it throws.
void step_on_threads(NativeWorld& world, const WorldSettings& settings, long count, int threads, StopSignal* stop, long& done);

// The same where the threads are free; else false, and nothing is done. For who holds the lock of Python, which no part of a step
// may want.
bool step_on_free_threads(NativeWorld& world, const WorldSettings& settings, long count, int threads);

}  // namespace kido
