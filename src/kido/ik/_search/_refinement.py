"""How the search goes on where a target is out of reach.

The damping of the search vanishes with the square of the distance, which is too little where some distance
remains, and far too much where much does: what keeps steps stable there is the curvature of the distance,
which grows in proportion to it. Exponents between 1 and 2 are discussed by Fan and Yuan, "On the quadratic
convergence of the Levenberg-Marquardt method without nonsingularity assumption" (2005).
"""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray

__all__ = ["ROUNDS", "STRONGER", "WEAKER", "damping_for"]

ROUNDS = 8
"""Times that the nearest positions are improved."""
STRONGER, WEAKER = 8.0, 0.5
"""What the damping is multiplied by where they did not improve, and where they did."""


def damping_for(squared: FloatArray, strength: FloatArray) -> FloatArray:
    """Factors (n,) of the squared distances that damp by about the distances, powers of 2 [-].

    Args:
        squared: weighted squared distances (n,) [-].
        strength: multiples (n,) of the distances [-].
    """
    exponent = np.round(np.log2(strength) - 0.5 * np.log2(np.maximum(squared, 1e-300)))
    return np.asarray(np.exp2(exponent))
