#pragma once

#include <optional>

#include "kido/soft/soft_layer.hpp"
#include "soft_state.hpp"

namespace kido {

// The equations of motion of point masses around a body without a world: what they leave at the body, and how they follow it. The layer,
// with its factor, is kept as long as springs are the same.
class SoftDynamics {
public:
    static SoftDynamics& of(SoftState& soft);

    // What the points leave at the body in a step of length h [s], see SoftLayer; false where nothing holds them. `forces`: whether those
    // from outside act. spin: the body's angular velocity; gravity on the points: both in the body's axes.
    bool eliminate(const SoftState& soft, double h, const Vec3<double>& spin, const Vec3<double>& gravity, bool forces, SoftLoad& load);
    // Whether they were eliminated with the springs that they have.
    bool knows(const SoftState& soft) const { return layer_ && material_ == soft.material; }
    // After `eliminate`: accelerations of the points beside the body, whose own are `angular` and `linear`, as of SoftLayer.
    void accelerate(SoftState& soft, const Vec3<double>& angular, const Vec3<double>& linear, const Vec3<double>& spin);
    // After `eliminate`: changes the points' velocities by what changes of the body's make of them.
    void follow(SoftState& soft, const Vec3<double>& angular, const Vec3<double>& linear) const;

private:
    std::optional<SoftLayer> layer_;
    unsigned long long material_ = 0;
};

}  // namespace kido
