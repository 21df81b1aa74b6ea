"""Edits of the structure of skeletons: bodies with what they carry, taken out, put elsewhere, copied.

Every edit first checks all that can be wrong, then changes the bodies' links to each other, and then has the
structures number their bodies and dofs anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

from kido.errors import EditError, RemovedError
from kido.skeleton._data import ACTUATOR
from kido.skeleton._joints._joint import Joint
from kido.skeleton._mimic import JointMimic
from kido.skeleton._structure import Structure

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._data import SkeletonData
    from kido.skeleton._skeleton import Skeleton

__all__ = [
    "attach_all",
    "attach_new",
    "carrying_joint",
    "change_joint",
    "check_fresh",
    "clone_into",
    "copy_into",
    "move",
    "new_joint",
    "remove",
]

J = TypeVar("J", bound=Joint)


def attach_new(structure: Structure, body: BodyNode, parent: BodyNode | None) -> None:
    """Put a body that was just made into a skeleton."""
    structure.refuse_mimics([body._joint._as_mimic()])
    with structure.edited():
        index = len(structure.bodies) if parent is None else _last(parent)._index + 1
        _link(body, parent, structure)
        structure.adopt((body,))
        structure.insert(body, index)
    structure.announce()


def attach_all(structure: Structure, bodies: Iterable[tuple[BodyNode, BodyNode | None]]) -> None:
    """Put bodies that were just made into a skeleton, each with the parent that it is attached to, at
    once."""
    pairs = tuple(bodies)
    children: dict[BodyNode, list[BodyNode]] = {}
    with structure.edited():
        for body, parent in pairs:
            body._parent_body = parent
            if parent is not None:
                children.setdefault(parent, []).append(body)
        structure.roots = (*structure.roots, *(body for body, parent in pairs if parent is None))
        for carrier, carried in children.items():
            carrier._bodies = (*carrier._bodies, *carried)
        structure.adopt([body for body, _ in pairs])
        structure.renumber()
        structure.drop()  # with the index of dofs by name, which many skeletons never need again
    structure.announce()


def remove(structure: Structure, body: BodyNode) -> None:
    """Take a subtree out of its skeleton for good."""
    with structure.edited():
        gone = body.subtree()
        _unlink(body, structure)
        structure.disown(gone)
        structure.renumber()
        for old in gone:
            old._joint._data = None
            old._joint._body = None
    structure.announce()


def move(
    body: BodyNode, source: Structure, parent: BodyNode | None, target: Structure, joint: Joint | None
) -> None:
    """Attach a subtree elsewhere, carried by a fresh joint or by its present one."""
    moving = body.subtree()
    if parent is not None and parent in moving:
        what = "itself" if parent is body else f"{parent.name!r}, which it carries"
        raise EditError(f"{body.name!r} cannot be moved to {what}")
    if target is not source:
        target.refuse_mimics(_mimics(moving, joint))
    elif joint is not None:
        target.refuse_mimics(_mimics((body,), joint), {body._joint.name})
    with source.edited(), nullcontext() if target is source else target.edited():
        _unlink(body, source)
        if joint is not None:
            _replace_joint(body, source, joint)
        if target is not source:
            source.disown(moving)
        _link(body, parent, target)
        if target is not source:
            target.adopt(moving)
            source.renumber()
        elif joint is not None:
            target.name_joint(joint)
        target.renumber()
    source.announce(*([] if target is source else [target]))


def copy_into(target: Structure, body: BodyNode, joint: Joint | None, recursive: bool) -> BodyNode:
    """Fill an empty structure with copies of a subtree, or of one body; attachments follow once the bodies
    stand."""
    originals = body.subtree() if recursive else (body,)
    target.refuse_mimics(_mimics(originals, joint))
    copies = _copies(originals, joint)
    _link(copies[0], None, target)
    target.adopt(copies)
    target.renumber()
    _copy_attachments(originals, copies)
    return copies[0]


def change_joint(structure: Structure, body: BodyNode, joint: Joint) -> None:
    """Have a fresh joint carry a body."""
    structure.refuse_mimics(_mimics((body,), joint), {body._joint.name})
    with structure.edited():
        _replace_joint(body, structure, joint)
        structure.name_joint(joint)
        structure.renumber()
    structure.announce()


def clone_into(source: Structure, target: Structure, skeleton: Skeleton, data: SkeletonData) -> None:
    """Fill an empty structure with copies of all bodies of another, at the same slots of `data`."""
    copies: list[BodyNode] = []
    carrying: list[BodyNode] = []
    for body in source.bodies:
        old, index, above = body._joint, body._index, body._parent_body
        kind = type(old)
        joint = kind.__new__(kind)
        old._copy_description_into(joint)
        joint._data, joint._row, joint._first = data, index, old._first
        joint._body = copy = body.__new__(type(body))
        copy._start(body._name, joint, skeleton, index, None if above is None else copies[above._index])
        copies.append(copy)
        if body._bodies:
            carrying.append(body)
    for body in carrying:
        copies[body._index]._bodies = tuple([copies[child._index] for child in body._bodies])
    target.take_over(copies, data)
    _copy_attachments(source.bodies, copies)


def carrying_joint(body: BodyNode, joint: type[Joint] | Joint | None) -> Joint | None:
    """Joint that is to carry a body in place of its present one, as `new_joint` makes it; None: the present
    one."""
    return None if joint is None else new_joint(body._joint, joint)


def new_joint(old: Joint, joint: type[J] | J) -> J:
    """A joint in place of another: one of a type takes over what does not depend on dofs; a fresh one is
    taken as it is.

    Raises TypeError, RemovedError or EditError where it cannot carry another body.
    """
    if isinstance(joint, type) and issubclass(joint, Joint):
        made: J = joint(old._name)
        made.apply_options(
            {
                "T_parent_joint": old.T_parent_joint,
                "T_child_joint": old.T_child_joint,
                "limits_enforced": old.limits_enforced,
                "mimic": old.mimic,
            }
        )
        if made.num_dofs:
            made._write_code(ACTUATOR, old._code(ACTUATOR))
        return made
    if not isinstance(joint, Joint):
        raise TypeError(f"joint: expected a Joint or a type of joints, got {joint!r}")
    check_fresh(joint)
    return joint


def check_fresh(joint: Joint) -> None:
    """Raises TypeError, RemovedError or EditError where a joint cannot carry another body."""
    if not isinstance(joint, Joint):
        raise TypeError(f"joint: expected a Joint, got {type(joint).__name__}")
    if joint._body is not None:
        raise EditError(f"joint {joint.name!r} carries {joint._body.name!r} already")
    if joint._data is None:
        raise RemovedError("joint", joint.name)


def _mimics(bodies: tuple[BodyNode, ...], joint: Joint | None) -> Iterator[JointMimic]:
    """Mimics of the joints of bodies, where a fresh joint carries the first one; None: its present one."""
    first, *others = bodies
    if joint is None:
        yield first._joint._as_mimic()
    else:
        yield joint._as_mimic()._replace(name=joint._name_on(first.name))
    yield from (body._joint._as_mimic() for body in others)


def _last(body: BodyNode) -> BodyNode:
    """The last body of a subtree, depth first."""
    while body._bodies:
        body = body._bodies[-1]
    return body


def _link(body: BodyNode, parent: BodyNode | None, structure: Structure) -> None:
    body._parent_body = parent
    if parent is None:
        structure.roots = (*structure.roots, body)
    else:
        parent._bodies = (*parent._bodies, body)


def _unlink(body: BodyNode, structure: Structure) -> None:
    parent = body._parent_body
    if parent is None:
        structure.roots = tuple(root for root in structure.roots if root is not body)
    else:
        parent._bodies = tuple(child for child in parent._bodies if child is not body)
    body._parent_body = None


def _replace_joint(body: BodyNode, structure: Structure, joint: Joint) -> None:
    """Has a fresh joint carry a body, whose mass goes to the joint's data."""
    old = body._joint
    slot = old._slot()
    structure.forget_joint(old)
    old._body = None
    old._data = None
    joint._take(body)
    joint._name = joint._name_on(body.name)
    joint._home().copy_body(joint._row, slot.data, slot.row)
    body._joint = joint


def _copies(bodies: tuple[BodyNode, ...], joint: Joint | None) -> list[BodyNode]:
    """Copies of the bodies of a subtree, linked to each other, in no skeleton."""
    index = {id(body): i for i, body in enumerate(bodies)}
    copies: list[BodyNode] = []
    for i, body in enumerate(bodies):
        if i == 0 and joint is not None:
            carrying = joint
            joint._name = body._joint.name if joint._name is None else joint._name
        else:
            carrying = body._joint.copy()
        slot = body._joint._slot()
        carrying._home().copy_body(carrying._row, slot.data, slot.row)
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
    return copy


def _copy_attachments(bodies: Iterable[BodyNode], copies: Iterable[BodyNode]) -> None:
    """Copies nodes, then addons, which may look at nodes of any body."""
    pairs = [(body, copy) for body, copy in zip(bodies, copies, strict=True) if body._nodes or body._addons]
    for body, copy in pairs:
        for node in body._nodes:
            node._copy_onto(copy)
    for body, copy in pairs:
        if body._addons:
            copy._copy_addons_from(body)
        for node, twin in zip(body._nodes, copy._nodes, strict=True):
            twin._copy_content_of(node)
