"""Mass, center of mass and rotational inertia of a link."""

from __future__ import annotations

import numpy as np

from kido.values import Array, Value, array, number, value

__all__ = ["Inertia"]

_SYMMETRY = 1e-9
_SEMIDEFINITE = 1e-9
_TRIANGLE = 1e-6


@value
class Inertia(Value):
    """Mass distribution of a link, in the link's axes.

    `mass` [kg], `com` (3,) center of mass [m], `moment` (3, 3) rotational inertia about the com [kg m^2].
    """

    mass: float = number(unit="kg")
    com: Array = array(3, unit="m", default=(0.0, 0.0, 0.0))
    moment: Array = array(3, 3, unit="kg m^2", default=((0.0,) * 3,) * 3)

    @property
    def is_massless(self) -> bool:
        """True if mass and moment are zero."""
        return self.mass == 0.0 and not self.moment.any()

    def problem(self) -> str | None:
        """The reason why no rigid body can have this inertia; None if one can.

        The principal moments of a body satisfy a + b >= c. A point mass and a massless link are fine.
        """
        if self.mass < 0.0:
            return f"mass is negative: {self.mass:g} kg"
        if self.mass == 0.0:
            return "mass is zero but the moment is not" if self.moment.any() else None
        scale = float(np.abs(self.moment).max())
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.moment.tolist()
        if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > _SYMMETRY * scale:
            return "moment is not symmetric"
        if xy == xz == yz == yx == zx == zy == 0.0:
            small, middle, large = sorted((xx, yy, zz))
        else:
            small, middle, large = np.linalg.eigvalsh(self.moment).tolist()
        if small < -_SEMIDEFINITE * scale:
            return f"moment is not positive semidefinite: principal moments {_text(small, middle, large)}"
        if small + middle < large * (1.0 - _TRIANGLE):
            return f"principal moments {_text(small, middle, large)} violate the triangle inequality"
        return None


def _text(small: float, middle: float, large: float) -> str:
    return f"({small:.4g}, {middle:.4g}, {large:.4g}) kg m^2"
