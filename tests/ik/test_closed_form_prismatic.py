"""Closed forms of chains with prismatic joints, and of few joints."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from _arms import RIGHT, Arm, search
from _prismatic_arms import (
    COUNTS,
    OTHERS,
    SCARA,
    WRISTED,
    X,
    Z,
    arm_of,
    drawn,
    form_of,
    gap,
    random_arm,
    with_parallel_revolute,
    with_wrist,
    wrist,
)
from scipy.spatial.transform import Rotation

ARMS = {
    **{name: (arm, "spherical wrist", COUNTS[name]) for name, arm in WRISTED.items()},
    **{
        f"{name}, reversed": (arm.reversed(), "spherical shoulder", COUNTS[name])
        for name, arm in WRISTED.items()
    },
    **OTHERS,
    **{f"{name}, reversed": (arm.reversed(), family, count) for name, (arm, family, count) in OTHERS.items()},
}
POSITION_PARTS = ["RRP", "RPR", "PRR", "RPP", "PRP", "PPR"]
GANTRIES = [*sorted({"".join(p) for p in permutations("PPPRRR")}), "PPPRR", "PRPRP", "PPPR", "RPPP", "PPP"]
SCARAS = ["RRPR", "RRRP", "PRRR", "RPRR", "RRPP", "RPRP", "RPPR", "PRRP", "PRPR", "PPRR", "RRP", "RPR", "PRR"]

by_arm = pytest.mark.parametrize("arm", [pytest.param(arm, id=name) for name, (arm, _, _) in ARMS.items()])


def assert_all_found(arm: Arm, rng: np.random.Generator, count: int) -> set[int]:
    """Planted positions are among the solutions, and all reach the target; how many there are."""
    __tracebackhide__ = True
    form, numbers = form_of(arm), set()
    for q in drawn(arm, rng, count):
        target = arm.forward(q)
        positions, reached, errors = form.solve(target)
        assert reached
        assert gap(arm, positions, q).min() < 1e-6
        assert np.abs(arm.forward(positions) - target).max() < 1e-10
        assert errors.max() < 1e-10
        numbers.add(len(positions))
    return numbers


def assert_nothing_missing(arm: Arm, rng: np.random.Generator) -> None:
    __tracebackhide__ = True
    target = arm.forward(drawn(arm, rng, 1)[0])
    found = search(arm, target, drawn(arm, rng, 200, reach=2.0), range(arm.joints))
    positions = form_of(arm).solve(target).positions
    assert len(found) > 20
    assert max(gap(arm, positions, x).min() for x in found) < 1e-5


@pytest.mark.parametrize(("arm", "family", "count"), ARMS.values(), ids=ARMS)
def test_known_arms_have_their_form_and_as_many_solutions_as_theory_says(
    arm: Arm, family: str, count: int
) -> None:
    form = form_of(arm)
    assert form.family == family
    assert form.reason == ""
    assert form.exact
    assert form.locked_dof is None
    assert form.is_prismatic == arm.is_prismatic
    assert assert_all_found(arm, np.random.default_rng(1), 40) == {count}


@by_arm
def test_a_numerical_search_finds_no_other_solution(arm: Arm) -> None:
    assert_nothing_missing(arm, np.random.default_rng(2))


@by_arm
def test_at_singular_poses_the_given_positions_are_among_the_solutions(arm: Arm) -> None:
    form, rng = form_of(arm), np.random.default_rng(3)
    for q in drawn(arm, rng, 100):
        for k in rng.choice(arm.joints, rng.integers(1, min(4, arm.joints) + 1), replace=False):
            q[k] = rng.choice([0.0, 0.3, -0.4] if arm.is_prismatic[k] else [0.0, np.pi, RIGHT, -RIGHT])
        target = arm.forward(q)
        solutions = form.solve(target, near=q)
        assert solutions.reached
        assert np.abs(arm.forward(solutions.positions) - target).max() < 1e-9
        assert gap(arm, solutions.positions, q).min() < 1e-3


@by_arm
def test_no_two_solutions_are_the_same_and_angles_are_in_one_turn(arm: Arm) -> None:
    form = form_of(arm)
    for q in drawn(arm, np.random.default_rng(4), 20):
        positions = form.solve(arm.forward(q)).positions
        apart = gap(arm, positions[:, None], positions[None]) + 10.0 * np.eye(len(positions))
        assert apart.min() > 1e-7
        angles = positions[:, ~np.array(arm.is_prismatic)]
        assert np.all((angles > -np.pi) & (angles <= np.pi))


@pytest.mark.parametrize("pattern", GANTRIES)
def test_three_slides_and_axes_without_relation_are_a_gantry_in_any_order(pattern: str) -> None:
    rng = np.random.default_rng(5)
    arm = random_arm(pattern, rng)
    assert form_of(arm).family == "gantry"
    assert assert_all_found(arm, rng, 20) == {2 if pattern.count("R") == 3 else 1}
    assert_nothing_missing(arm, rng)


@pytest.mark.parametrize("pattern", POSITION_PARTS)
@pytest.mark.parametrize("back", [False, True], ids=["wrist", "shoulder"])
def test_one_or_two_slides_before_a_wrist_need_no_relation_of_the_axes(pattern: str, back: bool) -> None:
    rng = np.random.default_rng(6)
    most = 8 if pattern.count("P") == 1 else 4
    for _ in range(3):
        arm = with_wrist(random_arm(pattern + "RRR", rng))
        arm = arm.reversed() if back else arm
        assert form_of(arm).family == ("spherical shoulder" if back else "spherical wrist")
        assert assert_all_found(arm, rng, 40) <= set(range(2, most + 1, 2))
        assert_nothing_missing(arm, rng)


@pytest.mark.parametrize("pattern", SCARAS)
def test_parallel_axes_and_slides_in_any_direction_are_a_scara_in_any_order(pattern: str) -> None:
    rng = np.random.default_rng(7)
    arm = with_parallel_revolute(random_arm(pattern, rng), rng)
    assert form_of(arm).family == "SCARA"
    assert assert_all_found(arm, rng, 40) == {2 if len(pattern) == 4 else 1}
    assert_nothing_missing(arm, rng)


@pytest.mark.parametrize("pattern", ["RRR", "RRP", "RPR", "PRR"])
def test_three_joints_that_move_in_a_plane_have_two_solutions(pattern: str) -> None:
    rng = np.random.default_rng(8)
    arm = with_parallel_revolute(random_arm(pattern, rng), rng, level=True)
    assert form_of(arm).family == "planar"
    assert assert_all_found(arm, rng, 40) == {2}
    assert_nothing_missing(arm, rng)


@pytest.mark.parametrize("pattern", ["R", "P", "RR", "PP", "RP", "RRP", "RPP", "RRR", "PPRR", "RRRPP"])
def test_few_joints_are_solved_from_the_orientation(pattern: str) -> None:
    rng = np.random.default_rng(9)
    arm = random_arm(pattern, rng)
    assert form_of(arm).family == "orientation first"
    numbers = assert_all_found(arm, rng, 20)
    assert numbers == {2} if pattern == "RRRPPP" else numbers <= {1, 2}
    assert_nothing_missing(arm, rng)


def test_the_elbow_of_a_scara_follows_the_law_of_cosines() -> None:
    form = form_of(SCARA)
    for x, y, z, yaw in np.random.default_rng(10).uniform(-0.45, 0.45, (20, 4)):
        r = np.hypot(x, y)
        if r < 0.11:
            continue
        target = np.eye(4)
        target[:3, :3] = Rotation.from_euler("z", yaw).as_matrix()
        target[:3, 3] = [x, y, z + 0.1]
        elbow = np.arccos((r**2 - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
        solutions = form.solve(target)
        assert solutions.reached
        np.testing.assert_allclose(np.sort(solutions.positions[:, 1]), [-elbow, elbow], atol=1e-12)
        np.testing.assert_allclose(solutions.positions[:, 2], -z, atol=1e-14)
        np.testing.assert_allclose(
            np.cos(solutions.positions[:, [0, 1, 3]].sum(axis=1)), np.cos(yaw), atol=1e-14
        )


def test_a_cylindrical_arm_has_its_radius_and_height() -> None:
    arm = arm_of(("R", Z, (0, 0, 0)), ("P", Z, (0, 0, 0)), ("P", X, (0, 0, 0)), *wrist(0, 0, 0))
    target = np.eye(4)
    target[:3, :3] = Rotation.from_euler("y", 0.5).as_matrix()
    target[:3, 3] = target[:3, :3] @ [0.0, 0.0, 0.1] + [0.3, -0.5, 0.8]
    positions = form_of(arm).solve(target).positions
    assert len(positions) == 4
    np.testing.assert_allclose(np.abs(positions[:, 2]), np.hypot(0.3, 0.5), atol=1e-15)
    np.testing.assert_allclose(positions[:, 1], 0.8, atol=1e-15)
    first = np.where(positions[:, 2] > 0, np.arctan2(-0.5, 0.3), np.arctan2(0.5, -0.3))
    np.testing.assert_allclose(positions[:, 0], first, atol=1e-15)
    np.testing.assert_allclose(np.abs(positions[:, 4]), 0.5, atol=1e-14)
