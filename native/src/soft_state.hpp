#pragma once

#include <memory>
#include <vector>

#include "kido/contact/native_world.hpp"

namespace kido {

class SoftDynamics;

// Point masses around a body as Python has them: numbers (points, 3) in the body's axes. `points.weighs` is the body's.
struct SoftState {
    SoftPoints points;
    std::vector<double> displacements, velocities, accelerations, forces, yielded;
    std::vector<double> targets, target_velocities, pin_forces;  // of points that are pinned: world axes
    std::vector<double> began_displacements, began_velocities, began_yielded;  // where the last step of a world began
    std::shared_ptr<SoftDynamics> dynamics;  // made when it is first asked for
    unsigned long long motion = 1, material = 1;  // versions of these numbers, and of `points`

    int size() const { return static_cast<int>(points.mass.size()); }
    // Another number whenever either is another one.
    unsigned long long version() const { return motion + material; }
};

}  // namespace kido
