"""Files of dm_control's suite and of gymnasium, read and written: MuJoCo compiles them as they were."""

from __future__ import annotations

import warnings
from importlib.metadata import files
from pathlib import Path

import mujoco
import numpy as np
import pytest

from kido.errors import ModelWarning
from kido.io import mjcf_string, read_mjcf

FILES = {
    f"{package}/{Path(str(file)).name}": Path(str(file.locate()))
    for package, folder in (("dm_control", "dm_control/suite/"), ("gymnasium", "envs/mujoco/assets/"))
    for file in files(package) or ()
    if folder in str(file) and file.suffix == ".xml" and "common" not in str(file)
}


def touching(model: mujoco.MjModel, data: mujoco.MjData) -> set[frozenset[int]]:
    """Pairs of bodies that touch, by number; what is only within the margin of a geom does not."""
    return {
        frozenset(int(model.geom_bodyid[geom]) for geom in contact.geom)
        for contact in data.contact
        if contact.dist < 0.0
    }


@pytest.mark.parametrize("name", sorted(FILES))
def test_what_was_read_compiles_to_the_same_model(name: str, tmp_path: Path) -> None:
    before = mujoco.MjModel.from_xml_path(str(FILES[name]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        scene = read_mjcf(FILES[name])
    (tmp_path / "scene.xml").write_text(mjcf_string(scene, directory=tmp_path).text)
    after = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))
    assert (after.nq, after.nv, after.nbody) == (before.nq, before.nv, before.nbody)
    data = [mujoco.MjData(model) for model in (before, after)]
    rng = np.random.default_rng(0)
    move = rng.uniform(-0.1, 0.1, before.nv)
    for q in (None, move):
        M = []
        for model, one in zip((before, after), data, strict=True):
            if q is not None:
                mujoco.mj_integratePos(model, one.qpos, q, 1.0)
            mujoco.mj_forward(model, one)
            M.append(np.zeros((model.nv, model.nv)))
            mujoco.mj_fullM(model, one, M[-1])
        first, second = data
        np.testing.assert_allclose(second.xpos, first.xpos, rtol=0, atol=1e-9)
        np.testing.assert_allclose(second.xmat, first.xmat, rtol=0, atol=1e-9)
        np.testing.assert_allclose(M[1], M[0], rtol=1e-6, atol=1e-9)
        assert touching(after, second) == touching(before, first)
    limited = before.jnt_limited == 1
    np.testing.assert_array_equal(after.jnt_limited, before.jnt_limited)
    np.testing.assert_allclose(after.jnt_range[limited], before.jnt_range[limited], rtol=1e-12)
    for what in ("dof_damping", "dof_armature", "qpos0", "qpos_spring"):
        np.testing.assert_allclose(getattr(after, what), getattr(before, what), rtol=1e-12, atol=1e-12)
