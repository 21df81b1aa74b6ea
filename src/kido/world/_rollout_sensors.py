"""Sensors of a rollout."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.collision import Part
from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.typing import FloatArray
from kido.world._compiled import CompiledWorld
from kido.world._contact_sums import check_part, is_of

__all__ = [
    "BodyPose",
    "BodyVelocity",
    "ContactCount",
    "ContactGroups",
    "ContactWrench",
    "Energy",
    "RolloutSensor",
    "StateBatch",
]


class RolloutSensor(ABC):
    """A quantity that a rollout computes of each state that it keeps.

    One of your own gives `read`, and pickles, if it is to go to other processes.
    """

    __slots__ = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """Skeletons, bodies and shapes whose contacts it needs."""
        return ()

    @abstractmethod
    def read(self, states: StateBatch) -> NDArray[np.generic]:
        """The quantity of all states (m, ...)."""


@dataclass(frozen=True)
class BodyPose(RolloutSensor):
    """Poses of a body in the world, (n, kept, 4, 4) [m]."""

    body: BodyNode

    def read(self, states: StateBatch) -> FloatArray:
        """Poses (m, 4, 4)."""
        positions, _, _ = states.of(self.body.skeleton)
        return self.body.skeleton.tree.transform(positions, self.body.index)


@dataclass(frozen=True)
class BodyVelocity(RolloutSensor):
    """Angular and linear velocities of a body's origin, (n, kept, 6) [rad/s, m/s]; `frame` as of
    `Tree.velocity`: "world" axes, or those of the "body"."""

    body: BodyNode
    frame: str = "world"

    def __post_init__(self) -> None:
        if self.frame not in ("world", "body", "spatial", "aligned"):
            raise ValueError(f"frame: expected 'world', 'body', 'spatial' or 'aligned', got {self.frame!r}")

    def read(self, states: StateBatch) -> FloatArray:
        """Velocities (m, 6)."""
        positions, velocities, _ = states.of(self.body.skeleton)
        return self.body.skeleton.tree.velocity(positions, velocities, self.body.index, frame=self.frame)


@dataclass(frozen=True)
class ContactWrench(RolloutSensor):
    """Torques and forces of all contacts on a skeleton, body or shape, (n, kept, 6) world axes [N m, N], as
    `World.contact_wrench` gives them."""

    part: Part

    def __post_init__(self) -> None:
        check_part(self.part)

    @property
    def parts(self) -> tuple[Part, ...]:
        """That whose contacts are summed."""
        return (self.part,)

    def read(self, states: StateBatch) -> FloatArray:
        """Wrenches (m, 6)."""
        wrenches, _ = states.contacts(self.part)
        out = np.array(wrenches)
        out[:, :3] -= np.cross(self._centers(states), wrenches[:, 3:])
        return out

    def _centers(self, states: StateBatch) -> FloatArray:
        part = self.part
        if isinstance(part, Skeleton):
            positions, _, _ = states.of(part)
            return _centers_of_mass(part, positions)
        body = part.body if isinstance(part, ShapeNode) else part
        return BodyPose(body).read(states)[:, :3, 3]


@dataclass(frozen=True)
class ContactCount(RolloutSensor):
    """Number of contact points on a skeleton, body or shape that carry force, (n, kept); those within a
    skeleton count twice."""

    part: Part

    def __post_init__(self) -> None:
        check_part(self.part)

    @property
    def parts(self) -> tuple[Part, ...]:
        """That whose contacts are counted."""
        return (self.part,)

    def read(self, states: StateBatch) -> NDArray[np.int64]:
        """Counts (m,)."""
        return states.contacts(self.part)[1]


@dataclass(frozen=True)
class Energy(RolloutSensor):
    """Energy of all skeletons (n, kept) [J]; `kind`: "total", "kinetic" or "potential", in gravity and
    springs."""

    kind: str = "total"

    def __post_init__(self) -> None:
        if self.kind not in ("total", "kinetic", "potential"):
            raise ValueError(f"kind: expected 'total', 'kinetic' or 'potential', got {self.kind!r}")

    def read(self, states: StateBatch) -> FloatArray:
        """Energies (m,)."""
        total = np.zeros(states.count)
        for view, index in states.compiled.views():
            if index < 0:
                continue
            positions, velocities, _ = states.of(view.skeleton)
            if self.kind != "potential":
                total += view.tree.kinetic_energy(positions, velocities)
            if self.kind != "kinetic":
                total += sum(view.potential_energies(positions))
        return total


class ContactGroups:
    """Shapes of a world in groups, so that the contacts of each part are those of some groups."""

    def __init__(self, compiled: CompiledWorld, parts: Iterable[Part]) -> None:
        self._parts = list(parts)
        keys = [tuple(is_of(node, part) for part in self._parts) for node in compiled.colliders.nodes]
        self._groups = sorted({key for key in keys if any(key)}, reverse=True)
        numbers = {key: number for number, key in enumerate(self._groups)}
        self.of_collider = [numbers.get(key, -1) for key in keys]

    def __len__(self) -> int:
        return len(self._groups)

    def of_part(self, part: Part) -> list[int]:
        """The groups of a part."""
        place = next(i for i, other in enumerate(self._parts) if other is part)
        return [number for number, key in enumerate(self._groups) if key[place]]


class StateBatch:
    """Good states of a rollout, one after the other, with what contacts did there.

    Attributes:
        compiled: the world.
        count: number of states, m.
    """

    __slots__ = ("_contacts", "_groups", "_motion", "compiled", "count")

    def __init__(
        self,
        compiled: CompiledWorld,
        motion: tuple[FloatArray, FloatArray, FloatArray],
        groups: ContactGroups,
        contacts: tuple[FloatArray, NDArray[np.int64]],
    ) -> None:
        self.compiled, self.count = compiled, len(motion[0])
        self._motion, self._groups, self._contacts = motion, groups, contacts

    def of(self, skeleton: Skeleton) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Positions, velocities and accelerations (m, num_dofs) of a skeleton of the world, which stands
        still where it does not move."""
        first = 0
        for view, index in self.compiled.views():
            n = view.skeleton.num_dofs
            if view.skeleton is skeleton and index >= 0:
                q, v, a = (rows[:, first : first + n] for rows in self._motion)
                return q, v, a
            if view.skeleton is skeleton:
                still = np.zeros((self.count, n))
                return still + skeleton.positions, still, still
            first += n if index >= 0 else 0
        raise ValueError(f"sensors: {skeleton.name!r} is none of the world's skeletons")

    def contacts(self, part: Part) -> tuple[FloatArray, NDArray[np.int64]]:
        """Torque about the world's origin and force (m, 6) of contacts on a part, world axes [N m, N], and
        how many points carry force (m,)."""
        groups = self._groups.of_part(part)
        wrenches, counts = self._contacts
        return wrenches[:, groups].sum(axis=1), counts[:, groups].sum(axis=1)


def _centers_of_mass(skeleton: Skeleton, positions: FloatArray) -> FloatArray:
    """Centers of mass of all bodies (m, 3)."""
    inertias = [body.inertia for body in skeleton.bodies]
    T = skeleton.tree.forward_kinematics(positions)
    masses = np.array([inertia.mass for inertia in inertias])
    coms = np.array([inertia.com for inertia in inertias])
    places = (T[..., :3, :3] @ coms[:, :, None])[..., 0] + T[..., :3, 3]
    return np.asarray((masses[:, None] * places).sum(axis=-2) / masses.sum())
