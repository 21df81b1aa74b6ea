#pragma once

#include <algorithm>
#include <vector>

#include "kido/scalar/lanes.hpp"

// Overlaps that no motion of a step has made: bodies that were placed, or whose shapes were changed, within others. Velocities
// that push such depth out would stay in the bodies as kinetic energy. So the solve of velocities sees bodies that just touch,
// and they are displaced apart without it.

KIDO_BEGIN

inline constexpr int kOverlapSteps = 50;  // for which a manifold is still taken for an overlap, after it is shallow

// Depths [m] of shapes of a reach [m]: a new contact, or one of bodies that were placed, that is an overlap; any contact that is one.
inline double overlap_depth(double reach) { return std::min(1.5e-4, 0.02 * reach); }
template <class T>
inline T deep_overlap(const T& reach) {
    return min(T(5e-3), reach * 0.2);
}

// A manifold that is one, in a step.
struct Overlap {
    int touch;
    double gap[4];  // of its points [m]
};

KIDO_END
