#pragma once

#include "kido/contact/world_state.hpp"

// Stages of a step that are compiled apart (native/src/kernels/world_*.cpp), so that a change compiles a part of the world only. What
// they do stands in the headers that those files include.

KIDO_BEGIN

template <class T>
struct WorldStages {
    using World = WorldState<T>;

    // Prepare: the rows of constraints, and how bodies respond to their impulses.
    static void prepare(World& world, const WorldSettings& settings);
    // Solve: impulses, and with them velocities and displacements.
    static void solve(World& world, const WorldSettings& settings);
    template <bool Relaxing>
    static void solve_direct(World& world, const SweepSettings& sweeps);
    static void collide(World& world, const WorldSettings& settings, double h);
    static void land(World& world, double h);
    static void push_out(World& world, double step, double push_speed, double share);
    // Solve, by somebody else.
    static const std::vector<SystemRow>& rows(World& world, const WorldSettings& settings, const Correction& correction, int& islands);
    static bool give_impulses(World& world, const WorldSettings& settings, const double* correcting, const double* keeping, bool last);
};

KIDO_END
