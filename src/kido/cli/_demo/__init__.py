"""`kido demo`: kinematics and dynamics of real robots, in numbers and pictures."""

from __future__ import annotations

from kido.cli._demo._robots import DemoRobot, example_robots
from kido.cli._demo._run import run_demo

__all__ = ["DemoRobot", "example_robots", "run_demo"]
