#pragma once

#include "kido/geometry/contact_manifold.hpp"
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
    // `size`: radius of a ball that fits into both shapes, skins included. `memory`: gives corners to begin with, and takes those found.
    ConvexDistanceSearch(const Difference& shapes, double size, PairMemory& memory) : shapes_(shapes), size_(size), memory_(memory) {}

    // `remembered`: the last normal, or zero; `along`: the lowest height of the difference along it. Shapes that were shallow in each other come apart where they did before, though another way
    // may be about as short. False where they are farther apart than the limit: then distance is a lower bound.
    bool find(const Vector& remembered, double along, double limit, ConvexDistance& out) {
        const bool known = dot(remembered, remembered) > 0.5;
        const Vector start = known ? remembered : direction(shapes_.offset(), unit(2));
        NearestPoint search;
        if (known) {
            if (along > limit) return beyond(start, along, out);
            recall(search.simplex);
            if (along <= 0.0 && along > -kShallow * size_) {
                leave(search, start, along, out);
                if (out.distance <= 0.0) return true;
            }
        }
        const Meeting meeting = search.find(shapes_, zero3<double>(), start, limit);
        if (meeting == Meeting::beyond) return beyond(search.normal, search.separation, out);
        if (meeting == Meeting::apart) {
            take(search, search.offset, search.separation, out);
            return true;
        }
        ExpandingPolytope polytope(shapes_);
        polytope.expand(search.simplex);
        search.simplex.count = 0;
        leave(search, polytope.normal, -polytope.depth, out);
        return true;
    }

    // Where the shapes were nearest to each other, or came apart soonest, at three corners of their difference whose normal was `remembered`:
    // whether they still do, at these corners. That takes support points along one direction.
    bool still(const Vector& remembered, ConvexDistance& out) {
        if (memory_.num_corners != 3 || !shapes_.has_corners()) return false;
        NearestPoint search;
        recall(search.simplex);
        const Vector &a = search.simplex.vertex[0].position, &b = search.simplex.vertex[1].position, &c = search.simplex.vertex[2].position;
        const Vector across = cross(b - a, c - a);
        const double square = dot(across, across), turn = dot(across, remembered);
        if (turn * turn <= kSameSide * square || square <= kUnderflow) return false;
        const Vector n = across * (sign(turn) / sqrt(square));
        const double height = dot(n, a);
        if (height <= -kShallow * size_) return false;
        const Vector target = height > 0.0 ? zero3<double>() : n * (height - kLift * size_);
        const SimplexReduction reduction(search.simplex, target);
        if (reduction.count() != 3) return false;
        const DifferencePoint lowest = shapes_.lowest(n);
        const double bound = dot(n, lowest.position);
        bool known = bound >= height - kLevel * length(a);
        for (const auto& corner : memory_.corners) known |= lowest.first_corner == corner[0] && lowest.second_corner == corner[1];
        if (!known) return false;
        reduction.reduce(search.simplex);
        search.normal = n;
        take(search, target + reduction.nearest, min(bound, height), out);
        return true;
    }

private:
    static constexpr double kSameSide = 0.9;  // square of the cosine of the angle between normals in two tests
    static constexpr double kLevel = 4e-16;   // of the shapes' size: heights of corners of one face differ by rounding
    static constexpr double kLift = 1e-2;  // height above the difference of the point that is projected to it, to the shapes' size
    static constexpr double kSettled = 1e-12;  // one less the cosine between normals that are the same
    static constexpr double kRounding = 1e-10;  // of a depth, to the shapes' size
    static constexpr double kFarthest = 100.0;  // steps at once
    static constexpr int kProjections = 20;

    static bool beyond(const Vector& normal, double distance, ConvexDistance& out) {
        out = {normal, zero3<double>(), zero3<double>(), distance};
        return false;
    }

    void recall(Simplex& simplex) const {
        if (!shapes_.has_corners()) return;
        for (int k = 0; k < memory_.num_corners; ++k) simplex.add(shapes_.corner(memory_.corners[k][0], memory_.corners[k][1]));
    }
    void remember(const Simplex& simplex) {
        if (!shapes_.has_corners()) return;
        memory_.num_corners = simplex.count < 3 ? simplex.count : 3;
        for (int k = 0; k < memory_.num_corners; ++k) {
            memory_.corners[k][0] = static_cast<std::uint16_t>(simplex.vertex[k].first_corner);
            memory_.corners[k][1] = static_cast<std::uint16_t>(simplex.vertex[k].second_corner);
        }
    }

    void take(const NearestPoint& search, const Vector& nearest, double distance, ConvexDistance& out) {
        remember(search.simplex);
        out.normal = search.normal;
        out.distance = distance;
        out.on_second = search.simplex.on_second();
        out.on_first = out.on_second + nearest;
    }

    // The support points along n, where rounding leaves nothing better.
    void take_support(const Vector& n, ConvexDistance& out) const {
        const DifferencePoint p = shapes_.lowest(n);
        out = {n, p.on_second + p.position, p.on_second, dot(n, p.position)};
    }

    // From the normal n, along which the origin lies `-along` deep in the difference, to one along which it lies least deep nearby: the
    // point above the origin, just outside of the difference, is projected to it, and the direction of the projection is the next normal.
    // (Je, Tang, Lee, Lee and Kim, "PolyDepth", ACM Transactions on Graphics 31, 2012, for meshes.) Ends where the shapes turn out to be
    // apart.
    void leave(NearestPoint& search, Vector n, double along, ConvexDistance& out) {
        Vector change = zero3<double>();
        double turn = 4.0;  // one less the cosine of the angle from one normal to the next
        for (int k = 0; k < kProjections; ++k) {
            const Vector target = n * (along - kLift * size_);
            if (search.find(shapes_, target, n, 1e300) == Meeting::inside) {
                if (k == 0) take_support(n, out);
                return;
            }
            const double next = dot(search.normal, target) + search.separation, before = turn;
            turn = 1.0 - dot(search.normal, n);
            const bool better = k == 0 || next > out.distance;
            // As deep but for rounding, with points that lie better opposite each other.
            if (!better && (next < out.distance - kRounding * size_ || turn >= before)) return;
            take(search, target + search.offset, next, out);
            if (!better || turn < kSettled || next > 0.0) return;
            const Vector last = change;
            change = search.normal - n;
            n = search.normal;
            along = next;
            // Straight above the inside of a face, the next projection is this one.
            const bool face = search.simplex.count == 3 && shapes_.has_corners();
            if (face && SimplexReduction(search.simplex, n * (along - kLift * size_)).count() == 3) return;
            if (extrapolate(last, change, n, along)) change = zero3<double>();
        }
    }

    // Normals that come nearer to their limit by the same share each time: to that limit at once, if the origin is less deep there
    // (Aitken's method).
    bool extrapolate(const Vector& last, const Vector& change, Vector& n, double& along) const {
        const double square = dot(last, last), share = dot(change, last);
        if (share <= 0.0 || share >= square) return false;
        const Vector limit = direction(n + change * min(share / (square - share), kFarthest), n);
        const double there = dot(limit, shapes_.lowest(limit).position);
        if (there <= along) return false;
        n = limit;
        along = there;
        return true;
    }

    const Difference& shapes_;
    double size_;
    PairMemory& memory_;
};

}  // namespace geometry

KIDO_END
