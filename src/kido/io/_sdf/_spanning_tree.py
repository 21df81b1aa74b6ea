"""Joints that make a tree of the links, and those that close loops."""

from __future__ import annotations

from collections.abc import Iterable

from kido.description import ClosureType, JointType
from kido.io._sdf._joint import SdfJoint

__all__ = ["CLOSURES", "spanning_tree"]

CLOSURES = {
    JointType.WELD: ClosureType.WELD,
    JointType.REVOLUTE: ClosureType.REVOLUTE,
    JointType.BALL: ClosureType.BALL,
}
"""The closure that holds two links as a joint of the type does."""


def spanning_tree(joints: Iterable[SdfJoint]) -> tuple[list[SdfJoint], list[SdfJoint]]:
    """Joints that hang each link on at most one other, and the rest, which close loops.

    Of several joints of one child, the first stays that no closure could replace, else the first. Where links
    hang on each other in a circle, the last joint of it that a closure can replace is cut.
    """
    joints = list(joints)
    kept: dict[str, SdfJoint] = {}
    for joint in joints:
        rival = kept.get(joint.child)
        if _must_close(joint):
            continue
        if rival is None or (rival.type in CLOSURES and joint.type not in CLOSURES):
            kept[joint.child] = joint
    order = {id(joint): number for number, joint in enumerate(joints)}
    for circle in _circles(kept):
        replaceable = [joint for joint in circle if joint.type in CLOSURES]
        if replaceable:
            del kept[max(replaceable, key=lambda joint: order[id(joint)]).child]
    in_tree = {id(joint) for joint in kept.values()}
    return [j for j in joints if id(j) in in_tree], [j for j in joints if id(j) not in in_tree]


def _must_close(joint: SdfJoint) -> bool:
    return joint.is_loop and joint.type in CLOSURES


def _circles(kept: dict[str, SdfJoint]) -> list[list[SdfJoint]]:
    """Links that hang on each other in circles, by the joints of each."""
    circles = []
    done: set[str] = set()
    for start in kept:
        path: dict[str, SdfJoint] = {}
        link: str | None = start
        while link is not None and link in kept and link not in done and link not in path:
            path[link] = kept[link]
            link = kept[link].parent
        if link is not None and link in path:
            names = list(path)
            circles.append([path[name] for name in names[names.index(link) :]])
        done.update(path)
    return circles
