"""Criteria of a linkage: where it starts, where it ends, and what stops it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from kido.description import JointType
from kido.errors import EditError
from kido.skeleton._body import BodyNode

if TYPE_CHECKING:
    from kido.skeleton._selections._selection import Twins

__all__ = ["ExpansionPolicy", "LinkageCriteria", "LinkageTarget", "LinkageTerminal"]


class ExpansionPolicy(str, Enum):
    """Policy of a start or target: what else is chosen there.

    * include: the body.
    * exclude: not even the body.
    * downstream: the body, and all that it carries.
    * upstream: the body, and all of its tree that it does not carry.
    """

    INCLUDE = "include"
    EXCLUDE = "exclude"
    DOWNSTREAM = "downstream"
    UPSTREAM = "upstream"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class LinkageTarget:
    """A body from which or to which a way leads; None as a target is the world: the way ends with the root.

    `policy` (an ExpansionPolicy or its name) says what else is chosen there. With `chain`, the way to this
    target ends where the structure branches or a free joint is: upward before a body that carries several,
    and with a body on a free joint; downward with a body that carries several, and before a body on a free
    joint.
    """

    body: BodyNode | None
    policy: ExpansionPolicy = ExpansionPolicy.INCLUDE
    chain: bool = False

    def __post_init__(self) -> None:
        if self.body is not None:
            checked_body("body", self.body)
        try:
            object.__setattr__(self, "policy", ExpansionPolicy(self.policy))
        except ValueError:
            known = ", ".join(ExpansionPolicy)
            raise ValueError(f"policy: expected one of {known}, got {self.policy!r}") from None


@dataclass(frozen=True, slots=True)
class LinkageTerminal:
    """A body that ends every way and expansion that comes to it, as the last one chosen if `inclusive`."""

    body: BodyNode
    inclusive: bool = True

    def __post_init__(self) -> None:
        checked_body("body", self.body)


@dataclass(frozen=True, slots=True, init=False)
class LinkageCriteria:
    """Criteria by which the bodies of a linkage are chosen, as in DART.

    What the start's policy says comes first, then the way to each target and what its policy says there. Ways
    lead along the tree, up to the first common ancestor, then down; between two trees of a skeleton, from
    root to root. Each body is chosen once, where it came first.

    Attributes: `start` (LinkageTarget or None), `targets` (of LinkageTarget), `terminals` (of
    LinkageTerminal).
    """

    start: LinkageTarget | None
    targets: tuple[LinkageTarget, ...]
    terminals: tuple[LinkageTerminal, ...]

    def __init__(
        self,
        start: LinkageTarget | BodyNode | None = None,
        targets: Iterable[LinkageTarget | BodyNode] = (),
        terminals: Iterable[LinkageTerminal | BodyNode] = (),
    ) -> None:
        """Bodies stand for targets and terminals with default options.

        Args:
            start: where ways begin; None: at the root of each target's tree.
            targets: where they lead.
            terminals: what ends them.

        Raises:
            TypeError: not bodies, targets or terminals.
            ValueError: a target without a body, and no start.
        """
        object.__setattr__(self, "start", None if start is None else _target(start))
        object.__setattr__(self, "targets", tuple(map(_target, targets)))
        object.__setattr__(self, "terminals", tuple(map(_terminal, terminals)))
        if (self.start is None or self.start.body is None) and any(t.body is None for t in self.targets):
            raise ValueError("start: expected a body where a target is the world, got None")

    def bodies(self) -> tuple[BodyNode, ...]:
        """The bodies that are chosen now.

        Raises:
            RemovedError: a body of these criteria was removed.
            EditError: start and targets belong to different skeletons.
        """
        return tuple(dict.fromkeys(_Search(self).chosen()))

    def _references(self) -> Iterator[BodyNode]:
        ends = self.targets if self.start is None else (self.start, *self.targets)
        yield from (end.body for end in ends if end.body is not None)
        yield from (terminal.body for terminal in self.terminals)

    def _twin(self, twins: Twins) -> LinkageCriteria:
        def of(target: LinkageTarget) -> LinkageTarget:
            body = None if target.body is None else twins.body(target.body)
            return LinkageTarget(body, target.policy, target.chain)

        return LinkageCriteria(
            None if self.start is None else of(self.start),
            map(of, self.targets),
            (LinkageTerminal(twins.body(end.body), end.inclusive) for end in self.terminals),
        )


class _Search:
    """One search for the bodies that criteria choose."""

    def __init__(self, criteria: LinkageCriteria) -> None:
        self._criteria = criteria
        self._ends = {end.body: end.inclusive for end in criteria.terminals}
        for body in criteria._references():
            body.skeleton  # noqa: B018 - raises where there is none

    def chosen(self) -> Iterator[BodyNode]:
        """All bodies in their order, some more than once."""
        start = self._criteria.start
        if start is not None and start.body is not None:
            yield from self._at(start.body, start.policy)
            for target in self._criteria.targets:
                yield from self._way(start.body, start.policy, target)
            return
        bodies = [target.body for target in self._criteria.targets if target.body is not None]
        for body in bodies[1:]:
            _refuse_two_skeletons(bodies[0], body)
        for target in self._criteria.targets:
            assert target.body is not None
            yield from self._way(target.body.root_body, ExpansionPolicy.INCLUDE, target)

    def _at(self, body: BodyNode, policy: ExpansionPolicy) -> Iterator[BodyNode]:
        """Bodies that a policy chooses at a body."""
        if policy is ExpansionPolicy.EXCLUDE:
            return
        yield body
        if body in self._ends:
            return
        if policy is ExpansionPolicy.DOWNSTREAM:
            for child in body.child_bodies:
                yield from self._downstream(child)
        elif policy is ExpansionPolicy.UPSTREAM:
            yield from self._upstream(body)

    def _downstream(self, root: BodyNode) -> Iterator[BodyNode]:
        stack = [root]
        while stack:
            body = stack.pop()
            if self._ends.get(body, True):
                yield body
            if body not in self._ends:
                stack.extend(reversed(body.child_bodies))

    def _upstream(self, body: BodyNode) -> Iterator[BodyNode]:
        """Ancestors up to the first that ends the way, then what they carry beside this body, the topmost
        first."""
        steps = []
        below, above = body, body.parent_body
        while above is not None and above not in self._ends:
            yield above
            steps.append((above, below))
            below, above = above, above.parent_body
        if above is not None and self._ends[above]:
            yield above
        for parent, excepted in reversed(steps):
            for child in parent.child_bodies:
                if child is not excepted:
                    yield from self._downstream(child)

    def _way(self, start: BodyNode, policy: ExpansionPolicy, target: LinkageTarget) -> Iterator[BodyNode]:
        """The way from a start to a target, and what the target's policy says."""
        way = self._between(start, target)
        if policy is ExpansionPolicy.EXCLUDE and way and way[0] is start:
            way = way[1:]
        arrived = bool(way) and way[-1] is target.body
        if arrived and target.policy is ExpansionPolicy.EXCLUDE:
            way = way[:-1]
        yield from way
        if arrived and target.body is not None:
            yield from self._at(target.body, target.policy)

    def _between(self, start: BodyNode, target: LinkageTarget) -> list[BodyNode]:
        up = list(start.ancestors())
        if target.body is None:
            return self._cut(up, target.chain, upward=True)
        _refuse_two_skeletons(start, target.body)
        down = list(target.body.ancestors())[::-1]
        common = next((body for body in up if body in down), None)
        if common is not None:
            up = up[: up.index(common) + 1]
            down = down[down.index(common) :]
        if common is start:
            return self._cut(down, target.chain, upward=False)
        risen = self._cut(up, target.chain, upward=True)
        if common is target.body or risen[-1:] != up[-1:]:
            return risen
        return risen + self._cut(down, target.chain, upward=False)

    def _cut(self, way: list[BodyNode], chain: bool, *, upward: bool) -> list[BodyNode]:
        """The part of a way up to where something ends it."""
        kept: list[BodyNode] = []
        for body in way:
            last = _ends_chain(body, upward) if chain and kept else None
            if last is False or not self._ends.get(body, True):
                return kept
            kept.append(body)
            if last or body in self._ends:
                return kept
        return kept


def _refuse_two_skeletons(start: BodyNode, target: BodyNode) -> None:
    if target.skeleton is not start.skeleton:
        raise EditError(
            f"no way leads from {start.name!r} to {target.name!r} of another skeleton: "
            "a linkage lies in one, a Group may hold parts of several"
        )


def _ends_chain(body: BodyNode, upward: bool) -> bool | None:
    """Whether a body is the last of a chain (True), or the first beyond it (False); None if neither."""
    if len(body.child_bodies) > 1:
        return not upward
    return upward if body.parent_joint.type is JointType.FREE else None


def _target(target: LinkageTarget | BodyNode) -> LinkageTarget:
    return target if isinstance(target, LinkageTarget) else LinkageTarget(checked_body("target", target))


def _terminal(terminal: LinkageTerminal | BodyNode) -> LinkageTerminal:
    if isinstance(terminal, LinkageTerminal):
        return terminal
    return LinkageTerminal(checked_body("terminal", terminal))


def checked_body(name: str, body: BodyNode) -> BodyNode:
    """A body that belongs to a skeleton; raises TypeError or RemovedError."""
    if not isinstance(body, BodyNode):
        raise TypeError(f"{name}: expected a BodyNode, got {type(body).__name__}")
    body.skeleton  # noqa: B018 - raises where there is none
    return body
