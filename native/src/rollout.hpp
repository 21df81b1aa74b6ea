#pragma once

#include <vector>

#include "kido/batch/stop_signal.hpp"
#include "simulated_skeleton.hpp"

namespace kido {

// Loads of a skeleton and whether limits hold, as SimulatedSkeleton::write_loads takes them.
struct SkeletonLoads {
    Loads loads;
    const unsigned char* limited;
};

// Many worlds alike, each with commands of its own, stepped by themselves. Dofs are those of all skeletons, in order.
struct Rollout {
    const NativeWorld* world;
    const std::vector<SimulatedSkeleton>* skeletons;
    std::vector<SkeletonLoads> loads;
    WorldSettings settings;
    std::size_t samples, steps, dofs;
    const double* commands;  // (samples, steps, dofs)
    const double *start_positions, *start_velocities;  // (samples, dofs), or null: those of the world
    double *positions, *velocities;                    // (samples, steps, dofs), after each step
    std::int64_t* done;                                // (samples): steps until numbers were no longer finite
};

void roll_out(const Rollout& rollout, int threads, StopSignal* stop);

}  // namespace kido
