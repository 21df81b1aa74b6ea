"""The native half of worlds and of shapes, asked past what kido prepares: errors, never crashes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kido import _core, gallery
from kido.skeleton import SimulationView

POSE = np.array([0.0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
CONTACTS = (0.25, 5.0, 4.0)
"""Frequency, damping ratio and push speed of contacts, as the block solver has them."""
SPHERE = _core.CollisionShape("sphere", [0.1])


def arm() -> tuple[_core.World, SimulationView]:
    view = SimulationView(gallery.arm())
    world = _core.World()
    assert world.add_skeleton(view.tree, view.state, False, True) == 0
    return world, view


def ready() -> _core.World:
    world, view = arm()
    world.set_loads(0, *view.loads)
    world.set_settings(1e-3, np.array([0.0, 0.0, -9.81]), 5e-4, 1, 1, 0.01, 0, *CONTACTS)
    return world


def test_a_world_that_was_told_all_that_it_needs_steps() -> None:
    world = ready()
    assert world.step(3) and world.steps == 3


def test_what_a_step_needs_is_asked_for() -> None:
    world, view = arm()
    for _ in range(2):
        with pytest.raises(ValueError, match="world: expected settings, and loads of all skeletons"):
            world.step(1)
        world.set_settings(1e-3, np.zeros(3), 5e-4, 1, 1, 0.01, 0, *CONTACTS)
    world.set_loads(0, *view.loads)
    assert world.step(1)


def test_a_state_of_another_robot_is_refused() -> None:
    view, other = SimulationView(gallery.arm()), SimulationView(gallery.box((1, 1, 1), name="box"))
    with pytest.raises(ValueError, match="state: expected one of the tree"):
        _core.World().add_skeleton(view.tree, other.state, False, True)


@pytest.mark.parametrize("index", [-1, 1, 2**31 - 1])
def test_indices_that_there_are_not_are_told(index: int) -> None:
    world, view = arm()
    bodies = len(view.skeleton.bodies)
    with pytest.raises(IndexError, match=f"index: there is none of index {index}"):
        world.set_loads(index, *view.loads)
    with pytest.raises(IndexError, match="index: there is none"):
        world.set_couplings(index, [])
    with pytest.raises(IndexError, match="index: there is none"):
        world.constraint_wrench(index)
    body = index if index else bodies
    body = bodies if index == 1 else index
    for skeleton, of in ((0, body), (1, 0)):
        with pytest.raises(IndexError, match="there is none of index"):
            world.add_collider(skeleton, of, SPHERE, np.eye(4), np.zeros(16), 1, False, -1)
        with pytest.raises(IndexError, match="there is none of index"):
            world.add_constraint(skeleton, of, POSE, -1, 0, POSE, (True,) * 6, None, (0.0,) * 4, True, True)
    dof = view.skeleton.num_dofs if index == 1 else index
    with pytest.raises(IndexError, match="dof: there is none of index"):
        world.set_couplings(0, [(0, dof, 1.0, 0.0, False)])


LOADS = ("constants", "actuators", "wrenches", "limited")


@pytest.mark.parametrize("place", range(4), ids=LOADS)
def test_loads_are_read_where_they_are_only_from_plain_arrays(place: int) -> None:
    world, view = arm()
    loads: list[Any] = list(view.loads)
    loads[2] = np.zeros((len(view.skeleton.bodies), 6))
    good = loads[place]
    swapped = good.astype(good.dtype.newbyteorder()) if good.dtype.itemsize > 1 else good.astype(np.int8)
    wide = np.zeros((*good.shape[:-1], 2 * good.shape[-1]), good.dtype)[..., ::2]
    for bad in (wide, swapped, good[:-1], good[..., None], good.astype(np.float32), good.tolist(), "x", 3):
        with pytest.raises(ValueError, match=f"{LOADS[place]}: expected a C-contiguous array of shape"):
            world.set_loads(0, *(bad if i == place else x for i, x in enumerate(loads)))
    frozen = good.copy()
    frozen.flags.writeable = False
    world.set_loads(0, *(frozen if i == place else x for i, x in enumerate(loads)))


def test_arrays_of_loads_live_as_long_as_they_are_read() -> None:
    world, view = arm()
    loads = [None if x is None else x.copy() for x in view.loads]
    world.set_loads(0, *loads)
    world.set_settings(1e-3, np.array([0.0, 0.0, -9.81]), 5e-4, 1, 1, 0.01, 0, *CONTACTS)
    del loads
    fill = [np.full(15 * view.skeleton.num_dofs, np.nan) for _ in range(100)]
    assert world.step(5) and len(fill) == 100
    assert np.isfinite(view.skeleton.positions).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0.0, 1e-3, 0), "step: expected a positive time"),
        ((np.nan, 1e-3, 0), "step: expected a positive time"),
        ((1e-3, 0.0, 0), "step: expected a positive time"),
        ((1.0, 1e-9, 0), "step: expected a positive time"),
        ((1e-3, 1e-3, -1), "integrator: unknown one"),
        ((1e-3, 1e-3, 9), "integrator: unknown one"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given: tuple[float, float, int], message: str) -> None:
    step, substep, integrator = given
    with pytest.raises(ValueError, match=message):
        _core.World().set_settings(step, np.zeros(3), substep, 1, 1, 0.01, integrator, *CONTACTS)


@pytest.mark.parametrize(
    "state", [(), ("sphere",), ("hull", ()), ("hull", (1, 2)), ("mesh", ()), ("height_field", (1,))]
)
def test_states_of_shapes_that_are_too_short_are_refused(state: Any) -> None:
    shape = _core.CollisionShape.__new__(_core.CollisionShape)
    with pytest.raises(ValueError, match="state: expected"):
        shape.__setstate__(state)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200, 1.7e308])
def test_directions_of_any_length_are_directions(size: float) -> None:
    distance, normal = _core.ray_cast(SPHERE, np.eye(4), [-1.0, 0.0, 0.0], [size, 0.0, 0.0], 10.0)
    np.testing.assert_allclose([distance, *normal], [0.9, -1.0, 0.0, 0.0], atol=1e-15)
    form = _core.ClosedForm.of_axes([[0, 0, size]] * 2, [[0, 0, 0], [1, 0, 0]], np.eye(4), -1, [False] * 2)
    plain = _core.ClosedForm.of_axes([[0, 0, 1.0]] * 2, [[0, 0, 0], [1, 0, 0]], np.eye(4), -1, [False] * 2)
    assert (form.reason, form.family) == (plain.reason, plain.family)


def test_results_too_large_for_memory_are_refused_before_anything_is_computed() -> None:
    origin, direction = np.zeros((2**21, 1, 3)), np.ones((2**21, 3))
    with pytest.raises((MemoryError, ValueError)):
        _core.ray_cast(SPHERE, np.eye(4), origin, direction, 1.0)


def test_matrices_that_are_not_square_are_refused() -> None:
    for shape in ((2, 3), (4,), ()):
        with pytest.raises(ValueError, match="A: expected a square matrix"):
            _core.lcp_is_symmetric(np.zeros(shape), 1e-9)
