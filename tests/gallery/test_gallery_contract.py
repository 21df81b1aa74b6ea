"""Contract of the skeletons of the gallery."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kido
from kido import gallery
from kido.errors import UnknownNameError

DESIGN = {
    "pendulum": (1, 1, 1.0),
    "double_pendulum": (2, 2, 2.0),
    "chain": (10, 10, 2.0),
    "cart_pole": (2, 2, 1.1),
    "arm": (7, 6, 25.2),
    "arm7": (8, 7, 22.5),
    "gripper": (3, 2, 0.82),
    "hand": (18, 16, 22.5 + 0.5 + 3 * 0.13),
    "humanoid": (31, 36, 50.9),
    "quadruped": (13, 18, 13.0),
    "wheeled_base": (5, 7, 14.5),
    "cam": (2, 1, 1.3),
    "four_bar": (2, 1, 1.5),
}
"""Bodies, dofs, mass [kg]."""


def moving(robot: kido.Skeleton, seed: int = 3) -> kido.Skeleton:
    """The skeleton at random positions, moving."""
    rng = np.random.default_rng(seed)
    robot.positions = robot.initial_positions + rng.uniform(-0.1, 0.1, robot.num_dofs)
    robot.velocities = rng.normal(size=robot.num_dofs)
    return robot


def test_every_skeleton_has_a_design() -> None:
    assert set(gallery.names()) == set(DESIGN)
    assert len(gallery.names()) == len(DESIGN)


@pytest.mark.parametrize("name", DESIGN)
def test_it_has_the_bodies_dofs_and_mass_of_its_design(name: str) -> None:
    robot = gallery.make(name)
    assert robot.name == name
    assert (robot.num_bodies, robot.num_dofs) == DESIGN[name][:2]
    np.testing.assert_allclose(robot.mass, DESIGN[name][2], rtol=1e-12)


@pytest.mark.parametrize("name", DESIGN)
def test_every_call_makes_a_fresh_one(name: str) -> None:
    first, second = gallery.make(name), gallery.make(name)
    moving(first)
    first.bodies[-1].mass *= 2.0
    np.testing.assert_array_equal(second.positions, second.initial_positions)
    np.testing.assert_allclose(second.mass, DESIGN[name][2], rtol=1e-12)


@pytest.mark.parametrize("name", DESIGN)
def test_it_starts_at_rest_at_its_initial_positions_within_its_limits(name: str) -> None:
    robot = gallery.make(name)
    np.testing.assert_array_equal(robot.positions, robot.initial_positions)
    assert not robot.velocities.any()
    assert [problem for joint in robot.joints for problem in joint.problems()] == []


@pytest.mark.parametrize("name", DESIGN)
def test_every_body_has_an_inertia_that_a_solid_can_have_and_a_look(name: str) -> None:
    for body in gallery.make(name).bodies:
        inertia = body.inertia
        assert inertia.mass > 0.0
        assert inertia.problem() is None
        small, middle, large = np.linalg.eigvalsh(inertia.moment)
        assert small > 0.0
        assert small + middle > large
        shapes = body.nodes(kido.ShapeNode)
        assert any(node.visual and node.collision for node in shapes)
        assert all(node.material is not None for node in shapes)


@pytest.mark.parametrize("name", DESIGN)
def test_the_center_of_mass_of_a_body_is_near_its_shapes(name: str) -> None:
    for body in gallery.make(name).bodies:
        places = np.array([node.relative_transform[:3, 3] for node in body.nodes(kido.ShapeNode)])
        assert (body.local_com >= places.min(axis=0) - 1e-12).all()
        assert (body.local_com <= places.max(axis=0) + 1e-12).all()


@pytest.mark.parametrize("name", DESIGN)
def test_inverse_dynamics_undo_forward_dynamics(name: str) -> None:
    robot = moving(gallery.make(name))
    tau = np.random.default_rng(4).normal(size=robot.num_dofs)
    q, v = robot.positions, robot.velocities
    a = robot.tree.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(robot.tree.inverse_dynamics(q, v, a), tau, atol=1e-7)
    np.testing.assert_allclose(robot.mass_matrix @ a + robot.coriolis_and_gravity_forces, tau, atol=1e-7)


@pytest.mark.parametrize("name", DESIGN)
def test_mass_matrix_and_gravity_are_those_of_the_bodies_energies(name: str) -> None:
    robot = moving(gallery.make(name))
    kinetic = sum(body.kinetic_energy for body in robot.bodies)
    np.testing.assert_allclose(
        robot.velocities @ robot.mass_matrix @ robot.velocities / 2.0, kinetic, rtol=1e-9
    )
    v, q, step = robot.velocities, robot.positions, 1e-6
    height = []
    for dt in (step, -step):
        robot.positions = robot.tree.integrate(q, v, dt)
        height.append(robot.mass * 9.81 * robot.com()[2])
    robot.positions = q
    power = (height[0] - height[1]) / (2.0 * step)
    np.testing.assert_allclose(robot.gravity_forces @ v, power, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", DESIGN)
def test_a_clone_answers_the_same(name: str) -> None:
    robot = moving(gallery.make(name))
    clone = robot.clone()
    for body, other in zip(robot.bodies, clone.bodies, strict=True):
        np.testing.assert_array_equal(body.transform(), other.transform())
        assert len(body.nodes()) == len(other.nodes())
    np.testing.assert_array_equal(robot.mass_matrix, clone.mass_matrix)


@pytest.mark.parametrize("name", DESIGN)
def test_it_can_be_pickled(name: str) -> None:
    robot = moving(gallery.make(name))
    copy = pickle.loads(pickle.dumps(robot))
    np.testing.assert_array_equal(copy.positions, robot.positions)
    np.testing.assert_array_equal(copy.mass_matrix, robot.mass_matrix)
    assert [type(node) for node in copy.nodes()] == [type(node) for node in robot.nodes()]


def test_options_reach_the_skeleton() -> None:
    robot = gallery.make("pendulum", length=0.5, mass=3.0)
    np.testing.assert_allclose(robot.com(), [0.0, 0.0, -0.5])
    assert robot.mass == 3.0


def test_an_unknown_name_brings_the_nearest_ones() -> None:
    with pytest.raises(UnknownNameError, match="'humanoid'"):
        gallery.make("humanoit")


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="wings"):
        gallery.make("quadruped", wings=2)
