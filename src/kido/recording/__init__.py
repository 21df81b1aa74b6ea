"""Recordings of worlds: what happened, as numbers with names and units, and the world itself at any time."""

from kido.recording._comparison import ColumnDifference, Comparison
from kido.recording._event import Event
from kido.recording._loading import is_recording, load_recording
from kido.recording._part import RecordingPart
from kido.recording._playback import Playback
from kido.recording._recorder import Recorder, record
from kido.recording._recording import Recording
from kido.recording._series import Series

__all__ = [
    "ColumnDifference",
    "Comparison",
    "Event",
    "Playback",
    "Recorder",
    "Recording",
    "RecordingPart",
    "Series",
    "is_recording",
    "load_recording",
    "record",
]
