"""Contract of the methods of trees with user joints: named arguments, checked results."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from _looped import looped
from _methods import NOT_NUMBERS, PLAIN_METHODS, SHAPES, UNITS, Method, at_body
from _moving_skeletons import set_moving, skeleton_of
from _own_joints import with_own_joints
from _random_trees import Array

import kido

every_method = looped("method", [at_body(method, 1) for method in PLAIN_METHODS])


@cache
def tree() -> kido.Tree:
    """With user joints and a weightless body."""
    s = with_own_joints(
        set_moving(skeleton_of(["universal", "free", "revolute", "ball"], [-1, 0, 1, 2], 0), 1)
    )
    s.body(3).gravity_mode = False
    return s.tree


def arguments(method: Method, leading: tuple[int, ...] = ()) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-1.0, 1.0, (*leading, *SHAPES[name](tree()))) for name in method.arrays]


@every_method
@pytest.mark.parametrize("change", [-1, 1])
def test_wrong_size_is_named_with_expected_shape_unit_and_what_came(method: Method, change: int) -> None:
    arrays = arguments(method)
    for index, name in enumerate(method.arrays):
        wrong = list(arrays)
        shape = SHAPES[name](tree())
        wrong[index] = np.zeros((shape[0] + change, *shape[1:]))
        expected = ", ".join(str(extent) for extent in shape)
        message = f"{name}: expected shape (..., {expected}) {UNITS[name]}, got {wrong[index].shape}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            method(tree(), *wrong)


@every_method
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_named_with_their_index(method: Method, value: float) -> None:
    for leading in ((), (2, 2)):
        arrays = arguments(method, leading)
        for index, name in enumerate(method.arrays):
            wrong = [array.copy() for array in arrays]
            place = tuple(extent - 1 for extent in wrong[index].shape)
            wrong[index][place] = value
            where = ", ".join(map(str, place))
            message = f"{name}: expected finite numbers, got {value} at [{where}]"
            with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
                method(tree(), *wrong)


@every_method
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_what_are_not_numbers_is_a_type_error_that_names_the_argument(method: Method, value: object) -> None:
    arrays = arguments(method)
    for index, name in enumerate(method.arrays):
        wrong: list[object] = list(arrays)
        wrong[index] = value
        if name == "wrenches" and value is None:
            continue
        with pytest.raises(TypeError, match=rf"^{name}: expected numbers of shape"):
            method(tree(), *wrong)


@every_method
def test_leading_shapes_that_do_not_broadcast_are_named(method: Method) -> None:
    if len(method.arrays) == 1:
        return
    wrong = [*arguments(method, (2,))[:-1], arguments(method, (3,))[-1]]
    message = rf"^{method.arrays[-1]}: leading shape \(3,\) does not broadcast .* \(2,\)"
    with pytest.raises(ValueError, match=message):
        method(tree(), *wrong)


@every_method
def test_an_out_that_does_not_fit_is_refused(method: Method) -> None:
    arrays = arguments(method)
    shapes = [array.shape for array in method.results(tree(), *arrays)]

    def out(make: object) -> object:
        made = tuple(make(shape) for shape in shapes)  # type: ignore[operator]
        return made if len(made) > 1 else made[0]

    def read_only(shape: tuple[int, ...]) -> Array:
        array = np.empty(shape)
        array.flags.writeable = False
        return array

    for make, error, came in (
        (lambda shape: np.empty((*shape, 1)), ValueError, r"got \("),
        (lambda shape: np.empty(shape, np.float32), TypeError, "got float32"),
        (lambda shape: [0.0], TypeError, "got list"),
        (read_only, ValueError, "got a read-only array"),
    ):
        with pytest.raises(
            error, match=rf"^out(\[0\])?: expected a writable, C-contiguous float64 array.*{came}"
        ):
            method(tree(), *arrays, out=out(make))


def test_a_strided_out_and_a_wrong_tuple_are_refused() -> None:
    q = np.zeros(tree().num_dofs)
    strided = np.empty((len(q), 2 * len(q)))[:, ::2]
    with pytest.raises(ValueError, match=r"^out: .* got a strided array"):
        tree().mass_matrix(q, out=strided)
    for wrong in ([np.empty(len(q))] * 2, (np.empty(len(q)),)):
        with pytest.raises(TypeError, match=r"^out: expected a tuple of 2 arrays"):
            tree().hybrid_dynamics(q, q, q, q, prescribed=q > 0.0, out=wrong)  # type: ignore[arg-type]


def test_bad_options_of_hybrid_dynamics_are_named() -> None:
    n = tree().num_dofs
    q = np.zeros(n)
    with pytest.raises(ValueError, match=rf"^prescribed: expected bools of shape \({n},\), got \(2,\)"):
        tree().hybrid_dynamics(q, q, q, q, prescribed=[True, False])
    for bad in (np.zeros(n + 1), np.full(n, np.nan)):
        with pytest.raises(ValueError, match=r"^added_inertia: expected"):
            tree().hybrid_dynamics(q, q, q, q, prescribed=q > 0.0, added_inertia=bad)


def test_unknown_bodies_joints_and_frames_are_named() -> None:
    q = np.zeros(tree().num_dofs)
    for ask in (lambda: tree().transform(q, "nobody"), lambda: tree().jacobian(q, "nobody")):
        with pytest.raises(KeyError, match="nobody"):
            ask()
    for key in ("nothing", -1, 99):
        with pytest.raises((KeyError, IndexError)):
            tree().motion_subspace(q, key)
    with pytest.raises(ValueError, match=r"^frame: expected"):
        tree().jacobian(q, 0, frame="moon")
