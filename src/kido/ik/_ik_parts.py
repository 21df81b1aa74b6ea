"""Parts of an inverse kinematics module: target, dofs, error method, gradient method, settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kido.errors import EditError
from kido.frame import Frame, SimpleFrame
from kido.ik._copied_functions import CopiedFunctions, PickledFunctions
from kido.ik._dof_rule import DofRule, RuledDofs
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._gradient_methods._gradient_method import GradientMethod
from kido.ik._objectives import Objectives
from kido.ik._pickling import frame_of_value, frame_value
from kido.ik._problem import ModuleProblem
from kido.ik._properties import IKProperties
from kido.ik._search._pose_problem import grouped
from kido.ik._search._settings import SearchSettings
from kido.skeleton import Addon, AddonManager, BodyNode, DegreeOfFreedom, FrameNode
from kido.typing import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["IKParts"]

_Dofs = tuple[DegreeOfFreedom, ...]


class IKParts(Objectives, Addon):
    """Base of the module: its parts, all of which can be set."""

    Properties = IKProperties

    owner: BodyNode | FrameNode
    _target: SimpleFrame | None = None
    _reference_frame: Frame | None = None
    _named_dofs: _Dofs | None = None
    _dof_rule: DofRule = DofRule.CHAIN
    _ruled_dofs: RuledDofs | None = None
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

    # ---- dofs

    @property
    def dofs(self) -> _Dofs:
        """The dofs that may be moved: by default those of the node's chain, as it is now; see `use_chain`.

        Set: dofs of the skeleton or their names, in any order; these are moved from then on, even where they
        are locked. Their limits are always kept. The three angles of a ball or free joint stand for one
        rotation, and the three lengths of a free joint turn with it: of each three, all or none are moved.

        Raises, when set, TypeError for what are not dofs, UnknownNameError for a name that no dof has, and
        ValueError for no dofs, repeated ones, a part of such three, and those of another skeleton.
        """
        if self._named_dofs is not None:
            return self._named_dofs
        ruled = self._ruled_dofs
        if ruled is None or not ruled.hold(self._dof_rule, self.owner):
            ruled = self._ruled_dofs = RuledDofs.of(self._dof_rule, self.owner)
        return ruled.dofs

    @dofs.setter
    def dofs(self, dofs: Iterable[DegreeOfFreedom | str]) -> None:
        if isinstance(dofs, str):
            raise TypeError(f"dofs: expected degrees of freedom or their names, got {dofs!r}")
        skeleton = self.owner.skeleton
        chosen = tuple(skeleton.dof(dof) if isinstance(dof, str) else dof for dof in dofs)
        for dof in chosen:
            if not isinstance(dof, DegreeOfFreedom):
                raise TypeError(f"dofs: expected degrees of freedom or their names, got {dof!r}")
        if not chosen or len(set(chosen)) != len(chosen):
            raise ValueError(f"dofs: expected one or more different dofs, got {[dof.name for dof in chosen]}")
        for dof in chosen:
            if dof.skeleton is not skeleton:
                raise ValueError(f"dofs: {dof.name!r} belongs to another skeleton than {self.owner.name!r}")
        _refuse_parts(chosen)
        self._named_dofs = chosen

    def use_chain(self) -> None:
        """Move the dofs from the node up to where the structure branches; the default.

        The rule holds whatever is edited, here and in copies, until dofs are named. Dofs that follow others
        and those of joints whose actuator is `locked` are not moved.
        """
        self._dof_rule, self._named_dofs = DofRule.CHAIN, None

    def use_whole_body(self) -> None:
        """Move all dofs that move the node, by a rule as that of `use_chain`."""
        self._dof_rule, self._named_dofs = DofRule.WHOLE_BODY, None

    @property
    def dof_indices(self) -> list[int]:
        """The places (k,) of the dofs in the skeleton.

        Raises RemovedError where a dof was removed, EditError where it is in another skeleton now, or where
        a dof that moves the node follows one of them, or is one of them and follows another: see
        `mimic_enforced` of the skeleton.
        """
        skeleton = self.owner.skeleton
        for dof in self.dofs:
            if dof.skeleton is not skeleton:
                raise EditError(f"dofs: {dof.name!r} is not in the skeleton of {self.owner.name!r} any more")
        indices = [dof.index for dof in self.dofs]
        if leaders := skeleton.leading_dofs:
            self._refuse_followers(indices, leaders)
        return indices

    def _refuse_followers(self, indices: list[int], leaders: Mapping[int, int]) -> None:
        moved = set(indices)
        for follower in self.owner.dependent_dof_indices:
            leader = leaders.get(follower)
            if leader is None or (follower not in moved and leader not in moved):
                continue
            dofs = self.owner.skeleton.dofs
            raise EditError(
                f"dofs: {dofs[follower].name!r} follows {dofs[leader].name!r} and moves {self.owner.name!r}, "
                "but inverse kinematics moves each dof by itself: leave both out of `dofs`, or set "
                "`mimic_enforced` of the skeleton to False"
            )

    # ---- methods

    @property
    def gradient_method(self) -> GradientMethod:
        """Gradient method of the dofs; by default damped least squares. Can be set."""
        method: GradientMethod = self.properties.gradient_method
        return method

    @gradient_method.setter
    def gradient_method(self, method: GradientMethod) -> None:
        properties = replace(self.properties, gradient_method=method)
        chosen = properties.gradient_method
        error_method = chosen.error_method_for(cast("InverseKinematics", self))
        if not isinstance(error_method, ErrorMethod):
            got = type(error_method).__name__
            raise TypeError(f"{chosen.name}.error_method_for: expected an ErrorMethod, got {got}")
        self.properties = replace(properties, error_method=error_method)

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
            "target": frame_value("the target", self.target, skeleton),
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


def _refuse_parts(dofs: _Dofs) -> None:
    """Raises ValueError where some of three dofs that move as one are missing."""
    for dof in dofs:
        first = dof.index_in_joint // 3 * 3
        if grouped(dof) and not {dof.joint.dof(first + i) for i in range(3)} <= set(dofs):
            names = ", ".join(repr(dof.joint.dof_names[first + i]) for i in range(3))
            raise ValueError(f"dofs: {names} move as one; expected all of them or none")
