#pragma once

#include <cmath>

#include "kido/scalar/atan.hpp"

// Numbers and rules that all searches for positions share.

KIDO_BEGIN

// Iterations in which a start has to lower its squared error to the given part at most; else it is stuck.
inline constexpr int kPatience = 10;
inline constexpr double kProgress = 0.25;

// Factors of the damping near what cannot be reached, after a step that did not help and after one that did.
inline constexpr double kStronger = 8.0, kWeaker = 0.5;

// Distance to a limit from which on it does not count [rad, characteristic length].
inline constexpr double kWideRoom = 4.0;

// How much a dof counts in a step, by its distance to the limit that it moves to [rad, characteristic length]: the nearer, the less;
// a part of Coleman and Li's scaling (1996).
template <class T>
KIDO_INLINE T weight_by_room(const T& room) {
    constexpr double least = 1e-3;
    return min(max(room * (1.0 / kWideRoom), T(least)), T(1.0));
}

// Whether a dof is where it can go no further.
KIDO_INLINE bool is_at_limit(double q, double low, double high) { return q <= low || q >= high; }

// The opposite side of the range of a dof, a little inward; where it does not jump, it only moves inward.
KIDO_INLINE double mirrored(double q, double low, double high, bool jumps) {
    constexpr double inward = 0.1;  // part of the distance to the middle of the range
    const double image = jumps ? low + high - q : q;
    return image + inward * (0.5 * (low + high) - image);
}

// An angle, shifted by whole turns as near to another as limits let it.
KIDO_INLINE double unwound(double q, double near, double low, double high) {
    const double turn = 2.0 * arctangent::kPiHigh;
    double count = std::nearbyint((near - q) / turn);
    count = min(max(count, std::ceil((low - q) / turn)), std::floor((high - q) / turn));
    return min(max(q + count * turn, low), high);
}

KIDO_END
