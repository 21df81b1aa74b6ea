"""The <world> element: physics, and skeletons in their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kido.description import NamedState, SceneDescription
from kido.errors import DescriptionError
from kido.io._resources import ResourceFinder
from kido.io._skel._skeleton import SkeletonReader
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element, tag_of

__all__ = ["read_world"]

_INITIAL = "initial"
"""Name of the state in which the scene begins."""


def read_world(
    file: TrackedXml, root: Element, resources: ResourceFinder, source: Path | None
) -> SceneDescription:
    """The scene of a <skel> element, which holds a <world>, or <skeleton> elements by themselves; raises
    ModelFileError."""
    if tag_of(root) != "skel":
        raise file.error(root, f"expected a <skel> element, got <{tag_of(root)}>")
    file.attribute(file.enter(root), "version")
    world = file.find(root, "world")
    if world is None and root.find("skeleton") is None:
        raise file.error(root, "expected a <world> or <skeleton> element, got none")
    owner = root if world is None else world
    name = (None if world is None else file.attribute(world, "name")) or (
        "world" if source is None else source.stem
    )
    physics = {} if world is None else _physics(file, world)
    reader = SkeletonReader(file, resources, source)
    skeletons = [reader.read(element) for element in file.find_all(owner, "skeleton")]
    states = [state for skeleton in skeletons for state in skeleton.states]
    file.note_unread(root)
    try:
        return SceneDescription(
            name,
            [skeleton.placement for skeleton in skeletons],
            states=[NamedState(_INITIAL, states)] if states else [],
            initial_state=_INITIAL if states else None,
            diagnostics=file.diagnostics,
            source=source,
            **physics,
        )
    except DescriptionError as error:
        raise file.error(owner, str(error)) from error


def _physics(file: TrackedXml, world: Element) -> dict[str, Any]:
    """Time step, gravity and options as far as the file says them."""
    given: dict[str, Any] = {}
    physics = file.find(world, "physics")
    if physics is None:
        return given
    step = file.find(physics, "time_step")
    if step is not None:
        given["time_step"] = file.number_of(physics, "time_step")
        if given["time_step"] <= 0.0:
            raise file.error(step, f"expected a positive number [s], got {given['time_step']:g}")
    if physics.find("gravity") is not None:
        given["gravity"] = file.numbers_of(physics, "gravity", 3)
    detector = file.find(physics, "collision_detector")
    if detector is not None:
        text = file.content(detector)
        given["options"] = {"collision_detector": text}
        message = f"{text!r} is kept among the options; kido's own detector is used"
        file.note(detector, "ignored", message, subject="collision_detector")
    return given
