"""Integrators of the user's own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from _scenes import momentum, on_ground, put
from test_world_time import bits, crowd

import kido
from kido import Skeleton, World, gallery
from kido.errors import DivergedError, EditError
from kido.math import se3_exp, so3_exp
from kido.typing import FloatArray
from kido.values import value
from kido.world import CustomIntegrator, Integrator, SmoothMotion


@value
class SymplecticEuler(CustomIntegrator):
    """Velocities first, then positions by them."""

    def advance(self, motion: SmoothMotion) -> tuple[FloatArray, FloatArray]:
        h, q, v = motion.time_step, motion.positions, motion.velocities
        v = v + h * motion.accelerations(q, v)
        return motion.integrate(q, v, h), v


@value
class MunthekaasFour(CustomIntegrator):
    """The classical method of order 4, on the joints' groups: of their velocities over the step."""

    steps: int = 1

    def advance(self, motion: SmoothMotion) -> tuple[FloatArray, FloatArray]:
        q, v, h = motion.positions, motion.velocities, motion.time_step / self.steps
        for _ in range(self.steps):
            a1 = motion.accelerations(q, v)
            v2 = v + h / 2 * a1
            a2 = motion.accelerations(motion.integrate(q, v, h / 2), v2)
            v3 = v + h / 2 * a2
            a3 = motion.accelerations(motion.integrate(q, v2, h / 2), v3)
            v4 = v + h * a3
            a4 = motion.accelerations(motion.integrate(q, v3, h), v4)
            q = motion.integrate(q, (v + 2 * v2 + 2 * v3 + v4) / 6, h)
            v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return q, v


def pendulum() -> Skeleton:
    made = gallery.double_pendulum()
    made.damping = [0.0, 0.0]
    made.positions = [1.0, 0.5]
    return made


def test_the_users_euler_is_as_good_as_the_native_one() -> None:
    made, other = pendulum(), pendulum()
    worlds = World([made], integrator=SymplecticEuler()), World([other])
    for world in worlds:
        world.step(500)
    np.testing.assert_allclose(made.positions, other.positions, atol=1e-9)
    np.testing.assert_allclose(made.velocities, other.velocities, atol=1e-9)
    assert worlds[0].time == worlds[1].time


def test_a_better_integrator_keeps_the_energy() -> None:
    errors = []
    for integrator in (SymplecticEuler(), MunthekaasFour(), Integrator.RUNGE_KUTTA_4):
        world = World([pendulum()], integrator=integrator)
        before = world.energy
        world.step(1000)
        errors.append(abs(world.energy - before))
    assert errors[0] > 1e-4
    assert errors[1] < 1e-8
    assert errors[2] < 1e-8


@pytest.mark.parametrize("make", [gallery.box, gallery.humanoid])
def test_ball_and_free_joints_are_moved_on_their_groups(make: Any) -> None:
    made = make()
    rng = np.random.default_rng(3)
    made.positions = rng.uniform(-0.3, 0.3, made.num_dofs)
    made.velocities = rng.uniform(-1.0, 1.0, made.num_dofs)
    other = made.clone()
    for joint in (*made.joints, *other.joints):
        joint.limits_enforced = False
    world = World([made], gravity=(0.0, 0.0, 0.0), integrator=MunthekaasFour())
    fine = World([other], gravity=(0.0, 0.0, 0.0), integrator=Integrator.RUNGE_KUTTA_4, time_step=1e-4)
    before = momentum([made])
    world.step(100)
    fine.step(1000)
    np.testing.assert_allclose(made.positions, other.positions, atol=1e-5)
    np.testing.assert_allclose(momentum([made])[3:], before[3:], atol=1e-5)


def test_a_top_in_free_fall_is_the_users_too() -> None:
    # As a tree: how a rigid body moves is its integrator's choice as well.
    box = gallery.box((0.1, 0.2, 0.4), mass=1.0)
    box.velocities = [3.0, 0.1, 2.0, 0.0, 0.0, 1.0]

    @value
    class Still(CustomIntegrator):
        def advance(self, motion: SmoothMotion) -> tuple[FloatArray, FloatArray]:
            assert motion.skeleton == "box"
            assert motion.num_dofs == 6
            return motion.positions, motion.velocities

    world = World([box], integrator=Still())
    before = np.array(box.positions)
    world.step(10)
    np.testing.assert_array_equal(box.positions, before)
    np.testing.assert_array_equal(box.velocities, [3.0, 0.1, 2.0, 0.0, 0.0, 1.0])


def test_helpers_are_those_of_the_skeleton() -> None:
    seen: list[SmoothMotion] = []

    def pose(q: FloatArray) -> FloatArray:
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = so3_exp(q[:3]), q[3:]
        return T

    @value
    class Looking(SymplecticEuler):
        def advance(self, motion: SmoothMotion) -> tuple[FloatArray, FloatArray]:
            seen.append(motion)
            q, v = np.array([0.2, -0.1, 0.3, 0.5, 0.1, -0.4]), np.array([0.3, 0.2, -0.5, 0.1, 0.7, 0.2])
            moved = motion.integrate(q, v, 0.5)
            np.testing.assert_allclose(pose(moved), pose(q) @ se3_exp(0.5 * v), atol=1e-12)
            np.testing.assert_allclose(motion.difference(q, moved), 0.5 * v, atol=1e-12)
            with pytest.raises(ValueError, match="positions: expected shape"):
                motion.accelerations(q[:5], v)
            with pytest.raises(ValueError, match="velocities"):
                motion.accelerations(q, v * np.nan)
            with pytest.raises(ValueError, match="read-only"):
                motion.positions[0] = 1.0
            return super().advance(motion)

    box = gallery.box((0.1, 0.2, 0.4), mass=1.5)
    box.positions = [0.3, 0.1, -0.2, 0.0, 0.0, 2.0]
    box.velocities = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
    box.body(0).add_external_force((1.0, 2.0, 3.0), (0.1, 0.0, 0.0))
    expected = box.clone()
    World([expected])
    expected.compute_forward_dynamics()
    world = World([box], integrator=Looking())
    q, v = np.array(box.positions), np.array(box.velocities)
    world.step()
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0].positions, q)
    np.testing.assert_array_equal(seen[0].velocities, v)
    assert seen[0].time_step == 1e-3
    np.testing.assert_allclose(box.velocities, v + 1e-3 * expected.accelerations, atol=1e-12)


def test_commands_and_springs_count() -> None:
    made, other = pendulum(), pendulum()
    for skeleton in (made, other):
        skeleton.commands = [1.0, -0.5]
        skeleton.spring_stiffness = [2.0, 1.0]
        skeleton.damping = [0.1, 0.2]
    World([made], integrator=MunthekaasFour()).step(300)
    World([other], integrator=Integrator.RUNGE_KUTTA_4).step(300)
    np.testing.assert_allclose(made.positions, other.positions, atol=1e-9)


def test_what_is_touched_is_solved_as_ever() -> None:
    boxes = [put(gallery.box((0.2, 0.2, 0.2), name=f"b{i}"), (0.0, 0.0, 0.1 + 0.2 * i)) for i in range(2)]
    world = on_ground(*boxes, pendulum())
    world.integrator = MunthekaasFour()
    world.step(300)
    assert boxes[1].positions[5] == pytest.approx(0.3, abs=1e-4)
    assert len([c for c in world.contacts if "b1" in (c.first.skeleton.name, c.second.skeleton.name)]) == 4


def test_copies_carry_it_and_go_on_bit_for_bit() -> None:
    world = on_ground(*crowd(4), pendulum())
    world.integrator = MunthekaasFour(steps=2)
    world.step(120)
    copies = [world.clone(), pickle.loads(pickle.dumps(world))]
    saved = world.snapshot()
    world.step(60)
    end = bits(world)
    for copied in copies:
        assert copied.integrator == MunthekaasFour(steps=2)
        copied.step(60)
        assert bits(copied) == end
    world.restore(saved)
    world.step(60)
    assert bits(world) == end
    with pytest.raises(EditError, match="integrator"):
        kido.rollout(world, np.zeros((1, 1, sum(s.num_dofs for s in world.skeletons[1:]))))


@value
class Wrong(CustomIntegrator):
    """Gives what is no motion."""

    mode: str

    def advance(self, motion: SmoothMotion) -> Any:
        q, v = motion.positions, motion.velocities
        if self.mode == "raises":
            raise RuntimeError("no")
        return {
            "none": None,
            "one": (q,),
            "short": (q[:1], v),
            "text": (q, "fast"),
            "nan": (q, v * np.nan),
            "inf": (q * np.inf, v),
        }[self.mode]


@pytest.mark.parametrize(
    "mode, error, text",
    [
        ("raises", RuntimeError, "no"),
        ("none", TypeError, r"Wrong\.advance: expected positions and velocities, got None"),
        ("one", TypeError, r"Wrong\.advance"),
        ("short", ValueError, r"Wrong\.advance: positions: expected shape \(6,\)"),
        ("text", (TypeError, ValueError), r"Wrong\.advance: velocities"),
        ("nan", DivergedError, "diverged: after 0.2"),
        ("inf", DivergedError, "diverged: after 0.2"),
    ],
)
def test_an_integrator_that_fails_leaves_the_world_as_it_was(mode: str, error: Any, text: str) -> None:
    world = on_ground(*crowd(4), pendulum())
    world.step(200)
    world.integrator = MunthekaasFour()
    good = world.clone()
    world.integrator = Wrong(mode)
    before = bits(world)
    with pytest.raises(error, match=text):
        world.step(3)
    assert bits(world) == before
    assert world.num_steps == 200
    world.integrator = MunthekaasFour()
    world.step(20)
    good.step(20)
    assert bits(world) == bits(good)


@pytest.mark.parametrize("wrong", ["leapfrog", None, 3, CustomIntegrator, object()])
def test_what_is_no_integrator_is_refused(wrong: Any) -> None:
    world = World()
    with pytest.raises(ValueError, match="integrator: expected one of semi-implicit Euler"):
        World(integrator=wrong)
    with pytest.raises(ValueError, match="integrator"):
        world.integrator = wrong
    assert world.integrator is Integrator.SEMI_IMPLICIT_EULER
    world.integrator = "Runge-Kutta 4"
    assert world.integrator is Integrator.RUNGE_KUTTA_4


def test_joints_that_are_functions_are_refused() -> None:
    world = World([gallery.cam()], integrator=SymplecticEuler())
    with pytest.raises(EditError, match="integrator: joints of 'cam' are Python functions"):
        world.step()
    assert world.num_steps == 0


def test_prescribed_dofs_are_moved_as_ever() -> None:
    made = pendulum()
    made.joints[0].actuator = kido.ActuatorType.VELOCITY
    made.commands = [0.5, 0.0]
    start = made.positions[0]
    World([made], integrator=SymplecticEuler()).step(100)
    assert made.positions[0] - start == pytest.approx(0.05, rel=1e-9)


@pytest.mark.parametrize("integrator", [Integrator.RUNGE_KUTTA_4, Integrator.IMPLICIT_MIDPOINT])
def test_smooth_motion_that_diverges_is_not_made(integrator: Integrator) -> None:
    made, other = pendulum(), gallery.box(name="other")
    made.velocities = [1e155, 1e155]
    world = World([other, made], integrator=integrator)
    before = bits(world)
    with pytest.raises(DivergedError):
        world.step()
    assert bits(world) == before
    made.velocities = [0.0, 0.0]
    world.step(3)
    assert np.isfinite(made.positions).all()
