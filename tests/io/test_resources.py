from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from kido.description import RobotDescription
from kido.shape import Mesh

ReadBody = Callable[..., RobotDescription]


@pytest.fixture
def find(read_body: ReadBody) -> Callable[..., Path | None]:
    """The path to which a mesh name resolves."""

    def find(uri: str, **options: object) -> Path | None:
        mesh = f"<geometry><mesh filename='{uri}'/></geometry>"
        robot = read_body(f"<link name='a'><visual>{mesh}</visual></link>", **options)
        shape = robot.link("a").visuals[0].shape
        assert isinstance(shape, Mesh)
        assert shape.uri == uri
        return shape.path

    return find


Find = Callable[..., Path | None]
URI = "package://arm/meshes/hand.stl"


@pytest.mark.parametrize("scheme", ["package", "model"])
def test_a_package_map_names_the_folder(find: Find, package: Path, scheme: str) -> None:
    assert find(f"{scheme}://x/meshes/hand.stl", packages={"x": package}) == package / "meshes/hand.stl"


@pytest.mark.parametrize("wrap", [lambda p: [p], lambda p: p, str, lambda p: ["/nowhere", p]])
def test_search_folders_hold_packages(find: Find, package: Path, wrap: Callable[[Path], object]) -> None:
    assert find(URI, packages=wrap(package.parent)) == package / "meshes/hand.stl"


def test_a_search_folder_may_be_the_package(find: Find, package: Path) -> None:
    assert find(URI, packages=[package]) == package / "meshes/hand.stl"


def test_search_folders_are_searched_below_for_manifests(find: Find, package: Path, tmp_path: Path) -> None:
    (package / "package.xml").write_text("<package><name> hand </name></package>")
    assert find("package://hand/meshes/hand.stl", packages=[tmp_path]) == package / "meshes/hand.stl"


def test_broken_manifests_are_passed_over(find: Find, package: Path, tmp_path: Path) -> None:
    (package / "package.xml").write_text("<package><name>hand")
    assert find("package://hand/meshes/hand.stl", packages=[tmp_path]) is None


def test_ros_package_path_is_searched(find: Find, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{package.parent}")
    assert find(URI) == package / "meshes/hand.stl"


def test_ament_prefix_path_is_searched_in_share(
    find: Find, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "share").symlink_to(package.parent)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert find(URI) == tmp_path / "share/arm/meshes/hand.stl"


def test_the_parents_of_the_file_are_searched_by_name(find: Find, package: Path) -> None:
    (package / "urdf" / "deep").mkdir(parents=True)
    assert find(URI, directory=package / "urdf" / "deep") == package / "meshes/hand.stl"


def test_the_neighbours_of_the_parents_are_searched(find: Find, package: Path) -> None:
    other = package.parent / "bringup" / "urdf"
    other.mkdir(parents=True)
    assert find(URI, directory=other) == package / "meshes/hand.stl"


def test_a_parent_may_have_its_name_in_a_manifest(find: Find, package: Path) -> None:
    (package / "urdf").mkdir()
    (package / "package.xml").write_text("<package><name>hand</name></package>")
    uri = "package://hand/meshes/hand.stl"
    assert find(uri, directory=package / "urdf") == package / "meshes/hand.stl"


def test_the_map_comes_before_the_environment_and_that_before_the_parents(
    find: Find, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = {}
    for name in ("mapped", "ros", "ament/share"):
        roots[name] = tmp_path / name / "arm"
        (roots[name] / "meshes").mkdir(parents=True)
        (roots[name] / "meshes" / "hand.stl").write_bytes(b"")
    assert find(URI, directory=package) == package / "meshes/hand.stl"
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ament"))
    assert find(URI, directory=package) == roots["ament/share"] / "meshes/hand.stl"
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    assert find(URI, directory=package) == roots["ros"] / "meshes/hand.stl"
    mapped = {"arm": roots["mapped"]}
    assert find(URI, directory=package, packages=mapped) == roots["mapped"] / "meshes/hand.stl"


def test_relative_names_start_at_the_directory(find: Find, package: Path) -> None:
    assert find("meshes/hand.stl", directory=package) == package / "meshes/hand.stl"
    assert find("../arm/meshes/hand.stl", directory=package) == package / "../arm/meshes/hand.stl"
    assert find("meshes/hand.stl") is None


def test_absolute_names_need_no_directory(find: Find, package: Path) -> None:
    mesh = package / "meshes/hand.stl"
    assert find(str(mesh)) == mesh


@pytest.mark.parametrize("prefix", ["file://", "file://localhost"])
def test_file_names_are_decoded(find: Find, package: Path, prefix: str) -> None:
    mesh = package / "meshes" / "left hand é.stl"
    mesh.write_bytes(b"")
    assert find(prefix + mesh.as_uri().removeprefix("file://")) == mesh
    assert find(prefix + str(mesh)) == mesh


@pytest.mark.parametrize("scheme", ["package", "model"])
def test_names_in_packages_may_be_escaped(find: Find, package: Path, scheme: str) -> None:
    for name in ("left hand é.stl", "100%25.stl"):
        mesh = package / "meshes" / name
        mesh.write_bytes(b"")
        found = find(f"{scheme}://arm/meshes/{name}", packages={"arm": package})
        assert found == mesh  # as it stands
        assert find(f"{scheme}://arm/meshes/{quote(name)}", packages={"arm": package}) == mesh
    assert find(f"{scheme}://arm/meshes/no%20hand.stl", packages={"arm": package}) is None


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm/meshes/none.stl",
        "package://none/meshes/hand.stl",
        "package://arm",
        "package://",
        "http://example.org/hand.stl",
        "file:///nowhere/hand.stl",
        "meshes",
        "x" * 5000,
        "..",
        "://",
    ],
)
def test_what_is_no_file_is_not_found(find: Find, package: Path, uri: str) -> None:
    assert find(uri, directory=package) is None
