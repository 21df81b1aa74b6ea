#pragma once

#include "kido/geometry/shape_pair.hpp"
#include "kido/geometry/surface_point.hpp"

// A sphere and another shape: one point.

KIDO_BEGIN

namespace geometry {

// Two balls, which may have the same center: then the normal is otherwise().
template <class Otherwise>
KIDO_INLINE int collide_balls(ShapePair& pair, const Vector& first, double first_radius, const Vector& second,
                              double second_radius, const Otherwise& otherwise) {
    const Vector d = first - second;
    const double square = dot(d, d), distance = sqrt(square), gap = distance - first_radius - second_radius;
    const Vector normal = square > kUnderflow ? d * (1.0 / distance) : otherwise();
    if (gap > pair.margin) return pair.apart(gap, normal);
    return pair.single(normal, {first - normal * first_radius, second + normal * second_radius, gap, 0});
}

// The remembered normal without its part along `axis`, normalized; else one of the axes of the second shape.
KIDO_INLINE Vector remembered_sideways(const ShapePair& pair, const Vector& axis) {
    const Vector kept = pair.remembered(), sideways = kept - axis * dot(axis, kept);
    return dot(sideways, sideways) > 0.25 ? direction(sideways, axis) : perpendicular(axis);
}

KIDO_INLINE int sphere_sphere(ShapePair& pair) {
    return collide_balls(pair, pair.offset, pair.first.size[0], zero3<double>(), pair.second.size[0],
                         [] { return unit(2); });
}

KIDO_INLINE int sphere_capsule(ShapePair& pair) {
    const Vector axis = pair.second_axes.z;
    const Vector nearest = axis * clamp(dot(axis, pair.offset), pair.second.size[1]);
    return collide_balls(pair, pair.offset, pair.first.size[0], nearest, pair.second.size[0],
                         [&] { return remembered_sideways(pair, axis); });
}

// A sphere and the surface point of the other shape that is nearest to its center.
KIDO_INLINE int collide_ball(ShapePair& pair, const SurfacePoint& nearest) {
    const double radius = pair.first.size[0], gap = nearest.distance - radius;
    const Vector normal = pair.second_axes * nearest.normal;
    if (gap > pair.margin) return pair.apart(gap, normal);
    return pair.single(normal, {pair.offset - normal * radius, pair.second_axes * nearest.point, gap, 0});
}

// A sphere and a box, cylinder, cone or ellipsoid.
KIDO_INLINE int sphere_solid(ShapePair& pair) {
    const Vector center = transposed_times(pair.second_axes, pair.offset);
    const Vector remembered = transposed_times(pair.second_axes, pair.remembered());
    const double* size = pair.second.size;
    switch (pair.second.kind) {
        case ShapeKind::box: return collide_ball(pair, nearest_on_box(size, center, remembered));
        case ShapeKind::cylinder: return collide_ball(pair, nearest_on_cylinder(size[0], size[1], center, remembered));
        case ShapeKind::cone: return collide_ball(pair, nearest_on_cone(size[0], size[1], center, remembered));
        default: return collide_ball(pair, nearest_on_ellipsoid(size, center, remembered));
    }
}

}  // namespace geometry

KIDO_END
