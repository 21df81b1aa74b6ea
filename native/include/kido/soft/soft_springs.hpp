#pragma once

#include <cmath>
#include <vector>

#include "kido/soft/sparse_cholesky.hpp"
#include "kido/spatial/vector.hpp"

// Masses, springs and surface of the points around a body.

KIDO_BEGIN

// What does not change while a world runs. Points first, edges after them.
struct SoftMaterial {
    std::vector<double> mass, vertex_stiffness, damping;  // of points [kg, N/m, N s/m]
    std::vector<Vec3<double>> rest;                       // in the body's frame [m]
    std::vector<char> frozen;                             // points that stand still in the body's frame
    std::vector<GraphEdge> edges;
    std::vector<double> edge_stiffness;  // of edges [N/m]
    std::vector<int> faces = {};         // (faces, 3): the surface around the gas
    double bulk_modulus = 0.0;           // of the gas [Pa]; 0: none
    double yield = HUGE_VAL;             // how far a point goes from its place of rest before that follows [m]
    bool along_edges = false;            // whether springs of edges pull along them, to keep their lengths at rest
    std::vector<char> pinned = {};       // points that something outside leads; none: no point

    int size() const { return static_cast<int>(mass.size()); }
};

KIDO_END
