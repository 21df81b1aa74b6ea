"""dartpy's soft bodies, which only SKEL files make."""

from __future__ import annotations

import tempfile
from pathlib import Path

import dartpy as dart
import numpy as np

from benchmarks._soft._cube import SETTLING, Cube

_FILE = """<skel version="1.0"><world name="w">
<physics><time_step>{c.step}</time_step><gravity>0 0 -9.81</gravity></physics>
<skeleton name="ground"><body name="g"><transformation>0 0 -0.05 0 0 0</transformation>
<collision_shape><geometry><box><size>5 5 0.1</size></box></geometry></collision_shape></body>
<joint type="weld" name="j"><parent>world</parent><child>g</child></joint></skeleton>
<skeleton name="s"><body name="b"><transformation>0 0 0.11 0 0 0</transformation>
<inertia><mass>{c.core}</mass><moment_of_inertia><ixx>4e-4</ixx><iyy>4e-4</iyy><izz>4e-4</izz>
<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia>
<soft_shape><total_mass>{c.mass}</total_mass><geometry><box><size>{c.edge} {c.edge} {c.edge}</size>
<frags>{n} {n} {n}</frags></box></geometry><kv>{c.vertex_stiffness}</kv><ke>{c.edge_stiffness}</ke>
<damp>{c.damping}</damp></soft_shape></body>
<joint type="free" name="f"><parent>world</parent><child>b</child></joint></skeleton></world></skel>"""
_FEWEST = 3
"""Points along an edge, which DART has at least."""


class DartSoft:
    """A cube of DART on its floor."""

    library = "dartpy"

    def __init__(self, cube: Cube) -> None:
        count = max(cube.count, _FEWEST)
        self.points = Cube(count).points
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cube.skel"
            path.write_text(_FILE.format(c=cube, n=count))
            self._world = dart.utils.SkelParser.readWorld(str(path))
        self.step(SETTLING)
        place = self._world.getSkeleton(1).getPositions()
        self.stands = bool(np.isfinite(place).all() and abs(place[5]) < cube.edge)

    def step(self, count: int) -> None:
        """Make some steps."""
        for _ in range(count):
            self._world.step()
