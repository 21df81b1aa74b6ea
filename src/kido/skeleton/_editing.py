"""Edits of the structure of skeletons: bodies with what they carry, taken out, put elsewhere, copied.

Every edit first checks all that can be wrong, then changes the bodies' links to each other, and then has the
skeletons number their bodies and dofs anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from kido.errors import EditError, RemovedError
from kido.skeleton._core_skeleton import SkeletonCore
from kido.skeleton._external import ExternalForces
from kido.skeleton._joints._joint import Joint

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._skeleton import Skeleton

__all__ = [
    "attach_all",
    "attach_new",
    "change_joint",
    "copy_as",
    "copy_to",
    "depth_first",
    "move",
    "remove",
    "split",
]

J = TypeVar("J", bound=Joint)


def depth_first(roots: Iterable[BodyNode]) -> Iterator[BodyNode]:
    """Bodies with all that they carry, parents before children, each subtree in one piece."""
    stack = list(roots)[::-1]
    while stack:
        body = stack.pop()
        yield body
        stack.extend(reversed(body._bodies))


def attach_new(skeleton: Skeleton, body: BodyNode, parent: BodyNode | None) -> None:
    """Put a body that was just made into a skeleton."""
    index = skeleton.num_bodies if parent is None else _last(parent)._index + 1
    _link(body, parent, skeleton)
    skeleton._adopt((body,))
    skeleton._insert(body, index)
    skeleton._announce()


def attach_all(skeleton: Skeleton, bodies: Iterable[tuple[BodyNode, BodyNode | None]]) -> None:
    """Put bodies that were just made into a skeleton, each with the parent that it is attached to, at
    once."""
    pairs = tuple(bodies)
    children: dict[BodyNode, list[BodyNode]] = {}
    for body, parent in pairs:
        body._parent_body = parent
        if parent is not None:
            children.setdefault(parent, []).append(body)
    skeleton._roots = (*skeleton._roots, *(body for body, parent in pairs if parent is None))
    for carrier, carried in children.items():
        carrier._bodies = (*carrier._bodies, *carried)
    skeleton._adopt([body for body, _ in pairs])
    skeleton._renumber()
    skeleton._announce()


def remove(body: BodyNode) -> None:
    """Take a subtree out of its skeleton for good."""
    skeleton = body.skeleton
    gone = body.subtree()
    _unlink(body)
    skeleton._disown(gone)
    skeleton._renumber()
    for old in gone:
        old._joint._block = None
        old._joint._body = None
    skeleton._announce()


def move(body: BodyNode, parent: BodyNode | None, skeleton: Skeleton | None, joint: Joint | None) -> None:
    """Attach a subtree elsewhere."""
    source = body.skeleton
    target = _target(body, parent, skeleton)
    moving = body.subtree()
    if parent is not None and parent in moving:
        what = "itself" if parent is body else f"{parent.name!r}, which it carries"
        raise EditError(f"{body.name!r} cannot be moved to {what}")
    _check_optional(joint)
    _unlink(body)
    if joint is not None:
        _replace_joint(body, joint)
    if target is not source:
        source._disown(moving)
    _link(body, parent, target)
    if target is not source:
        target._adopt(moving)
        source._renumber()
    elif joint is not None:
        target._name_joint(joint)
    target._renumber()
    if target is not source:
        source._announce()
    target._announce()


def split(body: BodyNode, name: str | None, joint: Joint | None) -> Skeleton:
    """Make a skeleton of a subtree, and take it out of its own."""
    _check_optional(joint)
    skeleton = body.skeleton._like(body.name if name is None else name)
    move(body, None, skeleton, joint)
    return skeleton


def copy_to(
    body: BodyNode, parent: BodyNode | None, skeleton: Skeleton | None, joint: Joint | None, recursive: bool
) -> BodyNode:
    """Attach a copy of a subtree, or of one body, elsewhere."""
    target = _target(body, parent, skeleton)
    made = copy_as(body, target.name, joint, recursive)
    copy = made.bodies[0]
    target._renames += made._renames
    move(copy, parent, target, None)
    return copy


def copy_as(body: BodyNode, name: str, joint: Joint | None, recursive: bool) -> Skeleton:
    """A skeleton of a copy of a subtree, or of one body; what is attached is copied once the bodies stand."""
    _check_optional(joint)
    skeleton = body.skeleton._like(name)
    originals = body.subtree() if recursive else (body,)
    copies = _copies(originals, joint)
    _link(copies[0], None, skeleton)
    skeleton._adopt(copies)
    skeleton._renumber()
    for original, copy in zip(originals, copies, strict=True):
        _copy_attachments(original, copy)
    return skeleton


def change_joint(body: BodyNode, joint: type[J] | J) -> J:
    """Have another joint carry a body."""
    old = body.parent_joint
    if isinstance(joint, type) and issubclass(joint, Joint):
        fresh: J = joint(old._name)
        fresh.apply_options({"T_parent_joint": old.T_parent_joint, "T_child_joint": old.T_child_joint})
        if fresh.num_dofs:
            fresh.actuator = old.actuator
    elif isinstance(joint, Joint):
        fresh = joint
    else:
        raise TypeError(f"joint: expected a Joint or a type of joints, got {joint!r}")
    check_fresh(fresh)
    skeleton = body.skeleton
    _replace_joint(body, fresh)
    skeleton._name_joint(fresh)
    skeleton._renumber()
    skeleton._announce()
    return fresh


def clone_into(source: Skeleton, target: Skeleton) -> None:
    """Fill an empty skeleton with copies of all bodies of another, at the same places."""
    copies: list[BodyNode] = []
    block = source._block.share()
    for body in source._bodies:
        joint = type(body._joint).__new__(type(body._joint))
        body._joint._copy_description_into(joint)
        joint._block, joint._row, joint._first = block, body._index, body._joint._first
        copy = _bare_copy(body, joint)
        if body._parent_body is not None:
            copy._parent_body = copies[body._parent_body._index]
        copy._skeleton = target
        copy._index = body._index
        copies.append(copy)
    for body, copy in zip(source._bodies, copies, strict=True):
        copy._bodies = tuple(copies[child._index] for child in body._bodies)
    target._take_over(source, copies, block)
    for old, copy in zip(source._bodies, copies, strict=True):
        _copy_attachments(old, copy)


def _target(body: BodyNode, parent: BodyNode | None, skeleton: Skeleton | None) -> Skeleton:
    own = body.skeleton
    if skeleton is not None and not isinstance(skeleton, SkeletonCore):
        raise TypeError(f"skeleton: expected a Skeleton or None, got {type(skeleton).__name__}")
    if parent is None:
        return own if skeleton is None else skeleton
    check_parent(parent, skeleton)
    return parent.skeleton


def check_parent(parent: BodyNode, skeleton: Skeleton | None) -> None:
    """Raises TypeError, RemovedError or EditError where `parent` is no body of `skeleton`; None: of any."""
    if not isinstance(parent, ExternalForces):
        raise TypeError(f"parent: expected a BodyNode or None, got {type(parent).__name__}")
    if skeleton is not None and parent.skeleton is not skeleton:
        raise EditError(
            f"parent: {parent.name!r} belongs to {parent.skeleton.name!r}, not to {skeleton.name!r}"
        )


def _check_optional(joint: Joint | None) -> None:
    if joint is not None:
        check_fresh(joint)


def check_fresh(joint: Joint) -> None:
    """Raises TypeError, RemovedError or EditError where a joint cannot carry another body."""
    if not isinstance(joint, Joint):
        raise TypeError(f"joint: expected a Joint, got {type(joint).__name__}")
    if joint._body is not None:
        raise EditError(f"joint {joint.name!r} carries {joint._body.name!r} already")
    if joint._block is None:
        raise RemovedError("joint", joint.name)


def _last(body: BodyNode) -> BodyNode:
    """The last body of a subtree, depth first."""
    while body._bodies:
        body = body._bodies[-1]
    return body


def _link(body: BodyNode, parent: BodyNode | None, skeleton: Skeleton) -> None:
    body._parent_body = parent
    if parent is None:
        skeleton._roots = (*skeleton._roots, body)
    else:
        parent._bodies = (*parent._bodies, body)


def _unlink(body: BodyNode) -> None:
    parent = body._parent_body
    if parent is None:
        skeleton = body.skeleton
        skeleton._roots = tuple(root for root in skeleton._roots if root is not body)
    else:
        parent._bodies = tuple(child for child in parent._bodies if child is not body)
    body._parent_body = None


def _replace_joint(body: BodyNode, joint: Joint) -> None:
    """Has a fresh joint carry a body: the body's mass goes to the row of the joint's block."""
    old = body._joint
    inertia = body._home_row()[31:].copy()
    skeleton = body.skeleton
    skeleton._forget_joint(old)
    old._body = None
    old._block = None
    joint._take(body)
    if joint._name is None:
        joint._name = f"{body.name}_joint"
    joint._home().writable_rows()[joint._row, 31:] = inertia
    body._joint = joint


def _copies(bodies: tuple[BodyNode, ...], joint: Joint | None) -> list[BodyNode]:
    """Copies of the bodies of a subtree, linked to each other, in no skeleton."""
    index = {id(body): i for i, body in enumerate(bodies)}
    copies: list[BodyNode] = []
    for i, body in enumerate(bodies):
        if i == 0 and joint is not None:
            carrying = joint
            joint._name = body._joint.name if joint._name is None else joint._name
            joint._home().writable_rows()[joint._row, 31:] = body._home_row()[31:]
        else:
            carrying = body._joint.copy()
        copy = _bare_copy(body, carrying)
        if i > 0:
            assert body._parent_body is not None
            parent = copies[index[id(body._parent_body)]]
            copy._parent_body = parent
            parent._bodies = (*parent._bodies, copy)
        copies.append(copy)
    return copies


def _bare_copy(body: BodyNode, joint: Joint) -> BodyNode:
    copy = type(body)(body._name, joint)
    joint._body = copy
    copy._gravity_mode = body._gravity_mode
    copy._collidable = body._collidable
    copy._wrench = body._wrench
    return copy


def _copy_attachments(body: BodyNode, copy: BodyNode) -> None:
    if body._addons:
        copy._copy_addons_from(body)
    for node in body._nodes:
        node._copy_onto(copy)
