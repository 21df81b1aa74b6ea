"""Targets, and what was reached in this run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks._ik._analytical import Ranked
from benchmarks._ik._applied import Applied
from benchmarks._ik._batch import Rate
from benchmarks._ik._branches import Branches
from benchmarks._ik._calls import Score
from benchmarks._ik._objectives import STATIONARY
from benchmarks._ik._objectives import Score as WithObjective
from benchmarks._ik._own_methods import BOTH, Own
from benchmarks._ik._pulled import Pull
from benchmarks._ik._redundant import Sweep
from benchmarks._ik._task_set import Far, Pulled, Reached
from benchmarks._ik._unreachable import Verdicts
from benchmarks._ik._velocity_steps import Velocities
from benchmarks._ik._waypoints import Waypoints
from benchmarks._ik._whole_body import Score as WholeBody
from benchmarks._table import Table, duration, verdict

MEDIAN, TAIL = 30e-6, 150e-6
SINGLE = 0.95
CONVERGED = 0.95
RATE = 100e3
SIX, SEVEN = 7e-6, 30e-6
SIX_RANKED, SEVEN_RANKED = 15e-6, 60e-6
VERDICT = 1e-3
FOLLOWED = 1e-3
FARTHER = 5.0
WHOLE_BODY = 500e-6
APPLIED = 3e-6
TASKS, TASKS_TAIL, TASKS_FAR = 800e-6, 5e-3, 20e-3
WITH_OBJECTIVE = 1e-3
OWN, OVERHEAD = 1e-3, 30e-6
WAYPOINTS = 50e-3
STEP, SCALED, STATE, HUMANOID = 4e-6, 8e-6, 1e-6, 40e-6


class Aims:
    """A table of aims that grows line by line."""

    def __init__(self) -> None:
        self.table = Table("kido against its aims", ["what", "value", "aim", ""])

    def calls(self, scores: Mapping[str, Score]) -> None:
        """One call with defaults, all arms."""
        self._least("success of one call, worst arm", min(s.success for s in scores.values()), 1.0)
        self._longest("one call, median, worst arm", max(s.timed.median for s in scores.values()), MEDIAN)
        self._longest(
            "one call, 95th percentile, worst arm", max(s.timed.tail for s in scores.values()), TAIL
        )

    def single(self, scores: Mapping[str, Score]) -> None:
        """One start, all arms."""
        values = [s.success for s in scores.values()]
        self._least("success of one start, mean of the arms", float(np.mean(values)), SINGLE)

    def batch(self, rates: Mapping[str, Rate]) -> None:
        """Rate on panda, success everywhere."""
        if "panda" in rates:
            rate = rates["panda"].rate
            cells = [f"{rate:.0f}/s", f">= {RATE:.0f}/s", verdict(rate, RATE)]
            self.table.rows.append(["batch on panda, one core", *cells])
        self._least("success in batches, worst arm", min(r.success for r in rates.values()), 1.0)

    def branches(self, own: Branches) -> None:
        """Closed form of six joints."""
        self._longest("every solution of six joints, median", own.timed.median, SIX)
        counts = own.wrong + own.missing
        cells = [f"{own.wrong}, {own.missing}", "0, 0", verdict(0.0, counts)]
        self.table.rows.append(["of them wrong, missing", *cells])

    def analytical(self, found: Mapping[str, Ranked]) -> None:
        """Closed forms with limits, ranked."""
        for joints, words, aim in ((6, "six", SIX_RANKED), (7, "seven", SEVEN_RANKED)):
            times = [r.solve.median for r in found.values() if r.joints == joints]
            if times:
                self._longest(
                    f"solutions of {words} joints in limits, ranked, median, worst arm", max(times), aim
                )
        self._least("of them with a solution, worst arm", min(r.success for r in found.values()), 1.0)

    def redundant(self, sweeps: Mapping[str, Sweep]) -> None:
        """Closed form of seven joints."""
        worst = max(s.one.median for s in sweeps.values())
        self._longest("every solution of seven joints, one locked, median, worst arm", worst, SEVEN)

    def velocities(self, found: Velocities) -> None:
        """One step at the level of velocities."""
        self._longest("one step of velocities, panda", found.steps["kido"].time, STEP)
        self._longest("one step of Drake's program, panda", found.scaled["kido"], SCALED)
        self._longest("one step of one of 10 000 states, panda", found.batch, STATE)
        self._longest("one step of velocities, G1", found.humanoid["kido"], HUMANOID)

    def waypoints(self, found: Mapping[str, Waypoints]) -> None:
        """Waypoints near each other, and all lists within their tolerances."""
        along = next(one for name, one in found.items() if "along" in name)
        self._longest("100 waypoints of panda", along.time, WAYPOINTS)
        self._least("of all waypoints inside their tolerances", min(f.inside for f in found.values()), 1.0)

    def unreachable(self, verdicts: Mapping[str, Verdicts]) -> None:
        """Targets out of reach, all arms."""
        worst = max(v.timed.median for v in verdicts.values())
        self._longest("out of reach, median, worst arm", worst, VERDICT)

    def pulled(self, pulls: Mapping[str, Pull]) -> None:
        """Targets that are followed, all arms."""
        jumps = max(pull.jumps for pull in pulls.values())
        self.table.rows.append(["following, jumps, worst arm", str(jumps), "0", verdict(0.0, jumps)])
        worst = max(pull.median for pull in pulls.values())
        self._longest("following, median of a step, worst arm", worst, FOLLOWED)

        for what, ratios in (
            ("farthest joint", [pull.ratio for pull in pulls.values()]),
            ("each joint", [pull.own_ratio for pull in pulls.values()]),
        ):
            worst = round(max(ratios), 9)  # a bound, over the least motion: but for rounding
            cells = [f"{worst:.1f}", f"<= {FARTHER:g}", verdict(FARTHER, worst)]
            self.table.rows.append([f"following, motion over connected path, {what}, worst arm", *cells])

    def applied(self, found: Mapping[str, Applied]) -> None:
        """Moving the robot to the answer, all arms."""
        worst = max(a.more for a in found.values())
        self._longest("solve and apply, more than solve, worst arm", max(worst, 0.0), APPLIED)
        self._least("of them where solve says, worst arm", min(a.same for a in found.values()), 1.0)

    def objectives(self, scores: Mapping[str, Mapping[str, WithObjective]]) -> None:
        """Targets with an objective, all arms and scales."""
        for name in dict.fromkeys(name.split(", ")[1] for name in scores):
            own = [
                s for key, found in scores.items() if key.startswith(f"kido, {name},") for s in found.values()
            ]
            self._least(f"objective {name}, on target, worst arm and scale", min(s.reached for s in own), 1.0)
            worst = max(s.residual for s in own)
            cells = [f"{worst:.1e}", f"<= {STATIONARY:g}", verdict(STATIONARY, worst)]
            self.table.rows.append([f"objective {name}, KKT residual, worst", *cells])
            slowest = max(s.timed.median for s in own)
            self._longest(f"objective {name}, median, worst arm and scale", slowest, WITH_OBJECTIVE)

    def own_methods(self, found: Mapping[str, Own]) -> None:
        """Methods of a user's own in Python."""
        for name, own in found.items():
            self._least(f"{name}, success", own.success, 1.0)
            if name == BOTH:
                continue
            self._longest(f"{name}, median", own.timed.median, OWN)
            self._longest(f"{name}, overhead of an iteration", max(own.overhead, 0.0), OVERHEAD)

    def task_set(self, reached: Reached, far: Far, pulled: Pulled) -> None:
        """A humanoid with feet, balance, hands, gaze and posture."""
        self._least("whole set of tasks, converged", reached.converged, 1.0)
        self._longest("whole set of tasks, median", reached.timed.median, TASKS)
        self._longest("whole set of tasks, 95th percentile", reached.timed.tail, TASKS_TAIL)
        self._longest("the same, a hand out of reach, median", far.timed.median, TASKS_FAR)
        self._longest("the same, a hand out of reach, 95th percentile", far.timed.tail, TASKS_FAR)
        self._least("the same, feet and balance of the nearest answer", far.nearest, 1.0)
        self._least("the same, feet and balance kept by a robot that stands", far.kept, 1.0)
        cells = [str(pulled.jumps), "0", verdict(0.0, pulled.jumps)]
        self.table.rows.append([f"the same, pulled out of reach, jumps in {pulled.steps} steps", *cells])

    def whole_body(self, own: WholeBody) -> None:
        """Four targets of a humanoid in three levels."""
        self._least("whole body, four targets in three levels, converged", own.converged, CONVERGED)
        self._longest("whole body, median", own.timed.median, WHOLE_BODY)

    def _longest(self, what: str, value: float, aim: float) -> None:
        self.table.rows.append([what, duration(value), f"<= {duration(aim)}", verdict(aim, value)])

    def _least(self, what: str, value: float, aim: float) -> None:
        cells = [f"{100 * value:.4g} %", f">= {100 * aim:g} %", verdict(value, aim)]
        self.table.rows.append([what, *cells])
