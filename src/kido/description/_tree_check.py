"""Checks that links and joints form trees on the world."""

from __future__ import annotations

from collections import Counter

from kido.description._joint import JointDescription
from kido.description._link import LinkDescription
from kido.errors import DescriptionError, UnknownNameError

__all__ = ["check_tree", "depth_first"]

Joints = tuple[JointDescription, ...]

_LISTED = 6


def check_tree(links: tuple[LinkDescription, ...], joints: Joints) -> None:
    """Raises DescriptionError, naming the offender, unless links and joints form trees on the world."""
    _check_unique("link", [link.name for link in links])
    _check_unique("joint", [joint.name for joint in joints])
    link_names = [link.name for link in links]
    _check_ends(joints, link_names)
    _check_one_parent(joints, link_names)
    _check_mimics(joints)
    _check_acyclic(joints)


def depth_first(joints: Joints) -> Joints:
    """The joints reachable from the world, parents before children, siblings in the given order."""
    children: dict[str | None, list[JointDescription]] = {}
    for joint in reversed(joints):
        children.setdefault(joint.parent, []).append(joint)
    ordered = []
    stack = children.get(None, [])
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack += children.get(joint.child, [])
    return tuple(ordered)


def _check_unique(kind: str, names: list[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise DescriptionError(f"expected unique names, got {count} {kind}s of this name", kind, name)


def _check_ends(joints: Joints, link_names: list[str]) -> None:
    known = set(link_names)
    for joint in joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in known and not (role == "parent" and name is None):
                unknown = UnknownNameError("link", str(name), link_names)
                raise DescriptionError(f"{role}: {unknown}", "joint", joint.name)


def _check_one_parent(joints: Joints, link_names: list[str]) -> None:
    joints_of: dict[str, list[str]] = {name: [] for name in link_names}
    for joint in joints:
        joints_of[joint.child].append(repr(joint.name))
    for link, holding in joints_of.items():
        if not holding:
            raise DescriptionError("not attached: no joint has it as child", "link", link)
        if len(holding) > 1:
            more = f" and {len(holding) - _LISTED} more" if len(holding) > _LISTED else ""
            several = f"expected to be the child of one joint, got {', '.join(holding[:_LISTED])}{more}"
            raise DescriptionError(several, "link", link)


def _check_mimics(joints: Joints) -> None:
    by_name = {joint.name: joint for joint in joints}
    sound: set[str] = set()
    for joint in joints:
        seen = {joint.name: None}
        mimic = joint.mimic
        while mimic is not None and mimic.joint not in sound:
            if mimic.joint not in by_name:
                unknown = UnknownNameError("joint", mimic.joint, by_name)
                raise DescriptionError(f"mimic: {unknown}", "joint", next(reversed(seen)))
            if mimic.joint in seen:
                chain = _path_text([*seen, mimic.joint])
                raise DescriptionError(f"mimic joints form a cycle: {chain}", "joint", joint.name)
            seen[mimic.joint] = None
            mimic = by_name[mimic.joint].mimic
        sound.update(seen)


def _check_acyclic(joints: Joints) -> None:
    parent_of = {joint.child: joint.parent for joint in joints}
    placed = {joint.child for joint in depth_first(joints)}
    link = next((joint.child for joint in joints if joint.child not in placed), None)
    seen: dict[str, None] = {}
    while link is not None and link not in seen:
        seen[link] = None
        link = parent_of[link]
    if link is not None:
        path = list(seen)
        cycle = [link, *reversed(path[path.index(link) :])]
        raise DescriptionError(f"links form a cycle: {_path_text(cycle)}", "link", link)


def _path_text(names: list[str]) -> str:
    """A path by its names; of a long one the beginning and the end."""
    left_out = len(names) - 2 * _LISTED
    shown = [*names[:_LISTED], f"({left_out} more)", *names[-_LISTED:]] if left_out > 1 else names
    return " -> ".join(shown)
