#pragma once

#include "kido/geometry/convex_distance.hpp"
#include "kido/geometry/feature_manifold.hpp"

// Any two convex shapes but planes.

KIDO_BEGIN

namespace geometry {

inline int convex_convex(ShapePair& pair) {
    const Axes& frame = pair.second_axes;
    const Axes axes = transpose(frame) * pair.first_axes;
    const Difference shapes(pair.first, pair.second, axes, transposed_times(frame, pair.offset));
    const double first_skin = skin(pair.first), second_skin = skin(pair.second), skins = first_skin + second_skin;
    ConvexDistanceSearch search(shapes, min(inner_radius(pair.first), inner_radius(pair.second)));
    ConvexDistance found;
    const bool near = search.find(transposed_times(frame, pair.remembered()), pair.margin + skins, found);
    const Vector normal = frame * found.normal;
    const double gap = found.distance - skins;
    if (!near || gap > pair.margin) return pair.apart(gap, normal);
    const Vector on_second = frame * found.on_second + normal * second_skin;
    const Touch touch{on_second + normal * gap, on_second, gap, 0};
    const Vector toward_second = -transposed_times(pair.first_axes, normal);
    SupportFeature first_feature, second_feature;
    support_feature(pair.first, toward_second, first_feature);
    if (first_feature.count == 1) return pair.single(normal, touch);
    support_feature(pair.second, found.normal, second_feature);
    if (second_feature.count == 1) return pair.single(normal, touch);
    const ContactPlane plane(normal);
    FlatFeature first, second;
    flatten(first_feature, pair.first_axes, pair.offset, -first_skin, plane, first);
    flatten(second_feature, frame, zero3<double>(), second_skin, plane, second);
    return FeatureManifold(pair, plane, touch).build(first, second);
}

}  // namespace geometry

KIDO_END
