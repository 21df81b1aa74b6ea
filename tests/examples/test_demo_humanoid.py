"""The humanoid of the demo stands, balances, takes a box and looks at it, as Pinocchio sees it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import coal
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial import ConvexHull

import kido
from examples.demo.box import STAGES, STEPS, make_box, make_stand
from examples.demo.carrying import CarryStep, carry
from examples.demo.edit import show_edit
from examples.demo.humanoid import Humanoid, humanoid_of
from examples.demo.rest import at_rest
from examples.demo.robots import example_robots
from examples.demo.stance import balance_margin, standing
from kido.cli import make_console
from kido.description import RobotDescription
from kido.io import read
from kido.shape import Box, Cylinder, Shape
from kido.skeleton import ShapeNode, Skeleton
from kido.typing import FloatArray

SIZE = np.array([0.18, 0.24, 0.14])  # [m]
ARM = ("shoulder", "elbow", "wrist", "hand")
TOUCH = 1e-3
"""Depth to which hands may be in what they hold, and distance from which they hold it [m]."""
NEIGHBORS = 3
"""Joints between links whose looks overlap by design."""


@functools.cache
def model() -> pin.Model:
    return pin.buildModelFromUrdf(str(example_robots()[1].file), pin.JointModelFreeFlyer())


@functools.cache
def looks() -> pin.GeometryModel:
    """The meshes of the G1, and the pairs of an arm's and another link's that must not meet."""
    file = example_robots()[1].file
    folders = [str(file.parents[4])]
    meshes = pin.buildGeomFromUrdf(model(), str(file), pin.GeometryType.VISUAL, package_dirs=folders)
    for i, j in combinations(range(len(meshes.geometryObjects)), 2):
        a, b = meshes.geometryObjects[i], meshes.geometryObjects[j]
        is_arm = any(word in part.name for part in (a, b) for word in ARM)
        if is_arm and between(a.parentJoint, b.parentJoint) > NEIGHBORS:
            meshes.addCollisionPair(pin.CollisionPair(i, j))
    return meshes


def between(first: int, second: int) -> int:
    """Number of joints on the way from one to another."""
    ways = [set(model().supports[joint].tolist()) for joint in (first, second)]
    return len(ways[0] ^ ways[1])


@dataclass(frozen=True)
class Seen:
    """A G1 at some positions: `links`, poses (4, 4) [m]; `com` (3,) [m]; `meshes`, where its meshes are."""

    links: dict[str, FloatArray]
    com: FloatArray
    meshes: pin.GeometryData

    def points(self, link: str) -> FloatArray:
        """Vertices (k, 3) of a link's mesh [m]."""
        i = looks().getGeometryId(f"{link}_0")
        T, mesh = self.meshes.oMg[i], looks().geometryObjects[i].geometry
        return np.asarray(mesh.vertices() @ T.rotation.T + T.translation)

    def limbs_that_meet(self) -> list[tuple[str, str]]:
        pin.computeCollisions(looks(), self.meshes, False)
        return [
            tuple(looks().geometryObjects[i].name for i in (pair.first, pair.second))
            for pair, result in zip(looks().collisionPairs, self.meshes.collisionResults, strict=True)
            if result.isCollision()
        ]

    def links_that_meet(self, size: FloatArray, T_world_box: FloatArray) -> list[str]:
        """The links whose meshes meet a box of this size (3,) [m]."""
        box, place = coal.Box(*size), coal.Transform3s(T_world_box[:3, :3], T_world_box[:3, 3])
        return [
            part.name.removesuffix("_0")
            for part, T in zip(looks().geometryObjects, self.meshes.oMg, strict=True)
            if coal.collide(
                part.geometry,
                coal.Transform3s(T.rotation, T.translation),
                box,
                place,
                coal.CollisionRequest(),
                coal.CollisionResult(),
            )
        ]


def seen(skeleton: Skeleton, positions: FloatArray) -> Seen:
    data, q = model().createData(), pin.neutral(model())
    q[:7] = [*positions[3:6], *pin.Quaternion(pin.exp3(positions[:3])).coeffs()]
    for dof in skeleton.dofs[6:]:
        q[model().joints[model().getJointId(dof.name)].idx_q] = positions[dof.index]
    pin.framesForwardKinematics(model(), data, q)
    links = {frame.name: data.oMf[i].homogeneous for i, frame in enumerate(model().frames)}
    meshes = pin.GeometryData(looks())
    pin.updateGeometryPlacements(model(), data, looks(), meshes)
    return Seen(links, np.array(pin.centerOfMass(model(), data, q)), meshes)


def g1() -> tuple[RobotDescription, Humanoid]:
    robot = read(example_robots()[1].file, root="free")
    humanoid = humanoid_of(robot)
    assert humanoid is not None
    return robot, humanoid


def soles(robot: RobotDescription, humanoid: Humanoid, at: Seen) -> FloatArray:
    """Lowest points (8, 3) of the spheres that the file gives the feet for contact [m]."""
    return np.array([
        (at.links[foot] @ placed.origin)[:3, 3] - [0.0, 0.0, placed.shape.radius]
        for foot in humanoid.feet
        for placed in robot.link(foot).collisions
    ])  # fmt: skip


def depth(point: FloatArray, corners: FloatArray) -> float:
    """How far a point (2,) is within the hull of corners (k, 2) [m]."""
    equations = ConvexHull(corners).equations
    return float(-(equations[:, :2] @ point + equations[:, 2]).max())


def box_around(shape: Shape) -> FloatArray:
    """Edge lengths (3,) of the box around a box or a cylinder [m]."""
    if isinstance(shape, Cylinder):
        return np.array([2.0 * shape.radius, 2.0 * shape.radius, shape.length])
    assert isinstance(shape, Box)
    return shape.size


@pytest.fixture(scope="module")
def carried() -> tuple[Skeleton, list[CarryStep]]:
    robot, humanoid = g1()
    skeleton = standing(robot, humanoid)
    patient = 10.0  # other processes take turns
    return skeleton, list(carry(skeleton, humanoid, make_box(), time_budget=patient))


def sampled(steps: list[CarryStep]) -> Iterator[CarryStep]:
    """Every tenth step, and with it the last of each stage."""
    return iter(steps[9::10])


def test_a_humanoid_is_known_by_its_names_and_its_free_root() -> None:
    robot, _ = g1()
    assert humanoid_of(robot.with_root("fixed")) is None
    assert humanoid_of(read(example_robots()[0].file, root="free")) is None


def test_a_humanoid_at_rest_stands_upright_with_bent_knees_above_flat_feet() -> None:
    robot, humanoid = g1()
    skeleton = at_rest(robot)
    at = seen(skeleton, skeleton.positions)
    floor = soles(robot, humanoid, at)
    np.testing.assert_allclose(floor[:, 2], 0.0, atol=2e-6)
    assert at.links["torso_link"][2, 2] > np.cos(0.1)
    for side, points in zip(("left", "right"), (floor[:4], floor[4:]), strict=True):
        assert 0.2 < skeleton.dof(f"{side}_knee_joint").position < 0.7
        knee = at.links[f"{side}_knee_link"][:3, 3]
        assert points[:, 0].min() < knee[0] < points[:, 0].max()
        assert abs(knee[1] - points[:, 1].mean()) < 0.02
    assert depth(at.com[:2], floor[:, :2]) > 0.08
    assert at.limbs_that_meet() == []


def test_a_limb_more_is_on_the_side_of_the_original(capsys: pytest.CaptureFixture[str]) -> None:
    robot, humanoid = g1()
    for sign, hand in zip((1.0, -1.0), humanoid.hands, strict=True):
        edited = show_edit(make_console(), at_rest(robot), hand)
        copy, original = (edited.body(name).transform()[:3, 3] for name in (f"{hand}(1)", hand))
        assert sign * (copy - original)[1] == pytest.approx(0.35, abs=1e-6)
    assert "39 bodies" in capsys.readouterr().out


def test_the_margin_of_balance_is_the_distance_from_the_edge_of_the_support() -> None:
    robot, humanoid = g1()
    skeleton = standing(robot, humanoid)
    at = seen(skeleton, skeleton.positions)
    floor = soles(robot, humanoid, at)
    assert balance_margin(skeleton) == pytest.approx(depth(at.com[:2], floor[:, :2]), abs=1e-5)
    left = skeleton.end_effector("left_sole").support
    assert left is not None
    left.active = False
    assert balance_margin(skeleton) == pytest.approx(depth(at.com[:2], floor[4:, :2]), abs=1e-5)
    assert balance_margin(skeleton) < -0.08


def test_all_that_is_wanted_is_reached_within_limits_and_without_a_jump(
    carried: tuple[Skeleton, list[CarryStep]],
) -> None:
    skeleton, steps = carried
    assert [step.stage for step in steps] == [stage for stage in STAGES for _ in range(STEPS)]
    assert all(step.result.success for step in steps)
    q = np.array([step.result.positions for step in steps])
    assert (skeleton.position_lower_limits <= q).all() and (q <= skeleton.position_upper_limits).all()
    assert np.abs(np.diff(q, axis=0)).max() < 0.06
    assert max(step.change for step in steps) < 0.06
    assert np.abs(q[:, 6:]).max() < 1.5  # no limb is turned around


def test_feet_stay_flat_on_the_floor_and_the_center_of_mass_above_them(
    carried: tuple[Skeleton, list[CarryStep]],
) -> None:
    robot, humanoid = g1()
    skeleton, steps = carried
    first = soles(robot, humanoid, seen(skeleton, steps[0].result.positions))
    for step in steps:
        at = seen(skeleton, step.result.positions)
        floor = soles(robot, humanoid, at)
        np.testing.assert_allclose(floor, first, atol=5e-6)
        np.testing.assert_allclose(floor[:, 2], 0.0, atol=5e-6)
        assert depth(at.com[:2], floor[:, :2]) == pytest.approx(step.margin, abs=1e-5)
        assert step.margin > 0.08


def test_hands_hold_the_box_from_both_sides_and_nothing_else_meets_it(
    carried: tuple[Skeleton, list[CarryStep]],
) -> None:
    _, humanoid = g1()
    skeleton, steps = carried
    for step in steps[STEPS - 1 :: 10]:
        at = seen(skeleton, step.result.positions)
        T = step.T_world_box
        for sign, hand in zip((1.0, -1.0), humanoid.hands, strict=True):
            points = (at.points(hand) - T[:3, 3]) @ T[:3, :3]
            inside = (0.5 * SIZE - np.abs(points)).min(axis=1)
            assert abs(inside.max()) < TOUCH
            touching = points[inside > -2.0 * TOUCH]
            np.testing.assert_allclose(touching[:, 1], sign * 0.5 * SIZE[1], atol=2.0 * TOUCH)
            assert np.ptp(touching[:, 0]) > 0.1  # fingertips and the heel of the hand
        assert set(at.links_that_meet(SIZE, T)) <= set(humanoid.hands)


def test_the_eye_looks_at_the_box_once_it_is_reached(carried: tuple[Skeleton, list[CarryStep]]) -> None:
    _, humanoid = g1()
    skeleton, steps = carried
    for step in steps[STEPS - 1 :]:
        eye = seen(skeleton, step.result.positions).links[humanoid.eye]
        sight = step.T_world_box[:3, 3] - eye[:3, 3]
        np.testing.assert_allclose(eye[:3, 0], sight / np.linalg.norm(sight), atol=1e-5)


def test_the_body_is_upright_knees_are_bent_and_elbows_beside_it(
    carried: tuple[Skeleton, list[CarryStep]],
) -> None:
    skeleton, steps = carried
    for step in sampled(steps):
        at = seen(skeleton, step.result.positions)
        assert at.links["torso_link"][2, 2] > np.cos(0.45)
        assert at.links["pelvis"][2, 2] > np.cos(0.2)
        for side, sign in (("left", 1.0), ("right", -1.0)):
            assert 0.2 < step.result.positions[skeleton.dof(f"{side}_knee_joint").index] < 0.7
            elbow = np.linalg.solve(at.links["torso_link"], at.links[f"{side}_elbow_link"])[:3, 3]
            assert 0.1 < sign * elbow[1] < 0.25 and elbow[2] < 0.2


def test_no_limb_goes_through_another_or_through_the_stand(
    carried: tuple[Skeleton, list[CarryStep]],
) -> None:
    skeleton, steps = carried
    for step in sampled(steps):
        at = seen(skeleton, step.result.positions)
        assert at.limbs_that_meet() == []
        for node in make_stand().nodes(ShapeNode):
            assert at.links_that_meet(box_around(node.shape), node.transform()) == []


def test_a_limb_that_grows_from_its_base_alone_is_copied_there_and_turned() -> None:
    robot = kido.load("examples/arm.urdf")
    edited = show_edit(make_console(), robot, "tool")
    copy, original = (edited.body(name).transform() for name in ("shoulder(1)", "shoulder"))
    np.testing.assert_allclose(copy[:3, 3], original[:3, 3], atol=1e-12)
    assert copy[:3, 2] @ original[:3, 2] == pytest.approx(np.cos(0.8))
