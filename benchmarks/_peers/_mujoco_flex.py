"""MuJoCo's flexible bodies."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks._soft._cube import SETTLING, Cube

_FILE = """<mujoco><option timestep="{c.step}"/><size memory="200M"/><worldbody>
<geom type="plane" size="1 1 .1"/>
<flexcomp name="c" type="box" count="{n} {n} {n}" spacing="{d} {d} {d}" pos="0 0 .11" dim="3" mass="{m}"
radius="{c.radius}"><contact selfcollide="none"/>
<elasticity young="2e3" poisson="0.2" damping="0.01"/></flexcomp></worldbody></mujoco>"""


class MujocoFlex:
    """A cube of finite elements of MuJoCo on its floor."""

    library = "mujoco"

    def __init__(self, cube: Cube) -> None:
        text = _FILE.format(c=cube, n=cube.count, d=cube.edge / (cube.count - 1), m=cube.core + cube.mass)
        self._model = mujoco.MjModel.from_xml_string(text)
        self._data = mujoco.MjData(self._model)
        self.points = int(self._model.nflexvert)
        self.step(SETTLING)
        low = self._data.flexvert_xpos[:, 2].min()
        settled = np.isfinite(low) and 0.0 < low < 2.0 * cube.radius
        self.stands = bool(settled and not self._data.warning.number.any())

    def step(self, count: int) -> None:
        """Make some steps."""
        mujoco.mj_step(self._model, self._data, nstep=count)
