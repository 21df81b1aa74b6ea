"""Cache of the closed form of a module."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from kido.ik._analytical._arm import Arm, chain_of
from kido.ik._analytical._direct_arm import DirectArm
from kido.ik._query import IKQuery
from kido.skeleton import FrameNode
from kido.typing import FloatArray

__all__ = ["ArmCache", "arm_cache"]

_Names = tuple[str, ...] | None


class ArmCache:
    """The arm of a module, valid until the module, its skeleton or a dof beside those of the chain changes.

    Attributes:
        arm: the arm.
    """

    __slots__ = (
        "_direct",
        "_dofs",
        "_named",
        "_offset",
        "_others",
        "_positions",
        "_properties",
        "_tree",
        "arm",
    )

    def __init__(self, ik: IKQuery, names: _Names, locked_dof: str | None) -> None:
        """The arm of a module as it is now. Raises as `Arm.of` and `chain_of` do."""
        skeleton = ik.node.skeleton
        self.arm = Arm.of(ik, chain_of(ik, names), locked_dof)
        self._named = names, locked_dof
        self._tree, self._dofs, self._properties = skeleton.tree, ik.dofs, ik.properties
        self._offset = _offset_bytes(ik)
        chain = set(self.arm.indices)
        self._others = [index for index in ik.body.dependent_dof_indices if index not in chain]
        self._positions = self._positions_bytes(skeleton.positions)
        self._direct: tuple[DirectArm | None] | None = None

    def direct(self, ik: IKQuery) -> DirectArm | None:
        """What answers for the module by the arm alone; None where the arm is not all there is to it.

        Raises RemovedError or EditError as `solve` of the module does.
        """
        if self._direct is None:
            self._direct = (DirectArm.of(ik, self.arm),)
        return self._direct[0]

    def is_valid(self, ik: IKQuery, names: _Names, locked_dof: str | None) -> bool:
        """Whether the arm is still the module's."""
        skeleton = ik.node.skeleton
        return (
            self._tree is skeleton.tree
            and self._dofs is ik.dofs
            and self._properties is ik.properties
            and self._named == (names, locked_dof)
            and self._offset == _offset_bytes(ik)
            and (not self._others or self._positions == self._positions_bytes(skeleton.positions))
        )

    def _positions_bytes(self, positions: FloatArray) -> bytes:
        return positions[self._others].tobytes()


_caches: WeakKeyDictionary[IKQuery, ArmCache] = WeakKeyDictionary()


def arm_cache(ik: IKQuery, names: _Names, locked_dof: str | None) -> ArmCache:
    """The arm of the dofs of those names of a module, as it is now; None: of all that move its node.

    Raises as `Arm.of` and `chain_of` do.
    """
    cache = _caches.get(ik)
    if cache is None or not cache.is_valid(ik, names, locked_dof):
        cache = _caches[ik] = ArmCache(ik, names, locked_dof)
    return cache


def _offset_bytes(ik: IKQuery) -> bytes:
    return ik.node.relative_transform.tobytes() if isinstance(ik.node, FrameNode) else b""
