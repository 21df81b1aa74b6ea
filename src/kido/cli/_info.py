"""`kido info`: summary and tables of a model file."""

from __future__ import annotations

from rich.console import Console

from kido.cli._console import print_heading, print_pairs, print_table
from kido.description import RobotDescription
from kido.tree import describe_summary

__all__ = ["print_info"]


def print_info(console: Console, robot: RobotDescription) -> None:
    """Print a robot: summary, bodies, joints with their limits, and what is doubtful in its file."""
    print_heading(console, f"Robot {robot.name}")
    summary = describe_summary(robot)
    print_pairs(console, summary.pairs)
    for table in summary.tables:
        print_table(console, table.title, table.header, table.texts(), numbers=table.numbers)
