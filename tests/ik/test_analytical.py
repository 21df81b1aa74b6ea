"""Analytical methods: their solutions in order, their flags, and how a module is solved by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from _poses import Array, planar_arm, pose, turned
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics
from kido.ik import Analytical, AnalyticalSolution, TaskSpaceRegion, Validity
from kido.optimize import GradientDescentSolver, ModularFunction
from kido.typing import ArrayLike, FloatArray

FREE = TaskSpaceRegion(angular=[np.inf, np.inf, np.inf])
"""Any rotation."""
VALID, FAR, BEYOND = Validity.VALID, Validity.OUT_OF_REACH, Validity.LIMIT_VIOLATED


class TwoLinks(Analytical):
    """A planar arm with links of 1 m and 0.7 m, as in a textbook."""

    def __init__(self) -> None:
        self.calls = 0

    def analytical_dofs(self, ik: InverseKinematics) -> Sequence[kido.DegreeOfFreedom]:
        return ik.dofs

    def compute_solutions(
        self, ik: InverseKinematics, desired: FloatArray
    ) -> Iterable[AnalyticalSolution | ArrayLike]:
        self.calls += 1
        x, y = desired[:2, 3]
        cosine = (x * x + y * y - 1.0 - 0.49) / 1.4
        if cosine > 1.0:
            return [AnalyticalSolution([np.arctan2(y, x), 0.0], FAR)]
        bends = [np.arccos(cosine), -np.arccos(cosine)]
        return [(np.arctan2(y, x) - np.arctan2(0.7 * np.sin(b), 1.0 + 0.7 * np.cos(b)), b) for b in bends]


class Listed(Analytical):
    """Answers what it was told to."""

    def __init__(self, *answers: AnalyticalSolution | ArrayLike) -> None:
        self.answers = answers

    def analytical_dofs(self, ik: InverseKinematics) -> Sequence[kido.DegreeOfFreedom]:
        return ik.dofs

    def compute_solutions(
        self, ik: InverseKinematics, desired: FloatArray
    ) -> Iterable[AnalyticalSolution | ArrayLike]:
        return self.answers


def two_links(x: float, y: float) -> tuple[InverseKinematics, TwoLinks]:
    arm, method = planar_arm(1.0, 0.7), TwoLinks()
    ik = InverseKinematics.of(arm.node(kido.EndEffector, "tip"))
    ik.error_method, ik.gradient_method = FREE, method
    ik.target.set_transform(pose(position=(x, y, 0.0)))
    ik.positions = [0.3, 0.4]
    return ik, method


def tip(q: Array) -> tuple[float, float]:
    a, b = q[0], q[0] + q[1]
    return float(np.cos(a) + 0.7 * np.cos(b)), float(np.sin(a) + 0.7 * np.sin(b))


def slides(count: int, *, limit: float = np.inf) -> InverseKinematics:
    """Slides, one after the other."""
    chain, body = kido.Skeleton("slides"), None
    for i in range(count):
        joint = kido.PrismaticJoint(f"s{i}", axis=np.eye(3)[i % 3])
        body = chain.add_body(f"b{i}", body, joint)
        limit_to(joint.dof(0), -limit, limit)
    assert body is not None
    return InverseKinematics.of(body)


def limit_to(dof: kido.DegreeOfFreedom, lower: float, upper: float) -> None:
    dof.position_lower_limit, dof.position_upper_limit = lower, upper


def rows(solutions: Sequence[AnalyticalSolution]) -> list[list[float]]:
    return [solution.positions.tolist() for solution in solutions]


# ---- order


def test_solutions_are_ranked_by_their_largest_change_as_in_the_chart_of_the_specification() -> None:
    ik = slides(5)
    ik.positions = present = np.array([0.2, -0.1, 0.4, 1.0, -2.0])
    chart = [[1.3, 1.2, 2.8, 0.6, 3.1], [0.1, 0.0, 0.2, 4.0, 0.0], [3.8, 5.3, 0.5, 2.3, 3.1]]
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        found = Listed(*(present + chart[i] for i in order)).solutions(ik)
        np.testing.assert_allclose(np.array(rows(found)) - present, chart)
        assert np.linalg.norm(chart[1]) < np.linalg.norm(chart[0])


def test_valid_solutions_come_first_then_those_out_of_reach_then_those_beyond_limits() -> None:
    ik = slides(1, limit=5.0)
    given = [
        AnalyticalSolution([6.0]),
        AnalyticalSolution([5.5], FAR),
        AnalyticalSolution([0.1], FAR),
        [4.0],
        AnalyticalSolution([0.5], BEYOND),
        [-3.0],
    ]
    found = Listed(*given).solutions(ik)
    assert rows(found) == [[-3.0], [4.0], [0.1], [0.5], [5.5], [6.0]]
    assert [one.validity for one in found] == [VALID, VALID, FAR, BEYOND, FAR | BEYOND, BEYOND]
    assert [one.is_valid for one in found] == [True, True, False, False, False, False]


def test_a_limit_is_no_violation_and_a_hair_beyond_it_is_put_on_it() -> None:
    ik = slides(1, limit=5.0)
    found = Listed([5.0 + 1e-10], [-5.0], [5.0 + 1e-8]).solutions(ik)
    assert sorted(rows(found)[:2]) == [[-5.0], [5.0]]
    assert [one.validity for one in found] == [VALID, VALID, BEYOND]


def test_solutions_are_ranked_by_a_comparison_of_ones_own() -> None:
    ik = slides(2)

    class Ascending(Listed):
        def better(self, a: FloatArray, b: FloatArray, ik: InverseKinematics) -> bool:
            assert ik.node.name == "b1"
            return bool(a.sum() < b.sum())

    far = AnalyticalSolution([-9.0, 0.0], FAR)
    found = Ascending([3.0, 0.0], [-2.0, 0.0], far, [0.0, -1.0], [1.0, 1.0]).solutions(ik)
    assert rows(found) == [[-2.0, 0.0], [0.0, -1.0], [1.0, 1.0], [3.0, 0.0], [-9.0, 0.0]]


def test_solutions_that_are_equally_good_stay_in_their_order() -> None:
    ik = slides(2)
    given = [[1.0, 0.0], [-1.0, 0.5], [0.5, 1.0]]
    assert rows(Listed(*given).solutions(ik)) == given

    class Same(Listed):
        def better(self, a: FloatArray, b: FloatArray, ik: InverseKinematics) -> bool:
            return False

    assert rows(Same(*given).solutions(ik)) == given


# ---- limits and turns


@pytest.mark.parametrize(
    ("present", "expected"), [(0.0, -0.2), (5.9, 2 * np.pi - 0.2), (-5.9, -0.2), (3.0, 2 * np.pi - 0.2)]
)
def test_angles_are_turned_into_limits_of_two_turns_nearest_to_the_present_ones(
    present: float, expected: float
) -> None:
    ik, _ = two_links(1.0, 0.0)
    limit_to(ik.dofs[0], -2 * np.pi, 2 * np.pi)
    ik.positions = [present, 0.0]
    for turns in (-2, 0, 1):
        (found,) = Listed([-0.2 + 2 * np.pi * turns, 0.0]).solutions(ik)
        assert found.positions[0] == pytest.approx(expected, abs=1e-12)
        assert found.is_valid


def test_an_angle_that_no_turn_brings_into_its_limits_is_tagged() -> None:
    ik, _ = two_links(1.0, 0.0)
    limit_to(ik.dofs[0], -0.1, 0.1)
    (found,) = Listed([0.3 + 4 * np.pi, 0.0]).solutions(ik)
    assert found.positions[0] == pytest.approx(0.3)
    assert found.validity == BEYOND


def test_rotations_of_ball_joints_slides_and_screws_are_not_turned() -> None:
    chain = kido.Skeleton("chain")
    first = chain.add_body("a", joint=kido.BallJoint("ball"))
    second = chain.add_body("b", first, kido.PrismaticJoint("slide"))
    third = chain.add_body("c", second, kido.ScrewJoint("screw", pitch=0.1))
    ik = InverseKinematics.of(third)
    given = [5.0, 0.0, 0.0, 7.0, 8.0]
    assert rows(Listed(given).solutions(ik)) == [given]


# ---- a method of two functions


def test_a_method_of_two_functions_solves_its_module_at_once() -> None:
    ik, method = two_links(0.9, 0.8)
    result = ik.solve()
    assert result.success and result.method == "TwoLinks" and "by TwoLinks" in result.message
    assert (result.start, result.iterations, method.calls) == (0, 0, 1)
    np.testing.assert_allclose(tip(result.positions), (0.9, 0.8), atol=1e-14)
    assert result.positions[1] > 0.0, "the bend that is nearer"
    np.testing.assert_array_equal(ik.positions, [0.3, 0.4])
    ik.positions = [1.5, -1.0]
    assert ik.solve().positions[1] < 0.0
    assert ik.solve_and_apply()
    np.testing.assert_allclose(ik.transform()[:2, 3], (0.9, 0.8), atol=1e-14)


def test_all_its_solutions_are_given_for_any_pose() -> None:
    ik, method = two_links(0.9, 0.8)
    for target in (None, pose(position=(-0.4, 1.1, 0.0))):
        found = method.solutions(ik, target)
        wanted = (0.9, 0.8) if target is None else (-0.4, 1.1)
        assert [one.validity for one in found] == [VALID, VALID]
        assert found[0].positions[1] == pytest.approx(-found[1].positions[1])
        for one in found:
            np.testing.assert_allclose(tip(one.positions), wanted, atol=1e-14)


def test_where_the_target_is_out_of_reach_the_nearest_is_the_answer() -> None:
    ik, method = two_links(3.0, 4.0)
    result = ik.solve()
    assert not result and result.status is kido.IKStatus.NOT_REACHED and method.calls == 1
    np.testing.assert_allclose(result.positions, [np.arctan2(4.0, 3.0), 0.0], atol=1e-15)
    assert result.linear_error == pytest.approx(5.0 - 1.7)
    assert result.message.endswith("out of reach")


def test_where_all_solutions_are_beyond_limits_the_answer_is_within_them() -> None:
    ik, _ = two_links(0.9, 0.8)
    bend = abs(ik.solve().positions[1])
    limit_to(ik.dofs[1], bend + 0.2, 3.0)
    ik.positions = [0.3, 2.0]
    result = ik.solve()
    assert not result and result.message.endswith("beyond the limits of the joints")
    assert result.positions[1] == pytest.approx(bend + 0.2)
    assert result.linear_error == pytest.approx(np.hypot(*(np.array(tip(result.positions)) - [0.9, 0.8])))
    assert not ik.solve_and_apply(allow_incomplete=False)
    np.testing.assert_array_equal(ik.positions, [0.3, 2.0])


def test_the_present_positions_are_the_answer_where_solutions_within_limits_come_less_near() -> None:
    ik = slides(1, limit=5.0)
    ik.target.set_transform(pose(position=(4.0, 0.0, 0.0)))
    ik.positions = [3.9]
    ik.gradient_method = Listed([-9.0])
    assert ik.solve().positions.tolist() == [3.9]
    ik.gradient_method = Listed([9.0], [-9.0])
    assert ik.solve().positions.tolist() == [3.9]
    ik.positions = [2.0]
    assert ik.solve().positions.tolist() == [5.0]


def test_a_solution_that_claims_to_reach_but_does_not_is_found_out() -> None:
    ik, _ = two_links(0.9, 0.8)
    ik.gradient_method = Listed([0.0, 0.0])
    result = ik.solve()
    assert not result and result.message.endswith("the solution does not reach it")
    assert result.linear_error == pytest.approx(np.hypot(1.7 - 0.9, 0.8))


def test_where_there_is_no_solution_at_all_the_dofs_stay() -> None:
    ik, _ = two_links(0.9, 0.8)
    ik.gradient_method = Listed()
    result = ik.solve()
    assert not result and result.message.endswith("there is no solution")
    np.testing.assert_array_equal(result.positions, [0.3, 0.4])
    np.testing.assert_array_equal(ik.gradient(), [0.0, 0.0])


def test_answers_for_many_targets_are_those_for_each() -> None:
    ik, method = two_links(0.9, 0.8)
    points = [(0.9, 0.8), (3.0, 4.0), (-1.0, 0.2)]
    results = ik.solve_batch([pose(position=(x, y, 0.0)) for x, y in points])
    assert method.calls == 3
    assert results.success.tolist() == [True, False, True] and results.method == "TwoLinks"
    for i, (x, y) in enumerate(points):
        ik.target.set_transform(pose(position=(x, y, 0.0)))
        single = ik.solve()
        np.testing.assert_array_equal(results.positions[i], single.positions)
        assert results[i].message == single.message


def test_a_clone_is_solved_by_the_same_method() -> None:
    ik, method = two_links(0.9, 0.8)
    copy = InverseKinematics.of(ik.node.skeleton.clone().node(kido.EndEffector, "tip"))
    assert copy.gradient_method is method
    copy.target.set_transform(pose(position=(0.2, -1.3, 0.0)))
    np.testing.assert_allclose(tip(copy.solve().positions), (0.2, -1.3), atol=1e-14)
    np.testing.assert_allclose(tip(ik.solve().positions), (0.9, 0.8), atol=1e-14)


def test_its_dofs_positions_are_read_and_set() -> None:
    ik, method = two_links(0.9, 0.8)
    np.testing.assert_array_equal(method.positions(ik), [0.3, 0.4])
    method.set_positions(ik, [0.5, -0.5])
    np.testing.assert_array_equal(ik.positions, [0.5, -0.5])
    with pytest.raises(ValueError, match=r"positions: expected shape \(2,\) \[rad, m\]"):
        method.set_positions(ik, [0.5])


# ---- as a gradient


def test_the_gradient_leads_from_the_best_solution_to_the_present_positions() -> None:
    ik, _ = two_links(0.9, 0.8)
    best = ik.solve().positions
    np.testing.assert_allclose(ik.gradient(), np.array([0.3, 0.4]) - best, atol=1e-14)
    ik.positions = best
    np.testing.assert_allclose(ik.gradient(), [0.0, 0.0], atol=1e-14)


def test_where_no_solution_is_valid_the_gradient_leads_to_what_comes_nearest_within_limits() -> None:
    ik, _ = two_links(3.0, 4.0)
    straight = np.array([np.arctan2(4.0, 3.0), 0.0])
    np.testing.assert_allclose(ik.gradient(), np.array([0.3, 0.4]) - straight, atol=1e-14)
    ik.positions = straight
    np.testing.assert_allclose(ik.gradient(), [0.0, 0.0], atol=1e-14)
    ik = slides(1, limit=5.0)
    ik.gradient_method = Listed([7.0], AnalyticalSolution([-9.0], FAR))
    ik.target.set_translation((6.0, 0.0, 0.0))
    ik.positions = [1.0]
    np.testing.assert_allclose(ik.gradient(), [1.0 - 5.0])
    ik.gradient_method = Listed()
    np.testing.assert_array_equal(ik.gradient(), [0.0])


def test_the_gradient_of_a_ball_joint_is_one_of_its_positions() -> None:
    chain = kido.Skeleton("chain")
    body = chain.add_body("a", joint=kido.BallJoint("ball"))
    ik = InverseKinematics.of(body)
    solution = np.array([0.9, -1.2, 0.5])
    ik.gradient_method = Listed(solution)
    ik.positions = present = np.array([-0.4, 0.8, 1.1])
    turn = Rotation.from_rotvec(present - ik.gradient())
    assert (turn.inv() * Rotation.from_rotvec(solution)).magnitude() < 1e-12
    ik.target.set_transform(pose(turned(*solution)))
    np.testing.assert_allclose(ik.solve().positions, solution, atol=1e-15)


def test_a_solver_of_ones_own_goes_the_way_of_the_gradient() -> None:
    ik, _ = two_links(0.9, 0.8)
    ik.solver = GradientDescentSolver(step_size=1.0, max_iterations=500, tolerance=1e-9)
    result = ik.solve()
    assert result.success and result.method == "GradientDescentSolver" and result.iterations <= 2
    np.testing.assert_allclose(tip(result.positions), (0.9, 0.8), atol=1e-9)


def test_a_module_with_an_objective_is_not_solved_at_once() -> None:
    ik, _ = two_links(0.9, 0.8)
    ik.objective = ModularFunction(lambda x: 0.0, lambda x: np.zeros(2))
    result = ik.solve()
    assert result.success and result.method == "search" and result.is_optimal


def test_a_module_whose_target_moves_with_its_dofs_is_not_solved_at_once() -> None:
    ik, _ = two_links(0.9, 0.8)
    ik.target = kido.SimpleFrame("on the first link", ik.node.skeleton.body("link0"))
    ik.target.set_transform(pose(position=(0.9, 0.8, 0.0)))
    result = ik.solve()
    assert result.method == "search"


# ---- clamp and weights


def test_clamp_and_weights_of_the_error_method_go_when_the_method_is_set() -> None:
    arm = planar_arm(1.0, 0.7)
    ik = InverseKinematics.of(arm.node(kido.EndEffector, "tip"))
    ik.error_method = weighted = replace(FREE, weights=[0.0, 0.4, 0.4, 1.0, 2.0, 0.0])
    ik.gradient_method = TwoLinks()
    assert ik.error_method == replace(weighted, weights=[0, 1, 1, 1, 1, 0], length_clamp=np.inf)
    ik.error_method = weighted
    assert ik.error_method == weighted and isinstance(ik.gradient_method, TwoLinks)


def test_an_error_method_of_ones_own_stays_when_the_method_is_set() -> None:
    class Height(kido.ik.ErrorMethod):
        def compute_error(self, ik: InverseKinematics) -> FloatArray:
            return ik.transform()[1:2, 3] - ik.target.transform()[1:2, 3]

    ik, _ = two_links(0.9, 0.8)
    ik.error_method = height = Height()
    ik.gradient_method = TwoLinks()
    assert ik.error_method is height
    assert ik.solve().success


def test_what_a_region_leaves_free_is_desired_where_it_is() -> None:
    ik = slides(3)
    ik.target.set_transform(pose(position=(1.0, 2.0, 3.0)))
    ik.positions = [7.0, 8.0, 9.0]
    seen = []

    class Read(Listed):
        def compute_solutions(
            self, ik: InverseKinematics, desired: FloatArray
        ) -> Iterable[AnalyticalSolution | ArrayLike]:
            seen.append(desired)
            return [desired[:3, 3]]

    ik.error_method, ik.gradient_method = TaskSpaceRegion(linear=[np.inf, 1e-6, 1e-6]), Read()
    assert ik.solve().positions.tolist() == [7.0, 2.0, 3.0]
    np.testing.assert_allclose(seen[0], pose(position=(7.0, 2.0, 3.0)))


# ---- bad input


@pytest.mark.parametrize(
    ("answers", "error", "message"),
    [
        ([[0.1, 0.2, 0.3]], ValueError, r"Listed.compute_solutions\[0\]: expected shape \(2,\) \[rad, m\]"),
        ([[0.1, 0.2], [0.1, np.nan]], ValueError, r"Listed.compute_solutions\[1\]: expected finite numbers"),
        ([AnalyticalSolution([1.0])], ValueError, r"Listed.compute_solutions\[0\]: expected shape \(2,\)"),
        (["left"], TypeError, r"Listed.compute_solutions\[0\]: expected numbers of shape"),
        (np.zeros((2, 3)), ValueError, r"Listed.compute_solutions: expected shape \(n, 2\)"),
        (None, TypeError, "Listed.compute_solutions: expected solutions or rows of positions, got NoneType"),
    ],
)
def test_what_a_method_of_ones_own_gives_is_checked(
    answers: object, error: type[Exception], message: str
) -> None:
    ik, _ = two_links(0.9, 0.8)
    method = Listed()
    method.answers = answers  # type: ignore[assignment]
    ik.gradient_method = method
    with pytest.raises(error, match=message):
        ik.solve()
    np.testing.assert_array_equal(ik.positions, [0.3, 0.4])


def test_the_dofs_of_a_method_of_ones_own_are_checked() -> None:
    ik, _ = two_links(0.9, 0.8)
    other = planar_arm(1.0).dofs[0]
    chosen: list[object] = []

    class Chosen(Listed):
        def analytical_dofs(self, ik: InverseKinematics) -> Sequence[kido.DegreeOfFreedom]:
            return chosen  # type: ignore[return-value]

    method, before = Chosen([0.0, 0.0]), ik.properties
    with pytest.raises(ValueError, match=r"expected one or more different dofs, got \[\]"):
        ik.gradient_method = method
    assert ik.properties is before
    chosen[:] = ik.dofs
    ik.gradient_method = method
    chosen[:] = [ik.dofs[0], ik.dofs[0]]
    with pytest.raises(ValueError, match=r"Chosen.analytical_dofs: expected one or more different dofs"):
        ik.solve()
    chosen[:] = ["q0"]
    with pytest.raises(TypeError, match=r"Chosen.analytical_dofs: expected degrees of freedom, got 'q0'"):
        ik.solve()
    chosen[:] = [other]
    with pytest.raises(ValueError, match=r"Chosen.analytical_dofs: 'q0' belongs to another skeleton"):
        ik.solve()


def test_what_is_no_pose_is_refused() -> None:
    ik, method = two_links(0.9, 0.8)
    with pytest.raises(ValueError, match=r"desired: expected shape \(4, 4\) \[m\], got \(2, 4, 4\)"):
        method.solutions(ik, np.tile(np.eye(4), (2, 1, 1)))
    with pytest.raises(ValueError, match="desired"):
        method.solutions(ik, 2.0 * np.eye(4))
    with pytest.raises(ValueError, match="validity: expected a Validity, got 4"):
        AnalyticalSolution([0.0], 4)
    with pytest.raises(ValueError, match=r"positions: expected finite numbers \[rad, m\]"):
        AnalyticalSolution([np.inf])
