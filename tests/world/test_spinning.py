"""Bodies that spin fast: energy, momentum, and what a step says of their accelerations."""

from __future__ import annotations

import numpy as np
import pytest
from _scenes import KINDS, TIME_STEPS, as_kind, momentum, on_ground, push

from kido import FreeJoint, ShapeNode, Skeleton, Surface, World, gallery
from kido.description import shape_inertia
from kido.shape import Cylinder, Sphere

WEIGHTLESS = (0.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [1.0, 10.0, 150.0])
def test_a_box_that_spins_about_its_middle_axis_keeps_energy_and_momentum(kind: str, rate: float) -> None:
    made = as_kind(kind, gallery.box((0.1, 0.2, 0.4), 2.0))
    push(made, (0.0, 0.0, 0.0), (0.01 * rate, rate, 0.01 * rate))
    world = World([made], gravity=WEIGHTLESS)
    energy, before = world.energy, momentum([made])
    for _ in range(20):
        world.step(500)
        assert world.energy == pytest.approx(energy, rel=1e-9)
        np.testing.assert_allclose(momentum([made]), before, atol=1e-9 * np.linalg.norm(before))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [5.0, 200.0])
def test_a_steady_spin_turns_by_its_angle(kind: str, rate: float) -> None:
    made = as_kind(kind, gallery.box((0.1, 0.2, 0.4), 2.0))
    push(made, (0.0, 0.0, 0.0), (0.0, 0.0, rate))
    World([made], gravity=WEIGHTLESS).step(1000)
    axis = made.body(0).transform()[:2, 0]
    np.testing.assert_allclose(axis, (np.cos(rate), np.sin(rate)), atol=1e-6 * rate)


def spinner(kind: str, rate: float) -> Skeleton:
    """A disc on a stem whose tip is a small ball, a little tilted."""
    T = np.eye(4)
    T[2, 3] = 0.1
    made = Skeleton("spinner")
    body = made.add_body("disc", joint=FreeJoint("root"), inertia=shape_inertia(Cylinder(0.05, 0.02), 0.5, T))
    ShapeNode(body, "tip", Sphere(0.005), surface=Surface(friction=1.0))
    made.positions = [0.0, 0.1, 0.0, 0.0, 0.0, 0.005]
    made.velocities = [0.0, 0.0, rate, 0.0, 0.0, 0.0]
    return as_kind(kind, made)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", [200.0, -400.0])
def test_a_fast_top_stands_on_its_tip(kind: str, rate: float) -> None:
    made = spinner(kind, rate)
    world = on_ground(made)
    energy = world.energy
    for _ in range(20):
        world.step(100)
        assert world.energy == pytest.approx(energy, rel=1e-3)
        assert made.body(0).transform()[2, 2] > np.cos(0.2)
        assert abs(made.positions[5] - 0.005) < 1e-3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_accelerations_of_a_free_body_are_those_of_forward_dynamics(kind: str, time_step: float) -> None:
    """With a center of mass and axes of inertia of its own, a force, and a spin."""
    made = as_kind(kind, gallery.box((0.1, 0.2, 0.4), 2.0))
    moment = np.array([[0.05, 0.01, -0.005], [0.01, 0.03, 0.004], [-0.005, 0.004, 0.04]])
    made.body(0).inertia = made.body(0).inertia.__class__(2.0, (0.1, -0.05, 0.2), moment)
    made.positions = [0.4, -0.3, 0.8, 1.0, 2.0, 3.0]
    made.velocities = [3.0, -5.0, 4.0, 1.0, 2.0, -1.0]
    made.commands = [0.1, 0.2, -0.3, 1.0, -2.0, 0.5]
    world = World([made], time_step=time_step)
    world.step(3)
    expected = made.clone()
    expected.compute_forward_dynamics()
    world.step()
    np.testing.assert_allclose(made.accelerations, expected.accelerations, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_accelerations_of_a_body_at_rest_on_the_ground_vanish(kind: str) -> None:
    made = as_kind(kind, gallery.box((0.2, 0.2, 0.2)))
    made.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 0.1]
    on_ground(made).step(500)
    np.testing.assert_allclose(made.accelerations, 0.0, atol=1e-6)
