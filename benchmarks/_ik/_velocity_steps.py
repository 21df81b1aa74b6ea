"""Velocities: a step of an arm, of Drake's program, of many states, of a humanoid; a path beyond reach."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._ik._arms import TOOL, Arm
from benchmarks._ik._contest import Contest
from benchmarks._ik._g1 import G1
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._steps import FOLLOWED
from benchmarks._measure import FULL, STATES, Block, fastest
from benchmarks._peers import installed
from benchmarks._peers._kido_velocity import KidoVelocityArm, KidoVelocityTaskSet
from benchmarks._table import Table, duration
from kido.ik import DifferentialIKParameters, differential_ik

ARM = "panda"
STEPPED = ("pink", "mink", "placo")
"""Libraries whose answers are velocities."""

_SAMPLES, _PATH, _TURNED = 10_000, 1000, 1e-3
_NEAR = 0.1
"""Of the way to random positions of G1, where the goals are."""

_Follow = Callable[[Any, FloatArray], "FloatArray | None"]


@dataclass(frozen=True)
class Step:
    """Steps of one library: time [s], and the part of the error that the median step leaves [-]."""

    time: float
    left: float


@dataclass(frozen=True)
class Path:
    """A path of poses, each followed by one step from where the last one ended.

    Attributes:
        error: largest distance of the tool from its target while that is within reach [m].
        jump: largest change of a joint in a step [rad].
        turns: how often a joint turns back, by more than a milliradian, while the target goes on.
    """

    error: float
    jump: float
    turns: int


@dataclass(frozen=True)
class Velocities:
    """What was measured, by library."""

    steps: dict[str, Step]
    scaled: dict[str, float]
    batch: float
    humanoid: dict[str, float]
    paths: dict[str, Path]


def measure(contest: Contest) -> Velocities:
    """kido and the peers that are installed, on one arm and on G1."""
    own = KidoVelocityArm(contest.arm)
    followers: dict[str, tuple[_Follow, Callable[[FloatArray], Any]]] = {"kido": (own.follow, lambda T: T)}
    for name in STEPPED:
        if name in contest.solvers:
            solver: Any = contest.solvers[name]
            followers[name] = solver.following(), solver.prepare
    starts, targets = _pairs(contest.arm, own)
    return Velocities(
        _steps(followers, own, starts, targets),
        _scaled(contest.arm, own, starts, targets),
        _batch(own, starts, targets),
        _humanoid(),
        {name: _path(contest.arm, own, *follower) for name, follower in followers.items()},
    )


def _pairs(arm: Arm, own: KidoVelocityArm) -> tuple[FloatArray, FloatArray]:
    """Positions (STATES, n) within the limits, and poses of the tool a few centimetres on."""
    rng = np.random.default_rng(0)
    starts = arm.middle + 0.3 * (arm.upper - arm.lower) * rng.uniform(-1.0, 1.0, (STATES, arm.dofs))
    moved = starts + rng.uniform(-0.04, 0.04, starts.shape)
    return starts, own.robot.tree.transform(moved, TOOL)


def _steps(
    followers: Mapping[str, tuple[_Follow, Callable[[FloatArray], Any]]],
    own: KidoVelocityArm,
    starts: FloatArray,
    targets: FloatArray,
) -> dict[str, Step]:
    blocks, left = {}, {}
    for name, (follow, prepare) in followers.items():
        arguments = [(prepare(T), q) for T, q in zip(targets, starts, strict=True)]
        ends = np.array([follow(*pair) for pair in arguments])
        errors = [_error(own, q, targets) for q in (starts, ends)]
        left[name] = float(np.median(errors[1] / errors[0]))
        blocks[name] = Block(follow, arguments)
    times = fastest(blocks, FULL)
    return {name: Step(times[name], left[name]) for name in blocks}


def _error(own: KidoVelocityArm, q: FloatArray, targets: FloatArray) -> FloatArray:
    """Distances (m,) of the tool from targets (m, 4, 4) at positions (m, n) [m]."""
    return np.asarray(np.linalg.norm(own.robot.tree.transform(q, TOOL)[:, :3, 3] - targets[:, :3, 3], axis=1))


def _scaled(arm: Arm, own: KidoVelocityArm, starts: FloatArray, targets: FloatArray) -> dict[str, float]:
    """Time of the program of `differential_ik` [s], and of Drake's own call."""
    parameters = DifferentialIKParameters(
        arm.dofs,
        time_step=FOLLOWED,
        nominal_positions=arm.middle,
        centering_gain=0.1 * np.eye(arm.dofs),
        position_limits=(arm.lower, arm.upper),
        velocity_limits=(-arm.speed, arm.speed),
    )
    robot, tool = own.robot, own.robot.body(TOOL)

    def ask(target: FloatArray, start: FloatArray) -> Any:
        robot.positions = start
        return differential_ik(robot, tool, target, parameters)

    blocks = {"kido": Block(ask, list(zip(targets, starts, strict=True)))}
    with contextlib.suppress(ImportError):
        blocks["drake"] = _drake(arm, starts, targets)
    return fastest(blocks, FULL)


def _drake(arm: Arm, starts: FloatArray, targets: FloatArray) -> Block:
    math = importlib.import_module("pydrake.math")
    ik = importlib.import_module("pydrake.multibody.inverse_kinematics")
    plant = importlib.import_module("pydrake.multibody.plant").MultibodyPlant(0.0)
    importlib.import_module("pydrake.multibody.parsing").Parser(plant).AddModels(str(arm.path))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    context, tool = plant.CreateDefaultContext(), plant.GetFrameByName(TOOL)
    parameters = ik.DifferentialInverseKinematicsParameters(arm.dofs, arm.dofs)
    parameters.set_time_step(FOLLOWED)
    parameters.set_nominal_joint_position(arm.middle)
    parameters.set_joint_centering_gain(0.1 * np.eye(arm.dofs))
    parameters.set_joint_position_limits((arm.lower, arm.upper))
    parameters.set_joint_velocity_limits((-arm.speed, arm.speed))

    def ask(target: Any, start: FloatArray) -> Any:
        plant.SetPositions(context, start)
        return ik.DoDifferentialInverseKinematics(plant, context, target, tool, parameters)

    poses = [math.RigidTransform(T) for T in targets]
    return Block(ask, list(zip(poses, starts, strict=True)))


def _batch(own: KidoVelocityArm, starts: FloatArray, targets: FloatArray) -> float:
    """Time of one of 10 000 states [s], on one thread."""
    many = -(-_SAMPLES // len(starts))
    q, T = np.tile(starts, (many, 1))[:_SAMPLES], np.tile(targets, (many, 1, 1))[:_SAMPLES]
    block = Block(lambda: own.ik.solve_batch(q, dt=FOLLOWED, targets={own.task: T}))
    return fastest({"kido": block}, FULL)["kido"] / _SAMPLES


def _humanoid() -> dict[str, float]:
    """Time of one step of G1 with feet, hands, gaze, centre of mass and posture [s]."""
    judge = G1()
    drawn = judge.draw(STATES)
    near = np.repeat(judge.neutral[None], STATES, axis=0)
    near[:, 7:] += _NEAR * (drawn[:, 7:] - near[:, 7:])
    goals = [judge.goal(q) for q in near]
    peers, _ = installed("task set")
    kinds: dict[str, Any] = {name: kind for name, kind in peers.items() if name in STEPPED}
    own = KidoVelocityTaskSet(judge.path, judge.joint_names, judge.neutral)
    blocks = {"kido": Block(own.follow, [(goal, own.place(judge.neutral)) for goal in goals])}
    for name, kind in kinds.items():
        solver = kind(judge.path, judge.joint_names, judge.neutral)
        blocks[name] = Block(solver.follow, [(goal, solver.home) for goal in goals])
    return fastest(blocks, FULL)


def _path(arm: Arm, own: KidoVelocityArm, follow: _Follow, prepare: Callable[[FloatArray], Any]) -> Path:
    """Along a line from the middle of the limits outwards, through the edge of what is in reach, and back."""
    q = np.array(arm.middle)
    first = np.array(own.robot.tree.transform(q, TOOL))
    away = first[:3, 3] / np.linalg.norm(first[:3, 3])
    part = np.concatenate([np.linspace(0.0, 1.0, _PATH // 2), np.linspace(1.0, 0.0, _PATH - _PATH // 2)])
    worst = jump = 0.0
    turns, last = 0, np.zeros(arm.dofs)
    for k, along in enumerate(part):
        target = first.copy()
        target[:3, 3] += along * 1.0 * away
        found = follow(prepare(target), q)
        end = q if found is None else np.asarray(found)
        change = end - q
        jump = max(jump, float(np.abs(change).max()))
        turns += int(np.sum((change * last < 0.0) & (np.minimum(np.abs(change), np.abs(last)) > _TURNED)))
        q, last = end, change
        if k > _PATH - 100 or along < 0.1:
            worst = max(worst, float(_error(own, q[None], target[None])[0]))
    return Path(worst, jump, turns)


def table(found: Velocities) -> list[Table]:
    """One row a library; one a path."""
    rows = []
    for name in ("kido", *STEPPED, "drake"):
        step, scaled = found.steps.get(name), found.scaled.get(name)
        cells = [
            "-" if step is None else duration(step.time),
            "-" if step is None else f"{100 * step.left:.2g} %",
            "-" if scaled is None else duration(scaled),
            duration(found.batch) if name == "kido" else "-",
            duration(found.humanoid[name]) if name in found.humanoid else "-",
        ]
        if any(cell != "-" for cell in cells):
            rows.append([name, *cells])
    columns = ["library", "frame, posture, limits", "error left", "Drake's program", "10 000 states", "G1"]
    notes = [
        f"{ARM}, one step of {FOLLOWED} s from Python, positions and target set: frame task, limits of",
        "positions and velocities; kido with a posture and damping",
        "Drake's program: a pose by differential_ik, and by Drake's own call",
        "G1: one step with feet, hands, center of mass, gaze, posture, limits of positions; goals near",
    ]
    paths = [
        [name, duration_of_length(p.error), f"{p.jump:.3f} rad", str(p.turns)]
        for name, p in found.paths.items()
    ]
    path_notes = [
        f"{ARM}: {_PATH} poses along a line 1 m outwards, beyond what is in reach, and back, one step each",
        "error: largest, near both ends, where all poses are in reach; turns: of joints, by more than 1 mrad",
    ]
    return [
        Table("Velocities: one step", columns, rows, notes),
        Table("Velocities: a path beyond reach", ["library", "error", "jump", "turns"], paths, path_notes),
    ]


def duration_of_length(length: float) -> str:
    """A length in millimetres."""
    return f"{1e3 * length:.3g} mm"
