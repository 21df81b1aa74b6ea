"""Postures under constraints."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kido.ik._posture._attempt import Attempt
from kido.ik._posture._constraint_list import ConstraintList
from kido.ik._posture._foreign_solver import problem_of, solve_by
from kido.ik._posture._layout import Layout, checked_skeletons
from kido.ik._posture._native_term import NativeTerm
from kido.ik._posture._program import Program
from kido.ik._posture._result import ConstraintViolation, PostureResult, PostureStatus
from kido.ik._posture._term import PostureTerm
from kido.optimize import Problem, Solver
from kido.skeleton import DegreeOfFreedom, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_positive, checked_whole

__all__ = ["PostureProblem"]

DofKey = str | int | DegreeOfFreedom

_NativeTerms = dict[int, tuple[PostureTerm, list[NativeTerm]]]
"""Terms by their ids, and what native code takes of them."""

_ROWS = 0.5
"""Part of the tolerance that rows may miss: the length of three of them is what users see."""

_RANK = ("solved", "stalled", "max_iterations", "time_out", "infeasible", "failed")


class _Settings(NamedTuple):
    """Of native searches, in the order of their arguments."""

    max_iterations: int
    max_escapes: int
    tolerance: float
    optimality: float


class _Plan(NamedTuple):
    """Of starts: how many at most, how many that are to be solved, until when [s], what rows may miss."""

    starts: int
    solutions: int
    deadline: float
    tolerance: float


class PostureProblem(ConstraintList):
    """Positions of skeletons that satisfy constraints, and cost little.

    Limits of joints hold, locked dofs stand still, followers of mimic joints go with their leaders. Ball and
    free joints move along their groups, so that no unknown has to be a unit quaternion.

    ```python
    problem = kido.ik.PostureProblem(robot)
    problem.add_position_constraint(hand, target, target)
    result = problem.solve()
    ```
    """

    __slots__ = (
        "_dofs",
        "_frozen",
        "_held",
        "_layout",
        "_limited",
        "_made",
        "_program",
        "_skeletons",
        "_state",
    )

    def __init__(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        *,
        dofs: Sequence[DofKey] | None = None,
        frozen: Sequence[DofKey] = (),
        with_joint_limits: bool = True,
    ) -> None:
        """A problem without constraints and costs.

        Args:
            skeletons: one or several, of different names; what stands around them is one without dofs.
            dofs: that may move, by themselves, names or indices among all; None: all but locked ones.
            frozen: that stand still.
            with_joint_limits: whether the limits of joints hold.

        Raises TypeError, ValueError, IndexError or UnknownNameError naming the argument.
        """
        super().__init__()
        self._skeletons = checked_skeletons(skeletons)
        if not isinstance(with_joint_limits, bool):
            raise TypeError(f"with_joint_limits: expected True or False, got {with_joint_limits!r}")
        self._limited = with_joint_limits
        self._layout: Layout | None = None
        self._made: _NativeTerms = {}
        self._state: Any = None
        self._program: Program | None = None
        self._held: tuple[Any, list[float]] = ((), [])
        self._dofs: tuple[int, ...] | None = None
        self._frozen: tuple[int, ...] = ()
        if dofs is not None or len(frozen):
            layout = Layout(self._skeletons)
            self._dofs = None if dofs is None else tuple(layout.dof_index("dofs", key) for key in dofs)
            self._frozen = tuple(layout.dof_index("frozen", key) for key in frozen)
        self._current_layout()

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """Whose positions are looked for."""
        return self._skeletons

    @property
    def num_dofs(self) -> int:
        """Dofs of all skeletons."""
        return sum(skeleton.num_dofs for skeleton in self._skeletons)

    @property
    def positions(self) -> FloatArray:
        """Positions (num_dofs,) of the skeletons, one after the other [rad, m]."""
        return np.concatenate([np.zeros(0), *(skeleton.positions for skeleton in self._skeletons)])

    def set_positions(self, positions: ArrayLike | PostureResult) -> None:
        """Move the skeletons to positions (num_dofs,), or those of a result [rad, m].

        Raises TypeError or ValueError for another shape.
        """
        given = positions.positions if isinstance(positions, PostureResult) else positions
        q, first = frozen_array("positions", given, (self.num_dofs,), "rad, m"), 0
        for skeleton in self._skeletons:
            skeleton.positions = q[first : first + skeleton.num_dofs]
            first += skeleton.num_dofs

    # ---- solving

    def solve(
        self,
        seed: ArrayLike | None = None,
        *,
        solver: Solver | None = None,
        max_starts: int = 50,
        max_escapes: int = 8,
        max_iterations: int = 200,
        tolerance: float = 1e-6,
        optimality: float = 1e-3,
        time_budget: float | None = 5.0,
        random_seed: int = 0,
        best_of: int = 1,
    ) -> PostureResult:
        """Positions that satisfy all constraints, and, where there are costs, a local minimum of them.

        Sequential quadratic programming from the seed; where that is stuck, after leaps, and from random
        starts within the limits, every other one from where iterations ran out within the constraints.
        With `max_escapes=0` and `max_starts=1` the answer is connected with the seed. The skeletons stay
        where they are.

        Args:
            seed: (num_dofs,) to begin with [rad, m]; None: where the skeletons stand.
            solver: of kido.optimize, instead of kido's own; its settings are then what counts.
            max_starts: how many starts at most, the seed being the first.
            max_escapes: how often each start may leave a posture where it is stuck, by a leap that is the
                same at every call; 0: none, so that a solution is connected with its start.
            max_iterations: of each start.
            tolerance: by how much constraints may be broken, each in its unit, forces and torques in weights
                of the skeleton (times 1 m), above 0.
            optimality: what may be left of the gradient of the Lagrangian, relative to the larger of 1 and
                that of the cost. Curvature of constraints is learned: small numbers take many iterations.
            time_budget: after which no start begins and the last one ends [s]; None: none.
            random_seed: of the random starts; the same one gives the same result.
            best_of: how many starts shall end in solutions, of which the cheapest is given.

        Raises TypeError or ValueError naming the argument, and what functions of your own raise.
        """
        began = time.perf_counter()
        budget = np.inf if time_budget is None else checked_positive("time_budget", time_budget, "s")
        limit = _count("max_iterations", max_iterations)
        leaps = _whole("max_escapes", max_escapes)
        eps, opt = checked_positive("tolerance", tolerance), checked_positive("optimality", optimality)
        most, wanted = _count("max_starts", max_starts), _count("best_of", best_of)
        draws = _whole("random_seed", random_seed)
        program, q0 = self._begun(seed)
        if solver is not None:
            found = solve_by(solver, program, q0)
            return self._result(program, found, eps, began, 1)
        settings = _Settings(limit, leaps, _ROWS * eps, opt)
        best, starts = _search(program, q0, settings, _Plan(most, wanted, began + budget, eps), draws)
        return self._result(program, best, eps, began, starts)

    def _result(
        self, program: Program, found: Attempt, eps: float, began: float, starts: int
    ) -> PostureResult:
        q, status = found.positions, PostureStatus(found.status)
        violation, cost = found.shown, found.cost
        broken: list[ConstraintViolation] = []
        conflict: tuple[str, ...] = ()
        contradict = violation <= eps and not program.keeps_limits(q)  # limits of a leader and its follower
        if contradict or not violation <= eps:
            broken, cost = program.violations(q, found.forces)
            sizes = [one.relative for one in broken]
            violation = float(np.max(sizes)) if sizes else 0.0  # NaN where one is
            if status is PostureStatus.SOLVED and not violation <= eps:
                status = PostureStatus.INFEASIBLE if contradict else PostureStatus.FAILED
            if not violation <= eps:
                conflict = program.conflict(found)
        return PostureResult(
            q,
            self._names(),
            (found.forces * program.force_units).reshape(-1, 3),
            status,
            cost,
            violation,
            tuple(one for one in broken if not one.relative <= eps),
            conflict,
            float(found.stationarity),
            eps,
            found.iterations,
            found.evaluations,
            starts,
            time.perf_counter() - began,
            found.message,
        )

    def _names(self) -> tuple[str, ...]:
        if len(self._skeletons) == 1:
            return tuple(self._skeletons[0].tree.dof_names)
        return tuple(f"{s.name}.{name}" for s in self._skeletons for name in s.tree.dof_names)

    # ---- looking

    def violations(
        self, positions: ArrayLike | None = None, *, forces: ArrayLike | None = None
    ) -> tuple[ConstraintViolation, ...]:
        """Constraints and limits that positions (num_dofs,) break, by how much [rad, m].

        Args:
            positions: None: where the skeletons stand.
            forces: (k, 3) at the contacts [N]; None: equal ones.

        Raises TypeError or ValueError for other shapes.
        """
        program, q = self._compiled("positions", positions)
        extra = program.first_forces
        if forces is not None:
            extra = (
                frozen_array("forces", forces, (program.extras // 3, 3), "N").ravel() / program.force_units
            )
        return tuple(program.violations(q, extra)[0])

    def cost(self, positions: ArrayLike | None = None) -> float:
        """Sum of the costs at positions (num_dofs,) [rad, m]; None: where the skeletons stand.

        Raises TypeError or ValueError for another shape.
        """
        program, q = self._compiled("positions", positions)
        return program.violations(q, program.first_forces)[1]

    def as_problem(self, seed: ArrayLike | None = None) -> Problem:
        """The problem of kido.optimize that other solvers get.

        Unknowns (n,) are positions of the dofs that move [rad, m], then forces in weights.

        Raises TypeError or ValueError for a seed of another shape.
        """
        return problem_of(*self._begun(seed))

    # ---- compiling and copies

    def _require(self, terms: tuple[PostureTerm, ...]) -> None:
        if terms:
            layout = self._current_layout()
            for term in terms:
                self._made[id(term)] = term, term.native_terms(layout, 0)
        self._program = None

    def _current_layout(self) -> Layout:
        state = [(s.tree, s.leading_dofs, s.locked_dofs) for s in self._skeletons]
        if self._layout is None or state != self._state:
            self._layout = Layout(self._skeletons, dofs=self._dofs, frozen=self._frozen)
            self._state, self._program, self._made = state, None, {}
        return self._layout

    def _compiled(self, name: str, positions: ArrayLike | None) -> tuple[Program, FloatArray]:
        """The program and given positions, where pinned dofs stay."""
        layout = self._current_layout()
        q = layout.checked_positions(name, positions)
        loads = tuple(term.loads(self._skeletons) for term in self.constraints)
        pins = q[list(layout.pinned)].tolist()
        if self._program is None or (loads, pins) != self._held:
            self._held = loads, pins
            self._made = self._lasting_terms(loads)
            made = {key: native for key, (_, native) in self._made.items()}
            self._program = Program(
                layout, self.constraints, self.costs, with_limits=self._limited, seed=q, made=made
            )
        return self._program, q

    def _lasting_terms(self, loads: tuple[object, ...]) -> _NativeTerms:
        """Native terms of present constraints and costs that depend on nothing besides the layout."""
        terms = (*(c for c, load in zip(self.constraints, loads, strict=True) if load is None), *self.costs)
        return {id(t): self._made[id(t)] for t in terms if id(t) in self._made and not t.num_extras}

    def _begun(self, seed: ArrayLike | None) -> tuple[Program, FloatArray]:
        """The program, and positions to begin with, of followers too."""
        program, q = self._compiled("seed", seed)
        return program, program.start(q)

    def __copy__(self) -> PostureProblem:
        """Another one of the same skeletons, with the same constraints and costs."""
        return self._of(self._skeletons)

    def clone(self, skeletons: Skeleton | Iterable[Skeleton] | None = None) -> PostureProblem:
        """The same problem of other skeletons of the same names, as clones; None: of clones of its own.

        Raises TypeError or ValueError for skeletons that lack what constraints name.
        """
        given = [s.clone() for s in self._skeletons] if skeletons is None else skeletons
        return self._of(checked_skeletons(given))

    def _of(self, skeletons: tuple[Skeleton, ...]) -> PostureProblem:
        made = PostureProblem(
            skeletons, dofs=self._dofs, frozen=self._frozen, with_joint_limits=self._limited
        )
        made._set(self.constraints, self.costs)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> PostureProblem:
        return self.clone()

    def __reduce__(self) -> Any:
        state = (self._skeletons, self._dofs, self._frozen, self._limited, self.constraints, self.costs)
        return _rebuilt, state

    def __repr__(self) -> str:
        names = ", ".join(skeleton.name for skeleton in self._skeletons)
        return f"<PostureProblem of {names}: {len(self.constraints)} constraints, {len(self.costs)} costs>"


def _rebuilt(
    skeletons: tuple[Skeleton, ...],
    dofs: tuple[int, ...] | None,
    frozen: tuple[int, ...],
    limited: bool,
    constraints: tuple[Any, ...],
    costs: tuple[Any, ...],
) -> PostureProblem:
    made = PostureProblem(skeletons, dofs=dofs, frozen=frozen, with_joint_limits=limited)
    made._set(constraints, costs)
    return made


def _search(
    program: Program, q0: FloatArray, settings: _Settings, plan: _Plan, draws: int
) -> tuple[Attempt, int]:
    """The best that native searches find, from positions (num_dofs,) and random ones by a seed, and their
    number."""
    random: np.random.Generator | None = None
    starts, solved, iterations, evaluations, best = 0, 0, 0, 0, None
    while starts < plan.starts:
        left = plan.deadline - time.perf_counter()
        if starts and left <= 0.0:
            break
        start, forces = q0, program.first_forces
        if best is not None and starts % 2 and _goes_on(best, plan.tolerance):
            start, forces = best.positions, best.forces
        elif starts:
            random = np.random.default_rng(draws) if random is None else random
            start = program.random_start(q0, random)
        found = Attempt(*program.native.solve(start, forces, *settings, left, program.asked))
        starts, iterations, evaluations = (
            starts + 1,
            iterations + found.iterations,
            evaluations + found.evaluations,
        )
        if best is None or _rank(found, plan.tolerance) < _rank(best, plan.tolerance):
            best = found
        solved += found.status == "solved"
        if solved >= plan.solutions or not program.num_unknowns:
            break
    assert best is not None
    out_of_time = not solved and plan.deadline <= time.perf_counter()
    status = "time_out" if out_of_time and best.violation > plan.tolerance else best.status
    return best._replace(iterations=iterations, evaluations=evaluations, status=status), starts


def _goes_on(found: Attempt, tolerance: float) -> bool:
    """Whether a search was still lowering the cost within the constraints when its iterations ran out."""
    return found.status == "max_iterations" and found.violation <= tolerance


def _rank(found: Attempt, tolerance: float) -> tuple[int, float, float]:
    """Smaller is better: solved before others, then by what is broken, then by cost."""
    violation = found.violation
    excess = violation if violation > tolerance or np.isnan(violation) else 0.0
    feasible = _RANK.index(found.status) if excess == 0.0 else len(_RANK)
    return feasible, float("inf") if np.isnan(excess) else excess, found.cost


def _count(name: str, given: int) -> int:
    count = checked_whole(name, given)
    if not 1 <= count < 2**31:
        raise ValueError(f"{name}: expected an integer from 1 to {2**31 - 1}, got {count}")
    return count


def _whole(name: str, given: int) -> int:
    number = checked_whole(name, given)
    if not 0 <= number < 2**31:
        raise ValueError(f"{name}: expected an integer from 0 to {2**31 - 1}, got {number}")
    return number
