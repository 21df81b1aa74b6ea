"""Forward and inverse dynamics of a skeleton with point masses around its bodies.

Points are leaves of the articulated-body algorithm and eliminated first, with their springs, dampers and gas
implicit in the time step: what is left is a rigid inertia and a wrench at each body. See
`native/include/kido/soft`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kido import _core
from kido.errors import SingularMassError
from kido.skeleton._answers._answers import Answers
from kido.skeleton._answers._soft_points import (
    core_rows,
    gravity_on,
    point_motions,
    tree_as_it_is,
    with_inertias,
)
from kido.skeleton._data import ACCELERATION, FORCE, STATE_ROWS
from kido.tree import Tree
from kido.typing import FloatArray

__all__ = [
    "bias_forces",
    "coupled_bias_forces",
    "coupled_mass_matrix",
    "follow",
    "forward_dynamics",
    "inverse_dynamics",
    "transmitted_wrenches",
    "velocity_changes",
]


class _Eliminated:
    """A skeleton whose points are eliminated: the tree with what they leave of the inertia, a state of its
    own, and the wrenches on the bodies (num_bodies, 6)."""

    def __init__(self, answers: Answers, *, external: bool) -> None:
        data, tree = answers.data, answers.ready_tree()
        self.answers = answers
        self.spins = tree.body_velocities(answers.q, answers.v, frame="body")[:, :3]
        poses = tree.forward_kinematics(answers.q)
        rows, self.wrenches = core_rows(answers), np.zeros((data.num_bodies, 6))
        if external:
            self.wrenches += data.all_wrenches()
        for body, node in answers.softs:
            gravity = poses[body, :3, :3].T @ gravity_on(answers, body)
            load = node._soft.eliminate(answers.time_step, *_rows(self.spins[body], gravity), external)
            if load is None:
                raise SingularMassError([tree.joint_names[body]], tree.name)
            rows[body] += load[:10]
            self.wrenches[body] += load[10:]
        self.tree: Tree = with_inertias(answers, rows)
        self.state = _core.State(self.tree, data.state.copy())
        if self.state.waits_for_users:
            self.state.ask_users(self.tree)

    def give(self, row: int, values: FloatArray) -> None:
        """Write accelerations or forces of the skeleton."""
        name = "accelerations" if row == ACCELERATION else "forces"
        self.answers.ready().set_part(row, 0, self.answers.data.num_dofs, name, values)

    def singular(self) -> SingularMassError:
        return SingularMassError(self.tree._massless_joints(), self.tree.name)

    def accelerate_points(self, accelerations: FloatArray) -> None:
        answers = self.answers
        tree = answers.ready_tree()
        poses = tree.forward_kinematics(answers.q)
        motions = tree.body_accelerations(answers.q, answers.v, accelerations, frame="body")
        for body, node in answers.softs:
            linear = motions[body, 3:] - poses[body, :3, :3].T @ gravity_on(answers, body)
            node._soft.accelerate(*_rows(motions[body, :3], linear, self.spins[body]))


def _rows(*vectors: FloatArray) -> Sequence[FloatArray]:
    return [np.ascontiguousarray(vector) for vector in vectors]


def forward_dynamics(answers: Answers) -> None:
    """Write accelerations of dofs and points, and forces. Raises SingularMassError."""
    found, data = _Eliminated(answers, external=True), answers.data
    if not found.state.compute_forward_dynamics(data.dofs, data.actuators, found.wrenches, answers.time_step):
        raise found.singular()
    accelerations = found.state.accelerations
    found.give(ACCELERATION, accelerations)
    found.give(FORCE, found.state.forces)
    found.accelerate_points(accelerations)


def inverse_dynamics(answers: Answers, *, external: bool, damping: bool, springs: bool) -> None:
    """Write the forces that the dofs' accelerations take, and the accelerations of the points that follow."""
    found, data = _Eliminated(answers, external=external), answers.data
    h = answers.time_step
    found.state.compute_inverse_dynamics(
        data.dofs, data.actuators, found.wrenches, h, external=True, damping=damping, springs=springs
    )
    found.give(FORCE, found.state.forces)
    found.accelerate_points(data.state[ACCELERATION])


def velocity_changes(answers: Answers, impulses: FloatArray) -> FloatArray:
    """Changes of the dofs' velocities that impulses (num_dofs,) give. Raises SingularMassError."""
    found = _Eliminated(answers, external=False)
    change = found.state.velocity_changes(answers.data.actuators, impulses)
    if change is None:
        raise found.singular()
    return change


def follow(answers: Answers, changes: FloatArray) -> None:
    """Change the points' velocities by what changes of the dofs' (num_dofs,) make of them, after
    `velocity_changes`."""
    tree = answers.ready_tree()
    for body, node in answers.softs:
        change = tree.jacobian(answers.q, body, frame="body") @ changes
        node._soft.follow(*_rows(change[:3], change[3:]))


def bias_forces(answers: Answers) -> FloatArray:
    """C + G (num_dofs,) with the points as they are and move."""
    wrenches = np.zeros((answers.data.num_bodies, 6))
    for motion in point_motions(answers, dofs=False, beside=False):
        coriolis = 2.0 * motion.node.skin.mass[:, None] * np.cross(motion.spin, motion.node._soft.velocities)
        wrenches[motion.body] -= motion.wrench(coriolis)
    n = answers.data.num_dofs
    return tree_as_it_is(answers).inverse_dynamics(answers.q, answers.v, np.zeros(n), wrenches)


def coupled_mass_matrix(answers: Answers) -> FloatArray:
    """Mass matrix of dofs and points that are not frozen."""
    tree, n = tree_as_it_is(answers), answers.data.num_dofs
    blocks, masses = [np.zeros((n, 0))], [np.zeros(0)]
    for body, node in answers.softs:
        free = ~node.skin.frozen
        mass, places = node.skin.mass[free], (node.skin.points + node._soft.displacements)[free]
        J = tree.jacobian(answers.q, body, frame="body")
        moved = J[3:] + np.cross(J[:3].T[None], places[:, None]).transpose(0, 2, 1)  # (points, 3, n)
        blocks.append((mass[:, None, None] * moved).reshape(-1, n).T)
        masses.append(np.repeat(mass, 3))
    beside = np.concatenate(blocks, axis=1)
    return np.block([[tree.mass_matrix(answers.q), beside], [beside.T, np.diag(np.concatenate(masses))]])


def coupled_bias_forces(answers: Answers) -> FloatArray:
    """C + G of dofs and points that are not frozen: what keeps their velocities, without springs."""
    parts = [bias_forces(answers)]
    for motion in point_motions(answers, dofs=False, beside=False):
        forces = motion.node.skin.mass[:, None] * motion.accelerations
        parts.append(forces[~motion.node.skin.frozen].ravel())
    return np.concatenate(parts)


def transmitted_wrenches(
    answers: Answers,
    state: FloatArray | None = None,
    wrenches: FloatArray | None = None,
    duration: float = 0.0,
) -> FloatArray:
    """Wrenches (num_bodies, 6) in the joints; `state`: motion (3, num_dofs) a `duration` ago, and `wrenches`
    on bodies and points beside `point_forces`, None: those of now."""
    data, tree = answers.data, answers.ready_tree()
    outside = np.array(data.all_wrenches() if wrenches is None else wrenches)
    for motion in point_motions(answers, dofs=True, beside=True, state=state, duration=duration):
        forces = motion.node.skin.mass[:, None] * motion.accelerations
        given = motion.node._soft.forces
        if state is not None:  # in a world, where points may be pinned
            given = given + motion.node._soft.pin_forces @ motion.axes
        outside[motion.body] -= motion.wrench(forces - given)
    moving = (
        data.state if state is None else np.concatenate([state, np.zeros((STATE_ROWS - 3, state.shape[1]))])
    )
    own = _core.State(tree, np.array(moving))
    if own.waits_for_users:
        own.ask_users(tree)
    rows = with_inertias(answers, core_rows(answers))._rows.numbers
    return own.transmitted_wrenches(np.ascontiguousarray(rows), data.codes, answers.gravity, outside)
