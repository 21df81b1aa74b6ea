#pragma once

#include "kido/geometry/space.hpp"

// Segments center + s * half, |s| <= 1, and the points of two that are nearest to each other.

KIDO_BEGIN

namespace geometry {

struct Segment {
    Vector center, half;

    Vector at(double s) const { return center + half * s; }
    // The place of the point nearest to p.
    double nearest(const Vector& p) const {
        const double square = dot(half, half);
        return square > kUnderflow ? clamp(dot(half, p - center) / square, 1.0) : 0.0;
    }
};

// Places on two segments whose points are nearest to each other. Ericson, "Real-Time Collision Detection" (2005), section 5.1.9.
// Of parallel segments, which have many, those nearest to the first one's center.
struct NearestPlaces {
    double first, second;
};

inline constexpr double kParallelSquare = 1e-14;  // sine of the angle, squared, below which there is no crossing

inline NearestPlaces nearest_places(const Segment& a, const Segment& b) {
    const Vector d = b.center - a.center;
    const double aa = dot(a.half, a.half), ab = dot(a.half, b.half), bb = dot(b.half, b.half);
    const double da = dot(a.half, d), db = dot(b.half, d);
    if (bb <= kUnderflow) return {a.nearest(b.center), 0.0};
    if (aa <= kUnderflow) return {0.0, b.nearest(a.center)};
    const Vector normal = cross(a.half, b.half);
    const double crossing = dot(normal, normal);
    const double s = crossing > kParallelSquare * aa * bb ? clamp((da * bb - ab * db) / crossing, 1.0) : 0.0;
    const double t = (ab * s - db) / bb;
    if (abs(t) <= 1.0) return {s, t};
    const double end = clamp(t, 1.0);
    return {clamp((da + ab * end) / aa, 1.0), end};
}

}  // namespace geometry

KIDO_END
