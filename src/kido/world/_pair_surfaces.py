"""Pairs of shapes whose contact has a surface of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any

from kido.errors import DescriptionError
from kido.shape import Surface
from kido.skeleton import ShapeNode
from kido.values import Checked, Value, checked, checked_items, items, number, part, value
from kido.world._surface_rules import SurfaceRules

__all__ = ["PairSurface", "PairSurfaces", "ShapeName"]

ShapeName = tuple[str, str]
"""Names of a skeleton and of a shape on it."""

_NUMBERS = ("friction", "restitution", "rolling_friction", "torsional_friction", "slip")


def _shape_name(name: str, value: Iterable[str]) -> ShapeName:
    names = checked_items(name, str, value)
    if len(names) != 2:
        raise DescriptionError(f"{name}: expected the names of a skeleton and a shape, got {value!r}")
    return names[0], names[1]


@value
class PairSurface(Value):
    """Numbers of the contact of two shapes, each by the names of its skeleton and its own; None: as rules
    combine the surfaces of both. A `friction` that is given is the same in all directions."""

    first: Checked[Iterable[str], ShapeName] = checked(_shape_name)
    second: Checked[Iterable[str], ShapeName] = checked(_shape_name)
    friction: float | None = number(unit="-", default=None, kw_only=True)
    restitution: float | None = number(unit="-", default=None, kw_only=True)
    rolling_friction: float | None = number(unit="m", default=None, kw_only=True)
    torsional_friction: float | None = number(unit="m", default=None, kw_only=True)
    slip: float | None = number(unit="m/(N s)", default=None, kw_only=True)

    def _check(self) -> None:
        Surface(**self.numbers)

    @property
    def numbers(self) -> dict[str, float]:
        """Those that are given, by name."""
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        return {name: number for name, number in numbers.items() if number is not None}

    def of(self, surface: Surface) -> Surface:
        """Combined surface that rules give."""
        given: dict[str, Any] = self.numbers
        if self.friction is not None:
            given.update(friction_direction=None, secondary_friction=None, secondary_slip=None)
        return replace(surface, **given)


@value
class PairSurfaces(Value):
    """A surface handler: rules, and pairs of shapes that have numbers of their own."""

    pairs: Checked[Iterable[PairSurface], tuple[PairSurface, ...]] = items(PairSurface, default=())
    rules: SurfaceRules = part(SurfaceRules, default=SurfaceRules())
    _by_names: dict[frozenset[ShapeName], PairSurface] = field(init=False, repr=False, compare=False)

    def _check(self) -> None:
        self._assign(_by_names={frozenset((pair.first, pair.second)): pair for pair in self.pairs})

    def __call__(self, first: ShapeNode, second: ShapeNode) -> Surface:
        """The surface of two shapes that begin to touch."""
        surface = self.rules.combined(first, second)
        names = frozenset((node.skeleton.name, node.name) for node in (first, second))
        pair = self._by_names.get(names)
        return surface if pair is None else pair.of(surface)
