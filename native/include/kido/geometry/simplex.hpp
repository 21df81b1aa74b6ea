#pragma once

#include "kido/geometry/space.hpp"

// The point of a simplex of one to four vertices that is nearest to a target, and the least part of the simplex that has it. Ericson,
// "Real-Time Collision Detection" (2005), section 9.5; the normal of a triangle gives the direction of near points without cancellation.

KIDO_BEGIN

namespace geometry {

// A point of the difference of two shapes, first minus second.
struct DifferencePoint {
    Vector position;
    Vector on_second;
    int first_corner, second_corner;  // of shapes with corners

    // Number by number: a copy of what was just written would wait for it.
    KIDO_INLINE void set(const DifferencePoint& p) {
        store(p.position, &position.x);
        store(p.on_second, &on_second.x);
        first_corner = p.first_corner, second_corner = p.second_corner;
    }
};

struct Simplex {
    int count = 0;
    DifferencePoint vertex[4];
    double weight[4];  // of the nearest point; they sum to 1

    void add(const DifferencePoint& point) { vertex[count++].set(point); }
    void drop_last() { --count; }

    bool has(const Vector& p) const {
        for (int k = 0; k < count; ++k) {
            const Vector& v = vertex[k].position;
            if (v.x == p.x && v.y == p.y && v.z == p.z) return true;
        }
        return false;
    }

    Vector on_second() const {
        Vector sum = vertex[0].on_second * weight[0];
        for (int k = 1; k < count; ++k) sum += vertex[k].on_second * weight[k];
        return sum;
    }
};

class SimplexReduction {
public:
    Vector nearest;  // point of the simplex, from the target
    bool inside;     // a tetrahedron holds the target: there is no nearest point

    // Of a tetrahedron, the last vertex lies on that side of the others where the target does.
    SimplexReduction(const Simplex& simplex, const Vector& target) : inside(false) {
        for (int k = 0; k < simplex.count; ++k) store(simplex.vertex[k].position - target, &point_[k].x);
        switch (simplex.count) {
            case 1: vertex(0); break;
            case 2: segment(0, 1); break;
            case 3: triangle(0, 1, 2); break;
            default: tetrahedron();
        }
    }

    // How many vertices that part has.
    int count() const { return count_; }

    // Leaves the part that has the nearest point.
    void reduce(Simplex& simplex) const {
        DifferencePoint moved[3];
        for (int k = 0; k < count_; ++k) {
            if (index_[k] != k) moved[k].set(simplex.vertex[index_[k]]);
        }
        for (int k = 0; k < count_; ++k) {
            if (index_[k] != k) simplex.vertex[k].set(moved[k]);
            simplex.weight[k] = weight_[k];
        }
        simplex.count = count_;
    }

private:
    static constexpr double kFlat = 1e-28;  // square of a tetrahedron's volume to that of its edges, where only rounding is left

    // Takes a part that is nearer than what was found before.
    KIDO_INLINE bool better(const Vector& p) {
        const double square = dot(p, p);
        if (square >= square_) return false;
        square_ = square;
        store(p, &nearest.x);
        return true;
    }

    void vertex(int i) {
        if (!better(point_[i])) return;
        count_ = 1;
        index_[0] = i;
        weight_[0] = 1.0;
    }

    void segment(int i, int j) {
        const Vector &a = point_[i], &b = point_[j], d = b - a;
        const double square = dot(d, d), along = -dot(a, d);
        if (along <= 0.0 || square <= kUnderflow) return vertex(i);
        if (along >= square) return vertex(j);
        const double t = along / square;
        if (!better(a + d * t)) return;
        count_ = 2;
        index_[0] = i;
        index_[1] = j;
        weight_[0] = 1.0 - t;
        weight_[1] = t;
    }

    void triangle(int i, int j, int k) {
        const Vector &a = point_[i], &b = point_[j], &c = point_[k];
        const Vector n = cross(b - a, c - a);
        const double square = dot(n, n);
        const double u = dot(n, cross(b, c)), v = dot(n, cross(c, a)), w = dot(n, cross(a, b));
        const bool flat = square <= kUnderflow;
        if (u > 0.0 && v > 0.0 && w > 0.0 && !flat) {
            if (!better(n * (dot(n, a) / square))) return;
            const double scale = 1.0 / (u + v + w);
            count_ = 3;
            index_[0] = i;
            index_[1] = j;
            index_[2] = k;
            weight_[0] = u * scale;
            weight_[1] = v * scale;
            weight_[2] = w * scale;
            return;
        }
        // Beyond at least one side.
        if (flat || w <= 0.0) segment(i, j);
        if (flat || u <= 0.0) segment(j, k);
        if (flat || v <= 0.0) segment(k, i);
    }

    // The faces at the last vertex that the target is outside of.
    void tetrahedron() {
        const Vector &o = point_[3], a = point_[0] - o, b = point_[1] - o, c = point_[2] - o;
        const Vector ab = cross(a, b), bc = cross(b, c), ca = cross(c, a);
        const double volume = dot(ab, c);
        const bool flat = volume * volume <= kFlat * (dot(a, a) * dot(b, b)) * dot(c, c);
        const double side = volume < 0.0 ? 1.0 : -1.0;
        inside = true;
        if (flat || side * dot(ab, o) <= 0.0) outside_of(0, 1);
        if (flat || side * dot(bc, o) <= 0.0) outside_of(1, 2);
        if (flat || side * dot(ca, o) <= 0.0) outside_of(2, 0);
    }

    void outside_of(int i, int j) {
        inside = false;
        triangle(i, j, 3);
    }

    static constexpr double kNone = 1e300;

    Vector point_[4];
    double square_ = kNone, weight_[3];
    int count_ = 0, index_[3];
};

}  // namespace geometry

KIDO_END
