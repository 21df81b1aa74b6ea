"""Constraints of the user's own: a class that says its rows, solved with everything else."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from _mechanisms import WEIGHTLESS, G, box, pendulum, slider, wheel, world_velocity

import kido
from kido import RowConstraint, Rows, Skeleton, Softness, World, gallery
from kido.errors import EditError


class HeldPoint(RowConstraint):
    """The origin of a body stays at a point of the world, as a ball joint would hold it."""

    def __init__(self, skeleton: Skeleton, body: int = 0, softness: Softness | None = None) -> None:
        super().__init__(skeleton, softness=softness)
        self.body = skeleton.bodies[body]
        self.target = self.body.transform()[:3, 3]

    def rows(self) -> Rows:
        J = np.zeros((3, self.body.skeleton.num_dofs))
        own = self.body.jacobian(in_coordinates_of=kido.WORLD)[3:]
        J[:, self.body.dependent_dof_indices] = own
        return Rows(self.body.transform()[:3, 3] - self.target, J)


class SamePoint(RowConstraint):
    """The origins of the last bodies of two skeletons coincide."""

    def rows(self) -> Rows:
        ends = [skeleton.bodies[-1] for skeleton in self.skeletons]
        jacobians = []
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            J = np.zeros((3, end.skeleton.num_dofs))
            J[:, end.dependent_dof_indices] = sign * end.jacobian(in_coordinates_of=kido.WORLD)[3:]
            jacobians.append(J)
        return Rows(ends[0].transform()[:3, 3] - ends[1].transform()[:3, 3], jacobians)


class Given(RowConstraint):
    """Rows that are given."""

    def __init__(self, *skeletons: Skeleton, **rows: Any) -> None:
        super().__init__(*skeletons)
        self.given = rows

    def rows(self) -> Rows:
        return Rows(**self.given)


# ---- what rows do


@pytest.mark.parametrize("kind", ["rigid body", "tree"])
def test_a_held_point_carries_the_weight(kind: str) -> None:
    made = box()
    if kind == "tree":
        made.damping = [1e-9] * 6
    made.positions = [0.3, -0.2, 0.5, 0.1, 0.2, 0.3]
    made.velocities = [1.0, 2.0, -1.0, 0.0, 0.0, 0.0]
    world = World([made])
    held = world.constraints.add(HeldPoint(made))
    for _ in range(10):
        world.step(50)
        np.testing.assert_allclose(made.positions[3:], [0.1, 0.2, 0.3], atol=1e-9)
    np.testing.assert_allclose(world.constraint_force(held), [0.0, 0.0, 2.0 * G], atol=1e-6)


def test_a_user_ball_joint_moves_as_the_one_of_kido() -> None:
    worlds = []
    for own in (True, False):
        made = gallery.double_pendulum()
        made.damping = [0.0, 0.0]
        crate = box("crate")
        end = made.bodies[-1]
        crate.positions = [0.0, 0.0, 0.0, *end.transform()[:3, 3]]
        world = World([made, crate])
        crate.body(0).collidable = False
        at = end.transform()[:3, 3]
        constraint = SamePoint(made, crate) if own else kido.BallConstraint(end, crate.body(0), point=at)
        world.constraints.add(constraint)
        made.velocities = [1.0, -2.0]
        crate.velocities = [0.5, 1.0, 2.0, 0.0, 0.0, 0.0]
        worlds.append(world)
    for _ in range(5):
        for world in worlds:
            world.step(100)
        for one, other in zip(*(world.skeletons for world in worlds), strict=True):
            np.testing.assert_allclose(one.positions, other.positions, atol=2e-5)
            np.testing.assert_allclose(one.velocities, other.velocities, atol=2e-4)
    assert np.abs(worlds[0].skeletons[0].positions).max() > 0.1


def off_center() -> Skeleton:
    """A rigid body whose center of mass is not its origin."""
    made = Skeleton("stone")
    inertia = kido.Inertia(2.0, (0.1, -0.05, 0.2), np.diag([0.12, 0.14, 0.09]))
    made.add_body("stone", joint=kido.FreeJoint("free"), inertia=inertia)
    made.positions, made.velocities = [0.3, -0.2, 0.5, 0.1, 0.2, 0.3], [1.0, 2.0, -1.0, 0.0, 0.0, 0.0]
    return made


@pytest.mark.parametrize("kind", ["rigid body", "tree"])
def test_a_body_that_hangs_off_its_center_swings_as_in_a_ball_joint(kind: str) -> None:
    worlds = []
    for own in (True, False):
        made = off_center()
        if kind == "tree":
            made.damping = [1e-12] * 6
        world = World([made], time_step=2e-5)  # both are of first order, by different terms
        at = made.body(0).transform()[:3, 3]
        held = HeldPoint(made) if own else kido.BallConstraint(made.body(0), point=at)
        world.constraints.add(held)
        worlds.append(world)
    for _ in range(5):
        for world in worlds:
            world.step(250)
        one, other = (world.skeletons[0] for world in worlds)
        np.testing.assert_allclose(one.positions, other.positions, atol=1e-5)
        np.testing.assert_allclose(one.velocities, other.velocities, atol=5e-4)
        forces, others = (world.joint_forces("stone").constraints for world in worlds)
        np.testing.assert_allclose(forces, others, atol=1e-2)
        np.testing.assert_allclose(forces[:3], 0.0, atol=1e-2)  # a ball joint gives no torque at its point
    assert np.abs(one.velocities[:3]).max() > 1.0


def test_a_body_that_spins_off_its_center_about_a_held_point_keeps_its_energy() -> None:
    made = off_center()
    made.damping = [1e-9] * 6  # a tree
    world = World([made], gravity=WEIGHTLESS)
    made.velocities = [0.0, 0.0, 5.0, 0.0, 0.0, 0.0]
    world.constraints.add(HeldPoint(made))
    world.step(1)
    before = world.energy
    for _ in range(4):
        world.step(100)
        assert world.energy == pytest.approx(before, rel=7e-4)


def test_momentum_is_exchanged_through_rows() -> None:
    a, b = slider("a", 2.0), slider("b", 3.0)
    world = World([a, b], gravity=WEIGHTLESS)
    world.constraints.add(Given(a, b, error=[0.0], jacobian=[[[1.0]], [[-1.0]]]))
    a.velocities = [5.0]
    world.step()
    np.testing.assert_allclose([a.velocities[0], b.velocities[0]], [2.0, 2.0], rtol=1e-12)


def test_a_row_over_many_dofs_takes_one_force_along_its_jacobian() -> None:
    arm = gallery.arm7()
    rng = np.random.default_rng(0)
    J = rng.normal(size=(2, 7))
    world = World([arm], gravity=WEIGHTLESS)
    held = world.constraints.add(Given(arm, error=[0.0, 0.0], jacobian=J))
    arm.velocities = v = rng.normal(size=7)
    expected = arm.clone()
    M = expected.inverse_augmented_mass_matrix
    expected.compute_forward_dynamics()
    free = v + 1e-3 * expected.accelerations
    impulse = -np.linalg.solve(J @ M @ J.T, J @ free)
    world.step()
    np.testing.assert_allclose(arm.velocities, free + M @ J.T @ impulse, atol=1e-8)
    np.testing.assert_allclose(world.constraint_force(held), impulse / 1e-3, rtol=1e-6)
    np.testing.assert_allclose(world.joint_forces(arm).constraints, J.T @ impulse / 1e-3, rtol=1e-6)


def test_bounds_keep_forces() -> None:
    made = slider(mass=2.0)
    world = World([made], gravity=WEIGHTLESS)
    brake = world.constraints.add(Given(made, error=[0.0], jacobian=[[1.0]], lower=[-3.0], upper=[1.0]))
    made.velocities = [1.0]
    made.commands = [2.5]
    world.step(100)
    assert made.velocities[0] == pytest.approx(1.0 - 0.5 / 2.0 * 0.1, rel=1e-9)
    np.testing.assert_allclose(world.constraint_force(brake), [-3.0], rtol=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_one_sided_row_is_a_stop(side: float) -> None:
    """position >= 0, or <= 0: nothing before it is reached, nothing beyond."""
    made = slider(mass=2.0)
    world = World([made], gravity=WEIGHTLESS)

    class Stop(RowConstraint):
        def rows(self) -> Rows:
            bounds = {"lower": [0.0]} if side > 0.0 else {"upper": [0.0]}
            return Rows(self.skeletons[0].positions, [[1.0]], **bounds)

    stop = world.constraints.add(Stop(made))
    made.positions, made.velocities = [0.5 * side], [-1.0 * side]
    world.step(400)
    assert made.velocities[0] == pytest.approx(-side, rel=1e-12)
    world.step(200)
    assert made.positions[0] == pytest.approx(0.0, abs=1e-9)
    made.commands = [-4.0 * side]
    world.step(10)
    np.testing.assert_allclose(world.constraint_force(stop), [4.0 * side], rtol=1e-9)
    made.commands = [4.0 * side]
    world.step(100)
    assert made.velocities[0] == pytest.approx(0.2 * side, rel=1e-6)


@pytest.mark.parametrize("speed", [3.0, 0.2, -0.01])
def test_speeds_are_held(speed: float) -> None:
    made = wheel(moment=0.5)
    world = World([made], gravity=WEIGHTLESS)
    world.constraints.add(Given(made, error=[0.0], jacobian=[[1.0]], speed=[speed]))
    world.step(100)
    assert made.velocities[0] == pytest.approx(speed, rel=1e-9)
    assert made.positions[0] == pytest.approx(0.1 * speed, rel=1e-9)


@pytest.mark.parametrize("push, slides", [(7.0, False), (-7.0, False), (9.0, True), (-9.0, True)])
def test_friction_is_bounded_by_the_force_of_its_row(push: float, slides: bool) -> None:
    """A body held up by one row, pushed along it: friction of coefficient 0.4 bears 0.4 * 20 N."""
    made = kido.Skeleton("puck")
    rails = kido.TranslationalJoint("rails")
    made.add_body("puck", joint=rails, inertia=kido.Inertia(2.0, (0, 0, 0), np.eye(3)))
    world = World([made], gravity=(0.0, 0.0, -10.0))
    J = np.zeros((2, 3))
    J[0, 2] = J[1, 0] = 1.0
    held = Given(made, error=[0.0, 0.0], jacobian=J, coupled=[-1, 0], coefficient=[0.0, 0.4])
    world.constraints.add(held)
    made.commands = [push, 0.0, 0.0]
    world.step(100)
    speed = np.sign(push) * (abs(push) - 8.0) / 2.0 * 0.1 if slides else 0.0
    assert made.velocities[0] == pytest.approx(speed, abs=1e-4)
    np.testing.assert_allclose(world.constraint_force(held)[0], 20.0, rtol=1e-6)
    friction = -8.0 * np.sign(push) if slides else -push
    np.testing.assert_allclose(world.constraint_force(held)[1], friction, rtol=1e-3)


def test_redundant_rows_hold_as_one() -> None:
    made = pendulum()
    world = World([made])
    world.constraints.add(Given(made, error=[0.0] * 3, jacobian=[[1.0], [2.0], [-1.0]]))
    world.step(200)
    assert made.positions[0] == pytest.approx(0.0, abs=1e-6)


def test_rows_may_come_and_go() -> None:
    made = pendulum()
    world = World([made])

    class Now(RowConstraint):
        held = True

        def rows(self) -> Rows:
            m = 1 if self.held else 0
            return Rows(self.skeletons[0].positions[:m], np.ones((m, 1)))

    now = world.constraints.add(Now(made))
    world.step(50)
    assert made.positions[0] == pytest.approx(0.0, abs=1e-9)
    now.held = False
    world.step(50)
    assert made.velocities[0] > 0.5
    assert world.constraint_force(now).shape == (0,)
    world.constraints.remove(now)
    world.step()


def test_rows_are_asked_once_a_step_at_the_present_state() -> None:
    made, seen = pendulum(), []

    class Looks(RowConstraint):
        def rows(self) -> Rows:
            seen.append((self.skeletons[0].positions[0], self.skeletons[0].velocities[0]))
            return Rows(np.zeros(0), np.zeros((0, 1)))

    world = World([made])
    world.constraints.add(Looks(made))
    world.step(3)
    assert len(seen) == 3
    assert seen[0] == (0.0, 0.0) and 0.0 < seen[1][1] < seen[2][1] < made.velocities[0]


def test_the_position_of_a_body_in_contact_is_steered() -> None:
    """Rows, contact and friction in one solve: a crate on the ground is dragged at a speed."""
    ground, crate = gallery.ground(surface=kido.Surface(friction=0.2)), box("crate", origin=(0.0, 0.0, 0.15))
    world = World([ground, crate])

    class Drag(RowConstraint):
        def rows(self) -> Rows:
            body = self.skeletons[0].body(0)
            J = body.jacobian(in_coordinates_of=kido.WORLD)[3:4]
            return Rows([0.0], J, speed=[0.2])

    drag = world.constraints.add(Drag(crate))
    world.step(500)
    assert world_velocity(crate)[0] == pytest.approx(0.2, abs=1e-4)
    np.testing.assert_allclose(world.constraint_force(drag), [0.2 * 2.0 * G], rtol=2e-2)


# ---- copies


def test_clones_and_pickles_have_constraints_of_their_own() -> None:
    made = box(origin=(0.0, 0.0, 1.0))
    world = World([gallery.ground(), made])
    held = world.constraints.add(HeldPoint(made, softness=Softness.of_frequency(5.0, 0.2)))
    world.step(100)
    for copied in (world.clone(), pickle.loads(pickle.dumps(world))):
        (own,) = copied.constraints
        assert isinstance(own, HeldPoint) and own is not held
        assert own.body is copied.skeletons[1].body(0)
        assert own.softness == held.softness
        own.target += 1.0
    np.testing.assert_array_equal(held.target, [0.0, 0.0, 1.0])
    copied = world.clone()
    for one in (world, copied):
        one.step(100)
    np.testing.assert_array_equal(world.skeletons[1].positions, copied.skeletons[1].positions)


def test_a_snapshot_is_restored_with_the_impulses_of_rows() -> None:
    made = pendulum()
    world = World([made])
    world.constraints.add(Given(made, error=[0.0], jacobian=[[1.0]], upper=[2.0]))
    world.step(20)
    saved = world.snapshot()
    world.step(50)
    after = made.positions[0]
    world.restore(saved)
    world.step(50)
    assert made.positions[0] == after


# ---- what goes wrong


def faulty(**rows: Any) -> dict[str, Any]:
    return {"error": [0.0, 0.0], "jacobian": np.zeros((2, 1)), **rows}


@pytest.mark.parametrize(
    "rows, text",
    [
        (faulty(error=[np.nan, 0.0]), "error"),
        (faulty(error=1.0), "error"),
        (faulty(error="none"), "error"),
        (faulty(jacobian=np.zeros((2, 2))), "jacobian"),
        (faulty(jacobian=np.full((2, 1), np.inf)), "jacobian"),
        (faulty(lower=[0.0]), "lower"),
        (faulty(lower=[1.0, 1.0], upper=[0.0, 2.0]), "lower"),
        (faulty(lower=[np.inf, 0.0]), "lower"),
        (faulty(upper=[np.nan, 0.0]), "upper"),
        (faulty(speed=[np.inf, 0.0]), "speed"),
        (faulty(coupled=[-1, 1]), "coupled"),
        (faulty(coupled=[-1, 2]), "coupled"),
        (faulty(coupled=[1, 0]), "coupled"),
        (faulty(coupled=[-1, 0.5]), "coupled"),
        (faulty(coupled=[-1, 0], coefficient=[1.0, -0.1]), "coefficient"),
    ],
)
def test_faulty_rows_name_class_and_argument_and_leave_the_world(rows: dict[str, Any], text: str) -> None:
    made = slider()
    world = World([made])
    made.velocities = [1.0]
    good = {"error": [0.0, 0.0], "jacobian": np.zeros((2, 1))}
    constraint = world.constraints.add(Given(made, **good))
    world.step(3)
    before, time = made.positions, world.time
    constraint.given = rows
    with pytest.raises((TypeError, ValueError), match=rf"^Given\.rows: {text}"):
        world.step(5)
    np.testing.assert_array_equal(made.positions, before)
    assert world.time == time
    constraint.given = good
    world.step(2)
    assert world.num_steps == 5


def test_answers_of_another_kind_and_number_are_named() -> None:
    a, b = slider("a"), slider("b")

    class Wrong(RowConstraint):
        answer: Any = None

        def rows(self) -> Rows:
            return self.answer  # type: ignore[no-any-return]

    world = World([a, b])
    wrong = world.constraints.add(Wrong(a, b))
    with pytest.raises(TypeError, match=r"^Wrong\.rows: expected Rows, got NoneType"):
        world.step()
    wrong.answer = Rows([0.0], np.zeros((1, 1)))
    with pytest.raises(ValueError, match=r"^Wrong\.rows: jacobian: expected one for each of 2 skeletons"):
        world.step()
    wrong.answer = Rows([0.0], [np.zeros((1, 1)), np.zeros((1, 3))])
    with pytest.raises(ValueError, match=r"^Wrong\.rows: jacobian\[1\]: expected shape \(1, 1\)"):
        world.step()
    assert world.num_steps == 0


def test_what_the_user_raises_comes_through_after_whole_steps() -> None:
    made = slider()
    world = World([made])

    class Fails(RowConstraint):
        left = 3

        def rows(self) -> Rows:
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("out of ideas")
            return Rows(np.zeros(0), np.zeros((0, 1)))

    world.constraints.add(Fails(made))
    with pytest.raises(RuntimeError, match="out of ideas"):
        world.step(10)
    assert world.num_steps == 3


@pytest.mark.parametrize("change", ["skeleton", "world"])
def test_structure_is_not_changed_during_a_step(change: str) -> None:
    made = pendulum()
    world = World([made])

    class Meddles(RowConstraint):
        def rows(self) -> Rows:
            if change == "world":
                world.add(gallery.ball())
            else:
                self.skeletons[0].add_body("another", self.skeletons[0].body(0), kido.WeldJoint("w"))
            return Rows(np.zeros(0), np.zeros((0, 1)))

    world.constraints.add(Meddles(made))
    with pytest.raises(EditError, match=r"changed|not possible"):
        world.step()
    assert len(world.skeletons) == 1
    assert made.velocities[0] == 0.0 and world.num_steps == 0


def test_rollouts_refuse_what_they_would_have_to_ask() -> None:
    made = slider()
    world = World([made])
    world.constraints.add(Given(made, error=[0.0], jacobian=[[1.0]]))
    with pytest.raises(EditError, match="Given"):
        kido.rollout(world, np.zeros((2, 3, 1)))


def test_skeletons_are_needed_and_each_only_once() -> None:
    made = slider()
    for parts in ((), (made, made)):
        with pytest.raises(EditError, match="skeletons"):
            Given(*parts)
    with pytest.raises(TypeError, match="skeletons"):
        Given(made.body(0))  # type: ignore[arg-type]


def test_what_holds_parts_of_other_skeletons_is_not_cloned() -> None:
    made, other = box(), box("other")
    world = World([made])
    held = world.constraints.add(HeldPoint(made))
    held.body = other.body(0)
    with pytest.raises(EditError, match="other"):
        world.clone()
