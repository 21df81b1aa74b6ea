#pragma once

#include "bound_frame.hpp"

namespace kido {

// Which Jacobian is wanted. Spatial: the derivative that goes with spatial accelerations.
enum class Derivative : int { none, classic, spatial };
enum class Rows : int { all, angular, linear };

struct JacobianRequest {
    Derivative derivative = Derivative::none;
    Rows rows = Rows::all;
    const BoundFrame* relative_to = nullptr;  // null: the world
    bool own_axes = true;                     // else those of `axes`
    const BoundFrame* axes = nullptr;         // null: the world
    Vec3<double> offset{0.0, 0.0, 0.0};
};

// Jacobian of a frame's point: a column for each dof that moves the frame's body, or, with `whole` not null, for each
// dof of that state, zeros where it moves neither the frame nor `relative_to`.
nb::object frame_jacobian(const BoundFrame& frame, const JacobianRequest& request, State* whole);

// The dofs that move a frame, in the order of the columns.
std::vector<int> dependent_dofs(const BoundFrame& frame);

}  // namespace kido
