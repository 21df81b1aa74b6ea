"""Soft bodies: fingers with pads of rubber lift a box, a humanoid stands on soft soles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from examples.demo.scene import Scene, Vector, draw_scenes
from kido.cli import print_heading, print_pairs
from kido.skeleton import Skeleton, SoftBodyNode
from kido.tour import scene_of
from kido.world import World

__all__ = ["show_soft_bodies"]

_MOMENTS = (0.0, 1.6, 3.0)
"""When the box is drawn [s]."""
_CAMERA: tuple[Vector, Vector, Vector] = ((0.75, -0.5, 0.42), (0.0, 0.0, 0.2), (0.0, 0.0, 1.0))
_FEET: tuple[Vector, Vector, Vector] = ((0.7, -0.5, 0.2), (0.03, 0.0, 0.06), (0.0, 0.0, 1.0))


def show_soft_bodies(console: Console, output: Path, *, stands: float, size: tuple[int, int]) -> list[Path]:
    """Let the tour's gripper lift its box, and its humanoid stand for a time [s]; draw both.

    Returns the pictures, none where the machine has no OpenGL.
    """
    print_heading(console, "Soft bodies")
    output.mkdir(parents=True, exist_ok=True)
    pictures = _show_grasp(console, output / "soft_grasp.png", size)
    return pictures + _show_standing(console, output / "soft_soles.png", stands, size)


def _show_grasp(console: Console, picture: Path, size: tuple[int, int]) -> list[Path]:
    world = _world("soft_grasping")
    gripper, box = world.skeleton("soft gripper"), world.skeleton("box")
    pads, scenes = _soft(gripper), []
    for moment in _MOMENTS:
        world.step(round((moment - world.time) / world.time_step))
        scenes.append(Scene([gripper.clone(), box.clone()], camera=_CAMERA))
    print_pairs(
        console,
        [
            (
                "gripper",
                f"{len(pads)} pads of {pads[0].num_points} point masses, {pads[0].mass * 1e3:.0f} g each",
            ),
            ("box", f"{box.mass:g} kg, {box.com()[2]:.3f} m high after {world.time:g} s"),
            ("pads", f"pressed by {_pressed(pads, 1):.1f} mm, {_touching(world, pads)} points touch"),
        ],
    )
    return draw_scenes(console, picture, scenes, size)


def _show_standing(console: Console, picture: Path, stands: float, size: tuple[int, int]) -> list[Path]:
    world = _world("soft_soles")
    robot = next(skeleton for skeleton in world.skeletons if _soft(skeleton))
    soles, start = _soft(robot), robot.com()
    world.step(round(stands / world.time_step))
    print_pairs(
        console,
        [
            (
                "humanoid",
                f"stands for {world.time:g} s, its center of mass moves by "
                f"{1e3 * float(np.linalg.norm(robot.com() - start)):.1f} mm",
            ),
            ("soles", f"pressed by {_pressed(soles, 2):.2f} mm, {_touching(world, soles)} points touch"),
        ],
    )
    return draw_scenes(console, picture, [Scene([robot.clone()]), Scene([robot.clone()], camera=_FEET)], size)


def _world(scene: str) -> World:
    world = scene_of(scene).make().world
    assert world is not None
    return world


def _soft(skeleton: Skeleton) -> list[SoftBodyNode]:
    return [body for body in skeleton.bodies if isinstance(body, SoftBodyNode)]


def _pressed(bodies: Sequence[SoftBodyNode], axis: int) -> float:
    """The largest displacement of a point along an axis of its body [mm]."""
    return 1e3 * max(float(np.abs(body.displacements[:, axis]).max()) for body in bodies)


def _touching(world: World, bodies: Sequence[SoftBodyNode]) -> int:
    """Contacts of soft bodies."""
    nodes = [body.skin_node for body in bodies]
    return sum(contact.first in nodes or contact.second in nodes for contact in world.contacts)
