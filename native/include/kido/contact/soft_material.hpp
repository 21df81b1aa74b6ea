#pragma once

#include "kido/contact/native_world.hpp"
#include "kido/soft/soft_layer.hpp"
#include "kido/tree/joint.hpp"

// Point masses as worlds take them, as the material of a layer.

KIDO_BEGIN

inline SoftMaterial material_of(const SoftPoints& p) {
    SoftMaterial m = {p.mass,           p.vertex_stiffness, p.damping, {}, p.frozen, {}, p.edge_stiffness, p.faces,
                      p.bulk_modulus, p.yield,            p.along_edges,  p.pinned};
    for (std::size_t i = 0; i < p.mass.size(); ++i) m.rest.push_back(vec3(&p.rest[3 * i]));
    for (std::size_t i = 0; i < p.edge_stiffness.size(); ++i) m.edges.push_back({p.edges[2 * i], p.edges[2 * i + 1]});
    return m;
}

KIDO_END
