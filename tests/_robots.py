"""Robots of the pip package example-robot-data, loaded and compiled once."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import files
from pathlib import Path

import kido
from kido.errors import ModelWarning

EMPTY = "ur3.urdf"
"""A file of the package whose robot has no links; Pinocchio refuses it."""


@cache
def robot_files() -> dict[str, Path]:
    """Every URDF file with links, by its path inside the package's folder of robots."""
    paths = {
        str(file).partition("robots/")[2]: Path(str(file.locate()))
        for file in files("example-robot-data") or ()
        if file.suffix == ".urdf" and file.name != EMPTY
    }
    return dict(sorted(paths.items()))


@cache
def robot(name: str, root: str = "fixed") -> kido.Tree:
    """The compiled tree of a file; doubts about the model are not of interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return kido.load_tree(robot_files()[name], root=root)


@cache
def loaded(name: str) -> kido.Skeleton:
    """The skeleton of a file, shared by all who ask: whoever changes more than positions clones it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return kido.load(robot_files()[name])
