"""Spatial algebra: rotations, rigid transforms, spatial vectors and inertia.

Every function takes leading batch axes and broadcasts them as NumPy does. SciPy's `Rotation` and
`RigidTransform` are accepted wherever a rotation or transform is. Spatial vectors are angular first; T_a_b is
the pose of frame b in frame a and maps coordinates of b to those of a.
"""

from kido.math._euler import EULER_ORDERS, euler_to_matrix, matrix_to_euler
from kido.math._inertia import spatial_inertia, transform_inertia
from kido.math._quaternion import matrix_to_quaternion, quaternion_to_matrix
from kido.math._rotation import (
    ROTATION_TOLERANCE,
    as_rotation_matrix,
    as_transform_matrix,
    is_rotation,
    is_transform,
    nearest_rotation,
)
from kido.math._se3 import (
    inverse_transform,
    se3_exp,
    se3_left_jacobian,
    se3_left_jacobian_inverse,
    se3_log,
    se3_right_jacobian,
    se3_right_jacobian_inverse,
)
from kido.math._so3 import (
    so3_exp,
    so3_left_jacobian,
    so3_left_jacobian_inverse,
    so3_log,
    so3_right_jacobian,
    so3_right_jacobian_inverse,
)
from kido.math._spatial import (
    adjoint,
    coadjoint,
    force_cross,
    force_cross_matrix,
    hat,
    motion_cross,
    motion_cross_matrix,
    transform_force,
    transform_motion,
    vee,
)

__all__ = [
    "EULER_ORDERS",
    "ROTATION_TOLERANCE",
    "adjoint",
    "as_rotation_matrix",
    "as_transform_matrix",
    "coadjoint",
    "euler_to_matrix",
    "force_cross",
    "force_cross_matrix",
    "hat",
    "inverse_transform",
    "is_rotation",
    "is_transform",
    "matrix_to_euler",
    "matrix_to_quaternion",
    "motion_cross",
    "motion_cross_matrix",
    "nearest_rotation",
    "quaternion_to_matrix",
    "se3_exp",
    "se3_left_jacobian",
    "se3_left_jacobian_inverse",
    "se3_log",
    "se3_right_jacobian",
    "se3_right_jacobian_inverse",
    "so3_exp",
    "so3_left_jacobian",
    "so3_left_jacobian_inverse",
    "so3_log",
    "so3_right_jacobian",
    "so3_right_jacobian_inverse",
    "spatial_inertia",
    "transform_force",
    "transform_inertia",
    "transform_motion",
    "vee",
]
