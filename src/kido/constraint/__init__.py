"""Constraints of bodies and dofs of a simulation beside their joints."""

from kido.constraint._body_constraint import BodyConstraint, Components
from kido.constraint._closures import (
    BallConstraint,
    CylindricalConstraint,
    RevoluteConstraint,
    WeldConstraint,
)
from kido.constraint._constraint import Constraint
from kido.constraint._distance import DistanceConstraint, RopeConstraint, SpringConstraint
from kido.constraint._gear import GearConstraint
from kido.constraint._polynomial import PolynomialConstraint
from kido.constraint._row_constraint import RowConstraint
from kido.constraint._rows import CheckedRows, Rows
from kido.constraint._softness import Softness

__all__ = [
    "BallConstraint",
    "BodyConstraint",
    "CheckedRows",
    "Components",
    "Constraint",
    "CylindricalConstraint",
    "DistanceConstraint",
    "GearConstraint",
    "PolynomialConstraint",
    "RevoluteConstraint",
    "RopeConstraint",
    "RowConstraint",
    "Rows",
    "Softness",
    "SpringConstraint",
    "WeldConstraint",
]
