#pragma once

// Every algorithm: the name in the kernel table, and the struct that has it. A new algorithm adds its header to
// native/src/kernels.cpp and a line here.

#define KIDO_ALGORITHMS(X) \
    X(forward_kinematics, ForwardKinematics) \
    X(body_transform, BodyTransform) \
    X(body_velocities, BodyVelocities) \
    X(body_velocity, BodyVelocity) \
    X(body_accelerations, BodyAccelerations) \
    X(body_acceleration, BodyAcceleration) \
    X(jacobian, Jacobian) \
    X(jacobian_derivative, JacobianDerivative) \
    X(joint_transform, JointTransform) \
    X(motion_subspace, MotionSubspace) \
    X(motion_subspace_derivative, MotionSubspaceDerivative) \
    X(inverse_dynamics, InverseDynamics) \
    X(forward_dynamics, ForwardDynamics) \
    X(hybrid_dynamics, HybridDynamics) \
    X(bias_forces, BiasForces) \
    X(gravity_forces, GravityForces) \
    X(mass_matrix, MassMatrix) \
    X(inverse_mass_matrix, InverseMassMatrix) \
    X(inverse_dynamics_derivatives, InverseDynamicsDerivatives) \
    X(forward_dynamics_derivatives, ForwardDynamicsDerivatives) \
    X(kinetic_energy, KineticEnergy) \
    X(potential_energy, PotentialEnergy) \
    X(momentum, Momentum) \
    X(centroidal_momentum, CentroidalMomentum) \
    X(centroidal_momentum_matrix, CentroidalMomentumMatrix) \
    X(center_of_mass, CenterOfMass) \
    X(center_of_mass_velocity, CenterOfMassVelocity) \
    X(center_of_mass_acceleration, CenterOfMassAcceleration) \
    X(center_of_mass_jacobian, CenterOfMassJacobian) \
    X(integrate, Integrate) \
    X(difference, Difference) \
    X(spring_forces, SpringForces)
