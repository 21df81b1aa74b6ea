"""Skeletons made in code: pendulums, arms, hands, walking and rolling robots, mechanisms.

Each call makes a fresh one. They have the sizes, masses, limits and torques of robots that exist, but are
models of none. x is forward, y to the left, z up; what stands, stands on the plane z = 0. Every link consists
of primitive solids of uniform density, which are its look, its contact geometry, and the source of its
inertia.
"""

from kido.gallery._arm import arm
from kido.gallery._arm7 import arm7
from kido.gallery._cam import CamJoint, cam
from kido.gallery._cart_pole import cart_pole
from kido.gallery._four_bar import FourBarJoint, four_bar
from kido.gallery._gripper import gripper
from kido.gallery._hand import hand
from kido.gallery._humanoid import humanoid
from kido.gallery._objects import ball, box, ground, rigid_body
from kido.gallery._pendulum import chain, double_pendulum, pendulum
from kido.gallery._quadruped import quadruped
from kido.gallery._registry import make, names
from kido.gallery._wheeled_base import wheeled_base

__all__ = [
    "CamJoint",
    "FourBarJoint",
    "arm",
    "arm7",
    "ball",
    "box",
    "cam",
    "cart_pole",
    "chain",
    "double_pendulum",
    "four_bar",
    "gripper",
    "ground",
    "hand",
    "humanoid",
    "make",
    "names",
    "pendulum",
    "quadruped",
    "rigid_body",
    "wheeled_base",
]
