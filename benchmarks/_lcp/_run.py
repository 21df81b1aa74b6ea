"""The benchmark of complementarity problems: time of a solve by rows, kind of problem, and solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._harness import Session, Subsystem
from benchmarks._lcp._problems import PROBLEMS
from benchmarks._measure import STATES, Block, fastest
from benchmarks._table import Table, duration
from kido.lcp import BoxedLCP, Dantzig, LCPSolver, Lemke, ProjectedGaussSeidel, SemismoothNewton

_ROWS = (3, 12, 30, 60, 99)
_QUICK_ROWS = (3, 30)
_SOLVERS: dict[str, LCPSolver] = {
    "Dantzig": Dantzig(),
    "Lemke": Lemke(),
    "Newton": SemismoothNewton(),
    "Gauss-Seidel": ProjectedGaussSeidel(),
}
_EXACT = ("Dantzig", "Lemke", "Newton")
_NEAR = 1e-8


def _measure(session: Session) -> dict[str, Any]:
    record: list[dict[str, Any]] = []
    for kind in session.options.robots or PROBLEMS:
        table = Table(
            f"{kind}: time of a solve, from arrays", ["rows", *_SOLVERS, *_peers(kind, session), "ratio"]
        )
        for rows in _QUICK_ROWS if session.options.quick else _ROWS:
            problems = [PROBLEMS[kind](np.random.default_rng(seed), rows) for seed in range(STATES)]
            row = _row(kind, rows, problems, session)
            table.rows.append([str(rows), *map(str, row["shown"])])
            record.append(row)
        table.notes.append(
            "ratio: the fastest peer's time by that of kido's fastest exact solver; "
            f"(n/{STATES}): problems solved, where not all"
        )
        session.add(table)
    return {"rows": record}


def _peers(kind: str, session: Session) -> dict[str, Any]:
    """Those that can solve such problems: those with constant bounds."""
    return session.adaptors if kind == "limits" else {}


def _row(kind: str, rows: int, problems: list[BoxedLCP], session: Session) -> dict[str, Any]:
    candidates: dict[str, Block] = {}
    solved: dict[str, int] = {}
    for name, solver in _SOLVERS.items():
        taken = [p for p in problems if not p.cones or solver.takes_cones]
        if taken:
            candidates[name] = Block(_solve(solver), [(p,) for p in taken])
            solved[name] = sum(solver.solve(p).success for p in taken)
    for name, adaptor in _peers(kind, session).items():
        peer = adaptor()
        arguments = [tuple(a.copy() for a in (p.A, p.b, p.lower, p.upper)) for p in problems]
        candidates[name] = Block(peer.solve, arguments)
        solved[name] = sum(
            p.residual(peer.solve(*a)) < _NEAR for p, a in zip(problems, arguments, strict=True)
        )
    times = fastest(candidates, session.effort)
    own = min((times[name] for name in _EXACT if solved.get(name) == len(problems)), default=None)
    others = min(
        (times[name] for name in _peers(kind, session) if solved[name] == len(problems)), default=None
    )
    ratio = others / own if own is not None and others is not None else None
    names = [*_SOLVERS, *_peers(kind, session)]
    shown = [_cell(times.get(name), solved.get(name, 0), len(problems)) for name in names]
    shown.append("-" if ratio is None else f"{ratio:.2f}")
    return {"kind": kind, "rows": rows, "times": times, "solved": solved, "ratio": ratio, "shown": shown}


def _solve(solver: LCPSolver) -> Any:
    """A solve from arrays: the checked problem is made anew, as peers are given arrays."""

    def solve(p: BoxedLCP) -> Any:
        return solver.solve(
            BoxedLCP(p.A, p.b, p.lower, p.upper, friction_index=p.friction_index, cones=p.cones)
        )

    return solve


def _cell(time: float | None, solved: int, count: int) -> str:
    if time is None:
        return "-"
    return duration(time) + ("" if solved == count else f" ({solved}/{count})")


SUBSYSTEM = Subsystem("lcp", "complementarity problems, kido.lcp", tuple(PROBLEMS), _measure)
