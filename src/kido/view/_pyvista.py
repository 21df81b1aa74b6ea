"""The optional package that draws."""

from __future__ import annotations

from typing import Any

from kido.errors import MissingDependencyError

__all__ = ["load_pyvista"]


def load_pyvista() -> Any:
    """The module pyvista. Raises MissingDependencyError where it is not installed."""
    try:
        import pyvista
    except ImportError:
        raise MissingDependencyError("pyvista", "render", "kido.render") from None
    return pyvista
