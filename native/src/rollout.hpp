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

// Many worlds alike, each with commands of its own, stepped by themselves. Dofs are those of all skeletons, in order. A command
// is held for `hold` steps, and every `every`-th state is kept.
struct Rollout {
    const NativeWorld* world;
    const std::vector<SimulatedSkeleton>* skeletons;
    std::vector<SkeletonLoads> loads;
    WorldSettings settings;
    std::size_t samples, commands_each, dofs, hold, every;
    const double* commands;  // (samples, commands_each, dofs)
    const double *start_positions, *start_velocities;    // (samples, dofs), or null: those of the world
    double *positions, *velocities, *accelerations;      // (samples, kept, dofs), after each kept step; accelerations may be null
    std::int64_t* done;                                  // (samples): steps until numbers were no longer finite

    // What contacts do: each collider is of one of `groups`, or of none (-1).
    std::vector<int> group_of_collider;
    std::size_t groups;
    double* wrenches;      // (samples, kept, groups, 6) torque and force about the world's origin, world axes
    std::int64_t* counts;  // (samples, kept, groups): points that carry force

    std::size_t steps() const { return commands_each * hold; }
    std::size_t kept() const { return steps() / every; }
};

void roll_out(const Rollout& rollout, int threads, StopSignal* stop);

}  // namespace kido
