#pragma once

#include "kido/geometry/support.hpp"
#include "kido/geometry/triangle_surface.hpp"

// A triangle as a convex shape without thickness.

KIDO_BEGIN

namespace geometry {

class TriangleHull {
public:
    // `size`: length that tolerances refer to, for a triangle holds no ball [m].
    TriangleHull(const Triangle& t, double size) {
        for (int k = 0; k < 3; ++k) store(t.corner[k], vertices_ + 3 * k);
        store(t.normal, planes_);
        store(-t.normal, planes_ + 4);
        planes_[3] = dot(t.normal, t.corner[0]);
        planes_[7] = -planes_[3];
        columns(vertices_, 3, 3, vertex_columns_);
        columns(planes_, 2, 4, normal_columns_);
        hull_ = {vertices_, kFirstNeighbor, kNeighbors, planes_, kFirstCorner, kCorners, 3, 2, size, vertex_columns_, normal_columns_};
        double radius = 0.0;
        for (const Vector& corner : t.corner) radius = max(radius, length(corner));
        shape_ = {ShapeKind::hull, {}, radius, &hull_, nullptr, nullptr};
    }
    TriangleHull(const TriangleHull&) = delete;
    TriangleHull& operator=(const TriangleHull&) = delete;

    const CollisionShape& shape() const { return shape_; }

private:
    static constexpr int kFirstNeighbor[4] = {0, 2, 4, 6}, kNeighbors[6] = {1, 2, 0, 2, 0, 1};
    static constexpr int kFirstCorner[3] = {0, 3, 6}, kCorners[6] = {0, 1, 2, 2, 1, 0};

    static void columns(const double* table, int count, int width, double* out) {
        for (int k = 0; k < 3; ++k) {
            for (int row = 0; row < kColumnRows; ++row) out[k * kColumnRows + row] = table[width * (row < count ? row : 0) + k];
        }
    }

    double vertices_[9], planes_[8], vertex_columns_[3 * kColumnRows], normal_columns_[3 * kColumnRows];
    ConvexHull hull_;
    CollisionShape shape_;
};

}  // namespace geometry

KIDO_END
