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

// Where a sweep has the distances of points from. They change where displacements do: once in a sub-step.
enum class SweepGaps {
    prepared,  // nothing was displaced since the poses were taken
    moved,     // from displacements
    kept       // from the block, where the sweep before has put them
};

template <SweepGaps Gaps, class T, int Points>
KIDO_INLINE void find_gaps(const ManifoldBlock<T, Points>& m, const MotionRow* displacements, T (&gap)[Points]) {
    if constexpr (Gaps == SweepGaps::moved) {
        const FrameMotion<T> moved = relative_motion(m, load_motion<T>(displacements, m.first), load_motion<T>(displacements, m.second));
        for (int p = 0; p < Points; ++p) gap[p] = moved_gap(m, moved, p);
    } else {
        for (int p = 0; p < Points; ++p) gap[p] = Gaps == SweepGaps::prepared ? m.gap[p] : m.moved_gap[p];
    }
}

// One sweep; `displacements` are those since the poses were taken.
template <bool Relaxing, bool Shared, SweepGaps Gaps, class T, int Points>
KIDO_NOINLINE void sweep(const SweepSettings& settings, ManifoldBlock<T, Points>* blocks, std::size_t count,
                         MotionRow* velocities, const MotionRow* displacements) {
    for (std::size_t k = 0; k < count; ++k) {
        ManifoldBlock<T, Points>& m = blocks[k];
        BodyMotion<T> first = load_motion<T>(velocities, m.first), second = load_motion<T>(velocities, m.second);
        T gap[Points];
        find_gaps<Gaps>(m, displacements, gap);
        if constexpr (Gaps == SweepGaps::moved) {
            for (int p = 0; p < Points; ++p) m.moved_gap[p] = gap[p];
        }
        const FrameWrench<T> wrench = visit_manifold<Relaxing>(settings, m, relative_motion(m, first, second), gap);
        give_wrench(m, wrench, first, second);
        store_motion<Shared>(velocities, m.first, first);
        store_motion<Shared>(velocities, m.second, second);
    }
}
template <bool Relaxing, bool Shared, class T, int Points>
void sweep(SweepGaps gaps, const SweepSettings& settings, ManifoldBlock<T, Points>* blocks, std::size_t count, MotionRow* velocities,
           const MotionRow* displacements) {
    if constexpr (!Relaxing) {
        if (gaps == SweepGaps::prepared) {
            return sweep<Relaxing, Shared, SweepGaps::prepared>(settings, blocks, count, velocities, displacements);
        }
    }
    if (gaps == SweepGaps::kept) {
        return sweep<Relaxing, Shared, SweepGaps::kept>(settings, blocks, count, velocities, displacements);
    }
    sweep<Relaxing, Shared, SweepGaps::moved>(settings, blocks, count, velocities, displacements);
}

KIDO_END
