#pragma once

#include "kido/geometry/shape_pair.hpp"
#include "kido/geometry/simplex.hpp"
#include "kido/geometry/support.hpp"

// The distance of two convex shapes by that of their difference from a point. Gilbert, Johnson and Keerthi, "A fast procedure for
// computing the distance between complex objects in three-dimensional space", IEEE Journal of Robotics and Automation 4, 1988;
// van den Bergen, "A fast and robust GJK implementation", Journal of Graphics Tools 4, 1999.

KIDO_BEGIN

namespace geometry {

// The difference of the cores of two shapes: all points of the first minus all of the second, in axes of the second.
class Difference {
public:
    Difference(const CollisionShape& first, const CollisionShape& second, const Axes& axes, const Vector& offset)
        : first_(first), second_(second), axes_(axes), offset_(offset) {}

    // The point that lies lowest along n.
    DifferencePoint lowest(const Vector& n) const {
        const Vector a = axes_ * support(first_, -transposed_times(axes_, n), first_vertex_) + offset_;
        const Vector b = support(second_, n, second_vertex_);
        return {a - b, b, first_vertex_, second_vertex_};
    }

    // Of a corner of each of two shapes that have some.
    DifferencePoint corner(int first, int second) const {
        const Vector b = corner_of(second_, second);
        return {axes_ * corner_of(first_, first) + offset_ - b, b, first, second};
    }
    bool has_corners() const { return geometry::has_corners(first_) && geometry::has_corners(second_); }

    const Vector& offset() const { return offset_; }
    // Of the lowest point that was asked for last, of hulls.
    int first_vertex() const { return first_vertex_; }
    int second_vertex() const { return second_vertex_; }

private:
    const CollisionShape &first_, &second_;
    Axes axes_;
    Vector offset_;
    mutable int first_vertex_ = 0, second_vertex_ = 0;  // where the next search of a hull begins
};

enum class Meeting { apart, beyond, inside };  // beyond: farther than the limit; inside: the point is, or touches

// The point of a difference that is nearest to a target.
class NearestPoint {
public:
    Simplex simplex;    // of the difference: holds the nearest point or, where the target is inside, the target
    Vector offset;      // from the target to the nearest point
    double distance;    // its length
    Vector normal;      // of a plane between target and difference
    double separation;  // and the distance of the difference from there, at least: a lower bound

    // `start`: a direction that may point from the target to the difference. The simplex may hold points of an earlier search.
    Meeting find(const Difference& shapes, const Vector& target, const Vector& start, double limit) {
        separation = kNone;
        normal = start;
        distance = -kNone;
        size_ = 0.0;
        if (simplex.count == 0) {
            simplex.add(shapes.lowest(start));
            separation = dot(start, simplex.vertex[0].position - target);
            if (separation > limit) return Meeting::beyond;
        }
        for (int k = 0; k < kIterations; ++k) {
            const SimplexReduction reduction(simplex, target);
            if (reduction.inside) return Meeting::inside;
            const double length = geometry::length(reduction.nearest);
            if (length >= distance) {
                simplex.drop_last();
                break;
            }
            reduction.reduce(simplex);
            offset = reduction.nearest;
            distance = length;
            if (distance <= kTouching * size(target)) return Meeting::inside;
            const Vector n = offset * (1.0 / distance);
            const DifferencePoint lowest = shapes.lowest(n);
            const double bound = dot(n, lowest.position - target);
            if (bound > separation) {
                separation = bound;
                normal = n;
            }
            if (bound > limit) return Meeting::beyond;
            if (distance - bound <= kGap * distance + kRounding * size_ || simplex.has(lowest.position)) break;
            simplex.add(lowest);
        }
        return Meeting::apart;
    }

private:
    static constexpr int kIterations = 100;
    static constexpr double kNone = -1e300;
    static constexpr double kGap = 1e-12;       // of the distance, between its bounds
    static constexpr double kRounding = 4e-16;  // of the shapes' size, likewise
    static constexpr double kTouching = 1e-15;  // of the shapes' size

    double size(const Vector& target) {
        for (int k = 0; k < simplex.count; ++k) {
            const Vector v = simplex.vertex[k].position - target;
            size_ = max(size_, max(abs(v.x), max(abs(v.y), abs(v.z))));
        }
        return size_;
    }

    double size_;
};

}  // namespace geometry

KIDO_END
