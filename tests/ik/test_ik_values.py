"""Parts of inverse kinematics as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import kido
from kido.ik import ErrorMethod, GradientMethod


@dataclass
class LooseError(ErrorMethod):
    """An error method that can be changed."""

    size: float = 1.0

    def compute_error(self, ik: Any) -> Any:
        return np.zeros(6)


@dataclass
class LooseGradient(GradientMethod):
    """A gradient method that can be changed."""

    size: float = 1.0

    def compute_gradient(self, ik: Any, error: Any, jacobian: Any) -> Any:
        return np.zeros(jacobian.shape[1])


@dataclass(frozen=True)
class Shifted(ErrorMethod):
    """An error method of a user with an array."""

    shift: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def compute_error(self, ik: Any) -> Any:
        return np.concatenate([np.zeros(3), ik.transform()[:3, 3] - self.shift])


def module() -> kido.InverseKinematics:
    return kido.InverseKinematics.of(kido.gallery.arm().bodies[-1])


@pytest.mark.parametrize(
    ("part", "method"), [("error_method", LooseError()), ("gradient_method", LooseGradient())]
)
def test_a_part_that_can_be_changed_is_refused(part: str, method: Any) -> None:
    ik = module()
    before = ik.properties
    with pytest.raises(
        TypeError, match=f"^{part}: expected a frozen dataclass.*, got {type(method).__name__}"
    ):
        setattr(ik, part, method)
    assert ik.properties is before


def test_arrays_of_a_part_are_read_only_copies() -> None:
    ik, shift = module(), np.zeros(3)
    ik.error_method = Shifted(shift)
    shift[0] = 1.0
    assert ik.error_method.shift.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="read-only"):
        ik.error_method.shift[0] = 1.0


def test_results_of_searches_cannot_be_written() -> None:
    ik = module()
    for result in (ik.solve(), ik.solve_batch(ik.target.transform()[None])):
        with pytest.raises(ValueError, match="read-only"):
            result.positions[...] = 0.0
