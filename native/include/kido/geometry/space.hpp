#pragma once

#include "kido/spatial/se3.hpp"

// Vectors, axes and poses of geometry, which is made of doubles only.

KIDO_BEGIN

namespace geometry {

using Vector = Vec3<double>;
using Axes = Mat3<double>;  // of a frame, by columns
using Pose = Transform<double>;

inline constexpr double kUnderflow = 1e-280;  // squares of lengths below have lost digits

KIDO_INLINE Vector vector(const double* v) { return {v[0], v[1], v[2]}; }

// Origin (3) [m], then axes by columns (9).
KIDO_INLINE Pose read_pose(const double* v) { return {{vector(v + 3), vector(v + 6), vector(v + 9)}, vector(v)}; }

KIDO_INLINE void store(const Vector& v, double* out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

KIDO_INLINE double component(const Vector& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }
KIDO_INLINE Vector axis(const Axes& m, int k) { return k == 0 ? m.x : k == 1 ? m.y : m.z; }
KIDO_INLINE Vector unit(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }

KIDO_INLINE double length(const Vector& v) { return sqrt(dot(v, v)); }
KIDO_INLINE double clamp(double x, double bound) { return x < -bound ? -bound : x > bound ? bound : x; }
KIDO_INLINE double sign(double x) { return x < 0.0 ? -1.0 : 1.0; }

// v / |v|, or `otherwise` where v is no direction.
KIDO_INLINE Vector direction(const Vector& v, const Vector& otherwise) {
    const double square = dot(v, v);
    return square > kUnderflow ? v * (1.0 / sqrt(square)) : otherwise;
}

// A unit vector perpendicular to the unit vector n.
KIDO_INLINE Vector perpendicular(const Vector& n) {
    const Vector least = abs(n.x) < 0.6 ? unit(0) : unit(1);
    const Vector v = cross(least, n);
    return v * (1.0 / length(v));
}

}  // namespace geometry

KIDO_END
