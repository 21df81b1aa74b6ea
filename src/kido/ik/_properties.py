"""What an inverse kinematics module keeps when its skeleton is saved."""

from __future__ import annotations

from dataclasses import dataclass

from kido.ik._settings import SearchSettings
from kido.typing import ArrayLike, FloatArray, Value, frozen_array

__all__ = ["IKProperties"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class IKProperties(Value):
    """What of an inverse kinematics module does not depend on the state of its skeleton.

    Attributes:
        offset: point (3,) of the node that is to be at the target's origin, in the node's coordinates [m].
        settings: how positions are searched.
    """

    offset: FloatArray
    settings: SearchSettings

    def __init__(self, offset: ArrayLike = (0.0, 0.0, 0.0), settings: SearchSettings | None = None) -> None:
        """Raises TypeError or ValueError, naming the argument; `settings` None: the default ones."""
        chosen = SearchSettings() if settings is None else settings
        if not isinstance(chosen, SearchSettings):
            raise TypeError(f"settings: expected SearchSettings, got {type(chosen).__name__}")
        self._assign(offset=frozen_array("offset", offset, (3,), "m"), settings=chosen)
