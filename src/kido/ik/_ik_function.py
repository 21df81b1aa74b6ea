"""Objectives that look at their module."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kido.optimize import Function

if TYPE_CHECKING:
    from kido.ik._ik_parts import IKParts

__all__ = ["IKFunction"]


class IKFunction(Function):
    """A function of a module's positions that looks at the module or its skeleton.

    Copies of a module share a plain Function; they ask a function of this kind for one of their own.
    """

    @abstractmethod
    def copied_to(self, ik: IKParts) -> IKFunction:
        """The function that means for the module `ik` what this one means for its own."""
