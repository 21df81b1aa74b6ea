#pragma once

#include <vector>

#include "kido/geometry/triangle_mesh.hpp"

namespace kido {

// Triangles as they are described, see TriangleMesh; none without an area.
struct MeshTables {
    std::vector<double> vertices;  // (vertices, 3) [m]
    std::vector<int> corners;      // (triangles, 3)
};

// Heights as they are described, see HeightField.
struct FieldTables {
    std::vector<double> heights;  // (rows, columns) [m]
    int rows, columns;
    double spacing[2];            // [m]
};

// A surface of triangles with the arrays that it points to: neighbors, regions, and the tree of boxes of a mesh.
class SurfaceTables {
public:
    SurfaceTables() = default;
    // Throw std::invalid_argument where the tables describe no surface.
    explicit SurfaceTables(MeshTables tables);
    explicit SurfaceTables(FieldTables tables);
    SurfaceTables(const SurfaceTables&) = delete;
    SurfaceTables& operator=(const SurfaceTables&) = delete;

    const TriangleMesh& mesh() const { return mesh_; }
    const HeightField& field() const { return field_; }
    // Of each triangle of the mesh, its number in the tables.
    const std::vector<int>& order() const { return order_; }
    const MeshTables& mesh_tables() const { return mesh_tables_; }
    const FieldTables& field_tables() const { return field_tables_; }
    // Of the ball about the origin that holds the surface [m].
    double radius() const { return radius_; }

private:
    void check_mesh() const;
    void sort_triangles();
    void find_normals();
    void find_neighbors();

    MeshTables mesh_tables_;
    FieldTables field_tables_{};
    std::vector<int> corners_, neighbors_, regions_, order_;  // corners in the order of the tree's leaves
    std::vector<double> normals_;
    std::vector<MeshNode> nodes_;
    TriangleMesh mesh_{};
    HeightField field_{};
    double radius_ = 0.0;
};

}  // namespace kido
