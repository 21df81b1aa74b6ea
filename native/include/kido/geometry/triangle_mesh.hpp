#pragma once

// Surfaces of triangles, solid on the side that their normals point away from: constants only, the same bytes for every instruction
// set. Corners of a triangle stand counterclockwise seen from outside; its side k leads from corner k to corner k + 1.

namespace kido {

// A node of a tree of boxes: a leaf holds triangles first up to first + count, another node (count 0) has the children first and
// first + 1.
struct MeshNode {
    double low[3], high[3];
    int first, count;
};

struct TriangleMesh {
    const double* vertices;  // (num_vertices, 3) [m]
    const int* corners;      // (num_triangles, 3)
    const double* normals;   // (num_triangles, 3)
    const int* neighbors;    // (num_triangles, 3): the triangle across each side, -1: none
    const int* regions;      // (num_triangles): the first of the triangles that lie in one plane with it, connected
    const MeshNode* nodes;   // the first is the root
    int num_vertices, num_triangles;
    double low[3], high[3];  // of all vertices [m]
};

// Heights over a grid about the z axis: heights[row * columns + column] at x = (column - (columns - 1) / 2) * spacing[0],
// y = (row - (rows - 1) / 2) * spacing[1]. Each cell is two triangles, parted by the diagonal from its lowest x and y to its highest.
struct HeightField {
    const double* heights;  // (rows, columns) [m]
    const int* regions;     // (2 (rows - 1) (columns - 1)), as of a mesh
    int rows, columns;
    double spacing[2];      // [m]
    double low, high;       // least and largest height [m]
};

}  // namespace kido
