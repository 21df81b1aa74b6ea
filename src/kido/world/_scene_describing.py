"""Scenes from worlds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from kido.collision import CollisionFilter, NativeDetector
from kido.constraint import Constraint
from kido.description import (
    OBJECT_JOINT,
    ConstraintDescription,
    ContactExclusion,
    ContactPair,
    Diagnostic,
    JointType,
    LinkReference,
    NamedState,
    ObjectPlacement,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
    SensorDescription,
    ShapeReference,
)
from kido.errors import DescriptionError, RemovedError
from kido.skeleton import BodyNode, ShapeNode, Skeleton, SkinNode
from kido.world._block_solver import BlockSolver
from kido.world._frames import WorldFrames
from kido.world._integrator import Integrator
from kido.world._pair_surfaces import PairSurfaces, ShapeName
from kido.world._scene_constraints import describe_constraint
from kido.world._settings import WorldSettings
from kido.world._surface_rules import SurfaceRules

__all__ = ["CURRENT_STATE", "describe_world"]

CURRENT_STATE = "current"
"""Name of the state of a world as it is when it is described."""


class DescribedWorld(Protocol):
    """A world as it is described."""

    @property
    def name(self) -> str: ...
    @property
    def time(self) -> float: ...
    @property
    def skeletons(self) -> tuple[Skeleton, ...]: ...
    @property
    def frames(self) -> WorldFrames: ...
    @property
    def constraints(self) -> Iterable[Constraint]: ...
    @property
    def collision_filter(self) -> CollisionFilter: ...


def describe_world(
    world: DescribedWorld,
    settings: WorldSettings,
    states: Iterable[NamedState],
    sensors: Iterable[SensorDescription],
    diagnostics: tuple[Diagnostic, ...],
) -> SceneDescription:
    """A world as a scene, whose diagnostics end with what scenes do not hold."""
    lost: list[Diagnostic] = []
    placed = [_place(skeleton, world.collision_filter) for skeleton in world.skeletons]
    now = [part for skeleton in world.skeletons for part in skeleton.joint_states()]
    current = [NamedState(CURRENT_STATE, now, world.time)] if now or world.time else []
    others = [state for state in states if state.name != CURRENT_STATE]
    return SceneDescription(
        world.name,
        [part for part in placed if isinstance(part, RobotPlacement)],
        [part for part in placed if isinstance(part, ObjectPlacement)],
        gravity=settings.gravity,
        time_step=settings.time_step,
        options=dict(_options(settings, lost)),
        constraints=list(_constraints(world, lost)),
        exclusions=list(_exclusions(world, lost)),
        surface_rules=_surface_rules(settings, lost),
        contact_pairs=list(_contact_pairs(world, settings)),
        sensors=tuple(sensors),
        states=[*current, *others],
        initial_state=CURRENT_STATE if current else None,
        diagnostics=(*diagnostics, *_frame_notes(world), *lost),
    )


def _note(lost: list[Diagnostic], what: str, name: str, message: str) -> None:
    lost.append(Diagnostic(f"{what} {name!r}: {message}", None, None, "ignored", name))


def _place(skeleton: Skeleton, rules: CollisionFilter) -> RobotPlacement | ObjectPlacement:
    robot = skeleton.to_description({id(node): rules.mask(node) for node in skeleton.nodes(ShapeNode)})
    plain = skeleton.mobile and not rules.checks_self(skeleton) and not rules.checks_adjacent(skeleton)
    if plain and _is_object(robot):
        joint = robot.joints[0]
        return ObjectPlacement(robot.links[0], joint.T_parent_joint, fixed=joint.type is JointType.WELD)
    return RobotPlacement(
        robot,
        mobile=skeleton.mobile,
        self_collision=rules.checks_self(skeleton),
        adjacent_collision=rules.checks_adjacent(skeleton),
    )


def _is_object(robot: RobotDescription) -> bool:
    """Whether it is what a placement makes of an object."""
    if len(robot.links) != 1 or robot.diagnostics or robot.links[0].name != robot.name:
        return False
    joint = robot.joints[0]
    place = ObjectPlacement(robot.links[0], joint.T_parent_joint, fixed=joint.type is JointType.WELD)
    return joint.name == OBJECT_JOINT and place.placed() == robot


def _options(settings: WorldSettings, lost: list[Diagnostic]) -> Iterator[tuple[str, str]]:
    if settings.integrator is not Integrator.SEMI_IMPLICIT_EULER:
        if isinstance(settings.integrator, Integrator):
            yield "integrator", settings.integrator.value
        else:
            _note(lost, "integrator", type(settings.integrator).__name__, "is in no description")
    if settings.solver != BlockSolver():
        _note(lost, "solver", type(settings.solver).__name__, "its settings are in no description")
    if type(settings.detector) is not NativeDetector:
        _note(lost, "detector", type(settings.detector).__name__, "is in no description")
    if settings.sleeping is not None:
        _note(lost, "setting", "sleeping", "is in no description")


def _constraints(world: DescribedWorld, lost: list[Diagnostic]) -> Iterator[ConstraintDescription]:
    names: set[str] = set()
    for index, constraint in enumerate(world.constraints):
        name = constraint.name or f"constraint_{index}"
        while name in names:
            name = f"{name}_{index}"
        names.add(name)
        try:
            yield describe_constraint(constraint, name)
        except DescriptionError as error:
            lost.append(Diagnostic(str(error), None, None, "ignored", name))


def _exclusions(world: DescribedWorld, lost: list[Diagnostic]) -> Iterator[ContactExclusion]:
    for first, second in world.collision_filter.ignored:
        bodies = [_bodies(part) for part in (first, second)]
        if isinstance(first, ShapeNode) or isinstance(second, ShapeNode):
            _note(lost, "contact exclusion", f"{first.name} - {second.name}", "is about shapes, not links")
            continue
        for a in bodies[0]:
            for b in bodies[1]:
                if a is not b:
                    yield ContactExclusion(
                        LinkReference(a.skeleton.name, a.name), LinkReference(b.skeleton.name, b.name)
                    )
    if world.collision_filter.has_own_rules:
        _note(lost, "collision filter", type(world.collision_filter).__name__, "its rules are its own")


def _bodies(part: object) -> list[BodyNode]:
    try:
        if isinstance(part, Skeleton):
            return list(part.bodies)
        if isinstance(part, BodyNode):
            return [part] if part.skeleton else []
    except RemovedError:
        pass
    return []


def _surface_rules(settings: WorldSettings, lost: list[Diagnostic]) -> SurfaceRules:
    handler = settings.surface_handler
    rules = handler.rules if isinstance(handler, PairSurfaces) else handler
    if isinstance(rules, SurfaceRules):
        return rules
    _note(lost, "setting", "surface_handler", "is in no description")
    return SurfaceRules()


def _contact_pairs(world: DescribedWorld, settings: WorldSettings) -> Iterator[ContactPair]:
    handler = settings.surface_handler
    if not isinstance(handler, PairSurfaces):
        return
    shapes = {name: end for skeleton in world.skeletons for name, end in _shape_references(skeleton)}
    for index, pair in enumerate(handler.pairs):
        if pair.first in shapes and pair.second in shapes and pair.first != pair.second:
            yield ContactPair(f"pair_{index}", shapes[pair.first], shapes[pair.second], pair.numbers)


def _shape_references(skeleton: Skeleton) -> Iterator[tuple[ShapeName, ShapeReference]]:
    for body in skeleton.bodies:
        shapes = (node for node in body.shape_nodes if not isinstance(node, SkinNode))
        touching = (node for node in shapes if node.collision)
        for index, node in enumerate(touching):
            yield (skeleton.name, node.name), ShapeReference(skeleton.name, body.name, index)


def _frame_notes(world: DescribedWorld) -> Iterator[Diagnostic]:
    for frame in world.frames:
        message = f"frame {frame.name!r}: frames of a world are in no description"
        yield Diagnostic(message, None, None, "ignored", frame.name)
