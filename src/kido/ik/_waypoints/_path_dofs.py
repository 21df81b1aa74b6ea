"""Arguments of waypoints and paths: the frame that moves, and the dofs by which it does."""

from __future__ import annotations

from collections.abc import Iterable

from kido.frame import Frame
from kido.ik._carrier import carrier_of
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._waypoints._seen_frame import SeenFrame
from kido.skeleton import DegreeOfFreedom, Skeleton

__all__ = ["checked_path_dofs", "checked_path_frame"]


def checked_path_frame(name: str, frame: object, skeleton: Skeleton | None = None) -> Frame:
    """A frame that a body carries, of a skeleton where one is given.

    Raises TypeError for what is no frame, ValueError for one that no body carries, or one of another
    skeleton.
    """
    if not isinstance(frame, Frame):
        raise TypeError(f"{name}: expected a body or a frame on one, got {type(frame).__name__}")
    body = carrier_of(frame)
    if body is None:
        raise ValueError(f"{name}: expected a frame on a body, got {frame.name!r}, which no body carries")
    if skeleton is not None and body.skeleton is not skeleton:
        raise ValueError(f"{name}: {frame.name!r} is of another skeleton, {body.skeleton.name!r}")
    return frame


def checked_path_dofs(seen: SeenFrame, dofs: Iterable[DegreeOfFreedom | str]) -> tuple[str, ...]:
    """Names of dofs that shall move a frame.

    Raises TypeError or ValueError for what are none of its skeleton, and for those that follow others,
    UnknownNameError for a name that no dof has.
    """
    module = InverseKinematics(seen.body)
    module.dofs = dofs
    leaders, all_dofs = seen.skeleton.leading_dofs, seen.skeleton.dofs
    for dof in module.dofs:
        if (leader := leaders.get(dof.index)) is not None:
            raise ValueError(f"dofs: {dof.name!r} follows {all_dofs[leader].name!r}")
    return tuple(dof.name for dof in module.dofs)
