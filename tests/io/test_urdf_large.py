"""Robots of thousands of parts: no recursion, nothing that grows faster than the robot, short messages."""

from __future__ import annotations

import copy
import pickle

import pytest

import kido
from kido.description import RobotDescription
from kido.errors import ModelFileError, ModelWarning
from kido.io import read_urdf_string

COUNT = 1500
INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"


def joint(i: int, parent: str, child: str, inside: str = "") -> str:
    ends = f"<parent link='{parent}'/><child link='{child}'/>"
    return f"<joint name='j{i}' type='continuous'>{ends}<origin xyz='0.1 0 0'/>{inside}</joint>"


def robot(links: list[str], joints: list[str]) -> str:
    return "\n".join(["<robot name='large'>", *links, *joints, "</robot>"])


@pytest.fixture(scope="module")
def chain() -> RobotDescription:
    links = [f"<link name='l{i}'>{INERTIAL}</link>" for i in range(COUNT)]
    return read_urdf_string(robot(links, [joint(i, f"l{i - 1}", f"l{i}") for i in range(1, COUNT)]))


def test_a_chain_deeper_than_the_stack_loads_and_answers(chain: RobotDescription) -> None:
    skeleton = kido.Skeleton.from_description(chain)
    tip = skeleton.body(f"l{COUNT - 1}")
    assert tip.transform()[0, 3] == pytest.approx(0.1 * (COUNT - 1), rel=1e-12)
    assert len(tip.chain_dofs) == COUNT - 1
    assert skeleton.tree == kido.Tree.from_description(chain)


def test_a_deep_chain_is_cloned_pickled_shown_and_compared(chain: RobotDescription) -> None:
    skeleton = kido.Skeleton.from_description(chain)
    clone = skeleton.clone()
    assert [b.name for b in clone.bodies] == [b.name for b in skeleton.bodies]
    assert clone.body("l1").child_bodies == (clone.body("l2"),)
    assert pickle.loads(pickle.dumps(skeleton)).tree == skeleton.tree
    assert copy.deepcopy(skeleton).tree == skeleton.tree
    assert pickle.loads(pickle.dumps(chain)) == chain
    assert repr(skeleton) == f"<Skeleton 'large': {COUNT} bodies, {COUNT - 1} dofs>"
    assert "l1499" in repr(chain)


def test_a_deep_chain_is_edited(chain: RobotDescription) -> None:
    skeleton = kido.Skeleton.from_description(chain)
    copied = skeleton.body("l1").copy_as("copy")
    assert copied.num_bodies == COUNT - 1
    skeleton.body("l1").remove()
    assert skeleton.num_bodies == 1


def test_a_cycle_of_thousands_of_links_is_told_in_a_line() -> None:
    links = [f"<link name='l{i}'/>" for i in range(COUNT)]
    joints = [joint(i, f"l{i - 1}", f"l{i}") for i in range(1, COUNT)]
    with pytest.raises(ModelFileError, match="links form a cycle: ") as caught:
        read_urdf_string(robot(links, [*joints, joint(0, f"l{COUNT - 1}", "l0")]))
    assert "(1489 more)" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_mimics_follow_each_other_in_thousands_and_a_cycle_is_told_in_a_line() -> None:
    links = [f"<link name='l{i}'/>" for i in range(COUNT)]
    mimics = [f"<mimic joint='j{i + 1}'/>" for i in range(COUNT - 1)]
    ends = [joint(i, "l0", f"l{i}", mimics[i]) for i in range(1, COUNT - 1)]
    last = COUNT - 1
    sound = robot(links, [*ends, joint(last, "l0", f"l{last}")])
    assert read_urdf_string(sound).joint("j1").mimic is not None
    with pytest.raises(ModelFileError, match="mimic joints form a cycle: j1 -> j2") as caught:
        read_urdf_string(robot(links, [*ends, joint(last, "l0", f"l{last}", "<mimic joint='j1'/>")]))
    assert len(str(caught.value)) < 400


def test_thousands_of_roots_are_told_in_a_line() -> None:
    with pytest.raises(ModelFileError, match=r"'l0', 'l1', .* and 1494 more: joints have to join all links$"):
        read_urdf_string(robot([f"<link name='l{i}'/>" for i in range(COUNT)], []))


def test_long_values_and_names_are_quoted_by_their_beginning() -> None:
    with pytest.raises(ModelFileError, match=r"100000 characters") as caught:
        read_urdf_string(
            f"<robot name='r'><link name='{'a' * 100000}'><inertial><mass/></inertial></link></robot>"
        )
    assert len(str(caught.value)) < 500
    with pytest.raises(ModelFileError, match=r"expected a finite number, got 'xxxx") as caught:
        inertial = f"<inertial><mass value='{'x' * 100000}'/></inertial>"
        read_urdf_string(f"<robot name='r'><link name='a'>{inertial}</link></robot>")
    assert len(str(caught.value)) < 500


def test_many_doubts_of_one_kind_make_a_short_warning() -> None:
    hollow = INERTIAL.replace("izz='1'", "izz='9'")
    links = [f"<link name='l{i}'>{hollow}</link>" for i in range(50)]
    with pytest.warns(ModelWarning, match=r"of 'l0', 'l1', 'l2', 'l3' and 46 more; `diagnostics`"):
        read_urdf_string(robot(links, [joint(i, "l0", f"l{i}") for i in range(1, 50)]))


def test_shapes_of_one_name_are_numbered_in_the_order_of_the_file() -> None:
    shape = "<visual name='v'><geometry><sphere radius='1'/></geometry></visual>"
    named = shape.replace("'v'", "'v(2)'")
    skeleton = kido.Skeleton.from_description(
        read_urdf_string(robot([f"<link name='l0'>{shape}{named}{shape * COUNT}</link>"], []))
    )
    names = [node.name for node in skeleton.nodes(kido.ShapeNode)]
    assert names[:5] == ["v", "v(2)", "v(1)", "v(3)", "v(4)"]
    assert len(set(names)) == COUNT + 2
    assert all(node.body is skeleton.body(0) for node in skeleton.nodes(kido.ShapeNode))
