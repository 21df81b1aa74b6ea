#pragma once

// Numbers that all searches for positions share.

namespace kido {

// Iterations in which a start has to halve its error at least.
inline constexpr int kPatience = 10;

// Part of the distance to the middle of its range that a mirrored dof is moved.
inline constexpr double kInward = 0.1;

// Distance to a limit [rad, characteristic length] from which on a dof moves without regard to it, and the least weight of one.
inline constexpr double kRoom = 4.0, kLeastWeight = 1e-3;

}  // namespace kido
