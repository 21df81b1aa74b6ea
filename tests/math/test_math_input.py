"""Bad input to kido.math, the forms of good input, and the native boundary below."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _looped import looped

import kido.math as km
from kido import _core as native

R, T = np.eye(3), np.eye(4)
INERTIA = km.spatial_inertia(2.0, [0.1, 0.2, 0.3], np.eye(3))

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    name: (getattr(km, name), arguments)
    for name, arguments in {
        "so3_exp": {"r": np.ones(3)},
        "so3_log": {"rotation": R},
        "so3_left_jacobian": {"r": np.ones(3)},
        "so3_right_jacobian": {"r": np.ones(3)},
        "so3_left_jacobian_inverse": {"r": np.ones(3)},
        "so3_right_jacobian_inverse": {"r": np.ones(3)},
        "se3_exp": {"x": np.ones(6)},
        "se3_log": {"transform": T},
        "se3_left_jacobian": {"x": np.ones(6)},
        "se3_right_jacobian": {"x": np.ones(6)},
        "se3_left_jacobian_inverse": {"x": np.ones(6)},
        "se3_right_jacobian_inverse": {"x": np.ones(6)},
        "inverse_transform": {"T_a_b": T},
        "adjoint": {"T_a_b": T},
        "coadjoint": {"T_a_b": T},
        "transform_motion": {"T_a_b": T, "motion_b": np.ones(6)},
        "transform_force": {"T_a_b": T, "force_b": np.ones(6)},
        "motion_cross": {"v": np.ones(6), "w": np.ones(6)},
        "force_cross": {"v": np.ones(6), "f": np.ones(6)},
        "motion_cross_matrix": {"v": np.ones(6)},
        "force_cross_matrix": {"v": np.ones(6)},
        "hat": {"v": np.ones(3)},
        "vee": {"matrix": np.zeros((3, 3))},
        "quaternion_to_matrix": {"quaternion": np.ones(4)},
        "matrix_to_quaternion": {"rotation": R},
        "euler_to_matrix": {"angles": np.ones(3), "order": "XYZ"},
        "matrix_to_euler": {"rotation": R, "order": "XYZ"},
        "spatial_inertia": {"mass": np.array(2.0), "com": np.ones(3), "moment": np.eye(3)},
        "transform_inertia": {"T_a_b": T, "inertia_b": INERTIA},
        "as_rotation_matrix": {"rotation": R},
        "as_transform_matrix": {"transform": T},
        "nearest_rotation": {"matrix": R},
        "is_rotation": {"matrix": R},
        "is_transform": {"matrix": T},
    }.items()
}
ARRAYS = [
    (name, argument)
    for name, (_, arguments) in CALLS.items()
    for argument, value in arguments.items()
    if isinstance(value, np.ndarray)
]
FINITE = [(name, argument) for name, argument in ARRAYS if not name.startswith("is_")]
SHAPED = [(name, argument) for name, argument in ARRAYS if argument != "mass"]

every_array = looped("name, argument", ARRAYS)
every_shaped_array = looped("name, argument", SHAPED)
every_finite_array = looped("name, argument", FINITE)


def call(name: str, **changed: Any) -> Any:
    function, arguments = CALLS[name]
    return function(**{**arguments, **changed})


def good(name: str, argument: str) -> np.ndarray:
    return np.array(CALLS[name][1][argument])


def test_every_public_function_is_called_here() -> None:
    assert set(CALLS) == {name for name in km.__all__ if callable(getattr(km, name))}


@every_shaped_array
def test_a_wrong_shape_is_refused_by_name_with_both_shapes(name: str, argument: str) -> None:
    value = good(name, argument)
    wrong = np.zeros((*value.shape[:-1], value.shape[-1] + 1))
    expected = rf"^{argument}: expected shape \(\.\.\., \d.*got {re.escape(str(wrong.shape))}"
    with pytest.raises(ValueError, match=expected):
        call(name, **{argument: wrong})
    with pytest.raises(ValueError, match=rf"^{argument}: expected shape .*got \(\)"):
        call(name, **{argument: 1.0})


@every_array
@pytest.mark.parametrize(
    "value", ["abc", None, [1j, 2j], np.zeros(3, complex), [[1.0], [2.0, 3.0]], {}], ids=str
)
def test_what_are_not_real_numbers_is_refused_by_name(name: str, argument: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"^{argument}: expected"):
        call(name, **{argument: value})


@every_finite_array
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_by_name(name: str, argument: str, bad: float) -> None:
    value = good(name, argument)
    batch = np.stack([value, value])
    batch[(1, *np.zeros(value.ndim, dtype=int))] = bad
    expected = rf"^{argument}: expected finite numbers.*got {bad} at index \(1,"
    with pytest.raises(ValueError, match=expected):
        call(name, **{argument: batch})


@every_array
def test_input_of_any_layout_and_number_type_gives_the_same(name: str, argument: str) -> None:
    value = good(name, argument)
    stack = np.stack([value] * 4)
    expected = call(name, **{argument: stack})
    spread = np.zeros((8, *value.shape))
    spread[::2] = stack
    frozen = stack.copy()
    frozen.flags.writeable = False
    variants = [spread[::2], np.asfortranarray(stack), stack[::-1], frozen, stack.astype(">f8")]
    variants.append(stack.tolist())
    if np.array_equal(value, value.astype(np.float32)):
        variants.append(stack.astype(np.float32))
    for variant in variants:
        np.testing.assert_array_equal(call(name, **{argument: variant}), expected)


@every_array
def test_input_is_not_changed(name: str, argument: str) -> None:
    value = good(name, argument)
    before = value.copy()
    call(name, **{argument: value})
    np.testing.assert_array_equal(value, before)


@every_array
@pytest.mark.parametrize("batch", [(0,), (1,), (3,), (2, 0, 3), (2, 3)])
def test_leading_axes_are_kept(name: str, argument: str, batch: tuple[int, ...]) -> None:
    value = good(name, argument)
    single = np.asarray(call(name))
    result = np.asarray(call(name, **{argument: np.broadcast_to(value, batch + value.shape)}))
    assert result.shape == batch + single.shape
    np.testing.assert_array_equal(result, np.broadcast_to(single, result.shape))


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("is_")])
def test_results_are_contiguous_float64(name: str) -> None:
    result = call(name)
    assert result.dtype == np.float64
    assert result.flags.c_contiguous


@pytest.mark.parametrize(
    "name",
    [name for name, (_, arguments) in CALLS.items() if len(arguments) > 1 and "order" not in arguments],
)
def test_leading_shapes_that_do_not_broadcast_are_refused_by_name(name: str) -> None:
    arguments = CALLS[name][1]
    changed = {k: np.stack([v] * (2 + i)) for i, (k, v) in enumerate(arguments.items())}
    expected = rf"^{', '.join(arguments)}: expected leading shapes that broadcast, got \(2,\), \(3,\)"
    with pytest.raises(ValueError, match=expected):
        call(name, **changed)


@pytest.mark.parametrize("name", ["so3_log", "matrix_to_quaternion", "matrix_to_euler", "as_rotation_matrix"])
def test_matrices_that_are_no_rotations_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^rotation: expected a rotation, R\^T R = 1"):
        call(name, rotation=np.stack([R, 1.1 * R]))
    with pytest.raises(ValueError, match=r"^rotation: expected a right-handed rotation, got a reflection"):
        call(name, rotation=np.stack([R, -R]))


@pytest.mark.parametrize("name", [name for name, (_, arguments) in CALLS.items() if "T_a_b" in arguments])
def test_matrices_that_are_no_transforms_are_refused(name: str) -> None:
    for matrix, message in (
        (2.0 * T, r"the last row \[0, 0, 0, 1\]"),
        (np.diag([1.0, 1.0, 2.0, 1.0]), r"a rotation, R\^T R = 1"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "a right-handed rotation"),
    ):
        with pytest.raises(ValueError, match=rf"^T_a_b: expected {message}"):
            call(name, T_a_b=np.stack([T, matrix]))


@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith("so3_") and name != "so3_log"])
def test_rotation_vectors_are_refused_where_their_square_would_overflow(name: str) -> None:
    assert np.isfinite(call(name, r=[0.99e150, 0.0, 0.0])).all()
    with pytest.raises(ValueError, match=r"^r: expected angles of at most 1e\+150 \[rad\], got 1\.01e\+150"):
        call(name, r=[0.0, -1.01e150, 0.0])


@pytest.mark.parametrize("name", ["se3_exp", "se3_left_jacobian"])
def test_twists_are_refused_for_their_angle_alone(name: str) -> None:
    assert np.isfinite(call(name, x=[0.1, 0.2, 0.3, 1e200, 0.0, 0.0])).all()
    with pytest.raises(ValueError, match=r"^x: expected angles of at most 1e\+150 \[rad\], got 2e\+150"):
        call(name, x=[0.0, 2e150, 0.0, 0.0, 0.0, 0.0])


def test_a_quaternion_of_length_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^quaternion: expected a length other than 0"):
        km.quaternion_to_matrix([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])


@pytest.mark.parametrize("order", ["xyz", "XXY", "XYY", "XY", "XYZX", "", "ABC"])
@pytest.mark.parametrize("name", ["euler_to_matrix", "matrix_to_euler"])
def test_other_orders_are_refused_with_the_twelve(name: str, order: str) -> None:
    with pytest.raises(ValueError, match=rf"^order: expected one of XYX, XYZ, .*ZYZ .*got '{order}'"):
        call(name, order=order)


def test_matrices_that_are_not_skew_have_no_vector() -> None:
    with pytest.raises(ValueError, match=r"^matrix: expected a skew matrix"):
        km.vee(np.eye(3))


def test_inertia_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^mass: expected no negative number \[kg\], got -1"):
        call("spatial_inertia", mass=-1.0)
    lopsided = np.eye(3)
    lopsided[0, 1] = 1e-3
    with pytest.raises(
        ValueError, match=r"^moment: expected a symmetric matrix, got entries that differ by 0\.001"
    ):
        call("spatial_inertia", moment=lopsided)
    with pytest.raises(ValueError, match=r"^inertia_b: expected a symmetric matrix"):
        call("transform_inertia", inertia_b=np.triu(np.ones((6, 6))))
    for place in ((4, 4), (5, 5)):
        articulated = INERTIA.copy()
        articulated[place] += 1e-3
        with pytest.raises(ValueError, match=r"^inertia_b: expected the inertia of a rigid body"):
            call("transform_inertia", inertia_b=articulated)
    stretched = INERTIA.copy()
    stretched[0, 3] = stretched[3, 0] = 1e-3
    with pytest.raises(ValueError, match=r"^inertia_b: expected the inertia of a rigid body"):
        call("transform_inertia", inertia_b=stretched)


@pytest.mark.parametrize(
    "out",
    [np.zeros((2, 9), np.float32), np.zeros((2, 18))[:, ::2], np.zeros((9, 2)).T, np.zeros((2, 8)), [0.0]],
    ids=["float32", "strided", "fortran", "narrow", "list"],
)
def test_a_native_kernel_refuses_an_output_it_cannot_write(out: Any) -> None:
    with pytest.raises(TypeError):
        native.so3_exp(np.zeros((2, 3)), out)


def test_a_native_kernel_refuses_a_read_only_output_and_other_counts_of_rows() -> None:
    out = np.zeros((2, 9))
    with pytest.raises(ValueError, match="as many as the output"):
        native.so3_exp(np.zeros((3, 3)), out)
    with pytest.raises(ValueError, match="axes 0, 1 or 2"):
        native.euler_to_matrix(0, 0, 3, np.zeros((2, 3)), out)
    out.flags.writeable = False
    with pytest.raises(TypeError):
        native.so3_exp(np.zeros((2, 3)), out)
