"""What `check` does with a method that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from kido import InverseKinematics
from kido.ik import ErrorMethod, GradientMethod


def assert_named_by_check(ik: InverseKinematics, method: ErrorMethod | GradientMethod, message: str) -> None:
    """The check of a method that is wrong begins with a message, and leaves the module as it is."""
    __tracebackhide__ = True
    before = ik.positions, ik.target.transform(), ik.properties
    with pytest.raises((TypeError, ValueError), match=rf"^{message}"):
        method.check(ik)
    np.testing.assert_array_equal(ik.positions, before[0])
    np.testing.assert_array_equal(ik.target.transform(), before[1])
    assert ik.properties is before[2]
