"""Diagnostics of a file, on the skeleton that `kido.load` returns."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import kido
from kido.errors import ModelWarning
from kido.io import read

INERTIA = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='9'/>"
HOLLOW = f"<link name='a'>\n<inertial><mass value='1'/>{INERTIA}</inertial></link>"
MESHED = "<visual><geometry><mesh filename='none.stl'/></geometry></visual>"
JOINT = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><mimic joint='k'/></joint>"


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    """A robot of impossible inertia, without its mesh, whose joint follows none that there is."""
    file = tmp_path / "arm.urdf"
    file.write_text(f"<robot name='r'>\n{HOLLOW}\n<link name='b'>{MESHED}</link>\n{JOINT}\n</robot>")
    return file


def test_a_loaded_skeleton_and_tree_have_the_diagnostics_of_their_file(doubtful: Path) -> None:
    with pytest.warns(ModelWarning) as caught:
        robot = kido.load(doubtful)
    with pytest.warns(ModelWarning):
        tree, description = kido.load_tree(doubtful), read(doubtful)
    assert {d.kind for d in description.diagnostics} == {"inertia", "mesh", "mimic"}
    assert robot.diagnostics == tree.diagnostics == description.diagnostics
    for warning, kind in zip(caught, ("inertia", "mesh", "mimic"), strict=True):
        assert any(d.kind == kind and str(warning.message).startswith(str(d.file)) for d in robot.diagnostics)
    (why,) = [d for d in robot.diagnostics if d.kind == "inertia"]
    assert "no body can have the inertia of 'a'; `diagnostics` says why" in str(caught[0].message)
    assert (why.subject, why.line) == ("a", 3)
    assert "violate the triangle inequality" in why.message


@pytest.mark.filterwarnings("ignore::kido.errors.ModelWarning")
def test_copies_and_pickles_keep_diagnostics(doubtful: Path) -> None:
    robot, tree = kido.load(doubtful), kido.load_tree(doubtful)
    assert len(robot.diagnostics) > 2
    for kept in (
        robot.clone("other"),
        copy.copy(robot),
        copy.deepcopy(robot),
        pickle.loads(pickle.dumps(robot)),
    ):
        assert kept.diagnostics == robot.diagnostics
    assert pickle.loads(pickle.dumps(tree)).diagnostics == tree.diagnostics


@pytest.mark.filterwarnings("ignore::kido.errors.ModelWarning")
def test_what_comes_from_no_file_has_no_diagnostics(doubtful: Path) -> None:
    robot = kido.load(doubtful)
    assert kido.Skeleton().diagnostics == ()
    assert kido.Skeleton.from_properties(robot.properties).diagnostics == ()
    assert robot.body("b").copy_as("part").diagnostics == ()
    assert kido.Skeleton().tree.diagnostics == ()


@pytest.mark.filterwarnings("ignore::kido.errors.ModelWarning")
def test_diagnostics_cannot_be_set_and_trees_are_equal_without_them(doubtful: Path) -> None:
    robot, tree = kido.load(doubtful), kido.load_tree(doubtful)
    with pytest.raises(AttributeError):
        robot.diagnostics = ()  # type: ignore[misc]
    assert robot.tree.diagnostics == ()
    assert robot.tree == tree
    assert np.array_equal(robot.tree.positions(), tree.positions())
