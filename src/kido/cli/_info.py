"""`kido info`: summary and tables of a model file."""

from __future__ import annotations

from rich.console import Console

from kido.cli._console import print_heading, print_pairs, print_table
from kido.cli._robot_tables import robot_pairs, robot_tables
from kido.description import RobotDescription

__all__ = ["print_info"]


def print_info(console: Console, robot: RobotDescription) -> None:
    """Print a robot: summary, bodies, joints with their limits, and what is doubtful in its file."""
    print_heading(console, f"Robot {robot.name}")
    print_pairs(console, robot_pairs(robot))
    for table in robot_tables(robot):
        print_table(console, table.title, table.header, table.texts(), numbers=table.numbers)
