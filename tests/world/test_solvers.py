"""The choice of solver: block Gauss-Seidel, boxed complementarity problems, one of the user's own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from _looped import looped
from _scenes import DIRECTIONS, KINDS, as_kind, momentum, on_ground, origin, push, put, slope, unit, velocity
from test_world_time import bits, crowd

import kido
from kido import Skeleton, World, gallery, lcp
from kido.errors import EditError, UnsolvedError
from kido.typing import FloatArray
from kido.values import value
from kido.world import BlockSolver, BoxedLCPSolver, ImpulseSolver, StepProblem

METHODS = {
    "Dantzig": BoxedLCPSolver(method=lcp.Dantzig()),
    "Lemke": BoxedLCPSolver(method=lcp.Lemke()),
    "Newton": BoxedLCPSolver(method=lcp.SemismoothNewton()),
    "PGS": BoxedLCPSolver(method=lcp.ProjectedGaussSeidel(tolerance=1e-9), largest_residual=1e-3),
    "Newton, cones": BoxedLCPSolver(method=lcp.SemismoothNewton(), cones=True, largest_residual=1e-4),
    "PGS, cones": BoxedLCPSolver(
        method=lcp.ProjectedGaussSeidel(tolerance=1e-9), cones=True, largest_residual=1e-3
    ),
}
DEFAULT = BoxedLCPSolver()


@value
class Recorder(BoxedLCPSolver):
    """Keeps the problems that it is given, for tests."""

    def solve(self, problem: StepProblem) -> FloatArray:
        PROBLEMS.append(problem)
        return super().solve(problem)


PROBLEMS: list[StepProblem] = []


def problems(world: World) -> list[StepProblem]:
    """Those of one step."""
    PROBLEMS.clear()
    before, world.solver = world.solver, Recorder()
    world.step()
    world.solver = before
    return list(PROBLEMS)


def tower(count: int, kind: str = "rigid body") -> list[Skeleton]:
    boxes = [as_kind(kind, gallery.box((0.2, 0.2, 0.2), mass=1.0, name=f"box_{i}")) for i in range(count)]
    return [put(box, (0.003 * i, 0.0, 0.1 + 0.2 * i)) for i, box in enumerate(boxes)]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_tower_rests(name: str, kind: str) -> None:
    boxes = tower(3, kind)
    world = on_ground(*boxes)
    world.solver = METHODS[name]
    world.step(100)
    for i, box in enumerate(boxes):
        assert origin(box)[2] == pytest.approx(0.1 + 0.2 * i, abs=1e-6)
        assert np.abs(box.velocities).max() < 1e-5
    ground = [c for c in world.contacts if c.first.skeleton is world.skeletons[0]]
    assert sum(-c.force[2] for c in ground) == pytest.approx(3 * 9.81, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_forces_of_all_methods_agree(kind: str) -> None:
    def resultants(solver: Any) -> list[FloatArray]:
        box = as_kind(kind, gallery.box((0.2, 0.3, 0.1), mass=2.0, surface=kido.Surface(friction=0.3)))
        world = on_ground(push(put(box, (0.0, 0.0, 0.05)), (1.0, 0.0, 0.0), (0.0, 0.0, 2.0)))
        world.solver = solver
        states = []
        for _ in range(5):
            world.step(20)
            states.append(np.concatenate([box.positions, box.velocities]))
        return states

    boxes = [resultants(METHODS[name]) for name in ("Dantzig", "Lemke", "Newton", "PGS")]
    for other in boxes[1:]:
        np.testing.assert_allclose(other, boxes[0], atol=2e-3)
    cones = [resultants(METHODS[name]) for name in ("Newton, cones", "PGS, cones")]
    np.testing.assert_allclose(cones[1], cones[0], atol=2e-3)
    assert np.abs(np.subtract(cones[0], boxes[0])).max() > 2e-2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", DIRECTIONS[:5])
def test_cones_brake_the_same_in_every_direction_and_pyramids_do_not(kind: str, direction: float) -> None:
    def distance(solver: Any) -> float:
        brick = as_kind(kind, gallery.box((0.2, 0.2, 0.02), mass=1.0, surface=kido.Surface(friction=0.4)))
        world = on_ground(push(put(brick, (0.0, 0.0, 0.01)), 0.8 * unit(direction)))
        world.solver = solver
        world.step(350)
        assert np.linalg.norm(velocity(brick)) < 1e-4
        return float(np.linalg.norm(origin(brick)[:2]))

    expected = 0.8**2 / (2 * 0.4 * 9.81)
    assert distance(METHODS["Newton, cones"]) == pytest.approx(expected, rel=1e-2)
    # Along a tangent as the cone, between two of them up to the root of 2 times stronger.
    along = np.abs([np.cos(direction), np.sin(direction)])
    assert distance(METHODS["Dantzig"]) < expected * 1.01
    if along.min() > 0.3:
        assert distance(METHODS["Dantzig"]) < 0.9 * expected


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_brick_sticks_below_the_angle_of_friction(factor: float) -> None:
    angle = np.arctan(0.5 * factor)
    brick = put(
        gallery.box((0.2, 0.2, 0.05), mass=1.0, surface=kido.Surface(friction=0.5)), (0.0, 0.0, 0.025)
    )
    world = on_ground(brick, gravity=slope(angle, 0.7))
    world.solver = METHODS["Newton, cones"]
    world.step(1000)
    moved = np.linalg.norm(origin(brick)[:2])
    slides = 0.5 * 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))
    assert moved == pytest.approx(max(slides, 0.0), abs=2e-4)


@pytest.mark.parametrize("solver", [BlockSolver(), DEFAULT], ids=["block", "LCP"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
def test_restitution_does_not_depend_on_the_solver(solver: Any, kind: str, restitution: float) -> None:
    surface = kido.Surface(restitution=restitution)
    ball = as_kind(kind, put(gallery.ball(0.1, surface=surface), (0.0, 0.0, 0.6)))
    world = on_ground(ball, surface=kido.Surface(restitution=1.0))
    world.solver = solver
    fastest, after = 0.0, 0.0
    for _ in range(400):
        world.step()
        speed = velocity(ball)[2]
        fastest = min(fastest, speed)
        after = max(after, speed)
    assert fastest == pytest.approx(-np.sqrt(2 * 9.81 * 0.5), rel=1e-2)
    assert after == pytest.approx(-restitution * fastest, rel=2e-2, abs=2e-2)


def test_momentum_of_bodies_that_collide_is_kept() -> None:
    bodies = [put(gallery.box((0.2, 0.2, 0.2), name=f"b{i}"), (0.19 * i, 0.02 * i, 0.0)) for i in range(4)]
    push(bodies[0], (1.0, 0.1, 0.0), (0.0, 0.5, 1.0))
    world = World(bodies, gravity=(0.0, 0.0, 0.0), solver=DEFAULT)
    before = momentum(bodies)
    world.step(200)
    assert np.abs(velocity(bodies[3])[0]) > 0.05
    np.testing.assert_allclose(momentum(bodies)[3:], before[3:], atol=1e-12)


def limits_and_servos() -> tuple[World, Skeleton]:
    arm = gallery.double_pendulum()
    arm.position_lower_limits, arm.position_upper_limits = [-0.5, -0.3], [0.5, 0.3]
    arm.positions = [0.45, 0.29]
    arm.velocities = [0.2, 0.5]
    arm.coulomb_friction = [0.0, 0.2]
    return World([arm], solver=DEFAULT), arm


def test_limits_hold_as_equations() -> None:
    world, arm = limits_and_servos()
    most = np.zeros(2)
    for _ in range(2000):
        world.step()
        most = np.maximum(most, np.abs(arm.positions))
    assert (most <= [0.5 + 1e-9, 0.3 + 1e-9]).all()
    assert most[0] > 0.49


def test_servos_hold_their_velocities_exactly_and_within_their_effort() -> None:
    arm = gallery.arm7()
    for joint in arm.joints:
        if joint.num_dofs:
            joint.actuator = kido.ActuatorType.SERVO
    commands = np.array([0.2, 0.1, -0.3, 0.1, 0.2, 0.0, 0.1])
    arm.commands = commands
    arm.force_upper_limits, arm.force_lower_limits = [1e9] * 7, [-1e9] * 7
    world = World([arm], solver=DEFAULT)
    world.step()
    np.testing.assert_allclose(arm.velocities, commands, atol=1e-6)
    arm.force_upper_limits, arm.force_lower_limits = [1e-3] * 7, [-1e-3] * 7
    world.step(50)
    assert np.abs(arm.velocities - commands).max() > 1e-2


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_hold_and_tell_their_wrench(kind: str) -> None:
    box = as_kind(kind, gallery.box((0.1, 0.1, 0.1), mass=2.0))
    world = World([box], solver=DEFAULT)
    weld = world.constraints.add(kido.WeldConstraint(box.body(0)))
    world.step(10)
    np.testing.assert_allclose(world.constraint_wrench(weld), [0, 0, 0, 0, 0, 2.0 * 9.81], atol=1e-6)
    world.constraints.remove(weld)
    put(box, (0.5, 0.0, 0.0))
    world.constraints.add(kido.BallConstraint(box.body(0), point=(0.0, 0.0, 0.0)))
    before = world.energy
    world.step(500)
    assert np.linalg.norm(origin(box)) == pytest.approx(0.5, abs=1e-5)
    assert world.energy == pytest.approx(before, abs=0.1)


def test_springs_and_ropes_are_rows() -> None:
    box = put(gallery.box((0.1, 0.1, 0.1), mass=1.0), (0.0, 0.0, -1.0))
    world = World([box], solver=DEFAULT)
    spring = world.constraints.add(
        kido.SpringConstraint(box.body(0), stiffness=1e4, damping=100.0, length=1.0)
    )
    world.step(2000)
    assert origin(box)[2] == pytest.approx(-1.0 - 9.81 / 1e4, abs=1e-9)
    world.constraints.remove(spring)
    put(box, (1.0, 0.0, 0.0))
    world.constraints.add(kido.RopeConstraint(box.body(0), length=1.2))
    farthest = 0.0
    for _ in range(100):
        world.step(10)
        farthest = max(farthest, float(np.linalg.norm(origin(box))))
    assert 1.19 < farthest < 1.2 + 1e-3


def test_couplings_are_rows() -> None:
    chains = []
    for solver in (BlockSolver(), DEFAULT):
        chain = gallery.double_pendulum()
        leader, follower = chain.joints
        chain.positions = [0.3, 0.7]
        follower.mimic = kido.description.Mimic(leader.name, 2.0, 0.1)
        follower.actuator = kido.ActuatorType.MIMIC
        chain.mimic_enforced = False
        world = World([chain], solver=solver)
        world.step(300)
        assert chain.positions[1] == pytest.approx(2.0 * chain.positions[0] + 0.1, abs=1e-4)
        chains.append(chain.positions)
    np.testing.assert_allclose(chains[1], chains[0], atol=1e-2)
    assert abs(chains[0][0] - 0.3) > 0.05


# ---- what a solver is given


def test_matrices_are_those_of_the_bodies() -> None:
    ball = put(gallery.ball(0.1, mass=2.0, surface=kido.Surface(friction=0.7)), (0.0, 0.0, 0.0999))
    world = on_ground(push(ball, (0.3, 0.4, -0.5)))
    correcting, keeping = problems(world)
    assert (correcting.corrects, keeping.corrects) == (True, False)
    assert correcting.kinds == ("contact", "friction", "friction")
    assert correcting.friction_index.tolist() == [-1, 0, 0]
    assert set(correcting.skeletons) == {"ground", "ball"}
    # A ball of mass m and moment 2/5 m r^2: 1/m along the normal, 1/m + r^2 / I = 3.5 / m along tangents.
    r = 0.0999 + 0.5 * 0.0001
    np.testing.assert_allclose(
        np.diag(correcting.A), [0.5, *[0.5 * (1 + 2.5 * (r / 0.1) ** 2)] * 2], rtol=1e-6
    )
    assert np.abs(correcting.A - np.diag(np.diag(correcting.A))).max() < 1e-12
    # The ground may be the first or the second body: normals from second to first.
    falls = -0.5 - 9.81e-3
    assert keeping.b[0] == pytest.approx(falls, rel=1e-9)
    assert correcting.b[0] == pytest.approx(falls - 0.2 * 1e-4 / 1e-3, rel=1e-6)
    assert np.linalg.norm(keeping.b[1:]) == pytest.approx(0.5, rel=1e-9)
    np.testing.assert_array_equal(keeping.upper, [np.inf, 0.7, 0.7])
    np.testing.assert_array_equal(keeping.lower, [0.0, -0.7, -0.7])


def test_matrices_of_trees_are_those_of_their_mass_matrix() -> None:
    chain = gallery.double_pendulum()
    chain.position_lower_limits, chain.position_upper_limits = [-0.2, -1.0], [0.2, 0.4]
    chain.positions = [0.2, 0.4]
    world = World([chain])
    correcting, keeping = problems(world)
    assert correcting.kinds == ("limit", "limit")
    chain.positions = [0.2, 0.4]
    chain.velocities = [0.0, 0.0]
    damped = chain.mass_matrix + 1e-3 * np.diag(chain.damping)
    inverse = np.linalg.inv(damped)
    # Both are at their upper limits: rows are minus the dofs.
    np.testing.assert_allclose(keeping.A, inverse, rtol=1e-9)
    chain.compute_forward_dynamics()
    np.testing.assert_allclose(keeping.b, -1e-3 * chain.accelerations, rtol=1e-6)


def test_islands_are_what_touches() -> None:
    boxes = [
        put(gallery.box((0.2, 0.2, 0.2), name=f"b{i}"), (1.0 * (i // 2), 0.0, 0.1 + 0.2 * (i % 2)))
        for i in range(6)
    ]
    world = on_ground(*boxes)
    world.step()
    found = problems(world)
    assert len(found) == 6
    assert [p.size for p in found] == [24] * 6
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert first.A is second.A
        assert np.linalg.eigvalsh(first.A).min() > -1e-9
        np.testing.assert_array_equal(first.A, first.A.T)
    assert {frozenset(p.skeletons) - {"ground"} for p in found} == {
        frozenset(("b0", "b1")),
        frozenset(("b2", "b3")),
        frozenset(("b4", "b5")),
    }


def test_bodies_on_one_table_that_moves_are_one_island() -> None:
    table = put(gallery.box((2.0, 1.0, 0.1), mass=10.0, name="table"), (0.0, 0.0, 0.05))
    boxes = [put(gallery.box((0.2, 0.2, 0.2), name=f"b{i}"), (0.5 * i - 0.5, 0.0, 0.2)) for i in range(3)]
    world = on_ground(table, *boxes)
    assert len(problems(world)) == 2


def test_trees_and_bodies_share_islands() -> None:
    robot, crate = gallery.humanoid(), put(gallery.box((0.3, 0.3, 0.3)), (0.0, 0.0, 2.0))
    world = on_ground(robot, crate)
    world.solver = DEFAULT
    world.step(800)
    block = on_ground(gallery.humanoid(), put(gallery.box((0.3, 0.3, 0.3)), (0.0, 0.0, 2.0)))
    block.step(800)
    for s in world.skeletons[1:]:
        assert np.isfinite(s.positions).all()
    assert robot.com()[2] == pytest.approx(block.skeletons[1].com()[2], abs=0.25)
    assert max((c.depth for c in world.contacts), default=0.0) < 5e-3


# ---- settings


@pytest.mark.parametrize(
    "settings, text",
    [
        ({"longest_substep": 0.0}, "longest_substep"),
        ({"longest_substep": np.nan}, "longest_substep"),
        ({"sweeps": 0}, "sweeps: expected 1 to 10000"),
        ({"relaxing_sweeps": 10**6}, "relaxing_sweeps"),
        ({"contact_frequency": -1.0}, "contact_frequency"),
        ({"contact_damping": np.inf}, "contact_damping"),
        ({"push_speed": 0.0}, "push_speed"),
    ],
)
def test_settings_of_the_block_solver_are_checked(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        BlockSolver(**settings)
    with pytest.raises(TypeError):
        BlockSolver(sweeps=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings, text",
    [
        ({"error_reduction": 0.0}, "error_reduction"),
        ({"error_reduction": 1.5}, "error_reduction"),
        ({"regularization": -1e-9}, "regularization"),
        ({"largest_residual": 0.0}, "largest_residual"),
        ({"cones": True, "method": lcp.Dantzig()}, "cones: Dantzig takes none"),
    ],
)
def test_settings_of_lcp_solvers_are_checked(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        BoxedLCPSolver(**settings)


@pytest.mark.parametrize("wrong", [None, "block", BlockSolver, lcp.Dantzig()])
def test_what_is_no_solver_is_refused(wrong: Any) -> None:
    world = World()
    with pytest.raises(TypeError, match="solver: expected a BlockSolver or an ImpulseSolver"):
        World(solver=wrong)
    with pytest.raises(TypeError, match="solver: expected a BlockSolver or an ImpulseSolver"):
        world.solver = wrong
    assert world.solver == BlockSolver()


def test_shorter_substeps_are_stiffer_by_their_square() -> None:
    depths = []
    for substep in (1e-3, 0.5e-3, 0.25e-3):
        world = on_ground(*tower(5))
        world.solver = BlockSolver(longest_substep=substep)
        world.step(1000)
        depths.append(max(c.depth for c in world.contacts))
    assert depths[0] / depths[1] == pytest.approx(4.0, rel=0.3)
    assert depths[1] / depths[2] == pytest.approx(4.0, rel=0.3)


def test_every_setting_of_the_block_solver_counts() -> None:
    def end(**settings: Any) -> bytes:
        world = on_ground(*crowd(4))
        world.solver = BlockSolver(**settings)
        world.step(450)
        return bits(world)

    usual = end()
    assert end(**{name: getattr(BlockSolver(), name) for name in ("sweeps", "push_speed")}) == usual
    changed = [
        {"longest_substep": 0.25e-3},
        {"sweeps": 2},
        {"relaxing_sweeps": 2},
        {"contact_frequency": 0.2},
        {"contact_damping": 4.0},
        {"push_speed": 1e-3},
    ]
    ends = {end(**settings) for settings in changed}
    assert len(ends | {usual}) == len(changed) + 1


@pytest.mark.parametrize("solver", [BlockSolver(sweeps=3), DEFAULT, METHODS["Newton, cones"]])
def test_copies_have_the_solver_and_go_on_bit_for_bit(solver: Any) -> None:
    world = on_ground(*tower(3), gallery.double_pendulum())
    world.solver = solver
    world.step(60)
    copies = [world.clone(), pickle.loads(pickle.dumps(world))]
    saved = world.snapshot()
    world.step(40)
    end = bits(world)
    for copied in copies:
        assert copied.solver == solver
        copied.step(40)
        assert bits(copied) == end
    world.restore(saved)
    world.step(40)
    assert bits(world) == end


def test_the_solver_can_be_changed_between_steps() -> None:
    boxes = tower(3)
    world = on_ground(*boxes)
    for solver in (BlockSolver(), DEFAULT, BlockSolver(sweeps=4), METHODS["Newton, cones"]):
        world.solver = solver
        world.step(50)
        assert world.solver is solver
    assert world.num_steps == 200
    assert origin(boxes[2])[2] == pytest.approx(0.5, abs=1e-4)


# ---- failure


@value
class Own(ImpulseSolver):
    """Projected Gauss-Seidel, and what else a user may do."""

    mode: str = "right"

    def solve(self, problem: StepProblem) -> Any:
        if self.mode != "right":
            return {"none": None, "short": [0.0], "nan": np.full(problem.size, np.nan)}[self.mode]
        x = problem.start.copy()
        for _ in range(200):
            for i, j in enumerate(problem.friction_index):
                factor = 1.0 if j < 0 else x[j]
                new = x[i] - (problem.A[i] @ x + problem.b[i]) / problem.A[i, i]
                x[i] = min(max(new, problem.lower[i] * factor), problem.upper[i] * factor)
        return x


def test_a_solver_of_the_users_own_holds_a_box() -> None:
    box = put(gallery.box((0.2, 0.2, 0.2), mass=2.0), (0.0, 0.0, 0.1))
    world = on_ground(box)
    world.solver = Own()
    world.step(30)
    assert origin(box)[2] == pytest.approx(0.1, abs=1e-5)
    with pytest.raises(EditError, match=r"solver or listeners are Python's"):
        kido.rollout(world, np.zeros((1, 1, 6)))


@pytest.mark.parametrize("mode, error", [("none", TypeError), ("short", ValueError), ("nan", ValueError)])
def test_a_solver_that_fails_leaves_the_world_as_it_was(mode: str, error: type[Exception]) -> None:
    world = on_ground(*tower(2))
    world.solver = Own()
    world.step(5)
    before, depths = bits(world), [c.force.tolist() for c in world.contacts]
    good = world.clone()
    world.solver = Own(mode)  # type: ignore[call-arg]
    with pytest.raises(error, match=r"Own\.solve"):
        world.step(5)
    assert bits(world) == before
    assert world.num_steps == 5
    assert depths
    world.solver = Own()
    good.solver = Own()
    world.step(5)
    good.step(5)
    assert bits(world) == bits(good)


def heap_over_an_arm(seed: int) -> World:
    """Boxes and balls that fall on an arm."""
    random = np.random.default_rng(seed)
    made = [gallery.make(["arm7", "arm", "humanoid"][seed % 3])]
    for k in range(random.integers(3, 8)):
        mass, size = random.uniform(0.2, 3.0), random.uniform(0.08, 0.2, 3)
        one = gallery.box(size, mass) if random.random() < 0.6 else gallery.ball(0.5 * size[0], mass)
        one.name = f"body_{k}"
        place = (*random.uniform(-0.25, 0.25, 2), 1.0 + 0.22 * k)
        made.append(put(one, place, random.uniform(-1.0, 1.0, 3)))
    return on_ground(*made, time_step=float(random.choice([1e-3, 2e-3, 5e-3])))


@looped("seed", list(range(6)))
@pytest.mark.parametrize("method", ["PGS", "Newton, cones"])
def test_heaps_over_an_arm_are_solved(method: str, seed: int) -> None:
    given = {"PGS": lcp.ProjectedGaussSeidel(), "Newton, cones": lcp.SemismoothNewton()}[method]
    world = heap_over_an_arm(seed)
    world.solver = BoxedLCPSolver(method=given, cones=method == "Newton, cones")
    world.step(round(0.6 / world.time_step))
    assert any({"ground"} != {c.first.skeleton.name, c.second.skeleton.name} for c in world.contacts)


def test_impulses_that_are_not_found_are_an_error() -> None:
    world = on_ground(*tower(4))
    world.solver = BoxedLCPSolver(method=lcp.ProjectedGaussSeidel(max_iterations=1), largest_residual=1e-9)
    before = bits(world)
    with pytest.raises(UnsolvedError, match=r"48 impulses of .*'box_0'.*: not found, residual") as caught:
        world.step()
    assert caught.value.rows == 48
    assert caught.value.residual > 1e-9
    assert set(caught.value.skeletons) == {"ground", *(f"box_{i}" for i in range(4))}
    assert bits(world) == before
    assert world.num_steps == 0
    copied = pickle.loads(pickle.dumps(caught.value))
    assert str(copied) == str(caught.value)


def test_contradictory_loops_are_solved_softly() -> None:
    box = gallery.box((0.1, 0.1, 0.1), mass=1.0)
    world = World([box], solver=DEFAULT)
    world.constraints.add(kido.WeldConstraint(box.body(0)))
    put(box, (0.01, 0.0, 0.0))
    world.constraints.add(kido.WeldConstraint(box.body(0)))
    world.step(50)
    assert np.isfinite(box.positions).all()
    assert -0.001 <= origin(box)[0] <= 0.011


def test_forces_of_gears_do_not_depend_on_the_solver() -> None:
    forces = []
    for solver in (BlockSolver(), DEFAULT):
        chain = gallery.double_pendulum()
        chain.positions = [0.3, -0.3]
        world = World([chain], solver=solver)
        gear = world.constraints.add(kido.GearConstraint(chain.dof(0), chain.dof(1), ratio=-1.0))
        world.step(100)
        assert chain.positions[0] + chain.positions[1] == pytest.approx(0.0, abs=1e-5)
        forces.append(world.constraint_force(gear))
    assert np.abs(forces[0]).max() > 0.1
    np.testing.assert_allclose(forces[1], forces[0], rtol=0.05)
