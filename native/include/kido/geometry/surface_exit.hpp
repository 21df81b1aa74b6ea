#pragma once

#include "kido/geometry/convex_pair.hpp"
#include "kido/geometry/triangle_hull.hpp"

// The way of a convex shape out of triangles that it overlaps though none of them has a contact for it: as where an edge of the shape lies
// across a saddle, or its tip is behind a triangle beside the one that it pierces. The shortest way away from one triangle is none, for
// it may lead along the surface or into what is beside.

KIDO_BEGIN

namespace geometry {

// Everything in the surface's axes, about its origin.
template <class Surface>
class SurfaceExit {
public:
    SurfaceExit(const Surface& surface, const CollisionShape& shape, const Axes& axes, const Vector& offset, double size)
        : surface_(surface), shape_(shape), axes_(axes), offset_(offset), size_(size) {}

    // A triangle that the shape has to move by `depth` to leave, at least. The deepest are kept.
    void add(const Triangle& t, double depth) {
        depth_ = max(depth_, depth);
        int k = count_;
        if (count_ < kMostTriangles) {
            ++count_;
        } else {
            k = 0;
            for (int i = 1; i < count_; ++i) k = depths_[i] < depths_[k] ? i : k;
            if (depth <= depths_[k]) return;
        }
        triangles_[k] = t.index;
        depths_[k] = depth;
    }

    // The largest of these depths; 0 of no triangle.
    double depth() const { return depth_; }

    struct Way {
        Vector direction;  // away from the surface
        double length;     // until the shape has left all triangles [m]
        Vector place;      // on the surface, that it touches last
        Vector normal;     // of the contact there
        int triangle;      // which has it
    };

    // Along the mean normal of the triangles, then along that of the last contact, for as long as this is a shorter way.
    Way find() const {
        Vector sum = zero3<double>();
        for (int k = 0; k < count_; ++k) sum = sum + surface_.triangle(triangles_[k]).normal;
        Way best = along(direction(sum, surface_.triangle(triangles_[0]).normal));
        for (int k = 1; k < kDirections; ++k) {
            const Way way = along(best.normal);
            if (way.length > best.length - kShorter * size_) break;
            best = way;
        }
        return best;
    }

private:
    static constexpr int kMostTriangles = 32, kDirections = 4, kAdvances = 30;
    static constexpr double kNoLimit = 1e300;
    static constexpr double kShorter = 1e-3;   // of the shape's size: another way is shorter by so much
    static constexpr double kTouching = 1e-6;  // of the shape's size: the gap of shapes that touch

    Way along(const Vector& direction) const {
        Way way{direction, -kNoLimit, zero3<double>(), direction, triangles_[0]};
        for (int k = 0; k < count_; ++k) leave(surface_.triangle(triangles_[k]), way);
        return way;
    }

    // Makes the way longer where the triangle is still overlapped at its end. From beyond the triangle back towards it the gap is a convex
    // function of the way, so that Newton's steps never pass its root.
    void leave(const Triangle& t, Way& way) const {
        const TriangleHull hull(t, size_);
        Vector normal;
        Touch touch;
        if (way.length >= 0.0 && gap(hull, way.direction * way.length, 0.0, normal, touch) > 0.0) return;
        double length = beyond(t, way.direction);
        for (int k = 0; k < kAdvances; ++k) {
            const double apart = gap(hull, way.direction * length, kNoLimit, normal, touch), rate = dot(normal, way.direction);
            if (apart <= kTouching * size_ || rate <= 0.0) break;
            length -= (apart - 0.5 * kTouching * size_) / rate;
        }
        if (length <= way.length) return;
        way = {way.direction, length, touch.on_second, normal, t.index};
    }

    // Where a plane across the direction parts the triangle from the shape.
    double beyond(const Triangle& t, const Vector& direction) const {
        int vertex = 0;
        const Vector low = offset_ + axes_ * support(shape_, -transposed_times(axes_, direction), vertex);
        double height = dot(direction, t.corner[0]);
        for (int k = 1; k < 3; ++k) height = max(height, dot(direction, t.corner[k]));
        return height - dot(direction, low) + skin(shape_);
    }

    // Of the shape after a displacement, from a triangle.
    double gap(const TriangleHull& hull, const Vector& displacement, double limit, Vector& normal, Touch& touch) const {
        ContactManifold unused;
        PairMemory memory{};
        const Axes identity = {unit(0), unit(1), unit(2)};
        ShapePair pair{shape_, hull.shape(), axes_, identity, offset_ + displacement, zero3<double>(), limit, memory, unused};
        return ConvexPair(pair).nearest({}, limit, normal, touch) ? touch.gap : max(touch.gap, limit + kTouching * size_);
    }

    const Surface& surface_;
    const CollisionShape& shape_;
    Axes axes_;
    Vector offset_;
    double size_, depth_ = 0.0, depths_[kMostTriangles];
    int triangles_[kMostTriangles], count_ = 0;
};

}  // namespace geometry

KIDO_END
