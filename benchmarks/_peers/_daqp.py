"""daqp: a dual active-set method for quadratic programs."""

from __future__ import annotations

import daqp
import numpy as np
from numpy.typing import NDArray

from benchmarks._peers._lcp_peer import LcpPeer


class DaqpLcp(LcpPeer):
    """Problems with a positive definite matrix, as quadratic programs with bounds."""

    library = "daqp"

    def solve(
        self,
        A: NDArray[np.float64],
        b: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """x (n,)."""
        none = np.zeros((0, len(b)))
        x: NDArray[np.float64] = daqp.solve(A, b, none, upper, lower, np.zeros(len(b), np.intc))[0]
        return x
