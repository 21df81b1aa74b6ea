"""From a skeleton to the tree that answers questions about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from kido import _core
from kido.description import JointType
from kido.skeleton import _numbers as numbers
from kido.skeleton._compiled._extended_tree import ExtendedTree
from kido.skeleton._joints._user_joint import UserJoint
from kido.tree import Tree, TreeRows, euler_code, type_code

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore
    from kido.skeleton._joints._joint import Joint

__all__ = ["compile_tree", "shareable_tree"]


def compile_tree(skeleton: SkeletonCore, kept: Tree | None) -> tuple[Tree, _core.State]:
    """The tree of a skeleton (`kept`, where it still holds), and a state that works on the skeleton's
    numbers."""
    bodies = skeleton._bodies
    joints = ((body._index, body._joint) for body in bodies)
    users = [(index, joint.copy()) for index, joint in joints if isinstance(joint, UserJoint)]
    extended = bool(users) or not all(body._gravity_mode for body in bodies)
    if kept is not None and not extended:
        return kept, _core.State(kept, skeleton._block.state, [])
    rows = _rows(skeleton)
    if not extended:
        tree = Tree(rows, name=skeleton._name, gravity=skeleton._gravity)
        return tree, _core.State(tree, skeleton._block.state, [])
    weightless = np.array([0.0 if body._gravity_mode else body.mass for body in bodies])
    slow = ExtendedTree(
        rows, name=skeleton._name, gravity=skeleton._gravity, users=users, weightless=weightless
    )
    return slow, _core.State(slow, skeleton._block.state, _user_links(rows, dict(users)))


def shareable_tree(tree: Tree | None) -> Tree | None:
    """The tree, if a copy of its skeleton can use it too."""
    return None if isinstance(tree, ExtendedTree) else tree


def _user_links(rows: TreeRows, users: Mapping[int, Joint]) -> list[tuple[int, int]]:
    """Native link and number of dofs of each user joint."""
    links, found = 0, []
    for index, kind in enumerate(rows.joint_types()):
        if index in users:
            found.append((links, users[index].num_dofs))
        links += len(kind.spec.primitives)
    return found


def _rows(skeleton: SkeletonCore) -> TreeRows:
    block, bodies = skeleton._block, skeleton._bodies
    block.rows.flags.writeable = False
    joints = [body._joint for body in bodies]
    integers = [
        (
            -1 if body._parent_body is None else body._parent_body._index,
            type_code(joint.type or JointType.FREE),
            euler_code(joint._euler_order()),
        )
        for body, joint in zip(bodies, joints, strict=True)
    ]
    dofs = block.dofs
    limits = np.stack(
        [
            dofs[numbers.POSITION_LOWER],
            dofs[numbers.POSITION_UPPER],
            np.minimum(-dofs[numbers.VELOCITY_LOWER], dofs[numbers.VELOCITY_UPPER]),
            np.minimum(-dofs[numbers.FORCE_LOWER], dofs[numbers.FORCE_UPPER]),
        ]
    )
    return TreeRows(
        np.array(integers, dtype=np.int64).reshape(-1, 3),
        block.rows,
        limits,
        tuple(body._name for body in bodies),
        tuple(joint.name for joint in joints),
        tuple(name for joint in joints for name in joint.dof_names),
    )
