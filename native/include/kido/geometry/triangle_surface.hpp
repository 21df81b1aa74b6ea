#pragma once

#include "kido/geometry/bounding_box.hpp"
#include "kido/geometry/space.hpp"
#include "kido/geometry/triangle_mesh.hpp"

// Meshes and height fields seen alike: as triangles with neighbors, of which those near a box are found.

KIDO_BEGIN

namespace geometry {

struct Triangle {
    Vector corner[3];
    Vector normal;
    int index, region;
};

class MeshSurface {
public:
    explicit MeshSurface(const TriangleMesh& mesh) : mesh_(mesh) {}

    BoundingBox bounds() const { return {vector(mesh_.low), vector(mesh_.high)}; }
    Triangle triangle(int index) const {
        const int* c = mesh_.corners + 3 * index;
        return {{vertex(c[0]), vertex(c[1]), vertex(c[2])}, vector(mesh_.normals + 3 * index), index, mesh_.regions[index]};
    }
    // The triangle across a side; -1: none.
    int neighbor(int index, int side) const { return mesh_.neighbors[3 * index + side]; }

    // Calls f(triangle) for those whose boxes meet `box`.
    template <class F>
    void for_near(const BoundingBox& box, const F& f) const {
        walk([&](const BoundingBox& node) { return overlap(node, box); },
             [&](const Triangle& t) {
                 if (overlap(bounds_of(t), box)) f(t);
             });
    }
    // Calls f(triangle) for all triangles of nodes whose boxes `meets`.
    template <class Meets, class F>
    void walk(const Meets& meets, const F& f) const {
        int stack[kDepth], count = 0;
        stack[count++] = 0;
        while (count > 0) {
            const MeshNode& node = mesh_.nodes[stack[--count]];
            if (!meets(BoundingBox{vector(node.low), vector(node.high)})) continue;
            if (node.count == 0) {
                stack[count++] = node.first + 1;
                stack[count++] = node.first;
                continue;
            }
            for (int k = node.first; k < node.first + node.count; ++k) f(triangle(k));
        }
    }
    static BoundingBox bounds_of(const Triangle& t) {
        return {least(t.corner[0], least(t.corner[1], t.corner[2])), greatest(t.corner[0], greatest(t.corner[1], t.corner[2]))};
    }

private:
    static constexpr int kDepth = 128;  // of a tree that halves its triangles at every node: never reached

    Vector vertex(int k) const { return vector(mesh_.vertices + 3 * k); }

    const TriangleMesh& mesh_;
};

class FieldSurface {
public:
    explicit FieldSurface(const HeightField& field) : field_(field), cells_(field.columns - 1) {}

    BoundingBox bounds() const {
        return {{x_of(0), y_of(0), field_.low}, {x_of(field_.columns - 1), y_of(field_.rows - 1), field_.high}};
    }
    Triangle triangle(int index) const {
        const int cell = index / 2, row = cell / cells_, column = cell % cells_;
        const Vector start = point(row, column), end = point(row + 1, column + 1);
        const bool lower = index % 2 == 0;
        const Vector middle = lower ? point(row, column + 1) : point(row + 1, column);
        const Vector second = lower ? middle : end, third = lower ? end : middle;
        return {{start, second, third}, direction(cross(second - start, third - start), unit(2)), index, field_.regions[index]};
    }
    int neighbor(int index, int side) const {
        const int cell = index / 2, row = cell / cells_, column = cell % cells_;
        if (index % 2 == 0) {
            if (side == 0) return row > 0 ? index - 2 * cells_ + 1 : -1;
            if (side == 1) return column + 1 < cells_ ? index + 3 : -1;
            return index + 1;
        }
        if (side == 0) return index - 1;
        if (side == 1) return row + 2 < field_.rows ? index + 2 * cells_ - 1 : -1;
        return column > 0 ? index - 3 : -1;
    }

    template <class F>
    void for_near(const BoundingBox& box, const F& f) const {
        const int left = cell_of(box.low.x - x_of(0), field_.spacing[0], cells_);
        const int right = cell_of(box.high.x - x_of(0), field_.spacing[0], cells_);
        const int first = cell_of(box.low.y - y_of(0), field_.spacing[1], field_.rows - 1);
        const int last = cell_of(box.high.y - y_of(0), field_.spacing[1], field_.rows - 1);
        if (!overlap(bounds(), box)) return;
        for (int row = first; row <= last; ++row) {
            for (int column = left; column <= right; ++column) visit(row, column, box, f);
        }
    }
    // Calls f(triangle) for all triangles of cells whose boxes `meets`, row by row.
    template <class Meets, class F>
    void walk(const Meets& meets, const F& f) const {
        for (int row = 0; row < field_.rows - 1; row += kTile) {
            for (int column = 0; column < cells_; column += kTile) walk_tile(row, column, meets, f);
        }
    }

    double x_of(int column) const { return (column - 0.5 * (field_.columns - 1)) * field_.spacing[0]; }
    double y_of(int row) const { return (row - 0.5 * (field_.rows - 1)) * field_.spacing[1]; }
    int rows() const { return field_.rows - 1; }
    int columns() const { return cells_; }
    double spacing(int k) const { return field_.spacing[k]; }

private:
    static constexpr int kTile = 16;

    double height(int row, int column) const { return field_.heights[static_cast<std::ptrdiff_t>(row) * field_.columns + column]; }
    Vector point(int row, int column) const { return {x_of(column), y_of(row), height(row, column)}; }
    static int cell_of(double place, double spacing, int count) {
        return static_cast<int>(min(max(place / spacing, 0.0), count - 1.0));
    }
    template <class F>
    void visit(int row, int column, const BoundingBox& box, const F& f) const {
        const double a = height(row, column), b = height(row, column + 1), c = height(row + 1, column), d = height(row + 1, column + 1);
        if (max(max(a, b), max(c, d)) < box.low.z || min(min(a, b), min(c, d)) > box.high.z) return;
        const int index = 2 * (row * cells_ + column);
        f(triangle(index));
        f(triangle(index + 1));
    }
    template <class Meets, class F>
    void walk_tile(int row, int column, const Meets& meets, const F& f) const {
        const int last_row = std::min(row + kTile, field_.rows - 1), last_column = std::min(column + kTile, cells_);
        if (!meets(BoundingBox{{x_of(column), y_of(row), field_.low}, {x_of(last_column), y_of(last_row), field_.high}})) return;
        for (int i = row; i < last_row; ++i) {
            for (int j = column; j < last_column; ++j) {
                const double a = height(i, j), b = height(i, j + 1), c = height(i + 1, j), d = height(i + 1, j + 1);
                const double low = min(min(a, b), min(c, d)), high = max(max(a, b), max(c, d));
                if (!meets(BoundingBox{{x_of(j), y_of(i), low}, {x_of(j + 1), y_of(i + 1), high}})) continue;
                f(triangle(2 * (i * cells_ + j)));
                f(triangle(2 * (i * cells_ + j) + 1));
            }
        }
    }

    const HeightField& field_;
    int cells_;
};

// Calls f(surface) with that of a mesh or height field.
template <class F>
auto with_surface(const CollisionShape& shape, const F& f) {
    return shape.kind == ShapeKind::mesh ? f(MeshSurface(*shape.mesh)) : f(FieldSurface(*shape.field));
}

// The point of a triangle that is nearest to p. Ericson, "Real-Time Collision Detection" (2005), section 5.1.5.
inline Vector nearest_on_triangle(const Triangle& t, const Vector& p) {
    const Vector &a = t.corner[0], &b = t.corner[1], &c = t.corner[2];
    const Vector ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) return a;
    const Vector bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) return b;
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return a + ab * (d1 / (d1 - d3));
    const Vector cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) return c;
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return a + ac * (d2 / (d2 - d6));
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    const double sum = 1.0 / (va + vb + vc);
    return a + ab * (vb * sum) + ac * (vc * sum);
}

}  // namespace geometry

KIDO_END
