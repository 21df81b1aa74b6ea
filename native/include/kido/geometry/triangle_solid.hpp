#pragma once

#include <algorithm>

#include "kido/geometry/support.hpp"
#include "kido/geometry/surface_ray.hpp"
#include "kido/geometry/triangle_surface.hpp"

// What lies behind a triangle of a surface, as a convex shape: the tetrahedron of its corners and a point behind its middle, half as far
// as what the surface bounds is thick there, so that nothing of it is outside of that.

KIDO_BEGIN

namespace geometry {

class TriangleSolid {
public:
    // `size`: length that tolerances refer to [m].
    template <class Surface>
    TriangleSolid(const Surface& surface, const Triangle& t, double size) {
        const Vector middle = (t.corner[0] + t.corner[1] + t.corner[2]) * (1.0 / 3.0);
        const Vector apex = middle - t.normal * depth(surface, t, middle, size);
        for (int k = 0; k < 3; ++k) store(t.corner[k], vertices_ + 3 * k);
        store(apex, vertices_ + 9);
        for (int face = 0; face < 4; ++face) {
            Vector corner[3];
            for (int k = 0; k < 3; ++k) corner[k] = vector(vertices_ + 3 * kCorners[3 * face + k]);
            const Vector normal = face == 0 ? t.normal : direction(cross(corner[1] - corner[0], corner[2] - corner[0]), -t.normal);
            store(normal, planes_ + 4 * face);
            planes_[4 * face + 3] = dot(normal, corner[0]);
        }
        for (int k = 0; k < 3; ++k) {
            for (int row = 0; row < kColumnRows; ++row) {
                vertex_columns_[k * kColumnRows + row] = vertices_[3 * (row < 4 ? row : 0) + k];
                normal_columns_[k * kColumnRows + row] = planes_[4 * (row < 4 ? row : 0) + k];
            }
        }
        hull_ = {vertices_, kFirstNeighbor, kNeighbors, planes_, kFirstCorner, kCorners, 4, 4, size, vertex_columns_, normal_columns_};
        double radius = 0.0;
        for (int k = 0; k < 4; ++k) radius = max(radius, length(vector(vertices_ + 3 * k)));
        shape_ = {ShapeKind::hull, {}, radius, &hull_, nullptr, nullptr};
    }
    TriangleSolid(const TriangleSolid&) = delete;
    TriangleSolid& operator=(const TriangleSolid&) = delete;

    const CollisionShape& shape() const { return shape_; }

private:
    static constexpr int kFirstNeighbor[5] = {0, 3, 6, 9, 12}, kNeighbors[12] = {1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2};
    static constexpr int kFirstCorner[5] = {0, 3, 6, 9, 12}, kCorners[12] = {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3};
    static constexpr double kBehind = 1e-6;  // of the size: where the way to the other side begins

    // Of the tetrahedron: no more than half of the triangle's extent.
    template <class Surface>
    static double depth(const Surface& surface, const Triangle& t, const Vector& middle, double size) {
        const Vector sides = cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
        const double extent = 0.5 * sqrt(length(sides));
        double thickness = 2.0 * extent;
        Vector normal;
        SurfaceRay ray(surface, middle - t.normal * (kBehind * size), -t.normal, thickness);
        ray.find(thickness, normal);
        return 0.5 * thickness + kBehind * size;
    }

    double vertices_[12], planes_[16], vertex_columns_[3 * kColumnRows], normal_columns_[3 * kColumnRows];
    ConvexHull hull_;
    CollisionShape shape_;
};

}  // namespace geometry

KIDO_END
