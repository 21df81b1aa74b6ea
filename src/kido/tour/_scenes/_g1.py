"""A real humanoid robot that stands."""

from __future__ import annotations

import warnings
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from kido import gallery
from kido.errors import ModelWarning
from kido.io import read
from kido.shape import Sphere
from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.tour._balance import Balance
from kido.tour._stage import Stage
from kido.view import DEFAULT_LAYERS, Layer, Orbit, Viewer
from kido.world import World

__all__ = ["g1", "g1_file"]

_FILE = "cmeel.prefix/share/example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf"
_SIDES = ("left", "right")
_POSTURE = {"hip_pitch": -0.25, "knee": 0.5, "ankle_pitch": -0.25, "elbow": 0.9}
_AGAINST_FORWARD = (
    *((f"{side}_ankle_pitch_joint", 2.0, 0.25) for side in _SIDES),
    *((f"{side}_hip_pitch_joint", -4.0, 0.9) for side in _SIDES),
    *((f"{side}_shoulder_pitch_joint", 12.0, 2.2) for side in _SIDES),
    ("waist_pitch_joint", 3.0, 0.45),
)
_AGAINST_ASIDE = tuple((f"{side}_ankle_roll_joint", -1.5, 0.25) for side in _SIDES)
_CAPTURE = 0.27
"""Time in which it falls by its own size [s]."""


def g1_file() -> Path | None:
    """The model file of the robot; None where the package example-robot-data is not installed."""
    try:
        file = Path(str(distribution("example-robot-data").locate_file(_FILE)))
    except PackageNotFoundError:
        return None
    return file if file.is_file() else None


def g1() -> Stage:
    """Unitree's G1, with its meshes, stands under servos that act against what pushes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = Skeleton.from_description(read(str(g1_file()), root="free"))
    for side in _SIDES:
        for joint, angle in _POSTURE.items():
            robot.dof(f"{side}_{joint}_joint").position = angle
    feet = [robot.body(f"{side}_ankle_roll_link") for side in _SIDES]
    robot.dof(5).position -= min(map(_lowest, feet))
    world = World([gallery.ground(), robot], time_step=2e-3)
    balance = Balance(world, robot, feet, _AGAINST_FORWARD, _AGAINST_ASIDE, capture=_CAPTURE)
    torso = robot.body("torso_link")

    def push(impulse: float = 10.0) -> None:
        torso.apply_impulse((impulse, 0.0, 0.0), (0.0, 0.0, 0.2), offset_in_world=False)

    def panel(viewer: Viewer) -> None:
        impulse = viewer.add_slider("push [N s]", -10.0, 15.0, value=10.0, step=0.5)

        def click() -> None:
            push(impulse.value)
            viewer.play()

        viewer.add_button("Push its chest", click)
        balance.show(viewer)

    layers = (*DEFAULT_LAYERS, Layer.SUPPORT)
    return Stage(
        what=world, camera=Orbit(40.0, 12.0), layers=layers, panel=panel, pose=push, picture_time=0.25
    )


def _lowest(foot: BodyNode) -> float:
    """Height of the lowest point of a foot, whose shapes for contact are spheres [m]."""
    return min(
        float(node.transform()[2, 3]) - node.shape.radius
        for node in foot.nodes(ShapeNode)
        if isinstance(node.shape, Sphere)
    )
