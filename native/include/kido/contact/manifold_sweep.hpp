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

// Some lanes of a bundle of manifolds: 1 for those that are visited, else 0, and rows of bodies, of the others the world's.
template <class T>
struct MaskedBundle {
    int bundle;
    int first[lanes_of<T>], second[lanes_of<T>];
    T visited;
};

// The same for some lanes of some bundles: the others stay as they are.
template <bool Relaxing, bool Shared, class T, int Points>
KIDO_NOINLINE void sweep_lanes(SweepGaps gaps, const SweepSettings& settings, ManifoldBlock<T, Points>* blocks,
                               const MaskedBundle<T>* bundles, std::size_t count, MotionRow* velocities,
                               const MotionRow* displacements) {
    const T zero(0.0);
    for (std::size_t k = 0; k < count; ++k) {
        ManifoldBlock<T, Points>& m = blocks[bundles[k].bundle];
        const Mask<T> visited = bundles[k].visited > zero;
        T gap[Points], before[3][Points];
        if (gaps == SweepGaps::moved) {
            find_gaps<SweepGaps::moved>(m, displacements, gap);
        } else {
            for (int p = 0; p < Points; ++p) gap[p] = gaps == SweepGaps::prepared ? m.gap[p] : m.moved_gap[p];
        }
        for (int p = 0; p < Points; ++p) {
            before[0][p] = m.normal_impulse[p];
            before[1][p] = m.impulse_1[p];
            before[2][p] = m.impulse_2[p];
        }
        BodyMotion<T> first = load_motion<T>(velocities, bundles[k].first), second = load_motion<T>(velocities, bundles[k].second);
        FrameWrench<T> wrench = visit_manifold<Relaxing>(settings, m, relative_motion(m, first, second), gap);
        for (T* x : {&wrench.force.x, &wrench.force.y, &wrench.force.z, &wrench.torque.x, &wrench.torque.y, &wrench.torque.z}) {
            *x = select(visited, *x, zero);
        }
        give_wrench(m, wrench, first, second);
        store_motion<Shared>(velocities, bundles[k].first, first);
        store_motion<Shared>(velocities, bundles[k].second, second);
        for (int p = 0; p < Points; ++p) {
            m.normal_impulse[p] = select(visited, m.normal_impulse[p], before[0][p]);
            m.impulse_1[p] = select(visited, m.impulse_1[p], before[1][p]);
            m.impulse_2[p] = select(visited, m.impulse_2[p], before[2][p]);
        }
    }
}

KIDO_END
