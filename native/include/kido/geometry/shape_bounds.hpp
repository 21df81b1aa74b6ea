#pragma once

#include <cmath>

#include "kido/geometry/bounding_box.hpp"
#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/triangle_mesh.hpp"
#include "kido/scalar/lanes.hpp"
#include "kido/tree/joint.hpp"

// Boxes around shapes at a pose.

KIDO_BEGIN

KIDO_INLINE Vec3<double> absolute(const Vec3<double>& a) { return {std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)}; }
KIDO_INLINE Vec3<double> root(const Vec3<double>& a) { return {std::sqrt(a.x), std::sqrt(a.y), std::sqrt(a.z)}; }
KIDO_INLINE Vec3<double> squared(const Vec3<double>& a) { return {a.x * a.x, a.y * a.y, a.z * a.z}; }

KIDO_INLINE BoundingBox around(const Vec3<double>& center, const Vec3<double>& half) { return {center - half, center + half}; }

// Half of the box around a disc.
KIDO_INLINE Vec3<double> disc_extent(const Vec3<double>& axis, double radius) {
    const Vec3<double> one = {1.0, 1.0, 1.0};
    return root(greatest(one - squared(axis), zero3<double>())) * radius;
}

inline BoundingBox hull_bounds(const ConvexHull& hull, const Vec3<double>& p, const Mat3<double>& R) {
    const int rows = column_rows(hull.num_vertices);
    const auto column = [&](int c, int row) KIDO_INLINE_LAMBDA {
        NativeLanes x;
        std::memcpy(&x.v, hull.vertex_columns + c * rows + row, sizeof x.v);
        return x;
    };
    const auto turned = [&](int row) KIDO_INLINE_LAMBDA {
        const NativeLanes x = column(0, row), y = column(1, row), z = column(2, row);
        return Vec3<NativeLanes>{R.x.x * x + R.y.x * y + R.z.x * z, R.x.y * x + R.y.y * y + R.z.y * z, R.x.z * x + R.y.z * y + R.z.z * z};
    };
    Vec3<NativeLanes> low = turned(0), high = low;
    for (int row = KIDO_LANES; row < rows; row += KIDO_LANES) {
        const Vec3<NativeLanes> next = turned(row);
        low = {min(low.x, next.x), min(low.y, next.y), min(low.z, next.z)};
        high = {max(high.x, next.x), max(high.y, next.y), max(high.z, next.z)};
    }
    const auto least = [](const NativeLanes& x) KIDO_INLINE_LAMBDA { return -greatest_lane(-x); };
    return {p + Vec3<double>{least(low.x), least(low.y), least(low.z)},
            p + Vec3<double>{greatest_lane(high.x), greatest_lane(high.y), greatest_lane(high.z)}};
}

// Around a box in its own axes.
inline BoundingBox turned_bounds(const Vec3<double>& low, const Vec3<double>& high, const Vec3<double>& p, const Mat3<double>& R) {
    const Vec3<double> half = (high - low) * 0.5;
    return around(p + R * ((low + high) * 0.5), absolute(R.x) * half.x + absolute(R.y) * half.y + absolute(R.z) * half.z);
}

inline BoundingBox field_bounds(const HeightField& field, const Vec3<double>& p, const Mat3<double>& R) {
    const double x = 0.5 * (field.columns - 1) * field.spacing[0], y = 0.5 * (field.rows - 1) * field.spacing[1];
    return turned_bounds({-x, -y, field.low}, {x, y, field.high}, p, R);
}

// Of shapes that are bounded.
inline BoundingBox bounds_of(const CollisionShape& shape, const double* pose) {
    const Vec3<double> p = vec3(pose);
    const Mat3<double> R = mat3(pose + 3);
    const double* s = shape.size;
    switch (shape.kind) {
        case ShapeKind::capsule: return around(p, absolute(R.z) * s[1] + Vec3<double>{s[0], s[0], s[0]});
        case ShapeKind::box: return around(p, absolute(R.x) * s[0] + absolute(R.y) * s[1] + absolute(R.z) * s[2]);
        case ShapeKind::cylinder: return around(p, absolute(R.z) * s[1] + disc_extent(R.z, s[0]));
        case ShapeKind::cone: {
            const BoundingBox tip = {p + R.z * s[1], p + R.z * s[1]};
            return united(tip, around(p - R.z * s[1], disc_extent(R.z, s[0])));
        }
        case ShapeKind::ellipsoid:
            return around(p, root(squared(R.x * s[0]) + squared(R.y * s[1]) + squared(R.z * s[2])));
        case ShapeKind::hull: return hull_bounds(*shape.hull, p, R);
        case ShapeKind::mesh: return turned_bounds(vec3(shape.mesh->low), vec3(shape.mesh->high), p, R);
        case ShapeKind::height_field: return field_bounds(*shape.field, p, R);
        default: return around(p, {shape.radius, shape.radius, shape.radius});
    }
}

KIDO_END
