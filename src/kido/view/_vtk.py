"""The optional package that draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from kido.errors import MissingDependencyError

__all__ = ["load_vtk", "quiet_vtk"]

_MODULES = (
    "vtkCommonCore",
    "vtkCommonDataModel",
    "vtkCommonMath",
    "vtkRenderingCore",
    "vtkRenderingFreeType",
    "vtkRenderingOpenGL2",
    "util.numpy_support",
)


def load_vtk() -> Any:
    """The classes of VTK by name. Raises MissingDependencyError where it is not installed."""
    try:
        return _classes()
    except ImportError:
        raise MissingDependencyError("vtk", "render", "kido.render") from None


@cache
def _classes() -> SimpleNamespace:
    found: dict[str, Any] = {}
    for name in _MODULES:
        found |= vars(import_module(f"vtkmodules.{name}"))
    return SimpleNamespace(**{name: value for name, value in found.items() if not name.startswith("__")})


@contextmanager
def quiet_vtk() -> Iterator[None]:
    """Without VTK's messages on standard error, as those about a display that is not there."""
    logger = load_vtk().vtkLogger
    before = logger.GetCurrentVerbosityCutoff()
    logger.SetStderrVerbosity(logger.VERBOSITY_OFF)
    try:
        yield
    finally:
        logger.SetStderrVerbosity(before)
