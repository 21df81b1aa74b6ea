"""Newton's method for the natural residual."""

from __future__ import annotations

from kido.lcp._native_solver import NativeSolver
from kido.values import value

__all__ = ["SemismoothNewton"]


@value
class SemismoothNewton(NativeSolver):
    """Newton's method for x - P(x - w) = 0, which takes everything: bounds, pyramids and cones, exactly.

    With constant bounds it is the primal-dual active-set method, and ends after a few steps whatever the
    size. A step that lowers the residual at no length is replaced by sweeps of projected Gauss-Seidel, and
    once there are some of these, it is tried nevertheless. After half of `max_iterations` the method is that
    of `ProjectedGaussSeidel`, which leaves where steps lead back to; `iterations` counts all.

    Source: L. Qi, J. Sun, "A nonsmooth version of Newton's method", 1993; P. Alart, A. Curnier, "A mixed
    formulation for frictional contact problems prone to Newton like solution methods", 1991.
    """

    @property
    def _method(self) -> str:
        return "semismooth_newton"
