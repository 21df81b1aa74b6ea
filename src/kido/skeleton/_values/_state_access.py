"""The state of a skeleton, taken from it and put back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kido.skeleton._data import COMMAND, CONSTRAINT_IMPULSE
from kido.skeleton._dof_arrays import STATES
from kido.skeleton._names import first_free
from kido.skeleton._nodes._addon import AddonManager, Extension
from kido.skeleton._nodes._node_kind import NodeKind
from kido.skeleton._values._configuration_access import write_state_rows
from kido.skeleton._values._parts import SkeletonParts
from kido.skeleton._values._skeleton_state import ExtensionState, SkeletonState
from kido.typing import FloatArray

__all__ = ["extensions_of", "read_state", "write_state"]


def read_state(skeleton: SkeletonParts) -> SkeletonState:
    """The state that a skeleton is in."""
    block = skeleton._answers.data
    return SkeletonState(
        dof_names=[dof.name for dof in skeleton.dofs],
        **{name: block.state[row] for name, (row, _, _) in STATES.items()},
        constraint_impulses=block.dofs[CONSTRAINT_IMPULSE],
        body_names=[body._name for body in skeleton.bodies],
        external_wrenches=block.all_wrenches(),
        extensions=_states(skeleton),
    )


def write_state(skeleton: SkeletonParts, value: SkeletonState) -> None:
    """Bring a skeleton into a state. Raises TypeError or ValueError, before anything changed."""
    if not isinstance(value, SkeletonState):
        raise TypeError(f"state: expected a SkeletonState, got {type(value).__name__}")
    _check_names("dof", tuple(dof.name for dof in skeleton.dofs), value.dof_names)
    _check_names("body", tuple(body._name for body in skeleton.bodies), value.body_names)
    found = {(place, type(extension)): extension for place, extension in extensions_of(skeleton)}
    _check_extensions(found, value)
    rows = np.stack([getattr(value, name) for name in STATES])
    skeleton._refuse_commands(rows[COMMAND])
    write_state_rows(skeleton, rows)
    _write_impulses(skeleton, value.constraint_impulses)
    skeleton._answers.data.set_wrenches(value.external_wrenches)
    skeleton._answers.dynamics_changed()
    given = {(part.place, part.kind): part for part in value.extensions}
    for key, extension in found.items():
        _write_extension(extension, given.get(key))


def extensions_of(skeleton: SkeletonParts) -> Iterator[tuple[str, Extension]]:
    """All addons and nodes of a skeleton, with their places as `ExtensionState` names them."""
    yield from _addons("skeleton", skeleton)
    places: set[str] = set()
    for body in skeleton.bodies:
        yield from _addons(f"body {body._name}", body)
        yield from _addons(f"joint {body._joint.name}", body._joint)
        for node in body._nodes:
            place = first_free(f"{type(node).__name__} {node._node_name}", places)
            places.add(place)
            yield place, node
            yield from _addons(place, node)


def _addons(place: str, owner: AddonManager) -> Iterator[tuple[str, Extension]]:
    if owner._addons:
        yield from ((place, addon) for addon in owner._all_addons())


def _states(skeleton: SkeletonParts) -> Iterator[ExtensionState]:
    for place, extension in extensions_of(skeleton):
        transform = extension._moved_to() if isinstance(extension, NodeKind) else None
        if extension.State is not None or transform is not None:
            yield ExtensionState(place, type(extension), extension.state, transform)


def _check_names(kind: str, own: tuple[str, ...], given: tuple[str, ...]) -> None:
    if own == given:
        return
    for index, (mine, other) in enumerate(zip(own, given, strict=False)):
        if mine != other:
            raise ValueError(f"state: expected {mine!r} for {kind} {index}, got {other!r}")
    raise ValueError(f"state: expected a number of {kind} names of {len(own)}, got {len(given)}")


def _check_extensions(found: dict[tuple[str, type[Extension]], Extension], value: SkeletonState) -> None:
    given = {(part.place, part.kind) for part in value.extensions}
    for part in value.extensions:
        extension = found.get((part.place, part.kind))
        if extension is None:
            raise ValueError(f"state: {part.kind.__name__} of {part.place!r} is none of the skeleton's")
        if part.transform is not None and not (isinstance(extension, NodeKind) and extension._has_place):
            raise ValueError(f"state: {part.kind.__name__} of {part.place!r} has no place on a body")
    for (place, kind), extension in found.items():
        if extension.State is not None and (place, kind) not in given:
            raise ValueError(f"state: expected one for {kind.__name__} of {place!r}, got none")


def _write_impulses(skeleton: SkeletonParts, impulses: FloatArray) -> None:
    if not np.array_equal(skeleton._answers.data.dofs[CONSTRAINT_IMPULSE], impulses):
        skeleton._answers.data.writable_dofs()[CONSTRAINT_IMPULSE] = impulses


def _write_extension(extension: Extension, part: ExtensionState | None) -> None:
    if part is not None and extension.State is not None:
        extension.state = part.state
    if isinstance(extension, NodeKind):
        extension._move_to(None if part is None else part.transform)
