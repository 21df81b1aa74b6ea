from __future__ import annotations

import pickle

import numpy as np
import pytest

from kido.description import Inertia, LinkDescription, Material, ShapePlacement
from kido.errors import DescriptionError
from kido.shape import Sphere


def link() -> LinkDescription:
    material = Material("blue", (0.0, 0.0, 1.0, 0.5), "wood.png")
    ball = ShapePlacement("ball", Sphere(0.1), np.eye(4), material)
    return LinkDescription("hand", Inertia(1.0), [ball], [ShapePlacement(None, Sphere(0.2))], 7)


def test_links_pickle_and_compare_by_value() -> None:
    copy = pickle.loads(pickle.dumps(link()))
    assert copy == link()
    assert hash(copy) == hash(link())
    assert copy != LinkDescription("hand", Inertia(2.0), link().visuals, link().collisions, 7)


def test_lists_become_tuples() -> None:
    assert isinstance(link().visuals, tuple) and isinstance(link().collisions, tuple)


def test_placement_defaults_to_the_link_frame() -> None:
    assert np.array_equal(ShapePlacement(None, Sphere(0.1)).origin, np.eye(4))


def test_placement_refuses_what_is_no_transform() -> None:
    with pytest.raises(ValueError, match="origin: expected a rotation"):
        ShapePlacement(None, Sphere(0.1), 2.0 * np.eye(4) - np.diag([0.0, 0.0, 0.0, 1.0]))


@pytest.mark.parametrize("rgba", [(0.0, 0.0, 0.0, 1.1), (-0.1, 0.0, 0.0, 1.0)])
def test_colors_outside_of_zero_to_one_are_refused(rgba: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"rgba: expected numbers in \[0, 1\]"):
        Material("m", rgba)


def test_unnamed_links_are_refused() -> None:
    with pytest.raises(DescriptionError, match="name: expected a nonempty string"):
        LinkDescription("")
