#pragma once

#include "kido/contact/contact_law.hpp"

// Sweeps over manifolds between free bodies, as many at once as there are lanes.

KIDO_BEGIN

// Shared: among threads.
template <bool Shared, class T, int Points>
KIDO_NOINLINE void warm_start(const ManifoldBlock<T, Points>* blocks, std::size_t count, MotionRow* velocities) {
    for (std::size_t k = 0; k < count; ++k) {
        const ManifoldBlock<T, Points>& m = blocks[k];
        BodyMotion<T> first = load_motion<T>(velocities, m.first), second = load_motion<T>(velocities, m.second);
        give_wrench(m, total_wrench(m), first, second);
        store_motion<Shared>(velocities, m.first, first);
        store_motion<Shared>(velocities, m.second, second);
    }
}

// One sweep; `displacements` are those since the poses were taken.
template <bool Relaxing, bool Shared, class T, int Points>
KIDO_NOINLINE void sweep(const SweepSettings& settings, ManifoldBlock<T, Points>* blocks, std::size_t count,
                         MotionRow* velocities, const MotionRow* displacements) {
    for (std::size_t k = 0; k < count; ++k) {
        ManifoldBlock<T, Points>& m = blocks[k];
        BodyMotion<T> first = load_motion<T>(velocities, m.first), second = load_motion<T>(velocities, m.second);
        const FrameMotion<T> moved = relative_motion(m, load_motion<T>(displacements, m.first),
                                                     load_motion<T>(displacements, m.second));
        const FrameWrench<T> wrench = visit_manifold<Relaxing>(settings, m, relative_motion(m, first, second), moved);
        give_wrench(m, wrench, first, second);
        store_motion<Shared>(velocities, m.first, first);
        store_motion<Shared>(velocities, m.second, second);
    }
}

KIDO_END
