#pragma once

// Shapes as collision sees them: constants only, the same bytes for every instruction set. A shape's pose is twelve numbers:
// its origin (3) [m] and its axes by columns (9), in world axes.

namespace kido {

enum class ShapeKind : int {
    sphere,        // radius
    capsule,       // radius, half of the length between the centers of its ends; along z
    box,           // half of each edge
    cylinder,      // radius, half of the length; along z
    cone,          // radius of the base, half of the length; base below, tip above, along z
    ellipsoid,     // half of each axis
    plane,         // all points with z <= 0
    hull,          // convex hull of vertices
    mesh,          // triangles, solid on the side that their normals point away from
    height_field,  // solid below a grid of heights
    count
};

// A convex polyhedron. Corners of face k, counterclockwise seen from outside: corners[first_corner[k]] up to first_corner[k + 1]; coplanar
// triangles are one face. Neighbors of vertex i, over edges of a triangulation: neighbors[first_neighbor[i]] up to first_neighbor[i + 1];
// from any vertex they lead to the one farthest along any direction without a step back. Columns have rows for every vertex
// or face, filled up to a multiple of kColumnRows with copies of the first.
struct ConvexHull {
    const double* vertices;  // (num_vertices, 3) [m]
    const int *first_neighbor, *neighbors;
    const double* planes;    // (num_faces, 4): outward normal, offset [m]
    const int *first_corner, *corners;
    int num_vertices, num_faces;
    double inner_radius;           // of a ball that fits into it [m]
    const double* vertex_columns;  // (3, rows): x, y, z of the vertices
    const double* normal_columns;  // (3, rows): of the outward normals
    // Of vertex i, (4, rows) behind 4 first_edge[i] numbers: x, y, z from it to its neighbors, and 1 / their squared distances; null: none.
    const int* first_edge = nullptr;
    const double* edge_columns = nullptr;
};

inline constexpr int kColumnRows = 8;
constexpr int column_rows(int count) { return (count + kColumnRows - 1) / kColumnRows * kColumnRows; }

struct TriangleMesh;
struct HeightField;

struct CollisionShape {
    ShapeKind kind;
    double size[3];             // [m], see ShapeKind
    double radius;              // of the ball about the origin that holds the shape [m]; infinite for a plane
    const ConvexHull* hull;     // of kind hull, else null
    const TriangleMesh* mesh;   // of kind mesh, else null
    const HeightField* field;   // of kind height_field, else null
};

}  // namespace kido
