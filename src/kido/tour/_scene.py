"""A scene of the tour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kido.tour._stage import Stage

__all__ = ["TourScene"]


@dataclass(frozen=True)
class TourScene:
    """A scene of the tour.

    Attributes:
        title: over it.
        text: what there is to see and to do, in a sentence or two.
        make: makes it anew.
    """

    title: str
    text: str
    make: Callable[[], Stage]

    @property
    def name(self) -> str:
        """By which it is asked for; also that of its picture."""
        return self.make.__name__
