"""Real robots in every format that is written: the same tree, and no difference that is not told."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from _skel import read_quietly
from _skel_text import skel_text
from _written import assert_same_motion

import kido
from _robots import robot_files
from kido.description import SceneDescription, differences
from kido.errors import ModelWarning

ROBOTS = (
    "panda_description/urdf/panda.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "go2_description/urdf/go2.urdf",
    "icub_description/robots/icub.urdf",
    "pr2_description/urdf/pr2.urdf",
)


@pytest.mark.parametrize("suffix", [".json", ".urdf", ".sdf", ".xml"])
@pytest.mark.parametrize("name", ROBOTS)
def test_a_real_robot_is_the_same_in_every_format(name: str, suffix: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = kido.io.read(robot_files()[name], root="free")
        lost = kido.save(robot, tmp_path / f"robot{suffix}")
        back = kido.io.read_scene(
            tmp_path / f"robot{suffix}", **({"root": "free"} if suffix == ".urdf" else {})
        )
    trees = [kido.Tree.from_description(one) for one in (robot, back.single_robot())]
    order = [trees[1].dof_names.index(dof) for dof in trees[0].dof_names]
    rng = np.random.default_rng(0)
    q, dq = rng.uniform(-1.0, 1.0, (2, trees[0].num_dofs))
    there = np.argsort(order)
    mass = trees[1].mass_matrix(q[there])[np.ix_(order, order)]
    np.testing.assert_allclose(mass, trees[0].mass_matrix(q), atol=1e-12)
    forces = trees[1].inverse_dynamics(q[there], dq[there], dq[there])[order]
    np.testing.assert_allclose(forces, trees[0].inverse_dynamics(q, dq, dq), atol=1e-9)
    told = " ".join(note.message for note in lost)
    for found in differences(SceneDescription.of_robot(robot), back):
        part, *place = found.place.split(": ")
        name = (place[0] if place else part).partition("'")[2].rstrip("'")
        assert f"'{name}'" in told, str(found)


@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".xml", ".json"])
@pytest.mark.parametrize("name", ["panda_description/urdf/panda.urdf", "go2_description/urdf/go2.urdf"])
def test_a_real_robot_that_was_read_as_skel_is_the_same_in_the_others(
    name: str, suffix: str, tmp_path: Path
) -> None:
    robot = kido.io.read(robot_files()[name])
    skel = read_quietly(skel_text(robot)).single_robot()
    assert_same_motion(robot, skel)
    kido.save(skel, tmp_path / f"robot{suffix}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert_same_motion(robot, kido.io.read(tmp_path / f"robot{suffix}"))


DATA = Path(__file__).parent / "data"
SCENES = ("joints.skel", "shapes.skel", "everything.xml", "sdf/sample.sdf", "sdf/models/part/model.sdf")


@pytest.mark.parametrize("suffix", [".json", ".urdf", ".sdf", ".xml"])
@pytest.mark.parametrize("name", [*SCENES, "talos_data/robots/talos_left_arm.urdf"])
def test_what_differs_after_a_conversion_was_told(name: str, suffix: str, tmp_path: Path) -> None:
    """Each difference is at a part that the report names, or that has become another one by its words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        scene = kido.io.read_scene(DATA / name if name in SCENES else robot_files()[name])
        if suffix == ".urdf":
            (chosen, *_) = scene.robots
            scene = SceneDescription.of_robot(scene.single_robot(chosen.name))
        told = kido.save(scene, tmp_path / f"scene{suffix}")
        back = kido.io.read_scene(tmp_path / f"scene{suffix}")
    named = {scene.name} | {note.subject for note in told}
    named |= {word for note in told for word in re.findall(r"'([^']*)'", note.message)}
    named |= {
        link.name
        for placed in (*scene.robots, *scene.objects)
        for link in placed.placed().links
        for shape in (*link.visuals, *link.collisions)
        if shape.name in named
    }
    text = " ".join(note.message for note in told)
    for found in differences(scene, back):
        place = found.place.partition(": ")[2] or found.place  # beside the name of the robot
        parts = {*re.findall(r"'([^']*)'", place), *found.first.split("/"), *found.second.split("/")}
        parts |= {part.strip("'") for part in parts}
        parts |= {part.rpartition("::")[2] for part in parts}
        parts |= {part.removesuffix(end) for part in parts for end in ("_link", "_joint")}
        parts |= {word for word in named for part in parts if part.endswith(f"_{word}")}
        renamed = any(part.startswith("root_joint") for part in parts) and "the name of" in text
        assert named & parts or renamed or "'" not in found.place, str(found)
