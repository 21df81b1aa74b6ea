"""Random skeletons in motion, for tests of what they answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from _random_trees import MIDDLE_ANGLES, Array, random_inertia, random_transform

import kido

Maker = Callable[[np.random.Generator], kido.Joint]


def _offsets(rng: np.random.Generator) -> dict[str, Array]:
    return {"T_parent_joint": random_transform(rng), "T_child_joint": random_transform(rng)}


def _axis(rng: np.random.Generator) -> Array:
    return rng.standard_normal(3)


MAKERS: dict[str, Maker] = {
    "weld": lambda rng: kido.WeldJoint(**_offsets(rng)),
    "revolute": lambda rng: kido.RevoluteJoint(axis=_axis(rng), **_offsets(rng)),
    "prismatic": lambda rng: kido.PrismaticJoint(axis=_axis(rng), **_offsets(rng)),
    "screw": lambda rng: kido.ScrewJoint(axis=_axis(rng), pitch=rng.uniform(0.5, 1.0), **_offsets(rng)),
    "universal": lambda rng: kido.UniversalJoint(axis1=_axis(rng), axis2=_axis(rng), **_offsets(rng)),
    "euler": lambda rng: kido.EulerJoint(**_offsets(rng)),
    "ball": lambda rng: kido.BallJoint(**_offsets(rng)),
    "planar": lambda rng: kido.PlanarJoint(plane="zx", **_offsets(rng)),
    "translational": lambda rng: kido.TranslationalJoint(**_offsets(rng)),
    "translational2d": lambda rng: kido.TranslationalJoint2D(plane="yz", **_offsets(rng)),
    "free": lambda rng: kido.FreeJoint(**_offsets(rng)),
}
"""A joint of each type with random axes and offsets."""

DART_KINDS = tuple(kind for kind in MAKERS if kind != "translational2d")


def skeleton_of(kinds: Sequence[str], parents: Sequence[int], seed: int) -> kido.Skeleton:
    """Bodies `body0`, `body1`, ... on joints of the given kinds, parent -1 being the world, at rest."""
    rng = np.random.default_rng(seed)
    skeleton = kido.Skeleton("random", gravity=(1.0, -2.0, -9.0), time_step=0.01)
    for i, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        carrier = None if parent < 0 else skeleton.body(parent)
        skeleton.add_body(f"body{i}", carrier, MAKERS[kind](rng), inertia=random_inertia(rng))
    return skeleton


def set_moving(skeleton: kido.Skeleton, seed: int) -> kido.Skeleton:
    """The skeleton with random positions away from singular angles, velocities and accelerations."""
    rng = np.random.default_rng(seed)
    n = skeleton.num_dofs
    skeleton.positions = rng.uniform(-1.0, 1.0, n)
    for joint in skeleton.joints:
        if isinstance(joint, kido.EulerJoint):
            q = joint.positions.copy()
            q[1] = np.copysign(rng.uniform(*MIDDLE_ANGLES), q[1])
            joint.positions = q
    skeleton.velocities = rng.uniform(-1.0, 1.0, n)
    skeleton.accelerations = rng.uniform(-1.0, 1.0, n)
    return skeleton


def branched(seed: int = 0, kinds: Sequence[str] = tuple(MAKERS)) -> kido.Skeleton:
    """A moving skeleton of all given joints in random order, with branches and two trees."""
    rng = np.random.default_rng(seed)
    order = [kinds[i] for i in rng.permutation(len(kinds))]
    parents = [-1, *(max(0, i - 1 - int(rng.integers(3))) for i in range(1, len(order)))]
    parents[-2:] = [-1, len(order) - 2]
    return set_moving(skeleton_of(order, parents, seed), seed + 1)


def with_springs(skeleton: kido.Skeleton, seed: int = 0) -> kido.Skeleton:
    """The skeleton with random springs and dampers in all joints, and armature in half of them."""
    rng = np.random.default_rng(seed)
    n = skeleton.num_dofs
    skeleton.spring_stiffness = rng.uniform(10.0, 50.0, n)
    skeleton.rest_positions = rng.uniform(-0.3, 0.3, n)
    skeleton.damping = rng.uniform(1.0, 5.0, n)
    skeleton.armature = rng.uniform(-0.5, 0.5, n).clip(0.0)
    return skeleton


def add_wrenches(skeleton: kido.Skeleton, seed: int = 0) -> kido.Skeleton:
    """The skeleton with a random wrench on every other body."""
    rng = np.random.default_rng(seed)
    for body in skeleton.bodies[::2]:
        body.external_wrench = rng.uniform(-3.0, 3.0, 6)
    return skeleton


def spring_pull(skeleton: kido.Skeleton, positions: Array) -> Array:
    """Forces of the springs: -J_r(d)^-T K d, by the right Jacobians of the joints' groups."""
    d = skeleton.tree.difference(skeleton.rest_positions, positions)
    pull = -skeleton.spring_stiffness * d
    for joint in skeleton.joints:
        part = list(joint.dof_indices)
        if isinstance(joint, kido.BallJoint):
            pull[part] = np.linalg.solve(kido.math.so3_right_jacobian(d[part]).T, pull[part])
        elif isinstance(joint, kido.FreeJoint):
            pull[part] = np.linalg.solve(kido.math.se3_right_jacobian(d[part]).T, pull[part])
    return pull
