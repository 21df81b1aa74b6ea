"""The <contact> element, and which shapes can touch each other by their bits and their place in the tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from kido.description import ContactExclusion, ContactPair, LinkReference
from kido.io._mjcf._body import Body
from kido.io._mjcf._context import Context
from kido.io._mjcf._geom import Geom
from kido.io._mjcf._node import Node
from kido.io._mjcf._options import node_options
from kido.io._mjcf._parts import WORLD, Parts
from kido.io._mjcf._section import SectionNames, section_nodes

__all__ = [
    "Categories",
    "geoms_in_pairs",
    "near_exclusions",
    "read_exclusions",
    "read_pairs",
    "touched_bases",
]

_BITS = 32
_USUAL = 1, 1
_MOST_PAIRS = 10_000

Bits = tuple[int, int]


class Categories:
    """Sets of 32 bits by which kido's shapes touch each other as those of a model do.

    There, one of two geoms has to have a bit of its contype in the other's conaffinity; in kido, both the
    category of each among those that the other collides with. Where the bits as they are would not do, each
    pair of contype and conaffinity of the model gets a bit of its own. What is beside the model touches it as
    a geom of contype and conaffinity 1 would: these are the shapes of category 1. Nothing touches where
    contacts are not `active`.
    """

    def __init__(self, kinds: Iterable[Bits], active: bool = True) -> None:
        self._active = active
        told = set(kinds) - {(0, 0)}
        usual = {_USUAL} if len(told) < _BITS else set()
        self._kinds = sorted(told | usual, key=lambda bits: (bits != _USUAL, bits))
        self._direct = all(
            _touch(a, b) == bool(a[0] & b[1] and b[0] & a[1]) for a in self._kinds for b in self._kinds
        )

    @property
    def exact(self) -> bool:
        """Whether the shapes touch as the geoms do: not where there are more than 32 kinds to tell apart."""
        return self._direct or len(self._kinds) <= _BITS

    def of(self, bits: Bits) -> Bits:
        """Category and the categories it collides with."""
        if not self._active:
            return 0, 0
        if bits == (0, 0) or self._direct or not self.exact:
            return bits
        with_others = sum(1 << k for k, other in enumerate(self._kinds) if _touch(bits, other))
        return 1 << self._kinds.index(bits), with_others


def _touch(a: Bits, b: Bits) -> bool:
    return bool(a[0] & b[1] or b[0] & a[1])


def read_exclusions(contexts: Sequence[Context], parts: Parts) -> list[ContactExclusion]:
    """The bodies that never touch, as the file has them; raises ModelFileError."""
    found: dict[ContactExclusion, None] = {}
    for node, context in _nodes(contexts, "exclude", parts):
        first = parts.find("body", parts.bodies, node, "body1", context)
        second = parts.find("body", parts.bodies, node, "body2", context)
        if first is None or second is None:
            continue
        if first is second:
            raise node.error("body2: expected another body than body1", "body2")
        ends = [parts.links.get(body.name) for body in (first, second)]
        if ends[0] is not None and ends[1] is not None:  # the world has a link only if it has a shape
            found[ContactExclusion(ends[0], ends[1])] = None
    return list(found)


def read_pairs(contexts: Sequence[Context], parts: Parts) -> list[ContactPair]:
    """Pairs of geoms with parameters of their own; raises ModelFileError."""
    found: list[ContactPair] = []
    names = SectionNames("pairs")
    for node, context in _nodes(contexts, "pair", parts):
        first = parts.find("geom", parts.geoms, node, "geom1", context)
        second = parts.find("geom", parts.geoms, node, "geom2", context)
        if first is None or second is None:
            continue
        shapes = [parts.shapes.get(geom.name) for _, geom in (first, second)]
        if shapes[0] is None or shapes[1] is None:
            node.note("ignored", "left out: one of its geoms has no shape")
            continue
        name = names.take(node, context)
        options = node_options(node, {"name", "geom1", "geom2"})
        with node.file.at(node.element):
            found.append(ContactPair(name, shapes[0], shapes[1], options, node.line))
    return found


def geoms_in_pairs(contexts: Sequence[Context], parts: Parts) -> set[str]:
    """Names of the geoms that pairs name."""
    return {
        context.prefix + (node.get(end) or "") + suffix
        for node, context in _nodes(contexts, "pair", parts)
        for end in ("geom1", "geom2")
        for suffix in ("", node.suffix)
    }


def touched_bases(bodies: Sequence[Body], geoms: dict[str, list[Geom]]) -> set[str]:
    """Names of the bodies that stand, welded to the world, and that those which they carry touch."""
    standing: set[Body] = set()
    found: set[str] = set()
    for body in bodies:
        parent = body.parent
        if parent is None:
            continue
        if body.free is None and not body.joints:
            if parent.parent is None or parent in standing:
                standing.add(body)
        elif parent in standing and _may_touch(geoms[parent.name], geoms[body.name]):
            found.add(parent.name)
    return found


def _may_touch(some: Sequence[Geom], others: Sequence[Geom]) -> bool:
    """Whether geoms of two bodies can touch each other by their bits."""
    first, second = {geom.bits for geom in some}, {geom.bits for geom in others}
    return any(_touch(a, b) for a in first for b in second)


def near_exclusions(
    bodies: Sequence[Body],
    geoms: dict[str, list[Geom]],
    parts: Parts,
    joined: set[tuple[str, str]],
    filters_parents: bool,
) -> list[ContactExclusion]:
    """Bodies that do not touch: welded together or, if the model `filters_parents`, joined by joints.

    Where a body and its parent are links that one joint joins (`joined`), robots see to that themselves. What
    is welded to the world touches those that it carries.
    """
    groups: dict[Body, list[Body]] = {}
    leader_of: dict[Body, Body] = {}
    for body in bodies:
        moves = body.free is not None or bool(body.joints) or body.parent is None
        leader_of[body] = body if moves or body.parent is None else leader_of[body.parent]
        if any(geom.collides for geom in geoms[body.name]):
            groups.setdefault(leader_of[body], []).append(body)
    found: list[ContactExclusion] = []
    for a, b in _near_pairs(groups, leader_of, filters_parents):
        ends = _links(parts, a, b)
        if not _may_touch(geoms[a.name], geoms[b.name]):
            continue
        if ends is None or (a.name, b.name) in joined or (b.name, a.name) in joined:
            continue
        if len(found) == _MOST_PAIRS:
            context = bodies[0].scope.context
            what = f"of more than {_MOST_PAIRS} pairs of bodies that are joined the others can touch"
            context.file.note(context.root, "ignored", what)
            break
        found.append(ContactExclusion(*ends))
    return found


def _near_pairs(
    groups: dict[Body, list[Body]], leader_of: dict[Body, Body], filters_parents: bool
) -> Iterator[tuple[Body, Body]]:
    """Pairs of bodies that are welded together, and those of groups that a joint joins."""
    for leader, members in groups.items():
        above = None if leader.parent is None else leader_of[leader.parent]
        if filters_parents and above is not None and above.parent is not None:
            yield from product(groups.get(above, []), members)
        if above is not None:
            yield from combinations(members, 2)


def _links(parts: Parts, a: Body, b: Body) -> tuple[LinkReference, LinkReference] | None:
    first, second = parts.links.get(a.name), parts.links.get(b.name)
    if first is None or second is None or WORLD in (a.name, b.name) or first.owner != second.owner:
        return None
    return first, second


def _nodes(contexts: Sequence[Context], tag: str, parts: Parts) -> Iterator[tuple[Node, Context]]:
    return section_nodes(contexts, "contact", {tag: tag}.get, parts.copies)
