"""What holds bodies of a simulation together beside their joints."""

from __future__ import annotations

from kido.constraint._body_constraint import BodyConstraint, Components
from kido.constraint._closures import (
    BallConstraint,
    CylindricalConstraint,
    RevoluteConstraint,
    WeldConstraint,
)
from kido.constraint._distance import DistanceConstraint, RopeConstraint, SpringConstraint

__all__ = [
    "BallConstraint",
    "BodyConstraint",
    "Components",
    "CylindricalConstraint",
    "DistanceConstraint",
    "RevoluteConstraint",
    "RopeConstraint",
    "SpringConstraint",
    "WeldConstraint",
]
