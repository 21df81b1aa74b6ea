"""Nodes as values see them."""

from __future__ import annotations

from typing import Any, ClassVar

from kido import _core
from kido.skeleton._nodes._addon import AddonManager, Extension
from kido.typing import FloatArray

__all__ = ["NodeKind"]


class NodeKind(Extension, AddonManager, _core.KnownAttributes):
    """Base of Node: what reading and making one from its properties needs, without bodies and skeletons."""

    __slots__ = ()

    _node_name: str
    _has_place: ClassVar[bool] = False

    def _start_blank(self, properties: object) -> None:
        """Make a node without a body of one whose class was not asked how to begin one."""
        self._addons = None
        self._start(properties, None)

    def _enter(self, body: Any, name: str) -> None:
        raise NotImplementedError

    def _moved_to(self) -> FloatArray | None:
        """Pose (4, 4) that the node was moved to on its body [m]; None: that of its properties, or none."""
        return None

    def _move_to(self, transform: FloatArray | None) -> None:
        """Put the node on its body (4, 4) [m]; None: where its properties say."""
