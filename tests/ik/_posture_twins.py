"""Random robots in kido and in Drake."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kido
from kido.errors import ModelWarning

Array = NDArray[np.float64]
JOINTS = 7


def random_urdf(rng: np.random.Generator) -> str:
    """A tree of revolute and prismatic joints along oblique axes, with a ball on every body."""
    parts = ['<robot name="robot"><link name="l0"/>']
    for i in range(1, JOINTS + 1):
        parent = max(0, i - int(rng.integers(1, 3)))
        xyz, rpy, axis = rng.uniform(-0.4, 0.4, 3), rng.uniform(-1.5, 1.5, 3), rng.normal(size=3)
        kind = "prismatic" if rng.random() < 0.25 else "revolute"
        text = [
            " ".join(repr(float(x)) for x in v)
            for v in (xyz, rpy, axis / np.linalg.norm(axis), rng.normal(size=3) / 9)
        ]
        parts.append(
            f'<link name="l{i}"><inertial><origin xyz="{text[3]}"/><mass value="{rng.uniform(0.5, 2)}"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'<collision name="ball{i}"><origin xyz="{text[3]}"/><geometry><sphere radius="0.05"/></geometry>'
            "</collision></link>"
            f'<joint name="j{i}" type="{kind}"><parent link="l{parent}"/>'
            f'<child link="l{i}"/><origin xyz="{text[0]}" rpy="{text[1]}"/><axis xyz="{text[2]}"/>'
            '<limit lower="-3" upper="3" velocity="10" effort="10"/></joint>'
        )
    return "".join([*parts, "</robot>"])


class Twins:
    """One robot in kido and in Drake; dofs of both by joints' names."""

    def __init__(self, rng: np.random.Generator) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
        from pydrake.systems.framework import DiagramBuilder

        urdf = random_urdf(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            self.robot = kido.Skeleton.from_description(kido.io.read_urdf_string(urdf))
        builder: Any = DiagramBuilder()
        self.plant, self.scene = AddMultibodyPlantSceneGraph(builder, 0.0)
        Parser(self.plant).AddModelsFromString(urdf, "urdf")
        self.plant.WeldFrames(self.plant.world_frame(), self.plant.GetFrameByName("l0"))
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.diagram_context = self.diagram.CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self.diagram_context)
        names = [dof.joint.name for dof in self.robot.dofs]
        self.order = [self.plant.GetJointByName(name).position_start() for name in names]
        self.q = rng.uniform(-1.5, 1.5, JOINTS)
        self.theirs = np.empty(JOINTS)
        self.theirs[self.order] = self.q

    def frame(self, i: int) -> Any:
        return self.plant.GetFrameByName(f"l{i}")

    def look(self, function: Any, behind: Array | None = None) -> tuple[Array, Array]:
        """Value and derivative of Drake's function at the posture, in kido's order of dofs."""
        from pydrake.autodiffutils import ExtractGradient, ExtractValue, InitializeAutoDiff

        x = self.theirs if behind is None else np.concatenate([self.theirs, behind])
        found = function.Eval(InitializeAutoDiff(x))
        return ExtractValue(found).ravel(), ExtractGradient(found)[:, self.order]
