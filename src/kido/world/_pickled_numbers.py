"""Numbers of contacts in a pickle of a world, until its first step."""

from __future__ import annotations

from kido.collision import CollisionFilter
from kido.skeleton import SimulationView, Skeleton
from kido.typing import FloatArray
from kido.world._filter_rules import FilterRules

__all__ = ["PickledNumbers"]


class PickledNumbers:
    """The numbers of a native world, and the skeletons that they fit as long as nothing of them is edited.

    Attributes:
        numbers: as the native world has saved them.
        motions: positions and velocities (num_dofs,) of the skeletons at that time.
        acted: wrenches from outside in the last step, as the compiled world has them.
    """

    __slots__ = ("_filter", "_plain", "_views", "acted", "motions", "numbers")

    def __init__(
        self,
        numbers: bytes,
        acted: tuple[FloatArray | None, ...],
        skeletons: tuple[Skeleton, ...],
        rules: CollisionFilter,
        motions: list[tuple[FloatArray, FloatArray]] | None = None,
    ) -> None:
        self.numbers, self.acted = numbers, acted
        self.motions = motions or [(s.positions, s.velocities) for s in skeletons]
        self._views = [SimulationView(skeleton) for skeleton in skeletons]
        self._plain = [view.is_plain for view in self._views]
        self._filter = FilterRules(rules)

    @property
    def hold(self) -> bool:
        """Whether structure, shapes and filter are those that the numbers were saved with."""
        plain = [view.is_plain for view in self._views]
        return plain == self._plain and self._filter.holds and all(v.same_structure for v in self._views)
