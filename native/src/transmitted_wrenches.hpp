#pragma once

#include "body_codes.hpp"
#include "state.hpp"

// Wrenches in the joints of one state: the backward pass of the recursive Newton-Euler algorithm (Featherstone 2008,
// section 5.3), over bodies, for welded ones share a link.

namespace kido {

// What is known of the bodies of a state, beside its model.
struct BodyLoads {
    const double* rows;      // (num_bodies, BodyColumns::count)
    const int* codes;        // (num_bodies, BodyCode::count)
    const double* gravity;   // (3) in world axes [m/s^2]
    const double* wrenches;  // (num_bodies, 6) about the bodies' origins, in their axes [N m, N]; null: none
};

// What the parent joints apply on the bodies: `out` (num_bodies, 6) about the bodies' origins, in their axes [N m, N].
// A body's parent stands before it.
void transmitted_wrenches(State& state, const BodyLoads& loads, double* out);

}  // namespace kido
