#pragma once

#include "kido/geometry/triangle_surface.hpp"

// Which normals of contact a side or corner of a triangle allows: those of its Voronoi region, which lead from it to points that are
// nearer to it than to the rest of the surface. So a shape that slides over a flat surface does not meet the sides between its
// triangles. (Ericson, "Real-Time Collision Detection", 2005, section 5.1; the same is done by the active edges of Jolt Physics.)

KIDO_BEGIN

namespace geometry {

inline constexpr double kRegionSine = 1e-4;    // by which normals may leave a region
inline constexpr double kOnFeature = 1e-6;     // of a triangle's extent: a point this near to a side lies on it

// The part of a triangle's surface that a point lies on: sides as bits, two of them at a corner; 0 within.
inline int sides_at(const Triangle& t, const Vector& p) {
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) extent = max(extent, length(t.corner[(k + 1) % 3] - t.corner[k]));
    int sides = 0;
    for (int k = 0; k < 3; ++k) {
        const Vector along = t.corner[(k + 1) % 3] - t.corner[k], inward = cross(t.normal, along);
        const double square = dot(inward, inward);
        if (square <= kUnderflow || dot(inward, p - t.corner[k]) <= kOnFeature * extent * sqrt(square)) sides |= 1 << k;
    }
    return sides;
}

// The corner that two sides share.
constexpr int corner_of(int sides) { return sides == 0b101 ? 0 : sides == 0b011 ? 1 : 2; }

// The same point of two triangles, of a mesh or height field.
KIDO_INLINE bool same_point(const Vector& p, const Vector& q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

template <class Surface>
class VoronoiRegion {
public:
    VoronoiRegion(const Surface& surface, const Triangle& triangle) : surface_(surface), triangle_(triangle) {}

    // Whether m is a normal at the point p of the triangle.
    bool allows(const Vector& m, const Vector& p) const {
        if (dot(m, triangle_.normal) < -kRegionSine) return false;
        const int sides = sides_at(triangle_, p);
        if (sides == 0) return dot(m, triangle_.normal) > 1.0 - kRegionSine;
        if ((sides & (sides - 1)) == 0) return side_allows(sides == 1 ? 0 : sides == 2 ? 1 : 2, m);
        return corner_allows(corner_of(sides), m);
    }

    // Whether some side is a ridge, or where the surface ends.
    bool has_ridge() const {
        for (int side = 0; side < 3; ++side) {
            const int other = surface_.neighbor(triangle_.index, side);
            if (other < 0) return true;
            const Vector along = direction(triangle_.corner[(side + 1) % 3] - triangle_.corner[side], unit(0));
            if (dot(cross(triangle_.normal, surface_.triangle(other).normal), along) > kRegionSine) return true;
        }
        return false;
    }

private:
    static constexpr int kMostAround = 64;  // triangles about a corner that are looked at

    // Outward from the triangle and from its neighbor, within their planes.
    bool side_allows(int side, const Vector& m) const {
        const Vector along = direction(triangle_.corner[(side + 1) % 3] - triangle_.corner[side], unit(0));
        if (dot(m, cross(along, triangle_.normal)) < -kRegionSine) return false;
        const int other = surface_.neighbor(triangle_.index, side);
        return other < 0 || dot(m, cross(surface_.triangle(other).normal, along)) >= -kRegionSine;
    }
    // No side about the corner leads up along m.
    bool corner_allows(int corner, const Vector& m) const {
        const Vector p = triangle_.corner[corner];
        return side_ways(triangle_, p, m) && around(corner, p, m, 0) && around((corner + 2) % 3, p, m, 1);
    }
    static bool side_ways(const Triangle& t, const Vector& p, const Vector& m) {
        for (const Vector& q : t.corner) {
            const Vector d = q - p;
            if (dot(m, d) > kRegionSine * length(d)) return false;
        }
        return true;
    }
    // Across `side` of the triangle and on, in one direction about p.
    bool around(int side, const Vector& p, const Vector& m, int turn) const {
        int at = surface_.neighbor(triangle_.index, side);
        for (int k = 0; k < kMostAround && at >= 0 && at != triangle_.index; ++k) {
            const Triangle t = surface_.triangle(at);
            if (!side_ways(t, p, m)) return false;
            int corner = 0;
            while (corner < 2 && !same_point(t.corner[corner], p)) ++corner;
            // The side that was crossed is one of the two at the corner; the other one leads on.
            at = surface_.neighbor(at, turn == 0 ? corner : (corner + 2) % 3);
        }
        return true;
    }

    const Surface& surface_;
    const Triangle& triangle_;
};

}  // namespace geometry

KIDO_END
