#pragma once

#include <algorithm>
#include <iterator>

#include "kido/tree/model.hpp"

// Whether two models are the same robot: as many links, with the same joints and constants, to the last bit of each number. What
// one computes, the other would.

namespace kido {

inline bool same_link(const Link& a, const Link& b) {
    const auto same = [](const auto& x, const auto& y) { return std::equal(std::begin(x), std::end(x), std::begin(y)); };
    return a.parent == b.parent && a.kind == b.kind && a.dof == b.dof && a.dof_count == b.dof_count && a.user == b.user &&
           a.massless == b.massless && a.pitch == b.pitch && a.mass == b.mass && same(a.R, b.R) && same(a.p, b.p) && same(a.h, b.h) &&
           same(a.I, b.I);
}
inline bool same_weight(const Weight& a, const Weight& b) {
    return a.mass == b.mass && std::equal(a.h, a.h + 3, b.h) && a.lifted_mass == b.lifted_mass &&
           std::equal(a.lifted_h, a.lifted_h + 3, b.lifted_h);
}
inline bool same_model(const Model& a, const Model& b) {
    if (a.num_links != b.num_links || a.num_dofs != b.num_dofs || !a.weights != !b.weights) return false;
    if (!a.armature != !b.armature || (a.armature && !std::equal(a.armature, a.armature + a.num_dofs, b.armature))) return false;
    for (int i = 0; i < a.num_links; ++i) {
        if (!same_link(a.links[i], b.links[i]) || (a.weights && !same_weight(a.weights[i], b.weights[i]))) return false;
    }
    return true;
}

}  // namespace kido
