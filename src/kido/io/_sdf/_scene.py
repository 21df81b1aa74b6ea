"""The <sdf> element: a world, or models by themselves, as a scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kido.description import EARTH_GRAVITY, Diagnostic, NamedState, SceneDescription
from kido.errors import DescriptionError, UnknownNameError
from kido.io._sdf._file import SdfFile
from kido.io._sdf._joint import read_joint
from kido.io._sdf._library import Library
from kido.io._sdf._link import LinkReader
from kido.io._sdf._model import ScopeReader
from kido.io._sdf._parts import read_parts
from kido.io._sdf._pose import inverse
from kido.io._sdf._robot import BuiltRobot, build_robot
from kido.io._sdf._scope import Item, Scope
from kido.io._sdf._surface import ALL_BITS, BITMASKS
from kido.io._sdf._world import Component, Physics, components, read_physics
from kido.io._xml import Element

__all__ = ["SceneReader"]

_INITIAL = "initial"


class SceneReader:
    """Reads the scene of an <sdf> element.

    `root` says how links that hang on no other one hang on the world: "fixed", "free", or None for what the
    file says; `world` names the one to read of several.
    """

    def __init__(self, library: Library, root: str | None, world: str | None, source: Path | None) -> None:
        self._library = library
        self._links = LinkReader(library.finder)
        self._root = root
        self._world = world
        self._source = source

    def read(self, file: SdfFile, root: Element) -> SceneDescription:
        """The scene; raises ModelFileError, and UnknownNameError for an unknown world."""
        file.ignore_rest(root, ("world", "model", "include"), ("version",))
        element = self._chosen(file, root)
        physics = Physics(EARTH_GRAVITY, None, {})
        scope = Scope("world", Item(file, root if element is None else element), is_world=True)
        if element is None:
            name = ""
        else:
            name = file.text(element, "name")
            physics = read_physics(file, element)
            for tag in ("model", "include"):
                for model in root.iterfind(tag):
                    file.ignore(model, "a model beside a world")
        ScopeReader(self._library).fill(scope, root if element is None else element)
        if self._library.mentions(root, BITMASKS):
            self._links.bits = ALL_BITS, ALL_BITS
        built = [self._built(scope, component) for component in components(scope)]
        return self._scene(file, root, name, physics, built)

    def _chosen(self, file: SdfFile, root: Element) -> Element | None:
        """The world to read, None where there is none; others are reported."""
        worlds = root.findall("world")
        if self._world is not None:
            names = [str(world.get("name")) for world in worlds]
            if self._world not in names:
                raise UnknownNameError("world", self._world, names, file.name)
            chosen = worlds[names.index(self._world)]
        elif not worlds:
            return None
        else:
            chosen = worlds[0]
        for other in worlds:
            if other is not chosen:
                file.ignore(other, f"world={str(other.get('name'))!r} reads it instead")
        return chosen

    def _built(self, world: Scope, component: Component) -> BuiltRobot:
        scope = component.tops[0][0]
        parts = read_parts(self._links, component.tops, component.frames)
        T_world_robot = world.pose(scope.name, world.item) if len(component.tops) == 1 else np.eye(4)
        for frame in component.joints:
            parts.add_joint(read_joint(world, frame, inverse(T_world_robot)))
        return build_robot(parts, scope, T_world_robot, self._root, self._source)

    def _scene(
        self, file: SdfFile, root: Element, name: str, physics: Physics, built: Sequence[BuiltRobot]
    ) -> SceneDescription:
        left_out = file.log.left_out
        if left_out:
            more = Diagnostic(f"{left_out} more diagnostics are not listed", file.name, None, "ignored")
            file.diagnostics.append(more)
        states = [state for robot in built for state in robot.initial]
        try:
            return SceneDescription(
                name or self._name(built),
                [robot.placement for robot in built],
                gravity=physics.gravity,
                time_step=physics.time_step,
                options=physics.options,
                constraints=[constraint for robot in built for constraint in robot.constraints],
                exclusions=[exclusion for robot in built for exclusion in robot.exclusions],
                sensors=[sensor for robot in built for sensor in robot.sensors],
                states=[NamedState(_INITIAL, states)] if states else [],
                initial_state=_INITIAL if states else None,
                diagnostics=file.diagnostics,
                source=self._source,
            )
        except DescriptionError as error:
            raise file.error(root, str(error)) from error

    def _name(self, built: Sequence[BuiltRobot]) -> str:
        """Name of a scene without a world: that of its only model, else of the file."""
        if len(built) == 1:
            return built[0].placement.name
        return "scene" if self._source is None else self._source.stem or "scene"
