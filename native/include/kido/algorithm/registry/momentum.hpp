#pragma once

// The name of each kernel of this family, and the algorithm that it runs.

#define KIDO_MOMENTUM(X) \
    X(kinetic_energy, KineticEnergy) \
    X(potential_energy, PotentialEnergy) \
    X(momentum, Momentum) \
    X(centroidal_momentum, CentroidalMomentum) \
    X(centroidal_momentum_matrix, CentroidalMomentumMatrix) \
    X(center_of_mass, CenterOfMass) \
    X(center_of_mass_velocity, CenterOfMassVelocity) \
    X(center_of_mass_acceleration, CenterOfMassAcceleration) \
    X(center_of_mass_jacobian, CenterOfMassJacobian)
