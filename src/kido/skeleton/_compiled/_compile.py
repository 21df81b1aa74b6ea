"""From the data of a skeleton to the tree that answers questions about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kido import _core
from kido.description import JointType
from kido.skeleton import _data as rows_of
from kido.skeleton._answers._answers import Answers
from kido.skeleton._compiled._extended_tree import ExtendedTree
from kido.skeleton._joints._user_joint import UserJoint
from kido.tree import INERTIA, Tree, TreeRows

__all__ = ["compile_tree", "shareable_tree"]


def compile_tree(
    answers: Answers,
    kept: Tree | None,
    *,
    name: str,
    body_names: tuple[str, ...],
    joint_names: tuple[str, ...],
    dof_names: tuple[str, ...],
    users: Sequence[tuple[int, UserJoint]],
) -> tuple[Tree, _core.State]:
    """The tree of a skeleton (`kept`, where it still holds), and a state that works on the skeleton's
    numbers."""
    data = answers.data
    weighty = data.codes[:, rows_of.GRAVITY].astype(bool)
    extended = bool(users) or not weighty.all()
    if kept is not None and not extended:
        return kept, _core.State(kept, data.state, [])
    rows = _rows(data, body_names, joint_names, dof_names)
    if not extended:
        tree = Tree(rows, name=name, gravity=answers.gravity)
        return tree, _core.State(tree, data.state, [])
    own = [(index, joint.copy()) for index, joint in users]
    weightless = np.where(weighty, 0.0, data.rows[:, INERTIA.start])
    slow = ExtendedTree(rows, name=name, gravity=answers.gravity, users=own, weightless=weightless)
    return slow, _core.State(slow, data.state, _user_links(rows, dict(own)))


def shareable_tree(tree: Tree | None) -> Tree | None:
    """The tree, if a copy of its skeleton can use it too."""
    return None if isinstance(tree, ExtendedTree) else tree


def _user_links(rows: TreeRows, users: Mapping[int, UserJoint]) -> list[tuple[int, int]]:
    """Native link and number of dofs of each user joint."""
    links, found = 0, []
    for index, kind in enumerate(rows.joint_types()):
        if index in users:
            found.append((links, users[index].num_dofs))
        links += 1 if kind in (JointType.BALL, JointType.FREE) else kind.num_dofs
    return found


def _rows(
    data: rows_of.SkeletonData,
    body_names: tuple[str, ...],
    joint_names: tuple[str, ...],
    dof_names: tuple[str, ...],
) -> TreeRows:
    data.rows.flags.writeable = False
    dofs = data.dofs
    limits = np.stack(
        [
            dofs[rows_of.POSITION_LOWER],
            dofs[rows_of.POSITION_UPPER],
            np.minimum(-dofs[rows_of.VELOCITY_LOWER], dofs[rows_of.VELOCITY_UPPER]),
            np.minimum(-dofs[rows_of.FORCE_LOWER], dofs[rows_of.FORCE_UPPER]),
        ]
    )
    integers = data.codes[:, [rows_of.PARENT, rows_of.JOINT_TYPE, rows_of.EULER_ORDER]].astype(np.int64)
    return TreeRows(integers, data.rows, limits, body_names, joint_names, dof_names)
