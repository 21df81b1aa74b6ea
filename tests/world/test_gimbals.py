"""Euler joints near the positions where two of their axes are parallel: they move as ball joints do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kido import BallJoint, EulerJoint, FreeJoint, Inertia, Joint, RevoluteJoint, Skeleton, World, gallery
from kido.math import so3_log
from kido.shape import Box

INERTIA = Inertia(2.0, (0.0, 0.1, -0.3), np.array([[0.3, 0.02, 0.0], [0.02, 0.25, 0.01], [0.0, 0.01, 0.1]]))


TORSO = Inertia(10.0, (0.0, 0.0, 0.0), np.diag([0.21, 0.17, 0.11]))


def top(joint: Joint) -> Skeleton:
    """A body that hangs on a joint at the origin."""
    made = Skeleton("top")
    made.add_body("body", None, joint, inertia=INERTIA)
    return made


def tops(order: str, positions: Sequence[float], velocities: Sequence[float]) -> tuple[Skeleton, Skeleton]:
    """The same motion on an Euler joint and on a ball joint."""
    euler, ball = top(EulerJoint("euler", order)), top(BallJoint("ball"))
    euler.positions, euler.velocities = positions, velocities
    R = euler.body(0).transform()[:3, :3]
    ball.positions, ball.velocities = so3_log(R), R.T @ euler.body(0).angular_velocity()
    return euler, ball


def angle_between(one: Skeleton, other: Skeleton) -> float:
    R, S = (made.body(0).transform()[:3, :3] for made in (one, other))
    return float(np.linalg.norm(so3_log(R.T @ S)))


@pytest.mark.parametrize("time_step", [1e-3, 2e-3])
@pytest.mark.parametrize("near", [0.3, 0.1, 1e-2, 1e-3])
@pytest.mark.parametrize(
    ("order", "parallel"), [("zxz", 0.0), ("yxy", np.pi), ("xyz", np.pi / 2), ("zyx", -np.pi / 2)]
)
def test_a_body_passes_parallel_axes_as_on_a_ball_joint(
    order: str, parallel: float, near: float, time_step: float
) -> None:
    euler, ball = tops(order, (0.4, parallel - 0.1, -0.3), (20.0 * near, 4.0, -18.0 * near))
    one, other = (World([made], time_step=time_step) for made in (euler, ball))
    before, fastest = one.energy, 0.0
    while one.time < 0.3:
        second = euler.positions[1]
        one.step()
        assert abs(euler.positions[1] - second) < 12.0 * time_step  # the nearer of the two solutions
        other.step()
        fastest = max(fastest, np.abs(euler.velocities).max() * time_step)
        assert angle_between(euler, ball) < 60.0 * time_step  # both are of first order
        assert abs(one.energy - before) < 400.0 * time_step
    assert fastest > 0.015


def limp(seed: int) -> Skeleton:
    """A torso with four limbs on Euler joints, which nothing damps or limits."""
    made = Skeleton("limp")
    torso = made.add_body("torso", None, FreeJoint("root"), inertia=TORSO)
    torso.add_shape_node(Box((0.2, 0.3, 0.4)))
    for i, (y, z) in enumerate([(-0.15, 0.2), (0.15, 0.2), (-0.1, -0.2), (0.1, -0.2)]):
        body = torso
        for k in range(2):
            place = (0.0, y, z) if k == 0 else (0.0, 0.0, -0.3)
            joint = (
                EulerJoint(f"shoulder{i}", ("zyx", "xyz", "zxz", "yxz")[i], T_parent_joint=place)
                if k == 0
                else RevoluteJoint(f"elbow{i}", (0, 1, 0), T_parent_joint=place)
            )
            T = np.eye(4)
            T[2, 3] = -0.15
            inertia = Inertia(2.0, (0.0, 0.0, -0.15), np.diag([0.016, 0.016, 0.002]))
            body = made.add_body(f"limb{i}{k}", body, joint, inertia=inertia)
            body.add_shape_node(Box((0.06, 0.06, 0.3)), T)
    rng = np.random.default_rng(seed)
    made.positions = rng.uniform(-1.0, 1.0, made.num_dofs)
    made.velocities = rng.uniform(-1.0, 1.0, made.num_dofs)
    made.joints[0].positions = [*rng.uniform(-1.0, 1.0, 3), 0.0, 0.0, 1.2]
    return made


@pytest.mark.parametrize("time_step", [1e-3, 2e-3])
def test_limp_bodies_that_fall_gain_no_energy(time_step: float) -> None:
    for seed in range(8):
        made = limp(seed)
        world = World([gallery.ground(), made], time_step=time_step)
        before = world.energy
        for _ in range(round(1.5 / time_step / 20)):
            world.step(20)
            assert world.energy < before + 2.0


def test_bodies_beside_others_of_their_model_move_as_alone() -> None:
    starts = [(0.3, 0.4), (1e-2, 4.0), (0.1, 3.0), (1e-3, 4.0), (0.2, 2.0)]
    made = []
    for number, (near, speed) in enumerate(starts):
        made.append(top(EulerJoint("euler", "zxz")))
        made[-1].name = f"top{number}"
        made[-1].positions, made[-1].velocities = (0.4, -0.1, -0.3), (20.0 * near, speed, -18.0 * near)
    alone = [World([one.clone()]) for one in made]
    together = World(made)
    together.step(300)
    for one, world in zip(made, alone, strict=True):
        world.step(300)
        assert one.positions.tobytes() == world.skeletons[0].positions.tobytes()
        assert one.velocities.tobytes() == world.skeletons[0].velocities.tobytes()


@pytest.mark.parametrize(
    ("before", "after"),
    [((30.0, 20.0, -25.0), (60.0, 20.0, -25.0)), ((40.0, -30.0, 10.0), (60.0, -30.0, 10.0))],
)
def test_servos_that_turn_a_gimbal_fast_at_once_give_its_dofs_their_speeds(
    before: tuple[float, float, float], after: tuple[float, float, float]
) -> None:
    """Its axes have turned meanwhile, which changes the rates by 2 to 4 rad/s in a step."""
    made = top(EulerJoint("euler", "zxz"))
    made.positions, made.velocities = (0.4, 0.5, -0.3), before
    made.joints[0].actuator = "servo"
    made.commands = after
    start = made.positions
    World([made], gravity=(0.0, 0.0, 0.0)).step()
    np.testing.assert_allclose(made.velocities, after, atol=1.5)
    np.testing.assert_allclose((made.positions - start) / 1e-3, after, atol=0.3)


def test_positions_stay_within_their_limits() -> None:
    made, _ = tops("zxz", (0.4, -0.1, -0.3), (2.0, 4.0, -1.8))
    made.position_lower_limits, made.position_upper_limits = [-1.0, -2.0, -1.2], [1.0, 2.0, 1.2]
    world = World([made])
    before = world.energy
    for _ in range(500):
        world.step()
        assert (made.positions > np.array(made.position_lower_limits) - 1e-2).all()
        assert (made.positions < np.array(made.position_upper_limits) + 1e-2).all()
    assert world.energy < before + 0.2


def test_the_rotation_at_parallel_axes_is_kept() -> None:
    made = top(EulerJoint("euler", "zxz"))
    made.positions, made.velocities = (0.4, -1e-9, -0.3), (100.0, 0.0, -99.0)
    R = made.body(0).transform()[:3, :3]
    world = World([made], gravity=(0.0, 0.0, 0.0))
    world.step()
    turned = so3_log(R.T @ made.body(0).transform()[:3, :3])
    np.testing.assert_allclose(turned, (0.0, 0.0, 1e-3), atol=2e-5)
    assert np.isfinite(made.velocities).all()
