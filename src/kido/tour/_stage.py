"""Stage of a scene of the tour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kido.skeleton import Skeleton
from kido.tour._trails import Trails
from kido.typing import ArrayLike, FloatArray
from kido.view import DEFAULT_LAYERS, Layer, Orbit, Viewer
from kido.world import World

__all__ = ["Stage"]


def _no_panel(viewer: Viewer) -> None:
    """No widgets of its own."""


def _no_pose() -> None:
    """As it is made."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Stage:
    """Stage of a scene of the tour: what is shown, and from where.

    Attributes:
        what: a world, which plays from the beginning, or skeletons that stand still until they are dragged.
        camera: where visitors look from at the beginning; pictures are fitted to what they show.
        layers: what is shown.
        panel: adds the scene's own widgets, gizmos and functions to a viewer.
        trails: lines behind what moves.
        drawn: lines of points (k, 3) that stay [m].
        pose: what is done by visitors, done for a picture.
        picture_camera: of a picture that shows a part; None: all, from the direction of `camera`.
        picture_time: how long the world is simulated before a picture is taken [s].
    """

    what: World | Skeleton | Sequence[Skeleton]
    camera: Orbit
    layers: tuple[Layer | str, ...] = DEFAULT_LAYERS
    panel: Callable[[Viewer], None] = _no_panel
    trails: Trails | None = None
    drawn: Sequence[FloatArray] = ()
    pose: Callable[[], None] = _no_pose
    picture_camera: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None
    picture_time: float = 0.0

    @property
    def world(self) -> World | None:
        """The world that plays; None where skeletons stand still."""
        return self.what if isinstance(self.what, World) else None
