"""What each example shows: a function of its number draws what its names stand for once it has run."""

from __future__ import annotations

import itertools
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import kido
from examples.pictures._style import Canvas, Pixels, way_of
from kido.view import Orbit

__all__ = ["PICTURES", "example_file", "example_names", "hanging_bridge"]

EXAMPLES = Path(__file__).parents[1]
_DOCS = EXAMPLES.parent / "docs" / "images"
Names = dict[str, Any]
Picture = Callable[[Canvas, Names], Pixels]


def example_file(number: int) -> Path:
    """The file of an example."""
    return next(EXAMPLES.glob(f"{number:02d}_*.py"))


def example_names(number: int) -> Names:
    """What is left of an example when it has run."""
    path = example_file(number)
    with patch.object(sys, "argv", [str(path)]):
        return runpy.run_path(str(path))


def _arm(**positions: float) -> kido.Skeleton:
    robot = kido.load(EXAMPLES / "arm.urdf")
    robot.positions = positions
    return robot


def _load_and_ask(canvas: Canvas, names: Names) -> Pixels:
    robot = _arm(lift=0.6, elbow=0.9, turn=0.4)
    return canvas.shot(robot, frames=[robot.body("tool"), robot.body("forearm")])


def _dynamics(canvas: Canvas, names: Names) -> Pixels:
    robot = _arm(lift=np.pi / 2)
    world = kido.World([robot])
    way = []
    for _ in range(60):
        world.step(10)
        way.append(robot.body("tool").transform()[:3, 3])
    return canvas.shot(_arm(lift=np.pi / 2), trajectories=[way], camera="left")


def _batches(canvas: Canvas, names: Names) -> Pixels:
    robot = _arm()
    q = robot.tree.random_positions(np.random.default_rng(0), 100_000)
    tool = robot.tree.transform(q, "tool")[:, :3, 3]

    def draw(axes: Any) -> None:
        cells = axes.hexbin(tool[:, 0], tool[:, 2], gridsize=35, cmap="viridis", mincnt=1, linewidths=0.1)
        axes.set(xlabel="x [m]", ylabel="z [m]", aspect="equal")
        axes.figure.colorbar(cells, label="postures in a cell")

    return canvas.plot(draw)


def _in_code(canvas: Canvas, names: Names) -> Pixels:
    robot = kido.gallery.cart_pole()
    robot.positions = [0.2, 0.5]
    return canvas.shot(robot)


def _derivatives(canvas: Canvas, names: Names) -> Pixels:
    A, B, K = names["A"], names["B"], names["K"]
    n = len(K)
    states, rates = [np.r_[np.full(n, 0.1), np.zeros(n)]], A - B @ K
    for _ in range(300):
        states.append(states[-1] + 0.005 * rates @ states[-1])

    def draw(axes: Any) -> None:
        axes.plot(0.005 * np.arange(301), np.array(states)[:, :n])
        axes.set(xlabel="time [s]", ylabel="deviation of the joints [rad]")

    return canvas.plot(draw)


def _free_root(canvas: Canvas, names: Names) -> Pixels:
    robot = kido.load(EXAMPLES / "arm.urdf", root="free")
    robot.positions = names["q"]
    return canvas.shot(robot, ground=False, frames=[robot.body("base")], show=["center_of_mass"], sticks=True)


def _rotations(canvas: Canvas, names: Names) -> Pixels:
    boxes = []
    for k, share in enumerate(np.linspace(0.0, 1.0, 4)):
        box = kido.gallery.box((0.34, 0.24, 0.12), name=f"box_{k}")
        box.positions = [*(share * np.array([0.6, 0.5, 2.4])), 0.0, 0.42 * k, 0.3 + 0.35 * share]
        boxes.append(box)
    return canvas.shot(*boxes, frames=[box.body(0) for box in boxes])


def _frames(canvas: Canvas, names: Names) -> Pixels:
    robot, hand = names["robot"], names["hand"]
    return canvas.shot(robot, frames=[hand, names["upper_arm"], names["pelvis"], names["gaze"]])


def _crane(canvas: Canvas, names: Names) -> Pixels:
    crane, beam = names["crane"], names["beam"]
    crane.positions = {"slew": 0.9, "travel": 30.0, "hoist": 20.0}
    crane.body("jib").add_shape_node(beam, names["shifted"](15.0))
    crane.body("jib").add_shape_node(names["ballast"], names["shifted"](-14.0))
    rope = kido.shape.Cylinder(0.12, 20.0)
    crane.body("load").add_shape_node(rope, np.array([*np.eye(4)[:2], [0, 0, 1, 10.0], [0, 0, 0, 1]]))
    return canvas.shot(crane)


def _edited(canvas: Canvas, names: Names) -> Pixels:
    robot = kido.gallery.arm7()
    robot.positions = [0.4, 0.7, 0.0, 1.2, 0.0, 0.9, 0.0]
    mount = kido.WeldJoint("mount", T_parent_joint=robot.end_effector("tool").relative_transform)
    kido.gallery.gripper().body("gripper").move_to(robot.body("link_7"), joint=mount)
    return canvas.shot(robot)


def _sensor(canvas: Canvas, names: Names) -> Pixels:
    return canvas.shot(kido.gallery.quadruped(), names["robot"], frames=[names["imu"]])


def _occupancy(canvas: Canvas, names: Names) -> Pixels:
    chest = names["chest"]
    grid = chest.addon(names["OccupancyGrid"]).properties
    cells = np.argwhere(grid.cells[::4, ::4, ::4] > 0)
    body = chest.body
    for k, cell in enumerate((cells - 4.5) * 4.0 * grid.size):
        place = chest.relative_transform.copy()
        place[:3, 3] += place[:3, :3] @ cell
        cube = kido.shape.Box((0.03, 0.03, 0.03))
        body.add_shape_node(cube, place, name=f"cell_{k}", material=_paint(0.16, 0.52, 0.80))
    chest.remove()
    return canvas.shot(names["robot"])


def _paint(red: float, green: float, blue: float) -> kido.description.Material:
    return kido.description.Material("paint", (red, green, blue, 1.0))


def _four_bar(canvas: Canvas, names: Names) -> Pixels:
    linkage = names["linkage"]
    linkage.positions = [0.9]
    ends = [linkage.end_effector(name).transform()[:3, 3] for name in ("crank_end", "rocker_end")]
    bars = [_bar(*line) for line in zip(ends, np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]]), strict=True)]
    return canvas.shot(linkage, *bars, trajectories=[names["curve"]], camera="right", ground=False)


def _bar(start: Any, end: Any) -> kido.Skeleton:
    """The bar between two hinges in the plane xz, which the joint of the linkage stands for."""
    (x, _, z), length = end - start, np.linalg.norm(end - start)
    bar = kido.gallery.rigid_body(kido.shape.Capsule(0.01, length), name=f"bar to {end}")
    bar.positions = [0.0, np.arctan2(x, z), 0.0, *(start + end) / 2.0]
    bar.body(0).shape_nodes[0].material = _paint(0.45, 0.47, 0.50)
    return bar


def _hand_ik(canvas: Canvas, names: Names) -> Pixels:
    robot, tool, down = kido.gallery.arm7(), "tool", names["pointing_down"]
    ik = kido.InverseKinematics.of(robot.end_effector(tool))
    way = []
    for angle in np.linspace(0.0, 2.0 * np.pi, 60):
        ik.target.set_transform(down(0.42 + 0.12 * np.cos(angle), 0.2 * np.sin(angle), 0.25))
        ik.solve_and_apply()
        way.append(robot.end_effector(tool).transform()[:3, 3])
    return canvas.shot(robot, trajectories=[way], frames=[ik.target])


def _pictures(canvas: Canvas, names: Names) -> Pixels:
    return canvas.shot(names["robot"], names["quadruped"], trajectories=[names["way"]])


def _constrained_hand(canvas: Canvas, names: Names) -> Pixels:
    return canvas.shot(names["robot"], names["tray"], camera=names["camera"], frames=[names["ik"].target])


def _flat_feet(canvas: Canvas, names: Names) -> Pixels:
    return canvas.shot(names["robot"], frames=names["soles"])


def _touching(canvas: Canvas, names: Names) -> Pixels:
    return canvas.shot(names["robot"], names["scene"], camera=names["camera"])


def _carrying(canvas: Canvas, names: Names) -> Pixels:
    names["box"].positions = [0.0, 0.0, 0.7, 0.30, 0.24, 1.15]
    names["gaze"].target = kido.SimpleFrame("seen", names["load"])
    names["whole"].solve_and_apply()
    camera = ((2.6, -1.9, 1.5), (0.1, 0.0, 0.78), (0.0, 0.0, 1.0))
    return canvas.shot(names["robot"], names["box"], camera=camera)


def _same_constraints(canvas: Canvas, names: Names) -> Pixels:
    robot = names["robot"]
    shown = []
    for k, goals in enumerate(names["stands"]):
        robot.positions = names["start"]
        names["whole"].null_space_objective = names["posture"](names["stands"][goals])
        names["whole"].solve_and_apply()
        shown.append(robot.clone(f"{goals}"))
        shown[-1].positions = shown[-1].positions + _along(robot, 0.85 * (k - 1.5))
    return canvas.shot(*shown, camera="front")


def _along(robot: kido.Skeleton, y: float) -> Any:
    shift = np.zeros(robot.num_dofs)
    shift[robot.dof("root_pos_y").index] = y
    return shift


def _world(canvas: Canvas, names: Names) -> Pixels:
    return canvas.shot(names["arm"], frames=[names["arm"].end_effector("tool")])


def _fallen(canvas: Canvas, names: Names) -> Pixels:
    world = names["world"]
    world.restore(names["saved"])
    world.step(1150)
    return canvas.shot(world, show=["contacts", "forces"])


def _drifts(canvas: Canvas, names: Names) -> Pixels:
    drifts = names["drifts"]

    def draw(axes: Any) -> None:
        axes.barh(list(drifts), list(drifts.values()), log=True)
        axes.set(xlabel="largest change of energy [J]")

    return canvas.plot(draw)


def _slides(canvas: Canvas, names: Names) -> Pixels:
    ways, theory = names["ways"], names["theory"]

    def draw(axes: Any) -> None:
        axes.barh(list(ways), [1e3 * way for way in ways.values()])
        axes.axvline(1e3 * theory, color="C1", linestyle="--")
        axes.set(xlabel="it slides [mm]; dashed: v² / 2 μ g")

    return canvas.plot(draw)


def _scanner(canvas: Canvas, names: Names) -> Pixels:
    scan, rays = names["scan"], names["rays"]
    rays = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    seen = np.flatnonzero(np.isfinite(scan.distance))[::12]
    lines = [np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0] + scan.distance[k] * rays[k]]) for k in seen]
    names["boxes"][3].positions = [0.0, 0.0, 0.3, 1.6, 1.4, 0.5]
    return canvas.shot(names["terrain"], *names["boxes"][1:], trajectories=lines)


def hanging_bridge() -> kido.World:
    """A hanging bridge: planks that balls in sockets hold together, and to the world."""
    slopes, pitch = np.linspace(-0.5, 0.5, 11), 0.2
    steps = pitch * np.stack([np.cos(slopes), np.sin(slopes)], axis=1)
    joints = np.array([-0.5 * steps[:, 0].sum(), 1.0]) + np.r_[np.zeros((1, 2)), np.cumsum(steps, axis=0)]
    planks = []
    for k, slope in enumerate(slopes):
        plank = kido.gallery.box((0.17, 0.5, 0.03), mass=1.0, name=f"plank_{k}")
        x, z = joints[k : k + 2].mean(axis=0)
        plank.positions = [0.0, -slope, 0.0, x, 0.0, z]
        plank.damping = [0.05] * 3 + [1.0] * 3
        planks.append(plank.body(0))
    world = kido.World([plank.skeleton for plank in planks])
    held = [(planks[0],), *itertools.pairwise(planks), (planks[-1],)]
    for bodies, (x, z) in zip(held, joints, strict=True):
        for y in (-0.2, 0.2):
            world.constraints.add(kido.BallConstraint(*bodies, point=(x, y, z)))
    return world


def _constraints(canvas: Canvas, names: Names) -> Pixels:
    world = hanging_bridge()
    world.step(1500)
    return canvas.shot(world, ground=0.0)


def _actuators(canvas: Canvas, names: Names) -> Pixels:
    angles: dict[str, list[float]] = {}
    for actuator in kido.ActuatorType:
        robot = names["pendulum"](actuator)
        robot.force_lower_limits, robot.force_upper_limits = [-20.0, -5.0], [20.0, 5.0]
        robot.commands = {"leader": 0.5} | ({"swing": 0.5} if actuator.takes_commands else {})
        world, swing = kido.World([robot]), robot.dof("swing")
        angles[actuator.value] = []
        for _ in range(50):
            world.step(10)
            angles[actuator.value].append(swing.position)

    def draw(axes: Any) -> None:
        for name, angle in angles.items():
            axes.plot(0.01 * np.arange(1, 51), angle, label=name)
        axes.set(xlabel="time [s]", ylabel="swing [rad]")
        axes.legend(frameon=False)

    return canvas.plot(draw)


def _sleeping(canvas: Canvas, names: Names) -> Pixels:
    return canvas.shot(names["world"], camera=Orbit(azimuth=-60.0, elevation=18.0))


def _recorded(canvas: Canvas, names: Names) -> Pixels:
    run, robot = names["run"], names["robot"]
    playback = run.playback()
    shown = []
    for k, time in enumerate((0.0, 0.5, 0.75, 1.0)):
        playback.time = time
        copy = playback.skeletons[1].clone(f"at {time}")
        copy.positions = copy.positions + _along(robot, -1.1 * k)
        shown.append(copy)
    return canvas.shot(*shown)


def _viewer(canvas: Canvas, names: Names) -> Pixels:
    return canvas.file(str(_DOCS / "viewer-world.png"))


def _avoiding(canvas: Canvas, names: Names) -> Pixels:
    ways = [names["straight"], names["around"]]
    names["robot"].positions = names["home"]
    return canvas.shot(names["robot"], names["obstacle"], trajectories=ways)


def _global(canvas: Canvas, names: Names) -> Pixels:
    robot = names["robot"]
    found = [verdict for verdict in names["verdicts"] if verdict]
    robot.positions = np.r_[kido.gallery.humanoid().positions[:6], found[0].positions[6:]]
    hand = robot.end_effector("left_hand")
    return canvas.shot(robot, frames=[hand], camera=Orbit(azimuth=150.0, elevation=15.0))


def _welding(canvas: Canvas, names: Names) -> Pixels:
    robot, path, torch = names["robot"], names["path"], names["torch"]
    way = way_of(robot, path.positions, torch)
    robot.positions = path.positions[40]
    return canvas.shot(robot, trajectories=[way], frames=[torch])


def _hand_on_wall(canvas: Canvas, names: Names) -> Pixels:
    robot, pane = names["robot"], kido.gallery.box((0.02, 1.2, 1.7), name="pane")
    pane.positions = [0.0, 0.0, 0.0, 0.56, 0.0, 0.85]
    names["problem"].set_positions(names["result"])
    return canvas.shot(kido.World([robot, pane]), camera=Orbit(azimuth=-120.0, elevation=12.0))


PICTURES: dict[int, Picture] = {
    1: _load_and_ask,
    2: _dynamics,
    3: _batches,
    4: _in_code,
    5: _derivatives,
    6: _free_root,
    7: _rotations,
    8: _frames,
    9: _crane,
    10: _edited,
    11: _sensor,
    12: _occupancy,
    13: _four_bar,
    14: _hand_ik,
    15: _pictures,
    16: _constrained_hand,
    17: _flat_feet,
    18: _touching,
    19: _carrying,
    20: _same_constraints,
    21: _fallen,
    22: _world,
    23: _drifts,
    24: _slides,
    25: _scanner,
    26: _constraints,
    27: _actuators,
    28: _sleeping,
    29: _recorded,
    30: _viewer,
    31: _avoiding,
    32: _global,
    33: _welding,
    34: _hand_on_wall,
}
"""By the number of the example."""
