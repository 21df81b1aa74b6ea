"""Parts of an inverse kinematics module: target, dofs, error method, gradient method, settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kido.frame import Frame, SimpleFrame
from kido.ik._copying._copied_functions import CopiedFunctions, PickledFunctions
from kido.ik._copying._frame_values import frame_of_value, frame_value
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._module._ik_dofs import IKDofs
from kido.ik._module._properties import IKProperties
from kido.ik._objectives import Objectives
from kido.ik._problem._module_problem import ModuleProblem
from kido.ik._search._settings import SearchSettings
from kido.skeleton import AddonManager, BodyNode, DegreeOfFreedom, FrameNode
from kido.typing import ArrayLike, FloatArray

__all__ = ["IKParts"]

_Dofs = tuple[DegreeOfFreedom, ...]


class IKParts(Objectives, IKDofs):
    """Base of the module: its target, methods and settings, all of which can be set."""

    Properties = IKProperties

    owner: BodyNode | FrameNode
    _target: SimpleFrame | None = None
    _reference_frame: Frame | None = None
    _problem: ModuleProblem | None = None
    _default_settings = SearchSettings()
    _used_settings = ("angular_tolerance", "linear_tolerance", "time_budget")

    def __init__(self, owner: AddonManager, properties: IKProperties | None = None) -> None:
        """The module of a node, its target where the node is now, its dofs the node's chain.

        Args:
            owner: the node.
            properties: the parts that do not depend on the state of the skeleton; None: the default ones.

        Raises TypeError where the owner is neither a body nor a node with a place.
        """
        if not isinstance(owner, BodyNode | FrameNode):
            raise TypeError(f"owner: expected a body or a node that is a frame, got {type(owner).__name__}")
        super().__init__(owner, properties)
        self._target = self._fresh_target()

    @property
    def node(self) -> BodyNode | FrameNode:
        """The body or node that shall reach the target."""
        return self.owner

    @property
    def body(self) -> BodyNode:
        """The node, or the body that it is on."""
        return self.owner if isinstance(self.owner, BodyNode) else self.owner.body

    # ---- target

    @property
    def target(self) -> SimpleFrame:
        """Target frame of the node. Move it by `target.set_transform`, or attach it to another frame.

        Can be set; None is a fresh one where the node is now.
        """
        if self._target is None:
            self._target = self._fresh_target()
        return self._target

    @target.setter
    def target(self, target: SimpleFrame | None) -> None:
        if target is not None and not isinstance(target, SimpleFrame):
            raise TypeError(f"target: expected a SimpleFrame or None, got {type(target).__name__}")
        self._target = self._fresh_target() if target is None else target

    @property
    def reference_frame(self) -> Frame:
        """Frame in whose coordinates bounds hold; by default the target's parent. Set: None is the
        default."""
        return self.target.parent_frame if self._reference_frame is None else self._reference_frame

    @reference_frame.setter
    def reference_frame(self, frame: Frame | None) -> None:
        if frame is not None and not isinstance(frame, Frame):
            raise TypeError(f"reference_frame: expected a Frame or None, got {type(frame).__name__}")
        self._reference_frame = frame

    @property
    def offset(self) -> FloatArray:
        """Point (3,) of the node that shall reach the target's origin, in the node's coordinates [m]. Can
        be set."""
        return np.array(self.properties.offset)

    @offset.setter
    def offset(self, offset: ArrayLike) -> None:
        self.properties = replace(self.properties, offset=offset)

    @property
    def error_method(self) -> ErrorMethod:
        """Error method of the node; by default that of the target's pose. Can be set."""
        method: ErrorMethod = self.properties.error_method
        return method

    @error_method.setter
    def error_method(self, method: ErrorMethod) -> None:
        self.properties = replace(self.properties, error_method=method)

    # ---- methods

    @property
    def settings(self) -> SearchSettings:
        """Settings of the search. Can be set.

        Where a solver is set, `angular_tolerance`, `linear_tolerance` and `time_budget` hold for it, too; the
        others are the search's alone, and setting them warns NoEffectWarning.
        """
        settings: SearchSettings = self.properties.settings
        return settings

    @settings.setter
    def settings(self, settings: SearchSettings) -> None:
        if not isinstance(settings, SearchSettings):
            raise TypeError(f"settings: expected SearchSettings, got {type(settings).__name__}")
        self._warn_of_unused(settings, self._solver)
        self.properties = replace(self.properties, settings=settings)

    # ---- hierarchies

    @property
    def active(self) -> bool:
        """Whether hierarchies of modules take part of this one; by default they do. Can be set."""
        return bool(self.properties.active)

    @active.setter
    def active(self, active: bool) -> None:
        self.properties = replace(self.properties, active=active)

    @property
    def is_required(self) -> bool:
        """Whether a hierarchy fails while the target is not reached; else the error is lowered as far as the
        others let it. By default as the error method has it. Can be set; None is the default."""
        given = self.properties.is_required
        return bool(self.error_method.is_required if given is None else given)

    @is_required.setter
    def is_required(self, required: bool | None) -> None:
        self.properties = replace(self.properties, is_required=required)

    @property
    def hierarchy_level(self) -> int:
        """Rank among other modules, 0 the first [-]; those of one level count the same. Can be set."""
        return int(self.properties.hierarchy_level)

    @hierarchy_level.setter
    def hierarchy_level(self, level: int) -> None:
        self.properties = replace(self.properties, hierarchy_level=level)

    # ---- pickles of the skeleton

    def _to_pickle(self) -> dict[str, Any]:
        skeleton, reference, named = self.owner.skeleton, self._reference_frame, self._named_dofs
        functions, problem = PickledFunctions(self, skeleton), self._problem
        for what in ("error_method", "gradient_method", "solver"):
            functions.refuse(what, getattr(self, what))
        return {
            "target": frame_value(f"the target of {self.owner.name!r}", self.target, skeleton),
            "reference_frame": None
            if reference is None
            else frame_value("the reference frame", reference, skeleton),
            "dof_rule": self._dof_rule,
            "dofs": None if named is None else tuple(dof.name for dof in named),
            "objective": functions.value("the objective", self._objective),
            "null_space_objective": functions.value("the null space objective", self._null_space_objective),
            "solver": self._solver,
            "problem": None if problem is None else problem.content(functions.value),
        }

    def _take_pickled(self, content: dict[str, Any]) -> bool:
        skeleton, reference, named = self.owner.skeleton, content["reference_frame"], content["dofs"]
        target = frame_of_value(content["target"], skeleton)
        assert isinstance(target, SimpleFrame)
        self._target = target
        self._reference_frame = None if reference is None else frame_of_value(reference, skeleton)
        self._dof_rule = content["dof_rule"]
        self._named_dofs = None if named is None else tuple(skeleton.dof(name) for name in named)
        functions, problem = PickledFunctions(self, skeleton), content["problem"]
        self._objective = functions.function(content["objective"])
        self._null_space_objective = functions.function(content["null_space_objective"])
        self._solver = content["solver"]
        if problem is not None:
            self._problem = ModuleProblem.of_content(problem, functions.function, None)
        return True

    # ---- helpers

    def _fresh_target(self) -> SimpleFrame:
        return SimpleFrame(f"{self.owner.name}_target", transform=self.owner.transform())

    def _copy_functions(self, original: IKParts, dofs: _Dofs | None) -> None:
        """Take objectives, solver and problem of an original, whose problem has numbers for some dofs."""
        functions = CopiedFunctions(original, original.owner.skeleton, self, self.owner.skeleton)
        for what in ("error_method", "gradient_method", "solver"):
            functions.refuse(what, getattr(original, what))
        self._objective = functions.function("the objective", original._objective)
        self._null_space_objective = functions.function(
            "the null space objective", original._null_space_objective
        )
        self._solver, problem = original._solver, original._problem
        if problem is not None:
            content = problem.content(functions.function)
            self._problem = ModuleProblem.of_content(content, lambda made: made, dofs)
