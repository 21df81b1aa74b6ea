"""Real robots in every format that is written: the same tree, and no difference that is not told."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import kido
from _robots import robot_files
from kido.description import JointType, SceneDescription, differences
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
    welds = {joint.name for joint in robot.joints if joint.type is JointType.WELD}
    for found in differences(SceneDescription.of_robot(robot), back):
        part, *place = found.place.split(": ")
        name = place[0].partition("'")[2].rstrip("'") if place else part
        if part.startswith("constraint 'joint"):
            assert "is written as a constraint" in told
        elif name not in told and name != "time step":  # MJCF has one whether a robot tells it or not
            assert name in welds or name.endswith("_weld"), str(found)
            assert "the name of each of its welds" in told
