"""Targets with an objective beside them: whether both are met, at every scale of the objective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks._ik._arms import Arm
from benchmarks._ik._contest import Contest
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._objective import OBJECTIVES, Chain, Objective, kkt_residual
from benchmarks._ik._solver import Search
from benchmarks._ik._timing import Timed, one_by_one, restarted
from benchmarks._peers import installed
from benchmarks._peers._kido_ik import KidoObjective
from benchmarks._table import Table, duration

SCALES = (1e-3, 1.0, 1e3)
_OWN, _PEER = 4.0, 0.8
"""Time for one objective, scale and arm, of kido and of a peer [s]."""
_EXACT = 2e-6
STATIONARY = 1e-6
"""Residual up to which positions count as a minimum [-]."""


class ObjectiveType(Protocol):
    """The class of an adaptor.

    Attributes:
        library: name of the installed distribution.
        restarts: whether its search makes other starts by itself.
    """

    library: str
    restarts: bool

    def __call__(self, arm: Arm, chain: Chain, objective: Objective) -> Any:
        """Load the arm; has `prepare` and `search`, as a Solver."""


@dataclass(frozen=True)
class Score:
    """What became of the targets.

    Attributes:
        timed: times of the calls, failures included.
        reached: share of the targets that are reached within 2e-6 rad and m, and within the limits.
        optimal: share of those with a KKT residual of at most 1e-6.
        residual: the largest of those [-].
        value: mean of the objective there, without its factor.
        all: whether there was time for all targets.
    """

    timed: Timed
    reached: float
    optimal: float
    residual: float
    value: float
    all: bool

    @property
    def text(self) -> str:
        """Shares, residual, median time, value."""
        count = "" if self.all else f" of {len(self.timed.times)}"
        quality = f"{100 * self.optimal:.4g} %, {self.residual:.1e}"
        numbers = f"{duration(self.timed.median)}, {self.value:.3g}"
        return f"{100 * self.reached:.4g} %{count}, {quality}, {numbers}"


Scores = dict[str, dict[str, Score]]
"""By library with objective and scale, and arm."""


def measure(contests: dict[str, Contest]) -> Scores:
    """All objectives and scales."""
    peers, _ = installed("objective")
    kinds: dict[str, ObjectiveType] = {"kido": KidoObjective, **peers}
    found: Scores = {}
    for name, make in OBJECTIVES.items():
        for scale in SCALES:
            for library, kind in kinds.items():
                found[f"{library}, {name}, {scale:g}"] = {}
                for arm, contest in contests.items():
                    chain = Chain(contest.arm)
                    score = _score(contest, chain, make(chain, scale), kind)
                    found[f"{library}, {name}, {scale:g}"][arm] = score
    return found


def table(scores: Scores, arms: Sequence[str]) -> Table:
    """Libraries with objectives and scales by arms."""
    rows = [[name, *(by_arm[arm].text for arm in arms)] for name, by_arm in scores.items()]
    notes = [
        "from the middle of the limits; on target: within 2e-6 rad and m, and the limits",
        f"then the share of those with a KKT residual of at most {STATIONARY:g}, and the worst of them:",
        "the largest component of the gradient of the Lagrangian,",
        "of the objective without its factor, relative to its gradient where that is above 1, by differences",
        "then the median time and the mean of the objective without its factor",
        "posture: half the squared distance from 0.3 of the way between the limits [rad^2]",
        "manipulability: minus the square root of det(J J^T); both are functions of pinocchio and numpy",
        "an arm of six joints is to be at the target's place, the others at its pose",
        f"scipy: SLSQP from there, then from random positions for 50 ms at most; {_PEER} s for a cell",
    ]
    return Table(
        "With an objective: on target, at a minimum, worst KKT residual, median, value",
        ["", *arms],
        rows,
        notes,
    )


def _score(contest: Contest, chain: Chain, objective: Objective, kind: ObjectiveType) -> Score:
    solver = kind(contest.arm, chain, objective)
    search: Search = solver.search if kind.restarts else restarted(solver.search, contest.arm)
    start, most = contest.arm.middle, _OWN if kind.library == "kido" else _PEER
    timed = one_by_one(search, [(solver.prepare(target), start) for target in contest.targets], most)
    answers = [None if q is None else np.array(q, dtype=float) for q in timed.answers]
    reached = [
        q is not None and _on_target(contest, chain, target, q)
        for q, target in zip(answers, contest.targets, strict=False)
    ]
    good = [q for q, there in zip(answers, reached, strict=True) if there and q is not None]
    residuals = [kkt_residual(chain, objective, q) for q in good]
    return Score(
        timed,
        float(np.mean(reached)),
        float(np.mean(np.array(residuals) <= STATIONARY)) if good else 0.0,
        max(residuals, default=np.inf),
        float(np.mean([objective.plain(q) for q in good])) if good else np.nan,
        len(answers) == len(contest.targets),
    )


def _on_target(contest: Contest, chain: Chain, target: FloatArray, q: FloatArray) -> bool:
    angles, distances = contest.judge.distances(target[None], q[None])
    near = distances[0] <= _EXACT and (not chain.full or angles[0] <= _EXACT)
    return bool(near and contest.judge.inside(q[None])[0])
