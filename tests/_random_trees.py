"""Random robots with every type of joint, states of them, and what several tests ask of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

import kido
from kido.description import (
    EULER_ORDERS,
    Inertia,
    JointDescription,
    JointDynamics,
    JointType,
    LinkDescription,
    RobotDescription,
    planar_axes,
)

Array = NDArray[np.float64]

JOINTS: tuple[tuple[JointType, str], ...] = (
    *((kind, "xyz") for kind in JointType if kind is not JointType.EULER),
    *((JointType.EULER, order) for order in EULER_ORDERS),
)
"""Every type of joint, euler joints in every order."""

MIDDLE_ANGLES = (0.4, 1.1)
"""Magnitude of the second angle of euler joints: away from where their axes fall together, in every order."""


@dataclass(frozen=True)
class Robot:
    """A description, its tree, and the generator that draws the states."""

    description: RobotDescription
    tree: kido.Tree
    rng: np.random.Generator

    def positions(self) -> Array:
        """Random positions (num_dofs,), away from singular angles."""
        q = self.rng.uniform(-1.0, 1.0, self.tree.num_dofs)
        for joint in self.description.joints:
            if joint.type is JointType.EULER:
                middle = self.tree.joint_dofs(joint.name)[1]
                q[middle] = np.sign(q[middle]) * self.rng.uniform(*MIDDLE_ANGLES)
        return q

    def motion(self) -> Array:
        """Random velocities, accelerations or forces (num_dofs,)."""
        return self.rng.uniform(-1.0, 1.0, self.tree.num_dofs)

    def state(self) -> tuple[Array, Array, Array]:
        """Random q, v and a third vector (num_dofs,)."""
        return self.positions(), self.motion(), self.motion()

    def body(self) -> int:
        """A random body."""
        return int(self.rng.integers(self.tree.num_bodies))

    def inertia(self, body: int) -> Inertia | None:
        """Description of the body with this index."""
        return self.description.link(self.tree.body_names[body]).inertia

    @property
    def armature(self) -> Array:
        """Armature (num_dofs,) that the description says."""
        armature = np.zeros(self.tree.num_dofs)
        for joint in self.description.joints:
            armature[list(self.tree.joint_dofs(joint.name))] = joint.dynamics.armature
        return armature

    @property
    def moving_bodies(self) -> list[int]:
        """Bodies that are not welded to the world."""
        fixed: set[str | None] = {None}
        for joint in self.description.depth_first_joints():
            if joint.type is JointType.WELD and joint.parent in fixed:
                fixed.add(joint.child)
        return [index for index, name in enumerate(self.tree.body_names) if name not in fixed]


def random_transform(rng: np.random.Generator) -> Array:
    """A rotation of any angle and a translation of up to 0.5 m along each axis."""
    T = np.eye(4)
    T[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    T[:3, 3] = rng.uniform(-0.5, 0.5, 3)
    return T


def random_inertia(rng: np.random.Generator) -> Inertia:
    """That of eight point masses, which every body could have."""
    masses, places = rng.uniform(0.1, 0.5, 8), rng.uniform(-0.4, 0.4, (8, 3))
    com = masses @ places / masses.sum()
    r = places - com
    moment = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, r, strict=True))
    return Inertia(masses.sum(), com, moment)


def random_joint(
    rng: np.random.Generator,
    name: str,
    kind: JointType,
    order: str,
    parent: str | None,
    child: str,
    geared: bool = True,
) -> JointDescription:
    """A joint of a type with random axes, pitch and offsets on both sides; one in three has armature, where
    `geared`."""
    axes: ArrayLike = rng.standard_normal((kind.num_axes, 3))
    if kind.spec.orthogonal_axes:
        axes = planar_axes(rng.standard_normal(3))
    place = (random_transform(rng), random_transform(rng))
    pitch = float(rng.uniform(-1.0, 1.0))
    rotors = np.random.default_rng(rng.integers(2**32))
    armature = rotors.uniform(0.1, 1.0, kind.num_dofs) * (rotors.integers(3) == 0 and geared)
    return JointDescription(
        name,
        kind,
        parent,
        child,
        *place,
        axes,
        pitch=pitch,
        euler_order=order,
        dynamics=JointDynamics(armature=armature),
    )


def build(
    joints: list[tuple[JointType, str]],
    parents: list[int],
    massless: list[bool],
    seed: int,
    *,
    geared: bool = True,
) -> Robot:
    """A robot of one body for each joint; parent -1 is the world. `geared`: whether some have armature."""
    rng = np.random.default_rng(seed)
    links = [
        LinkDescription(f"body{i}", None if empty else random_inertia(rng))
        for i, empty in enumerate(massless)
    ]
    descriptions = [
        random_joint(
            rng, f"joint{i}", kind, order, None if parent < 0 else f"body{parent}", f"body{i}", geared
        )
        for i, ((kind, order), parent) in enumerate(zip(joints, parents, strict=True))
    ]
    description = RobotDescription("random", links, descriptions)
    return Robot(description, kido.Tree.from_description(description, gravity=(1.0, -2.0, -9.0)), rng)


@st.composite
def robots(draw: st.DrawFn, max_bodies: int = 6, *, geared: bool = True) -> Robot:
    """Up to `max_bodies` bodies of any joints and branches on one or several roots.

    Some bodies have no mass: on a joint of one dof, they carry a body with mass by a revolute joint.
    `geared`: whether some joints have armature.
    """
    joints: list[tuple[JointType, str]] = []
    parents: list[int] = []
    massless: list[bool] = []
    for _ in range(draw(st.integers(1, max_bodies))):
        parent = draw(st.integers(-1, len(joints) - 1))
        while parent >= 0 and massless[parent]:
            parent -= 1
        if draw(st.integers(0, 4)) == 4:
            simple = [JointType.REVOLUTE, JointType.PRISMATIC, JointType.SCREW, JointType.WELD]
            joints += [(draw(st.sampled_from(simple)), "xyz"), (JointType.REVOLUTE, "xyz")]
            parents += [parent, len(joints) - 2]
            massless += [True, False]
        else:
            joints.append(draw(st.sampled_from(JOINTS)))
            parents.append(parent)
            massless.append(False)
    return build(joints, parents, massless, draw(st.integers(0, 2**32 - 1)), geared=geared)


def every_joint(seed: int = 0, *, geared: bool = True) -> Robot:
    """One robot that has every type of joint, branches, two roots and a massless body. `geared`: whether some
    joints have armature."""
    joints = [*JOINTS, (JointType.REVOLUTE, "xyz"), (JointType.PRISMATIC, "xyz")]
    count = len(joints)
    parents = [-1, -1, *((i - 1) if i % 3 else (i - 3) for i in range(2, count - 2)), 1, count - 2]
    massless = [False] * (count - 2) + [True, False]
    return build(joints, parents, massless, seed, geared=geared)


def along(tree: kido.Tree, q: Array, function: Callable[[Array], Any], step: float = 2e-3) -> Array:
    """Derivative of `function` at q (n,) as q moves along each dof's unit velocity, on the last axis.

    `function` takes positions (n, n). Fourth-order central differences.
    """
    unit = np.eye(tree.num_dofs)
    at = [np.asarray(function(tree.integrate(q, unit, k * step))) for k in (-2, -1, 1, 2)]
    slope = (at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * step)
    return np.moveaxis(slope, 0, -1)


def rate(function: Callable[[float], ArrayLike], step: float = 2e-3) -> Array:
    """Derivative of `function` at 0: fourth-order central differences."""
    at = [np.asarray(function(k * step)) for k in (-2, -1, 1, 2)]
    return np.asarray((at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * step))


def moving(tree: kido.Tree, q: Array, v: Array, a: Array) -> Callable[[float], tuple[Array, Array]]:
    """Position and velocity at time t of a motion that has position q, velocity v and acceleration a at 0.

    Its velocity is exact to first order in t, which is all that a derivative at 0 sees.
    """

    def at(t: float) -> tuple[Array, Array]:
        return tree.integrate(q, v + 0.5 * a * t, t), v + a * t

    return at


def skew(x: Array) -> Array:
    """The matrix of the cross product with x (3,)."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def assert_near(got: ArrayLike, expected: ArrayLike, tolerance: float) -> None:
    """Equal shapes, and differences below `tolerance` times the largest expected number (at least 1)."""
    __tracebackhide__ = True
    a, b = np.asarray(got), np.asarray(expected)
    assert a.shape == b.shape
    error = float(np.abs(a - b).max(initial=0.0)) / max(1.0, float(np.abs(b).max(initial=0.0)))
    assert error <= tolerance, f"relative error {error:.2e} above {tolerance:.0e}"
