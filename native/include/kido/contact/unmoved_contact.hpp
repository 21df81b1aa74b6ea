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
    if (side.coordinate >= kOfPoints) return response.point_scale(side.coordinate);
    const double linear = response.scale_of_three(side.coordinate, side.place);
    if (side.framed > 0) return linear;
    return linear + dot(side.arm, side.arm) * response.scale_of_three(side.coordinate + 3, response.place_of(side.coordinate + 3));
}

inline constexpr double kNothing = 1e-28;  // a response that is none, whatever the units
inline constexpr double kUnmovedByLoops = 1e-6;  // as kUnmoved, where loops hold: a lever a thousandth as long as what it moves
inline constexpr double kContactDamping = 4.0;
inline constexpr double kPoor = 0.05;      // of the response along any direction, below which depth is pushed out with damping

// What is added to the response along the normal where depth is pushed out of what hardly moves along it, an arm that is stretched: by as
// much as the depth is, as an angle, see CorrectionDamping. scale: the response along any direction.
KIDO_NOINLINE inline double contact_damping(const SideRows& rows, const ContactSides& sides, double scale, double depth) {
    double angular = 0.0;
    for (const ContactSide* side : {&sides.first, &sides.second}) {
        if (side->tree >= 0) angular = std::max(angular, rows.responses[side->tree].largest_turn(side->coordinate));
    }
    return depth > 0.0 ? kContactDamping * depth * std::sqrt(angular * scale) : 0.0;
}

// Whether closed loops hold one of the sides.
inline bool are_folded(const SideRows& rows, const ContactSides& sides) {
    return (sides.first.tree >= 0 && rows.responses[sides.first.tree].is_folded()) ||
           (sides.second.tree >= 0 && rows.responses[sides.second.tree].is_folded());
}

// Whether constraints hold links of one of the skeletons.
inline bool are_held(const SideRows& rows, const ContactSides& sides) {
    return (sides.first.tree >= 0 && rows.responses[sides.first.tree].bends()) ||
           (sides.second.tree >= 0 && rows.responses[sides.second.tree].bends());
}

// After a manifold was prepared: points that cannot be moved along the normal take no impulses, those that can be moved in one
// direction of the plane none across.
template <class Block>
void leave_unmoved(const SideRows& rows, const ContactSides& sides, Block& m) {
    if (sides.first.tree < 0 && sides.second.tree < 0) return;
    const bool folded = are_folded(rows, sides), held = are_held(rows, sides);
    const double scale = scale_of(rows, sides.first) + scale_of(rows, sides.second);
    const double least = std::max((folded ? kUnmovedByLoops : kUnmoved) * scale, kNothing);
    const double heaviest = folded ? 1.0 / std::max(kHardlyMoved * scale, kNothing) : HUGE_VAL;
    for (int p = 0; p < Block::points; ++p) {
        if (m.normal_mass[p] == 0.0) continue;
        if (m.normal_mass[p] * least >= 1.0) {
            m.normal_mass[p] = m.tangent_step[p] = m.inverse_11[p] = m.inverse_12[p] = m.inverse_22[p] = 0.0;
            m.normal_impulse[p] = m.impulse_1[p] = m.impulse_2[p] = 0.0;
            continue;
        }
        m.normal_mass[p] = std::min(m.normal_mass[p], heaviest);
        if (m.gap[p] < 0.0 && m.normal_mass[p] * kPoor * scale > 1.0) {
            // Impulses that hold velocities stay exact, so that those that push are taken back whole: what damped ones leave of a push is
            // velocity. Beside constraints, whose pushes they oppose, all are damped.
            const double damped = 1.0 + m.normal_mass[p] * contact_damping(rows, sides, scale, -m.gap[p]);
            (held ? m.normal_mass[p] : m.gap[p]) /= damped;
        }
        const double sum = m.inverse_11[p] + m.inverse_22[p];
        if (std::is_same_v<Block, SurfaceBlock> || (sum * least < 1.0 && m.inverse_11[p] >= 0.0 && m.inverse_22[p] >= 0.0)) continue;
        const bool moves = sum > 0.0 && m.tangent_step[p] > 0.0 && m.tangent_step[p] * least < 1.0;
        const double share = moves ? m.tangent_step[p] / sum : 0.0;
        m.inverse_11[p] = std::exchange(m.inverse_22[p], m.inverse_11[p] * share) * share;
        m.inverse_12[p] *= -share;
    }
}

KIDO_END
