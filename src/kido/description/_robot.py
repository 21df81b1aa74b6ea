"""A robot: a tree of links and joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from typing import Literal

from kido.description._joint import JointDescription
from kido.description._joint_type import JointType
from kido.description._link import LinkDescription
from kido.description._tree_check import check_tree, depth_first
from kido.errors import UnknownNameError
from kido.typing import PathLike
from kido.values import Checked, Value, file_path, items, text, value, whole

__all__ = ["Diagnostic", "RobotDescription"]


@value
class Diagnostic(Value):
    """Something doubtful in a model that loads.

    `kind` groups them ("mesh", "inertia", "limit", "mimic", "material", "geometry", "name", "root", "empty",
    "soft"; "ignored" for what is not honoured, "substituted" for what is honoured by something near);
    `subject` is the name of the link, joint or material in question, None for the robot.
    """

    message: str = text(empty=True)
    file: str | None = text(empty=True, default=None)
    line: int | None = whole(default=None)
    kind: str = text(empty=True, default="model")
    subject: str | None = text(empty=True, default=None)

    def __str__(self) -> str:
        place = "" if self.file is None else self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}" if place else self.message


@value
class RobotDescription(Value):
    """A robot as its model file gives it: links, and joints that make them one or more trees on the world.

    Raises DescriptionError if names repeat, a joint names an unknown link, a link is not the child of exactly
    one joint, links form a cycle, or a mimic names no other joint.
    """

    name: str = text(empty=True)
    links: Checked[Iterable[LinkDescription], tuple[LinkDescription, ...]] = items(LinkDescription)
    joints: Checked[Iterable[JointDescription], tuple[JointDescription, ...]] = items(JointDescription)
    diagnostics: Checked[Iterable[Diagnostic], tuple[Diagnostic, ...]] = items(Diagnostic, default=())
    source: Checked[PathLike | None, Path | None] = file_path(default=None)
    _links: dict[str, LinkDescription] = field(init=False, repr=False, compare=False)
    _joints: dict[str, JointDescription] = field(init=False, repr=False, compare=False)
    _depth_first: tuple[JointDescription, ...] = field(init=False, repr=False, compare=False)

    def _check(self) -> None:
        self._assign(
            _links={link.name: link for link in self.links},
            _joints={joint.name: joint for joint in self.joints},
        )
        check_tree(self.links, self.joints)
        self._assign(_depth_first=depth_first(self.joints))

    def link(self, name: str) -> LinkDescription:
        """The link of this name; raises UnknownNameError."""
        try:
            return self._links[name]
        except KeyError:
            raise UnknownNameError("link", name, self._links, self.name) from None

    def joint(self, name: str) -> JointDescription:
        """The joint of this name; raises UnknownNameError."""
        try:
            return self._joints[name]
        except KeyError:
            raise UnknownNameError("joint", name, self._joints, self.name) from None

    @property
    def root_joints(self) -> tuple[JointDescription, ...]:
        """The joints whose parent is the world, in file order."""
        return tuple(joint for joint in self.joints if joint.parent is None)

    def depth_first_joints(self) -> tuple[JointDescription, ...]:
        """All joints, parents before children, each subtree contiguous, siblings in file order."""
        return self._depth_first

    def with_root(self, root: Literal["free", "fixed"]) -> RobotDescription:
        """A copy whose joints on the world are free joints or welds, in the same place.

        Raises ValueError for another `root`.
        """
        return RobotDescription(
            self.name,
            self.links,
            (_rooted(joint, root) if joint.parent is None else joint for joint in self.joints),
            self.diagnostics,
            self.source,
        )


def _rooted(joint: JointDescription, root: str) -> JointDescription:
    types = {"free": JointType.FREE, "fixed": JointType.WELD}
    if root not in types:
        raise ValueError(f"root: expected 'free' or 'fixed', got {root!r}")
    if joint.type is types[root]:
        return joint
    place = (joint.T_parent_joint, joint.T_child_joint)
    return JointDescription(joint.name, types[root], None, joint.child, *place, line=joint.line)
