"""Trees as Python objects: equality, hash, copy, pickle, read-only constants."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from _random_trees import Robot, every_joint

import kido
from kido.description import JointDescription, RobotDescription


@pytest.fixture(scope="module")
def robot() -> Robot:
    return every_joint()


def changed(robot: Robot, **values: object) -> kido.Tree:
    """The tree of a description whose last joint differs in some arguments."""
    *others, last = robot.description.joints
    fields = ("name", "type", "parent", "child", "T_parent_joint", "T_child_joint", "axes", "pitch", "limits")
    arguments = {name: getattr(last, name) for name in fields} | values
    joints = [*others, JointDescription(**arguments)]  # type: ignore[arg-type]
    description = RobotDescription(robot.description.name, robot.description.links, joints)
    return kido.Tree.from_description(description, gravity=robot.tree.gravity)


def test_trees_of_equal_content_are_equal_and_have_one_hash(robot: Robot) -> None:
    other = kido.Tree.from_description(robot.description, gravity=robot.tree.gravity)
    assert other is not robot.tree
    assert other == robot.tree and hash(other) == hash(robot.tree)
    assert len({other, robot.tree}) == 1


def test_trees_that_differ_in_anything_are_not_equal(robot: Robot) -> None:
    others = [
        kido.Tree.from_description(robot.description),
        changed(robot, name="renamed"),
        changed(robot, T_parent_joint=np.eye(4)),
        changed(robot, axes=(1.0, 2.0, 3.0)),
        changed(robot, limits=kido.description.JointLimits(lower=-1.0)),
        every_joint(1).tree,
    ]
    assert all(other != robot.tree for other in others)
    assert len({*others, robot.tree}) == len(others) + 1
    assert robot.tree != "random"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_tree_is_equal_and_gives_the_same_bits(robot: Robot, protocol: int) -> None:
    twin = pickle.loads(pickle.dumps(robot.tree, protocol))
    assert twin == robot.tree and hash(twin) == hash(robot.tree)
    assert (twin.name, twin.body_names, twin.dof_names) == (
        "random",
        robot.tree.body_names,
        robot.tree.dof_names,
    )
    assert (twin.gravity == robot.tree.gravity).all()
    q, v, a = robot.state()
    assert (twin.inverse_dynamics(q, v, a) == robot.tree.inverse_dynamics(q, v, a)).all()


def test_copies_of_what_cannot_change_are_the_same_object(robot: Robot) -> None:
    assert copy.copy(robot.tree) is robot.tree
    assert copy.deepcopy([robot.tree])[0] is robot.tree


def test_constants_are_read_only(robot: Robot) -> None:
    tree = robot.tree
    for name in ("gravity", "lower_limits", "upper_limits", "velocity_limits", "effort_limits"):
        array = getattr(tree, name)
        assert not array.flags.writeable, name
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    for name in ("gravity", "num_dofs", "num_bodies", "body_names", "name"):
        with pytest.raises(AttributeError):
            setattr(tree, name, None)


@pytest.mark.parametrize("gravity", [(0.0, 0.0), (0.0, 0.0, np.nan), np.zeros((1, 3)), 9.81])
def test_gravity_is_three_finite_numbers(robot: Robot, gravity: object) -> None:
    with pytest.raises(ValueError, match=r"^gravity: expected "):
        kido.Tree.from_description(robot.description, gravity=gravity)  # type: ignore[arg-type]


def test_text_says_name_and_size(robot: Robot) -> None:
    assert repr(robot.tree) == f"<Tree 'random': {robot.tree.num_bodies} bodies, {robot.tree.num_dofs} dofs>"


def test_a_tree_is_freed_with_its_last_reference() -> None:
    tree = every_joint(5).tree
    q = np.zeros(tree.num_dofs)
    poses, watch = tree.forward_kinematics(q), weakref.ref(tree)
    del tree
    gc.collect()
    assert watch() is None
    assert np.isfinite(poses).all()


def test_random_positions_come_from_the_generator_and_stay_within_limits() -> None:
    tree = every_joint(3).tree
    first, again = (tree.random_positions(np.random.default_rng(0), (2, 50)) for _ in range(2))
    assert first.shape == (2, 50, tree.num_dofs) and (first == again).all()
    assert tree.random_positions(np.random.default_rng(0)).shape == (tree.num_dofs,)
    assert tree.random_positions(np.random.default_rng(0), 4).shape == (4, tree.num_dofs)
    assert (first >= tree.lower_limits).all() and (first <= tree.upper_limits).all()
    with pytest.raises(TypeError, match="rng"):
        tree.random_positions(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="size"):
        tree.random_positions(np.random.default_rng(0), -1)


def test_limits_are_those_of_the_description() -> None:
    limits = kido.description.JointLimits(-0.25, 0.5, 2.0, 30.0)
    robot = every_joint()
    tree = changed(robot, limits=limits)
    values = [tree.lower_limits, tree.upper_limits, tree.velocity_limits, tree.effort_limits]
    assert [x[-1] for x in values] == [-0.25, 0.5, 2.0, 30.0]
    assert all(np.isinf(x[:-1]).all() for x in values)
    q = tree.random_positions(np.random.default_rng(1), 1000)[:, -1]
    assert q.min() >= -0.25 and q.max() <= 0.5 and q.max() - q.min() > 0.7
    assert changed(robot, limits=kido.description.JointLimits(lower=0.5)).positions()[-1] == 0.5


def test_random_rotations_are_uniform_over_all_rotations() -> None:
    """The mean of R is zero, and the angle has the mean of the Haar measure: pi / 2 + 2 / pi."""
    description = every_joint().description
    tree = kido.Tree.from_description(description)
    name = next(joint.name for joint in description.joints if joint.type == "ball")
    q = tree.random_positions(np.random.default_rng(2), 20000)[:, list(tree.joint_dofs(name))]
    assert np.linalg.norm(q, axis=1).mean() == pytest.approx(np.pi / 2.0 + 2.0 / np.pi, abs=0.02)
    assert np.abs(q.mean(axis=0)).max() < 0.05
