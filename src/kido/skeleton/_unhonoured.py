"""Parts of a description that no skeleton honours."""

from __future__ import annotations

from kido.description import Diagnostic, RobotDescription, SoftDescription
from kido.errors import DescriptionError

__all__ = ["unhonoured"]

_LISTED = 6


def unhonoured(robot: RobotDescription) -> tuple[Diagnostic, ...]:
    """Diagnostics of what a skeleton of this description leaves out or changes."""
    found: list[Diagnostic] = []
    file = None if robot.source is None else str(robot.source)

    def note(what: str, name: str, line: int | None, message: str, kind: str = "ignored") -> None:
        found.append(Diagnostic(f"{what} {name!r}: {message}", file, line, kind, name))

    for what in ("calibration", "safety"):
        joints = [joint for joint in robot.joints if getattr(joint, what) is not None]
        if joints:
            names = ", ".join(joint.name for joint in joints[:_LISTED])
            more = f" and {len(joints) - _LISTED} more" if len(joints) > _LISTED else ""
            message = f"{what} of {names}{more}: kept in the description, not in skeletons"
            found.append(Diagnostic(message, file, joints[0].line, "ignored", joints[0].name))
    for link in robot.links:
        if isinstance(link.soft, SoftDescription):
            try:
                link.soft.skin  # noqa: B018 - raises where there is none
            except DescriptionError as error:
                note("link", link.name, link.soft.line, f"its soft skin is not simulated: {error}", "soft")
    taken: set[tuple[bool, str]] = set()
    for joint in robot.depth_first_joints():
        for frame in robot.link(joint.child).frames:
            key = (frame.kind == "marker", frame.name)
            if key in taken:
                note("frame", frame.name, frame.line, "has a name of another; a number is added", "name")
            taken.add(key)
    return tuple(found)
