from __future__ import annotations

import numpy as np

from kido import _core
from kido.description import RobotDescription
from kido.tree._compile import Compiled, compile_description


class Tree(_core.Tree):
    def __init__(self, compiled: Compiled, gravity=(0.0, 0.0, -9.81)):
        links = compiled.links
        super().__init__(
            np.asarray(links.integers, dtype=np.int64).reshape(-1, 2),
            links.numbers(),
            np.asarray(compiled.body_links, dtype=np.int64).reshape(-1, 1),
            np.asarray([f[:3].ravel() for f in compiled.body_frames]).reshape(-1, 12),
            np.asarray(compiled.joint_ranges, dtype=np.int64).reshape(-1, 2),
            np.asarray([f[:3].ravel() for f in compiled.joint_frames]).reshape(-1, 12),
            np.asarray([gravity], dtype=np.float64),
            {n: i for i, n in enumerate(compiled.body_names)},
            {n: i for i, n in enumerate(compiled.joint_names)},
        )
        self.dof_names = tuple(compiled.dof_names)
        self.body_names = tuple(compiled.body_names)

    @classmethod
    def from_description(cls, description: RobotDescription):
        return cls(compile_description(description))
