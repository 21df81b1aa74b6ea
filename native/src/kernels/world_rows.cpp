// Worlds: rows of contacts, constraints, impacts and overlaps, prepared, and solved directly or by somebody else.

#include "kido/contact/matrix_step.hpp"
#include "kido/contact/step_impacts.hpp"
#include "kido/contact/step_overlaps.hpp"
#include "kido/contact/step_preparation.hpp"
#include "kido/contact/world_stages.hpp"

KIDO_BEGIN

template <class T>
void WorldStages<T>::prepare(World& world, const WorldSettings& settings) {
    StepPreparation<T>(world).prepare(settings);
}
template <class T>
template <bool Relaxing>
void WorldStages<T>::solve_direct(World& world, const SweepSettings& sweeps) {
    world.direct.template solve<Relaxing>(world.side_rows(), sweeps, SharedLoop(world.crew));
}
template <class T>
void WorldStages<T>::collide(World& world, const WorldSettings& settings, double h) {
    StepImpacts<T>(world).collide(settings, h);
}
template <class T>
void WorldStages<T>::land(World& world, double h) {
    StepImpacts<T>(world).land(h);
}
template <class T>
void WorldStages<T>::push_out(World& world, double step, double push_speed, double share) {
    StepOverlaps<T>(world).push_out(step, push_speed, share);
}
template <class T>
const std::vector<SystemRow>& WorldStages<T>::rows(World& world, const WorldSettings& settings, const Correction& correction,
                                                   int& islands) {
    return MatrixStep<T>(world).rows(settings, correction, islands);
}
template <class T>
bool WorldStages<T>::give_impulses(World& world, const WorldSettings& settings, const double* correcting,
                                   const double* keeping, bool last) {
    return MatrixStep<T>(world).give_impulses(settings, correcting, keeping, last);
}

template void WorldStages<NativeLanes>::prepare(WorldState<NativeLanes>&, const WorldSettings&);
template void WorldStages<NativeLanes>::solve_direct<false>(WorldState<NativeLanes>&, const SweepSettings&);
template void WorldStages<NativeLanes>::solve_direct<true>(WorldState<NativeLanes>&, const SweepSettings&);
template void WorldStages<NativeLanes>::collide(WorldState<NativeLanes>&, const WorldSettings&, double);
template void WorldStages<NativeLanes>::land(WorldState<NativeLanes>&, double);
template void WorldStages<NativeLanes>::push_out(WorldState<NativeLanes>&, double, double, double);
template const std::vector<SystemRow>& WorldStages<NativeLanes>::rows(WorldState<NativeLanes>&, const WorldSettings&, const Correction&,
                                                                      int&);
template bool WorldStages<NativeLanes>::give_impulses(WorldState<NativeLanes>&, const WorldSettings&, const double*, const double*,
                                                      bool);

KIDO_END
