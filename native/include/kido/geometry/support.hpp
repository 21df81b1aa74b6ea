#pragma once

#include <algorithm>
#include <cstdint>

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/space.hpp"
#include "kido/scalar/lanes.hpp"

// Support points: of all points of a convex shape one that lies farthest along a direction, in the shape's axes. Spheres and capsules
// have a core, a point or a segment, and a round skin about it; support points are those of the core.

KIDO_BEGIN

namespace geometry {

KIDO_INLINE double skin(const CollisionShape& shape) {
    return shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule ? shape.size[0] : 0.0;
}

// The first of the rows whose product with d is largest.
inline int farthest_row(const double* columns, int count, const Vector& d) {
    static_assert(kColumnRows % KIDO_LANES == 0);
    constexpr int kChunk = 64, kBlocks = kChunk / KIDO_LANES;
    const int rows = column_rows(count);
    int best = 0;
    double most = -1e300;
    for (int start = 0; start < rows; start += kChunk) {
        const int blocks = std::min(rows - start, kChunk) / KIDO_LANES;
        NativeLanes product[kBlocks], largest(-1e300);
        for (int k = 0; k < blocks; ++k) {
            const double* at = columns + start + k * KIDO_LANES;
            NativeLanes x, y, z;
            std::memcpy(&x.v, at, sizeof x.v);
            std::memcpy(&y.v, at + rows, sizeof y.v);
            std::memcpy(&z.v, at + 2 * rows, sizeof z.v);
            product[k] = d.x * x + d.y * y + d.z * z;
            largest = max(largest, product[k]);
        }
        const double here = greatest_lane(largest);
        if (!(here > most)) continue;
        most = here;
        std::uint64_t tied = 0;
        for (int k = 0; k < blocks; ++k) tied |= static_cast<std::uint64_t>(equal_lanes(product[k], NativeLanes(here))) << (k * KIDO_LANES);
        best = start + (tied != 0 ? __builtin_ctzll(tied) : 0);
    }
    return best < count ? best : 0;
}

// From there on, climbing from neighbor to neighbor is faster than looking at all vertices.
inline constexpr int kManyVertices = 128;

// `vertex`, at which the search may begin, becomes the one found.
inline Vector support_of_hull(const ConvexHull& hull, const Vector& d, int& vertex) {
    if (hull.num_vertices <= kManyVertices) {
        vertex = farthest_row(hull.vertex_columns, hull.num_vertices, d);
        return vector(hull.vertices + 3 * vertex);
    }
    Vector best = vector(hull.vertices + 3 * vertex);
    double height = dot(d, best);
    for (int at = -1; at != vertex;) {
        at = vertex;
        for (int k = hull.first_neighbor[at]; k < hull.first_neighbor[at + 1]; ++k) {
            const Vector p = vector(hull.vertices + 3 * hull.neighbors[k]);
            const double other = dot(d, p);
            if (other <= height) continue;
            height = other;
            best = p;
            vertex = hull.neighbors[k];
        }
    }
    return best;
}

// The point of the circle about z that is farthest along d, or its center where d is along z.
KIDO_INLINE Vector support_of_circle(double radius, double height, const Vector& d) {
    const double square = d.x * d.x + d.y * d.y;
    if (square <= kUnderflow) return {0.0, 0.0, height};
    const double scale = radius / sqrt(square);
    return {d.x * scale, d.y * scale, height};
}

KIDO_INLINE Vector support_of_cone(double radius, double half, const Vector& d) {
    const double rim = radius * sqrt(d.x * d.x + d.y * d.y) - half * d.z;
    return half * d.z >= rim ? Vector{0.0, 0.0, half} : support_of_circle(radius, -half, d);
}

KIDO_INLINE Vector support_of_ellipsoid(const double* half, const Vector& d) {
    const Vector scaled{half[0] * d.x, half[1] * d.y, half[2] * d.z};
    const double square = dot(scaled, scaled);
    const double scale = square > kUnderflow ? 1.0 / sqrt(square) : 0.0;
    return {half[0] * scaled.x * scale, half[1] * scaled.y * scale, half[2] * scaled.z * scale};
}

// Whether a shape's support points are corners, named by small numbers.
inline bool has_corners(const CollisionShape& shape) {
    return shape.kind == ShapeKind::box || (shape.kind == ShapeKind::hull && shape.hull->num_vertices <= 0xFFFF);
}
KIDO_INLINE Vector corner_of_box(const double* half, int corner) {
    return {corner & 1 ? -half[0] : half[0], corner & 2 ? -half[1] : half[1], corner & 4 ? -half[2] : half[2]};
}
inline Vector corner_of(const CollisionShape& shape, int corner) {
    return shape.kind == ShapeKind::box ? corner_of_box(shape.size, corner) : vector(shape.hull->vertices + 3 * corner);
}

// Of convex shapes but planes. Of shapes with corners, `vertex` becomes the corner.
inline Vector support(const CollisionShape& shape, const Vector& d, int& vertex) {
    const double* s = shape.size;
    switch (shape.kind) {
        case ShapeKind::capsule: return {0.0, 0.0, d.z < 0.0 ? -s[1] : s[1]};
        case ShapeKind::box:
            vertex = (d.x < 0.0 ? 1 : 0) | (d.y < 0.0 ? 2 : 0) | (d.z < 0.0 ? 4 : 0);
            return corner_of_box(s, vertex);
        case ShapeKind::cylinder: return support_of_circle(s[0], d.z < 0.0 ? -s[1] : s[1], d);
        case ShapeKind::cone: return support_of_cone(s[0], s[1], d);
        case ShapeKind::ellipsoid: return support_of_ellipsoid(s, d);
        case ShapeKind::hull: return support_of_hull(*shape.hull, d, vertex);
        default: return zero3<double>();
    }
}

// Radius of a ball that fits into the shape, about [m].
inline double inner_radius(const CollisionShape& shape) {
    const double* s = shape.size;
    switch (shape.kind) {
        case ShapeKind::sphere:
        case ShapeKind::capsule: return s[0];
        case ShapeKind::cylinder: return min(s[0], s[1]);
        case ShapeKind::cone: return 2.0 * s[0] * s[1] / (s[0] + sqrt(s[0] * s[0] + 4.0 * s[1] * s[1]));
        case ShapeKind::hull: return shape.hull->inner_radius;
        default: return min(s[0], min(s[1], s[2]));
    }
}

}  // namespace geometry

KIDO_END
