from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kido.typing import frozen_array, frozen_direction


def test_frozen_array_copies_and_cannot_be_written() -> None:
    source = np.zeros(3)
    array = frozen_array("x", source, (3,))
    source[0] = 1.0
    assert array[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0


def test_wrong_shape_says_what_was_expected_and_what_came() -> None:
    with pytest.raises(ValueError, match=r"^com: expected shape \(3,\) \[m\], got \(2,\)$"):
        frozen_array("com", [1.0, 2.0], (3,), "m")


def test_any_length_accepts_every_length_but_no_other_dimension() -> None:
    assert frozen_array("x", [1.0, 2.0], (-1,)).shape == (2,)
    with pytest.raises(ValueError, match=r"expected shape \(n,\)"):
        frozen_array("x", [[1.0]], (-1,))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_non_finite_numbers_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="x: expected finite numbers"):
        frozen_array("x", [0.0, bad], (2,))


def test_of_many_numbers_the_first_one_that_is_refused_is_named() -> None:
    numbers = np.zeros((4, 5, 6))
    numbers[2, 3, 1] = numbers[3, 0, 0] = math.inf
    with pytest.raises(ValueError, match=r"^x: expected finite numbers \[N\], got inf at \[2, 3, 1\]$"):
        frozen_array("x", numbers, None, "N")
    numbers[3, 0, 1] = math.nan
    with pytest.raises(ValueError, match=r"^x: expected numbers, not NaN, got nan at \[3, 0, 1\]$"):
        frozen_array("x", numbers, None, finite=False)


def test_infinity_can_be_allowed_but_not_nan() -> None:
    assert frozen_array("x", math.inf, (), finite=False) == math.inf
    with pytest.raises(ValueError, match="not NaN"):
        frozen_array("x", math.nan, (), finite=False)


@pytest.mark.parametrize("bad", ["a", [[1.0], [1.0, 2.0]], None, 1j])
def test_what_are_not_numbers_is_refused_by_name(bad: object) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^x: expected"):
        frozen_array("x", bad, (3,))  # type: ignore[arg-type]


@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3), st.integers(-300, 300))
def test_directions_have_unit_length_at_every_scale(vector: list[float], exponent: int) -> None:
    scaled = np.array(vector) * 10.0**exponent
    if not scaled.any():
        return
    direction = frozen_direction("n", scaled)
    assert math.isclose(math.hypot(*direction), 1.0, rel_tol=4e-16 * 3)
    largest = int(np.abs(scaled).argmax())
    assert np.allclose(direction / direction[largest], scaled / scaled[largest], rtol=1e-14, atol=1e-300)


@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).filter(lambda v: max(map(abs, v)) > 1e-3))
def test_normalising_twice_changes_no_bit(vector: list[float]) -> None:
    once = frozen_direction("n", vector)
    assert np.array_equal(frozen_direction("n", once), once)


def test_zero_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="n: expected a nonzero vector"):
        frozen_direction("n", [0.0, 0.0, 0.0])
