#pragma once

#include "bound_tree.hpp"
#include "call.hpp"

// Arguments that several methods of Tree share.

namespace kido {

// "body", "world" (or "aligned"), "spatial". Raises ValueError for another name.
ReferenceFrame reference_frame(nb::handle name);

// A point of a body: None is its origin. Raises ValueError or TypeError.
void set_offset(Problem& problem, nb::handle offset);

// Chooses the body, its point and the frame of a call.
void set_body(Call& call, const BoundTree& tree, nb::handle body, nb::handle offset, nb::handle frame);

inline constexpr const char* kPositions = "rad, m";
inline constexpr const char* kVelocities = "rad/s, m/s";
inline constexpr const char* kAccelerations = "rad/s^2, m/s^2";
inline constexpr const char* kForces = "N m, N";

}  // namespace kido
