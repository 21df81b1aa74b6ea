"""How the surface of a shape meets others."""

from __future__ import annotations

from kido.values import Value, number, value

__all__ = ["Surface"]


@value
class Surface(Value):
    """Friction and restitution of a surface.

    Of two surfaces that touch, the smaller friction counts, and the product of both restitutions.

    Attributes:
        friction: coefficient of Coulomb [-], 0 or above.
        restitution: share of the approaching speed with which bodies part [-], 0 to 1.

    Raises TypeError or ValueError naming the argument.
    """

    friction: float = number(unit="-", default=1.0)
    restitution: float = number(unit="-", default=0.0)

    def _check(self) -> None:
        if self.friction < 0.0:
            raise ValueError(f"friction: expected 0 or above [-], got {self.friction!r}")
        if not 0.0 <= self.restitution <= 1.0:
            raise ValueError(f"restitution: expected a number from 0 to 1 [-], got {self.restitution!r}")
