#pragma once

// The name of each kernel of this family, and the algorithm that it runs.

#define KIDO_KINEMATICS(X) \
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
    X(integrate, Integrate) \
    X(difference, Difference)
