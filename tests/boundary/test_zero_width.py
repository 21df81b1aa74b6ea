"""Arrays of very many rows without a number in them: nothing is to be done for the rows."""

from __future__ import annotations

import numpy as np
import pytest

import kido

ROWS = 2**33
"""Anything that is done for each of so many rows takes minutes."""


@pytest.fixture(scope="module")
def tree() -> kido.Tree:
    """A tree without dofs."""
    rock = kido.Skeleton("rock")
    rock.add_body("rock", joint=kido.WeldJoint("weld"))
    return rock.tree


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "bias_forces", "gravity_forces"])
def test_forces_and_motions_of_no_dofs_are_empty_at_once(tree: kido.Tree, name: str) -> None:
    count = {"bias_forces": 2, "gravity_forces": 1}.get(name, 3)
    none = np.empty((ROWS, 0))
    assert getattr(tree, name)(*[none] * count).shape == (ROWS, 0)


def test_matrices_of_no_dofs_are_empty_at_once(tree: kido.Tree) -> None:
    none = np.empty((ROWS, 0))
    assert tree.mass_matrix(none).shape == (ROWS, 0, 0)
    derivatives = tree.forward_dynamics_derivatives(none, none, none)
    assert {x.shape for x in derivatives} == {(ROWS, 0, 0)}


def test_functions_of_no_rows_are_empty_at_once() -> None:
    assert kido.math.so3_exp(np.empty((ROWS, 0, 3))).shape == (ROWS, 0, 3, 3)
