"""Arguments of a viewer that say what it shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kido.skeleton import Skeleton
from kido.values import checked_name
from kido.view._camera import Camera, CameraLike
from kido.view._scene import SceneGraph, SceneLike
from kido.view._viewer._page import page_camera
from kido.view._viewer._playback import Playback
from kido.view._viewer._player import Player
from kido.view._viewer._replay import Replay
from kido.world import World

__all__ = ["camera_of", "parts_of", "title_of"]

_NAMED = 3
"""Skeletons whose names stand over the panel."""


def parts_of(what: Any) -> tuple[SceneLike, Player | None]:
    """Parts that are shown, and the one that plays. Raises ValueError where several do."""
    alone = isinstance(what, (World, Skeleton)) or not isinstance(what, Iterable)
    parts = [what] if alone else list(what)
    shown, players = [], list[Player]()
    for part in parts:
        if callable(getattr(type(part), "playback", None)):
            replay = Replay(part)
            players.append(replay)
            shown.append(replay.source)
        else:
            players += [Playback(part)] if isinstance(part, World) else []
            shown.append(part)
    if len(players) > 1:
        raise ValueError(f"what: expected at most one World or recording, got {len(players)}")
    return (shown[0] if alone else shown), (players[0] if players else None)


def camera_of(scene: SceneGraph, camera: CameraLike) -> Camera:
    """Camera of browsers at a scene. Raises ValueError for what is no camera."""
    scene.update()
    return page_camera(camera, scene.seen_points())


def title_of(scene: SceneGraph, player: Player | None, given: str | None) -> str:
    if given is not None:
        return checked_name("title", given)
    if isinstance(player, Playback):
        return player.world.name
    names = [skeleton.name for skeleton in scene.skeletons]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more or "kido"
