"""Global inverse kinematics: a posture, or a proof that there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from kido import _core
from kido.ik._global._body_frame import BodyFrame
from kido.ik._global._budget import Budget
from kido.ik._global._cheapest import cheapest_near
from kido.ik._global._constraint_set import ConstraintSet
from kido.ik._global._constraints import Constraint, Region
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._global._loop_problem import LoopProblem, ProblemTolerance
from kido.ik._global._pose_target import search_pose_target
from kido.ik._global._region_search import PostureRegion, joined
from kido.ik._global._relaxation._options import RelaxationOptions
from kido.ik._global._relaxation._relaxation import GlobalIKRelaxation
from kido.ik._global._result import GlobalIKResult, GlobalIKStatus
from kido.typing import FloatArray
from kido.values import checked_part

__all__ = ["GlobalIK"]

_FOUND, _INFEASIBLE = 0, 1
_REASONS = {
    2: "boxes remain that are too small to be split, and no search from them ends at a posture",
    3: "the time ran out",
    4: "the number of boxes ran out",
}
_NO_POSTURE = "the relaxation has a solution, and no search from it ends at a posture"
_STARTS = 24
"""Random starts of the search in each choice of regions."""
_MOST_LEAVES = 256
_LEVER = 0.3
"""Length that a rotation of 1 rad counts as [m]."""


class GlobalIK(ConstraintSet):
    """Global inverse kinematics of a skeleton: a posture within the limits that satisfies all constraints, or
    a proof that none exists, or neither, with the posture that came nearest.

    First a search from the initial guess and random postures. Where it finds nothing, branch and bound over
    boxes of joint positions: each constraint is a loop of joints that has to close; enclosures of its two
    sides (affine arithmetic) that do not meet exclude a box. A verdict `infeasible` is a proof: rounding is
    accounted for, and no posture within the limits comes within the tolerances. Trees are several
    loops over the same joints; joints that follow others do.

    The skeleton stays as it is. Its limits, locked joints and shapes of bodies are those at the call.
    """

    __slots__ = ()

    def solve(
        self,
        *,
        time_budget: float = 10.0,
        max_nodes: int = 100_000_000,
        resolution: float = 1e-3,
        seed: int = 0,
        relaxation: RelaxationOptions | None = None,
    ) -> GlobalIKResult:
        """A posture, a proof, or neither.

        Where postures have a cost, that of the answer is a local minimum, the least of several.

        Args:
            time_budget: after which the answer is what is known by then [s].
            max_nodes: boxes that may be looked at.
            resolution: width of boxes that are split no further [rad, m]: targets that are missed by far less
                than its square times the arm's length cannot be decided.
            seed: of random starts.
            relaxation: by this mixed-integer program instead of branch and bound over joint positions. A
                verdict `infeasible` is then as good as the solver's arithmetic, and `cost_bound` is known.

        Returns:
            The verdict, positions (num_dofs,) [rad, m], and what it took.

        Raises:
            TypeError: a constraint depends on a joint that a user wrote; it is named.
            ValueError: no constraint, a dof without finite limits that it needs, limits of a rotation vector,
                numbers out of range.
            UnknownNameError: a body or dof was removed or renamed.
        """
        limits = Budget(time_budget, max_nodes, resolution, seed)
        if relaxation is not None:
            checked_part("relaxation", RelaxationOptions, relaxation, or_none=" or None")
            return self._relaxed(limits, relaxation)
        return self._solved(limits)

    def lower_bound(self, *, time_budget: float = 10.0, resolution: float = 1e-3) -> float:
        """A distance that every posture within the limits misses the constraints by: at least one position by
        that much [m], or one orientation by that much over 0.3 m [rad].

        It grows with the time budget [s], to at most 95 % of the distance that the best known posture leaves.
        0: nothing was proved. Raises as `solve` does.
        """
        limits = Budget(time_budget, 100_000_000, resolution, 0)
        result = self._solved(limits)
        if result.success:
            return 0.0
        known = result.lower_bound
        missed = max(result.linear_violation, result.angular_violation * _LEVER)
        for share in (0.25, 0.5, 0.7, 0.85, 0.95):
            distance = share * missed
            if distance <= known:
                continue
            if not self._is_excluded(ProblemTolerance(distance, distance / _LEVER), limits):
                break
            known = distance
        return known

    def posture_regions(
        self, *, resolution: float = 0.1, time_budget: float = 10.0, max_nodes: int = 20_000
    ) -> tuple[PostureRegion, ...]:
        """Disjoint regions of joint positions outside of which there is no posture, the largest first.

        Regions are unions of boxes of about a width `resolution` [rad, m], or wider where time or nodes ran
        out: they are compared in pairs, so that ten times as many nodes take a hundred times as long. Joint
        positions that differ by a whole turn are told once. None: it is proved that no posture exists. Raises
        as `solve` does.
        """
        limits = Budget(time_budget, max_nodes, resolution, 0)
        ranges, moving = self._prepared()
        if isinstance(moving, str):
            return ()
        boxes = [self._left(problem, limits) for _, problem in self._problems(ranges, moving)]
        left = np.concatenate(boxes) if boxes else np.zeros((0, 2, self._skeleton.num_dofs))
        return tuple(self._region(left[rows], ranges, moving) for rows in joined(left, ranges.is_turn))

    def relaxation(self, options: RelaxationOptions | None = None) -> GlobalIKRelaxation:
        """The mixed-integer convex relaxation of the problem in maximal coordinates, to be solved by itself:
        see `RelaxationOptions`. Raises as `solve` does."""
        ranges, moving = self._prepared()
        constraints = list(self._constraints) if isinstance(moving, str) else moving
        world = [constraint.frame for constraint in constraints]
        empty = LoopProblem(self._skeleton, ranges, ProblemTolerance(*self._tolerances))
        everything = [BodyFrame(body.name, np.eye(4)) for body in self._skeleton.bodies]
        reach = sum(empty.reach(frame) for frame in world) + max(empty.reach(frame) for frame in everything)
        problem = self._skeleton, ranges, constraints, self._costs, self._tolerances
        return GlobalIKRelaxation(*problem, reach, options or RelaxationOptions(), self._searched)

    # ---- steps of a solution

    def _solved(self, limits: Budget) -> GlobalIKResult:
        ranges, moving = self._prepared()
        start = self._start(ranges)
        if isinstance(moving, str):
            return self._result(GlobalIKStatus.INFEASIBLE, start, limits, "search", moving)
        if not moving:
            return self._solution(start, limits, "search", ranges)
        if self._guess is not None and self._satisfies(start):
            tree = self._skeleton.tree
            bodies = tree.forward_kinematics(start)
            choice = {c: c.nearest(tree, bodies) for c in moving if isinstance(c, Region)}
            return self._solution(start, limits, "search", ranges, choice)
        quick = search_pose_target(self._skeleton, ranges, moving, start, self._tolerances, limits.seed)
        if quick is not None:
            missed = self._violations(quick)
            if self._counts_as_met(*missed):
                return self._solution(quick, limits, "search", ranges, missed=missed)
        return self._decided(ranges, moving, start, limits)

    def _searched(self, time_budget: float) -> FloatArray | None:
        """Positions (num_dofs,) that satisfy the constraints, by searches alone [rad, m]."""
        ranges, moving = self._prepared()
        if isinstance(moving, str) or not time_budget > 0.0:
            return None
        limits, start = Budget(time_budget, 1, 1e-3, 0), self._start(ranges)
        quick = search_pose_target(self._skeleton, ranges, moving, start, self._tolerances, 0)
        if quick is not None and self._satisfies(quick):
            return quick
        for _, problem in self._problems(ranges, moving, ProblemTolerance(0.0, 0.0)):
            verdict, q, _ = self._run(problem, start, limits, nodes=0, starts=_STARTS)
            if verdict == _FOUND and self._satisfies(q):
                return q
        return None

    def _relaxed(self, limits: Budget, options: RelaxationOptions) -> GlobalIKResult:
        """Solve the relaxation, and search from what it gives. A search contradicts a solver that errs."""
        ranges, moving = self._prepared()
        start = self._start(ranges)
        if isinstance(moving, str):
            return self._result(GlobalIKStatus.INFEASIBLE, start, limits, "search", moving)
        program = self.relaxation(options)
        found = program.solve(time_budget=max(limits.time_left, 1e-3))
        limits.nodes = found.nodes
        bound = found.bound if self._costs else None
        seed, starts = (program.reconstruct(found), 0) if found.found else (start, _STARTS)
        nearest, least = start, math.inf
        for choice, problem in self._problems(ranges, moving, ProblemTolerance(0.0, 0.0)):
            verdict, q, distance = self._run(problem, seed, limits, nodes=0, starts=starts)
            if verdict == _FOUND and self._satisfies(q):
                return self._solution(q, limits, "relaxation", ranges, choice, bound)
            if distance < least:
                nearest, least = q, distance
        if found.infeasible:
            reason = "the relaxation has no solution"
            return self._result(GlobalIKStatus.INFEASIBLE, nearest, limits, "relaxation", reason)
        reason = _NO_POSTURE if found.found else "the time ran out"
        return self._result(GlobalIKStatus.UNDECIDED, nearest, limits, "relaxation", reason)

    def _solution(
        self,
        q: FloatArray,
        limits: Budget,
        method: str,
        ranges: DofRanges,
        choice: dict[Region, int] | None = None,
        bound: float | None = None,
        missed: tuple[float, float] | None = None,
    ) -> GlobalIKResult:
        """The result for a posture, or for a cheaper one where there are costs; `missed` are its violations,
        where they are known."""
        if not self._costs:
            return self._result(GlobalIKStatus.SOLVED, q, limits, method, choice=choice, missed=missed)
        chosen = choice or {}
        problem = LoopProblem(self._skeleton, ranges, ProblemTolerance(0.0, 0.0))
        problem.add(self._moving(ranges), chosen)
        best = q
        for start in (q, *(cost.positions for cost in self._costs)):
            _, near, _ = self._run(problem, ranges.clip(start), limits, nodes=0, starts=0)
            cheap = cheapest_near(self._skeleton, ranges, self._constraints, chosen, self._costs, near)
            for one in (near, cheap):
                if self._satisfies(one) and self._cost(one) < self._cost(best):
                    best = one
        result = self._result(GlobalIKStatus.SOLVED, best, limits, method, choice=chosen)
        return replace(result, cost=self._cost(best), cost_bound=bound)

    def _cost(self, q: FloatArray) -> float:
        return sum(cost.value(self._skeleton, q) for cost in self._costs)

    def _moving(self, ranges: DofRanges) -> list[Constraint]:
        """The constraints that dofs decide."""
        return [c for c in self._constraints if self._moving_dofs(c, ranges)]

    def _moving_dofs(self, constraint: Constraint, ranges: DofRanges) -> set[int]:
        return self._dofs_of(constraint) - ranges.kinds.still

    def _decided(
        self, ranges: DofRanges, moving: list[Constraint], start: FloatArray, limits: Budget
    ) -> GlobalIKResult:
        """Search in every choice of regions, then branch and bound in each."""
        exact = list(self._problems(ranges, moving, ProblemTolerance(0.0, 0.0)))
        nearest, least, why = start, math.inf, 0
        for choice, problem in exact:
            verdict, q, distance = self._run(problem, start, limits, nodes=0, starts=_STARTS)
            if verdict == _FOUND and self._satisfies(q):
                return self._solution(q, limits, "search", ranges, choice)
            if distance < least:
                nearest, least = q, distance
        problems = self._problems(ranges, moving)
        for (choice, problem), (_, sharp) in zip(problems, exact, strict=True):
            verdict, left = self._branch(problem, nearest, limits)
            if verdict == _INFEASIBLE:
                continue
            why = verdict or 2
            for q in left:
                _, q, distance = self._run(sharp, q, limits, nodes=0, starts=0)
                if self._satisfies(q):
                    return self._solution(q, limits, "branch and bound", ranges, choice)
                if distance < least:
                    nearest, least = q, distance
        if why == 0:
            reason = "" if exact else "a sphere fits into none of its polytopes"
            return self._result(GlobalIKStatus.INFEASIBLE, nearest, limits, "branch and bound", reason)
        return self._result(GlobalIKStatus.UNDECIDED, nearest, limits, "branch and bound", _REASONS[why])

    def _prepared(self) -> tuple[DofRanges, list[Constraint] | str]:
        """Ranges of the dofs, and the constraints that depend on them, or why the others fail."""
        if not self._constraints:
            raise ValueError("constraints: expected one or more, got none")
        ranges = DofRanges.of(self._skeleton, self._limits)
        moving: list[Constraint] = []
        used: set[int] = set()
        failed = ""
        for constraint in self._constraints:
            dofs = self._moving_dofs(constraint, ranges)
            if dofs:
                moving.append(constraint)
            elif not self._holds(constraint, self._start(ranges)):
                failed = f"no joint moves {constraint.frame.text}, which misses a constraint"
            used |= dofs
        ranges.check(sorted(used))
        empty = ranges.without_position(used)
        if empty is not None:
            failed = f"no position of {empty!r} is within all its limits"
        return ranges, failed or moving

    def _dofs_of(self, constraint: Constraint) -> set[int]:
        """Dofs that move the bodies of a constraint relative to each other."""
        first, *others = (
            set[int]() if name is None else set(self._skeleton.body(name).dependent_dof_indices)
            for name in constraint.bodies
        )
        return first.union(*others) - first.intersection(*others)

    def _problems(
        self, ranges: DofRanges, moving: list[Constraint], tolerance: ProblemTolerance | None = None
    ) -> Iterator[tuple[dict[Region, int], LoopProblem]]:
        """The loops of each choice of regions."""
        regions = [c for c in moving if isinstance(c, Region)]
        for numbers in product(*(range(len(region.polytopes)) for region in regions)):
            choice = dict(zip(regions, numbers, strict=True))
            problem = LoopProblem(self._skeleton, ranges, tolerance or ProblemTolerance(*self._tolerances))
            problem.add(moving, choice)
            yield choice, problem

    def _branch(
        self, problem: LoopProblem, start: FloatArray, limits: Budget
    ) -> tuple[int, list[FloatArray]]:
        """The native verdict, and positions (num_dofs,) from which postures are to be looked for."""
        prover = problem.prover(_LEVER)
        verdict, found, _, count, leaves = prover.solve(
            start=problem.start(start),
            time_budget=limits.time_left,
            most_nodes=limits.nodes_left,
            resolution=limits.resolution,
            most_leaves=_MOST_LEAVES,
            starts=0,
            seed=limits.seed,
            all_regions=False,
        )
        limits.nodes += count
        middles = 0.5 * (leaves[:_MOST_LEAVES, ::2] + leaves[:_MOST_LEAVES, 1::2])
        return verdict, [self._positions(prover, problem, q, start) for q in (found, *middles)]

    def _run(
        self, problem: LoopProblem, start: FloatArray, limits: Budget, *, nodes: int, starts: int
    ) -> tuple[int, FloatArray, float]:
        """Verdict, positions (num_dofs,) that came nearest, and the distance that they leave [m]."""
        prover = problem.prover(_LEVER)
        verdict, found, distance, count, _ = prover.solve(
            start=problem.start(start),
            time_budget=limits.time_left,
            most_nodes=nodes,
            resolution=limits.resolution,
            most_leaves=_MOST_LEAVES,
            starts=starts,
            seed=limits.seed,
            all_regions=False,
        )
        limits.nodes += count
        return verdict, self._positions(prover, problem, found, start), distance

    def _positions(
        self, prover: _core.LoopProver, problem: LoopProblem, found: FloatArray, start: FloatArray
    ) -> FloatArray:
        """Positions (num_dofs,) of the variables that a search used, the others as in `start`."""
        variables = problem.start(start)
        variables[prover.used] = found
        return problem.positions(variables)

    def _is_excluded(self, tolerance: ProblemTolerance, limits: Budget) -> bool:
        """Whether it can be proved that no posture misses the constraints by less than a tolerance."""
        ranges, moving = self._prepared()
        if isinstance(moving, str):
            return False
        for _, problem in self._problems(ranges, moving, tolerance):
            verdict, *_ = problem.prover(_LEVER).solve(
                start=None,
                time_budget=limits.time_left,
                most_nodes=limits.max_nodes,
                resolution=limits.resolution,
                most_leaves=0,
                starts=0,
                seed=limits.seed,
                all_regions=True,
            )
            if verdict != _INFEASIBLE:
                return False
        return True

    # ---- regions of postures

    def _left(self, problem: LoopProblem, limits: Budget) -> FloatArray:
        prover = problem.prover(_LEVER)
        _, _, _, count, leaves = prover.solve(
            start=None,
            time_budget=limits.time_left,
            most_nodes=limits.nodes_left,
            resolution=limits.resolution,
            most_leaves=limits.max_nodes,
            starts=0,
            seed=limits.seed,
            all_regions=True,
        )
        limits.nodes += count
        dofs = self._skeleton.num_dofs
        ends = np.repeat(self._start(problem.ranges)[None, None], len(leaves), axis=0).repeat(2, axis=1)
        rotations = problem.ranges.kinds.is_rotation & ~problem.ranges.is_fixed_rotation
        ends[:, 0, rotations], ends[:, 1, rotations] = -np.pi, np.pi
        for column, variable in enumerate(prover.used):
            if variable < dofs:
                ends[:, :, variable] = leaves[:, 2 * column : 2 * column + 2]
        return ends

    def _region(self, boxes: FloatArray, ranges: DofRanges, moving: list[Constraint]) -> PostureRegion:
        """A region with a posture, if a search from its middle boxes finds one."""
        limits = Budget(1.0, 1, 1e-3, 0)
        exact = ProblemTolerance(0.0, 0.0)
        problems = [problem for _, problem in self._problems(ranges, moving, exact)]
        for k in np.linspace(0, len(boxes) - 1, min(8, len(boxes))).astype(int):
            middle = boxes[k].mean(axis=0)
            for problem in problems:
                verdict, q, *_ = self._run(problem, middle, limits, nodes=0, starts=0)
                inside = ((boxes[:, 0] - 0.1 <= q) & (q <= boxes[:, 1] + 0.1)).all(axis=1).any()
                if verdict == _FOUND and inside and self._satisfies(q):
                    return PostureRegion(boxes, q)
        return PostureRegion(boxes)

    # ---- verdicts

    def _start(self, ranges: DofRanges) -> FloatArray:
        """Positions (num_dofs,) to start from [rad, m], within their ranges by whole turns or by force."""
        guess = self._skeleton.positions if self._guess is None else self._guess
        return ranges.place_followers(ranges.clip(guess))

    def _violations(self, q: FloatArray) -> tuple[float, float]:
        """Largest lengths [m] and angles [rad] by which positions (num_dofs,) miss constraints."""
        tree = self._skeleton.tree
        bodies = tree.forward_kinematics(q)
        lengths, angles = zip(*(one.violation(tree, bodies) for one in self._constraints), strict=True)
        return _largest(lengths), _largest(angles)

    def _counts_as_met(self, length: float, angle: float) -> bool:
        return length <= self.linear_tolerance and angle <= self.angular_tolerance

    def _satisfies(self, q: FloatArray) -> bool:
        tree = self._skeleton.tree
        bodies = tree.forward_kinematics(q)
        return all(self._counts_as_met(*one.violation(tree, bodies)) for one in self._constraints)

    def _holds(self, constraint: Constraint, q: FloatArray) -> bool:
        tree = self._skeleton.tree
        return self._counts_as_met(*constraint.violation(tree, tree.forward_kinematics(q)))

    def _result(
        self,
        status: GlobalIKStatus,
        q: FloatArray,
        limits: Budget,
        method: str,
        reason: str = "",
        choice: dict[Region, int] | None = None,
        missed: tuple[float, float] | None = None,
    ) -> GlobalIKResult:
        lengths, angles = self._violations(q) if missed is None else missed
        proved = status is GlobalIKStatus.INFEASIBLE
        return GlobalIKResult(
            q,
            self._skeleton.tree.dof_names,
            status,
            lengths,
            angles,
            *self._tolerances,
            lower_bound=min(self.linear_tolerance, self.angular_tolerance * _LEVER) if proved else 0.0,
            nodes=limits.nodes,
            time=limits.time_taken,
            method=method,
            reason=reason,
            regions=tuple((choice or {}).values()),
        )


def _largest(lengths: tuple[float, ...]) -> float:
    """The largest one; NaN where one is NaN, which meets no tolerance."""
    return math.nan if any(map(math.isnan, lengths)) else max(lengths)
