"""URDF files of one robot."""

from __future__ import annotations

from collections.abc import Mapping

from kido.description import Diagnostic, RobotDescription, SceneDescription
from kido.io._writers._file_names import FileNames, Naming, mesh_folder
from kido.io._writers._losses import Losses
from kido.io._writers._model_text import Model, ModelText, as_scene, saved
from kido.io._writers._names import Names
from kido.io._writers._scene_losses import report_placement, report_scene
from kido.io._writers._urdf._joint import write_joint
from kido.io._writers._urdf._link import LinkWriter
from kido.io._writers._urdf._tree import ROOT_JOINT, urdf_tree
from kido.io._writers._xml_text import document, element
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["urdf_string", "write_urdf"]


def write_urdf(
    model: Model,
    path: PathLike,
    *,
    robot: str | None = None,
    names: Naming = "relative",
    packages: Mapping[str, PathLike] | None = None,
) -> tuple[Diagnostic, ...]:
    """Write one robot as a URDF file, in place of one that is there, and return what it cannot say.

    Every number reads back bit for bit. Joints that URDF does not have are chains of those that it has, with
    massless links in between: universal, Euler and translational joints exactly, with the names of their
    dofs; ball and screw joints as something near, which is reported. A root that is not welded to the world
    in its place hangs on a link "world". Named frames are empty links. Meshes without a file become OBJ files
    in a folder beside it, "robot_meshes" of "robot.urdf".

    Args:
        model: scene or robot.
        path: of the file.
        robot: name of the robot or object in a scene that has several; None: the only robot.
        names: of mesh files and textures: relative to the file, absolute, or as the model gives them ("uri").
        packages: folders of packages; files in one of them are named "package://...".

    Returns:
        What is not written, or written as something near; empty where the file says it all.

    Raises:
        DescriptionError: not exactly one robot, or a name that XML cannot hold.
        UnknownNameError: no `robot` of that name.
        TypeError, ValueError: an argument of the wrong kind, naming it.
        OSError: the file cannot be written; what was there stays.
    """
    place = checked_path("path", path)
    files = FileNames(names, place.parent, packages, enclosed=mesh_folder(place))
    return saved(_written(model, robot, files, str(place)), place, files.new_files)


def urdf_string(
    model: Model,
    *,
    robot: str | None = None,
    names: Naming = "relative",
    packages: Mapping[str, PathLike] | None = None,
    directory: PathLike | None = None,
) -> ModelText:
    """The text of a URDF file and what it cannot say, as `write_urdf` does; it is to lie in `directory`."""
    folder = None if directory is None else checked_path("directory", directory)
    return _written(model, robot, FileNames(names, folder, packages), "<string>")


def _written(model: Model, name: str | None, files: FileNames, file: str) -> ModelText:
    losses = Losses("URDF", file)
    scene = as_scene(model)
    single = scene.single_robot(name)
    _report(scene, single, losses)
    tree = urdf_tree(single, losses)
    root = element(None, "robot", name=tree.name)
    links = LinkWriter(root, losses, files)
    for link in tree.links:
        links.write(link)
    for joint in tree.joints:
        if joint.parent is not None:
            write_joint(root, joint, losses)
    _write_frames(links, tree)
    return ModelText(document(root), losses.diagnostics)


def _write_frames(links: LinkWriter, tree: RobotDescription) -> None:
    link_names = Names(link.name for link in tree.links)
    joint_names = Names((ROOT_JOINT, *(joint.name for joint in tree.joints)))
    for link in tree.links:
        for frame in link.frames:
            name = link_names.new(frame.name)
            links.write_frame(link, frame, name, joint_names.new(f"{name}_joint"))


def _report(scene: SceneDescription, single: RobotDescription, losses: Losses) -> None:
    """Report the rest of a scene."""
    report_scene(scene, losses, ("objects",))
    for placed in scene.robots:
        if placed.name == single.name:
            report_placement(placed, losses)
        else:
            losses.left_out("robot", placed.name, "URDF holds one robot")
    for other in scene.objects:
        if other.name != single.name:
            losses.left_out("object", other.name, "URDF holds one robot")
