#pragma once

#include <cstdint>

// Where two shapes touch: at most four points in one plane. The normal points from the second shape to the first, in world axes.

namespace kido {

inline constexpr int kManifoldPoints = 4;
inline constexpr std::uint32_t kNoFeature = ~0U;  // of a point whose features are unknown: it is matched by its place

struct ContactPoint {
    double on_first[3], on_second[3];  // on the surfaces, in world axes [m]
    double gap;                        // distance along the normal [m], negative where they overlap
    std::uint32_t feature;             // of the same two features from step to step, for as long as they meet
};

struct ContactManifold {
    double normal[3];
    int count;
    std::uint32_t part;  // the triangle or cell of a shape with parts; 0 of convex shapes
    ContactPoint points[kManifoldPoints];
};

// What a pair of shapes remembers from one test to the next; zeros at first.
struct PairMemory {
    double axis[3];        // last separating or least penetrating axis, world axes
    std::int32_t feature;  // of the pair of features that gave the last manifold, for hysteresis
    std::int32_t num_corners;
    double gap;            // lower bound of the distance where there is no manifold [m]
    std::uint16_t corners[3][2];  // of the first and second shape, whose differences were nearest: where the next search begins
    std::uint16_t nearest;  // 1 where the last manifold is at points that a search found nearest, 0 where it is along a known face
    std::uint16_t unused;
};

// What `collide` returns instead of a number of manifolds.
inline constexpr int kUnsupportedPair = -1;  // there is no way to collide shapes of these kinds
inline constexpr int kNoCapacity = -2;       // the manifolds do not fit

}  // namespace kido
