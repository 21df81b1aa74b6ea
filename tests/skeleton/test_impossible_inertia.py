"""Parts of an inertia set by themselves, where the whole is or is not one that a body can have."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.description import Inertia, JointDescription, LinkDescription, RobotDescription
from kido.errors import ModelWarning

FLAT = np.diag([1.0, 1.0, 5.0])
"""A moment that violates the triangle inequality."""


def body_with(inertia: Inertia) -> kido.BodyNode:
    """A body as a file gives it, whose inertia nobody checked."""
    floating = JointDescription("j", "free", None, "b")
    described = RobotDescription("r", [LinkDescription("b", inertia)], [floating])
    return kido.Skeleton.from_description(described).body("b")


def test_a_mass_that_leaves_an_impossible_moment_is_set_with_a_warning() -> None:
    body = body_with(Inertia(1.0, (0.1, 0.2, 0.3), FLAT))
    with pytest.warns(ModelWarning, match="inertia of 'b'.* violate the triangle inequality"):
        body.mass = 2.0
    assert body.mass == 2.0 and np.array_equal(body.moment_of_inertia, FLAT)
    with pytest.warns(ModelWarning, match="inertia of 'b'"):
        body.local_com = (1.0, 0.0, 0.0)
    assert np.array_equal(body.local_com, (1.0, 0.0, 0.0)) and body.mass == 2.0


def test_the_part_that_mends_an_inertia_is_set_without_a_warning() -> None:
    flat = body_with(Inertia(1.0, moment=FLAT))
    flat.moment_of_inertia = np.eye(3)
    assert flat.inertia.problem() is None
    negative = body_with(Inertia(-1.0, moment=np.eye(3)))
    negative.mass = 2.0
    assert negative.mass == 2.0


def test_a_number_that_is_impossible_by_itself_is_refused_whatever_the_rest_is() -> None:
    for inertia in (Inertia(1.0, moment=FLAT), Inertia(1.0, moment=np.eye(3))):
        body = body_with(inertia)
        with pytest.raises(ValueError, match="mass is negative"):
            body.mass = -2.0
        with pytest.raises(ValueError, match="triangle inequality"):
            body.moment_of_inertia = 2.0 * FLAT
        with pytest.raises(ValueError, match="com"):
            body.local_com = (np.nan, 0.0, 0.0)
        assert body.inertia == inertia


def test_a_possible_inertia_stays_possible() -> None:
    body = body_with(Inertia(1.0, moment=np.eye(3)))
    with pytest.raises(ValueError, match="mass is zero but the moment is not"):
        body.mass = 0.0
    assert body.mass == 1.0
