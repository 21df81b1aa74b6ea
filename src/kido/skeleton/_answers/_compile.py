"""From the data of a skeleton to the tree that answers questions about it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.skeleton import _data as columns
from kido.skeleton._answers._answers import Answers
from kido.tree import USER_TYPE, JointMotion, Tree, TreeRows
from kido.typing import FloatArray

__all__ = ["Names", "compile_tree", "tree_rows"]


class Names(NamedTuple):
    """Names of the bodies, joints and dofs of a skeleton; joint i carries body i."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    dofs: tuple[str, ...]


def compile_tree(
    answers: Answers,
    kept: Tree | None,
    *,
    name: str,
    names: Names,
    users: tuple[JointMotion, ...],
) -> tuple[Tree, _core.State]:
    """The tree of a skeleton (`kept`, where it still holds), and a state that works on the skeleton's
    numbers."""
    data = answers.data
    if kept is None:
        data.rows.flags.writeable = False
        kept = Tree(tree_rows(data, names, users), name=name, gravity=answers.gravity)
    return kept, data.native_state(kept)


def tree_rows(data: columns.SkeletonData, names: Names, users: tuple[JointMotion, ...] = ()) -> TreeRows:
    """Bodies and joints of a skeleton as rows; `users` are the functions of its user joints."""
    return TreeRows(
        _integers(data), data.rows, _limits(data), data.dofs[columns.ARMATURE].copy(), *names, users
    )


def _integers(data: columns.SkeletonData) -> NDArray[np.int64]:
    codes = data.codes
    users = np.where(codes[:, columns.JOINT_TYPE] == USER_TYPE, codes[:, columns.DOF_COUNT], 0)
    chosen = [columns.PARENT, columns.JOINT_TYPE, columns.EULER_ORDER, columns.GRAVITY]
    return np.column_stack([codes[:, chosen], users]).astype(np.int64)


def _limits(data: columns.SkeletonData) -> FloatArray:
    dofs = data.dofs
    return np.stack(
        [
            dofs[columns.POSITION_LOWER],
            dofs[columns.POSITION_UPPER],
            np.minimum(-dofs[columns.VELOCITY_LOWER], dofs[columns.VELOCITY_UPPER]),
            np.minimum(-dofs[columns.FORCE_LOWER], dofs[columns.FORCE_UPPER]),
        ]
    )
