"""Worlds from scenes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Protocol

from kido.collision import CollisionFilter
from kido.description import (
    ContactPair,
    Diagnostic,
    ObjectPlacement,
    RobotPlacement,
    SceneDescription,
    ShapeReference,
)
from kido.skeleton import ShapeNode, Skeleton, SkinNode
from kido.typing import FloatArray
from kido.values import checked_member
from kido.world._constraints import Constraints
from kido.world._integrator import Integrator
from kido.world._pair_surfaces import PairSurface, PairSurfaces, ShapeName
from kido.world._scene_constraints import make_constraint
from kido.world._surface_rules import SurfaceHandler

__all__ = ["fill_world"]

_ANY = (1, 0xFFFFFFFF)
_PAIR_NUMBERS = ("friction", "restitution", "rolling_friction", "torsional_friction", "slip")


class SceneWorld(Protocol):
    """A world as scenes fill it."""

    integrator: Any
    surface_handler: Any

    @property
    def gravity(self) -> FloatArray: ...
    @property
    def time_step(self) -> float: ...
    @property
    def collision_filter(self) -> CollisionFilter: ...
    @property
    def constraints(self) -> Constraints: ...
    def _add_all(self, skeletons: Iterable[Skeleton]) -> None: ...


def fill_world(world: SceneWorld, scene: SceneDescription, mimic: bool) -> tuple[Diagnostic, ...]:
    """Fill an empty world, which has the scene's gravity and time step, with what a scene holds.

    Returns what the world does not honour.
    """
    lost = _Lost(scene)
    skeletons: dict[str, Skeleton] = {}
    everything: tuple[RobotPlacement | ObjectPlacement, ...] = (*scene.robots, *scene.objects)
    for placed in everything:
        skeletons[placed.name] = _skeleton(world, placed, mimic)
    world._add_all(skeletons.values())
    shapes = dict(_shape_nodes(scene, skeletons))
    _filter(world.collision_filter, scene, skeletons, shapes)
    _begin(scene, skeletons)
    for described in scene.constraints:
        note = partial(lost.note, "constraint", described.name, described.line)
        made = make_constraint(described, skeletons, note)
        if made is not None:
            world.constraints.add(made)
    _set_options(world, scene, lost)
    handler = _pair_surfaces(scene.surface_rules, scene, shapes, lost)
    if handler is not world.surface_handler:
        world.surface_handler = handler
    return tuple(lost.found)


class _Lost:
    """Collects diagnostics of one scene."""

    def __init__(self, scene: SceneDescription) -> None:
        self.found: list[Diagnostic] = []
        self._file = None if scene.source is None else str(scene.source)

    def note(self, what: str, name: str, line: int | None, kind: str, message: str) -> None:
        """Record one about an element."""
        self.found.append(Diagnostic(f"{what} {name!r}: {message}", self._file, line, kind, name))


def _skeleton(world: SceneWorld, placed: RobotPlacement | ObjectPlacement, mimic: bool) -> Skeleton:
    skeleton = Skeleton.from_description(
        placed.placed(), gravity=world.gravity, time_step=world.time_step, mimic=mimic
    )
    if isinstance(placed, RobotPlacement):
        skeleton.mobile = placed.mobile
        skeleton.self_collision_check = placed.self_collision
        skeleton.adjacent_body_check = placed.adjacent_collision
    return skeleton


def _shape_nodes(
    scene: SceneDescription, skeletons: Mapping[str, Skeleton]
) -> Iterator[tuple[tuple[str, str, int], ShapeNode]]:
    """The nodes of collision shapes by owner, link and index."""
    for placed in scene.robots:
        for link in placed.robot.links:
            if link.collisions:
                yield from _nodes_of(placed.name, link, skeletons)
    for thing in scene.objects:
        if thing.link.collisions:
            yield from _nodes_of(thing.name, thing.link, skeletons)


def _nodes_of(
    owner: str, link: Any, skeletons: Mapping[str, Skeleton]
) -> Iterator[tuple[tuple[str, str, int], ShapeNode]]:
    index = {id(shape): i for i, shape in enumerate(link.collisions)}
    shapes = skeletons[owner].body(link.name).shape_nodes
    nodes = [node for node in shapes if not isinstance(node, SkinNode)]
    for node, (_, touching) in zip(nodes, link.shape_pairs(), strict=True):
        if touching is not None:
            yield (owner, link.name, index[id(touching)]), node


def _filter(
    rules: CollisionFilter,
    scene: SceneDescription,
    skeletons: Mapping[str, Skeleton],
    shapes: Mapping[tuple[str, str, int], ShapeNode],
) -> None:
    """Categories of shapes, and links that never touch."""
    links = {(placed.name, link.name): link for placed in scene.robots for link in placed.robot.links}
    links.update({(thing.name, thing.name): thing.link for thing in scene.objects})
    for (owner, link, index), node in shapes.items():
        shape = links[owner, link].collisions[index]
        if (shape.category, shape.collides_with) != _ANY and node.body.collidable:
            rules.set_mask(node, category=shape.category, collides_with=shape.collides_with)
    for pair in scene.exclusions:
        first, second = (skeletons[link.owner].body(link.link) for link in (pair.first, pair.second))
        rules.ignore(first, second)


def _begin(scene: SceneDescription, skeletons: Mapping[str, Skeleton]) -> None:
    """Bring skeletons into the initial state, to which they return when they are reset."""
    if scene.initial_state is None:
        return
    state = scene.state(scene.initial_state)
    named = {joint.owner for joint in state.joints}
    for name, skeleton in skeletons.items():
        if name in named:
            skeleton.set_named_state(state, name, initial=True)


def _set_options(world: SceneWorld, scene: SceneDescription, lost: _Lost) -> None:
    told = {doubt.subject for doubt in scene.diagnostics if doubt.kind == "ignored"}
    for name, value in scene.options.items():
        if name == "integrator":
            try:
                world.integrator = checked_member("integrator", Integrator, value)
                continue
            except ValueError:
                pass
        if name not in told:
            lost.note("option", name, None, "ignored", f"{value!r} is not honoured")


def _pair_surfaces(
    rules: SurfaceHandler,
    scene: SceneDescription,
    shapes: Mapping[tuple[str, str, int], ShapeNode],
    lost: _Lost,
) -> SurfaceHandler:
    """The handler of a scene that gives contacts of some shapes numbers of their own."""
    pairs = []
    for described in scene.contact_pairs:
        note = partial(lost.note, "contact pair", described.name, described.line)
        names = [_shape_name(shapes, end) for end in (described.first, described.second)]
        numbers = _pair_numbers(described, note)
        try:
            pairs.append(PairSurface(names[0], names[1], **numbers))
        except (TypeError, ValueError) as error:
            note("ignored", f"left out: {error}")
    return PairSurfaces(pairs) if pairs else rules


def _shape_name(shapes: Mapping[tuple[str, str, int], ShapeNode], end: ShapeReference) -> ShapeName:
    node = shapes[end.owner, end.link, end.index]
    return node.skeleton.name, node.name


def _pair_numbers(described: ContactPair, note: Any) -> dict[str, Any]:
    numbers: dict[str, Any] = {}
    for name, value in described.options.items():
        if name not in _PAIR_NUMBERS:
            note("ignored", f"option {name!r} is not honoured")
        elif isinstance(value, tuple):
            numbers[name] = value[0] if value else None
            if len(set(value)) > 1:
                note("substituted", f"{name}: {value[0]:g}, the first of {value}, in all directions")
        else:
            numbers[name] = value
    return numbers
