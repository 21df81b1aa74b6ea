#pragma once

#include "kido/geometry/surface_point.hpp"

// A segment and a box about the origin, in the box's axes.

KIDO_BEGIN

namespace geometry {

// Slope of half the squared distance to the box along a segment, which grows with the place and is linear in pieces.
struct DistanceSlope {
    double value, growth;

    DistanceSlope(const Segment& segment, const double* half, double s) : value(0.0), growth(0.0) {
        const Vector p = segment.at(s);
        for (int k = 0; k < 3; ++k) {
            const double x = component(p, k), e = component(segment.half, k), outside = x - clamp(x, half[k]);
            value += e * outside;
            growth += outside != 0.0 ? e * e : 0.0;
        }
    }
};

// The place on the segment that is nearest to the box: Newton's method within a bracket.
inline double nearest_place(const Segment& segment, const double* half) {
    if (DistanceSlope(segment, half, -1.0).value >= 0.0) return -1.0;
    if (DistanceSlope(segment, half, 1.0).value <= 0.0) return 1.0;
    double low = -1.0, high = 1.0, s = segment.nearest(zero3<double>());
    for (int k = 0; k < 40; ++k) {
        const DistanceSlope slope(segment, half, s);
        if (slope.value == 0.0) break;
        (slope.value < 0.0 ? low : high) = s;
        const double next = s - slope.value / slope.growth;
        const double inside = next > low && next < high ? next : 0.5 * (low + high);
        if (inside == s) break;
        s = inside;
    }
    return s;
}

// Where a segment leaves a box that it reaches into, along the least penetrating axis: normal to a face, or to segment and edge.
struct SegmentExit {
    Vector normal, on_segment, on_box;
    double depth;
};

namespace segment_box {

inline double depth_along(const Segment& segment, const double* half, const Vector& n) {
    const double reach = half[0] * abs(n.x) + half[1] * abs(n.y) + half[2] * abs(n.z);
    return reach + abs(dot(n, segment.half)) - dot(n, segment.center);
}

inline Vector corner(const double* half, const Vector& toward) {
    return {sign(toward.x) * half[0], sign(toward.y) * half[1], sign(toward.z) * half[2]};
}

inline SegmentExit exit_along(const Segment& segment, const double* half, const Vector& n, int edge, double depth) {
    if (edge < 0) {
        const double slope = dot(n, segment.half);
        const Vector p = segment.at(abs(slope) <= 1e-12 * length(segment.half) ? 0.0 : -sign(slope));
        return {n, p, p + n * depth, depth};
    }
    Vector center = corner(half, n);
    center -= unit(edge) * component(center, edge);
    const NearestPlaces places = nearest_places(segment, {center, unit(edge) * half[edge]});
    return {n, segment.at(places.first), center + unit(edge) * (half[edge] * places.second), depth};
}

}  // namespace segment_box

// `remembered`: the last normal, or zero; an axis that is about as good is kept.
inline SegmentExit leave_box(const Segment& segment, const double* half, const Vector& remembered) {
    const double size = min(half[0], min(half[1], half[2])), square = dot(segment.half, segment.half);
    double least = 0.0, depth = 0.0;
    Vector normal = unit(2);
    int edge = -1;
    for (int k = 0; k < 6; ++k) {
        const Vector across = k < 3 ? unit(k) : cross(segment.half, unit(k - 3));
        const double sine = dot(across, across);
        if (k >= 3 && sine <= 1e-12 * square) continue;
        Vector n = across * (1.0 / sqrt(sine));
        const double middle = dot(n, segment.center), kept = dot(n, remembered);
        n = n * (abs(middle) > kFacePreference * size ? sign(middle) : sign(kept));
        const double reach = segment_box::depth_along(segment, half, n);
        const double cost = reach - (abs(kept) > 0.99 ? kFacePreference * size : 0.0);
        if (k > 0 && cost >= least) continue;
        least = cost;
        depth = reach;
        normal = n;
        edge = k - 3;
    }
    return segment_box::exit_along(segment, half, normal, edge, depth);
}

}  // namespace geometry

KIDO_END
