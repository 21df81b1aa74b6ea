"""Cam and four-bar linkage: joints of one's own, beside geometry."""

from __future__ import annotations

import numpy as np
import pytest

from kido import gallery
from kido.errors import SingularMassError

ANGLES = np.linspace(-3.0, 3.0, 13)
LINKAGES = [(0.1, 0.3, 0.25, 0.3), (0.2, 0.5, 0.6, 0.4), (0.05, 0.2, 0.2, 0.12)]


@pytest.mark.parametrize("angle", ANGLES)
def test_the_functions_of_the_joints_belong_together(angle: float) -> None:
    q, v = np.array([angle]), np.array([1.7])
    gallery.CamJoint(properties=gallery.CamJoint.Properties(0.3)).check(q, v, tolerance=1e-8)
    for lengths in LINKAGES:
        gallery.FourBarJoint(properties=gallery.FourBarJoint.Properties(*lengths)).check(q, v, tolerance=1e-7)


def test_a_cam_lifts_the_follower_by_twice_its_eccentricity() -> None:
    robot = gallery.cam(0.03)
    follower = robot.body("follower")
    robot.positions = [0.0]
    low = follower.transform()[2, 3]
    robot.positions = [np.pi]
    np.testing.assert_allclose(follower.transform()[2, 3] - low, 0.06, atol=1e-15)
    robot.positions = [np.pi / 2]
    np.testing.assert_allclose(follower.transform()[2, 3] - low, 0.03, atol=1e-15)


def test_the_valve_of_a_cam_moves_as_calculus_says() -> None:
    e, q, v, a = 0.03, 0.8, 5.0, -2.0
    robot = gallery.cam(e)
    robot.positions, robot.velocities, robot.accelerations = [q], [v], [a]
    follower = robot.body("follower")
    np.testing.assert_allclose(follower.linear_velocity()[2], e * np.sin(q) * v, rtol=1e-12)
    acceleration = e * (np.cos(q) * v * v + np.sin(q) * a)
    np.testing.assert_allclose(follower.linear_acceleration()[2], acceleration, rtol=1e-12)
    np.testing.assert_allclose(robot.mass_matrix, [[0.3 * (e * np.sin(q)) ** 2]], rtol=1e-12)
    robot.compute_inverse_dynamics()
    np.testing.assert_allclose(robot.forces, 0.3 * (acceleration + 9.81) * e * np.sin(q), rtol=1e-10)


def test_no_mass_moves_with_a_cam_at_its_dead_center() -> None:
    robot = gallery.cam()
    robot.positions = [0.0]
    with pytest.raises(SingularMassError, match="cam"):
        robot.compute_forward_dynamics()


@pytest.mark.parametrize("lengths", LINKAGES)
def test_the_ends_of_the_coupler_stay_on_their_circles(lengths: tuple[float, float, float, float]) -> None:
    crank, coupler, rocker, ground = lengths
    robot = gallery.four_bar(*lengths)
    ends = robot.end_effector("crank_end"), robot.end_effector("rocker_end")
    pivots = np.zeros(3), np.array([ground, 0.0, 0.0])
    for angle in np.linspace(0.0, 2.0 * np.pi, 25):
        robot.positions, robot.velocities = [angle], [3.0]
        places = [end.transform()[:3, 3] for end in ends]
        np.testing.assert_allclose(
            places[0], crank * np.array([np.cos(angle), 0.0, np.sin(angle)]), atol=1e-14
        )
        np.testing.assert_allclose(np.linalg.norm(places[1] - pivots[1]), rocker, atol=1e-13)
        np.testing.assert_allclose(np.linalg.norm(places[1] - places[0]), coupler, atol=1e-13)
        for end, place, pivot in zip(ends, places, pivots, strict=True):
            assert abs(end.linear_velocity() @ (place - pivot)) < 1e-12
        np.testing.assert_allclose(np.linalg.norm(ends[0].linear_velocity()), 3.0 * crank, rtol=1e-12)


def test_a_four_bar_linkage_stays_on_one_side_through_a_whole_turn() -> None:
    robot = gallery.four_bar()
    end = robot.end_effector("rocker_end")
    places = []
    for angle in np.linspace(0.0, 2.0 * np.pi, 200):
        robot.positions = [angle]
        places.append(end.transform()[:3, 3])
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 0.01
    assert np.array(places)[:, 2].min() > 0.0


@pytest.mark.parametrize("angle", [0.4, 2.0, -1.0])
def test_a_four_bar_linkage_that_falls_keeps_its_energy(angle: float) -> None:
    robot = gallery.four_bar()
    robot.positions, robot.velocities = [angle], [2.0]
    robot.compute_forward_dynamics()
    q, v, a = robot.positions, robot.velocities, robot.accelerations
    step, energies = 1e-5, []
    for dt in (step, -step):
        robot.positions, robot.velocities = q + v * dt + a * dt * dt / 2.0, v + a * dt
        energies.append([robot.kinetic_energy, robot.potential_energy])
    kinetic, potential = np.subtract(*energies) / (2.0 * step)
    assert abs(potential) > 0.1
    np.testing.assert_allclose(kinetic, -potential, rtol=1e-6)


@pytest.mark.parametrize(
    "lengths", [(0.3, 0.1, 0.25, 0.3), (0.1, 0.6, 0.2, 0.2), (0.2, 0.2, 0.2, 0.2), (0.1, 0.1, 0.2, 0.2)]
)
def test_linkages_whose_crank_cannot_turn_are_refused(lengths: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="lengths: expected a crank that can turn all the way"):
        gallery.four_bar(*lengths)


def test_lengths_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match=r"rocker: expected a positive finite number \[m\], got -1.0"):
        gallery.four_bar(rocker=-1.0)
    with pytest.raises(ValueError, match="eccentricity: expected"):
        gallery.cam(0.0)
