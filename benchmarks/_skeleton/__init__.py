"""The benchmark of skeletons: set numbers of a robot, ask it something."""

from _skeleton._main import main

__all__ = ["main"]
