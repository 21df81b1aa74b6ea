#pragma once

// The name of each kernel of this family, and the algorithm that it runs.

#define KIDO_DYNAMICS(X) \
    X(inverse_dynamics, InverseDynamics) \
    X(forward_dynamics, ForwardDynamics) \
    X(hybrid_dynamics, HybridDynamics) \
    X(bias_forces, BiasForces) \
    X(gravity_forces, GravityForces) \
    X(mass_matrix, MassMatrix) \
    X(inverse_mass_matrix, InverseMassMatrix)
