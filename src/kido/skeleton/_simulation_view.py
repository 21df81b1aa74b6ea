"""View of a skeleton for a simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.skeleton._answers import _soft_dynamics as soft_dynamics
from kido.skeleton._answers._answers import EDITS, Answers
from kido.skeleton._answers._mass import fixed_moments
from kido.skeleton._body import BodyNode
from kido.skeleton._data import (
    GRAVITY,
    LIMITS_ENFORCED,
    POSITION,
    REST_POSITION,
    STIFFNESS,
    SkeletonData,
)
from kido.skeleton._skeleton import Skeleton
from kido.skeleton._soft_body import SkinNode, SoftBodyNode
from kido.tree import INERTIA, Tree
from kido.typing import FloatArray

__all__ = ["EDITS", "SimulationView"]

_PLACE = 1 << POSITION


class SimulationView:
    """View of a skeleton for a simulation, and whether it still holds.

    Attributes:
        skeleton: which is read.
        moves: whether simulation moves it.
    """

    __slots__ = ("_loads_version", "_place", "_structure", "moves", "skeleton")

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.moves = skeleton.mobile and skeleton.num_dofs > 0
        self._structure = self._present_structure()
        self._place: FloatArray = np.zeros(0) if self.moves else self._data.state[POSITION].copy()
        self._loads_version = self._answers.dynamics_version

    @property
    def _answers(self) -> Answers:
        return self.skeleton._answers

    @property
    def _data(self) -> SkeletonData:
        return self.skeleton._answers.data

    # ---- what tells whether it holds

    @property
    def same_structure(self) -> bool:
        """Whether bodies, joints, shapes, and positions where it does not move are those of the beginning."""
        answers, (state, shapes, place) = self._answers, self._structure
        if answers.state is None or answers.state is not state or answers.shape_version != shapes:
            return False
        return self.moves or answers.state.stamp(_PLACE) == place or self._is_back()

    def _is_back(self) -> bool:
        """Whether a skeleton that is not moved, but was, is where it was in the beginning."""
        is_back = np.array_equal(self._data.state[POSITION], self._place)
        if is_back:
            self._structure = self._present_structure()
        return is_back

    @property
    def same_parts(self) -> bool:
        """Whether bodies, joints and shapes are those of the beginning, wherever they are."""
        return self.same_state and self._answers.shape_version == self._structure[1]

    @property
    def same_state(self) -> bool:
        """Whether bodies and joints are those of the beginning, and stand in the same numbers."""
        return self._answers.state is self._structure[0]

    @property
    def same_loads(self) -> bool:
        """Whether what acts on dofs and bodies is that of the beginning, or of `see_loads`."""
        return self._answers.dynamics_version == self._loads_version

    def see_loads(self) -> None:
        """Take what acts now for what is known."""
        self._loads_version = self._answers.dynamics_version

    def _present_structure(self) -> tuple[_core.State, int, int]:
        answers = self._answers
        state = answers.ready()
        return state, answers.shape_version, 0 if self.moves else state.stamp(_PLACE)

    # ---- what is read

    @property
    def tree(self) -> Tree:
        """The compiled tree."""
        return self.skeleton.tree

    @property
    def state(self) -> _core.State:
        """The numbers of the tree, its user joints asked."""
        return self._answers.ready()

    @property
    def rows(self) -> FloatArray:
        """Positions, velocities, accelerations, forces, commands (5, num_dofs), for reading."""
        return self._data.state

    @property
    def asks_users(self) -> bool:
        """Whether joints are functions of the user's."""
        return self.tree._user_motion is not None

    @property
    def massless_joints(self) -> list[str]:
        """Names of joints that move nothing of mass."""
        return self.tree._massless_joints()

    @property
    def has_wrenches(self) -> bool:
        """Whether anything acts on bodies from outside."""
        return self._data.wrenches is not None

    def take_wrenches(self) -> list[tuple[BodyNode, FloatArray]]:
        """Take what acts on bodies from outside away, and return it: wrenches (6,)."""
        wrenches = self._data.wrenches
        if wrenches is None:
            return []
        taken = list(zip(self.skeleton.bodies, wrenches.copy(), strict=True))
        self.skeleton.clear_external_forces()
        return taken

    def replace_wrenches(self, wrenches: FloatArray | None) -> None:
        """Have wrenches (num_bodies, 6) [N m, N] act on bodies from outside, and no others; None: none."""
        if wrenches is None:
            self.skeleton.clear_external_forces()
        else:
            self._data.set_wrenches(wrenches)
            self._answers.dynamics_changed()

    @staticmethod
    def give_wrenches(taken: list[tuple[BodyNode, FloatArray]]) -> None:
        """Have wrenches (6,) [N m, N] that were taken act again on bodies that are still there."""
        for body, wrench in taken:
            if body._skeleton is not None:
                body.external_wrench = body.external_wrench + wrench

    @property
    def loads(self) -> tuple[FloatArray, NDArray[np.uint8], FloatArray | None, NDArray[np.uint8]]:
        """Constants of dofs (20, num_dofs), their actuators (num_dofs,), wrenches on bodies (num_bodies, 6)
        or None, whether limits of positions hold (num_dofs,)."""
        data = self._data
        return data.dofs, data.actuators, data.wrenches, _core.codes_of_dofs(data.codes, LIMITS_ENFORCED)

    @property
    def is_plain(self) -> bool:
        """Whether nothing acts in the joints but forces."""
        data = self._data
        return _core.acts_by_forces_alone(data.dofs, data.actuators)

    @property
    def couplings(self) -> tuple[tuple[int, int, float, float, bool], ...]:
        """Dofs that follow others: follower, leader, ratio, offset [rad, m], whether by a motor."""
        followers = self.skeleton._mimics.coupled()
        if not followers.dofs.size:
            return ()
        rows = zip(followers.as_rows(), followers.by_motor.tolist(), strict=True)
        return tuple((*row, motor) for row, motor in rows)

    @property
    def external_wrenches(self) -> FloatArray:
        """Wrenches on the bodies from outside (num_bodies, 6), copied."""
        return np.array(self._data.all_wrenches())

    # ---- what follows of a motion

    @property
    def skins(self) -> list[tuple[int, SkinNode]]:
        """Bodies with point masses, by index, and their skins."""
        return [
            (index, body.skin_node)
            for index, body in enumerate(self.skeleton.bodies)
            if isinstance(body, SoftBodyNode)
        ]

    @property
    def softs(self) -> list[tuple[int, SkinNode]]:
        """Bodies with point masses, by index, and their skins, whose springs and weights are those of now."""
        found = self.skins
        for _, node in found:
            node.take_springs()
        return found

    def joint_wrenches(self, motion: FloatArray, wrenches: FloatArray, duration: float) -> FloatArray:
        """Wrenches (num_bodies, 6) that the parent joints apply on the bodies, about their origins, in their
        axes, under a motion (3, num_dofs), that of a step of a `duration` [s], and wrenches on the bodies
        (num_bodies, 6)."""
        tree, data = self.tree, self._data
        self._answers.ready()
        if self._answers.softs:
            return soft_dynamics.transmitted_wrenches(self._answers, motion, wrenches, duration)
        state = _core.State(tree, np.concatenate([motion, np.zeros((2, motion.shape[1]))]))
        if state.waits_for_users:
            state.ask_users(tree)
        return state.transmitted_wrenches(data.rows, data.codes, self._answers.gravity, wrenches)

    def potential_energies(self, positions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Potential energies in gravity and of the springs (...) at positions (..., num_dofs) [J]."""
        answers, data = self._answers, self._data
        stretch = self.tree.difference(data.dofs[REST_POSITION], positions)
        fixed = -answers.gravity @ fixed_moments.of(answers)[data.codes[:, GRAVITY] != 0].sum(axis=0)
        gravity = self.tree.potential_energy(positions) + fixed
        return gravity, 0.5 * np.asarray((data.dofs[STIFFNESS] * stretch * stretch).sum(axis=-1))

    @property
    def moving_bodies(self) -> NDArray[np.bool_]:
        """Whether each body (num_bodies,) moves, or has point masses that do."""
        moving = np.array([bool(body.chain_dofs) for body in self.skeleton.bodies], dtype=bool)
        moving[[index for index, _ in self.skins]] = True
        return moving

    def weight(self, transforms: FloatArray) -> FloatArray:
        """Moment about the world's origin and force (6,) of gravity on the bodies that move, at poses
        (num_bodies, 4, 4) [N m, N]."""
        inertias = self._data.rows[:, INERTIA] * self._data.codes[:, GRAVITY, None]
        moving = self.moving_bodies
        masses, T = inertias[moving, :1], transforms[moving]
        centers = (T[:, :3, :3] @ inertias[moving, 1:4, None])[..., 0] + T[:, :3, 3]
        moment = np.cross((masses * centers).sum(axis=0), self._answers.gravity)
        return np.concatenate([moment, masses.sum() * self._answers.gravity])
