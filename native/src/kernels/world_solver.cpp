// Worlds: impulses in sub-steps of sweeps.

#include "kido/contact/step_solver.hpp"

KIDO_BEGIN

template <class T>
void WorldStages<T>::solve(World& world, const WorldSettings& settings) {
    StepSolver<T>(world).solve(settings);
}

template void WorldStages<NativeLanes>::solve(WorldState<NativeLanes>&, const WorldSettings&);

KIDO_END
