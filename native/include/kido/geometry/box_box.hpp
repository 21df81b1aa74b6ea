#pragma once

#include "kido/geometry/box_axes.hpp"
#include "kido/geometry/convex_pair.hpp"
#include "kido/geometry/manifold_reduction.hpp"
#include "kido/geometry/segment.hpp"
#include "kido/geometry/support_feature.hpp"

// Two boxes: one point where two edges cross, else the face of one that the other covers.

KIDO_BEGIN

namespace geometry {

// One box of two whose face is the reference, the other whose face is clipped, and how they lie to each other.
struct FacingBoxes {
    const double *reference, *incident;  // half extents
    Axes reference_axes;
    double cosine[3][3];  // of axis i of the reference and axis j of the incident box
    double center[3];     // of the incident box, in axes of the reference
};

// The incident face, clipped by the four sides of the reference face. x, y: along the reference face, from its center; height above it.
class BoxFaceClip {
public:
    struct Point {
        double x, y, height;
        std::uint32_t feature;
    };

    // `f`: the axis normal to the reference face; `side`: its sign.
    BoxFaceClip(const FacingBoxes& boxes, int f, double side) : f1_((f + 1) % 3), f2_((f + 2) % 3) {
        int g = 0;
        for (int k = 1; k < 3; ++k) {
            if (abs(boxes.cosine[f][k]) > abs(boxes.cosine[f][g])) g = k;
        }
        start(boxes, f, side, g);
        const double x = boxes.reference[f1_], y = boxes.reference[f2_], tolerance = kInside * min(x, y);
        cut<0>(x, tolerance, 1.0, 1);
        cut<0>(x, tolerance, -1.0, 2);
        cut<1>(y, tolerance, 1.0, 3);
        cut<1>(y, tolerance, -1.0, 4);
    }

    int count() const { return count_; }
    const Point& operator[](int k) const { return from_[k]; }
    int first() const { return f1_; }
    int second() const { return f2_; }

private:
    static constexpr double kInside = 1e-4;  // of the face's size

    void start(const FacingBoxes& boxes, int f, double side, int g) {
        const auto& c = boxes.cosine;
        const double* h = boxes.incident;
        const int g1 = (g + 1) % 3, g2 = (g + 2) % 3;
        const double toward = c[f][g] * side > 0.0 ? -h[g] : h[g];
        const double cx = boxes.center[f1_] + c[f1_][g] * toward, cy = boxes.center[f2_] + c[f2_][g] * toward;
        const double cz = side * (boxes.center[f] + c[f][g] * toward) - boxes.reference[f];
        const double ax = c[f1_][g1] * h[g1], ay = c[f2_][g1] * h[g1], az = side * c[f][g1] * h[g1];
        const double bx = c[f1_][g2] * h[g2], by = c[f2_][g2] * h[g2], bz = side * c[f][g2] * h[g2];
        const std::uint32_t face = static_cast<std::uint32_t>(2 * g + (toward > 0.0 ? 1 : 0)) << 8;
        from_[0] = {cx + (ax + bx), cy + (ay + by), cz + (az + bz), face};
        from_[1] = {cx - (ax - bx), cy - (ay - by), cz - (az - bz), face + 1};
        from_[2] = {cx - (ax + bx), cy - (ay + by), cz - (az + bz), face + 2};
        from_[3] = {cx + (ax - bx), cy + (ay - by), cz + (az - bz), face + 3};
    }

    template <int Axis>
    KIDO_INLINE void cut(double bound, double tolerance, double side, std::uint32_t name) {
        double outside[8], largest = 0.0;
        for (int k = 0; k < count_; ++k) {
            outside[k] = side * (Axis == 0 ? from_[k].x : from_[k].y) - bound;
            largest = max(largest, outside[k]);
        }
        if (largest <= tolerance) return;
        int kept = 0;
        for (int k = 0; k < count_; ++k) {
            const int next = k + 1 == count_ ? 0 : k + 1;
            const Point &p = from_[k], &q = from_[next];
            const bool leaves = outside[k] < 0.0 && outside[next] > tolerance;
            const bool enters = outside[k] > tolerance && outside[next] < 0.0;
            if (outside[k] <= tolerance) to_[kept++] = p;
            if (!leaves && !enters) continue;
            const double s = outside[k] / (outside[k] - outside[next]);
            // Named by the corner that begins the side, the side that cuts, and the way across it.
            const std::uint32_t feature = (p.feature & ~0xF8U) | name << 4 | (leaves ? 8U : 0U);
            to_[kept++] = {p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p.height + s * (q.height - p.height), feature};
        }
        Point* const done = from_;
        from_ = to_;
        to_ = done;
        count_ = kept;
    }

    int f1_, f2_, count_ = 4;
    Point buffers_[2][8];
    Point *from_ = buffers_[0], *to_ = buffers_[1];
};

namespace box_box_contact {

inline constexpr double kCrossing = 1e-6;  // of the smaller box's size: edges that pass each other by less cross

// 0 where the edges do not cross, seen along their common normal.
inline int edges(ShapePair& pair, const BoxPair& boxes, const BoxAxis& found) {
    const int i = (found.index - 7) / 3, j = (found.index - 7) % 3;
    const Vector u = axis(pair.first_axes, i), v = axis(pair.second_axes, j), across = cross(u, v);
    Vector n = across * (1.0 / length(across));
    const double side = dot(n, pair.offset);
    n = n * (abs(side) > kLastAxis * boxes.size ? sign(side) : sign(dot(n, pair.remembered())));
    Segment first{pair.offset, u * boxes.a[i]}, second{zero3<double>(), v * boxes.b[j]};
    std::uint32_t feature = static_cast<std::uint32_t>(found.index) << 4;
    for (int k = 0; k < 3; ++k) {
        const Vector p = axis(pair.first_axes, k), q = axis(pair.second_axes, k);
        const double s = -sign(dot(n, p)), t = sign(dot(n, q));
        if (k != i) {
            first.center += p * (s * boxes.a[k]);
            feature = feature << 1 | (s > 0.0 ? 1U : 0U);
        }
        if (k != j) {
            second.center += q * (t * boxes.b[k]);
            feature = feature << 1 | (t > 0.0 ? 1U : 0U);
        }
    }
    const NearestPlaces places = nearest_places(first, second);
    const Vector on_first = first.at(places.first), between = on_first - second.at(places.second);
    const double gap = dot(between, n);
    const Vector aside = between - n * gap;
    if (dot(aside, aside) > kCrossing * kCrossing * boxes.size * boxes.size) return 0;
    pair.memory.feature = found.index;
    return pair.single(n, {on_first, on_first - n * gap, gap, feature});
}

inline FacingBoxes facing(const ShapePair& pair, const BoxPair& boxes, bool first_is_reference) {
    FacingBoxes out;
    out.reference = first_is_reference ? boxes.a : boxes.b;
    out.incident = first_is_reference ? boxes.b : boxes.a;
    out.reference_axes = first_is_reference ? pair.first_axes : pair.second_axes;
    for (int i = 0; i < 3; ++i) {
        out.center[i] = first_is_reference ? -boxes.in_first[i] : boxes.in_second[i];
        for (int j = 0; j < 3; ++j) out.cosine[i][j] = first_is_reference ? boxes.cosine[i][j] : boxes.cosine[j][i];
    }
    return out;
}

// 0 where nothing of the incident face lies above the reference face.
inline int faces(ShapePair& pair, const BoxPair& boxes, const BoxAxis& found) {
    const bool first_is_reference = found.index <= 3;
    const FacingBoxes facing = box_box_contact::facing(pair, boxes, first_is_reference);
    const int f = (found.index - 1) % 3;
    double side = sign(facing.center[f]);
    if (abs(facing.center[f]) <= kLastAxis * boxes.size) {
        const double kept = dot(axis(facing.reference_axes, f), pair.remembered());
        if (kept != 0.0) side = first_is_reference ? -sign(kept) : sign(kept);
    }
    const BoxFaceClip clip(facing, f, side);
    PlanePoint points[8];
    int count = 0;
    for (int k = 0; k < clip.count(); ++k) {
        const BoxFaceClip::Point& p = clip[k];
        if (p.height <= pair.margin) points[count++] = {p.x, p.y, 0.0, p.height, p.feature};
    }
    if (count == 0) return 0;
    int chosen[kManifoldPoints];
    const int number = choose_four(points, count, chosen);
    const Vector outward = axis(facing.reference_axes, f) * side;
    const Vector x = axis(facing.reference_axes, clip.first()), y = axis(facing.reference_axes, clip.second());
    const Vector origin = (first_is_reference ? pair.offset : zero3<double>()) + outward * facing.reference[f];
    const std::uint32_t face = static_cast<std::uint32_t>(2 * found.index + (side > 0.0 ? 1 : 0)) << 16;
    pair.begin(first_is_reference ? -outward : outward);
    for (int k = 0; k < number; ++k) {
        const PlanePoint& p = points[chosen[k]];
        const Vector on_reference = origin + (x * p.x + y * p.y), on_incident = on_reference + outward * p.gap;
        if (first_is_reference) {
            pair.add({on_reference, on_incident, p.gap, face | p.feature});
        } else {
            pair.add({on_incident, on_reference, p.gap, face | p.feature});
        }
    }
    pair.memory.feature = found.index;
    return 1;
}

// From the second box to the first.
inline Vector axis_along(const ShapePair& pair, int index) {
    const int i = (index - 7) / 3, j = (index - 7) % 3;
    const Vector v = index <= 3   ? axis(pair.first_axes, index - 1)
                     : index <= 6 ? axis(pair.second_axes, index - 4)
                                  : cross(axis(pair.first_axes, i), axis(pair.second_axes, j));
    return v * (sign(dot(v, pair.offset)) / length(v));
}

}  // namespace box_box_contact

inline int box_box(ShapePair& pair) {
    const BoxPair boxes(pair);
    const BoxAxis found = BoxAxisSearch(boxes, pair.margin, pair.memory.feature).find();
    if (found.separation > pair.margin) {
        return pair.apart(found.separation, box_box_contact::axis_along(pair, found.index));
    }
    if (found.index >= 7 ? box_box_contact::edges(pair, boxes, found) : box_box_contact::faces(pair, boxes, found)) return 1;
    // Edges that do not cross, or nothing of one box above the other's face: the boxes are near, but with a corner.
    const int count = convex_convex(pair);
    pair.memory.feature = 0;
    return count;
}

}  // namespace geometry

KIDO_END
