#pragma once

#include <cstdint>

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/space.hpp"

// What a shape turns towards a direction: a face, an edge or side line, or a point. Of a shape with a round skin, as a capsule, the
// feature of its core.

KIDO_BEGIN

namespace geometry {

inline constexpr int kMostCorners = 64;  // of a face; of larger ones every second, fourth, ... is taken

// Corners of a face stand counterclockwise, seen from outside.
struct SupportFeature {
    int count;  // of corners: 1 a point, 2 a segment, else a face
    std::uint32_t id;
    Vector normal;  // of a face: outward; else the direction that was asked for
    Vector corners[kMostCorners];
};

// A face or edge is what is meant where the direction differs from its own by no more than this sine.
inline constexpr double kFeatureAngle = 0.05;

// All in the box's axes.
inline void box_feature(const double* half, const Vector& d, SupportFeature& out) {
    const double toward[3] = {d.x, d.y, d.z};
    double corner[3];
    int free[3], count = 0;
    std::uint32_t id = 0;
    for (int k = 0; k < 3; ++k) {
        corner[k] = sign(toward[k]) * half[k];
        if (abs(toward[k]) <= kFeatureAngle) {
            free[count++] = k;
        } else {
            id = id * 3 + (toward[k] < 0.0 ? 1 : 2);
        }
    }
    out.id = id + 32 * (count == 2 ? 3 - free[0] - free[1] : count == 1 ? 3 + free[0] : 6);
    out.count = 1 << count;
    out.normal = d;
    const Vector base{corner[0], corner[1], corner[2]};
    if (count == 0) {
        out.corners[0] = base;
        return;
    }
    const Vector first = unit(free[0]) * half[free[0]];
    const Vector start = base - unit(free[0]) * corner[free[0]];
    if (count == 1) {
        out.corners[0] = start - first;
        out.corners[1] = start + first;
        return;
    }
    const int fixed = 3 - free[0] - free[1];
    const Vector center = start - unit(free[1]) * corner[free[1]];
    // e1 x e2 points along +fixed for (1, 2), (0, 1) and against it for (0, 2).
    const double turn = sign(toward[fixed]) * (fixed == 1 ? -1.0 : 1.0);
    const Vector second = unit(free[1]) * (half[free[1]] * turn);
    out.normal = unit(fixed) * sign(toward[fixed]);
    out.corners[0] = center + first + second;
    out.corners[1] = center - first + second;
    out.corners[2] = center - first - second;
    out.corners[3] = center + first - second;
}

inline void segment_feature(double half, const Vector& d, SupportFeature& out) {
    out.id = 0;
    out.normal = d;
    out.count = abs(d.z) <= kFeatureAngle ? 2 : 1;
    if (out.count == 1) {
        out.corners[0] = {0.0, 0.0, sign(d.z) * half};
        out.id = d.z < 0.0 ? 1 : 2;
    } else {
        out.corners[0] = {0.0, 0.0, -half};
        out.corners[1] = {0.0, 0.0, half};
    }
}

}  // namespace geometry

KIDO_END
