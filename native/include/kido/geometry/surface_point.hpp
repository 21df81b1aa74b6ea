#pragma once

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/segment.hpp"

// The point of a shape's surface that is nearest to a given point, in the shape's axes.

KIDO_BEGIN

namespace geometry {

struct SurfacePoint {
    Vector point, normal;  // outward normal
    double distance;       // [m], negative inside
};

// Of two faces about equally near, the last one is kept: it wins by this share of the shape's size.
inline constexpr double kFacePreference = 1e-3;

// `remembered`: the last normal, or zero.
KIDO_INLINE SurfacePoint nearest_face_of_box(const double* half, const Vector& p, const Vector& remembered) {
    const double size = min(half[0], min(half[1], half[2]));
    double least = 0.0;
    SurfacePoint nearest{};
    for (int k = 0; k < 3; ++k) {
        const double x = component(p, k), kept = component(remembered, k);
        const double side = abs(x) > kFacePreference * size ? sign(x) : sign(kept);
        const double depth = half[k] - side * x;
        const double cost = depth - (side * kept > 0.99 ? kFacePreference * size : 0.0);
        if (k == 0 || cost < least) {
            least = cost;
            nearest = {p + unit(k) * (side * depth), unit(k) * side, -depth};
        }
    }
    return nearest;
}

KIDO_INLINE SurfacePoint nearest_on_box(const double* half, const Vector& p, const Vector& remembered) {
    const Vector q{clamp(p.x, half[0]), clamp(p.y, half[1]), clamp(p.z, half[2])};
    const Vector d = p - q;
    const double square = dot(d, d);
    if (square <= kUnderflow) return nearest_face_of_box(half, p, remembered);
    const double distance = sqrt(square);
    return {q, d * (1.0 / distance), distance};
}

}  // namespace geometry

KIDO_END
