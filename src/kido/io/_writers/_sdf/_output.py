"""One SDFormat file that is written: its version, what is lost, names of files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido.io._writers._file_names import FileNames
from kido.io._writers._losses import Losses
from kido.io._writers._pose_text import is_identity, position_angles
from kido.io._writers._xml_text import leaf
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["OLD", "Output"]

OLD = "1.6"
"""The version before poses could be relative to any frame; DART reads it."""


@dataclass(frozen=True)
class Output:
    """State that writers of elements share."""

    version: str
    losses: Losses
    files: FileNames
    old_categories: bool = False

    @property
    def is_old(self) -> bool:
        """Whether poses have no frames to be relative to, and later elements are missing."""
        return self.version == OLD

    def pose(
        self, owner: Element, T: FloatArray, kind: str, name: str | None, relative_to: str | None = None
    ) -> None:
        """Add <pose>, where it is not the identity or says in which frame."""
        if relative_to is None and is_identity(T):
            return
        xyz, rpy = position_angles(T, self.losses, kind, name)
        leaf(owner, "pose", np.concatenate([xyz, rpy]), relative_to=relative_to)
