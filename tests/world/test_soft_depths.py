"""How deep soft bodies and what hits them get into each other, and how fast depth is pushed out."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.description import SoftSkin
from kido.shape import Box, Capsule, Cone, Cylinder, Shape
from kido.typing import FloatArray

EDGE, RADIUS, STEP, WEIGHTLESS = 0.2, 0.005, 0.01, (0.0, 0.0, 0.0)


def soft_cube(
    height: float | None = None, *, stiffness: float = 400.0, touches_itself: bool = False
) -> kido.Skeleton:
    """A cube with 26 points that moves freely, its middle at a height; without one, held at the origin."""
    robot = kido.Skeleton("cube")
    joint = kido.WeldJoint() if height is None else kido.FreeJoint()
    body = robot.add_body("core", joint=joint, inertia=kido.Inertia(0.2, moment=4e-4 * np.eye(3)))
    skin = SoftSkin.of_shape(
        Box((EDGE,) * 3),
        0.4,
        divisions=(3, 3, 3),
        vertex_stiffness=stiffness,
        edge_stiffness=stiffness,
        radius=RADIUS,
        touches_itself=touches_itself,
    )
    kido.SoftBodyNode.add_skin(body, skin)
    if height is not None:
        robot.positions = (0.0, 0.0, 0.0, 0.0, 0.0, height)
    return robot


def rigid(shape: Shape, height: float, turned: FloatArray) -> kido.Skeleton:
    """A shape that moves freely, above the middle of a face."""
    robot = kido.Skeleton("rigid")
    body = robot.add_body("body", joint=kido.FreeJoint(), inertia=kido.Inertia(0.2, moment=2e-3 * np.eye(3)))
    body.add_shape_node(shape)
    robot.positions = (*turned, 0.02, 0.01, height)
    return robot


def soft_of(robot: kido.Skeleton) -> kido.SoftBodyNode:
    body = robot.bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


SHAPES: dict[str, tuple[Shape, tuple[float, float, float], float]] = {
    # How far the lowest point is below the middle.
    "flat box": (Box((0.06, 0.06, 0.06)), (0.0, 0.0, 0.0), 0.03),
    "edge of a box": (Box((0.06, 0.06, 0.06)), (np.pi / 4, 0.0, 0.0), 0.03 * np.sqrt(2.0)),
    "cylinder": (Cylinder(0.03, 0.06), (0.0, 0.0, 0.0), 0.03),
    "lying capsule": (Capsule(0.02, 0.1), (np.pi / 2, 0.0, 0.0), 0.02),
    "foot of a cone": (Cone(0.03, 0.06), (0.0, 0.0, 0.0), 0.03),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("start", [0.013, 0.02, 0.03, 0.05])
def test_what_flies_onto_a_face_stops_there_however_far_it_gets_in_a_step(name: str, start: float) -> None:
    shape, turned, below = SHAPES[name]
    cube, other = soft_cube(), rigid(shape, EDGE / 2 + RADIUS + below + start, np.array(turned))
    soft_of(cube).freeze()
    axes = kido.math.so3_exp(turned)
    other.velocities = (0.0, 0.0, 0.0, *(axes.T @ (0.0, 0.0, -3.0)))  # 30 mm in a step
    world = kido.World([cube, other], gravity=WEIGHTLESS, time_step=STEP)
    for _ in range(8):
        world.step()
        assert other.positions[5] - below - EDGE / 2 - RADIUS > -1e-4


@pytest.mark.parametrize("speed", [6.0, 15.0])
def test_a_body_that_touches_itself_is_not_shot_through(speed: float) -> None:
    cube = soft_cube(stiffness=1.0, touches_itself=True)
    soft = soft_of(cube)
    places = soft.skin.points
    top, bottom = (int(np.argmin(np.linalg.norm(places - (0.0, 0.0, z), axis=1))) for z in (0.1, -0.1))
    rates = np.zeros_like(places)
    rates[top] = (0.3, 0.2, -speed)
    soft.displacement_velocities = rates
    world = kido.World([cube], gravity=WEIGHTLESS, time_step=STEP)
    energy, least = cube.kinetic_energy, np.inf
    for _ in range(10):
        world.step()
        here = places + soft.displacements
        least = min(least, here[top, 2] - here[bottom, 2])
        assert cube.kinetic_energy + cube.potential_energy < energy
    assert 0.5 * RADIUS < least < 0.1


SLOW = 0.1
"""Speed at which depth between bodies that yield is pushed out at most [m/s]."""


def block(*, moves: bool) -> kido.Skeleton:
    """Of 50 kg, with its upper side at 0.1 m."""
    robot = kido.Skeleton("block")
    joint = kido.FreeJoint() if moves else kido.WeldJoint()
    body = robot.add_body("block", joint=joint, inertia=kido.Inertia(50.0, moment=50.0 * np.eye(3)))
    body.add_shape_node(Box((1.0, 1.0, EDGE)))
    return robot


def speeds_out(lower: kido.Skeleton, upper: kido.Skeleton, *, upper_first: bool) -> FloatArray:
    """Of the upper body out of the lower one, over each of ten steps of 1 ms [m/s]."""
    world = kido.World([upper, lower] if upper_first else [lower, upper], gravity=WEIGHTLESS)

    def height() -> float:
        low = lower.bodies[0].transform()[2, 3]
        if isinstance(upper.bodies[0], kido.SoftBodyNode):
            return float(upper.bodies[0].point_positions()[:, 2].min() - low)
        return float(upper.positions[5] - low)

    heights = [height()]
    for _ in range(10):
        world.step()
        heights.append(height())
    return np.diff(heights) / 1e-3


@pytest.mark.parametrize("upper_first", [False, True])
@pytest.mark.parametrize("touched", ["point", "face"])
def test_depth_between_bodies_that_yield_is_pushed_out_slowly(touched: str, upper_first: bool) -> None:
    if touched == "point":
        lower, upper = block(moves=True), soft_cube(EDGE + RADIUS - 0.02)
    else:
        lower, upper = (
            soft_cube(),
            rigid(Box((0.05, 0.05, 0.05)), EDGE / 2 + RADIUS + 0.025 - 0.01, np.zeros(3)),
        )
    speeds = speeds_out(lower, upper, upper_first=upper_first)
    assert speeds.max() < 1.02 * SLOW
    assert speeds.min() > 0.1 * SLOW


@pytest.mark.parametrize("upper_first", [False, True])
def test_depth_in_what_stands_still_is_pushed_out_as_that_of_rigid_bodies(upper_first: bool) -> None:
    soft = speeds_out(block(moves=False), soft_cube(EDGE + RADIUS - 0.02), upper_first=upper_first)
    stiff_cube = rigid(Box((EDGE,) * 3), EDGE - 0.02, np.zeros(3))
    stiff = speeds_out(block(moves=False), stiff_cube, upper_first=upper_first)
    assert soft[0] == pytest.approx(stiff[0], rel=0.1)  # before springs pull at its points
    assert soft.min() > 5.0 * SLOW


@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (np.pi / 4, 0.0, 0.0)])
def test_what_lands_in_long_steps_gains_no_energy_while_it_moves_at_all(
    turned: tuple[float, float, float],
) -> None:
    """Spinning, with eight points: what they have too little of beside each other, all motion loses."""
    robot = kido.Skeleton("cube")
    inertia = kido.Inertia(0.2, moment=4e-4 * np.eye(3))
    body = robot.add_body("core", joint=kido.FreeJoint(), inertia=inertia)
    springs = {"vertex_stiffness": 1e4, "edge_stiffness": 1e4, "damping": 0.1, "radius": RADIUS}
    kido.SoftBodyNode.add_skin(body, SoftSkin.of_shape(Box((EDGE,) * 3), 0.4, divisions=(2, 2, 2), **springs))
    robot.positions, robot.velocities = (*turned, 0.0, 0.0, 0.5), (3.0, 2.0, 1.0, 1.0, 0.5, 0.0)
    world = kido.World([kido.gallery.ground(), robot], time_step=STEP)
    energies = [robot.kinetic_energy + robot.potential_energy]
    for _ in range(200):
        world.step()
        energies.append(robot.kinetic_energy + robot.potential_energy)
    gained = np.maximum(np.diff(energies), 0.0) / energies[0]
    assert gained.max() < 1e-6 and gained.sum() < 1e-5


@pytest.mark.parametrize("stiffness", [300.0, 1e4])
def test_a_joint_that_is_led_goes_as_it_is_told_while_its_soft_body_is_pressed(stiffness: float) -> None:
    robot = kido.Skeleton("press")
    joint = kido.PrismaticJoint("down", axis=(0, 0, -1), T_parent_joint=(0.0, 0.0, EDGE))
    body = robot.add_body("core", joint=joint, inertia=kido.Inertia(0.2, moment=4e-4 * np.eye(3)))
    springs = {"vertex_stiffness": stiffness, "edge_stiffness": stiffness, "damping": 0.1, "radius": RADIUS}
    kido.SoftBodyNode.add_skin(body, SoftSkin.of_shape(Box((EDGE,) * 3), 0.4, divisions=(2, 2, 2), **springs))
    joint.actuator = "velocity"
    world = kido.World([kido.gallery.ground(), robot], time_step=STEP)
    for k in range(40):
        speed = 0.5 if k < 20 else -0.3
        joint.commands = [speed]
        world.step()
        assert robot.velocities[0] == pytest.approx(speed, abs=1e-12)


def test_a_slow_press_is_not_held_back() -> None:
    """Only bodies that nothing drives stay back in steps that gain energy; this one hardly moves, too."""

    def pressed(step: float) -> float:
        robot = kido.Skeleton("press")
        joint = kido.PrismaticJoint("down", axis=(0, 0, -1), T_parent_joint=(0.0, 0.0, 0.12))
        body = robot.add_body("core", joint=joint, inertia=kido.Inertia(0.2, moment=4e-4 * np.eye(3)))
        springs = {"vertex_stiffness": 300.0, "edge_stiffness": 300.0, "damping": 1.0, "radius": RADIUS}
        skin = SoftSkin.of_shape(Box((EDGE,) * 3), 0.4, divisions=(4, 4, 4), **springs)
        kido.SoftBodyNode.add_skin(body, skin)
        world = kido.World([kido.gallery.ground(), robot], time_step=step)
        depths = []
        for seconds, force in ((1.0, 0.0), (4.0, 40.0)):
            steps = round(seconds / step)
            for k in range(steps):
                joint.commands = [force * min(1.0, 1.25 * k / steps)]
                world.step()
            depths.append(robot.positions[0])
        return depths[1] - depths[0]

    assert pressed(STEP) == pytest.approx(pressed(1e-3), rel=0.05)
