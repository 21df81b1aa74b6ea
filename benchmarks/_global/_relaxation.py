"""The mixed-integer relaxation: kido's program and Drake's own, the same options, on one solver."""

from __future__ import annotations

import contextlib
import importlib
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._global._targets import FloatArray, Targets
from benchmarks._ik._arms import TOOL
from benchmarks._table import Table, duration, verdict
from kido.ik import GlobalIK, RelaxationApproach, RelaxationOptions

__all__ = ["APPROACHES", "Relaxed", "measure", "table"]

_POSITION, _ANGLE = 1e-3, 1e-2
"""Tolerances of a pose [m], [rad]."""
_BUDGET = 120.0
_AIM = 3.0
APPROACHES = {"bilinear McCormick": "kBilinearMcCormick", "box-sphere intersection": "kBoxSphereIntersection"}
"""Names of kido and of Drake, whose default is the first."""


@dataclass(frozen=True)
class Relaxed:
    """One program, built and solved for some poses.

    Attributes:
        variables, binaries, rows: how large it is; of the last pose.
        times: of the processor until HiGHS has a solution [s], infinite where it has none within the budget.
    """

    variables: int
    binaries: int
    rows: int
    times: list[float]


def measure(targets: Targets, intervals: int, approach: str, count: int) -> dict[str, Relaxed]:
    """kido's program and, where it is installed, Drake's."""
    poses = [targets.reachable(True).pose for _ in range(count)]
    found = {"kido": _kido(targets, poses, intervals, approach)}
    with contextlib.suppress(ImportError):
        found["drake"] = _drake(targets, poses, intervals, approach)
    return found


def _kido(targets: Targets, poses: list[FloatArray], intervals: int, approach: str) -> Relaxed:
    options = RelaxationOptions(intervals, approach=RelaxationApproach(approach))
    robot, times = targets.skeleton, list[float]()
    tool = robot.body(TOOL)
    for pose in poses:
        search = GlobalIK(robot)
        search.add_world_position_constraint(tool, pose[:3, 3], tolerance=_POSITION)
        search.add_world_orientation_constraint(tool, pose[:3, :3], tolerance=_ANGLE)
        before = time.process_time()
        program = search.relaxation(options)
        found = program.solve(time_budget=_BUDGET).found
        times.append(time.process_time() - before if found else np.inf)
    return Relaxed(program.num_variables, program.num_binaries, program.num_rows, times)


def _drake(targets: Targets, poses: list[FloatArray], intervals: int, approach: str) -> Relaxed:
    from scipy.optimize import Bounds, LinearConstraint, milp

    ik = importlib.import_module("pydrake.multibody.inverse_kinematics")
    plant = importlib.import_module("pydrake.multibody.plant").MultibodyPlant(0.0)
    quaternion = importlib.import_module("pydrake.common.eigen_geometry").Quaternion
    importlib.import_module("pydrake.multibody.parsing").Parser(plant).AddModels(str(targets.arm.path))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    tool, kind = plant.GetBodyByName(TOOL).index(), ik.GlobalInverseKinematics
    options = kind.Options()
    options.num_intervals_per_half_axis = intervals
    options.approach = getattr(type(options.approach), APPROACHES[approach])
    options.linear_constraint_only = True
    times = list[float]()
    for pose in poses:
        before = time.process_time()
        problem = kind(plant, options)
        place = [pose[:3, 3] + sign * _POSITION for sign in (-1.0, 1.0)]
        problem.AddWorldPositionConstraint(tool, np.zeros(3), *place)
        problem.AddWorldOrientationConstraint(tool, quaternion(pose[:3, :3]), _ANGLE)
        program = problem.prog()
        matrix, rows, bounds, binary = _arrays(program)
        solved = milp(
            np.zeros(program.num_vars()),
            integrality=binary,
            bounds=Bounds(*bounds),
            constraints=LinearConstraint(matrix, *rows),
            options={"time_limit": _BUDGET},
        )
        times.append(np.inf if solved.x is None else time.process_time() - before)
    return Relaxed(program.num_vars(), int(binary.sum()), matrix.shape[0], times)


def _arrays(program: Any) -> tuple[Any, tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray], Any]:
    """Rows and their bounds, bounds of the variables, which are binary."""
    from scipy.sparse import csr_matrix

    count = program.num_vars()
    index = {v.get_id(): k for k, v in enumerate(program.decision_variables())}
    binary = np.array([v.get_type() == type(v).Type.BINARY for v in program.decision_variables()], int)
    low, high = np.where(binary, 0.0, -np.inf), np.where(binary, 1.0, np.inf)
    for binding in program.bounding_box_constraints():
        places, constraint = [index[v.get_id()] for v in binding.variables()], binding.evaluator()
        np.maximum.at(low, places, constraint.lower_bound())
        np.minimum.at(high, places, constraint.upper_bound())
    data, columns, starts, lower, upper = [], [], [0], [], []
    for binding in (*program.linear_constraints(), *program.linear_equality_constraints()):
        places, constraint = [index[v.get_id()] for v in binding.variables()], binding.evaluator()
        for row in constraint.GetDenseA():
            used = np.flatnonzero(row)
            data += list(row[used])
            columns += [places[k] for k in used]
            starts.append(len(columns))
        lower += list(constraint.lower_bound())
        upper += list(constraint.upper_bound())
    matrix = csr_matrix((data, columns, starts), shape=(len(starts) - 1, count))
    matrix.sum_duplicates()
    return matrix, (np.array(lower), np.array(upper)), (low, high), binary


def table(found: dict[tuple[str, int, str], dict[str, Relaxed]]) -> Table:
    """One row an arm and number of intervals."""
    rows = []
    for (arm, intervals, approach), relaxed in found.items():
        own, other = relaxed["kido"], relaxed.get("drake")
        cells = [f"{arm}, {intervals}, {approach}", _cell(own), "-", "-", "-"]
        if other is not None:
            ratio = float(np.median(other.times) / np.median(own.times))
            cells[2:] = [_cell(other), f"{ratio:.1f}x", verdict(ratio, _AIM)]
        rows.append(cells)
    notes = [
        f"a pose within {1e3 * _POSITION:g} mm and {1e3 * _ANGLE:g} mrad, logarithmic binning, linear rows",
        "only; both programs built and solved by SciPy's HiGHS; processor time, median (longest); kido looks",
        "for a solution beside a posture that its search finds first, Drake's program has no such start",
    ]
    sizes = "variables, binary, rows, time"
    columns = ["arm, intervals, approach", f"kido: {sizes}", f"Drake: {sizes}", "ratio", "aim: 3x"]
    return Table("The mixed-integer relaxation", columns, rows, notes)


def _cell(found: Relaxed) -> str:
    times = f"{duration(float(np.median(found.times)))} ({duration(max(found.times))})"
    return f"{found.variables}, {found.binaries}, {found.rows}: {times}"
