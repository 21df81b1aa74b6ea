"""Softness of a constraint."""

from __future__ import annotations

from kido.typing import frozen_array
from kido.values import Value, checked_positive, number, value

__all__ = ["RIGID", "Softness", "SoftnessNumbers"]

SoftnessNumbers = tuple[float, float, float, float]
"""Stiffness, damping, frequency, damping ratio."""

RIGID: SoftnessNumbers = (0.0, 0.0, 0.0, 0.0)


@value
class Softness(Value):
    """A spring and damper in each row of a constraint, in place of what holds rigidly.

    Given by stiffness and damping, or by the frequency and damping ratio with which the mass that a row moves
    would swing, whatever that mass is. Implicit in time: any of them is stable at any time step.

    Attributes:
        stiffness: [N/m], of rows about angles [N m/rad].
        damping: [N s/m], [N m s/rad].
        frequency: of the undamped oscillation [Hz]; 0: stiffness and damping count.
        damping_ratio: [-]; 1: critical.

    Raises TypeError or ValueError naming the argument.
    """

    stiffness: float = number(unit="N/m or N m/rad", default=0.0)
    damping: float = number(unit="N s/m or N m s/rad", default=0.0)
    frequency: float = number(unit="Hz", default=0.0)
    damping_ratio: float = number(unit="-", default=0.0)

    def _check(self) -> None:
        for name in ("stiffness", "damping", "frequency", "damping_ratio"):
            if getattr(self, name) < 0.0:
                raise ValueError(f"{name}: expected 0 or above, got {getattr(self, name)!r}")
        by_mass = self.frequency > 0.0
        if by_mass and (self.stiffness > 0.0 or self.damping > 0.0):
            raise ValueError("stiffness, frequency: expected one of them, got both")
        if not by_mass and self.damping_ratio > 0.0:
            raise ValueError("damping_ratio: expected a frequency above 0 beside it [Hz], got 0")
        if not (by_mass or self.stiffness > 0.0 or self.damping > 0.0):
            raise ValueError("stiffness: expected a stiffness, a damping or a frequency above 0, got none")

    @classmethod
    def of_frequency(cls, frequency: float, damping_ratio: float = 1.0) -> Softness:
        """By the frequency [Hz] and damping ratio [-] of the mass that a row moves; frequency above 0.

        Raises TypeError or ValueError naming the argument.
        """
        checked_positive("frequency", frequency, "Hz")
        return cls(frequency=frequency, damping_ratio=damping_ratio)

    @classmethod
    def of_erp(cls, erp: float, cfm: float, time_step: float) -> Softness:
        """By the parameters of ODE and DART: h the time step, erp = h k / (h k + c), cfm = 1 / (h k + c).

        Args:
            erp: share of an error that a step takes back [-], 0 to 1.
            cfm: velocity that a row gives way with per force [m/(s N), rad/(s N m)], above 0.
            time_step: which they were chosen for [s].

        Raises:
            TypeError, ValueError: naming the argument.
        """
        share = float(frozen_array("erp", erp, (), "-"))
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"erp: expected a number from 0 to 1 [-], got {share}")
        mixing = checked_positive("cfm", cfm, "m/(s N) or rad/(s N m)")
        h = checked_positive("time_step", time_step, "s")
        return cls(stiffness=share / (h * mixing), damping=(1.0 - share) / mixing)

    @property
    def numbers(self) -> SoftnessNumbers:
        """As the solver takes it."""
        return self.stiffness, self.damping, self.frequency, self.damping_ratio
