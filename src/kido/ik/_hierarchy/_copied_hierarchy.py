"""Copies and pickles of hierarchies, whose modules are found by the names of their nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

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


@contextmanager
def modules_on(skeleton: Skeleton, modules: tuple[InverseKinematics, ...]) -> Iterator[None]:
    """Context in which nodes of a skeleton have modules: those that they have, or clones of the given ones,
    which are taken away again where the context ends by an error.

    Raises UnknownNameError for nodes that the skeleton does not have, and as `InverseKinematics.clone` does.
    """
    made: list[InverseKinematics] = []
    try:
        for module in modules:
            place = reference_to(module.owner, module.owner.skeleton)
            assert isinstance(place, Reference)
            node = part_of(place, skeleton, None)
            if not node.has_addon(type(module)):
                made.append(module.clone(node))
        yield
    except BaseException:
        for module in made:
            module.owner.remove_addon(type(module))
        raise


def copy_hierarchy(original: _Hierarchy, copy: _Hierarchy, skeleton: Skeleton) -> None:
    """Make a blank hierarchy a copy of another, on a skeleton whose nodes have modules.

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
    _take_attributes(copy, _attributes(original), skeleton, functions)


def hierarchy_content(hierarchy: _Hierarchy) -> dict[str, Any]:
    """Content of a hierarchy beside its skeleton, for pickles. Raises TypeError for what cannot be kept,
    EditError for a module that its node has not any more."""
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
    _take_attributes(hierarchy, content["attributes"], skeleton, None)


def _attributes(hierarchy: _Hierarchy) -> dict[str, Any]:
    """Attributes of classes that derive from kido's, with references to parts of the skeleton."""
    own = {name: item for name, item in attributes_of(hierarchy).items() if name not in _KIDOS_OWN}
    found: dict[str, Any] = referenced(own, hierarchy.skeleton, hierarchy)
    return found


def _take_attributes(
    hierarchy: _Hierarchy, attributes: dict[str, Any], skeleton: Skeleton, functions: CopiedFunctions | None
) -> None:
    for name, item in attributes.items():
        if functions is not None:
            functions.refuse(name, item)
        object.__setattr__(hierarchy, name, dereferenced(item, skeleton, hierarchy))


def _refuse_other_dofs(source: Skeleton, skeleton: Skeleton) -> None:
    names = [[dof.name for dof in some.dofs] for some in (source, skeleton)]
    if names[0] != names[1]:
        raise EditError(
            f"problem: its bounds and seeds are those of the dofs of {source.name!r}, {skeleton.name!r} has "
            "others; call `reset_problem` first"
        )
