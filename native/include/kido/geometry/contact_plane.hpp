#pragma once

#include "kido/geometry/manifold_reduction.hpp"
#include "kido/geometry/shape_pair.hpp"
#include "kido/geometry/support_feature.hpp"

// The plane of a contact, through the second shape's origin: features of shapes are seen along its normal there.

KIDO_BEGIN

namespace geometry {

struct ContactPlane {
    Vector normal, x, y;

    explicit ContactPlane(const Vector& n) : normal(n), x(perpendicular(n)), y(cross(n, x)) {}

    Vector at(double u, double v, double height) const { return x * u + y * v + normal * height; }
};

inline constexpr int kWholePlane = -1;  // FlatFeature::count

// A feature as it is seen: heights are linear functions of x and y.
struct FlatFeature {
    int count;  // as of SupportFeature, or kWholePlane
    std::uint32_t id;
    double x[kMostCorners], y[kMostCorners], height[kMostCorners];
    double slope_x, slope_y;  // of a face or disc
    double aligned;           // cosine of the angle between the face's normal and that of the plane
    double round;             // of a segment, see SupportFeature

    // Of a face or disc.
    double height_at(double u, double v) const { return height[0] + slope_x * (u - x[0]) + slope_y * (v - y[0]); }
};

// `raised`: how far the surface lies above the feature, which is that of a core.
inline void flatten(const SupportFeature& feature, const Axes& axes, const Vector& origin, double raised,
                    const ContactPlane& plane, FlatFeature& out) {
    const Vector x = transposed_times(axes, plane.x), y = transposed_times(axes, plane.y);
    const Vector n = transposed_times(axes, plane.normal);
    double x0 = dot(plane.x, origin), y0 = dot(plane.y, origin), height = dot(plane.normal, origin) + raised;
    const int corners = feature.count == kDisc ? 3 : feature.count;
    out.count = feature.count;
    out.id = feature.id;
    out.round = feature.count == 2 ? feature.round : 0.0;
    for (int k = 0; k < corners; ++k) {
        out.x[k] = x0 + dot(x, feature.corners[k]);
        out.y[k] = y0 + dot(y, feature.corners[k]);
        out.height[k] = height + dot(n, feature.corners[k]);
        if (feature.count == kDisc) x0 = y0 = height = 0.0;  // radii follow
    }
    if (corners < 3) return;
    const double cosine = dot(n, feature.normal);
    out.slope_x = -dot(x, feature.normal) / cosine;
    out.slope_y = -dot(y, feature.normal) / cosine;
    out.aligned = abs(cosine);
}

// Writes the manifold of at most four of the points.
inline int write_manifold(ShapePair& pair, const ContactPlane& plane, const PlanePoint* points, int count) {
    int chosen[kManifoldPoints];
    const int number = choose_four(points, count, chosen);
    pair.begin(plane.normal);
    for (int k = 0; k < number; ++k) {
        const PlanePoint& p = points[chosen[k]];
        const Vector below = plane.at(p.x, p.y, p.height);
        pair.add({below + plane.normal * p.gap, below, p.gap, p.feature});
    }
    return 1;
}

}  // namespace geometry

KIDO_END
