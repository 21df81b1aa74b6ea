"""A frame on a body of a skeleton, seen from another one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from kido.errors import EditError
from kido.frame import Frame
from kido.ik._carrier import carrier_of
from kido.ik._posture._frame_place import FramePlace
from kido.math import inverse_transform
from kido.skeleton import BodyNode, Skeleton
from kido.typing import FloatArray

__all__ = ["SeenFrame"]


@dataclass(frozen=True, slots=True, eq=False)
class SeenFrame:
    """A frame on a body of a skeleton, seen from another one, as both stand on their bodies.

    Attributes:
        skeleton: of the body.
        frame: where the frame is.
        base: where the other one is: on a body of the same skeleton, or in the world.
    """

    skeleton: Skeleton
    frame: FramePlace
    base: FramePlace

    @classmethod
    def of(cls, skeleton: Skeleton, frame: Frame, relative_to: Frame | None) -> SeenFrame:
        """A frame and the one that it is seen from, as they stand now; None is the world.

        Raises RemovedError where a body was removed, EditError where the frame is not on the skeleton.
        """
        carrier = carrier_of(frame)
        if carrier is None or carrier.skeleton is not skeleton:
            raise EditError(f"frame: {frame.name!r} is not on a body of {skeleton.name!r} any more")
        base = FramePlace() if relative_to is None else FramePlace.of(relative_to)
        if relative_to is not None and base.body is not None:
            body = carrier_of(relative_to)
            assert body is not None
            if body.skeleton is not skeleton:
                base = FramePlace(pose=relative_to.transform())
        return cls(skeleton, FramePlace.of(frame), base)

    def on(self, skeleton: Skeleton) -> SeenFrame:
        """The same on a copy of the skeleton."""
        return replace(self, skeleton=skeleton)

    @property
    def body(self) -> BodyNode:
        """The body that carries the frame."""
        return self._body_of(self.frame)

    def pose(self) -> FloatArray:
        """Pose (4, 4) of the frame in the other one, now [m]."""
        seen = self.body.transform() @ self.frame.pose
        return seen if self.base.is_world else inverse_transform(self.base_pose()) @ seen

    def base_pose(self) -> FloatArray:
        """Pose (4, 4) of the other frame in the world, now [m]."""
        if self.base.body is None:
            return self.base.pose
        return self._body_of(self.base).transform() @ self.base.pose

    # ---- dofs

    def chain_names(self) -> tuple[str, ...]:
        """Names of the dofs that move the frame where none are named: of those from it, and from the other
        one, up to where the structure branches, the ones that do not move both.

        Leaders stand for dofs that follow; those of joints whose actuator is `locked` are left out.
        """
        chains = set(self.body.chain_dofs)
        if self.base.body is not None:
            chains |= set(self._body_of(self.base).chain_dofs)
        own = self._leaders(self._own_dofs().intersection(dof.index for dof in chains))
        return tuple(self.skeleton.dof(i).name for i in sorted(own - self.skeleton.locked_dofs))

    def is_moved_by(self, dofs: Collection[int]) -> bool:
        """Whether some dofs move the frame relative to the other one, themselves or what follows them."""
        return not self._leaders(self._own_dofs()).isdisjoint(dofs)

    def base_is_moved_by(self, dofs: Collection[int]) -> bool:
        """Whether some dofs move the other frame, themselves or what follows them."""
        return not self._leaders(self._dofs_of(self.base)).isdisjoint(dofs)

    def is_alone(self, dofs: Collection[int]) -> bool:
        """Whether some dofs leave the other frame where it is, and nothing follows them."""
        leaders = {leader for leader, _, _ in self.skeleton.dof_couplings.values()}
        return leaders.isdisjoint(dofs) and not self.base_is_moved_by(dofs)

    def _own_dofs(self) -> set[int]:
        """Dofs that move one of the frames, but not both."""
        return self._dofs_of(self.frame) ^ self._dofs_of(self.base)

    def _dofs_of(self, place: FramePlace) -> set[int]:
        return set() if place.body is None else set(self._body_of(place).dependent_dof_indices)

    def _leaders(self, dofs: Iterable[int]) -> set[int]:
        """Dofs, each that follows another one replaced by that; without those that follow by zero."""
        couplings = self.skeleton.dof_couplings
        found = ((dof, *couplings.get(dof, (dof, 1.0, 0.0))) for dof in dofs)
        return {leader for _, leader, ratio, _ in found if ratio != 0.0}

    def _body_of(self, place: FramePlace) -> BodyNode:
        assert place.body is not None
        return self.skeleton.body(place.body)
