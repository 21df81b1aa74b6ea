"""Files of the first version, which are never written anew."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kido
from kido.description import Material, Mimic
from kido.errors import SavedFileError
from kido.ik import ClosedFormMethod, ExtraDofUtilization, Posture, TaskSpaceRegion
from kido.shape import Box, Mesh, Plane
from kido.skeleton import (
    Marker,
    Skeleton,
    SkeletonConfiguration,
    SkeletonProperties,
    SkeletonState,
    TranslationalJoint2D,
)

FILES = Path(__file__).parent / "files"


def saved() -> Skeleton:
    """The robot that the files were written of."""
    robot = Skeleton("old", gravity=(0.5, 0.0, -9.0), time_step=0.004)
    base = robot.add_body("base", joint=kido.FreeJoint("root"))
    base.inertia = kido.Inertia(2.0, (0.1, 0.0, 0.0), np.diag([0.1, 0.2, 0.25]))
    upper = robot.add_body("upper", base, kido.EulerJoint("shoulder", "zyx"))
    lower = robot.add_body("lower", upper, kido.RevoluteJoint("elbow", (1, 2, 2), position_upper_limits=1.0))
    hand = robot.add_body("hand", lower, kido.ScrewJoint("wrist", (0, 0, 1), 0.1))
    robot.add_body("slide", base, TranslationalJoint2D("table", "yz"))
    robot.joint("wrist").mimic = Mimic("elbow", 0.5, 0.1)
    robot.joint("elbow").actuator = "velocity"
    foot = hand.add_end_effector("tip", (0.0, 0.0, 0.2))
    foot.create_addon(kido.Support, np.eye(3), True)
    Marker(hand, "dot", (0.1, 0.2, 0.3), rgba=(0.1, 0.2, 0.3, 1.0), constraint="hard")
    kido.ShapeNode(base, "hull", Box((1, 2, 3)), material=Material("red", (1, 0, 0, 1), "red.png"))
    base.add_shape_node(Mesh("skin.stl", "package://skin.stl", (1, 2, -1)), name="skin")
    base.add_shape_node(Plane((0, 0, 1), 0.5), name="ground")
    ik = kido.InverseKinematics.of(foot)
    ik.offset = (0.0, 0.0, 0.1)
    ik.error_method = TaskSpaceRegion((0.1, 0.1, math.inf), (0.01, 0.02, 0.03), weights=(1, 1, 0, 1, 1, 1))
    ik.settings = kido.SearchSettings(max_starts=20, nearest=True)
    ik.hierarchy_level = 1
    other = kido.InverseKinematics.of(lower)
    other.error_method = Posture({"elbow": 0.5})
    other.gradient_method = ClosedFormMethod(
        ["elbow"], extra_dof_utilization=ExtraDofUtilization.PRE_ANALYTICAL
    )
    robot.positions = np.linspace(-1.0, 1.0, robot.num_dofs)
    robot.velocities = np.full(robot.num_dofs, 1 / 3)
    hand.external_wrench = (1, 2, 3, 4, 5, 6)
    return robot


def test_properties_of_the_first_version_are_loaded() -> None:
    assert SkeletonProperties.load(FILES / "properties.json") == saved().properties


def test_states_of_the_first_version_are_loaded() -> None:
    assert SkeletonState.load(FILES / "state.json") == saved().state


def test_configurations_of_the_first_version_are_loaded() -> None:
    value = SkeletonConfiguration.load(FILES / "configuration.json")
    assert value == saved().configuration(["elbow", "wrist"])


def test_a_skeleton_of_the_first_version_is_built_with_its_modules() -> None:
    properties = SkeletonProperties.load(FILES / "properties.json")
    state = SkeletonState.load(FILES / "state.json")
    robot = Skeleton.from_properties(properties, state)
    assert robot.properties == properties and robot.state == state
    ik = robot.end_effector("tip").addon(kido.InverseKinematics)
    assert ik is not None and ik.settings.max_starts == 20
    assert ik.error_method == saved().end_effector("tip").addon(kido.InverseKinematics).error_method


def test_a_file_brings_the_packages_of_kido_that_it_needs() -> None:
    """Where nothing but skeletons was asked for, inverse kinematics is not imported yet."""
    script = (
        "import sys; from kido.skeleton import SkeletonProperties; assert 'kido.ik' not in sys.modules;"
        f"p = SkeletonProperties.load({str(FILES / 'properties.json')!r}); assert 'kido.ik' in sys.modules;"
        "print([type(a.properties).__name__ for b in p.bodies for a in b.addons])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['IKProperties']"


@pytest.mark.parametrize(
    "tag", ["kido.BodyNode", "kido.ik.InverseKinematics", "kido.os", "os.path", "kido.", "kido.Tree", "Grid"]
)
def test_a_tag_finds_no_class_that_was_not_entered(tag: str, tmp_path: Path) -> None:
    text = (FILES / "properties.json").read_text()
    (tmp_path / "value.json").write_text(text.replace("kido.InverseKinematics", tag))
    with pytest.raises(SavedFileError, match=f"unknown class '{tag}': pass it in `types`"):
        SkeletonProperties.load(tmp_path / "value.json")


def test_files_do_not_name_modules(tmp_path: Path) -> None:
    saved().properties.save(tmp_path / "value.json")
    text = (tmp_path / "value.json").read_text()
    assert "._" not in text and "kido.ik" not in text and "kido.TaskSpaceRegion" in text
