#pragma once

#include "kido/contact/contact_law.hpp"

// Sweeps over manifolds between free bodies, as many at once as there are lanes.

KIDO_BEGIN

// Stores with more bundles do not fit into the cache beside the core: what is visited next is fetched ahead.
inline constexpr std::size_t kFetchedAhead = 64;

template <class T, int Points>
KIDO_INLINE void fetch([[maybe_unused]] const ManifoldBlock<T, Points>& m) {
#if KIDO_VECTOR_EXTENSION
    constexpr std::size_t kLine = 64;
    for (std::size_t at = 0; at < sizeof m; at += kLine) __builtin_prefetch(reinterpret_cast<const char*>(&m) + at, 1, 2);
#endif
}

// Shared: among threads.
template <bool Shared, class T, int Points>
KIDO_NOINLINE void warm_start(const ManifoldBlock<T, Points>* blocks, std::size_t count, MotionRow* velocities) {
    for (std::size_t k = 0; k < count; ++k) {
        if (count > kFetchedAhead && k + 1 < count) fetch(blocks[k + 1]);
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

// Point by point of each in turn, for each alone would wait for itself: `u` are the relative motions, to the wrenches `w` is added.
template <bool Relaxing, int Count, class T, int Points>
KIDO_INLINE void visit_in_turn(const SweepSettings& settings, ManifoldBlock<T, Points>* const (&blocks)[Count],
                               const T (&gap)[Count][Points], const FrameMotion<T> (&u)[Count], FrameWrench<T> (&w)[Count]) {
    NormalVisit<T, Points> normals[Count];
    FrictionVisit<T, Points> friction[Count];
    KIDO_UNROLL
    for (int b = 0; b < Count; ++b) normals[b].template begin<Relaxing>(settings, *blocks[b], u[b], gap[b]);
    KIDO_UNROLL
    for (int p = 0; p < Points; ++p) {
        KIDO_UNROLL
        for (int b = 0; b < Count; ++b) normals[b].visit(*blocks[b], p, w[b]);
    }
    KIDO_UNROLL
    for (int b = 0; b < Count; ++b) friction[b].begin(*blocks[b], u[b], w[b]);
    KIDO_UNROLL
    for (int p = 0; p < Points; ++p) {
        KIDO_UNROLL
        for (int b = 0; b < Count; ++b) friction[b].visit(*blocks[b], p);
    }
    KIDO_UNROLL
    for (int b = 0; b < Count; ++b) friction[b].end(*blocks[b], w[b]);
}

// Visits `Count` bundles, no two of which share a body that moves.
template <bool Relaxing, bool Shared, SweepGaps Gaps, int Count, class T, int Points>
KIDO_INLINE void visit_bundles(const SweepSettings& settings, ManifoldBlock<T, Points>* const (&blocks)[Count], MotionRow* velocities,
                               const MotionRow* displacements) {
    BodyMotion<T> first[Count], second[Count];
    T gap[Count][Points];
    FrameMotion<T> u[Count];
    FrameWrench<T> w[Count];
    KIDO_UNROLL
    for (int b = 0; b < Count; ++b) {
        ManifoldBlock<T, Points>& m = *blocks[b];
        first[b] = load_motion<T>(velocities, m.first);
        second[b] = load_motion<T>(velocities, m.second);
        find_gaps<Gaps>(m, displacements, gap[b]);
        if constexpr (Gaps == SweepGaps::moved) {
            for (int p = 0; p < Points; ++p) m.moved_gap[p] = gap[b][p];
        }
        u[b] = relative_motion(m, first[b], second[b]);
        w[b] = {zero3<T>(), zero3<T>()};
    }
    visit_in_turn<Relaxing>(settings, blocks, gap, u, w);
    KIDO_UNROLL
    for (int b = 0; b < Count; ++b) {
        give_wrench(*blocks[b], w[b], first[b], second[b]);
        store_motion<Shared>(velocities, blocks[b]->first, first[b]);
        store_motion<Shared>(velocities, blocks[b]->second, second[b]);
    }
}

// One sweep over `count` bundles of one color: the first ones or, where there is a list, those in it. `displacements` are those since the
// poses were taken.
template <bool Relaxing, bool Shared, SweepGaps Gaps, class T, int Points>
KIDO_NOINLINE void sweep(const SweepSettings& settings, ManifoldBlock<T, Points>* blocks, const int* list, std::size_t count,
                         MotionRow* velocities, const MotionRow* displacements) {
    const auto block = [&](std::size_t k) { return blocks + (list ? static_cast<std::size_t>(list[k]) : k); };
    const bool ahead = count > kFetchedAhead;
    std::size_t k = 0;
    for (; k + 2 <= count; k += 2) {
        if (ahead && k + 4 <= count) {
            fetch(*block(k + 2));
            fetch(*block(k + 3));
        }
        visit_bundles<Relaxing, Shared, Gaps, 2>(settings, {block(k), block(k + 1)}, velocities, displacements);
    }
    if (k < count) visit_bundles<Relaxing, Shared, Gaps, 1>(settings, {block(k)}, velocities, displacements);
}
template <bool Relaxing, bool Shared, class T, int Points>
void sweep(SweepGaps gaps, const SweepSettings& settings, ManifoldBlock<T, Points>* blocks, const int* list, std::size_t count,
           MotionRow* velocities, const MotionRow* displacements) {
    if constexpr (!Relaxing) {
        if (gaps == SweepGaps::prepared) {
            return sweep<Relaxing, Shared, SweepGaps::prepared>(settings, blocks, list, count, velocities, displacements);
        }
    }
    if (gaps == SweepGaps::kept) {
        return sweep<Relaxing, Shared, SweepGaps::kept>(settings, blocks, list, count, velocities, displacements);
    }
    sweep<Relaxing, Shared, SweepGaps::moved>(settings, blocks, list, count, velocities, displacements);
}

// Some lanes of a bundle of manifolds: 1 for those that are visited, else 0, and rows of bodies, of the others the world's.
template <class T>
struct MaskedBundle {
    int bundle;
    int first[lanes_of<T>], second[lanes_of<T>];
    T visited;
};

// Visits `Count` of them; other lanes stay as they are.
template <bool Relaxing, bool Shared, int Count, class T, int Points>
KIDO_INLINE void visit_masked(SweepGaps gaps, const SweepSettings& settings, ManifoldBlock<T, Points>* blocks,
                              const MaskedBundle<T>* bundles, MotionRow* velocities, const MotionRow* displacements) {
    const T zero(0.0);
    ManifoldBlock<T, Points>* m[Count];
    Mask<T> visited[Count];
    T gap[Count][Points], before[Count][3][Points];
    BodyMotion<T> first[Count], second[Count];
    FrameMotion<T> u[Count];
    FrameWrench<T> w[Count];
    KIDO_UNROLL
    for (int b = 0; b < Count; ++b) {
        m[b] = blocks + bundles[b].bundle;
        visited[b] = bundles[b].visited > zero;
        if (gaps == SweepGaps::moved) {
            find_gaps<SweepGaps::moved>(*m[b], displacements, gap[b]);
        } else {
            for (int p = 0; p < Points; ++p) gap[b][p] = gaps == SweepGaps::prepared ? m[b]->gap[p] : m[b]->moved_gap[p];
        }
        for (int p = 0; p < Points; ++p) {
            before[b][0][p] = m[b]->normal_impulse[p];
            before[b][1][p] = m[b]->impulse_1[p];
            before[b][2][p] = m[b]->impulse_2[p];
        }
        first[b] = load_motion<T>(velocities, bundles[b].first);
        second[b] = load_motion<T>(velocities, bundles[b].second);
        u[b] = relative_motion(*m[b], first[b], second[b]);
        w[b] = {zero3<T>(), zero3<T>()};
    }
    visit_in_turn<Relaxing>(settings, m, gap, u, w);
    KIDO_UNROLL
    for (int b = 0; b < Count; ++b) {
        FrameWrench<T>& wrench = w[b];
        for (T* x : {&wrench.force.x, &wrench.force.y, &wrench.force.z, &wrench.torque.x, &wrench.torque.y, &wrench.torque.z}) {
            *x = select(visited[b], *x, zero);
        }
        give_wrench(*m[b], wrench, first[b], second[b]);
        store_motion<Shared>(velocities, bundles[b].first, first[b]);
        store_motion<Shared>(velocities, bundles[b].second, second[b]);
        for (int p = 0; p < Points; ++p) {
            m[b]->normal_impulse[p] = select(visited[b], m[b]->normal_impulse[p], before[b][0][p]);
            m[b]->impulse_1[p] = select(visited[b], m[b]->impulse_1[p], before[b][1][p]);
            m[b]->impulse_2[p] = select(visited[b], m[b]->impulse_2[p], before[b][2][p]);
        }
    }
}

// The same for some lanes of some bundles.
template <bool Relaxing, bool Shared, class T, int Points>
KIDO_NOINLINE void sweep_masked(SweepGaps gaps, const SweepSettings& settings, ManifoldBlock<T, Points>* blocks,
                               const MaskedBundle<T>* bundles, std::size_t count, MotionRow* velocities,
                               const MotionRow* displacements) {
    std::size_t k = 0;
    for (; k + 2 <= count; k += 2) {
        visit_masked<Relaxing, Shared, 2>(gaps, settings, blocks, bundles + k, velocities, displacements);
    }
    if (k < count) visit_masked<Relaxing, Shared, 1>(gaps, settings, blocks, bundles + k, velocities, displacements);
}

KIDO_END
