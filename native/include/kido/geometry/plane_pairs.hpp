#pragma once

#include "kido/geometry/feature_manifold.hpp"

// A shape and the half space below a plane, which is the second shape: the lowest points of the shape.

KIDO_BEGIN

namespace geometry {

KIDO_INLINE Touch above_plane(const Vector& point, const Vector& normal, double gap, std::uint32_t feature) {
    return {point, point - normal * gap, gap, feature};
}

KIDO_INLINE int sphere_plane(ShapePair& pair) {
    const Vector normal = pair.second_axes.z;
    const double gap = dot(normal, pair.offset) - pair.first.size[0];
    if (gap > pair.margin) return pair.apart(gap, normal);
    return pair.single(normal, above_plane(pair.offset - normal * pair.first.size[0], normal, gap, 0));
}

KIDO_INLINE int capsule_plane(ShapePair& pair) {
    const Vector normal = pair.second_axes.z, half = pair.first_axes.z * pair.first.size[1];
    const double middle = dot(normal, pair.offset) - pair.first.size[0], slope = dot(normal, half);
    const double lowest = middle - abs(slope);
    if (lowest > pair.margin) return pair.apart(lowest, normal);
    const Vector lower = pair.offset - normal * pair.first.size[0];
    pair.begin(normal);
    if (middle - slope <= pair.margin) pair.add(above_plane(lower - half, normal, middle - slope, 1));
    if (middle + slope <= pair.margin) pair.add(above_plane(lower + half, normal, middle + slope, 2));
    return 1;
}

inline int box_plane(ShapePair& pair) {
    const double* half = pair.first.size;
    const Vector normal = pair.second_axes.z;
    const Vector e1 = pair.first_axes.x * half[0], e2 = pair.first_axes.y * half[1], e3 = pair.first_axes.z * half[2];
    const double middle = dot(normal, pair.offset), s1 = dot(normal, e1), s2 = dot(normal, e2), s3 = dot(normal, e3);
    const double lowest = middle - abs(s1) - abs(s2) - abs(s3);
    if (lowest > pair.margin) return pair.apart(lowest, normal);
    Vector corners[8];
    PlanePoint points[8];
    int count = 0;
    for (int k = 0; k < 8; ++k) {
        const double a = k & 1 ? 1.0 : -1.0, b = k & 2 ? 1.0 : -1.0, c = k & 4 ? 1.0 : -1.0;
        const double gap = middle + (a * s1 + b * s2 + c * s3);
        if (gap > pair.margin) continue;
        const Vector p = pair.offset + (e1 * a + e2 * b + e3 * c);
        store(p, &corners[count].x);
        points[count++] = {dot(pair.second_axes.x, p), dot(pair.second_axes.y, p), 0.0, gap, static_cast<std::uint32_t>(k)};
    }
    if (count == 0) return pair.apart(lowest, normal);
    int chosen[kManifoldPoints];
    const int number = choose_four(points, count, chosen);
    pair.begin(normal);
    for (int k = 0; k < number; ++k) {
        const PlanePoint& p = points[chosen[k]];
        pair.add(above_plane(corners[chosen[k]], normal, p.gap, p.feature));
    }
    return 1;
}

// The lowest point of any convex shape, however high.
inline int single_above_plane(ShapePair& pair) {
    const Vector normal = pair.second_axes.z, down = -transposed_times(pair.first_axes, normal);
    int vertex = 0;
    const Vector core = pair.offset + pair.first_axes * support(pair.first, down, vertex);
    const Vector lowest = core - normal * skin(pair.first);
    return pair.single(normal, above_plane(lowest, normal, dot(normal, lowest), 0));
}

// A convex shape without a skin.
inline int convex_plane(ShapePair& pair) {
    const Vector normal = pair.second_axes.z, down = -transposed_times(pair.first_axes, normal);
    int vertex = 0;
    const Vector lowest = pair.offset + pair.first_axes * support(pair.first, down, vertex);
    const double gap = dot(normal, lowest);
    if (gap > pair.margin) return pair.apart(gap, normal);
    const Touch touch = above_plane(lowest, normal, gap, 0);
    SupportFeature feature;
    support_feature(pair.first, down, vertex, feature);
    if (feature.count == 1) return pair.single(normal, touch);
    const ContactPlane plane(normal);
    FlatFeature first, ground;
    flatten(feature, pair.first_axes, pair.offset, 0.0, plane, first);
    ground.count = kWholePlane;
    ground.id = 0;
    ground.x[0] = ground.y[0] = ground.height[0] = ground.slope_x = ground.slope_y = 0.0;
    FeatureManifold manifold(pair, plane);
    manifold.collect(first, ground);
    manifold.complete(touch);
    return manifold.write();
}

}  // namespace geometry

KIDO_END
