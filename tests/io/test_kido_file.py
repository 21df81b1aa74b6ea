"""kido's own files."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _effort import examples
from _random_trees import Robot, every_joint, robots
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kido
from kido import description as d
from kido.errors import KidoError, ModelFileError, SavedFileError, StrictModelError
from kido.io import read, read_scene
from kido.shape import Box, Mesh, Plane, Sphere


def falling() -> kido.World:
    """Two cubes that fall onto each other and the ground, one on a spring, one that holds a rod."""
    world = kido.World(time_step=2e-3, name="room")
    ground = kido.Skeleton("ground")
    floor = ground.add_body("floor", joint=kido.WeldJoint())
    floor.add_shape_node(Plane((0, 0, 1)))
    world.add(ground)
    for i in range(4):
        cube = kido.Skeleton(f"cube{i}")
        body = cube.add_body("cube", inertia=d.shape_inertia(Box((0.2,) * 3), 1.0 + i))
        body.add_shape_node(Box((0.2,) * 3)).surface = kido.Surface(0.3 + 0.1 * i, 0.2)
        cube.positions = (0.1 * i, 0.0, 0.2, 0.05 * i, 0.0, 0.15 + 0.25 * i)
        world.add(cube)
    bodies = [skeleton.bodies[0] for skeleton in world.skeletons[1:]]
    world.constraints.add(kido.SpringConstraint(bodies[0], stiffness=50.0, damping=0.5)).name = "spring"
    world.constraints.add(kido.DistanceConstraint(bodies[2], bodies[3], first_point=(0.05, 0.0, 0.02)))
    world.collision_filter.ignore(bodies[0], bodies[3])
    world.collision_filter.set_mask(bodies[1], category=2, collides_with=3)
    world.surface_handler = kido.world.SurfaceRules(friction="mean")
    world.sleeping = True
    world.frames.add(kido.SimpleFrame("target", bodies[0], np.eye(4)))
    world.states = [d.NamedState("flat", [d.JointState("cube1", bodies[1].parent_joint.name, (0.0,) * 6)])]
    return world


def motions(world: kido.World) -> list[list[float]]:
    """Positions and velocities of all skeletons."""
    return [[*s.positions, *s.velocities] for s in world.skeletons]


def test_a_world_goes_on_bit_for_bit(tmp_path: Path) -> None:
    world = falling()
    world.step(150)
    assert world.contacts
    assert kido.save(world, tmp_path / "world.json", exact=True) == ()
    twin = kido.load_world(tmp_path / "world.json", exact=True)
    assert (twin.time, twin.num_steps, twin.name) == (world.time, world.num_steps, "room")
    assert motions(twin) == motions(world)
    for _ in range(50):
        world.step(3)
        twin.step(3)
        assert motions(twin) == motions(world)


def test_a_world_that_is_not_exact_begins_with_fresh_impulses(tmp_path: Path) -> None:
    world = falling()
    world.step(150)
    kido.save(world, tmp_path / "plain.json")
    kido.save(world, tmp_path / "exact.json", exact=True)
    plain, careful = (kido.load_world(tmp_path / name) for name in ("plain.json", "exact.json"))
    assert motions(plain) == motions(careful) == motions(world)
    assert plain.diagnostics == ()
    (note,) = careful.diagnostics
    assert "begin anew" in note.message
    world.step(20)
    plain.step(20)
    for mine, theirs in zip(world.skeletons, plain.skeletons, strict=True):
        np.testing.assert_allclose(theirs.positions, mine.positions, atol=5e-3)


def test_a_world_is_read_with_all_that_it_has(tmp_path: Path) -> None:
    world = falling()
    world.step(10)
    kido.save(world, tmp_path / "world.json")
    twin = kido.load_world(tmp_path / "world.json")
    assert twin.to_value() == world.to_value()
    assert [type(c) for c in twin.constraints] == [kido.SpringConstraint, kido.DistanceConstraint]
    assert twin.constraints["spring"].parts[0] is twin.skeleton("cube0").bodies[0]
    bodies = [skeleton.bodies[0] for skeleton in twin.skeletons[1:]]
    assert twin.collision_filter.ignored == ((bodies[0], bodies[3]),)
    assert twin.collision_filter.mask(bodies[1].shape_nodes[0]) == (2, 3)
    assert twin.frames["target"].parent_frame is bodies[0]
    assert twin.sleeping == kido.world.Sleeping()
    twin.set_state("flat")
    alone = kido.load(tmp_path / "world.json", robot="cube2")
    assert alone.to_value() == world.skeleton("cube2").to_value()
    with pytest.raises(kido.errors.DescriptionError, match="expected one robot, got 5"):
        kido.load(tmp_path / "world.json")


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(robot=robots(), seed=st.integers(0, 2**16))
def test_random_skeletons_are_read_as_they_were_written(robot: Robot, seed: int, tmp_path: Path) -> None:
    skeleton = kido.Skeleton.from_description(robot.description)
    rng = np.random.default_rng(seed)
    skeleton.positions, skeleton.velocities = robot.positions(), robot.motion()
    skeleton.velocity_upper_limits = np.inf
    skeleton.damping = rng.uniform(0.0, 1.0, skeleton.num_dofs)
    kido.save(skeleton, tmp_path / "robot.json")
    twin = kido.load(tmp_path / "robot.json")
    assert twin.to_value() == skeleton.to_value()
    assert twin.mass_matrix.tolist() == skeleton.mass_matrix.tolist()
    world = kido.load_world(tmp_path / "robot.json")
    assert world.skeletons[0].to_value() == skeleton.to_value()
    assert kido.load_tree(tmp_path / "robot.json") == skeleton.tree
    assert read(tmp_path / "robot.json").links == skeleton.to_description().links


def test_descriptions_are_read_as_they_were_written(tmp_path: Path) -> None:
    robot = every_joint().description
    kido.save(robot, tmp_path / "robot.json")
    assert kido.io.read_kido_file(tmp_path / "robot.json") == robot
    assert kido.load(tmp_path / "robot.json").num_dofs == kido.Tree.from_description(robot).num_dofs
    scene = d.SceneDescription("two", [d.RobotPlacement(robot, "a"), d.RobotPlacement(robot, "b")])
    kido.save(scene, tmp_path / "scene.json")
    assert kido.io.read_kido_file(tmp_path / "scene.json") == scene
    assert read_scene(tmp_path / "scene.json").robots == scene.robots
    assert [s.name for s in kido.load_world(tmp_path / "scene.json").skeletons] == ["a", "b"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "world.json"
    kido.save(falling(), file)
    before = file.read_bytes()

    def fails(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fails)
        with pytest.raises(OSError, match="no space left"):
            kido.save(kido.World(), file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["world.json"]
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(FileExistsError, match="regular file"):
        kido.save(falling(), tmp_path / "pipe.json")


# ---- meshes


def meshed(path: Path) -> kido.Skeleton:
    """A skeleton with a mesh."""
    robot = kido.Skeleton("robot")
    robot.add_body("body").add_shape_node(Mesh(path, "package://thing.stl"))
    return robot


def mesh_of(robot: kido.Skeleton) -> Mesh:
    """The mesh of the skeleton."""
    (node,) = robot.nodes(kido.ShapeNode)
    assert isinstance(node.shape, Mesh)
    return node.shape


def test_meshes_are_named_relative_to_the_file(tmp_path: Path) -> None:
    mesh = tmp_path / "meshes" / "thing.stl"
    mesh.parent.mkdir()
    mesh.write_text("solid a\nendsolid a\n")
    kido.save(meshed(mesh), tmp_path / "robot.json")
    assert '"$path": "meshes/thing.stl"' in (tmp_path / "robot.json").read_text()
    moved = tmp_path.parent / f"{tmp_path.name}_moved"
    os.rename(tmp_path, moved)
    found = mesh_of(kido.load(moved / "robot.json"))
    assert found.path == moved / "meshes" / "thing.stl"
    os.rename(moved / "meshes", tmp_path)
    lost = kido.load(moved / "robot.json")
    assert (mesh_of(lost).path, mesh_of(lost).uri) == (None, "package://thing.stl")
    assert [(x.kind, x.message) for x in lost.diagnostics] == [("mesh", "file not found: meshes/thing.stl")]
    with pytest.raises(StrictModelError, match=r"file not found: meshes/thing\.stl"):
        kido.load(moved / "robot.json", strict=True)


def test_enclosed_meshes_are_put_into_a_folder_by_content(tmp_path: Path) -> None:
    mesh, file, cache = tmp_path / "thing.stl", tmp_path / "robot.json", tmp_path / "cache"
    mesh.write_text("solid a\nendsolid a\n")
    kido.save(meshed(mesh), file, meshes="content")
    mesh.unlink()
    found = mesh_of(kido.load(file, mesh_folder=cache))
    assert found.path is not None
    assert found.path.read_text() == "solid a\nendsolid a\n"
    assert (found.path.parent, found.path.suffix, found.uri) == (cache, ".stl", "package://thing.stl")
    assert mesh_of(kido.load(file, mesh_folder=cache)).path == found.path
    document = json.loads(file.read_text())
    (name,) = document["files"]
    for wrong in ("AAAA", "no base 64!", 3):
        document["files"] = {name: wrong}
        file.write_text(json.dumps(document))
        with pytest.raises(SavedFileError, match="files"):
            kido.load(file, mesh_folder=tmp_path / "other")
    assert list((tmp_path / "other").glob("*")) == []


# ---- hostile files


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A file of a world."""
    world = falling()
    world.step(100)
    kido.save(world, tmp_path / "world.json", exact=True)
    return tmp_path / "world.json"


def outcome(file: Path) -> str:
    """What becomes of a file, in bounded time: loaded, or one of kido's errors of a page at most."""
    started = time.process_time()
    try:
        kido.load_world(file)
        result = "loaded"
    except (KidoError, ValueError, TypeError, OSError) as error:
        assert isinstance(error, SavedFileError | ModelFileError), repr(error)
        assert len(str(error)) < 4000
        result = str(error)
    assert time.process_time() - started < 30.0
    return result


def test_truncated_files_are_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for cut in np.random.default_rng(1).integers(0, len(whole) - 3, 40):
        saved.write_bytes(whole[:cut])
        assert "expected JSON" in outcome(saved)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected JSON"),
        (b"[" * 100_000, "expected less nesting|expected JSON"),
        (b'{"a":' * 100_000, "expected less nesting|expected JSON"),
        (b"\xff\xfe\x00", "expected JSON"),
        (b"{}", "expected an object with format 'kido'"),
        (b'{"format": "kido", "version": 2, "value": 1}', "version: expected 1, got 2"),
        (b'{"format": "kido", "version": 1, "value": NaN}', "NaN is no number in JSON"),
        (b'{"format": "kido", "version": 1, "value": 3}', "expected a RobotDescription or SceneDescription"),
        (b'{"format": "kido", "version": 1, "value": {"$class": "os.system"}}', "unknown class 'os.system'"),
        (b'{"format": "kido", "version": 1, "value": {"$type": "kido.Box", "size": [1, 2]}}', "size"),
        (b'{"format": "kido", "version": 1, "value": {"$type": "kido.Box", "size": [1, 1, 1e999]}}', "size"),
        (b'{"format": "kido", "version": 1, "value": ' + b"9" * 10_000 + b"}", "expected"),
    ],
)
def test_what_is_no_file_of_kido_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_bytes(content)
    with pytest.raises(SavedFileError, match=message) as caught:
        kido.load(file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    "value",
    [
        {"$type": "x" * 10**6},
        {"a" * 10**6: 1},
        {f"key{k}": 1 for k in range(10**5)},
        {"$type": "kido.Box", "size": {"$list": "x" * 10**6}},
        {"$type": "kido.Box", "size": {"$array": ["x" * 10**6]}},
        {"$type": "kido.Box", "size": {"$array": [1.0] * 10**6}},
        {"$type": "kido.Box", "a" * 10**6: 1},
        {"$enum": "kido.JointType", "name": "x" * 10**6},
    ],
    ids=["class", "key", "keys", "list", "text in an array", "long array", "field", "enum"],
)
def test_errors_of_gigantic_content_are_a_page_at_most(value: Any, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(json.dumps({"format": "kido", "version": 1, "value": value}))
    assert len(outcome(file)) < 1000


def test_pipes_folders_and_large_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ModelFileError, match="expected a regular file, got a named pipe"):
        kido.load(tmp_path / "pipe.json")
    (tmp_path / "large.json").write_bytes(b" " * 2**20)
    with pytest.raises(ModelFileError, match="expected a model of at most"):
        kido.load(tmp_path / "large.json", max_bytes=2**19)
    with pytest.raises(FileNotFoundError):
        kido.load(tmp_path / "none.json")


def places(part: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every container of a document with a key of it."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in items:
        found.append((part, key))
        places(value, found)
    return found


WRONG: tuple[Callable[[Any], Any], ...] = (
    lambda _: None,
    lambda _: -1,
    lambda _: 10**400,
    lambda _: "x" * 300,
    lambda _: [],
    lambda _: {},
    lambda _: {"$float": "nan"},
    lambda _: {"$class": "kido.Box"},
    lambda _: {"$array": [[1, 2], [3, 4]]},
    lambda _: {"$type": "kido.Mesh", "path": {"$path": "/dev/zero"}},
    lambda _: {"$named_tuple": "kido.PartPlace", "items": [99, "body", 99, 99]},
    lambda value: [value, value],
    lambda value: {"a": value},
)


def test_wrong_values_anywhere_are_refused_or_harmless(saved: Path) -> None:
    document = json.loads(saved.read_text())
    number = len(places(document, []))
    rng = np.random.default_rng(4)
    refused = 0
    for _ in range(examples(300)):
        changed = deepcopy(document)
        container, key = places(changed, [])[int(rng.integers(number))]
        container[key] = WRONG[int(rng.integers(len(WRONG)))](container[key])
        saved.write_text(json.dumps(changed))
        refused += outcome(saved) != "loaded"
    assert refused > 0


def test_attributes_of_kido_are_not_set_by_files(saved: Path) -> None:
    document = json.loads(saved.read_text())
    document["value"]["skeletons"][0]["attributes"] = {"$dict": [["_answers", 3]]}
    saved.write_text(json.dumps(document))
    assert "'_answers' is no attribute" in outcome(saved)


def test_what_is_saved_is_checked(tmp_path: Path) -> None:
    world = falling()
    for wrong in (3, "world", None, kido.Tree.from_description(every_joint().description)):
        with pytest.raises(TypeError, match="model: expected a Skeleton, World"):
            kido.save(wrong, tmp_path / "a.json")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected a file with suffix \.json.*got 'a\.txt'"):
        kido.save(world, tmp_path / "a.txt")
    with pytest.raises(TypeError, match="exact: of worlds only"):
        kido.save(world.skeletons[0], tmp_path / "a.json", exact=True)
    with pytest.raises(ValueError, match="meshes: expected one of path, content"):
        kido.save(world, tmp_path / "a.json", meshes="none")
    world.surface_handler = lambda a, b: kido.Surface()
    with pytest.raises(TypeError, match="surface_handler: expected what can be saved"):
        kido.save(world, tmp_path / "a.json")
    world.surface_handler = None
    world.collision_filter = type("Own", (kido.collision.CollisionFilter,), {})()
    with pytest.raises(TypeError, match="collision_filter: a Own cannot be saved"):
        kido.save(world, tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_a_target_on_another_skeleton_is_refused_by_the_file_and_named(tmp_path: Path) -> None:
    arm, table = kido.gallery.arm7(), kido.gallery.arm7()
    table.name = "table"
    world = kido.World([arm, table])
    ik = kido.InverseKinematics.of(arm.end_effector("tool"))
    ik.target = kido.SimpleFrame("goal", table.bodies[3])
    with pytest.raises(TypeError, match=r"^cannot save the target of 'tool': it moves with 'link_3', which"):
        kido.save(world, tmp_path / "a.json")
    ik.target = kido.SimpleFrame("goal")
    world.frames.add(kido.SimpleFrame("mark", kido.SimpleFrame("elsewhere")))
    with pytest.raises(KidoError, match=r"'elsewhere' is no part of the world, and cannot be saved with it"):
        kido.save(world, tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_spheres_of_a_world_saved_twice_are_the_same_file(tmp_path: Path) -> None:
    robot = kido.Skeleton("robot")
    robot.add_body("body").add_shape_node(Sphere(0.1))
    kido.save(robot, tmp_path / "a.json")
    kido.save(kido.load(tmp_path / "a.json"), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
