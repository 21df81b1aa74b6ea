"""User joints of one to six dofs: screws one behind the other, beside the same built of kido's own joints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from _looped import looped
from _methods import METHODS, Method, at_body
from _random_trees import Array, assert_near, random_transform
from scipy.spatial.transform import Rotation

import kido
from kido import Inertia
from kido.math import adjoint, motion_cross
from kido.typing import FloatArray

SOLVED = 1e-9
DIFFERENCED = 1e-6

every_size = pytest.mark.parametrize("size", [1, 2, 3, 6])


@dataclass(frozen=True)
class Screws:
    """Unit screws (k, 6), each in the frame that the one before moves: through the origin, with leads."""

    axes: tuple[tuple[float, ...], ...]
    leads: tuple[float, ...]

    def column(self, i: int) -> Array:
        """The twist of screw i per radian, angular first."""
        axis = np.array(self.axes[i])
        return np.concatenate([axis, axis * self.leads[i]])


class SerialScrews(kido.UserJoint):
    """k screws in series, as one joint."""

    Properties = Screws

    def _steps(self, q: FloatArray) -> list[Array]:
        """Poses of the moving frame behind each screw, seen from before it."""
        return [_exp(self.properties.column(i) * angle) for i, angle in enumerate(q)]

    def transform_of(self, q: FloatArray) -> FloatArray:
        T = np.eye(4)
        for step in self._steps(q):
            T = T @ step
        return T

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        S = np.zeros((6, len(q)))
        for i, step in enumerate(self._steps(q)):
            S[:, :i] = adjoint(np.linalg.inv(step)) @ S[:, :i]
            S[:, i] = self.properties.column(i)
        return S

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """A column turns against the twist of what is behind it: dS_i = -(V of the screws behind i) x S_i."""
        S = self.jacobian_of(q)
        return np.stack([-motion_cross(S[:, i + 1 :] @ v[i + 1 :], S[:, i]) for i in range(len(q))], axis=1)


SIZED = {k: type(f"SerialScrews{k}", (SerialScrews,), {"num_dofs": k}) for k in range(1, 7)}


def _exp(twist: Array) -> Array:
    """The pose after a unit of time at a twist along its own axis."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(twist[:3]).as_matrix()
    T[:3, 3] = twist[3:]
    return T


def _axes(size: int) -> Screws:
    rng = np.random.default_rng(size)
    axes = rng.normal(size=(size, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    return Screws(tuple(map(tuple, axes.tolist())), tuple(rng.uniform(-0.5, 0.5, size).tolist()))


def _own_hinges(size: int, before: Array, after: Array) -> list[kido.Joint]:
    """The screws as joints of kido's own, in series between two offsets."""
    screws, none = _axes(size), np.eye(4)
    return [
        kido.ScrewJoint(
            f"screw{i}",
            axis=screws.axes[i],
            pitch=2.0 * np.pi * screws.leads[i],
            T_parent_joint=before if i == 0 else none,
            T_child_joint=after if i == size - 1 else none,
        )
        for i in range(size)
    ]


@cache
def tree_of(size: int, *, written: bool) -> kido.Tree:
    """A slide, the screws, and two branches behind them: screws as one user joint, or as kido's own."""
    rng = np.random.default_rng(0)
    before, after, left, right = (random_transform(rng) for _ in range(4))
    masses = [Inertia(1.0 + i, rng.uniform(-0.2, 0.2, 3), np.diag([0.3, 0.4, 0.5])) for i in range(4)]
    joints = (
        [SIZED[size]("screws", _axes(size), T_parent_joint=before, T_child_joint=after)]
        if written
        else _own_hinges(size, before, after)
    )
    s = kido.Skeleton("s")
    body = s.add_body("base", joint=kido.PrismaticJoint("slide"), inertia=masses[0])
    for joint in joints:
        last = joint is joints[-1]
        body = s.add_body(
            "moved" if last else f"{joint.name}_body", body, joint, inertia=masses[1] if last else None
        )
    s.add_body("left", body, kido.BallJoint("ball", T_parent_joint=left), inertia=masses[2])
    s.add_body("right", body, kido.RevoluteJoint("hinge", T_parent_joint=right), inertia=masses[3])
    return s.tree


def shared(tree: kido.Tree) -> list[int]:
    """The bodies that both trees have."""
    return [tree.body_index(name) for name in ("base", "moved", "left", "right")]


@every_size
def test_the_functions_belong_together(size: int) -> None:
    rng = np.random.default_rng(size)
    SIZED[size]("screws", _axes(size)).check(rng.uniform(-1.0, 1.0, size), rng.uniform(-1.0, 1.0, size))


@every_size
@pytest.mark.parametrize("leading", [(), (5,)])
@looped("method", METHODS)
def test_all_methods_answer_as_with_screws_in_series(
    method: Method, leading: tuple[int, ...], size: int
) -> None:
    trees = ours, theirs = tree_of(size, written=True), tree_of(size, written=False)
    rng = np.random.default_rng(1)
    arrays = {name: rng.uniform(-1.0, 1.0, (*leading, ours.num_dofs)) for name in method.arrays}
    twins = dict(arrays)
    if "wrenches" in arrays:
        arrays["wrenches"] = rng.uniform(-1.0, 1.0, (*leading, ours.num_bodies, 6))
        twins["wrenches"] = np.zeros((*leading, theirs.num_bodies, 6))
        twins["wrenches"][..., shared(theirs), :] = arrays["wrenches"]
    left, its_left = (
        tree.joint_index("ball") if "joint" in method.options else tree.body_index("left") for tree in trees
    )
    got = at_body(method, left).results(ours, *arrays.values())
    expected = at_body(method, its_left).results(theirs, *twins.values())
    for mine, built_in in zip(got, expected, strict=True):
        same = mine.shape == built_in.shape
        reference = built_in if same else built_in.take(shared(theirs), axis=len(leading))
        assert_near(mine, reference, DIFFERENCED if "derivatives" in method.name else SOLVED)


@every_size
def test_what_the_joint_itself_does_is_what_its_functions_say(size: int) -> None:
    tree, joint = tree_of(size, written=True), SIZED[size]("screws", _axes(size))
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-1.0, 1.0, (2, tree.num_dofs))
    own = tree.joint_dofs("screws")
    rng = np.random.default_rng(0)
    before, after = (random_transform(rng) for _ in range(2))
    T, S, dS = (
        joint.transform_of(q[own]),
        joint.jacobian_of(q[own]),
        joint.jacobian_derivative_of(q[own], v[own]),
    )
    assert_near(tree.joint_transform(q, "screws"), before @ T @ np.linalg.inv(after), SOLVED)
    assert_near(tree.motion_subspace(q, "screws"), adjoint(after) @ S, SOLVED)
    assert_near(tree.motion_subspace_derivative(q, v, "screws"), adjoint(after) @ dS, SOLVED)


@every_size
def test_forward_dynamics_undo_inverse_dynamics_and_columns_of_the_mass_matrix_are_forces(size: int) -> None:
    tree = tree_of(size, written=True)
    n = tree.num_dofs
    q, v, a = np.random.default_rng(2).uniform(-1.0, 1.0, (3, n))
    assert_near(tree.forward_dynamics(q, v, tree.inverse_dynamics(q, v, a)), a, SOLVED)
    zero = np.zeros(n)
    columns = tree.inverse_dynamics(q, zero, np.eye(n)) - tree.gravity_forces(q)
    assert_near(tree.mass_matrix(q), columns.T, SOLVED)
    assert_near(tree.mass_matrix(q) @ tree.inverse_mass_matrix(q), np.eye(n), SOLVED)


@every_size
@looped("method", [m for m in METHODS if "derivatives" not in m.name])
def test_one_state_and_a_batch_have_the_same_bits(method: Method, size: int) -> None:
    tree = tree_of(size, written=True)
    rng = np.random.default_rng(3)
    count = 5
    arrays = [
        rng.uniform(-1.0, 1.0, (count, tree.num_bodies, 6) if name == "wrenches" else (count, tree.num_dofs))
        for name in method.arrays
    ]
    method = at_body(method, 1)
    batch = method.results(tree, *arrays)
    for i in range(count):
        one = method.results(tree, *(array[i] for array in arrays))
        for all_of_them, alone in zip(batch, one, strict=True):
            assert np.array_equal(all_of_them[i], alone)


def test_functions_that_move_the_skeleton_while_they_are_asked_are_refused() -> None:
    class Meddling(kido.UserJoint):
        num_dofs = 1

        def transform_of(self, q: FloatArray) -> FloatArray:
            if s.num_dofs and q[0] == 0.5:
                s.velocities = s.velocities + 1.0
            return np.eye(4)

        def jacobian_of(self, q: FloatArray) -> FloatArray:
            return np.eye(6)[:, :1]

        def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
            return np.zeros((6, 1))

    s = kido.Skeleton("s")
    body = s.add_body("body", joint=Meddling("cam"))
    assert_near(body.transform(), np.eye(4), 0.0)
    s.positions = [0.5]
    with pytest.raises(kido.errors.EditError):
        body.transform()
    s.positions = [0.2]
    assert_near(body.spatial_velocity(), [s.velocities[0], 0.0, 0.0, 0.0, 0.0, 0.0], 0.0)
