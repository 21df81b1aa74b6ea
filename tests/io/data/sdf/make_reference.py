"""Writes workcell.json, what Drake makes of workcell.sdf: pip install drake; python make_reference.py

Drake reads SDFormat with libsdformat, the library of Gazebo. It does not find folders of models by their
model.config, so that it gets a copy of the world that names files.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, FrameIndex

HERE = Path(__file__).parent
MODELS = {"hand": "hand.sdf", "cart": "model.sdf", "part": "model.sdf"}
POSITIONS = {
    "arm": {"turn": [0.7], "elbow": [0.2], "grip::bend": [0.9]},
    "cart": {"axle": [1.1]},
    "rig": {"pq": [0.8], "second::pq": [-0.5]},
    "drive": {"cardan": [0.4, -0.6], "thread": [2.5]},
}


def plant() -> Any:
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    text = (HERE / "workcell.sdf").read_text()
    for name, file in MODELS.items():
        parser.package_map().Add(name, str(HERE / "models" / name))
        text = text.replace(f"model://{name}<", f"model://{name}/{file}<")
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder, "workcell.sdf")
        world.write_text(text)
        parser.AddModels(str(world))
    plant.Finalize()
    return plant


def instance(plant: Any, part: Any) -> str:
    return str(plant.GetModelInstanceName(part.model_instance()))


def poses(plant: Any, context: Any) -> dict[str, Any]:
    bodies = [plant.get_body(BodyIndex(i)) for i in range(1, plant.num_bodies())]
    return {
        f"{instance(plant, body)}::{body.name()}": body.EvalPoseInWorld(context).GetAsMatrix4().tolist()
        for body in bodies
    }


def reference() -> dict[str, Any]:
    model = plant()
    context = model.CreateDefaultContext()
    inertias = {}
    for index in range(1, model.num_bodies()):
        body = model.get_body(BodyIndex(index))
        M = body.CalcSpatialInertiaInBodyFrame(context)
        name = f"{instance(model, body)}::{body.name()}"
        moment = M.CopyToFullMatrix6()[:3, :3].tolist()
        inertias[name] = {"mass": M.get_mass(), "com": M.get_com().tolist(), "moment_at_origin": moment}
    frames = [model.get_frame(FrameIndex(i)) for i in range(model.num_frames())]
    placed = {
        f"{instance(model, f)}::{f.name()}": f.CalcPoseInWorld(context).GetAsMatrix4().tolist()
        for f in frames
        if f.name() in ("knuckle", "mount", "shoulder", "f", "o")
    }
    result = {"positions": POSITIONS, "inertias": inertias, "frames": placed, "start": poses(model, context)}
    joints = [model.get_joint(i) for i in model.GetJointIndices()]
    q = model.GetPositions(context)
    for owner, names in POSITIONS.items():
        for name, values in names.items():
            full = f"{owner}::{name}"
            (joint,) = [j for j in joints if f"{instance(model, j)}::{j.name()}" == full]
            q[joint.position_start() : joint.position_start() + len(values)] = values
    model.SetPositions(context, q)
    return result | {"moved": poses(model, context)}


if __name__ == "__main__":
    (HERE / "workcell.json").write_text(json.dumps(reference(), indent=1) + "\n")
