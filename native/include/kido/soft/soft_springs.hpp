#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kido/soft/sparse_cholesky.hpp"
#include "kido/spatial/vector.hpp"

// Masses, springs and surface of the points around a body.

KIDO_BEGIN

// What no step changes. Points first, edges after them.
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

// Of materials whose edges and faces join the same points.
inline bool same_numbers(const SoftMaterial& a, const SoftMaterial& b) {
    const auto same_place = [](const Vec3<double>& p, const Vec3<double>& q) { return p.x == q.x && p.y == q.y && p.z == q.z; };
    return a.mass == b.mass && a.vertex_stiffness == b.vertex_stiffness && a.damping == b.damping && a.frozen == b.frozen &&
           a.edge_stiffness == b.edge_stiffness && a.bulk_modulus == b.bulk_modulus && a.yield == b.yield && a.along_edges == b.along_edges &&
           a.pinned == b.pinned && std::equal(a.rest.begin(), a.rest.end(), b.rest.begin(), b.rest.end(), same_place);
}

KIDO_END
