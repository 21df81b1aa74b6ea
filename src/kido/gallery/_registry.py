"""The gallery by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kido.errors import UnknownNameError
from kido.gallery._arm import arm
from kido.gallery._arm7 import arm7
from kido.gallery._cam import cam
from kido.gallery._cart_pole import cart_pole
from kido.gallery._four_bar import four_bar
from kido.gallery._gripper import gripper
from kido.gallery._hand import hand
from kido.gallery._humanoid import humanoid
from kido.gallery._pendulum import chain, double_pendulum, pendulum
from kido.gallery._quadruped import quadruped
from kido.gallery._wheeled_base import wheeled_base
from kido.skeleton import Skeleton

__all__ = ["make", "names"]

_MAKERS: dict[str, Callable[..., Skeleton]] = {
    maker.__name__: maker
    for maker in (
        pendulum,
        double_pendulum,
        chain,
        cart_pole,
        arm,
        arm7,
        gripper,
        hand,
        humanoid,
        quadruped,
        wheeled_base,
        cam,
        four_bar,
    )
}


def names() -> tuple[str, ...]:
    """Names of all skeletons of the gallery."""
    return tuple(_MAKERS)


def make(name: str, **options: Any) -> Skeleton:
    """A fresh skeleton of the gallery.

    Args:
        name: one of `names()`.
        options: what the function of this name takes, as `length=0.5` for "pendulum".

    Raises:
        UnknownNameError: there is none of this name.
        TypeError, ValueError: what the function raises.
    """
    if name not in _MAKERS:
        raise UnknownNameError("skeleton", name, _MAKERS, "kido.gallery")
    return _MAKERS[name](**options)
