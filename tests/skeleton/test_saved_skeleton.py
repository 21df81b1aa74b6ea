"""A skeleton with everything in a file of kido."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _valued_skeletons
import _walk
import numpy as np
import pytest

import kido
from kido.errors import NoEffectWarning, SavedFileError, UnknownNameError
from kido.ik import InverseKinematics
from kido.shape import Mesh

TYPES = [
    kind
    for module in (_walk, _valued_skeletons)
    for kind in vars(module).values()
    if isinstance(kind, type) and kind.__module__ == module.__name__
]
"""Classes of the robot that are not kido's."""


def modules(robot: kido.Skeleton) -> Iterator[InverseKinematics]:
    """All modules of inverse kinematics."""
    for owner in (*robot.bodies, *robot.nodes()):
        found = owner.addon(InverseKinematics)
        if found is not None:
            yield found


@pytest.fixture
def robot(tmp_path: Path) -> kido.Skeleton:
    """A robot with everything that a skeleton can have, but for functions in Python, which no file holds."""
    mesh = tmp_path / "skin.stl"
    mesh.write_text("solid a\nendsolid a\n")
    robot = _walk.whole_robot()
    for module in modules(robot):
        module.objective = None
        if module._problem is not None:
            for constraint in tuple(module.problem.inequality_constraints):
                module.problem.inequality_constraints.remove(constraint)
    for node in robot.nodes(kido.ShapeNode):
        if isinstance(node.shape, Mesh):
            node.shape = Mesh(mesh)
    return robot


def load(path: Path, **options: Any) -> kido.Skeleton:
    """A robot from a file, whose modules' solvers have settings that only the search heeds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        return kido.load(path, types=TYPES, **options)


@pytest.mark.parametrize("meshes", ["path", "content"])
def test_a_robot_with_everything_is_read_as_it_was_written(
    robot: kido.Skeleton, tmp_path: Path, meshes: str
) -> None:
    file = tmp_path / "robot.json"
    assert kido.save(robot, file, meshes=meshes) == ()
    twin = load(file, mesh_folder=tmp_path / "cache")
    if meshes == "path":
        assert twin.properties == robot.properties
    assert twin.state == robot.state
    assert twin.name == robot.name
    for mine, theirs in zip(modules(robot), modules(twin), strict=True):
        np.testing.assert_array_equal(theirs.target.transform(), mine.target.transform())
        assert [dof.name for dof in theirs.dofs] == [dof.name for dof in mine.dofs]
        np.testing.assert_array_equal(theirs.error, mine.error)
        assert theirs.solver == mine.solver
    np.testing.assert_array_equal(twin.mass_matrix, robot.mass_matrix)
    again = tmp_path / "again.json"
    kido.save(twin, again, meshes=meshes)
    assert again.read_bytes() == file.read_bytes()


def test_classes_of_ones_own_have_to_be_named(robot: kido.Skeleton, tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    kido.save(robot, file)
    with pytest.raises(SavedFileError, match=r"unknown class 'Grid': pass it in `types`") as caught:
        kido.load(file)
    assert caught.value.file == str(file)


def test_functions_are_refused_by_their_place(robot: kido.Skeleton, tmp_path: Path) -> None:
    module = next(modules(robot))
    module.objective = kido.optimize.ModularFunction(np.sum)
    with pytest.raises(TypeError, match=r"contents\[\d+\]\.attributes.*expected what can be saved"):
        kido.save(robot, tmp_path / "robot.json")
    assert not (tmp_path / "robot.json").exists()


def test_settings_of_load_count_for_saved_skeletons_too(robot: kido.Skeleton, tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    kido.save(robot, file)
    twin = load(file, gravity=(1.0, 2.0, 3.0), time_step=0.5, mimic=False, robot=robot.name)
    assert (twin.gravity.tolist(), twin.time_step, twin.mimic_enforced) == ([1.0, 2.0, 3.0], 0.5, False)
    with pytest.raises(UnknownNameError, match="nobody"):
        load(file, robot="nobody")


class Named(kido.Skeleton):
    """A skeleton with attributes of its own."""


def test_a_class_of_skeletons_keeps_its_attributes(tmp_path: Path) -> None:
    robot = Named("mine")
    robot.add_body("only")
    robot.notes = {"color": "red", "sizes": [1, 2.5, float("inf")]}  # type: ignore[attr-defined]
    kido.save(robot, tmp_path / "mine.json")
    twin = kido.load(tmp_path / "mine.json", types=[Named])
    assert type(twin) is Named
    assert twin.notes == robot.notes  # type: ignore[attr-defined]
    assert kido.load_tree(tmp_path / "mine.json", types=[Named]) == robot.tree
