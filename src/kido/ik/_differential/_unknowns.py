"""Unknowns of a step: dofs that move by themselves, with others, or not at all."""

from __future__ import annotations

from typing import NamedTuple

from kido.skeleton import Skeleton

__all__ = ["Unknowns", "moving_unknowns", "unknowns_of"]


class Unknowns(NamedTuple):
    """Unknowns of a step.

    Attributes:
        pairs: of each dof the unknown that it moves with, -1: none, and its velocity for one of the unknown.
        dofs: the dof of each unknown.
    """

    pairs: list[tuple[int, float]]
    dofs: tuple[int, ...]


def unknowns_of(
    robot: Skeleton, dofs: tuple[str | int, ...] | None, frozen: tuple[str | int, ...]
) -> Unknowns:
    """The unknowns of a robot whose `dofs` may move, None: all that are not locked, but for frozen ones.

    Raises UnknownNameError or IndexError for dofs that are not there, ValueError for those that follow others
    and where none is left.
    """
    leaders, locked = robot.leading_dofs, robot.locked_dofs
    chosen = range(robot.num_dofs) if dofs is None else [robot.dof(key).index for key in dofs]
    held = {robot.dof(key).index for key in frozen} | set(locked)
    for dof in ({robot.dof(key).index for key in (*(dofs or ()), *frozen)}) & set(leaders):
        raise ValueError(f"dofs: {robot.dof(dof).name!r} follows {robot.dof(leaders[dof]).name!r}")
    free = sorted(set(chosen) - held - set(leaders))
    if not free:
        raise ValueError(f"dofs: expected one that may move at least, of {robot.name}")
    return _unknowns(robot, free)


def moving_unknowns(robot: Skeleton) -> Unknowns:
    """The unknowns of a robot all of whose dofs may move but locked ones; none where all are locked."""
    held = robot.leading_dofs.keys() | robot.locked_dofs
    return _unknowns(robot, [dof for dof in range(robot.num_dofs) if dof not in held])


def _unknowns(robot: Skeleton, free: list[int]) -> Unknowns:
    place = {dof: i for i, dof in enumerate(free)}
    pairs = [(place.get(i, -1), 1.0) for i in range(robot.num_dofs)]
    for follower, (leader, ratio, _) in robot.dof_couplings.items():
        pairs[follower] = (place.get(leader, -1) if ratio != 0.0 else -1, ratio or 1.0)
    return Unknowns(pairs, tuple(free))
