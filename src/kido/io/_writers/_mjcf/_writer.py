"""MJCF files of a robot or a scene."""

from __future__ import annotations

from kido.description import DEFAULT_TIME_STEP, Diagnostic
from kido.io._writers._file_names import FileNames, Naming, mesh_folder
from kido.io._writers._losses import Losses
from kido.io._writers._mjcf._actuators import write_actuators
from kido.io._writers._mjcf._bodies import BodyWriter
from kido.io._writers._mjcf._categories import Categories
from kido.io._writers._mjcf._keyframes import write_states
from kido.io._writers._mjcf._output import Output
from kido.io._writers._mjcf._relations import write_contacts, write_equalities, write_options
from kido.io._writers._mjcf._rest import Rest
from kido.io._writers._mjcf._sensors import write_sensors
from kido.io._writers._model_text import Model, ModelText, as_scene, saved
from kido.io._writers._scene_begin import at_its_beginning
from kido.io._writers._scene_losses import report_rules
from kido.io._writers._xml_text import document, element, numbers
from kido.shape import CombineRule
from kido.typing import PathLike
from kido.values import checked_path

__all__ = ["mjcf_string", "write_mjcf"]

_OPTIONS = (
    *(
        "impratio",
        "wind",
        "magnetic",
        "density",
        "viscosity",
        "o_margin",
        "o_solref",
        "o_solimp",
        "o_friction",
    ),
    *("integrator", "cone", "jacobian", "solver", "iterations", "tolerance", "ls_iterations", "ls_tolerance"),
    *("noslip_iterations", "noslip_tolerance", "ccd_iterations", "ccd_tolerance", "sdf_iterations"),
    *("sdf_initpoints", "actuatorgroupdisable"),
)
_WORDS = {
    "integrator": ("Euler", "RK4", "implicit", "implicitfast"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
    "solver": ("PGS", "CG", "Newton"),
}
"""Options that MJCF has words for."""
_CUSTOM = ("numeric", "text")


def write_mjcf(model: Model, path: PathLike, *, names: Naming = "relative") -> tuple[Diagnostic, ...]:
    """Write a robot or a scene as an MJCF file, in place of one that is there, and return what it lacks.

    Every number reads back bit for bit. A body has several hinges and slides where a joint has several dofs,
    with the names of these dofs; frames of constraints are sites; named states are keyframes. Large meshes
    without a file become OBJ files in a folder beside it, "scene_meshes" of "scene.xml".

    Args:
        model: scene or robot.
        path: of the file.
        names: of mesh files and textures: relative to the file, absolute, or as the model gives them ("uri").

    Returns:
        What is not written, or written as something near; empty where the file says it all.

    Raises:
        DescriptionError: a name that XML cannot hold.
        TypeError, ValueError: an argument of the wrong kind, naming it.
        OSError: the file cannot be written; what was there stays.
    """
    place = checked_path("path", path)
    files = FileNames(names, place.parent, enclosed=mesh_folder(place), unknown=())
    return saved(_written(model, files, str(place)), place, files.new_files)


def mjcf_string(model: Model, *, names: Naming = "relative", directory: PathLike | None = None) -> ModelText:
    """The text of an MJCF file and what it lacks, as `write_mjcf` does; it is to lie in `directory`."""
    folder = None if directory is None else checked_path("directory", directory)
    return _written(model, FileNames(names, folder), "<string>")


def _written(model: Model, files: FileNames, file: str) -> ModelText:
    losses = Losses("MJCF", file)
    scene = at_its_beginning(as_scene(model), losses)
    root = element(None, "mujoco", model=scene.name)
    element(root, "compiler", angle="radian", inertiafromgeom="false", fusestatic="false")
    report_rules(scene, losses, CombineRule.MAXIMUM)
    output = Output(scene, root, losses, files, Categories(scene, losses), Rest.of(scene))
    _write_options(output)
    output.section("asset")
    bodies = BodyWriter(output)
    for placed in scene.robots:
        bodies.write_robot(placed)
        if not placed.robot.links:
            losses.left_out("robot", placed.name, "it has no links")
    for thing in scene.objects:
        bodies.write_object(thing)
    write_contacts(output)
    write_equalities(output)
    write_actuators(output)
    write_sensors(output)
    write_states(output)
    for section in root.findall("asset"):
        if len(section) == 0:
            root.remove(section)
    return ModelText(document(root), losses.diagnostics)


def _write_options(output: Output) -> None:
    scene = output.scene
    step = DEFAULT_TIME_STEP if scene.time_step is None else scene.time_step  # that of MJCF is another one
    option = element(output.root, "option", gravity=scene.gravity, timestep=step)
    flags = {}
    touching = [placed for placed in scene.robots if placed.self_collision]
    if any(placed.adjacent_collision for placed in touching):
        flags["filterparent"] = "disable"
        for placed in touching:
            if not placed.adjacent_collision:
                output.losses.ignored("robot", placed.name, "that neighboring links do not touch each other")
    if not output.categories.active:
        flags["contact"] = "disable"
    for name, value in scene.options.items():
        prefix, _, rest = name.partition(".")
        if name in _OPTIONS and not _is_of_mjcf(name, value):
            output.losses.ignored("option", name, f"{value!r}")
        elif name in _OPTIONS:
            write_options(output, option, "scene", scene.name, type(scene.options)({name: value}), _OPTIONS)
        elif prefix == "flag" and rest and isinstance(value, str):
            flags.setdefault(rest, value)
        elif prefix in _CUSTOM and rest:
            text = (
                value if isinstance(value, str) else numbers(value if isinstance(value, tuple) else (value,))
            )
            element(output.section("custom"), prefix, name=rest, data=text)
        else:
            output.losses.ignored("option", name, "the option")
    if flags:
        element(option, "flag", **flags)


def _is_of_mjcf(option: str, value: object) -> bool:
    """Whether an option has a value that MJCF has for it: one of its words, or numbers."""
    return value in _WORDS[option] if option in _WORDS else not isinstance(value, bool | str)
