"""Every error method in every situation: no error where it wants to be, derivatives, weights, copies."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import numpy as np
import pytest
from _ik_situations import SITUATIONS, Array, pose_of
from _looped import looped

import kido
from kido import InverseKinematics, SearchSettings
from kido.ik import (
    CenterOfMass,
    ErrorMethod,
    LookAt,
    OrientationError,
    PointToLine,
    PointToPlane,
    PoseError,
    PositionError,
    Posture,
    TaskSpaceRegion,
)

AXIS = np.array([0.6, -0.48, 0.64])


@dataclass(frozen=True)
class Height(ErrorMethod):
    """A method of a user's own: the height of the node's point is that of the target."""

    factor: float = 1.0
    length_clamp: float = math.inf  # type: ignore[assignment]

    @property
    def weights(self) -> Array:
        return np.full(1, self.factor)

    def compute_error(self, ik: InverseKinematics) -> Array:
        return ik.transform()[2:3, 3] - ik.target.transform()[2:3, 3]

    def lengths(self, ik: InverseKinematics, error: Array) -> tuple[float, float]:
        return 0.0, float(abs(error[0]))


def at_node(ik: InverseKinematics, rng: np.random.Generator) -> None:
    ik.target.set_transform(ik.transform())


def at_node_turned(ik: InverseKinematics, rng: np.random.Generator) -> None:
    ik.target.set_transform(ik.transform() @ pose_of(rng.uniform(-1.0, 1.0, 3)))


def beside_node(ik: InverseKinematics, rng: np.random.Generator) -> None:
    ik.target.set_transform(pose_of(position=rng.uniform(-1.0, 1.0, 3)) @ ik.transform())


def below_node(ik: InverseKinematics, rng: np.random.Generator) -> None:
    """Anywhere on a plane through the node's point, 0.2 m below or less."""
    x, y, height = rng.uniform((-1.0, -1.0, 0.0), (1.0, 1.0, 0.2))
    turned = ik.transform() @ pose_of(rng.uniform(-1.0, 1.0, 3))
    ik.target.set_transform(turned @ pose_of((0.0, 0.0, x), (x, y, -height)))


def on_plane(ik: InverseKinematics, rng: np.random.Generator) -> None:
    x, y = rng.uniform(-1.0, 1.0, 2)
    turned = ik.transform() @ pose_of(rng.uniform(-1.0, 1.0, 3))
    ik.target.set_transform(turned @ pose_of((0.0, 0.0, y), (x, y, 0.0)))


def on_line(ik: InverseKinematics, rng: np.random.Generator) -> None:
    turned = ik.transform() @ pose_of(rng.uniform(-1.0, 1.0, 3))
    ik.target.set_transform(turned @ pose_of((0.0, 0.0, rng.uniform()), (0.0, 0.0, -rng.uniform(0.0, 0.3))))


def in_sight(ik: InverseKinematics, rng: np.random.Generator) -> None:
    node = ik.transform()
    ik.target.set_transform(pose_of(rng.uniform(-1, 1, 3), node[:3, :3] @ AXIS * 0.7 + node[:3, 3]))


def at_center(ik: InverseKinematics, rng: np.random.Generator) -> None:
    ik.target.set_transform(pose_of(rng.uniform(-1.0, 1.0, 3), ik.node.skeleton.com()))


def displaced(ik: InverseKinematics, low: Array, high: Array, rng: np.random.Generator) -> None:
    """The target where the node is displaced from it by something between bounds (6,)."""
    angles, lengths = rng.uniform(low, high).reshape(2, 3)
    A, node = ik.reference_rotation, ik.transform()
    turn = np.eye(3)
    for axis, angle in zip(np.eye(3), angles, strict=True):
        turn = turn @ pose_of(axis * angle)[:3, :3]
    T = np.eye(4)
    T[:3, :3] = A @ turn.T @ A.T @ node[:3, :3]
    T[:3, 3] = node[:3, 3] - A @ lengths
    ik.target.set_transform(T)


LOW = np.array([-0.1, -0.05, -0.3, -0.02, -0.1, 0.0])
HIGH = np.array([0.1, 0.15, 0.2, 0.03, 0.0, 0.05])
OPEN_LOW = np.array([-np.inf, -0.05, -0.1, -np.inf, -np.inf, -0.05])
OPEN_HIGH = np.array([np.inf, 0.05, np.inf, np.inf, 0.05, 0.05])


def between(ik: InverseKinematics, rng: np.random.Generator) -> None:
    displaced(ik, LOW, HIGH, rng)


def between_open(ik: InverseKinematics, rng: np.random.Generator) -> None:
    displaced(ik, np.maximum(OPEN_LOW, -1.0), np.minimum(OPEN_HIGH, 1.0), rng)


def nowhere(ik: InverseKinematics, rng: np.random.Generator) -> None:
    """The target does not matter."""
    ik.target.set_transform(pose_of(rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 3)))


@dataclass(frozen=True)
class Case:
    """Maker of a method from a factor of its weights and a clamp, and a target put where there is no
    error."""

    make: Callable[[float, float, InverseKinematics], ErrorMethod]
    satisfy: Callable[[InverseKinematics, np.random.Generator], None]
    of_node: bool = True  # the node's pose alone decides

    def method(self, ik: InverseKinematics, factor: float = 1.0, clamp: float = math.inf) -> ErrorMethod:
        return self.make(factor, clamp, ik)


SIX = np.array([0.4, 0.5, 0.6, 1.0, 1.1, 1.2])


CASES: dict[str, Case] = {
    "pose region": Case(lambda f, c, _: TaskSpaceRegion(weights=f * SIX, length_clamp=c), at_node),
    "region": Case(
        lambda f, c, _: TaskSpaceRegion(
            (LOW[:3], HIGH[:3]), (LOW[3:], HIGH[3:]), weights=f * SIX, length_clamp=c
        ),
        between,
    ),
    "region from its edge": Case(
        lambda f, c, _: TaskSpaceRegion(
            (LOW[:3], HIGH[:3]), (LOW[3:], HIGH[3:]), weights=f * SIX, length_clamp=c, from_center=False
        ),
        between,
    ),
    "open region": Case(
        lambda f, c, _: TaskSpaceRegion(
            (OPEN_LOW[:3], OPEN_HIGH[:3]), (OPEN_LOW[3:], OPEN_HIGH[3:]), weights=f * SIX, length_clamp=c
        ),
        between_open,
    ),
    "region with a free weight": Case(
        lambda f, c, _: TaskSpaceRegion(weights=f * np.array([1, 1, 1, 0, 0, 0]), length_clamp=c), beside_node
    ),
    "pose": Case(lambda f, c, _: PoseError(weights=f * SIX, length_clamp=c), at_node),
    "pose, equal weights": Case(lambda f, c, _: PoseError(weights=np.full(6, f), length_clamp=c), at_node),
    "position": Case(
        lambda f, c, _: PositionError(linear_weights=f * SIX[:3], length_clamp=c), at_node_turned
    ),
    "orientation": Case(
        lambda f, c, _: OrientationError(angular_weights=np.full(3, f), length_clamp=c), beside_node
    ),
    "weighted orientation": Case(
        lambda f, c, _: OrientationError(angular_weights=f * SIX[:3], length_clamp=c), beside_node
    ),
    "look at": Case(lambda f, c, _: LookAt(AXIS, weight=f, length_clamp=c), in_sight),
    "look near": Case(lambda f, c, _: LookAt(AXIS, 0.1, weight=f, length_clamp=c), in_sight),
    "plane": Case(lambda f, c, _: PointToPlane(weight=f, length_clamp=c), on_plane),
    "layer": Case(lambda f, c, _: PointToPlane(0.0, 0.2, weight=f, length_clamp=c), below_node),
    "floor": Case(lambda f, c, _: PointToPlane(0.0, math.inf, weight=f, length_clamp=c), below_node),
    "line": Case(lambda f, c, _: PointToLine(weight=f, length_clamp=c), on_line),
    "piece of a line": Case(lambda f, c, _: PointToLine(0.0, 0.3, weight=f, length_clamp=c), on_line),
    "center of mass": Case(
        lambda f, c, _: CenterOfMass(linear_weights=f * SIX[:3], length_clamp=c), at_center, of_node=False
    ),
    "balance": Case(
        lambda f, c, _: CenterOfMass(linear_weights=(f, f, 0.0), length_clamp=c), at_center, of_node=False
    ),
    "posture": Case(
        lambda f, c, ik: Posture(ik.positions, weights=np.full(len(ik.dofs), f), length_clamp=c),
        nowhere,
        of_node=False,
    ),
    "named posture": Case(
        lambda f, c, ik: Posture(
            dict(zip([dof.name for dof in ik.dofs[::-1]], ik.positions[::-1].tolist(), strict=True)),
            weights=f * np.linspace(1.0, 2.0, len(ik.dofs)),
            length_clamp=c,
        ),
        nowhere,
        of_node=False,
    ),
    "height": Case(lambda f, c, _: Height(f, c), at_node_turned, of_node=True),
}

everywhere = looped("situation", SITUATIONS)
every_method = pytest.mark.parametrize("name", CASES)


def satisfied(situation: str, name: str, seed: int = 0) -> InverseKinematics:
    """A module without error."""
    ik = SITUATIONS[situation]()
    CASES[name].satisfy(ik, np.random.default_rng(seed))
    ik.error_method = CASES[name].method(ik)
    return ik


def disturbed(situation: str, name: str, seed: int = 0) -> InverseKinematics:
    """A module whose error is large in all components that it regards."""
    rng = np.random.default_rng(100 + seed)
    ik = satisfied(situation, name, seed)
    ik.positions = ik.positions + rng.choice([-1.0, 1.0], len(ik.dofs)) * 0.15
    shift, turn = pose_of(position=(0.05, -0.1, 0.1)), pose_of((0.4, 0.4, -0.4), (-0.2, 0.25, 1.5))
    ik.target.set_transform(shift @ ik.target.transform() @ turn)
    return ik


def moved(ik: InverseKinematics, step: Array) -> Array:
    """Positions (num_dofs,) after a second with velocities (k,) of the module's dofs."""
    skeleton = ik.node.skeleton
    v = np.zeros(skeleton.num_dofs)
    v[ik.dof_indices] = step
    return skeleton.tree.integrate(skeleton.positions, v, 1.0)


def rates(ik: InverseKinematics, h: float = 1e-5) -> Array:
    """Central differences (m, k) of the error, extrapolated."""
    skeleton = ik.node.skeleton
    before = skeleton.positions

    def error(j: int, step: float) -> Array:
        skeleton.positions = moved(ik, step * np.eye(len(ik.dofs))[j])
        found = ik.error
        skeleton.positions = before
        return found

    return np.array([(error(j, h) - error(j, -h)) / (2.0 * h) for j in range(len(ik.dofs))]).T


@everywhere
@every_method
def test_there_is_no_error_where_the_target_is_met(situation: str, name: str) -> None:
    for seed in range(3):
        ik = satisfied(situation, name, seed)
        np.testing.assert_allclose(ik.error, 0.0, atol=1e-12)


@everywhere
@every_method
def test_there_is_an_error_where_it_is_not_met(situation: str, name: str) -> None:
    assert np.linalg.norm(disturbed(situation, name).error) > 0.01


@everywhere
@every_method
def test_derivatives_are_those_of_differences(situation: str, name: str) -> None:
    for seed in range(2):
        ik = disturbed(situation, name, seed)
        error, J = ik.error, ik.error_method.compute_jacobian(ik)
        regarded = error != 0.0
        assert regarded.any() and J.shape == (len(error), len(ik.dofs))
        np.testing.assert_allclose(J[regarded], rates(ik)[regarded], atol=2e-8)
        np.testing.assert_array_equal(J[ik.weights(error) == 0.0], 0.0)
        assert np.abs(J[regarded]).max() > 0.01


@everywhere
@every_method
def test_a_step_by_the_derivatives_makes_the_error_smaller(situation: str, name: str) -> None:
    ik = disturbed(situation, name)
    error, J = ik.weighted_error_and_jacobian()
    step = -0.05 * np.linalg.pinv(J, rcond=1e-3) @ error
    ik.node.skeleton.positions = moved(ik, step)
    assert np.linalg.norm(ik.weighted_error()) < 0.99 * np.linalg.norm(error)


@everywhere
@every_method
def test_asking_leaves_the_skeleton_and_the_target_alone(situation: str, name: str) -> None:
    ik = disturbed(situation, name)
    before = ik.node.skeleton.positions, ik.target.transform(), ik.target.relative_transform
    ik.weighted_error_and_jacobian()
    ik.error_method.desired_transform(ik)
    ik.error_method.region(ik)
    after = ik.node.skeleton.positions, ik.target.transform(), ik.target.relative_transform
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


@everywhere
@every_method
def test_what_is_solved_has_no_error_left(situation: str, name: str) -> None:
    ik = satisfied(situation, name)
    ik.positions = ik.positions + np.random.default_rng(0).choice([-1.0, 1.0], len(ik.dofs)) * 0.15
    ik.settings = SearchSettings(max_starts=5)
    result = ik.solve_and_apply()
    assert result.success, result.message
    np.testing.assert_allclose(ik.error, 0.0, atol=2e-6)
    assert ik.error_method.lengths(ik, ik.error) == pytest.approx(
        (result.angular_error, result.linear_error), abs=2e-6
    )


# ---- weights and clamps


@every_method
def test_weights_multiply_the_components(name: str) -> None:
    ik = disturbed("panda", name)
    error, weighted, J = ik.error, *ik.weighted_error_and_jacobian()
    np.testing.assert_allclose(weighted, ik.weights(error) * error, rtol=1e-15)
    method = ik.error_method
    ik.error_method = CASES[name].method(SITUATIONS["panda"](), 2.5)
    assert ik.error_method != method
    np.testing.assert_allclose(ik.error, error, rtol=1e-15)
    again, steeper = ik.weighted_error_and_jacobian()
    np.testing.assert_allclose(again, 2.5 * weighted, rtol=1e-14)
    np.testing.assert_allclose(steeper, 2.5 * J, rtol=1e-14)


@every_method
def test_a_clamp_shortens_the_error_and_keeps_its_direction(name: str) -> None:
    ik = disturbed("panda", name)
    whole = ik.weighted_error()
    length = np.linalg.norm(whole)
    ik.error_method = CASES[name].method(SITUATIONS["panda"](), clamp=0.25 * length)
    np.testing.assert_allclose(ik.weighted_error(), 0.25 * whole, rtol=1e-12)
    ik.error_method = CASES[name].method(SITUATIONS["panda"](), clamp=1.5 * length)
    np.testing.assert_allclose(ik.weighted_error(), whole, rtol=1e-15)


# ---- the pose that is wanted


def free_box(like: InverseKinematics) -> InverseKinematics:
    """A box that can be anywhere, at the pose of another module's node and with its target and method."""
    scene = kido.Skeleton("scene")
    ik = InverseKinematics.of(scene.add_body("box", joint=kido.FreeJoint("free")))
    ik.target, ik.reference_frame = like.target, like.reference_frame
    ik.error_method = like.error_method
    put(ik, like.transform())
    return ik


def put(box: InverseKinematics, T: Array) -> None:
    box.positions = np.concatenate([kido.math.so3_log(T[:3, :3]), T[:3, 3]])


@pytest.mark.parametrize("situation", ["panda", "point_beside"])
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.of_node and name != "height"])
def test_at_the_wanted_pose_there_is_no_error(situation: str, name: str) -> None:
    ik = disturbed(situation, name)
    box = free_box(ik)
    np.testing.assert_allclose(box.error, ik.error, atol=1e-12)
    put(box, ik.error_method.desired_transform(ik))
    np.testing.assert_allclose(box.error, 0.0, atol=1e-7)
    np.testing.assert_allclose(box.error_method.desired_transform(box), box.transform(), atol=1e-7)


# ---- values


@every_method
def test_equal_ones_are_equal_and_others_are_not(name: str) -> None:
    ik = SITUATIONS["panda"]()
    make = CASES[name].method
    assert make(ik) == make(ik) and hash(make(ik)) == hash(make(ik))
    assert make(ik) != make(ik, 2.0) and make(ik) != make(ik, clamp=0.5)
    assert all(make(ik) != CASES[other].method(ik) for other in CASES if other != name)


@every_method
def test_copies_and_saved_ones_are_equal(name: str) -> None:
    method = CASES[name].method(SITUATIONS["panda"](), 1.5, 0.7)
    for same in (copy.copy(method), copy.deepcopy(method), pickle.loads(pickle.dumps(method))):
        assert same == method and type(same) is type(method)
        assert same.length_clamp == 0.7


@every_method
def test_nothing_of_a_method_can_be_changed(name: str) -> None:
    method = CASES[name].method(SITUATIONS["panda"]())
    with pytest.raises(FrozenInstanceError):
        method.length_clamp = 2.0  # type: ignore[misc]
    for value in vars(method).values() if name == "height" else method._values().values():  # type: ignore[attr-defined]
        assert not isinstance(value, np.ndarray) or not value.flags.writeable


@everywhere
@every_method
def test_a_clone_of_the_skeleton_has_the_same_error(situation: str, name: str) -> None:
    ik = disturbed(situation, name)
    error, J = ik.weighted_error_and_jacobian()
    clone = ik.node.skeleton.clone()
    original = ik.node
    if isinstance(original, kido.BodyNode):
        copied = InverseKinematics.of(clone.body(original.name))
    else:
        copied = InverseKinematics.of(clone.end_effector(original.name))
    assert copied.error_method == ik.error_method
    ik.positions = ik.positions + 0.1  # the copy does not look at the original
    again, same = copied.weighted_error_and_jacobian()
    np.testing.assert_allclose(again, error, atol=1e-14)
    np.testing.assert_allclose(same, J, atol=1e-13)


@every_method
def test_one_method_serves_two_modules(name: str) -> None:
    first, second = disturbed("panda", name), disturbed("panda", name, 1)
    second.error_method = first.error_method
    alone = disturbed("panda", name).weighted_error_and_jacobian()
    second.weighted_error_and_jacobian()
    for got, expected in zip(first.weighted_error_and_jacobian(), alone, strict=True):
        np.testing.assert_array_equal(got, expected)


# ---- bad input

NAN, INF = math.nan, math.inf

BAD: list[tuple[Callable[..., ErrorMethod], tuple[Any, ...], dict[str, Any], str]] = [
    (TaskSpaceRegion, ((0, 0),), {}, r"^angular: expected shape \(2, 3\) or \(3,\) \[rad\], got \(2,\)"),
    (TaskSpaceRegion, (None, (0, NAN, 0)), {}, r"^linear: .*not NaN \[m\]"),
    (TaskSpaceRegion, ("wide",), {}, r"^angular: expected numbers"),
    (TaskSpaceRegion, (((0, 0, 1), (0, 0, 0)),), {}, r"^angular\[2\]: .*1\.0 and 0\.0"),
    (TaskSpaceRegion, (None, (0, -1, 0)), {}, r"^linear\[1\]: .*1\.0 and -1\.0"),
    (TaskSpaceRegion, (None, ((0, 0, INF), (0, 0, INF))), {}, r"^linear\[2\]: .*inf and inf"),
    (TaskSpaceRegion, (None, ((-INF, 0, 0), (-INF, 0, 0))), {}, r"^linear\[0\]: .*-inf and -inf"),
    (TaskSpaceRegion, (), {"weights": (1, 1, 1)}, r"^weights: expected shape \(6,\), got \(3,\)"),
    (TaskSpaceRegion, (), {"weights": (1, 1, 1, 1, 1, -1)}, r"^weights: expected numbers of 0 or above"),
    (PoseError, (), {"weights": np.ones((1, 6))}, r"^weights: expected shape \(6,\), got \(1, 6\)"),
    (PoseError, (), {"weights": (1, 1, 1, 1, 1, INF)}, r"^weights: expected finite numbers"),
    (PoseError, (), {"weights": None}, r"^weights: "),
    (PositionError, (), {"linear_weights": (1, 1)}, r"^linear_weights: expected shape \(3,\), got \(2,\)"),
    (PositionError, (), {"linear_weights": (1, 1, -1)}, r"^linear_weights: expected numbers of 0 or above"),
    (OrientationError, (), {"angular_weights": (1, NAN, 1)}, r"^angular_weights: expected finite"),
    (LookAt, ((0, 0, 0),), {}, r"^axis: expected a nonzero vector"),
    (LookAt, ((0, 1),), {}, r"^axis: expected shape \(3,\), got \(2,\)"),
    (LookAt, ((0, 1, NAN),), {}, r"^axis: expected finite numbers"),
    (LookAt, ((0, 0, 1), -0.1), {}, r"^half_angle: expected a number from 0 to pi \[rad\], got -0.1"),
    (LookAt, ((0, 0, 1), 3.2), {}, r"^half_angle: expected a number from 0 to pi \[rad\], got 3.2"),
    (LookAt, (), {"weight": 0.0}, r"^weight: expected a number above 0, got 0.0"),
    (PointToPlane, (1.0, 0.5), {}, r"^lower, upper: .*\[m\], got 1.0 and 0.5"),
    (PointToPlane, (INF, INF), {}, r"^lower, upper: .*got inf and inf"),
    (PointToPlane, (NAN, 0.0), {}, r"^lower: expected numbers, not NaN \[m\]"),
    (PointToPlane, ("low", 0.0), {}, r"^lower: expected numbers"),
    (PointToPlane, (), {"weight": -1.0}, r"^weight: expected a number above 0, got -1.0"),
    (PointToLine, (0.0, -0.5), {}, r"^lower, upper: .*\[m\], got 0.0 and -0.5"),
    (PointToLine, (0.0, (1.0, 2.0)), {}, r"^upper: expected shape \(\) \[m\], got \(2,\)"),
    (CenterOfMass, (), {"linear_weights": (1, 1, -0.1)}, r"^linear_weights: expected numbers of 0 or above"),
    (Posture, ([[0.0]],), {}, r"^positions: expected shape \(n,\) \[rad, m\], got \(1, 1\)"),
    (Posture, ([NAN],), {}, r"^positions: expected finite numbers"),
    (Posture, ({"a": "up"},), {}, r"^positions: expected numbers"),
    (Posture, ([0.0, 1.0],), {"weights": [1.0]}, r"^weights: expected shape \(2,\), got \(1,\)"),
    (Posture, ([0.0],), {"weights": [-1.0]}, r"^weights: expected numbers of 0 or above"),
    (Posture, ([0.0], ["a", "b"]), {}, r"^names: expected 1 different ones"),
    (Posture, ([0.0, 1.0], ["a", "a"]), {}, r"^names: expected 2 different ones"),
    (Posture, ([0.0], "a"), {}, r"^names: expected names of dofs, got 'a'"),
    (Posture, ({"a": 0.0}, ["a"]), {}, r"^names: expected None"),
]
BAD += [
    (kind, args, {"length_clamp": clamp}, rf"^length_clamp: {text}")
    for kind, args in [
        (TaskSpaceRegion, ()),
        (PoseError, ()),
        (PositionError, ()),
        (OrientationError, ()),
        (LookAt, ()),
        (PointToPlane, ()),
        (PointToLine, ()),
        (CenterOfMass, ()),
        (Posture, ([0.0],)),
    ]
    for clamp, text in [(0.0, "expected a number above 0"), (NAN, "expected numbers, not NaN")]
]


@pytest.mark.parametrize(("kind", "args", "options", "message"), BAD)
def test_bad_input_is_named(
    kind: Callable[..., ErrorMethod], args: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        kind(*args, **options)
