"""Spatial algebra: rotations, rigid transforms, twists and wrenches, for one or many."""

import numpy as np
from scipy.spatial.transform import Rotation

from kido.math import (
    adjoint,
    coadjoint,
    euler_to_matrix,
    inverse_transform,
    matrix_to_euler,
    se3_exp,
    se3_log,
    so3_exp,
    so3_log,
)

# A rotation vector is axis times angle; exp makes the matrix, log finds the vector again.
turn = np.array([0.0, 0.0, np.pi / 2])
R = so3_exp(turn)
print(R.round(12) + 0.0)
np.testing.assert_allclose(R @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)
np.testing.assert_allclose(so3_log(R), turn, atol=1e-15)
np.testing.assert_allclose(so3_log(Rotation.from_euler("z", 90, degrees=True)), turn, atol=1e-15)

# Euler angles, all twelve orders of moving axes: here yaw, pitch, roll.
angles = [0.3, -0.2, 0.1]
R_world_body = euler_to_matrix(angles, "ZYX")
np.testing.assert_allclose(R_world_body, Rotation.from_euler("ZYX", angles).as_matrix(), atol=1e-15)
np.testing.assert_allclose(matrix_to_euler(R_world_body, "ZYX"), angles, atol=1e-15)

# A twist (angular, then linear) that acts for a second is a screw motion: here a quarter turn about x = 1.
T_world_body = se3_exp([0.0, 0.0, np.pi / 2, 0.0, -np.pi / 2, 0.0])
np.testing.assert_allclose(T_world_body @ [1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], atol=1e-15)
np.testing.assert_allclose(T_world_body @ [2.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], atol=1e-15)
np.testing.assert_allclose(inverse_transform(T_world_body) @ T_world_body, np.eye(4), atol=1e-15)

# Twists change frames by the adjoint, wrenches by the coadjoint; power is the same in both frames.
rng = np.random.default_rng(7)
twist_in_body, wrench_in_body = rng.normal(size=(2, 6))
twist_in_world = adjoint(T_world_body) @ twist_in_body
wrench_in_world = coadjoint(T_world_body) @ wrench_in_body
print("power:", twist_in_world @ wrench_in_world, "W")
np.testing.assert_allclose(twist_in_world @ wrench_in_world, twist_in_body @ wrench_in_body, rtol=1e-13)

# Any leading shape: ten thousand screws at once. Logarithms undo them, for turns of less than half a circle.
screws = rng.uniform(-1.0, 1.0, (10_000, 6))
np.testing.assert_allclose(se3_log(se3_exp(screws)), screws, atol=1e-13)
