#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kido/contact/serial_contact.hpp"
#include "kido/contact/surface_block.hpp"

// Contacts that cannot move what they touch: joints and closed loops hold it. Rounding would be all that is left of its response, and
// the impulses that move it without bounds. What nothing moves is left to what holds it.

KIDO_BEGIN

// The response of a side along any direction, about, with loops open.
inline double scale_of(const SideRows& rows, const ContactSide& side) {
    if (side.tree < 0) return rows.bodies[side.row].moves() ? rows.poses[side.row].v[kRowMass] : 0.0;
    const ArticulationResponse& response = rows.responses[side.tree];
    const auto three = [&](int first) {
        return response.scale(first) + response.scale(first + 1) + response.scale(first + 2);
    };
    if (side.point) return three(side.coordinate);
    return three(side.coordinate) + dot(side.arm, side.arm) * three(side.coordinate + 3);
}

inline constexpr double kNothing = 1e-28;  // a response that is none, whatever the units

// After a manifold was prepared: points that cannot be moved along the normal take no impulses, those that can be moved in one
// direction of the plane none across.
template <class Block>
void leave_unmoved(const SideRows& rows, const ContactSides& sides, Block& m) {
    if (sides.first.tree < 0 && sides.second.tree < 0) return;
    const double least = std::max(kUnmoved * (scale_of(rows, sides.first) + scale_of(rows, sides.second)), kNothing);
    for (int p = 0; p < Block::points; ++p) {
        if (m.normal_mass[p] == 0.0) continue;
        if (m.normal_mass[p] * least >= 1.0) {
            m.normal_mass[p] = m.tangent_step[p] = m.inverse_11[p] = m.inverse_12[p] = m.inverse_22[p] = 0.0;
            m.normal_impulse[p] = m.impulse_1[p] = m.impulse_2[p] = 0.0;
            continue;
        }
        const double sum = m.inverse_11[p] + m.inverse_22[p];
        if (std::is_same_v<Block, SurfaceBlock> || sum * least < 1.0) continue;
        const double share = m.tangent_step[p] * least < 1.0 ? m.tangent_step[p] / sum : 0.0;
        m.inverse_11[p] = std::exchange(m.inverse_22[p], m.inverse_11[p] * share) * share;
        m.inverse_12[p] *= -share;
    }
}

KIDO_END
