"""Reports of what kido does not honour, and `strict=True`."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import kido
from kido import description as d
from kido.errors import ModelFileError, StrictModelError
from kido.io import LoadReport, read, read_scene

INERTIA = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='9'/>"
URDF = f"""<robot name='r'>
<link name='a'><inertial><mass value='1'/>{INERTIA}</inertial></link>
<link name='b'><visual><geometry><mesh filename='none.stl'/></geometry></visual></link>
<joint name='j' type='continuous'><parent link='a'/><child link='b'/>
<calibration rising='0.5'/></joint>
</robot>"""
SOUND = "<robot name='r'><link name='a'/></robot>"

pytestmark = pytest.mark.filterwarnings("ignore::kido.errors.ModelWarning")


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    """A robot of impossible inertia, without its mesh, and with a calibration."""
    (tmp_path / "r.urdf").write_text(URDF)
    return tmp_path / "r.urdf"


def test_a_report_has_what_readers_and_builders_found_by_kind(doubtful: Path) -> None:
    report = kido.load_report(doubtful)
    assert {kind: len(found) for kind, found in report.by_kind.items()} == {
        "inertia": 1,
        "mesh": 1,
        "ignored": 1,
    }
    assert [note.line for note in report.diagnostics] == [2, 3, 4]
    shown = str(report).splitlines()
    assert shown[0] == f"{doubtful}: 1 inertia, 1 mesh, 1 ignored"
    assert shown[2] == "inertia (1)"
    assert shown[3].startswith(f"  {doubtful}:2: <link name='a'>")
    told = json.loads(report.to_json())
    assert told["counts"] == {"inertia": 1, "mesh": 1, "ignored": 1}
    assert (told["diagnostics"][1]["file"], told["diagnostics"][1]["line"]) == (str(doubtful), 3)


def test_a_sound_file_has_nothing_to_report(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(SOUND)
    report = kido.load_report(file)
    assert (report.diagnostics, str(report)) == ((), f"{file}: nothing to report")
    for load in (kido.load, kido.load_tree, kido.load_world, read, read_scene):
        load(file, strict=True)  # type: ignore[operator]


@pytest.mark.parametrize("load", [kido.load, kido.load_tree, kido.load_world, read, read_scene])
def test_strict_refuses_what_is_not_honoured_and_lists_it(load: Any, doubtful: Path) -> None:
    load(doubtful)
    with pytest.raises(StrictModelError, match="things are not honoured as they stand") as caught:
        load(doubtful, strict=True)
    error = caught.value
    assert isinstance(error, ModelFileError)
    assert error.file == str(doubtful)
    told = {reason.rpartition(": ")[2] for reason in error.reasons}
    assert "file not found: none.stl".rpartition(": ")[2] in told
    assert pickle.loads(pickle.dumps(error)).reasons == error.reasons
    with pytest.raises(TypeError, match="strict: expected True or False"):
        load(doubtful, strict="yes")


def test_the_error_is_a_page_at_most() -> None:
    notes = [d.Diagnostic("x" * 5000, "file.urdf", i, "ignored") for i in range(500)]
    error = StrictModelError("file.urdf", map(str, notes))
    assert len(error.reasons) == 500
    assert len(str(error)) < 8200
    assert str(error).endswith("and 470 more; kido.load_report lists them")


def test_doubts_about_names_are_harmless() -> None:
    kinds = ["name", "root", "empty", "ignored", "substituted", "mesh"]
    report = LoadReport("a.urdf", [d.Diagnostic(kind, kind=kind) for kind in kinds])
    assert [note.kind for note in report.refused] == ["ignored", "substituted", "mesh"]


def test_a_report_of_one_robot_leaves_the_others_out(tmp_path: Path) -> None:
    def robot(name: str, edge: float) -> d.RobotDescription:
        joint = d.JointDescription(
            "j", "revolute", None, "a", axes=(0, 0, 1), calibration=d.Calibration(edge)
        )
        return d.RobotDescription(name, [d.LinkDescription("a", d.Inertia(1.0))], [joint])

    scene = d.SceneDescription("two", [d.RobotPlacement(robot(name, 0.1)) for name in ("one", "other")])
    kido.save(scene, tmp_path / "two.json")
    whole, alone = (
        kido.load_report(tmp_path / "two.json"),
        kido.load_report(tmp_path / "two.json", robot="one"),
    )
    assert len(alone.diagnostics) == 1
    assert whole.by_kind["ignored"][0].subject == "j"
    with pytest.raises(kido.errors.UnknownNameError):
        kido.load_report(tmp_path / "two.json", robot="third")


def test_load_begins_in_the_state_of_the_file(tmp_path: Path) -> None:
    robot = d.RobotDescription(
        "arm",
        [d.LinkDescription("a", d.Inertia(1.0))],
        [d.JointDescription("j", "revolute", None, "a", axes=(0, 0, 1))],
    )
    start = d.NamedState("start", [d.JointState("left", "j", (0.3,), (0.1,))])
    placed = [d.RobotPlacement(robot, "left"), d.RobotPlacement(robot, "right")]
    scene = d.SceneDescription("two", placed, states=[start], initial_state="start")
    kido.save(scene, tmp_path / "two.json")
    left, right = (kido.load(tmp_path / "two.json", robot=name) for name in ("left", "right"))
    assert (left.positions[0], left.velocities[0], right.positions[0]) == (0.3, 0.1, 0.0)
    left.positions = (1.0,)
    left.reset_positions()
    assert left.positions[0] == 0.3
    assert kido.load_world(tmp_path / "two.json").skeleton("left").positions[0] == 0.3
