#pragma once

#include "kido/geometry/gjk.hpp"
#include "kido/geometry/polytope.hpp"

// The direction along which two overlapping convex shapes come apart soonest. Van den Bergen, "Proximity queries and penetration depth
// computation on 3D game objects", Game Developers Conference 2001: a polytope within the difference of the shapes grows where its
// surface is nearest to the origin.

KIDO_BEGIN

namespace geometry {

class ExpandingPolytope {
public:
    // The best direction that was seen, from the second shape to the first, and how deep the shapes are in each other along it.
    Vector normal = unit(2);
    double depth = 1e300;

    explicit ExpandingPolytope(const Difference& shapes) : shapes_(shapes) {}

    // Begins with a simplex that holds the origin.
    void expand(const Simplex& simplex) {
        if (!start(simplex)) return;
        while (!polytope_.full()) {
            const int nearest = polytope_.nearest_face();
            if (nearest < 0) return;
            const Polytope::Face& face = polytope_.face(nearest);
            const double distance = face.distance;
            const Vector next = lowest(-face.normal);
            if (depth - distance <= kPrecise * depth + kFlat * polytope_.size() || !polytope_.grow(nearest, next)) return;
        }
    }

private:
    static constexpr double kPrecise = 1e-6;  // relative, of the depth: what follows refines it
    static constexpr double kFlat = 1e-12;    // height of a tetrahedron to its size

    // The lowest point along n, which is remembered where it is not as low as all others.
    Vector lowest(const Vector& n) {
        const Vector p = shapes_.lowest(n).position;
        if (-dot(n, p) < depth) {
            depth = -dot(n, p);
            normal = n;
        }
        return p;
    }

    // A tetrahedron around the origin. False where the difference is flat.
    bool start(const Simplex& simplex) {
        for (int k = 0; k < simplex.count; ++k) polytope_.add(simplex.vertex[k].position);
        if (polytope_.count == 1 && !extend_point()) return false;
        if (polytope_.count == 2 && !extend_segment()) return false;
        if (polytope_.count == 3 && !extend_triangle()) return false;
        return polytope_.close();
    }

    // Adds a support point that lies off what is there, along d or against it.
    bool extend(const Vector& d) {
        for (const double side : {-1.0, 1.0}) {
            const Vector p = lowest(d * side);
            if (abs(dot(d, p - polytope_.vertices[0])) <= kFlat * max(polytope_.size(), length(p))) continue;
            polytope_.add(p);
            return true;
        }
        return false;
    }

    bool extend_point() { return extend(unit(0)) || extend(unit(1)) || extend(unit(2)); }

    bool extend_segment() {
        const Vector d = direction(polytope_.vertices[1] - polytope_.vertices[0], unit(2)), x = perpendicular(d);
        return extend(x) || extend(cross(d, x));
    }

    bool extend_triangle() {
        const Vector* v = polytope_.vertices;
        return extend(direction(cross(v[1] - v[0], v[2] - v[0]), unit(2)));
    }

    const Difference& shapes_;
    Polytope polytope_;
};

}  // namespace geometry

KIDO_END
