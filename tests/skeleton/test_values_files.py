"""Configuration, state and properties in files."""

from __future__ import annotations

import json
import math
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from _valued_skeletons import (
    USER_TYPES,
    Everything,
    Grid,
    Mode,
    Sensor,
    Spot,
    answers,
    assert_same_bits,
    everything,
)
from hypothesis import example, given
from hypothesis import strategies as st

import kido
from kido.errors import SavedFileError
from kido.skeleton import Addon, Skeleton, SkeletonConfiguration, SkeletonProperties, SkeletonState


def plain() -> Skeleton:
    """A skeleton without classes of a user's own."""
    robot = Skeleton("plain")
    body = robot.add_body("base", joint=kido.EulerJoint("root", "zyx"))
    robot.add_body("tip", body, kido.RevoluteJoint("hinge", (1, 2, 2), position_upper_limits=1.0))
    body.add_end_effector("foot", (0, 0, -1)).create_addon(kido.Support, np.eye(3), True)
    robot.positions = [1 / 3, -0.0, 5e-324, math.pi]
    return robot


VALUES: dict[str, Callable[[Skeleton], Any]] = {
    "configuration": Skeleton.configuration,
    "state": lambda robot: robot.state,
    "properties": lambda robot: robot.properties,
}


@pytest.mark.parametrize("value_of", VALUES.values(), ids=VALUES)
def test_a_file_gives_an_equal_value(value_of: Callable[[Skeleton], Any], tmp_path: Path) -> None:
    value = value_of(plain())
    value.save(tmp_path / "value.json")
    assert type(value).load(tmp_path / "value.json") == value


@pytest.mark.parametrize("value_of", VALUES.values(), ids=VALUES)
def test_a_file_with_classes_of_a_user_is_read_where_they_are_passed(
    value_of: Callable[[Skeleton], Any], tmp_path: Path
) -> None:
    value = value_of(everything())
    value.save(str(tmp_path / "value.json"))
    assert type(value).load(str(tmp_path / "value.json"), USER_TYPES) == value


def test_a_skeleton_from_files_answers_bit_for_bit_like_the_original(tmp_path: Path) -> None:
    robot = everything()
    robot.properties.save(tmp_path / "properties.json")
    robot.state.save(tmp_path / "state.json")
    properties = SkeletonProperties.load(tmp_path / "properties.json", USER_TYPES)
    twin = Skeleton.from_properties(properties, SkeletonState.load(tmp_path / "state.json", USER_TYPES))
    assert_same_bits(answers(twin), answers(robot))


def test_numbers_are_exact(tmp_path: Path) -> None:
    numbers = [1 / 3, -0.0, 5e-324, sys.float_info.max, math.nextafter(1.0, 2.0)]
    value = SkeletonConfiguration(list("abcde"), positions=numbers)
    value.save(tmp_path / "value.json")
    loaded = SkeletonConfiguration.load(tmp_path / "value.json")
    assert loaded.positions.tobytes() == np.array(numbers).tobytes()


def test_limits_may_be_infinite(tmp_path: Path) -> None:
    plain().properties.save(tmp_path / "value.json")
    joint = SkeletonProperties.load(tmp_path / "value.json").bodies[1].joint
    assert joint.position_lower_limits.tolist() == [-math.inf]
    assert joint.position_upper_limits.tolist() == [1.0]


def test_a_file_is_json_with_format_and_version_and_short_lines_for_parts(tmp_path: Path) -> None:
    plain().properties.save(tmp_path / "value.json")
    text = (tmp_path / "value.json").read_text()
    document = json.loads(text, parse_constant=pytest.fail)
    assert (document["format"], document["version"]) == ("kido", 1)
    assert document["value"]["$type"] == "kido.SkeletonProperties"
    assert '  "gravity": {"$array": [0.0, 0.0, -9.81]},\n' in text
    assert '"position_upper_limits": {"$array": [1.0]}' in text


def test_the_same_value_makes_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "other"):
        everything().properties.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def with_addon(content: Everything) -> SkeletonProperties:
    robot = Skeleton("robot")
    robot.create_addon(Grid, 1).properties = content
    return robot.properties


@pytest.mark.parametrize(
    "content",
    [
        Everything(mode=Mode.OFF, spots=(Spot(np.eye(2), math.inf), Spot(np.zeros(0)))),
        Everything(counts={"a": 1, "b": 10**30}, items=[1, [2.5, None], {"x": (True, "y")}, {3: "three"}]),
        Everything(kind=kido.BallJoint, path=Path("/a b/ü"), text=None, number=-math.inf),
        Everything(grid=np.zeros((2, 0, 3), dtype=np.uint8), flags=np.array(True)),
        Everything(
            grid=np.array([[np.nan, np.inf]], dtype=np.float32), flags=np.array([2**64 - 1], dtype=np.uint64)
        ),
        Everything(grid=np.arange(24).reshape(2, 3, 4)[:, ::2]),
        Everything(small=np.float32(1) / 3, number=np.float64(0.1), text="\n\t\u2028"),
    ],
)
def test_what_users_keep_is_saved_in_full(content: Everything, tmp_path: Path) -> None:
    value = with_addon(content)
    value.save(tmp_path / "value.json")
    loaded = SkeletonProperties.load(tmp_path / "value.json", USER_TYPES)
    assert loaded == value and hash(loaded) == hash(value)
    held = loaded.addons[0].properties
    assert held.grid.dtype == content.grid.dtype and held.flags.dtype == content.flags.dtype
    assert type(held.items) is list and type(held.path) is type(content.path) and held.kind is content.kind


def test_arrays_of_users_are_read_only_where_they_are_loaded(tmp_path: Path) -> None:
    with_addon(Everything(grid=np.zeros(3))).save(tmp_path / "value.json")
    grid = SkeletonProperties.load(tmp_path / "value.json", USER_TYPES).addons[0].properties.grid
    with pytest.raises(ValueError, match="read-only"):
        grid[0] = 1.0


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"spots": (Spot(np.array([1.0, 2.0])),)}, False),
        ({"items": [[np.zeros(2)], {"a": np.array([math.nan])}]}, True),
        ({"items": [[np.zeros(2)], {"a": np.array([1.0])}]}, False),
        ({"items": [[np.zeros(2)], {"b": np.array([math.nan])}]}, False),
        ({"items": [[np.zeros(3)], {"a": np.array([math.nan])}]}, False),
        ({"number": 1.0}, False),
    ],
)
def test_values_with_arrays_of_users_are_compared_by_content(change: dict[str, Any], same: bool) -> None:
    content = Everything(
        items=[[np.zeros(2)], {"a": np.array([math.nan])}], spots=(Spot(np.array([1.0, 3.0])),)
    )
    one, other = with_addon(content), with_addon(replace(pickle.loads(pickle.dumps(content)), **change))
    assert (one == other) is same
    assert not same or hash(one) == hash(other)


class Other:
    """No dataclass."""


@pytest.mark.parametrize(
    "thing", [Other(), {1, 2}, 1j, np.array(["a"]), np.zeros(2, dtype=complex), lambda: 0, b"x"]
)
def test_what_cannot_be_saved_is_named_with_its_place_and_no_file_is_written(
    thing: Any, tmp_path: Path
) -> None:
    place = tmp_path / "value.json"
    place.write_text("before")
    with pytest.raises(
        TypeError, match=r"SkeletonProperties\.addons\[0\]\.properties\.items\[1\]: expected "
    ):
        with_addon(Everything(items=[0, thing])).save(place)
    assert place.read_text() == "before"


def namesake() -> type:
    @dataclass(frozen=True)
    class Spot:
        size: float = 0.0

    Spot.__qualname__ = "Spot"
    return Spot


def test_two_classes_of_one_name_are_neither_saved_nor_loaded(tmp_path: Path) -> None:
    other = namesake()
    with pytest.raises(ValueError, match="expected classes of different names, got two named 'Spot'"):
        with_addon(Everything(items=[other(), Spot()])).save(tmp_path / "value.json")
    with pytest.raises(ValueError, match="types: expected classes of different names, got two named 'Spot'"):
        SkeletonProperties.load(tmp_path / "value.json", [Spot, other])
    with pytest.raises(TypeError, match="types: expected classes, got 'Spot'"):
        SkeletonProperties.load(tmp_path / "value.json", ["Spot"])  # type: ignore[list-item]


@pytest.mark.parametrize("missing", [Grid, Sensor, Mode])
def test_a_class_that_was_not_passed_is_named_with_what_to_do(missing: type, tmp_path: Path) -> None:
    place = tmp_path / "value.json"
    everything().properties.save(place)
    with pytest.raises(SavedFileError) as caught:
        SkeletonProperties.load(place, [kind for kind in USER_TYPES if kind is not missing])
    assert f"unknown class '{missing.__qualname__}" in str(caught.value)
    assert "pass it in `types`" in str(caught.value)
    assert caught.value.file == str(place)
    assert caught.value.place.startswith("SkeletonProperties.")


def test_no_class_is_imported_or_found_by_its_name(tmp_path: Path) -> None:
    for tag in ("os.system", "builtins.eval", "kido.BodyNode", "kido.io.read", "subprocess.Popen"):
        for key in ("$type", "$class", "$enum"):
            document = {"format": "kido", "version": 1, "value": {key: tag, "name": "true"}}
            (tmp_path / "value.json").write_text(json.dumps(document))
            with pytest.raises(SavedFileError, match=f"unknown class '{tag}'"):
                SkeletonState.load(tmp_path / "value.json")


def configuration_text(**changes: Any) -> str:
    value = {
        "$type": "kido.SkeletonConfiguration",
        "dof_names": ["a"],
        "positions": {"$array": [1.0]},
        **changes,
    }
    return json.dumps({"format": "kido", "version": 1, "value": value})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected JSON: Expecting value: line 1 column 1"),
        ('{"format": "kido",', "expected JSON: .*line 1 column"),
        ('{"format": "kido", "version": 1, "value": NaN}', "value: NaN is no number"),
        ("[]", "expected an object with format 'kido', version and value"),
        ('{"format": "other", "version": 1, "value": 1}', "expected an object with format 'kido'"),
        ('{"format": "kido", "version": 1}', "expected an object with format 'kido', version and value"),
        ('{"format": "kido", "version": 2, "value": 1}', "version: expected 1, got 2"),
        ('{"format": "kido", "version": 1, "value": 1}', "expected a SkeletonConfiguration, got a int"),
        (
            configuration_text(positions=[1.0, "x"]),
            r"positions: expected shape \(1,\)|positions: expected numbers",
        ),
        (configuration_text(positions={"$array": ["x"]}), r"positions: expected a number, got 'x'"),
        (configuration_text(positions={"$array": [None]}), r"positions: expected a number, got None"),
        (configuration_text(positions={"$array": [True]}), r"positions: expected a number, got True"),
        (configuration_text(positions={"$array": [[1.0], [1.0, 2.0]]}), "positions: "),
        (
            configuration_text(positions={"$array": [1.0, 2.0]}),
            r"expected shape \(1,\) \[rad, m\], got \(2,\)",
        ),
        (configuration_text(positions={"$array": ["inf"]}), "positions: expected finite numbers"),
        (
            configuration_text(positions={"$array": [1.0], "dtype": "object"}),
            "expected numbers, got dtype object",
        ),
        (configuration_text(positions={"$array": [1.0], "dtype": "floaty"}), "floaty"),
        (configuration_text(positions={"$array": [], "shape": [0, "x"]}), "positions: "),
        (configuration_text(positions={"$float": "one"}), "positions: expected a number, got 'one'"),
        (configuration_text(positions={"$list": 3}), "positions: expected a list, got 3"),
        (configuration_text(positions={"$dict": [1]}), "positions: "),
        (configuration_text(positions={"$path": 3}), "positions: "),
        (configuration_text(positions={"$type": 3}), "positions: unknown class 3"),
        (configuration_text(positions={"a": 3}), r"positions: expected one key of \$type, .*, got a"),
        (
            configuration_text(positions={"$class": "kido.SkeletonConfiguration"}),
            "positions: expected numbers",
        ),
        (
            configuration_text(positions={"$enum": "kido.SkeletonConfiguration"}),
            "expected a member of an enum",
        ),
        (
            configuration_text(speeds=3),
            "expected fields of kido.SkeletonConfiguration: dof_names, .*; got 'speeds'",
        ),
        (configuration_text(dof_names=3), "SkeletonConfiguration: dof_names: expected an iterable, got 3"),
        (configuration_text(dof_names=["a", "a"]), "dof_names: expected different names"),
        (configuration_text(positions=json.loads("[" * 90 + "]" * 90)), "positions: "),
        ("[" * 100_000, "expected less nesting"),
    ],
)
def test_a_malformed_file_is_refused_with_its_name_and_what_was_expected(
    text: str, message: str, tmp_path: Path
) -> None:
    place = tmp_path / "value.json"
    place.write_text(text)
    with pytest.raises(SavedFileError, match=message) as caught:
        SkeletonConfiguration.load(place)
    assert str(caught.value).startswith(str(place))


def test_a_file_of_another_value_or_encoding_is_refused(tmp_path: Path) -> None:
    plain().state.save(tmp_path / "state.json")
    with pytest.raises(SavedFileError, match="expected a SkeletonConfiguration, got a SkeletonState"):
        SkeletonConfiguration.load(tmp_path / "state.json")
    (tmp_path / "state.json").write_bytes(b'\xff\xfe{"')
    with pytest.raises(SavedFileError, match="expected JSON"):
        SkeletonState.load(tmp_path / "state.json")
    with pytest.raises(FileNotFoundError):
        SkeletonState.load(tmp_path / "nothing.json")


def test_the_error_survives_pickling() -> None:
    error = SavedFileError("value.json", "State.bodies[0]", "expected more")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == "value.json: State.bodies[0]: expected more" and vars(copy) == vars(error)
    assert isinstance(copy, ValueError)


def test_what_the_constructor_of_a_class_refuses_is_an_error_of_the_file(tmp_path: Path) -> None:
    everything().properties.save(tmp_path / "value.json")
    text = (tmp_path / "value.json").read_text().replace('"time_step": 0.01', '"time_step": -0.01')
    (tmp_path / "value.json").write_text(text)
    with pytest.raises(SavedFileError, match="SkeletonProperties: time_step: expected a positive number"):
        SkeletonProperties.load(tmp_path / "value.json", USER_TYPES)


class Plate(Addon):
    """An addon with Properties of its own name."""

    @dataclass(frozen=True)
    class Properties:
        size: float = 1.0


def test_an_addon_brings_its_state_and_properties(tmp_path: Path) -> None:
    robot = Skeleton()
    robot.create_addon(Plate, Plate.Properties(4.0))
    robot.properties.save(tmp_path / "value.json")
    assert SkeletonProperties.load(tmp_path / "value.json", [Plate]) == robot.properties


TAMPERED = json.loads(configuration_text(forces={"$float": "inf"}))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all parts of a JSON document but the whole."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in ((*path, key), *leaves(value[key], (*path, key)))]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["inf", "kido.SkeletonState", "", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$type", "$array", "$list", "$dict", "$enum", "dtype", "shape"]), inner
        )
    ),
    max_leaves=6,
)


@given(st.sampled_from(leaves(TAMPERED)), JSON)
@example(("value", "positions"), {"$array": None, "dtype": "a"})
def test_files_that_were_tampered_with_load_or_raise_an_error_of_the_file(
    place: tuple[Any, ...], junk: Any
) -> None:
    document = json.loads(json.dumps(TAMPERED))
    owner = document
    for key in place[:-1]:
        owner = owner[key]
    owner[place[-1]] = junk
    with TemporaryDirectory() as folder:
        file = Path(folder) / "value.json"
        file.write_text(json.dumps(document))
        try:
            value: Any = SkeletonConfiguration.load(file)
        except SavedFileError as error:
            assert error.file == str(file)
        else:
            assert isinstance(value, SkeletonConfiguration)
