"""Properties of an inverse kinematics module, which are saved with its skeleton."""

from __future__ import annotations

from dataclasses import dataclass

from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._gradient_methods._damped_least_squares import DampedLeastSquares
from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._search._settings import SearchSettings
from kido.typing import ArrayLike, FloatArray, Value, frozen_array

__all__ = ["DEFAULT_GRADIENT_METHOD", "IKProperties"]

DEFAULT_GRADIENT_METHOD = DampedLeastSquares()
_DEFAULT_ERROR_METHOD, _DEFAULT_SETTINGS = TaskSpaceRegion(), SearchSettings()


@dataclass(frozen=True, slots=True, eq=False, init=False)
class IKProperties(Value):
    """Parts of an inverse kinematics module that do not depend on the state of its skeleton.

    Attributes:
        offset: point (3,) of the node that shall reach the target's origin, in the node's coordinates [m].
        error_method: measures the error of the node.
        gradient_method: turns an error into a step of the dofs.
        settings: of the search.
        active: whether hierarchies of modules take part of this one.
        hierarchy_level: rank among other modules, 0 the first [-].
    """

    offset: FloatArray
    error_method: ErrorMethod
    gradient_method: GradientMethod
    settings: SearchSettings
    active: bool
    hierarchy_level: int

    def __init__(
        self,
        offset: ArrayLike = (0.0, 0.0, 0.0),
        error_method: ErrorMethod | None = None,
        gradient_method: GradientMethod | None = None,
        settings: SearchSettings | None = None,
        active: bool = True,
        hierarchy_level: int = 0,
    ) -> None:
        """Raises TypeError or ValueError, naming the argument; a part that is None is the default one."""
        level = hierarchy_level
        if isinstance(level, bool) or not isinstance(level, int) or level < 0:
            raise ValueError(f"hierarchy_level: expected an integer, 0 or above, got {level!r}")
        self._assign(
            offset=frozen_array("offset", offset, (3,), "m"),
            error_method=_part("error_method", ErrorMethod, error_method, _DEFAULT_ERROR_METHOD),
            gradient_method=_part(
                "gradient_method", GradientMethod, gradient_method, DEFAULT_GRADIENT_METHOD
            ),
            settings=_part("settings", SearchSettings, settings, _DEFAULT_SETTINGS),
            active=bool(active),
            hierarchy_level=level,
        )


def _part(name: str, kind: type, value: object, default: object) -> object:
    chosen = default if value is None else value
    if not isinstance(chosen, kind):
        raise TypeError(f"{name}: expected {kind.__name__}, got {type(chosen).__name__}")
    return chosen
