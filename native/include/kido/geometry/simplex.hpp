#pragma once

#include "kido/geometry/space.hpp"

// The point of a simplex of one to four vertices that is nearest to the origin, and the least part of the simplex that has it. Ericson,
// "Real-Time Collision Detection" (2005), section 9.5; the normal of a triangle gives the direction of near points without cancellation.

KIDO_BEGIN

namespace geometry {

// A point of the difference of two shapes, first minus second.
struct DifferencePoint {
    Vector position;
    Vector on_second;
};

class Simplex {
public:
    int count = 0;
    DifferencePoint vertex[4];
    double weight[4];  // of the nearest point; they sum to 1

    void add(const DifferencePoint& point) { vertex[count++] = point; }

    bool has(const Vector& p) const {
        for (int k = 0; k < count; ++k) {
            const Vector& v = vertex[k].position;
            if (v.x == p.x && v.y == p.y && v.z == p.z) return true;
        }
        return false;
    }

    // Reduces the simplex to the part that is nearest to `target`. Returns whether a tetrahedron holds it; else `offset` becomes the
    // vector from there to the nearest point.
    bool reduce(const Vector& target, Vector& offset) {
        for (int k = 0; k < count; ++k) point_[k] = vertex[k].position - target;
        Part best;
        switch (count) {
            case 1: best = {{1.0}, {0}, 1, point_[0]}; break;
            case 2: best = segment(0, 1); break;
            case 3: best = triangle(0, 1, 2); break;
            default:
                if (tetrahedron(best)) return true;
        }
        keep(best);
        offset = best.nearest;
        return false;
    }

    Vector on_second() const {
        Vector sum = vertex[0].on_second * weight[0];
        for (int k = 1; k < count; ++k) sum += vertex[k].on_second * weight[k];
        return sum;
    }

private:
    static constexpr double kFlat = 1e-28;  // square of a tetrahedron's volume to that of its edges, where only rounding is left

    struct Part {
        double weight[3];
        int index[3];
        int count;
        Vector nearest;
    };

    Part segment(int i, int j) const {
        const Vector &a = point_[i], &b = point_[j], d = b - a;
        const double square = dot(d, d), along = -dot(a, d);
        if (along <= 0.0 || square <= kUnderflow) return {{1.0}, {i}, 1, a};
        if (along >= square) return {{1.0}, {j}, 1, b};
        const double t = along / square;
        return {{1.0 - t, t}, {i, j}, 2, a + d * t};
    }

    static const Part& nearer(const Part& p, const Part& q) {
        return dot(q.nearest, q.nearest) < dot(p.nearest, p.nearest) ? q : p;
    }

    Part triangle(int i, int j, int k) const {
        const Vector &a = point_[i], &b = point_[j], &c = point_[k];
        const Vector n = cross(b - a, c - a);
        const double square = dot(n, n);
        const double u = dot(n, cross(b, c)), v = dot(n, cross(c, a)), w = dot(n, cross(a, b));
        if (u > 0.0 && v > 0.0 && w > 0.0 && square > kUnderflow) {
            const double scale = 1.0 / (u + v + w);
            return {{u * scale, v * scale, w * scale}, {i, j, k}, 3, n * (dot(n, a) / square)};
        }
        // Beyond at least one side.
        bool found = false;
        Part best;
        const auto consider = [&](const Part& side) KIDO_INLINE_LAMBDA {
            best = found ? nearer(best, side) : side;
            found = true;
        };
        const bool flat = square <= kUnderflow;
        if (flat || w <= 0.0) consider(segment(i, j));
        if (flat || u <= 0.0) consider(segment(j, k));
        if (flat || v <= 0.0) consider(segment(k, i));
        return best;
    }

    // Whether the origin is inside; else the nearest part of the faces that it is outside of.
    bool tetrahedron(Part& best) const {
        static constexpr int faces[4][4] = {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}};
        bool inside = true;
        for (const auto& f : faces) {
            const Vector &a = point_[f[0]], &b = point_[f[1]], &c = point_[f[2]];
            const Vector ab = b - a, ac = c - a, ad = point_[f[3]] - a, n = cross(ab, ac);
            const double opposite = dot(n, ad), origin = -dot(n, a);
            const bool flat = opposite * opposite <= kFlat * (dot(ab, ab) * dot(ac, ac)) * dot(ad, ad);
            if (!flat && opposite * origin > 0.0) continue;
            const Part part = triangle(f[0], f[1], f[2]);
            best = inside ? part : nearer(best, part);
            inside = false;
        }
        return inside;
    }

    void keep(const Part& part) {
        DifferencePoint kept[3];
        for (int k = 0; k < part.count; ++k) kept[k] = vertex[part.index[k]];
        for (int k = 0; k < part.count; ++k) {
            vertex[k] = kept[k];
            weight[k] = part.weight[k];
        }
        count = part.count;
    }

    Vector point_[4];
};

}  // namespace geometry

KIDO_END
