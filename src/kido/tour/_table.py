"""The table of the tour's scenes."""

from __future__ import annotations

from kido.errors import UnknownNameError
from kido.tour._scene import TourScene
from kido.tour._scenes._arm_on_track import arm_on_track
from kido.tour._scenes._balancing import balancing
from kido.tour._scenes._cart_pole import cart_pole
from kido.tour._scenes._dominoes import dominoes
from kido.tour._scenes._double_pendulums import double_pendulums
from kido.tour._scenes._g1 import g1, g1_file
from kido.tour._scenes._hand_grasping import hand_grasping
from kido.tour._scenes._humanoid import humanoid
from kido.tour._scenes._newtons_cradle import newtons_cradle
from kido.tour._scenes._planetary_gears import planetary_gears
from kido.tour._scenes._quadruped_on_slope import quadruped_on_slope
from kido.tour._scenes._ragdolls import ragdolls
from kido.tour._scenes._soft_grasping import soft_grasping
from kido.tour._scenes._soft_soles import soft_soles
from kido.tour._scenes._stacked_boxes import stacked_boxes
from kido.tour._scenes._walking_linkage import walking_linkage
from kido.tour._scenes._wrecking_ball import wrecking_ball

__all__ = ["SCENES", "scene_of"]

_SCENES = (
    TourScene(
        "Drag the humanoid",
        "Drag a hand by its arrows: the whole body follows by inverse kinematics, its center of mass stays "
        "over its feet, and its eyes look at the left hand.",
        humanoid,
    ),
    TourScene(
        "An arm on a track",
        "Eight joints follow a line that is longer than the arm reaches. Drag the target away from it.",
        arm_on_track,
    ),
    TourScene(
        "Stacked boxes",
        "Twenty-eight boxes that nothing but friction holds. Throw the ball, or pull a box out by the mouse.",
        stacked_boxes,
    ),
    TourScene(
        "Newton's cradle",
        "Elastic balls: as many fly off as came. Choose how many are pulled aside.",
        newtons_cradle,
    ),
    TourScene(
        "A linkage that walks",
        "Eight legs by Theo Jansen, 24 closed loops of bars, and one motor. Drive it back and forth.",
        walking_linkage,
    ),
    TourScene(
        "A hand that grasps",
        "Two fingers build a tower here, then there. Knock it over, pull a box away: the hand fetches it.",
        hand_grasping,
    ),
    TourScene(
        "Soft fingers",
        "Pads of rubber on two fingers close on a box, lift it and put it back. Watch how far they yield.",
        soft_grasping,
    ),
    TourScene(
        "Soft soles",
        "A humanoid on two centimeters of rubber. Throw a ball at it, and see where its weight goes.",
        soft_soles,
    ),
    TourScene(
        "A quadruped on a slope",
        "It trots up, turns around and comes down again. Pull it aside by the mouse: it finds its way back.",
        quadruped_on_slope,
    ),
    TourScene(
        "Double pendulums",
        "Twelve of them, each a thousandth of a radian from the next: for some seconds they move as one.",
        double_pendulums,
    ),
    TourScene(
        "A biped that balances",
        "Ankles, hips and arms act against what pushes it. Throw the ball faster, or turn its balance off.",
        balancing,
    ),
    TourScene(
        "A pole on a cart",
        "Feedback from derivatives of the dynamics. Move its goal, tap the pole, or pull it by the mouse.",
        cart_pole,
    ),
    TourScene(
        "A wrecking ball",
        "Sixty kilograms on a chain of ball joints meet a wall of bricks. Pull the ball back and let go.",
        wrecking_ball,
    ),
    TourScene(
        "Planetary gears",
        "The sun turns planets in a ring, and a pinion on their carrier lifts a weight of 20 kg by a rack.",
        planetary_gears,
    ),
    TourScene(
        "Ragdolls on stairs",
        "Four humanoids with damped joints, whose limits hold. Pull one up by the mouse and let it fall.",
        ragdolls,
    ),
    TourScene(
        "Dominoes",
        "Ninety of them along a spiral; those that nothing moves any more sleep.",
        dominoes,
    ),
)
"""Scenes of what kido brings along."""
_G1 = TourScene(
    "A real robot",
    "Unitree's G1 with its meshes, 29 motors as servos. Push its chest, or pull it by the mouse.",
    g1,
)
SCENES = (*_SCENES, _G1) if g1_file() is not None else _SCENES
"""All scenes, in the order in which they are shown; that of a real robot where its model is installed."""


def scene_of(name: str) -> TourScene:
    """The scene of a name. Raises UnknownNameError."""
    for scene in SCENES:
        if scene.name == name:
            return scene
    raise UnknownNameError("scene", name, [scene.name for scene in SCENES], "kido.tour")
