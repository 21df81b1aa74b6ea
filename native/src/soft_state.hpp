#pragma once

#include <vector>

#include "kido/contact/native_world.hpp"

namespace kido {

// Point masses around a body as Python has them: numbers (points, 3) in the body's axes. `points.weighs` is the body's.
struct SoftState {
    SoftPoints points;
    std::vector<double> displacements, velocities, accelerations, forces;
    unsigned long long motion = 1, material = 1;  // versions of these numbers, and of `points`

    int size() const { return static_cast<int>(points.mass.size()); }
};

}  // namespace kido
