"""Damping of the search near a target that is out of reach.

The damping of the search vanishes with the square of the distance: too little where a small distance remains,
and far too much where a large one does. Stable steps need the curvature of the distance there, which grows in
proportion to it. Exponents between 1 and 2 are discussed by Fan and Yuan, "On the quadratic
convergence of the Levenberg-Marquardt method without nonsingularity assumption" (2005).
"""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray

__all__ = ["NEARER", "ROUNDS", "STRONGER", "WEAKER", "damping_for"]

NEARER = 1.0 - 1e-6
"""Factor on the squared error below which an answer of another branch is told [-]."""

ROUNDS = 8
"""Number of rounds that improve the nearest positions."""
STRONGER, WEAKER = 8.0, 0.5
"""Factors of the damping after a round that did not improve them, and after one that did [-]."""


def damping_for(squared: FloatArray, strength: FloatArray) -> FloatArray:
    """Factors (n,) that turn squared distances into about the distances: powers of 2 [-].

    Args:
        squared: weighted squared distances (n,) [-].
        strength: multiples (n,) of the distances [-].
    """
    exponent = np.round(np.log2(strength) - 0.5 * np.log2(np.maximum(squared, 1e-300)))
    return np.asarray(np.exp2(exponent))
