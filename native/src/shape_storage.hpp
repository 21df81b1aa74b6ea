#pragma once

#include <vector>

#include "kido/geometry/collision_shape.hpp"
#include "kido/geometry/hull_edges.hpp"
#include "surface_tables.hpp"

namespace kido {

// A convex polyhedron as it is described: faces counterclockwise from outside. See ConvexHull.
struct HullTables {
    std::vector<double> vertices;  // (vertices, 3) [m]
    std::vector<double> planes;    // (faces, 4): outward unit normal, offset [m]
    std::vector<int> first_corner, corners;
    std::vector<int> edges;        // (edges, 2), see ConvexHull
    double inner_radius;           // of a ball that fits into it [m]
};

// Radius of the ball about a shape's origin that holds it [m]; infinite where none does.
double bounding_radius(const CollisionShape& shape);

// A collision shape with the arrays that it points to.
class ShapeStorage {
public:
    // Of a kind that needs no arrays.
    ShapeStorage(ShapeKind kind, const double (&size)[3]);
    // Throws std::invalid_argument where the tables describe no polyhedron.
    explicit ShapeStorage(HullTables tables);
    // Throws std::invalid_argument where they describe no surface.
    explicit ShapeStorage(MeshTables tables);
    explicit ShapeStorage(FieldTables tables);
    ShapeStorage(const ShapeStorage&) = delete;
    ShapeStorage& operator=(const ShapeStorage&) = delete;

    const CollisionShape& shape() const { return shape_; }
    const HullTables& tables() const { return tables_; }
    const SurfaceTables& surface() const { return surface_; }

private:
    void check() const;
    void link_neighbors();

    CollisionShape shape_;
    HullTables tables_;
    std::vector<int> first_neighbor_, neighbors_;
    std::vector<double> vertex_columns_, normal_columns_;
    HullEdges edges_;  // of hulls with few vertices
    ConvexHull hull_;
    SurfaceTables surface_;
};

}  // namespace kido
