#pragma once

#include <vector>

#include "state.hpp"

// Forward and inverse dynamics of one state, with all that acts on its dofs: actuators, limits, springs, dampers, and
// wrenches on the bodies.

namespace kido {

// Actuator type of a dof.
enum class Actuator : unsigned char { force, passive, servo, mimic, acceleration, velocity, locked, count };

// Constants of dofs, in the order of their rows in a table (DofConstant::count, num_dofs).
enum class DofConstant : int {
    position_lower,
    position_upper,
    velocity_lower,
    velocity_upper,
    acceleration_lower,
    acceleration_upper,
    force_lower,
    force_upper,
    initial_position,
    initial_velocity,
    rest_position,
    stiffness,
    damping,
    friction,
    armature,
    limit_stiffness,
    limit_damping,
    limit_frequency,
    limit_damping_ratio,
    constraint_impulse,
    count
};

// Constants of the dofs, actuators and external wrenches of a state.
struct Loads {
    const double* constants;          // (DofConstant::count, num_dofs)
    const unsigned char* actuators;   // (num_dofs): Actuator
    const double* wrenches;           // (num_bodies, 6) about the bodies' origins, in their axes; null: none
    double step;                      // [s], of the implicit springs and dampers
};

struct InverseDynamicsTerms {
    bool wrenches, damping, springs;
};

// Forward and inverse dynamics of one state; reuses its scratch memory from call to call.
class StateDynamics {
public:
    explicit StateDynamics(State& state) : state_(state) {}

    // Makes the forces the commands of dofs that are driven by force.
    void command_forces(const unsigned char* actuators);
    // Writes accelerations and forces of the state; false, and nothing, where a mass matrix is not positive definite.
    bool forward(const Loads& loads);
    // Writes the forces of the state.
    void inverse(const Loads& loads, const InverseDynamicsTerms& terms);
    // Changes of velocity (num_dofs) that impulses give; kinematic dofs do not yield. False as for `forward`.
    bool velocity_changes(const unsigned char* actuators, const double* impulses, double* changes);

private:
    const double* constant(const Loads& loads, DofConstant row) const {
        return loads.constants + static_cast<int>(row) * state_.num_dofs();
    }
    double* numbers(int row) { return memory_.data() + row * state_.num_dofs(); }
    void reserve();
    bool any(const double* values) const;
    const double* wrenches_or_null(const double* wrenches) const;
    void passive_forces(const Loads& loads, double* forces);
    void spring_forces(const Loads& loads, double* forces);
    bool hybrid(const double* v, const double* tau, const double* a, const double* wrenches, bool added, bool gravity);

    State& state_;
    std::vector<double> memory_;
    std::vector<unsigned char> prescribed_;
};

}  // namespace kido
