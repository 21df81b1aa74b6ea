#pragma once

#include "kido/geometry/feature_manifold.hpp"
#include "kido/geometry/segment_box.hpp"
#include "kido/geometry/sphere_pairs.hpp"

// A capsule and another capsule or a box: one point, or two along parallel sides.

KIDO_BEGIN

namespace geometry {

// The ends of the common part of two capsules that are about parallel.
inline int parallel_capsules(ShapePair& pair, const Segment& a, const Segment& b, const Vector& normal, double gap) {
    const double radii = pair.first.size[0] + pair.second.size[0], aa = dot(a.half, a.half), ab = dot(a.half, b.half);
    const double middle = dot(a.half, b.center - a.center) / aa, reach = abs(ab) / aa;
    const double low = max(-1.0, middle - reach), high = min(1.0, middle + reach);
    if (high - low <= kEqualDistance) return 0;
    pair.begin(normal);
    double least = pair.margin;
    for (int k = 0; k < 2; ++k) {
        const double s = k == 0 ? low : high;
        const Vector p = a.at(s), q = b.at(clamp((s - middle) * aa / ab, 1.0)), on_first = p - normal * pair.first.size[0];
        const double distance = length(p - q) - radii;
        if (distance > pair.margin) continue;
        least = min(least, distance);
        pair.add({on_first, on_first - normal * distance, distance, static_cast<std::uint32_t>(k + 1)});
    }
    return least <= gap + kEqualDepth * (high - low) * sqrt(aa) ? 1 : 0;
}

// Two capsules about parallel or not; `several`: where they lie along each other, the ends of their common part are wanted.
inline int capsule_capsule(ShapePair& pair, bool several = true) {
    const Segment a{pair.offset, pair.first_axes.z * pair.first.size[1]};
    const Segment b{zero3<double>(), pair.second_axes.z * pair.second.size[1]};
    const NearestPlaces places = nearest_places(a, b);
    const Vector p = a.at(places.first), q = b.at(places.second), d = p - q;
    const Vector crossing = cross(pair.first_axes.z, pair.second_axes.z);
    const bool parallel = dot(crossing, crossing) <= kParallelSine * kParallelSine;
    const double square = dot(d, d), distance = sqrt(square);
    const double gap = distance - pair.first.size[0] - pair.second.size[0];
    const bool sides = parallel && pair.first.size[1] > 0.0 && pair.second.size[1] > 0.0;
    if (several && sides && gap <= pair.margin && square > kUnderflow) {
        if (parallel_capsules(pair, a, b, d * (1.0 / distance), gap)) return 1;
    }
    return collide_balls(pair, p, pair.first.size[0], q, pair.second.size[0], [&] {
        if (parallel) return remembered_sideways(pair, pair.second_axes.z);
        return direction(crossing, unit(2)) * sign(dot(crossing, pair.remembered()));
    });
}

inline int capsule_box(ShapePair& pair) {
    const double *half = pair.second.size, radius = pair.first.size[0];
    const Axes& axes = pair.second_axes;
    const Segment segment{transposed_times(axes, pair.offset),
                          transposed_times(axes, pair.first_axes.z) * pair.first.size[1]};
    const Vector p = segment.at(nearest_place(segment, half));
    const Vector q{clamp(p.x, half[0]), clamp(p.y, half[1]), clamp(p.z, half[2])}, d = p - q;
    const double square = dot(d, d), distance = sqrt(square);
    SegmentExit exit{};
    if (square > kUnderflow) {
        exit = {d * (1.0 / distance), p, q, -distance};
    } else {
        exit = leave_box(segment, half, transposed_times(axes, pair.remembered()));
    }
    const double gap = -exit.depth - radius;
    const Vector normal = axes * exit.normal;
    if (gap > pair.margin) return pair.apart(gap, normal);
    const Touch touch{axes * exit.on_segment - normal * radius, axes * exit.on_box, gap, 0};
    SupportFeature side, face;
    capsule_feature(pair.first.size, -transposed_times(pair.first_axes, normal), side);
    if (side.count == 1) return pair.single(normal, touch);
    box_feature(half, exit.normal, face);
    const ContactPlane plane(normal);
    FlatFeature first, second;
    flatten(side, pair.first_axes, pair.offset, -radius, plane, first);
    flatten(face, axes, zero3<double>(), 0.0, plane, second);
    FeatureManifold manifold(pair, plane);
    manifold.collect(first, second);
    manifold.complete(touch);
    return manifold.write();
}

}  // namespace geometry

KIDO_END
