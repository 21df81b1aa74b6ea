#pragma once

#include "kido/geometry/epa.hpp"

// Signed distance of two convex shapes: that of the plane which separates them farthest or, where they overlap, along whose normal they
// come apart soonest.

KIDO_BEGIN

namespace geometry {

// Shapes that are no deeper in each other than this share of their size come apart where they did before.
inline constexpr double kShallow = 0.1;

// In axes of the second shape, about its origin; of the cores of shapes with a skin.
struct ConvexDistance {
    Vector normal;  // from the second to the first
    Vector on_first, on_second;
    double distance;
};

class ConvexDistanceSearch {
public:
    // `size`: radius of a ball that fits into both shapes, skins included.
    ConvexDistanceSearch(const Difference& shapes, double size) : shapes_(shapes), size_(size) {}

    // `remembered`: the last normal, or zero. Shapes that were shallow in each other come apart where they did before, though another way
    // may be about as short. False where they are farther apart than the limit: then distance is a lower bound.
    bool find(const Vector& remembered, double limit, ConvexDistance& out) {
        const bool known = dot(remembered, remembered) > 0.5;
        const Vector start = known ? remembered : direction(shapes_.offset(), unit(2));
        if (known) {
            const double along = dot(start, shapes_.lowest(start).position);
            if (along > limit) return beyond(start, along, out);
            if (along <= 0.0 && along > -kShallow * size_ && leave(start, along, out)) return true;
        }
        NearestPoint search;
        switch (search.find(shapes_, zero3<double>(), start, limit)) {
            case Meeting::beyond: return beyond(search.normal, search.separation, out);
            case Meeting::apart: take(search, search.offset, search.separation, out); return true;
            case Meeting::inside: break;
        }
        ExpandingPolytope polytope(shapes_);
        polytope.expand(search.simplex);
        const Vector n = polytope.normal;
        if (!leave(n, dot(n, shapes_.lowest(n).position), out)) {
            take(search, zero3<double>(), 0.0, out);
            out.normal = n;
        }
        return true;
    }

private:
    static constexpr double kLift = 1e-2;  // height above the difference of the point that is projected to it, to the shapes' size
    static constexpr int kProjections = 20;

    static bool beyond(const Vector& normal, double distance, ConvexDistance& out) {
        out.normal = normal;
        out.distance = distance;
        return false;
    }

    static void take(const NearestPoint& search, const Vector& nearest, double distance, ConvexDistance& out) {
        out.normal = search.normal;
        out.distance = distance;
        out.on_second = search.simplex.on_second();
        out.on_first = out.on_second + nearest;
    }

    // From the normal n, along which the origin lies `-along` deep in the difference, to one along which it lies least deep nearby: the
    // point above the origin, just outside of the difference, is projected to it, and the direction of the projection is the next normal.
    // (Je, Tang, Lee, Lee and Kim, "PolyDepth", ACM Transactions on Graphics 31, 2012, for meshes.) False where the shapes are apart.
    bool leave(Vector n, double along, ConvexDistance& out) {
        const double lift = kLift * size_;
        NearestPoint search;
        for (int k = 0; k < kProjections; ++k) {
            const Vector target = n * (along - lift);
            if (search.find(shapes_, target, n, 1e300) == Meeting::inside) return k > 0;
            const double next = dot(search.normal, target) + search.separation;
            if (next > 0.0) return false;
            if (k > 0 && next <= along) return true;
            const bool settled = dot(search.normal, n) > 1.0 - 1e-15;
            take(search, target + search.offset, next, out);
            n = search.normal;
            along = next;
            if (settled) return true;
        }
        return true;
    }

    const Difference& shapes_;
    double size_;
};

}  // namespace geometry

KIDO_END
