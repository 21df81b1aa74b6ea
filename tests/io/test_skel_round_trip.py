"""Robots written as SKEL and read again are the same trees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from _effort import examples
from _random_trees import Robot, assert_near, every_joint, robots
from _skel import read_quietly
from _skel_text import skel_text
from hypothesis import given, settings

import kido
from kido.description import RobotDescription
from kido.io import read

EXAMPLES = Path(__file__).parents[2] / "examples"


def same_tree(robot: RobotDescription, again: RobotDescription, rng: np.random.Generator) -> None:
    """Poses, mass matrices and gravity forces of both agree wherever the joints are."""
    tree, other = (kido.Tree.from_description(each, gravity=(1.0, -2.0, -9.0)) for each in (robot, again))
    assert set(tree.dof_names) == set(other.dof_names)
    order = [tree.dof_names.index(name) for name in other.dof_names]
    q = rng.uniform(-1.0, 1.0, (3, tree.num_dofs))
    for name in tree.body_names:
        assert_near(other.transform(q[:, order], name), tree.transform(q, name), 1e-11)
    assert_near(other.mass_matrix(q[:, order]), tree.mass_matrix(q)[:, order][:, :, order], 1e-11)
    assert_near(other.gravity_forces(q[:, order]), tree.gravity_forces(q)[:, order], 1e-11)


@settings(max_examples=examples(60), deadline=None)
@given(robots(geared=False))
def test_random_robots_come_back(robot: Robot) -> None:
    scene = read_quietly(skel_text(robot.description))
    same_tree(robot.description, scene.single_robot(), robot.rng)


def test_every_type_of_joint_comes_back() -> None:
    robot = every_joint(geared=False)
    scene = read_quietly(skel_text(robot.description))
    assert scene.single_robot().diagnostics == ()
    same_tree(robot.description, scene.single_robot(), robot.rng)


@pytest.mark.parametrize("name", ["arm"])
def test_the_same_robot_as_urdf_and_as_skel_is_the_same_tree(name: str) -> None:
    robot = read(EXAMPLES / f"{name}.urdf")
    again = read_quietly(skel_text(robot)).single_robot()
    same_tree(robot, again, np.random.default_rng(0))
    for joint in robot.joints:
        other = again.joint(joint.name)
        assert (other.limits, other.dynamics, other.type) == (joint.limits, joint.dynamics, joint.type)
        assert np.allclose(other.T_parent_joint, joint.T_parent_joint, rtol=0, atol=1e-14)
    for link in robot.links:
        inertia, other_inertia = link.inertia, again.link(link.name).inertia
        assert (inertia is None) == (other_inertia is not None and other_inertia.is_massless)
        assert inertia is None or inertia == other_inertia
