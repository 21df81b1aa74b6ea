"""Complementarity problems with bounds and friction, their solvers, and results that check themselves.

A `BoxedLCP` holds numbers, and any `LCPSolver` solves it. Nothing here knows of bodies: x and w are in the
units of the user's matrix.
"""

from kido.lcp._boxed_lcp import BoxedLCP
from kido.lcp._dantzig import Dantzig
from kido.lcp._first_success import FirstSuccess
from kido.lcp._friction_cone import FrictionCone
from kido.lcp._lemke import Lemke
from kido.lcp._projected_gauss_seidel import ProjectedGaussSeidel
from kido.lcp._result import LCPResult, LCPStatus
from kido.lcp._semismooth_newton import SemismoothNewton
from kido.lcp._solver import LCPSolver

__all__ = [
    "BoxedLCP",
    "Dantzig",
    "FirstSuccess",
    "FrictionCone",
    "LCPResult",
    "LCPSolver",
    "LCPStatus",
    "Lemke",
    "ProjectedGaussSeidel",
    "SemismoothNewton",
]
