"""From a skeleton to the tree that answers questions about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kido import _core
from kido.skeleton import _numbers as numbers
from kido.skeleton._compiled._joint_functions import JointFunctions
from kido.skeleton._joints._user_joint import UserJoint
from kido.tree import USER_TYPE, Tree, TreeRows, euler_code, type_code

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["compile_tree"]


def compile_tree(skeleton: SkeletonCore, kept: Tree | None) -> tuple[Tree, _core.State]:
    """The tree of a skeleton (`kept`, where it still holds), and a state that works on the skeleton's
    numbers."""
    tree = kept or Tree(_rows(skeleton), name=skeleton._name, gravity=skeleton._gravity)
    return tree, _core.State(tree, skeleton._block.state)


def _rows(skeleton: SkeletonCore) -> TreeRows:
    block, bodies = skeleton._block, skeleton._bodies
    block.rows.flags.writeable = False
    joints = [body._joint for body in bodies]
    integers = [
        (
            -1 if body._parent_body is None else body._parent_body._index,
            USER_TYPE if joint.type is None else type_code(joint.type),
            euler_code(joint._euler_order()),
            body._gravity_mode,
            joint.num_dofs if isinstance(joint, UserJoint) else 0,
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
        np.array(integers, dtype=np.int64).reshape(-1, 5),
        block.rows,
        limits,
        tuple(body._name for body in bodies),
        tuple(joint.name for joint in joints),
        tuple(name for joint in joints for name in joint.dof_names),
        tuple(JointFunctions(joint) for joint in joints if isinstance(joint, UserJoint)),
    )
