from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from _outcome import Outcome
from scipy.spatial.transform import Rotation

from _urdf import joint, link

Run = Callable[..., Outcome]
Write = Callable[..., Path]

ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"
JOINTS = ("turn", "lift", "elbow", "roll", "bend", "twist")
LOWER = np.array([-2.9, -1.9, -2.6, -np.inf, -2.0, -np.inf])
PRINTED = 1e-5
"""Rounding of a position to six digits [rad, m]."""

LIMIT = '<limit lower="-3" upper="3" velocity="1" effort="1"/>'
ABOUT_Z = '<axis xyz="0 0 1"/>'
ALONG = '<origin xyz="0.5 0 0"/>'
SLIDE = '<axis xyz="0 1 0"/><limit lower="-0.1" upper="0.2" velocity="1" effort="1"/>'
GRIPPER = (
    *map(link, ("base", "upper", "lower", "palm", "thumb", "finger")),
    joint("shoulder", "revolute", "base", "upper", ABOUT_Z + LIMIT),
    joint("elbow", "revolute", "upper", "lower", ALONG + ABOUT_Z + LIMIT),
    joint("wrist", "fixed", "lower", "palm", ALONG),
    joint("nail", "fixed", "palm", "thumb"),
    joint("slide", "prismatic", "palm", "finger", SLIDE),
)


def words(values: np.ndarray) -> list[str]:
    return [repr(float(value)) for value in values]


class Reference:
    """Where Pinocchio says that a body of a file is."""

    def __init__(self, file: Path, body: str) -> None:
        self._model = pinocchio.buildModelFromUrdf(str(file))
        self._frame = self._model.getFrameId(body)

    def pose(self, q: np.ndarray) -> np.ndarray:
        data = self._model.createData()
        pinocchio.framesForwardKinematics(self._model, data, self.own(q))
        return data.oMf[self._frame].homogeneous

    def own(self, q: np.ndarray) -> np.ndarray:
        """Its joints without limits are a cosine and a sine."""
        parts = [q[i : i + 1] for i in range(len(q))]
        wide = [self._model.joints[i + 1].nq == 2 for i in range(len(q))]
        turned = [
            np.array([np.cos(p[0]), np.sin(p[0])]) if w else p for p, w in zip(parts, wide, strict=True)
        ]
        return np.concatenate(turned)

    def assert_there(self, q: np.ndarray, target: np.ndarray) -> None:
        np.testing.assert_allclose(self.pose(q), target, atol=6 * PRINTED)


def target_of(pose: np.ndarray) -> list[str]:
    return words(np.concatenate([pose[:3, 3], Rotation.from_matrix(pose[:3, :3]).as_quat()]))


def values(shown: Outcome, names: tuple[str, ...], title: str = "Solution") -> np.ndarray:
    return np.array([float(shown.row(name, title)[1]) for name in names])


def branches(shown: Outcome) -> list[tuple[np.ndarray, bool]]:
    table = shown.text.split("Every solution")[1].split("Result")[0]
    rows = [line.split() for line in table.splitlines() if re.match(r"\d", line)]
    return [(np.array(row[1:-1], dtype=float), row[-1] == "yes") for row in rows]


REFERENCE = Reference(ARM, "tool")
POSITIONS = np.array([0.4, -0.3, 1.1, 0.7, 0.6, -0.5])
POSE = REFERENCE.pose(POSITIONS)


def test_the_solution_puts_the_body_at_the_pose(kido: Run) -> None:
    shown = kido("ik", ARM, "--body", "tool", "--target", *target_of(POSE))
    assert shown.code == 0
    REFERENCE.assert_there(values(shown, JOINTS), POSE)
    assert "reached: tool is at the target, every joint within its limits" in shown.text
    assert "spherical wrist; --all lists its solutions" in shown.text


def test_the_solution_stands_beside_its_limits_and_unit(kido: Run) -> None:
    shown = kido("ik", ARM, "--body", "tool", "--target", *target_of(POSE))
    assert shown.row("elbow", "Solution")[2:] == ["-2.6", "2.6", "rad"]
    assert shown.row("roll", "Solution")[2:] == ["-inf", "inf", "rad"]


def test_without_a_quaternion_only_the_position_counts(kido: Run) -> None:
    shown = kido("ik", ARM, "--body", "tool", "--target", "0.4", "-0.2", "5e-1")
    assert shown.code == 0
    there = REFERENCE.pose(values(shown, JOINTS))
    np.testing.assert_allclose(there[:3, 3], [0.4, -0.2, 0.5], atol=6 * PRINTED)
    assert shown.row("rotation") == ["rotation", "any"]
    assert "rad" not in " ".join(shown.row("left"))
    assert "closed form" not in shown.text


def test_numbers_may_stand_in_one_word_apart_by_commas(kido: Run) -> None:
    apart = kido("ik", ARM, "--body", "tool", "--target", "0.4", "-0.2", "0.5", "--no-time")
    assert kido("ik", ARM, "--body", "tool", "--target=0.4,-0.2,0.5", "--no-time") == apart


def test_the_search_begins_where_from_says(kido: Run) -> None:
    question = ("ik", "--body", "tool", "--target", *target_of(POSE), "--from", *words(POSITIONS), ARM)
    shown = kido(*question)
    np.testing.assert_allclose(values(shown, JOINTS), POSITIONS, atol=PRINTED)
    assert "search from the given start" in shown.text
    assert shown.row("start")[1:] == ["0.4", "-0.3", "1.1", "0.7", "0.6", "-0.5"]


def test_from_takes_positions_of_the_moved_joints_or_of_all(kido: Run, write_urdf: Write) -> None:
    file = write_urdf("".join(GRIPPER))
    question = ("ik", file, "--body", "palm", "--target", "0.6", "0.5", "0", "--no-time")
    own = kido(*question, "--from", "0.1", "0.9")
    assert own.row("start")[1:] == ["0.1", "0.9"]
    assert kido(*question, "--from", "0.1", "0.9", "0.05") == own


def test_a_target_out_of_reach_is_answered_by_the_nearest_and_exit_code_1(
    kido: Run, write_urdf: Write
) -> None:
    shown = kido("ik", write_urdf("".join(GRIPPER)), "--body", "palm", "--target", "1.2", "1.6", "0")
    assert shown.code == 1
    assert "not reached: palm is out of reach" in shown.text
    assert float(shown.row("left")[2]) == pytest.approx(1.0, abs=1e-3)
    shoulder, elbow = values(shown, ("shoulder", "elbow"), "Nearest found")
    assert [shoulder, elbow] == pytest.approx([np.arctan2(1.6, 1.2), 0.0], abs=1e-3)


def test_the_chain_ends_where_the_structure_branches_and_the_whole_body_does_not(
    kido: Run, write_urdf: Write
) -> None:
    question = ("ik", write_urdf("".join(GRIPPER)), "--body", "finger", "--target", "0.6", "0.5", "0")
    alone, whole = kido(*question), kido(*question, "--whole-body")
    assert (alone.code, whole.code) == (1, 0)
    slide = whole.row("slide", "Solution")
    assert slide[2:] == ["-0.1", "0.2", "m"]
    assert "shoulder" not in alone.text
    q0, q1, y = values(whole, ("shoulder", "elbow", "slide"))
    reach = 0.5 * np.exp(1j * q0) + (0.5 + 1j * y) * np.exp(1j * (q0 + q1))
    assert reach == pytest.approx(0.6 + 0.5j, abs=5 * PRINTED)


def test_all_lists_every_solution_and_which_are_within_the_limits(kido: Run) -> None:
    positions = np.array([-0.35, 0.02, 2.16, -0.5, -0.7, 0.4])
    pose = REFERENCE.pose(positions)
    shown = kido("ik", ARM, "--body", "tool", "--target", *target_of(pose), "--all")
    assert shown.code == 0
    found = branches(shown)
    assert len(found) == 8
    for q, inside in found:
        REFERENCE.assert_there(q, pose)
        assert inside == ((q >= LOWER) & (q <= -LOWER)).all()
    apart = [np.abs(np.angle(np.exp(1j * (q - positions)))).max() for q, _ in found]
    assert min(apart) < PRINTED
    count = sum(inside for _, inside in found)
    assert 0 < count < 8
    assert f"reached: 8 solutions, {count} within the limits" in shown.text


def test_all_solves_in_the_coordinates_of_a_base_that_stands_elsewhere(kido: Run, tmp_path: Path) -> None:
    place = '<origin xyz="1 -2 0.5" rpy="0.3 -0.2 1.1"/>'
    floor = '<link name="floor"/>' + joint("feet", "fixed", "floor", "base", place)
    file = tmp_path / "moved.urdf"
    file.write_text(ARM.read_text().replace("</robot>", f"{floor}</robot>"))
    reference = Reference(file, "tool")
    pose = reference.pose(POSITIONS)
    assert np.linalg.norm(pose - POSE) > 1.0
    found = branches(kido("ik", file, "--body", "tool", "--target", *target_of(pose), "--all"))
    assert len(found) == 8
    for q, _ in found:
        reference.assert_there(q, pose)


def test_all_with_no_solution_within_the_limits_is_not_reached(kido: Run, tmp_path: Path) -> None:
    file = tmp_path / "narrow.urdf"
    file.write_text(ARM.read_text().replace('lower="-2.9" upper="2.9"', 'lower="1.0" upper="1.1"'))
    shown = kido("ik", file, "--body", "tool", "--target", *target_of(POSE), "--all")
    assert shown.code == 1
    assert "not reached: 8 solutions, none within the limits" in shown.text


def test_all_of_a_target_out_of_reach_shows_the_nearest(kido: Run) -> None:
    far = POSE.copy()
    far[0, 3] += 2.0
    shown = kido("ik", ARM, "--body", "tool", "--target", *target_of(far), "--all")
    assert shown.code == 1
    assert "not reached: tool is out of reach of the target" in shown.text
    assert float(shown.row("left")[2]) > 1.0


def test_of_seven_joints_all_holds_one_where_a_search_left_it(kido: Run, tmp_path: Path) -> None:
    away = '<origin xyz="0.7 0 0"/>'
    extra = link("post") + link("boom") + joint("yaw", "revolute", "post", "boom", ABOUT_Z + LIMIT)
    extra += joint("mount", "fixed", "boom", "base", away)
    file = tmp_path / "seven.urdf"
    file.write_text(ARM.read_text().replace("</robot>", f"{extra}</robot>"))
    reference = Reference(file, "tool")
    pose = reference.pose(np.array([2.0, *POSITIONS]))
    shown = kido("ik", file, "--body", "tool", "--target", *target_of(pose), "--all")
    assert shown.code == 0
    found = branches(shown)
    _, name, _, held = shown.row("held")[:4]
    searched = kido("ik", file, "--body", "tool", "--target", *target_of(pose))
    assert held.rstrip(",") == searched.row(name, "Solution")[1] != "0"
    assert len(found) >= 2
    for q, _ in found:
        reference.assert_there(q, pose)
        assert q[("yaw", *JOINTS).index(name)] == pytest.approx(float(held.rstrip(",")), abs=PRINTED)


def test_all_without_a_closed_form_says_why_there_is_none(kido: Run) -> None:
    question = ("--body", "tool", "--target", "0.6", "0.5", "0", "0", "0", "0", "1", "--all")
    shown = kido("ik", ARM, *question, "--root", "free")
    assert shown.code == 2
    assert shown.text.startswith("error: --all: 'tool' has no closed form: ")
    assert len(shown.text.splitlines()) == 1


def test_the_time_is_printed_unless_it_is_not_wanted(kido: Run) -> None:
    question = ("ik", ARM, "--body", "tool", "--target", *target_of(POSE))
    for more in ((), ("--all",)):
        assert re.search(r"^time +\d+ us$", kido(*question, *more).text, re.M)
        assert not re.search(r"^time ", kido(*question, *more, "--no-time").text, re.M)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--body tol --target 0.4 0.1 0.5", "no body named 'tol' in 'arm'; did you mean 'tool'?"),
        ("--body base --target 0.4 0.1 0.5", "--body: expected a body that joints move, got 'base'"),
        ("--body tool --target 0.4 0.1", "expected x y z [m] or x y z qx qy qz qw, got 2 numbers"),
        ("--body tool --target 0.4 nan 0.5", "--target: expected finite numbers, got 'nan'"),
        ("--body tool --target 0.4 0.5 -inf", "--target: expected finite numbers, got '-inf'"),
        ("--body tool --target=a,b,c", "--target: expected finite numbers, got 'a'"),
        ("--body tool --target 0.4 0.1 0.5 0 0 0 0", "--target: expected a quaternion, got one of length 0"),
        ("--body tool --target 0.4 0.1 0.5 --from 1 2", "--from: expected 6 positions [rad, m]"),
        ("--body tool --target 0.4 0.1 0.5 --all", "--all: expected a target x y z qx qy qz qw"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(kido: Run, arguments: str, said: str) -> None:
    shown = kido("ik", ARM, *arguments.split())
    assert shown.code == 2
    assert shown.text.startswith("error: ")
    assert said in shown.text
    assert len(shown.text.splitlines()) == 1


def test_a_missing_file_is_bad_input(kido: Run, tmp_path: Path) -> None:
    file = tmp_path / "nowhere.urdf"
    shown = kido("ik", file, "--body", "tool", "--target", "0", "0", "0")
    assert shown == Outcome(2, f"error: {file}: No such file or directory\n")


def test_a_word_that_is_no_number_is_refused(kido: Run) -> None:
    assert kido("ik", ARM, "--body", "tool", "--target", "0.4", "x", "0.5").code == 2


def test_help_names_the_options(kido: Run) -> None:
    text = kido("ik", "--help").text
    assert all(option in text for option in ("--body", "--target", "--from", "--all", "--whole-body"))


def test_a_proof_that_a_target_is_out_of_reach(kido: Run, write_urdf: Write) -> None:
    file = write_urdf("".join(GRIPPER))
    shown = kido("ik", file, "--body", "palm", "--target", "1.2", "1.6", "0", "--prove")
    assert shown.code == 1
    assert "proved: no posture within the limits puts palm at the target" in shown.text
    assert 0.9 < float(shown.row("proved")[4]) <= 1.0  # the palm is 1 m from the base at most
    assert float(shown.row("distance")[2]) == pytest.approx(1.0, abs=1e-3)


def test_a_posture_instead_of_a_proof(kido: Run) -> None:
    shown = kido("ik", ARM, "--body", "tool", "--target", *target_of(POSE), "--prove", "--no-time")
    assert shown.code == 0
    REFERENCE.assert_there(values(shown, JOINTS, "Posture"), POSE)
    assert "ms" not in shown.text


def test_joints_that_are_not_moved_stand_still_in_a_proof(kido: Run, write_urdf: Write) -> None:
    """The chain of a finger is its slide alone."""
    file = write_urdf("".join(GRIPPER))
    question = ("ik", file, "--body", "finger", "--target", "0", "0.9", "0", "--prove")
    assert "proved" in kido(*question).text
    assert "reached" in kido(*question, "--whole-body").text


def test_proofs_have_no_closed_form(kido: Run) -> None:
    shown = kido("ik", ARM, "--body", "tool", "--target", *target_of(POSE), "--prove", "--all")
    assert shown.code == 2
    assert "either --all or --prove" in shown.text
