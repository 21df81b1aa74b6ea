"""Hierarchies of modules of the user's choice, and of all modules of a skeleton."""

from __future__ import annotations

from collections.abc import Iterable

from kido.ik._hierarchy._hierarchical import HierarchicalIK
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._search._settings import SearchSettings
from kido.skeleton import Skeleton, addons_of

__all__ = ["CompositeIK", "WholeBodyIK"]


class CompositeIK(HierarchicalIK, closed=True):
    """A hierarchy of the modules that it is given."""

    def __init__(
        self,
        skeleton: Skeleton,
        modules: Iterable[InverseKinematics] = (),
        *,
        settings: SearchSettings | None = None,
    ) -> None:
        """A hierarchy of some modules of a skeleton.

        Raises TypeError for what are not modules, ValueError for modules of another skeleton.
        """
        super().__init__(skeleton, settings=settings)
        self._modules: list[InverseKinematics] = []
        for module in modules:
            self.add(module)

    @property
    def modules(self) -> tuple[InverseKinematics, ...]:
        """The modules, in the order in which they were added."""
        return tuple(self._modules)

    def add(self, module: InverseKinematics) -> None:
        """Take a module in; nothing happens where it is in already.

        Raises TypeError for what is not a module, ValueError for a module of another skeleton.
        """
        if not isinstance(module, InverseKinematics):
            raise TypeError(f"module: expected InverseKinematics, got {type(module).__name__}")
        if module.node.skeleton is not self.skeleton:
            raise ValueError(f"module: {module.node.name!r} belongs to another skeleton")
        if module not in self._modules:
            self._modules.append(module)

    def remove(self, module: InverseKinematics) -> None:
        """Take a module out. Raises ValueError where it is not in."""
        if module not in self._modules:
            raise ValueError("module: expected one of this hierarchy's")
        self._modules.remove(module)


class WholeBodyIK(HierarchicalIK, closed=True):
    """A hierarchy of all modules that bodies and nodes of a skeleton have when it is asked."""

    @property
    def modules(self) -> tuple[InverseKinematics, ...]:
        """The modules of all bodies and their nodes, in the order of bodies."""
        return tuple(addons_of(InverseKinematics, self.skeleton.bodies))
