"""The mixed-integer relaxation of global inverse kinematics: never a proof where a posture exists."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from _arms import Array
from _effort import examples
from _looped import looped
from _prismatic_arms import random_arm
from _reach import planar, skeleton_of, two_arms
from scipy.spatial.transform import Rotation

import kido
from kido.ik import GlobalIK, RelaxationApproach, RelaxationOptions
from kido.ik._global._relaxation._options import RelaxationSolver
from kido.ik._global._relaxation._program import MixedIntegerProgram
from kido.ik._global._relaxation._rotation import Entry, _cones, add_rotation

APPROACHES = ("bilinear McCormick", "box-sphere intersection", "both")
BINNINGS = ("logarithmic", "linear")
OPTIONS = [
    RelaxationOptions(intervals, approach=approach, interval_binning=binning)
    for intervals, approach, binning in itertools.product((1, 2, 3), APPROACHES, BINNINGS)
]
COARSE = RelaxationOptions(1, approach="box-sphere intersection")


def named(options: RelaxationOptions) -> str:
    kinds = options.approach.value, options.interval_binning.value
    return f"{options.num_intervals_per_half_axis} {' '.join(kinds)}"


def admits(
    entries: list[list[Entry]], program: MixedIntegerProgram, R: Array, options: RelaxationOptions
) -> bool:
    """Whether the program has a solution with a matrix fixed."""
    fixed = program.copy()
    for row, numbers in zip(entries, R, strict=True):
        for entry, number in zip(row, numbers, strict=True):
            fixed.add_row(entry.value, number - 1e-9, number + 1e-9)
    return not fixed.solve(options.solver, 10.0).infeasible


@looped("options", OPTIONS, ids=named)
def test_every_rotation_is_a_solution_and_reflections_are_not(options: RelaxationOptions) -> None:
    rng = np.random.default_rng(0)
    program = MixedIntegerProgram()
    entries = add_rotation(program, -np.ones((3, 3)), np.ones((3, 3)), options)
    rotations = [Rotation.random(rng=rng).as_matrix() for _ in range(examples(2))]
    rotations += [np.eye(3), np.diag([1.0, -1.0, -1.0]), np.eye(3)[[1, 2, 0]]]
    assert all(admits(entries, program, R, options) for R in rotations)
    assert not admits(entries, program, np.zeros((3, 3)), options)
    assert not admits(entries, program, np.diag([0.9, 0.9, 0.0]), options)
    assert not admits(entries, program, np.diag([1.0, 1.0, -1.0]), options)


@looped("options", OPTIONS, ids=named)
def test_bounds_of_entries_keep_the_rotations_within(options: RelaxationOptions) -> None:
    rng = np.random.default_rng(1)
    for _ in range(examples(2)):
        R = Rotation.random(rng=rng).as_matrix()
        low, high = np.maximum(R - rng.uniform(0.0, 0.7, (3, 3)), -1.0), np.minimum(R + 0.3, 1.0)
        program = MixedIntegerProgram()
        entries = add_rotation(program, low, high, options)
        assert admits(entries, program, R, options)


@looped("pattern", ["RR", "RPR", "PRP", "RRR"])
def test_reachable_poses_are_never_called_infeasible(pattern: str) -> None:
    rng = np.random.default_rng(2)
    for options in (OPTIONS[0], OPTIONS[3], COARSE):
        arm = random_arm(pattern, rng)
        widest = np.where(np.array(arm.is_prismatic), 0.5, rng.uniform(0.3, 3.0))
        robot = skeleton_of(arm, -widest, widest)
        q = rng.uniform(-widest, widest)
        robot.positions = q
        tool = robot.end_effector("tool")
        pose = tool.transform()
        robot.positions = np.zeros(arm.joints)
        search = GlobalIK(robot)
        search.add_world_pose_constraint(tool, pose)
        found = search.relaxation(options).solve(time_budget=20.0)
        assert not found.infeasible, named(options)


@looped("x, reached", [(0.5, True), (0.79, True), (0.9, False), (1.3, False)])
def test_the_relaxation_of_a_planar_arm_knows_its_reach(x: float, reached: bool) -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(robot.end_effector("tool"), (x, 0.0, 0.0))
    verdict = search.solve(relaxation=COARSE)
    assert verdict.success is reached
    assert verdict.infeasible is not reached
    assert verdict.method == "relaxation"


def test_a_solution_leads_to_a_posture() -> None:
    robot = planar()
    search = GlobalIK(robot)
    search.add_world_position_constraint(robot.end_effector("tool"), (0.3, 0.5, 0.0))
    relaxation = search.relaxation(COARSE)
    found = relaxation.solve()
    assert found.found
    assert not found.infeasible
    q = relaxation.reconstruct(found)
    robot.positions = q
    there = robot.end_effector("tool").transform()[:3, 3]
    assert np.linalg.norm(there - (0.3, 0.5, 0.0)) < 0.3
    elbow = found.body_rotation_matrix("l0") @ (0.5, 0.0, 0.0) + found.body_position("l0")
    assert np.abs(elbow - found.body_position("l1")).max() < 1e-6


def test_regions_and_trees_in_the_relaxation() -> None:
    robot = two_arms()
    left, right = (robot.end_effector(f"{side} hand") for side in ("left", "right"))
    near = np.array([[0.3, 0.3, 0.4], [0.4, 0.3, 0.6], [0.3, 0.4, 0.6], [0.4, 0.4, 0.4]])
    search = GlobalIK(robot)
    search.add_point_in_one_of_regions(left, [near + 5.0, near])
    search.add_world_relative_position_constraint(left, right, (0.0, 0.5, 0.0), tolerance=0.01)
    verdict = search.solve(relaxation=COARSE)
    assert verdict.success
    assert verdict.regions == (1,)
    search = GlobalIK(robot)
    search.add_point_in_one_of_regions(left, [near + 5.0, near - 5.0])
    assert search.solve(relaxation=COARSE).infeasible
    search = GlobalIK(robot)
    search.add_relative_position_constraint(left, right, (0.0, 2.5, 0.0))
    assert search.solve(relaxation=COARSE).infeasible
    search = GlobalIK(robot)
    search.add_relative_orientation_constraint(left, right, kido.math.so3_exp((0.5, 0.0, 0.0)))
    assert search.solve(relaxation=COARSE).infeasible


def cost_by_hand(robot: kido.Skeleton, q: Array, desired: Array) -> float:
    total = 0.0
    for body in robot.bodies:
        robot.positions = desired
        wanted = body.transform()
        robot.positions = q
        T = body.transform()
        total += np.linalg.norm(T[:3, 3] - wanted[:3, 3])
        angle = np.linalg.norm(kido.math.so3_log(wanted[:3, :3].T @ T[:3, :3]))
        total += 2.0 * (1.0 - np.cos(angle))
    return float(total)


def test_the_cost_is_that_of_distances_and_angles_and_a_minimum() -> None:
    """Of the two postures of a planar arm the one on the side of the desired elbow is cheaper."""
    for elbow in (1.0, -1.0):
        robot = planar()
        desired = np.array([0.2, elbow])
        search = GlobalIK(robot)
        search.set_initial_guess((0.0, -elbow))
        search.add_world_position_constraint(robot.end_effector("tool"), (0.5, 0.4, 0.0))
        search.add_posture_cost(desired, orientation_cost=2.0)
        verdict = search.solve()
        assert verdict.positions[1] * elbow > 0.0
        assert verdict.cost == pytest.approx(cost_by_hand(robot, verdict.positions, desired), abs=1e-9)
        assert verdict.cost_bound is None


def test_no_posture_costs_less_than_the_bound_of_the_relaxation() -> None:
    robot = planar((0.4, 0.3, 0.2))
    desired = np.array([0.9, -0.3, 0.4])
    search = GlobalIK(robot)
    search.add_world_position_constraint(robot.end_effector("tool"), (0.6, 0.1, 0.0), tolerance=0.05)
    search.add_posture_cost(desired, orientation_cost=2.0)
    verdict = search.solve(relaxation=RelaxationOptions(2, approach="both"), time_budget=60.0)
    assert verdict.success
    assert verdict.cost is not None
    assert verdict.cost_bound is not None
    assert 0.3 * verdict.cost < verdict.cost_bound <= verdict.cost + 1e-6
    grid = np.linspace(-np.pi, np.pi, 73)
    q = np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3)
    tips = robot.tree.transform(q, "l2")
    at = tips[:, :3, 3] + 0.2 * tips[:, :3, 0]
    inside = np.flatnonzero((np.abs(at - (0.6, 0.1, 0.0)) <= 0.05).all(axis=1))
    sampled = min(cost_by_hand(robot, q[i], desired) for i in inside[::7])
    assert verdict.cost <= sampled + 1e-6


@looped("approach", APPROACHES)
def test_scip_takes_cones_and_agrees_about_feasibility(approach: str) -> None:
    pytest.importorskip("pyscipopt")
    for x, reached in ((0.5, True), (0.9, False)):
        robot = planar()
        search = GlobalIK(robot)
        search.add_world_position_constraint(robot.end_effector("tool"), (x, 0.0, 0.0))
        for linear in (True, False):
            options = RelaxationOptions(1, approach=approach, linear_constraint_only=linear, solver="SCIP")
            assert search.relaxation(options).solve(time_budget=20.0).infeasible is not reached


@looped(
    "arguments, message",
    [
        ({"num_intervals_per_half_axis": 0}, "num_intervals_per_half_axis"),
        ({"approach": "none"}, "approach: expected one of bilinear McCormick"),
        ({"interval_binning": "none"}, "interval_binning"),
        ({"solver": "Gurobi"}, "solver: expected one of HiGHS, SCIP"),
        ({"linear_constraint_only": False}, "linear_constraint_only: expected True"),
    ],
)
def test_options_out_of_range_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RelaxationOptions(**arguments)


def test_a_solver_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kido.ik._global._relaxation._options.find_spec", lambda name: None)
    with pytest.raises(kido.errors.MissingDependencyError, match=r"pip install 'kido\[scip\]'"):
        RelaxationOptions(solver="SCIP")


def test_costs_that_are_negative_or_of_another_shape_are_refused() -> None:
    search = GlobalIK(planar())
    for arguments in ({"position_cost": -1.0}, {"orientation_cost": (1.0, 2.0, 3.0)}):
        with pytest.raises(ValueError, match=next(iter(arguments))):
            search.add_posture_cost((0.0, 0.0), **arguments)
    with pytest.raises(ValueError, match="positions"):
        search.add_posture_cost((0.0,))
    with pytest.raises(TypeError, match="relaxation: expected a RelaxationOptions or None"):
        search.add_world_position_constraint(search.skeleton.end_effector("tool"), (0.5, 0.0, 0.0))
        search.solve(relaxation="both")


def test_programs_have_the_bodies_of_the_constraints_only() -> None:
    robot = two_arms()
    counts = []
    for name in ("torso", "left0", "left1"):
        search = GlobalIK(robot)
        search.add_world_position_constraint(robot.body(name), (0.1, 0.1, 0.5), tolerance=0.5)
        counts.append(search.relaxation().num_variables)
    assert counts[0] < counts[1] < counts[2]
    search = GlobalIK(robot)
    search.add_joint_limits("waist", 0.1, 0.4)  # no entry changes its sign
    search.add_world_position_constraint(robot.body("torso"), (0.0, 0.0, 0.0))
    assert search.relaxation().num_binaries == 0


def satisfies(program: MixedIntegerProgram, x: Array) -> bool:
    """Whether values are a solution of a program."""
    matrix, low, high = program.matrix()
    rows = matrix @ x
    return bool(
        (rows >= low - 1e-6).all()
        and (rows <= high + 1e-6).all()
        and (x >= np.array(program.lower) - 1e-6).all()
        and (x <= np.array(program.upper) + 1e-6).all()
        and np.abs(x - np.round(x))[np.array(program.binary)].max() < 1e-6
    )


@pytest.mark.parametrize("approach", list(RelaxationApproach))
def test_what_is_found_before_branch_and_bound_satisfies_the_program_and_what_is_proved_is_so(
    approach: RelaxationApproach,
) -> None:
    arm = kido.gallery.arm7()
    tool, rng = arm.bodies[-1], np.random.default_rng(0)
    pumped = beside = 0
    poses = min(3, examples(2))
    for reachable in (*[True] * poses, False):
        pose = arm.tree.transform(rng.uniform(-1.0, 1.0, 7), tool.index)
        point = pose[:3, 3] if reachable else np.array([3.0, 0.0, 0.0])
        search = GlobalIK(arm)
        search.add_world_position_constraint(tool, point, tolerance=1e-3)
        search.add_world_orientation_constraint(tool, pose[:3, :3], tolerance=1e-2)
        relaxation = search.relaxation(RelaxationOptions(1, approach=approach))
        program = relaxation._program
        by_highs = program.solve(RelaxationSolver.HIGHS, 60.0)
        assert by_highs.infeasible != reachable
        by_search = relaxation._beside_posture(time.perf_counter() + 60.0)
        if by_search is not None:
            beside += 1
            assert by_search.x is not None
            assert satisfies(program, by_search.x)
        by_pump = relaxation._pump(60.0)
        if by_pump is not None:
            pumped += 1
            assert by_pump.infeasible == by_highs.infeasible
            assert by_pump.x is None or satisfies(program, by_pump.x)
        found = relaxation.solve()
        assert (found.infeasible, found.found) == (not reachable, reachable)
    assert beside == poses
    assert pumped >= (2 if relaxation._is_pumped else 1)


def test_a_solution_is_found_where_no_search_finds_a_posture() -> None:
    """The relaxation has solutions where the robot has no posture, or where the search misses it."""
    arm = kido.gallery.arm7()
    tool = arm.bodies[-1]
    pose = arm.tree.transform(np.full(7, 0.4), tool.index)
    for approach in APPROACHES:
        search = GlobalIK(arm)
        search.add_world_position_constraint(tool, pose[:3, 3], tolerance=1e-3)
        search.add_world_orientation_constraint(tool, pose[:3, :3], tolerance=1e-2)
        relaxation = search.relaxation(RelaxationOptions(1, approach=approach))
        relaxation._search = lambda time_budget: None
        assert relaxation.solve().found


def test_patches_of_the_sphere_go_at_least_as_far_along_their_direction_as_is_said() -> None:
    """Beside points of the sphere, in cells that these meet and in others."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(200_000, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    octant = _cones(((-1.0, 0.0, 1.0),) * 3)
    np.testing.assert_allclose(octant.least, 1.0 / np.sqrt(3.0), atol=1e-8)  # of an axis from a diagonal
    thin = _cones(((0.6, 0.7), (-0.8, 0.8), (-0.1, 0.1)))
    middle = np.array([0.65, 0.0, 0.0])
    np.testing.assert_allclose(thin.direction[0], middle / 0.65, atol=1e-12)
    np.testing.assert_allclose(thin.least, 0.6, atol=1e-8)
    for _ in range(examples(40)):
        points = tuple(tuple(np.sort(rng.uniform(-1.0, 1.0, 3)).tolist()) for _ in range(3))
        cones = _cones(points)
        cells = list(itertools.product(range(2), repeat=3))
        for k, cell in enumerate(cells):
            low, high = (np.array([points[i][cell[i] + shift] for i in range(3)]) for shift in (0, 1))
            inside = x[((x >= low) & (x <= high)).all(axis=1)]
            assert cones.meets[k] or not len(inside)
            assert np.flatnonzero(cones.chosen[k]).tolist() == [2 * i + cell[i] for i in range(3)]
            if len(inside) and cones.is_directed[k]:
                least = (inside @ cones.direction[k]).min()
                assert cones.least[k] <= least
