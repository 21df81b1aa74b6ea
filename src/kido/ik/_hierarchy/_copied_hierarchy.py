"""Copies and pickles of hierarchies, whose modules are found by the names of their nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from kido.errors import EditError
from kido.ik._copying._copied_functions import CopiedFunctions, PickledFunctions
from kido.ik._copying._references import (
    Reference,
    attributes_of,
    dereferenced,
    part_of,
    reference_to,
    referenced,
)
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._search._settings import SearchSettings
from kido.optimize import Function, Solver
from kido.skeleton import Skeleton
from kido.values import register

__all__ = ["copy_hierarchy", "fill_hierarchy", "hierarchy_content", "modules_on"]


class _Hierarchy(Protocol):
    _objective: Function | None
    _null_space_objective: Function | None
    _solver: Solver | None
    _problem: Any
    _settings: SearchSettings

    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def modules(self) -> tuple[InverseKinematics, ...]: ...
    def _start(self, skeleton: Skeleton, settings: SearchSettings) -> None: ...


_KIDOS_OWN = {
    "_skeleton",
    "_problem",
    "_search",
    "_settings",
    "_objective",
    "_null_space_objective",
    "_solver",
}


@register
class LooseModule(NamedTuple):
    """A module that is not attached to its node, for pickles.

    Attributes:
        kind: its class.
        node: reference to its node.
        properties, state: as those of an addon.
        content: what else a pickle of the skeleton would take of it.
    """

    kind: type[InverseKinematics]
    node: Reference
    properties: Any
    state: Any
    content: dict[str, Any]


@contextmanager
def modules_on(skeleton: Skeleton, hierarchy: _Hierarchy) -> Iterator[tuple[InverseKinematics, ...]]:
    """Context in which nodes of a skeleton have modules: those that they have, or clones of a hierarchy's,
    which are taken away again where the context ends by an error. It gives copies of the modules that are not
    attached to their nodes; on the hierarchy's own skeleton these are the same ones.

    Raises UnknownNameError for nodes that the skeleton does not have, and as `InverseKinematics.clone` does.
    """
    made: list[InverseKinematics] = []
    loose: list[InverseKinematics] = []
    try:
        for module in hierarchy.modules:
            node = part_of(_reference_to_node(module), skeleton, None)
            if _is_loose(module):
                loose.append(module if skeleton is hierarchy.skeleton else module._loose_copy(node))
            elif not node.has_addon(type(module)):
                made.append(module.clone(node))
        yield tuple(loose)
    except BaseException:
        for module in made:
            module.owner.remove_addon(type(module))
        raise


def _is_loose(module: InverseKinematics) -> bool:
    """Whether its node does not know of a module, as of one that was not made by `of`."""
    return module.owner.addon(type(module)) is not module


def _reference_to_node(module: InverseKinematics) -> Reference:
    place = reference_to(module.owner, module.owner.skeleton)
    assert isinstance(place, Reference)
    return place


def copy_hierarchy(
    original: _Hierarchy, copy: _Hierarchy, skeleton: Skeleton, loose: Sequence[InverseKinematics]
) -> None:
    """Make a blank hierarchy a copy of another, on a skeleton whose nodes have modules, with copies of those
    that are loose.

    Raises TypeError for what cannot be kept, EditError where bounds or seeds of the problem were set for
    dofs of other names.
    """
    source = original.skeleton
    functions = CopiedFunctions(original, source, copy, skeleton)
    problem = original._problem
    if problem is not None and problem.has_own_numbers:
        _refuse_other_dofs(source, skeleton)
    copy._start(skeleton, original._settings)
    functions.refuse("the solver", original._solver)
    copy._solver = original._solver
    copy._objective = functions.function("the objective", original._objective)
    copy._null_space_objective = functions.function(
        "the null space objective", original._null_space_objective
    )
    if problem is not None:
        content = problem.content(functions.function)
        copy._problem = type(problem).of_content(content, lambda made: made, None)
    _take_attributes(copy, _attributes(original), skeleton, loose, functions)


def hierarchy_content(hierarchy: _Hierarchy) -> dict[str, Any]:
    """Content of a hierarchy beside its skeleton, for pickles. Raises TypeError for what cannot be kept."""
    functions = PickledFunctions(hierarchy, hierarchy.skeleton)
    problem = hierarchy._problem
    functions.refuse("the solver", hierarchy._solver)
    attributes = _attributes(hierarchy)
    for name, value in attributes.items():
        functions.refuse(name, value)
    return {
        "settings": hierarchy._settings,
        "solver": hierarchy._solver,
        "objective": functions.value("the objective", hierarchy._objective),
        "null_space_objective": functions.value("the null space objective", hierarchy._null_space_objective),
        "problem": None if problem is None else (type(problem), problem.content(functions.value)),
        "attributes": attributes,
        "loose": tuple(
            LooseModule(
                type(module), _reference_to_node(module), module.properties, module.state, module._to_pickle()
            )
            for module in filter(_is_loose, hierarchy.modules)
        ),
    }


def fill_hierarchy(hierarchy: _Hierarchy, skeleton: Skeleton, content: dict[str, Any]) -> None:
    """Give a blank hierarchy what `hierarchy_content` took."""
    hierarchy._start(skeleton, content["settings"])
    functions = PickledFunctions(hierarchy, skeleton)
    hierarchy._solver = content["solver"]
    hierarchy._objective = functions.function(content["objective"])
    hierarchy._null_space_objective = functions.function(content["null_space_objective"])
    if content["problem"] is not None:
        kind, problem = content["problem"]
        hierarchy._problem = kind.of_content(problem, functions.function, None)
    loose = [_unpickled(module, skeleton) for module in content["loose"]]
    _take_attributes(hierarchy, content["attributes"], skeleton, loose, None)


def _unpickled(value: LooseModule, skeleton: Skeleton) -> InverseKinematics:
    module = value.kind.__new__(value.kind)
    module.owner = part_of(value.node, skeleton, None)
    module._start(value.properties, value.state)
    module._take_pickled(value.content)
    return module


def _attributes(hierarchy: _Hierarchy) -> dict[str, Any]:
    """Attributes of classes that derive from kido's, with references to parts of the skeleton."""
    own = {name: item for name, item in attributes_of(hierarchy).items() if name not in _KIDOS_OWN}
    loose = tuple(filter(_is_loose, hierarchy.modules))
    found: dict[str, Any] = referenced(own, hierarchy.skeleton, hierarchy, loose)
    return found


def _take_attributes(
    hierarchy: _Hierarchy,
    attributes: dict[str, Any],
    skeleton: Skeleton,
    loose: Sequence[InverseKinematics],
    functions: CopiedFunctions | None,
) -> None:
    for name, item in attributes.items():
        if functions is not None:
            functions.refuse(name, item)
        object.__setattr__(hierarchy, name, dereferenced(item, skeleton, hierarchy, loose))


def _refuse_other_dofs(source: Skeleton, skeleton: Skeleton) -> None:
    names = [[dof.name for dof in some.dofs] for some in (source, skeleton)]
    if names[0] != names[1]:
        raise EditError(
            f"problem: its bounds and seeds are those of the dofs of {source.name!r}, {skeleton.name!r} has "
            "others; call `reset_problem` first"
        )
