#pragma once

#include <cstdint>

#include "kido/geometry/contact_manifold.hpp"
#include "kido/geometry/space.hpp"

// The four of many points of a contact that carry it: the deepest, the one farthest from it, and the two that span the largest
// areas with these, one on each side. (Coumans, "Bullet Physics Simulation", SIGGRAPH 2015 course, persistent manifolds.)

KIDO_BEGIN

namespace geometry {

// A point of the contact's plane, with axes x and y beside the normal.
struct PlanePoint {
    double x, y;
    double height;  // of the second shape's surface along the normal
    double gap;     // from there to the first shape's surface [m]
    std::uint32_t feature;
};

// Depths and distances that differ by less than these shares of the contact's extent count as equal, and the first of the
// points is taken: so rounding does not exchange the points of resting shapes.
inline constexpr double kEqualDepth = 1e-4, kEqualDistance = 1e-3;

namespace reduction {

inline int deepest(const PlanePoint* points, int count) {
    double lowest = points[0].gap, low_x = points[0].x, high_x = low_x, low_y = points[0].y, high_y = low_y;
    for (int k = 1; k < count; ++k) {
        lowest = min(lowest, points[k].gap);
        low_x = min(low_x, points[k].x);
        high_x = max(high_x, points[k].x);
        low_y = min(low_y, points[k].y);
        high_y = max(high_y, points[k].y);
    }
    const double bound = lowest + kEqualDepth * (high_x - low_x + high_y - low_y);
    int k = 0;
    while (points[k].gap > bound) ++k;
    return k;
}

inline int farthest(const PlanePoint* points, int count, const PlanePoint& from) {
    int best = -1;
    double largest = 0.0;
    for (int k = 0; k < count; ++k) {
        const double dx = points[k].x - from.x, dy = points[k].y - from.y, square = dx * dx + dy * dy;
        if (square > largest * (1.0 + kEqualDistance)) {
            largest = square;
            best = k;
        }
    }
    return best;
}

}  // namespace reduction

// Writes the indices of at most four points, and returns how many.
inline int choose_four(const PlanePoint* points, int count, int* chosen) {
    if (count <= kManifoldPoints) {
        for (int k = 0; k < count; ++k) chosen[k] = k;
        return count;
    }
    const int first = reduction::deepest(points, count);
    const int second = reduction::farthest(points, count, points[first]);
    chosen[0] = first;
    if (second < 0) return 1;
    chosen[1] = second;
    const PlanePoint &p = points[first], &q = points[second];
    const double dx = q.x - p.x, dy = q.y - p.y;
    double left = 0.0, right = 0.0;
    int on_left = -1, on_right = -1;
    for (int k = 0; k < count; ++k) {
        const double area = dx * (points[k].y - p.y) - dy * (points[k].x - p.x);
        if (area > left * (1.0 + kEqualDistance)) {
            left = area;
            on_left = k;
        }
        if (-area > right * (1.0 + kEqualDistance)) {
            right = -area;
            on_right = k;
        }
    }
    int number = 2;
    if (on_left >= 0) chosen[number++] = on_left;
    if (on_right >= 0) chosen[number++] = on_right;
    return number;
}

}  // namespace geometry

KIDO_END
