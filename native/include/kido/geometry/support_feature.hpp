#pragma once

#include <cstdint>

#include "kido/geometry/support.hpp"

// What a shape turns towards a direction: a face, a disc, an edge or side line, or a point. Of a shape with a round skin, as a
// capsule, the feature of its core.

KIDO_BEGIN

namespace geometry {

inline constexpr int kMostCorners = 64;  // of a face; of larger ones every second, fourth, ... is taken

inline constexpr int kDisc = 0;  // SupportFeature::count

// Corners of a face stand counterclockwise, seen from outside. Of a disc: its center, then two radii that are perpendicular to each
// other, as vectors.
struct SupportFeature {
    int count;  // of corners: 1 a point, 2 a segment, 3 or more a face; or kDisc
    std::uint32_t id;
    Vector normal;  // of a face or disc: outward; else the direction that was asked for
    double round;   // radius of the surface about a segment [m]; 0 of an edge
    Vector corners[kMostCorners];

    void point(const Vector& p, std::uint32_t name) {
        count = 1;
        id = name;
        corners[0] = p;
    }
    void segment(const Vector& p, const Vector& q, std::uint32_t name, double radius = 0.0) {
        count = 2;
        id = name;
        round = radius;
        corners[0] = p;
        corners[1] = q;
    }
    // About the z axis; `side`: 1 where it faces up, -1 where it faces down.
    void disc(double radius, double height, double side) {
        count = kDisc;
        id = side > 0.0 ? 1 : 2;
        normal = unit(2) * side;
        corners[0] = {0.0, 0.0, height};
        corners[1] = unit(0) * radius;
        corners[2] = unit(1) * (radius * side);
    }
};

// A face or edge is what is meant where the direction differs from its own by no more than this sine.
inline constexpr double kFeatureAngle = 0.05;
// Segments whose directions differ by no more than this sine lie along each other.
inline constexpr double kParallelSine = 0.02;

// All in the box's axes.
inline void box_feature(const double* half, const Vector& d, SupportFeature& out) {
    const double toward[3] = {d.x, d.y, d.z};
    double corner[3];
    int free[3], count = 0;
    std::uint32_t id = 0;
    for (int k = 0; k < 3; ++k) {
        corner[k] = sign(toward[k]) * half[k];
        if (abs(toward[k]) <= kFeatureAngle) {
            free[count++] = k;
        } else {
            id = id * 3 + (toward[k] < 0.0 ? 1 : 2);
        }
    }
    id += 32 * static_cast<std::uint32_t>(count == 2 ? 3 - free[0] - free[1] : count == 1 ? 3 + free[0] : 6);
    out.normal = d;
    const Vector base{corner[0], corner[1], corner[2]};
    if (count == 0) return out.point(base, id);
    const Vector first = unit(free[0]) * half[free[0]];
    const Vector start = base - unit(free[0]) * corner[free[0]];
    if (count == 1) return out.segment(start - first, start + first, id);
    out.count = 4;
    out.id = id;
    const int fixed = 3 - free[0] - free[1];
    const Vector center = start - unit(free[1]) * corner[free[1]];
    // e1 x e2 points along +fixed for (1, 2), (0, 1) and against it for (0, 2).
    const double turn = sign(toward[fixed]) * (fixed == 1 ? -1.0 : 1.0);
    const Vector second = unit(free[1]) * (half[free[1]] * turn);
    out.normal = unit(fixed) * sign(toward[fixed]);
    out.corners[0] = center + first + second;
    out.corners[1] = center - first + second;
    out.corners[2] = center - first - second;
    out.corners[3] = center + first - second;
}

inline void capsule_feature(const double* size, const Vector& d, SupportFeature& out) {
    const Vector top{0.0, 0.0, size[1]};
    out.normal = d;
    if (abs(d.z) <= kFeatureAngle) {
        out.segment(-top, top, 0, size[0]);
    } else {
        out.point(d.z < 0.0 ? -top : top, d.z < 0.0 ? 1 : 2);
    }
}

inline void cylinder_feature(const double* size, const Vector& d, SupportFeature& out) {
    out.normal = d;
    const double sine2 = d.x * d.x + d.y * d.y, height = sign(d.z) * size[1];
    const Vector rim = support_of_circle(size[0], height, d);
    if (sine2 <= kFeatureAngle * kFeatureAngle) {
        out.disc(size[0], height, sign(d.z));
    } else if (abs(d.z) <= kFeatureAngle) {
        out.segment({rim.x, rim.y, -size[1]}, {rim.x, rim.y, size[1]}, 0, size[0]);
    } else {
        out.point(rim, d.z < 0.0 ? 1 : 2);
    }
}

inline void cone_feature(const double* size, const Vector& d, SupportFeature& out) {
    out.normal = d;
    const double radius = size[0], half = size[1], across = sqrt(d.x * d.x + d.y * d.y);
    // Sine of the angle between d and the normal of the side, which is (2 half, radius) across and along.
    const double slant = sqrt(radius * radius + 4.0 * half * half), off = (d.z * 2.0 * half - across * radius) / slant;
    const Vector tip{0.0, 0.0, half}, rim = support_of_circle(radius, -half, d);
    if (across <= kFeatureAngle && d.z < 0.0) {
        out.disc(radius, -half, -1.0);
    } else if (abs(off) <= kFeatureAngle && across > 0.0) {
        out.segment(rim, tip, 0, 0.5 * radius);
    } else if (off > 0.0) {
        out.point(tip, 2);
    } else {
        out.point(rim, 1);
    }
}

namespace hull_feature {

inline void face(const ConvexHull& hull, int k, SupportFeature& out) {
    const int first = hull.first_corner[k], count = hull.first_corner[k + 1] - first;
    const int step = (count + kMostCorners - 1) / kMostCorners;
    out.normal = vector(hull.planes + 4 * k);
    out.id = static_cast<std::uint32_t>(k);
    out.count = 0;
    for (int i = 0; i < count; i += step) out.corners[out.count++] = vector(hull.vertices + 3 * hull.corners[first + i]);
}

// The neighbor to which the edge from a vertex is most nearly perpendicular to d, `above` one that is higher along d; -1 where none is.
struct VertexEdges {
    int along = -1, above = -1;

    VertexEdges(const ConvexHull& hull, int vertex, const Vector& d) {
        if (hull.edge_columns) {
            look_at_columns(hull, vertex, d);
        } else {
            look_at_neighbors(hull, vertex, d);
        }
    }

private:
    static constexpr double kHigher = 1e-20;  // square of the sine by which an edge rises: below, rounding may lead in circles

    void look_at_columns(const ConvexHull& hull, int vertex, const Vector& d) {
        const int rows = hull.first_edge[vertex + 1] - hull.first_edge[vertex], *neighbors = hull.neighbors + hull.first_neighbor[vertex];
        const double* at = hull.edge_columns + 4 * hull.first_edge[vertex];
        double flattest = kFeatureAngle * kFeatureAngle, highest = 0.0;
        for (int row = 0; row < rows; row += KIDO_LANES) {
            NativeLanes x, y, z, per_square;
            std::memcpy(&x.v, at + row, sizeof x.v);
            std::memcpy(&y.v, at + rows + row, sizeof y.v);
            std::memcpy(&z.v, at + 2 * rows + row, sizeof z.v);
            std::memcpy(&per_square.v, at + 3 * rows + row, sizeof per_square.v);
            const NativeLanes rise = d.x * x + d.y * y + d.z * z, sine2 = rise * rise * per_square;
            const double flat = -greatest_lane(-sine2);
            const NativeLanes rises = select(sine2 > kHigher, rise, NativeLanes(0.0));
            const double high = greatest_lane(rises);
            if (flat <= flattest && (flat < flattest || along < 0)) {
                flattest = flat;
                along = neighbors[row + first_lane(sine2, flat)];
            }
            if (high > highest) {
                highest = high;
                above = neighbors[row + first_lane(rises, high)];
            }
        }
    }
    static int first_lane(const NativeLanes& x, double value) { return __builtin_ctz(equal_lanes(x, NativeLanes(value))); }

    void look_at_neighbors(const ConvexHull& hull, int vertex, const Vector& d) {
        const Vector p = vector(hull.vertices + 3 * vertex);
        double along2 = kFeatureAngle * kFeatureAngle, length2 = 1.0;  // of the best: their ratio is the square of the sine
        const double own = dot(p, d);
        double height = own;
        for (int k = hull.first_neighbor[vertex]; k < hull.first_neighbor[vertex + 1]; ++k) {
            const Vector q = vector(hull.vertices + 3 * hull.neighbors[k]), edge = q - p;
            const double other = dot(q, d), rise = other - own, square = dot(edge, edge);
            // Without a branch for what nobody foresees.
            const bool higher = other > height, flatter = rise * rise * length2 <= along2 * square;
            height = higher ? other : height;
            above = higher ? hull.neighbors[k] : above;
            along2 = flatter ? rise * rise : along2;
            length2 = flatter ? square : length2;
            along = flatter ? hull.neighbors[k] : along;
        }
    }
};

}  // namespace hull_feature

// `vertex`: one that is about the highest along d. Between d and the normal of a face that is meant, or of an edge, lies that of an edge from the
// highest vertex: where none of these is meant, no face is.
inline void convex_hull_feature(const ConvexHull& hull, const Vector& d, int vertex, SupportFeature& out) {
    hull_feature::VertexEdges edges(hull, vertex, d);
    for (; edges.above >= 0; edges = hull_feature::VertexEdges(hull, vertex, d)) vertex = edges.above;
    out.normal = d;
    const int next = edges.along;
    if (next < 0) return out.point(vector(hull.vertices + 3 * vertex), static_cast<std::uint32_t>(vertex));
    const int best = farthest_row(hull.normal_columns, hull.num_faces, d);
    if (dot(vector(hull.planes + 4 * best), d) > 1.0 - 0.5 * kFeatureAngle * kFeatureAngle) {
        return hull_feature::face(hull, best, out);
    }
    const int low = vertex < next ? vertex : next, high = vertex < next ? next : vertex;
    out.segment(vector(hull.vertices + 3 * low), vector(hull.vertices + 3 * high),
                static_cast<std::uint32_t>(low * 31 + high));
}

// Of convex shapes but planes. `vertex`: of a hull, about the highest along d.
inline void support_feature(const CollisionShape& shape, const Vector& d, int vertex, SupportFeature& out) {
    switch (shape.kind) {
        case ShapeKind::capsule: return capsule_feature(shape.size, d, out);
        case ShapeKind::box: return box_feature(shape.size, d, out);
        case ShapeKind::cylinder: return cylinder_feature(shape.size, d, out);
        case ShapeKind::cone: return cone_feature(shape.size, d, out);
        case ShapeKind::hull: return convex_hull_feature(*shape.hull, d, vertex, out);
        default: break;
    }
    out.normal = d;
    out.point(support(shape, d, vertex), 0);
}
inline void support_feature(const CollisionShape& shape, const Vector& d, SupportFeature& out) {
    int vertex = 0;
    if (shape.kind == ShapeKind::hull) support_of_hull(*shape.hull, d, vertex);
    support_feature(shape, d, vertex, out);
}

}  // namespace geometry

KIDO_END
