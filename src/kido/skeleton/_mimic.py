"""Mimic joints: positions and velocities that follow those of another joint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.description import JointType, Mimic
from kido.errors import EditError
from kido.skeleton._answers._answers import Answers
from kido.skeleton._data import POSITION, VELOCITY
from kido.typing import FloatArray

__all__ = ["Followers", "JointMimic", "Mimics", "find_followers"]

_LISTED = 6


class JointMimic(NamedTuple):
    """A joint, its dofs among those of the skeleton, and whom it follows; None: nobody."""

    name: str
    type: JointType | None
    first: int
    num_dofs: int
    mimic: Mimic | None

    def renamed(self, names: Mapping[str, str]) -> JointMimic:
        """The same with other names of joints, by the old ones."""
        follows = self.mimic
        if follows is not None:
            follows = replace(follows, joint=names.get(follows.joint, follows.joint))
        return self._replace(name=names.get(self.name, self.name), mimic=follows)


@dataclass(frozen=True, slots=True, eq=False)
class Followers:
    """Dofs whose positions are multipliers * positions of their leaders + offsets.

    Followers of followers are led by the leader at the end of their chain.

    Attributes:
        dofs: (k,) indices of the followers.
        leaders: (k,) indices of their leaders, which follow nobody.
        multipliers: (k,).
        offsets: (k,) [rad, m].
        by_motor: (k,) whether the leader feels nothing of its follower in simulation.
    """

    dofs: NDArray[np.intp]
    leaders: NDArray[np.intp]
    multipliers: FloatArray
    offsets: FloatArray
    by_motor: NDArray[np.bool_]

    def by_dof(self) -> dict[int, tuple[int, float, float]]:
        """Leader, multiplier and offset of each follower."""
        return {dof: (leader, multiplier, offset) for dof, leader, multiplier, offset in self.as_rows()}

    def as_rows(self) -> list[tuple[int, int, float, float]]:
        """Dof, leader, multiplier and offset of each."""
        columns = (self.dofs, self.leaders, self.multipliers, self.offsets)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def place(self, positions: FloatArray) -> None:
        """Write the followers' positions into those of all dofs (num_dofs,) [rad, m]."""
        led = positions[self.leaders]
        led *= self.multipliers
        led += self.offsets
        positions[self.dofs] = led

    def drive(self, velocities: FloatArray) -> None:
        """Write the followers' velocities into those of all dofs (num_dofs,) [rad/s, m/s]."""
        velocities[self.dofs] = self.multipliers * velocities[self.leaders]


_NONE = Followers(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), np.zeros(0), np.zeros(0, bool))


class Mimics:
    """Keeps followers with their leaders wherever positions or velocities are written, where that is
    enforced.

    The state of a compiled tree does it by itself; what is written without one is followed by `follow`.
    """

    __slots__ = ("_answers", "_coupled", "_couplings", "_followers", "_joints", "_leaders", "enforced")

    def __init__(self, answers: Answers, joints: Callable[[], Iterable[JointMimic]]) -> None:
        self.enforced = False
        self._answers = answers
        self._joints = joints
        self._followers: Followers | None = None
        self._coupled: Followers | None = None
        self._couplings: Mapping[int, tuple[int, float, float]] | None = None
        self._leaders: Mapping[int, int] | None = None

    @property
    def couplings(self) -> Mapping[int, tuple[int, float, float]]:
        """Leader, multiplier and offset of each follower."""
        if self._couplings is None:
            self._couplings = MappingProxyType(self._found().by_dof())
        return self._couplings

    @property
    def leaders(self) -> Mapping[int, int]:
        """The leader of each follower."""
        if self._leaders is None:
            self._leaders = MappingProxyType({dof: leader for dof, (leader, *_) in self.couplings.items()})
        return self._leaders

    def coupled(self) -> Followers:
        """Those whom simulation couples to their leaders: followers, whether or not that is enforced."""
        if self._coupled is None:
            self._coupled = find_followers(self._joints())
        return self._coupled

    def forget(self) -> None:
        """Dofs get other numbers, or joints follow otherwise."""
        self._followers = self._coupled = self._couplings = self._leaders = None

    def changed(self) -> None:
        """Let other joints follow, or follow otherwise. Raises EditError where they cannot."""
        self.forget()
        followers = self._found()
        if self._answers.state is None:
            self.follow(POSITION)
            self.follow(VELOCITY)
        else:
            self._answers.state.set_followers(followers.as_rows())

    def install(self, state: _core.State) -> None:
        """Tell the state of a tree that was just compiled."""
        followers = self._found()
        if followers.dofs.size:
            state.set_followers(followers.as_rows())

    def follow(self, row: int) -> None:
        """Positions or velocities were written into the data: move the followers."""
        if not self.enforced or row > VELOCITY:
            return
        if row == POSITION:
            self._found().place(self._answers.data.state[row])
        else:
            self._found().drive(self._answers.data.state[row])

    def _found(self) -> Followers:
        if self._followers is None:
            self._followers = find_followers(self._joints() if self.enforced else ())
        return self._followers


class _Rule(NamedTuple):
    """position = multiplier * position of `leader` + offset."""

    leader: JointMimic
    multiplier: float
    offset: float


def find_followers(joints: Iterable[JointMimic]) -> Followers:
    """The followers among the joints of a skeleton; a joint whose leader is not there follows nobody.

    Raises EditError where joints follow each other in a cycle, or leader and follower are not alike.
    """
    by_name = {joint.name: joint for joint in joints}
    if not by_name:
        return _NONE
    rules: dict[str, _Rule] = {}
    for joint in by_name.values():
        if joint.mimic is not None:
            _resolve(joint, by_name, rules)
    led = [(by_name[name], rule) for name, rule in rules.items() if rule.leader.name != name]
    counts = [joint.num_dofs for joint, _ in led]
    return Followers(
        _indices(joint for joint, _ in led),
        _indices(rule.leader for _, rule in led),
        np.repeat([rule.multiplier for _, rule in led], counts),
        np.repeat([rule.offset for _, rule in led], counts),
        np.repeat(
            np.array([joint.mimic is not None and not joint.mimic.coupled for joint, _ in led], dtype=bool),
            counts,
        ),
    )


def _resolve(joint: JointMimic, by_name: dict[str, JointMimic], rules: dict[str, _Rule]) -> None:
    """Rules of a joint and of those that it follows, up to one that follows nobody or has its rule."""
    path = {joint.name: joint}
    last, leader = joint, _leader(joint, by_name)
    while leader is not None and last.name not in rules:
        if leader.name in path:
            names = [*list(path)[:_LISTED], *(["..."] if len(path) > _LISTED else []), leader.name]
            raise EditError(f"mimic joints form a cycle: {' -> '.join(names)}")
        _check_alike(last, leader)
        path[leader.name] = leader
        last, leader = leader, _leader(leader, by_name)
    rule = rules.setdefault(last.name, _Rule(last, 1.0, 0.0))
    for follower in list(path.values())[-2::-1]:
        assert follower.mimic is not None
        multiplier, offset = follower.mimic.multiplier, follower.mimic.offset
        rule = _Rule(rule.leader, multiplier * rule.multiplier, multiplier * rule.offset + offset)
        rules[follower.name] = rule


def _leader(joint: JointMimic, by_name: dict[str, JointMimic]) -> JointMimic | None:
    return None if joint.mimic is None else by_name.get(joint.mimic.joint)


def _check_alike(follower: JointMimic, leader: JointMimic) -> None:
    pair = f"joint {follower.name!r} cannot follow {leader.name!r}"
    if follower.num_dofs != leader.num_dofs:
        raise EditError(
            f"{pair}: expected the same number of dofs, got {follower.num_dofs} and {leader.num_dofs}"
        )
    if JointType.BALL in (follower.type, leader.type) or JointType.FREE in (follower.type, leader.type):
        raise EditError(f"{pair}: rotation vectors of ball and free joints cannot be multiplied")


def _indices(joints: Iterable[JointMimic]) -> NDArray[np.intp]:
    return np.array(
        [index for joint in joints for index in range(joint.first, joint.first + joint.num_dofs)],
        dtype=np.intp,
    )
