#pragma once

#include "kido/geometry/manifold_groups.hpp"

// Contacts that another detector has found, as manifolds.

KIDO_BEGIN

namespace geometry {

inline int gather(const double* normals, const double* on_first, const double* on_second, const double* gaps, int count, double size,
                  bool single, ContactManifold* out, int capacity) {
    if (count == 0) return 0;
    ManifoldGroups groups(size, single);
    ContactPoint point;
    // About the first point, so that nothing is lost far from the world's origin.
    const Vector origin = vector(on_second);
    for (int k = 0; k < count; ++k) {
        store(vector(on_first + 3 * k) - origin, point.on_first);
        store(vector(on_second + 3 * k) - origin, point.on_second);
        point.gap = gaps[k];
        point.feature = kNoFeature;
        groups.add(vector(normals + 3 * k), point, static_cast<std::uint32_t>(k));
    }
    const int number = groups.write(out, capacity);
    for (int k = 0; k < number; ++k) {
        for (int i = 0; i < out[k].count; ++i) {
            ContactPoint& p = out[k].points[i];
            store(origin + vector(p.on_first), p.on_first);
            store(origin + vector(p.on_second), p.on_second);
        }
    }
    return number;
}

}  // namespace geometry

KIDO_END
