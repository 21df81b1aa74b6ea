"""Arguments that are rotations or transforms: the forms that are taken and refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import kido.math as km

RNG = np.random.default_rng(8)
ROTATIONS = Rotation.random(6, rng=RNG)
TRANSFORMS = RigidTransform.from_components(RNG.normal(size=(6, 3)), ROTATIONS)


@pytest.mark.parametrize("function", [km.so3_log, km.matrix_to_quaternion, km.as_rotation_matrix])
def test_scipy_rotations_are_taken_as_their_matrices(function) -> None:  # type: ignore[no-untyped-def]
    np.testing.assert_array_equal(function(ROTATIONS), function(ROTATIONS.as_matrix()))
    np.testing.assert_array_equal(function(ROTATIONS[0]), function(ROTATIONS.as_matrix()[0]))


@pytest.mark.parametrize(
    "function", [km.se3_log, km.inverse_transform, km.adjoint, km.coadjoint, km.as_transform_matrix]
)
def test_scipy_transforms_are_taken_as_their_matrices(function) -> None:  # type: ignore[no-untyped-def]
    np.testing.assert_array_equal(function(TRANSFORMS), function(TRANSFORMS.as_matrix()))
    np.testing.assert_array_equal(function(TRANSFORMS[0]), function(TRANSFORMS.as_matrix()[0]))


def test_exp_and_log_are_those_of_scipy() -> None:
    vectors = ROTATIONS.as_rotvec()
    np.testing.assert_allclose(km.so3_log(ROTATIONS), vectors, rtol=0, atol=2e-15)
    np.testing.assert_allclose(km.so3_exp(vectors), ROTATIONS.as_matrix(), rtol=0, atol=1e-15)
    twists = TRANSFORMS.as_exp_coords()
    np.testing.assert_allclose(km.se3_log(TRANSFORMS), twists, rtol=0, atol=1e-14)
    np.testing.assert_allclose(km.se3_exp(twists), TRANSFORMS.as_matrix(), rtol=0, atol=5e-15)
    inverse = TRANSFORMS.inv().as_matrix()
    np.testing.assert_allclose(km.inverse_transform(TRANSFORMS), inverse, rtol=0, atol=2e-15)


def test_importing_kido_math_does_not_import_scipy() -> None:
    code = "import sys, kido.math; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("scale", [0.99, 1.01])
def test_rotations_are_refused_beyond_the_tolerance(scale: float) -> None:
    """Stretched by e, R^T R - 1 is 2 e to first order."""
    matrix = ROTATIONS[0].as_matrix() * (1.0 + 0.5 * scale * km.ROTATION_TOLERANCE)
    assert km.is_rotation(matrix) == (scale < 1.0)
    if scale < 1.0:
        np.testing.assert_array_equal(km.as_rotation_matrix(matrix), matrix)
    else:
        with pytest.raises(ValueError, match=r"^rotation: expected a rotation, R\^T R = 1 within 1e-06, got"):
            km.as_rotation_matrix(matrix)


def test_skewed_axes_are_no_rotation() -> None:
    matrix = np.eye(3)
    matrix[0, 1] = 1e-5
    assert not km.is_rotation(matrix)
    assert km.is_rotation(matrix, tolerance=2e-5)


def test_a_reflection_is_no_rotation() -> None:
    mirror = np.diag([1.0, 1.0, -1.0])
    assert not km.is_rotation(mirror)
    with pytest.raises(ValueError, match=r"^R: expected a right-handed rotation, got a reflection"):
        km.as_rotation_matrix(mirror, "R")


def test_each_matrix_of_a_batch_is_judged() -> None:
    matrices = ROTATIONS.as_matrix()
    matrices[1] *= -1.0
    matrices[3, 0, 0] = np.nan
    matrices[4, 2, 1] = np.inf
    np.testing.assert_array_equal(km.is_rotation(matrices), [True, False, True, False, False, True])
    np.testing.assert_array_equal(
        km.is_rotation(matrices.reshape(2, 3, 3, 3)), [[True, False, True], [False, False, True]]
    )


def test_a_transform_has_a_rotation_a_finite_translation_and_the_last_row_of_one() -> None:
    good = TRANSFORMS.as_matrix()
    bad = good.copy()
    bad[0, :3, :3] *= -1.0
    bad[1, 1, 3] = np.nan
    bad[2, 3, 0] = 1e-3
    bad[3, 3, 3] = 0.0
    bad[4, 0, 3] = np.inf
    np.testing.assert_array_equal(km.is_transform(good), [True] * 6)
    np.testing.assert_array_equal(km.is_transform(bad), [False] * 5 + [True])
    assert km.is_transform(good[0]) is True
    with pytest.raises(ValueError, match=r"^T: expected the last row \[0, 0, 0, 1\], got \[0\.001, "):
        km.as_transform_matrix(bad[2], "T")
    with pytest.raises(ValueError, match=r"^T: expected a right-handed rotation"):
        km.as_transform_matrix(bad[0], "T")


def test_the_nearest_rotation_is_nearer_than_any_other() -> None:
    for matrix in RNG.normal(size=(20, 3, 3)):
        nearest = km.nearest_rotation(matrix)
        assert km.is_rotation(nearest, 1e-14)
        distance = np.linalg.norm(nearest - matrix)
        near = nearest @ km.so3_exp(RNG.normal(size=(100, 3)) * 0.1)
        far = Rotation.random(100, rng=RNG).as_matrix()
        for other in (near, far):
            assert np.all(np.linalg.norm(other - matrix, axis=(1, 2)) >= distance)


def test_the_nearest_rotation_to_a_rotation_is_itself() -> None:
    matrices = ROTATIONS.as_matrix().reshape(2, 3, 3, 3)
    np.testing.assert_allclose(km.nearest_rotation(matrices), matrices, rtol=0, atol=2e-15)
    np.testing.assert_allclose(km.nearest_rotation(3.0 * matrices[0]), matrices[0], rtol=0, atol=2e-15)


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), np.outer([1.0, 2.0, 3.0], [0.3, 0.2, 0.1])])
def test_no_rotation_is_nearest_to_a_matrix_of_rank_one(matrix: np.ndarray) -> None:
    with pytest.raises(ValueError, match="rank 2"):
        km.nearest_rotation(matrix)
