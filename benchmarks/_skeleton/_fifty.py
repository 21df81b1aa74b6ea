"""A skeleton of 50 bodies: a free trunk of ten, and four limbs of ten."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks import _urdf
from benchmarks._urdf import Joint, Link, Robot

TRUNK = 10
LIMBS = 4
LIMB = 10
TIPS = tuple(f"limb{limb}_{LIMB - 1}" for limb in range(LIMBS))
"""The last body of each limb."""

BRANCH, TIP, ENDS = "limb2_0", TIPS[2], ("trunk2", "trunk7")
"""The body that is moved, its last body, and the two bodies that it is moved to in turn."""


def write(folder: Path) -> Path:
    """Write it as URDF; its root is to be free."""
    inertia = np.diag([2e-3, 2.5e-3, 1e-3])
    links, joints = [Link("trunk0", 1.0, np.zeros(3), inertia)], []
    axes = np.eye(3)

    def add(name: str, parent: str, index: int) -> None:
        pose = np.eye(4)
        pose[:3, 3] = (0.01, 0.02, 0.1)
        links.append(Link(name, 0.5, np.array([0.01, 0.0, 0.05]), inertia))
        joints.append(Joint(f"joint_{name}", "revolute", parent, name, pose, axes[index % 3]))

    for i in range(1, TRUNK):
        add(f"trunk{i}", f"trunk{i - 1}", i)
    for limb in range(LIMBS):
        for i in range(LIMB):
            add(f"limb{limb}_{i}", f"limb{limb}_{i - 1}" if i else f"trunk{3 * limb}", i)
    return _urdf.write(Robot(links, joints), folder / "fifty.urdf", name="fifty")
