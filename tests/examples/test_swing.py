from __future__ import annotations

import numpy as np
import pytest

from _urdf import joint, link
from examples.demo.energy_plot import rigid_energy
from examples.demo.integrator import rollout, runge_kutta_step
from examples.demo.swing import held_joints, swing, swing_tree
from kido import Tree
from kido.description import Inertia, JointDescription, LinkDescription, RobotDescription
from kido.io import read_urdf_string
from kido.math import so3_exp
from kido.typing import FloatArray

TURN = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
SLIDE = '<axis xyz="0 0 1"/><limit lower="0.2" upper="1" velocity="1" effort="1"/>'


def robot(*parts: str, root: str = "fixed") -> RobotDescription:
    return read_urdf_string(f'<robot name="r">{"".join(parts)}</robot>', root=root)


def gripper(root: str = "fixed") -> RobotDescription:
    below = '<origin xyz="0.1 0 -0.4"/>'
    return robot(
        *map(link, ("base", "arm", "finger", "twin", "end")),
        joint("shoulder", "revolute", "base", "arm", TURN),
        joint("slide", "prismatic", "arm", "finger", SLIDE),
        joint("follow", "revolute", "arm", "twin", TURN + '<mimic joint="shoulder"/>'),
        joint("wrist", "revolute", "arm", "end", below + TURN),
        root=root,
    )


def spinning_top(moment: FloatArray) -> Tree:
    body = LinkDescription("top", Inertia(2.0, moment=np.diag(moment)))
    free = RobotDescription("top", [body], [JointDescription("root", "free", None, "top")])
    return Tree.from_description(free, gravity=(0.0, 0.0, 0.0))


def test_a_symmetric_top_precesses_as_in_the_textbook() -> None:
    """Torque-free motion (Goldstein, section 5.6): omega turns about the body axis, the body about L."""
    across, along = 0.3, 0.5
    tree = spinning_top(np.array([across, across, along]))
    omega = np.array([0.4, 0.0, 3.0])
    seconds, steps = 2.0, 400
    qs, vs = rollout(tree, np.zeros(6), np.array([*omega, 0.1, 0.2, 0.3]), seconds / steps, steps)

    rate = (along - across) / across * omega[2]
    turned = [omega[0] * np.cos(rate * seconds), omega[0] * np.sin(rate * seconds), omega[2]]
    np.testing.assert_allclose(vs[-1, :3], turned, atol=1e-8)
    momentum = np.array([across, across, along]) * omega
    rotation = so3_exp(momentum / across * seconds) @ so3_exp([0.0, 0.0, -rate * seconds])
    np.testing.assert_allclose(so3_exp(qs[-1, :3]), rotation, atol=1e-8)
    np.testing.assert_allclose(qs[-1, 3:], seconds * np.array([0.1, 0.2, 0.3]), atol=1e-10)


def test_halving_the_step_divides_the_error_by_sixteen() -> None:
    tree = spinning_top(np.array([0.3, 0.45, 0.5]))
    start = np.array([2.0, 3.0, 4.0, 0.5, -0.5, 1.0])

    def end(steps: int) -> FloatArray:
        q, v = np.zeros(6), start
        for _ in range(steps):
            q, v = runge_kutta_step(tree, q, v, np.zeros(6), 0.5 / steps)
        return np.concatenate([tree.transform(q, "top").ravel(), v])

    exact = end(1600)
    errors = [np.abs(end(steps) - exact).max() for steps in (25, 50, 100)]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(16.0, rel=0.15)


def test_a_pendulum_swings_with_the_period_of_small_angles() -> None:
    bob = LinkDescription("bob", Inertia(0.5, com=[0.0, 0.0, -0.8]))
    pivot = JointDescription("pivot", "revolute", None, "bob", axes=[0.0, 1.0, 0.0])
    tree = Tree.from_description(RobotDescription("pendulum", [bob], [pivot]))
    half_period = np.pi * np.sqrt(0.8 / 9.81)
    qs, _ = rollout(tree, np.array([1e-4]), np.zeros(1), half_period / 200, 200)
    assert qs[-1, 0] == pytest.approx(-1e-4, rel=1e-7)


def test_slides_and_mimics_are_held_where_their_limits_allow() -> None:
    tree = swing_tree(gripper())
    assert {held.name for held in held_joints(gripper())} == {"slide", "follow"}
    assert tree.dof_names == ("shoulder", "wrist")
    np.testing.assert_allclose(tree.transform([0.0, 0.0], "finger")[:3, 3], [0.0, 0.0, 0.2])


def test_a_fixed_robot_swings_under_gravity_and_keeps_its_energy() -> None:
    motion = swing(swing_tree(gripper()), np.random.default_rng(1), 2.0, 1e-3)
    assert not motion.floats
    assert not motion.diverged
    assert motion.times[-1] == pytest.approx(2.0)
    assert np.ptp(motion.potential) > 0.1
    assert np.abs(motion.energy_drift).max() < 1e-9 * motion.kinetic.max()


def test_a_free_robot_floats_with_its_center_of_mass_at_rest_and_keeps_its_momentum() -> None:
    tree = swing_tree(gripper("free"))
    motion = swing(tree, np.random.default_rng(1), 2.0, 1e-3)
    com = tree.center_of_mass(motion.positions)
    assert motion.floats
    np.testing.assert_allclose(com, np.broadcast_to(com[0], com.shape), atol=1e-9)
    np.testing.assert_allclose(motion.momentum[:, 3:], 0.0, atol=1e-9)
    np.testing.assert_allclose(motion.momentum, np.broadcast_to(motion.momentum[0], (2001, 6)), atol=1e-9)
    assert np.linalg.norm(motion.momentum[0, :3]) > 0.01
    assert np.abs(motion.energy_drift).max() < 1e-9 * motion.kinetic[0]


def test_rigid_energy_is_that_of_the_momentum_and_the_inertia_about_the_center_of_mass() -> None:
    motion = swing(swing_tree(gripper("free")), np.random.default_rng(2), 0.01, 1e-3)
    tree, q = motion.tree, motion.positions[-1]
    inertia, com = np.zeros((3, 3)), tree.center_of_mass(q)
    for pose in tree.forward_kinematics(q):
        arm = pose[:3, 3] - com
        inertia += 0.1 * np.eye(3) + arm @ arm * np.eye(3) - np.outer(arm, arm)
    angular, linear = motion.momentum[-1, :3], motion.momentum[-1, 3:]
    expected = angular @ np.linalg.solve(inertia, angular) / 2.0 + linear @ linear / (2.0 * tree.total_mass)
    assert rigid_energy(motion)[-1] == pytest.approx(expected, rel=1e-10)


def test_a_motion_too_stiff_for_the_step_ends_with_its_last_finite_state() -> None:
    names, inertia = "abcd", Inertia(1.0, com=[1e-6, 5e-7, 3e-7], moment=1e-20 * np.eye(3))
    place = np.eye(4)
    place[:3, 3] = [0.3, 0.1, 0.2]
    links = [LinkDescription(name, inertia) for name in names]
    joints = [
        JointDescription(f"to_{name}", "revolute", above, name, place, axes=np.eye(3)[index % 3])
        for index, (above, name) in enumerate(zip((None, *names), names, strict=False))
    ]
    tree = swing_tree(RobotDescription("wires", links, joints))
    motion = swing(tree, np.random.default_rng(3), 0.2, 1e-3)
    assert motion.diverged
    assert 1 <= len(motion.times) < 201
    assert np.isfinite(motion.positions).all()
    assert np.isfinite(motion.velocities).all()
