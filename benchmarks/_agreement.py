"""Agreement of libraries on a quantity: a timing of something else is worth nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks._peers import Call

FloatArray = NDArray[np.float64]

TOLERANCE = 1e-6
"""Relative difference above which a library is flagged."""

_CHECKED = 3


def difference(call: Call, reference: Call) -> float:
    """Largest difference over a few states, relative to the largest number of the reference."""
    worst = 0.0
    for i in range(min(_CHECKED, len(reference.arguments))):
        expected = value(reference, i)
        scale = np.abs(expected).max()
        worst = max(worst, float(np.abs(value(call, i) - expected).max() / scale))
    return worst


def value(call: Call, index: int) -> FloatArray:
    """The result for one state in kido's coordinates, copied."""
    return np.array(call.read(call.function(*call.arguments[index]), index))
