"""Player of a world that is simulated, or of a recording."""

from __future__ import annotations

from kido.view._viewer._playback import Playback
from kido.view._viewer._replay import Replay

__all__ = ["Player"]

Player = Playback | Replay
"""Time that passes in a viewer."""
