#pragma once

#include "kido/ik/closed_form/position_part.hpp"

// Relations between axes; tolerances are relative.

namespace kido::closed_form {

inline constexpr double kApart = 1e-3;  // sine of an angle between axes that are not taken for parallel

inline bool parallel(const Screw& a, const Screw& b, double tolerance) {
    return length(cross(a.axis, b.axis)) <= tolerance;
}

inline double distance(const Screw& axis, const Point& point) { return length(cross(axis.axis, point - axis.point)); }

// Half-way between the nearest points of two axes.
inline Point between(const Screw& a, const Screw& b) {
    Point on_a, on_b;
    nearest_points(a, b, on_a, on_b);
    return (on_a + on_b) * 0.5;
}

inline bool meet(const Screw& a, const Screw& b, double tolerance, double size) {
    if (parallel(a, b, kApart)) return false;
    Point on_a, on_b;
    nearest_points(a, b, on_a, on_b);
    return length(on_a - on_b) <= tolerance * size;
}

// Whether the last three of six joints are revolute and their axes meet.
inline bool wrist_meets(const ScrewChain& c, double tolerance) {
    for (int k = 3; k < 6; ++k) {
        if (c.joint[k].is_prismatic) return false;
    }
    return meet(c.joint[3], c.joint[4], tolerance, c.size) && !parallel(c.joint[4], c.joint[5], kApart) &&
           distance(c.joint[5], between(c.joint[3], c.joint[4])) <= tolerance * c.size;
}

}  // namespace kido::closed_form
