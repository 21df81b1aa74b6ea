"""Every complementarity solver on every kind of problem: known solutions, honest results, bad input."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import numpy as np
import pytest
from _effort import examples
from _lcp_problems import (
    Array,
    Known,
    boxed,
    condition,
    contact,
    gram,
    impact,
    pyramid,
    solutions_by_enumeration,
    violation,
)
from _processes import interrupted
from scipy.optimize import lsq_linear

import kido
from kido import _core
from kido.lcp import (
    BoxedLCP,
    Dantzig,
    FirstSuccess,
    LCPResult,
    LCPSolver,
    LCPStatus,
    Lemke,
    ProjectedGaussSeidel,
    SemismoothNewton,
)
from kido.values import value


@value
class ActiveSet(LCPSolver):
    """A solver of a user's own: guesses which rows are at their bounds, and solves for the others."""

    @property
    def takes_cones(self) -> bool:
        return False

    def run(self, problem: BoxedLCP, x0: Array) -> tuple[Array, LCPStatus, str, int]:
        x, d = x0, np.where(np.diag(problem.A) > 0, np.diag(problem.A), 1.0)
        for k in range(min(self.max_iterations, 100)):
            low, high = problem.bounds(x)
            z = x - problem.w(x) / d
            at = np.clip(z, low, high)
            free = (z > low) & (z < high)
            right = -(problem.b + problem.A[:, ~free] @ at[~free])[free]
            at[free] = np.linalg.lstsq(problem.A[np.ix_(free, free)], right, rcond=None)[0]
            if np.array_equal(at, x):
                return np.clip(x, low, high), LCPStatus.SOLVED, "at rest", k + 1
            x = at
        return np.clip(x, *problem.bounds(x)), LCPStatus.MAX_ITERATIONS, "not at rest", 100


KINDS: dict[str, Callable[[np.random.Generator, int], Known]] = {
    "definite": boxed,
    "degenerate": lambda rng, n: boxed(rng, n, degenerate=0.5),
    "badly scaled": lambda rng, n: boxed(rng, n, spread=5.0),
    "redundant": lambda rng, n: boxed(rng, n, rank=(n + 1) // 2),
    "redundant and degenerate": lambda rng, n: boxed(rng, n, rank=(n + 1) // 3, degenerate=0.5),
    "pyramids": lambda rng, n: pyramid(rng, (n + 2) // 3, friction=0.3),
    "cones": lambda rng, n: contact(rng, (n + 2) // 3, friction=0.3),
}
EASY = frozenset({"definite", "degenerate", "badly scaled"})
ALL = frozenset(KINDS)


@dataclass(frozen=True)
class Kind:
    """A solver, what it has to solve, and how near it comes."""

    solver: LCPSolver
    kinds: frozenset[str]
    near: float = 1e-8


SOLVERS = {
    "Gauss-Seidel": Kind(
        ProjectedGaussSeidel(tolerance=1e-9, max_iterations=200_000), ALL - {"pyramids"}, near=1e-6
    ),
    "overrelaxed": Kind(
        ProjectedGaussSeidel(tolerance=1e-9, relaxation=1.2, max_iterations=200_000), EASY, near=1e-6
    ),
    "Dantzig": Kind(Dantzig(), ALL - {"cones"}),
    "Lemke": Kind(Lemke(), ALL - {"cones"}),
    "Newton": Kind(SemismoothNewton(), ALL),
    "first success": Kind(FirstSuccess(), ALL),
    "user's own": Kind(ActiveSet(), EASY - {"badly scaled"}),
}
every_solver = pytest.mark.parametrize("kind", SOLVERS.values(), ids=SOLVERS)
EXACT = ("Dantzig", "Lemke", "Newton", "first success")
SOLVABLE = [
    pytest.param(kind, make, id=f"{name}-{what}")
    for name, kind in SOLVERS.items()
    for what, make in KINDS.items()
    if what in kind.kinds
]


def require_solved(result: LCPResult, near: float = 1e-8) -> None:
    """Of a result, by the result itself and by the conditions as they are written."""
    assert result.success, (result.status, result.message, result.residual)
    assert result.check(1e-8) == ()
    assert violation(result.problem, result.x) < near


# ---- outcomes


@pytest.mark.parametrize(("kind", "make"), SOLVABLE)
def test_problems_with_a_known_solution_are_solved(
    kind: Kind, make: Callable[[np.random.Generator, int], Known]
) -> None:
    for seed in range(examples(25)):
        rng = np.random.default_rng(seed)
        known = make(rng, int(rng.integers(1, 25)))
        result = kind.solver.solve(known.problem)
        if isinstance(kind.solver, ProjectedGaussSeidel) and not result.success:
            # A sweep takes away a share of the error: the inverse of the condition number of what is inside.
            low, high = known.problem.bounds(result.x)
            assert result.status is LCPStatus.MAX_ITERATIONS
            sweeps = kind.solver.max_iterations
            assert condition(known.problem, (low < result.x) & (result.x < high)) > 0.02 * sweeps, seed
            continue
        require_solved(result)
        if known.is_unique:
            size = np.abs(known.x * np.sqrt(np.diag(known.problem.A))).max(initial=1e-9)
            assert np.abs((result.x - known.x) * np.sqrt(np.diag(known.problem.A))).max() < kind.near * size
        low, high = known.problem.bounds(result.x)
        constant = known.problem.friction_index < 0
        for cone in known.problem.cones:
            constant[list(cone.tangents)] = False
        assert ((low <= result.x) & (result.x <= high))[constant].all()


def test_gauss_seidel_solves_equations_that_almost_depend() -> None:
    """Those of loops that contradict each other, regularised: sweeps alone would take some 1e6."""
    for seed in range(examples(20)):
        rng = np.random.default_rng(seed)
        A, b = gram(rng, 12, 7) + 1e-5 * np.eye(12), rng.normal(size=12)
        lower = np.where(np.arange(12) < 9, -np.inf, 0.0)
        result = ProjectedGaussSeidel().solve(BoxedLCP(A, b, lower, np.inf))
        assert result.success, (seed, result.message, result.residual)
        free = result.x > lower
        assert (result.w[~free] > -1e-4).all()
        expected = np.linalg.solve(A[np.ix_(free, free)], -b[free])
        np.testing.assert_allclose(result.x[free], expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_gauss_seidel_leaves_circles_around_the_solution() -> None:
    """Of a point that slides along both tangents: bounds that follow the normal row throw it to and fro."""
    A = [
        [0.71442308, 0.66466382, 0.30719864],
        [0.66466382, 1.71249965, 0.23367808],
        [0.30719864, 0.23367808, 1.928161],
    ]
    b = np.array([-0.00268789, -0.00641452, -0.00419795])
    problem = BoxedLCP(A, b, [0, -1, -1], [np.inf, 1, 1], friction_index=[-1, 0, 0])
    result = ProjectedGaussSeidel().solve(problem, [0.00171164, 0.00171164, 0.0016271])
    assert result.success and result.iterations < 100
    normal = 0.00268789 / np.sum(A[0])  # w = 0 there, where both tangents are at their upper bounds
    np.testing.assert_allclose(result.x, [normal] * 3, rtol=1e-6)


@pytest.mark.parametrize("name", EXACT)
def test_redundant_rows_are_no_special_case(name: str) -> None:
    """What rounding leaves of rows that depend on others makes no ray, none infeasible, and no pivots."""
    found = (1983, 3703, 3932, 6186, 6450, 7227, 9786, 10528)  # rows without bounds that almost depend
    for seed in (*range(examples(700)), *found):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        problem = boxed(rng, n, rank=max(1, n // 3)).problem
        result = SOLVERS[name].solver.solve(problem)
        # Errors of the rows that pivots solve for are those of rounding times their condition number.
        free = np.isinf(problem.lower) & np.isinf(problem.upper)
        rounding = np.finfo(float).eps * condition(problem, free)
        assert result.success or result.residual <= rounding, (seed, result.status, result.message)


@every_solver
@pytest.mark.parametrize("n", [1, 2, 3, 10, 64, 101, 200])
def test_any_size_is_solved(kind: Kind, n: int) -> None:
    known = boxed(np.random.default_rng(n), n)
    result = kind.solver.solve(known.problem)
    require_solved(result)
    np.testing.assert_allclose(result.x, known.x, rtol=0, atol=kind.near * 10)


@every_solver
def test_definite_problems_have_the_solution_of_bounded_least_squares(kind: Kind) -> None:
    for seed in range(examples(10)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        A, b = gram(rng, n), rng.normal(size=n)
        lower, upper = -rng.uniform(0, 1, n), rng.uniform(0.1, 1, n)
        L = np.linalg.cholesky(A)
        found = lsq_linear(L.T, -np.linalg.solve(L, b), (lower, upper), method="bvls", tol=1e-14)
        result = kind.solver.solve(BoxedLCP(A, b, lower, upper))
        np.testing.assert_allclose(result.x, found.x, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", EXACT)
def test_solutions_of_pyramids_are_among_all_that_there_are(name: str) -> None:
    for seed in range(examples(6)):
        rigid = impact(np.random.default_rng(seed), 2, friction=0.7)
        problem = BoxedLCP.contacts(rigid.A + 0.1 * np.eye(6), rigid.b, 0.7, pyramid=True)
        all_of_them = solutions_by_enumeration(problem)
        result = SOLVERS[name].solver.solve(problem)
        require_solved(result)
        assert min(np.abs(result.x - x).max() for x in all_of_them) < 1e-8


@pytest.mark.parametrize("name", ["Lemke", "first success"])
@pytest.mark.parametrize("friction", [0.0, 0.5, 1.0, 3.0])
def test_impacts_with_redundant_contacts_are_always_solved_with_pyramids(name: str, friction: float) -> None:
    for seed in range(examples(15)):
        problem = impact(np.random.default_rng(seed), 8, bodies=2, friction=friction, pyramid=True)
        require_solved(SOLVERS[name].solver.solve(problem))


def test_impacts_with_redundant_contacts_are_solved_with_cones() -> None:
    for seed in range(examples(30)):
        problem = impact(np.random.default_rng(seed), 8, bodies=2, friction=0.5)
        require_solved(SemismoothNewton().solve(problem))


@pytest.mark.parametrize("name", EXACT)
def test_results_of_methods_that_are_exact_are_exact_to_rounding(name: str) -> None:
    for seed in range(examples(10)):
        known = boxed(np.random.default_rng(seed), 30, spread=3.0)
        result = SOLVERS[name].solver.solve(known.problem)
        assert result.residual < 1e-15
        np.testing.assert_allclose(result.x, known.x, rtol=1e-10)


def contradictory_contact() -> BoxedLCP:
    """A row that pushes nothing away, and an equation."""
    return BoxedLCP([[0.0, 0.0], [0.0, 1.0]], [-1.0, 0.5], [0.0, -np.inf])


def contradictory_equations() -> BoxedLCP:
    """The same equation twice, with two right sides."""
    return BoxedLCP(np.ones((2, 2)), [1.0, 2.0], -np.inf)


def opposite_walls() -> BoxedLCP:
    """Two rows that push a body in opposite directions, and want it to move in both."""
    return BoxedLCP([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])


@every_solver
@pytest.mark.parametrize("build", [contradictory_contact, contradictory_equations, opposite_walls])
def test_a_problem_without_solution_is_told(kind: Kind, build: Callable[[], BoxedLCP]) -> None:
    solver = kind.solver.clone(max_iterations=500)
    result = solver.solve(build())
    assert not result.success
    assert result.residual > 1e-3
    assert np.isfinite(result.x).all()
    assert result.check()[0].startswith("status: ")
    assert result.iterations <= 600
    if type(solver) in (Dantzig, Lemke, FirstSuccess):
        assert result.status is LCPStatus.INFEASIBLE


def test_solvable_problems_are_never_called_infeasible() -> None:
    for seed in range(examples(60)):
        problem = pyramid(np.random.default_rng(seed), 6, bodies=1, friction=2.0).problem
        for solver in (Dantzig(), Lemke()):
            assert solver.solve(problem).status is not LCPStatus.INFEASIBLE
    singular = pyramid(np.random.default_rng(416), 6, bodies=1, friction=2.0, themselves=True).problem
    assert Dantzig().solve(singular).status is not LCPStatus.INFEASIBLE


@every_solver
def test_iterations_that_run_out_are_told(kind: Kind) -> None:
    rng = np.random.default_rng(2)
    problem = BoxedLCP(gram(rng, 80, 80), rng.normal(size=80))
    if isinstance(kind.solver, FirstSuccess):
        solver: LCPSolver = FirstSuccess([Dantzig(max_iterations=1), ProjectedGaussSeidel(max_iterations=1)])
    else:
        solver = kind.solver.clone(max_iterations=1)
    result = solver.solve(problem)
    assert not result.success and result.status is LCPStatus.MAX_ITERATIONS
    assert np.isfinite(result.x).all()


@every_solver
def test_time_that_runs_out_is_told(kind: Kind) -> None:
    if isinstance(kind.solver, FirstSuccess | ActiveSet):
        return
    problem = boxed(np.random.default_rng(3), 150, rank=100).problem
    result = kind.solver.clone(time_budget=1e-9).solve(problem)
    assert result.status is LCPStatus.TIME_OUT and result.message == "time budget spent"


@every_solver
def test_a_problem_without_rows_is_solved(kind: Kind) -> None:
    result = kind.solver.solve(BoxedLCP(np.zeros((0, 0)), []))
    assert result.success and result.x.shape == result.w.shape == (0,)
    assert result.residual == 0.0 and result.check() == ()


@every_solver
def test_rows_that_nothing_moves_are_at_the_bound_that_their_sign_asks_for(kind: Kind) -> None:
    problem = BoxedLCP(np.zeros((4, 4)), [1.0, -1.0, 0.0, 3.0], [-2, -2, -2, 0.5], [5, 5, 5, 0.5])
    if isinstance(kind.solver, ActiveSet):
        return
    result = kind.solver.solve(problem)
    require_solved(result)
    assert result.x.tolist()[:2] == [-2.0, 5.0] and result.x[3] == 0.5


@pytest.mark.parametrize("name", EXACT)
def test_numbers_of_any_size_are_solved(name: str) -> None:
    known = boxed(np.random.default_rng(4), 12)
    for size in (1e-150, 1e-12, 1e12, 1e150):
        p = known.problem
        problem = BoxedLCP(p.A * size, p.b * size, p.lower, p.upper)
        result = SOLVERS[name].solver.solve(problem)
        assert result.success
        np.testing.assert_allclose(result.x, known.x, atol=1e-12)


@every_solver
def test_what_is_too_small_to_be_rounded_as_other_numbers_counts_as_solved(kind: Kind) -> None:
    """Rounding leaves 5e-324 of numbers below 2e-308, which is much beside a b of 1e-317."""
    if isinstance(kind.solver, ActiveSet):
        return
    known = boxed(np.random.default_rng(4), 12).problem
    problem = BoxedLCP(known.A, 4e-317 * known.b, 0.0)
    result = kind.solver.solve(problem)
    assert result.success
    assert np.abs(result.x).max() < 1e-300
    assert BoxedLCP(np.eye(2), [-1e-280, 0.0]).residual([0.0, 0.0]) == 1.0


@pytest.mark.parametrize("name", ["Lemke", "Newton"])
def test_matrices_that_are_not_symmetric_are_solved(name: str) -> None:
    for seed in range(examples(20)):
        rng = np.random.default_rng(seed)
        n = 9
        skew = rng.normal(size=(n, n))
        A = gram(rng, n) + 0.3 * (skew - skew.T)
        x, w = np.maximum(rng.normal(size=n), 0.0), np.zeros(n)
        w[x == 0] = rng.uniform(0.1, 1.0, (x == 0).sum())
        result = SOLVERS[name].solver.solve(BoxedLCP(A, w - A @ x))
        require_solved(result)
        np.testing.assert_allclose(result.x, x, atol=1e-10)


def test_lemke_ends_at_a_ray_of_a_bimatrix_game_and_says_so() -> None:
    """Of a game with costs P and Q above zero: nothing can block the variable that follows the first, for the
    diagonal is zero. The game has equilibria all the same."""
    for seed in range(5):
        P, Q = np.random.default_rng(seed).uniform(1.0, 2.0, (2, 3, 2))
        problem = BoxedLCP(np.block([[np.zeros((3, 3)), P], [Q.T, np.zeros((2, 2))]]), -np.ones(5))
        result = Lemke().solve(problem)
        assert not result.success
        assert result.status is LCPStatus.STALLED and "ray" in result.message
        found = solutions_by_enumeration(problem)
        assert found
        for x in found:
            y, z = x[:3] / x[:3].sum(), x[3:] / x[3:].sum()
            assert (P @ z >= y @ P @ z - 1e-12).all() and (Q.T @ y >= y @ Q @ z - 1e-12).all()


def test_ties_of_lemke_are_broken_as_if_b_were_moved_by_powers_of_something_small() -> None:
    """The lexicographic rule, by what it stands for: the path is that of a problem without ties."""
    moved, longer = 1e-3 ** np.arange(1, 5), 0
    for seed in (*range(examples(3000)), 27927):  # the last: thirds that rounding would have decided
        rng = np.random.default_rng(seed)
        J, S = rng.integers(-1, 2, (2, 4, 4))
        A, b = (J @ J.T + S - S.T).astype(float), -rng.integers(0, 2, 4).astype(float)
        plain, other = Lemke().solve(BoxedLCP(A, b)), Lemke().solve(BoxedLCP(A, b + moved))
        # It may end sooner: where the path could end, in a tie, it does.
        assert plain.iterations <= other.iterations, seed
        assert plain.success == other.success
        longer += plain.iterations < other.iterations
    assert longer < 0.1 * examples(3000)


@pytest.mark.parametrize("make", [contact, pyramid])
def test_newton_converges_quadratically_near_a_solution(make: Callable[..., Known]) -> None:
    """Wrong derivatives would be made good for by sweeps, one decimal after the other."""
    for seed in range(examples(30)):
        rng = np.random.default_rng(seed)
        known = make(rng, 4)
        start = known.x + 1e-4 * rng.normal(size=12)
        result = SemismoothNewton().solve(known.problem, start)
        assert result.residual < 1e-13 and result.iterations <= 4


def test_a_normal_row_that_goes_to_its_other_bound_takes_its_friction_along() -> None:
    """A wedge that is let go: one step of Newton's method, from where it was pressed."""
    problem = BoxedLCP(np.eye(2), [4.0, 9.0], [3.0, -0.4], [80.0, 0.4], friction_index=[-1, 0])
    result = SemismoothNewton().solve(problem, [80.0, -32.0])
    np.testing.assert_allclose(result.x, [3.0, -1.2])
    for start in ([3.0, -1.2], [80.0, -32.0], [80.0, 32.0]):
        assert SemismoothNewton().solve(problem, start).iterations <= 1


@every_solver
def test_without_b_and_bounds_that_push_the_solution_is_zero(kind: Kind) -> None:
    problem = BoxedLCP([[2.0, 1.0], [1.0, 2.0]], [0.0, 0.0], -np.inf)
    result = kind.solver.solve(problem, [1.0, -3.0])
    if isinstance(kind.solver, ActiveSet):
        return
    assert result.success and result.x.tolist() == [0.0, 0.0] and result.residual == 0.0


# ---- starts, batches, threads, copies


@pytest.mark.parametrize("name", ["Gauss-Seidel", "Dantzig", "Newton"])
def test_a_start_near_the_solution_saves_iterations(name: str) -> None:
    solver, cold, warm = SOLVERS[name].solver, 0, 0
    for seed in range(examples(10)):
        problem = boxed(np.random.default_rng(seed), 40).problem
        first = solver.solve(problem)
        moved = BoxedLCP(problem.A, problem.b + 1e-6, problem.lower, problem.upper)
        cold += solver.solve(moved).iterations
        again = solver.solve(moved, first.x)
        require_solved(again)
        warm += again.iterations
    assert warm < 0.7 * cold


@every_solver
def test_a_start_outside_the_bounds_does_no_harm(kind: Kind) -> None:
    known = boxed(np.random.default_rng(6), 15)
    result = kind.solver.solve(known.problem, np.full(15, 1e3))
    require_solved(result)
    np.testing.assert_allclose(result.x, known.x, atol=1e-5)


@every_solver
@pytest.mark.usefixtures("runtime")
def test_batches_on_threads_give_the_bits_of_single_solves(kind: Kind) -> None:
    known = [boxed(np.random.default_rng(seed), 5 + seed % 40) for seed in range(60)]
    problems = [k.problem for k in known]
    starts = [k.x + 0.01 for k in known]
    kido.set_num_threads(1)
    expected = tuple(kind.solver.solve(p, x0) for p, x0 in zip(problems, starts, strict=True))
    for threads in (1, 2):
        kido.set_num_threads(threads)
        assert kind.solver.solve_batch(problems, starts) == expected
    assert kind.solver.solve_batch([]) == ()


@every_solver
@pytest.mark.usefixtures("runtime")
def test_every_instruction_set_gives_the_same_bits(kind: Kind) -> None:
    if isinstance(kind.solver, ActiveSet):
        return
    make = contact if kind.solver.takes_cones else pyramid
    problems = [boxed(np.random.default_rng(1), 37).problem, make(np.random.default_rng(2), 7).problem]
    found = []
    for instructions in _core.instruction_sets():
        _core.set_instruction_set(instructions)
        found.append(kind.solver.solve_batch(problems))
    assert all(answer == found[0] for answer in found)


@every_solver
def test_solvers_and_results_are_values(kind: Kind) -> None:
    problem = boxed(np.random.default_rng(7), 8).problem
    solver = pickle.loads(pickle.dumps(kind.solver))
    assert solver == kind.solver and hash(solver) == hash(kind.solver)
    result = kind.solver.solve(problem)
    assert solver.solve(problem) == result == pickle.loads(pickle.dumps(result))
    assert result.problem is problem
    assert not result.x.flags.writeable and not result.w.flags.writeable
    assert solver.clone(tolerance=1e-3) != solver
    with pytest.raises(FrozenInstanceError):
        solver.tolerance = 1.0


@every_solver
def test_problems_are_left_as_they_are(kind: Kind) -> None:
    problem = boxed(np.random.default_rng(8), 8).problem
    copy = pickle.loads(pickle.dumps(problem))
    x0 = np.ones(8)
    kind.solver.solve(problem, x0)
    assert problem == copy and np.array_equal(x0, np.ones(8))


ENDLESS = """
import numpy as np
from kido.lcp import BoxedLCP, ProjectedGaussSeidel
A = np.ones((300, 300)) + 1e-9 * np.eye(300)
problem = BoxedLCP(A, np.arange(300.0), -np.inf)
print("begin", flush=True)
try:
    ProjectedGaussSeidel(tolerance=1e-300, max_iterations=2**31 - 1).solve(problem)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_a_solve() -> None:
    seconds, said = interrupted(ENDLESS)
    assert said == "interrupted\n"
    assert seconds < 3.0


# ---- who answered


def test_the_first_solver_that_succeeds_answers() -> None:
    known = boxed(np.random.default_rng(9), 10)
    weak = ProjectedGaussSeidel(max_iterations=1)
    result = FirstSuccess([weak, Dantzig()]).solve(known.problem)
    assert result.success and result.solver == "Dantzig"
    none = FirstSuccess([weak, weak.clone(max_iterations=2)]).solve(known.problem)
    single = weak.clone(max_iterations=2).solve(known.problem)
    assert none.solver == "ProjectedGaussSeidel" and none.residual == single.residual


def test_solvers_that_cannot_take_a_problem_are_passed_over() -> None:
    cones = contact(np.random.default_rng(10), 3).problem
    assert FirstSuccess().solve(cones).solver == "SemismoothNewton"
    lopsided = BoxedLCP([[2.0, 1.0], [0.0, 2.0]], [-1.0, -1.0])
    assert FirstSuccess().solve(lopsided).solver == "Lemke"
    with pytest.raises(ValueError, match="problem: FirstSuccess takes no cones, got 3"):
        FirstSuccess([Dantzig(), Lemke()]).solve(cones)
    with pytest.raises(ValueError, match="problem: FirstSuccess needs a symmetric A"):
        FirstSuccess([Dantzig()]).solve(lopsided)


@value
class Boastful(LCPSolver):
    """Claims that whatever it gives is a solution."""

    given: Any = None

    def run(self, problem: BoxedLCP, x0: Array) -> tuple[Array, LCPStatus, str, int]:
        return self.given


def test_a_solver_that_claims_what_is_not_so_is_not_believed() -> None:
    problem = BoxedLCP(np.eye(2), [-1.0, 1.0])
    claimed = LCPStatus.SOLVED, "done", 1
    wrong = Boastful(given=((0.5, 0.0), *claimed)).solve(problem)
    assert wrong.status is LCPStatus.STALLED and wrong.message.startswith("done; the residual is 0.")
    right = Boastful(given=((1.0, 0.0), LCPStatus.MAX_ITERATIONS, "tired", 1)).solve(problem)
    assert right.status is LCPStatus.SOLVED
    assert Boastful(given=((np.nan, 0.0), *claimed)).solve(problem).status is LCPStatus.FAILED


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (None, TypeError, "Boastful.run: expected x .*, got None"),
        (((1.0, 0.0), "solved", "", 1), TypeError, "Boastful.run: expected x"),
        (((1.0,), LCPStatus.SOLVED, "", 1), ValueError, r"Boastful.run: expected shape \(2,\), got \(1,\)"),
        ((("a", "b"), LCPStatus.SOLVED, "", 1), TypeError, "real numbers"),
    ],
)
def test_a_solver_of_the_users_own_that_returns_the_wrong_thing_is_named(
    given: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Boastful(given=given).solve(BoxedLCP(np.eye(2), [-1.0, 1.0]))


# ---- bad input


@every_solver
def test_what_is_no_problem_is_refused(kind: Kind) -> None:
    with pytest.raises(TypeError, match=r"^problem: expected a BoxedLCP, got 'problem'$"):
        kind.solver.solve("problem")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^problems: expected a BoxedLCP, got 1$"):
        kind.solver.solve_batch([1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^problems: expected an iterable, got 3"):
        kind.solver.solve_batch(3)  # type: ignore[arg-type]


@every_solver
def test_starts_that_do_not_fit_are_refused(kind: Kind) -> None:
    problem = BoxedLCP(np.eye(3), np.ones(3))
    with pytest.raises(ValueError, match=r"^x0: expected shape \(3,\), got \(2,\)"):
        kind.solver.solve(problem, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"^x0: expected finite numbers"):
        kind.solver.solve(problem, [1.0, np.nan, 0.0])
    with pytest.raises(ValueError, match=r"^x0: expected one for each of 2 problems, got 1"):
        kind.solver.solve_batch([problem, problem], [np.zeros(3)])


@every_solver
@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ({"tolerance": 0.0}, ValueError),
        ({"tolerance": np.nan}, ValueError),
        ({"tolerance": "small"}, TypeError),
        ({"max_iterations": 0}, ValueError),
        ({"max_iterations": 2**31}, ValueError),
        ({"max_iterations": 1.5}, TypeError),
        ({"time_budget": 0.0}, ValueError),
        ({"time_budget": np.inf}, ValueError),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_named(
    kind: Kind, setting: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=f"^{next(iter(setting))}: expected "):
        kind.solver.clone(**setting)


@pytest.mark.parametrize("relaxation", [0.0, 2.0, -1.0, np.inf])
def test_relaxation_that_cannot_converge_is_refused(relaxation: float) -> None:
    with pytest.raises(ValueError, match=r"^relaxation: expected "):
        ProjectedGaussSeidel(relaxation=relaxation)


def test_no_solver_and_what_is_none_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^solvers: expected at least one solver, got none"):
        FirstSuccess([])
    with pytest.raises(TypeError, match=r"^solvers: expected a LCPSolver"):
        FirstSuccess([Dantzig])  # type: ignore[list-item]


@pytest.mark.parametrize("name", ["Dantzig", "Lemke", "user's own"])
def test_cones_are_refused_by_solvers_that_take_none(name: str) -> None:
    problem = contact(np.random.default_rng(11), 2).problem
    with pytest.raises(ValueError, match=r"takes no cones, got 2; problem.with_pyramids\(\) has none"):
        SOLVERS[name].solver.solve(problem)


def test_dantzig_says_what_matrices_it_takes() -> None:
    with pytest.raises(ValueError, match="problem: Dantzig needs a symmetric A; Lemke takes any"):
        Dantzig().solve(BoxedLCP([[1.0, 0.5], [0.0, 1.0]], [-1.0, -1.0]))
    indefinite = Dantzig().solve(BoxedLCP([[1.0, 2.0], [2.0, 1.0]], [-1.0, -1.0], -np.inf))
    assert indefinite.status is LCPStatus.FAILED or indefinite.success
    negative = Dantzig().solve(BoxedLCP([[-1.0]], [-1.0]))
    assert negative.status is LCPStatus.FAILED and "positive semidefinite" in negative.message
