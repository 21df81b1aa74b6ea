"""Properties of an inverse kinematics module, which are saved with its skeleton."""

from __future__ import annotations

from dataclasses import is_dataclass

from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._gradient_methods._damped_methods import DampedLeastSquares
from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._search._settings import SearchSettings
from kido.values import Array, Checked, Value, array, checked, flag, frozen_content, require_frozen, value

__all__ = ["DEFAULT_GRADIENT_METHOD", "IKProperties"]

DEFAULT_GRADIENT_METHOD = DampedLeastSquares()
_DEFAULT_ERROR_METHOD, _DEFAULT_SETTINGS = TaskSpaceRegion(), SearchSettings()


def _error_method(name: str, value: ErrorMethod | None) -> ErrorMethod:
    method = _DEFAULT_ERROR_METHOD if value is None else value
    _require(name, ErrorMethod, method)
    return frozen_content(method)


def _gradient_method(name: str, value: GradientMethod | None) -> GradientMethod:
    method = DEFAULT_GRADIENT_METHOD if value is None else value
    _require(name, GradientMethod, method)
    return frozen_content(method)


def _search_settings(name: str, value: SearchSettings | None) -> SearchSettings:
    settings = _DEFAULT_SETTINGS if value is None else value
    _require(name, SearchSettings, settings)
    return settings


def _require(name: str, kind: type, part: object) -> None:
    if not isinstance(part, kind):
        got = type(part).__name__
        if isinstance(part, type):
            got = f"the class {part.__name__} and no instance"
        raise TypeError(f"{name}: expected {kind.__name__}, got {got}")
    if is_dataclass(part):
        require_frozen(name, type(part))


def _level(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name}: expected an integer, 0 or above, got {value!r}")
    return value


def _required(name: str, value: bool | None) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"{name}: expected True, False or None, got {value!r}")
    return value


@value
class IKProperties(Value):
    """Parts of an inverse kinematics module that do not depend on the state of its skeleton.

    Attributes:
        offset: point (3,) of the node that shall reach the target's origin, in the node's coordinates [m].
        error_method: measures the error of the node.
        gradient_method: turns an error into a step of the dofs.
        settings: of the search.
        active: whether hierarchies of modules take part of this one.
        hierarchy_level: rank among other modules, 0 the first [-].
        is_required: whether a hierarchy fails while there is an error; None: as the error method has it.

    A part that is None is the default one. A part that is a dataclass has to be a frozen one, and its arrays
    become read-only. Raises TypeError or ValueError, naming the argument.
    """

    offset: Array = array(3, unit="m", default=(0.0, 0.0, 0.0))
    error_method: Checked[ErrorMethod | None, ErrorMethod] = checked(_error_method, default=None)
    gradient_method: Checked[GradientMethod | None, GradientMethod] = checked(_gradient_method, default=None)
    settings: Checked[SearchSettings | None, SearchSettings] = checked(_search_settings, default=None)
    active: bool = flag(default=True)
    hierarchy_level: int = checked(_level, default=0)
    is_required: bool | None = checked(_required, default=None)
