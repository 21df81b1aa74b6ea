"""What a peer of complementarity problems does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray


class LcpPeer(ABC):
    """A library that solves problems with constant bounds."""

    library: ClassVar[str]

    @abstractmethod
    def solve(
        self,
        A: NDArray[np.float64],
        b: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """x (n,)."""
