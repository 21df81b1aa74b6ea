"""SciPy: bounded least squares, of the matrix's Cholesky factor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from benchmarks._peers._lcp_peer import LcpPeer


class ScipyLcp(LcpPeer):
    """Problems with a positive definite matrix, as least squares, by the method of Stark and Parker."""

    library = "scipy"

    def solve(
        self,
        A: NDArray[np.float64],
        b: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """x (n,)."""
        L = np.linalg.cholesky(A)
        x: NDArray[np.float64] = lsq_linear(
            L.T, -np.linalg.solve(L, b), (lower, upper), method="bvls", tol=1e-14
        ).x
        return x
