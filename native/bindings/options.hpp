#pragma once

#include "call.hpp"
#include "kido/algorithm/body_options.hpp"

// Arguments that several methods of Tree share, and the types that the stub writes for them.

#define FLOATS "numpy.typing.NDArray[numpy.float64]"
#define ARRAY "numpy.typing.ArrayLike"
#define OUT ", out: " FLOATS " | None = None) -> " FLOATS

namespace kido {

// "body", "world" (or "aligned"), "spatial". Raises ValueError for another name.
ReferenceFrame reference_frame(nb::handle name);

// A body, its point and a frame; no offset is the body's origin. Raises ValueError or TypeError.
PointOptions point_options(const BoundTree& tree, nb::handle body, nb::handle offset, nb::handle frame);

// Runs a call that takes q, q v, or q v a.
nb::object of_motion(AnyCall& call, const BoundTree& tree, std::initializer_list<nb::handle> arguments,
                     nb::handle out);

// Runs a call that takes q, v, `name` (accelerations or forces) and wrenches.
nb::object of_loads(AnyCall& call, const BoundTree& tree, nb::handle q, nb::handle v, const char* name,
                    nb::handle third, nb::handle wrenches, nb::handle out);

// Raises ValueError where no moving body has mass, so that there is no centre of mass.
void require_mass(const BoundTree& tree);

inline constexpr const char* kPositions = "rad, m";
inline constexpr const char* kVelocities = "rad/s, m/s";
inline constexpr const char* kAccelerations = "rad/s^2, m/s^2";
inline constexpr const char* kForces = "N m, N";

}  // namespace kido
