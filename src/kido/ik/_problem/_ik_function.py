"""Functions that look at their module or hierarchy, and those that are its errors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from kido.optimize import Function, MultiFunction
from kido.typing import FloatArray

__all__ = ["IKFunction", "IKMultiFunction", "OwnErrors"]


class IKFunction(Function):
    """A function of a module's positions that looks at the module or its skeleton.

    Copies of a module share a plain Function; they ask a function of this kind for one of their own. A pickle
    keeps its attributes, parts of the skeleton by their names, and asks the function that has them again.
    """

    @abstractmethod
    def copied_to(self, ik: Any) -> IKFunction:
        """The function that means for the module or hierarchy `ik` what this one means for its own."""


class IKMultiFunction(MultiFunction):
    """A function with several values of a module's positions, for constraints that look at the module or its
    skeleton; copied as an IKFunction is."""

    @abstractmethod
    def copied_to(self, ik: Any) -> IKMultiFunction:
        """The function that means for the module or hierarchy `ik` what this one means for its own."""


class OwnErrors(MultiFunction):
    """Base of the errors of a module or hierarchy as equality constraint; a copy of `owner` has its own."""

    @abstractmethod
    def __init__(self, owner: Any) -> None:
        """The errors of a module or hierarchy."""

    @property
    @abstractmethod
    def owner(self) -> Any:
        """The module or hierarchy whose errors these are."""

    @abstractmethod
    def component_values(self, x: FloatArray) -> FloatArray:
        """Weighted errors (m,) that are required to be zero, at positions `x` (k,), whatever the solver gets
        [-]."""

    @abstractmethod
    def component_jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (m, k) of these at positions `x` (k,) [-]."""
