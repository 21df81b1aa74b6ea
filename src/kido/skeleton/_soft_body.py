"""Bodies whose surface is a set of point masses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kido.description import Material, SoftSkin
from kido.errors import EditError
from kido.frame import Frame
from kido.shape import Mesh, Surface
from kido.skeleton._body import BodyNode
from kido.skeleton._build import skins
from kido.skeleton._core_inertia import joined_inertia
from kido.skeleton._skin_node import SkinNode
from kido.skeleton._soft_masses import SoftMasses
from kido.typing import ArrayLike, FloatArray, frozen_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SkinNode", "SoftBodyNode"]


class SoftBodyNode(SoftMasses):
    """A body with point masses around it, each with three translations beside the body, tied to it and to
    each other by springs.

    A world moves the points and the skeleton by the same equations of motion, each acting on the other;
    springs are implicit in its steps. So do the dynamics of the skeleton without a world, and energies,
    momenta and centers of mass are those of the points as they are. `inertia` is that of the body with its
    points where they rest: that is what it becomes as its springs get stiff.
    `kido.soften` and `SoftBodyNode.add_skin` make a rigid body soft, `harden` makes it rigid again.
    """

    __slots__ = ()

    _is_soft: ClassVar[bool] = True

    @staticmethod
    def add_skin(
        body: BodyNode,
        skin: SoftSkin,
        *,
        name: str | None = None,
        material: Material | None = None,
        visual: bool = True,
        collision: bool = True,
        surface: Surface = Surface(),  # noqa: B008 - a frozen value
    ) -> SoftBodyNode:
        """Put point masses around a body, in addition to what it weighs.

        Args:
            body: a rigid body; it becomes the SoftBodyNode that is returned.
            skin: the points.
            name: of the skin; None: that of the body, with a number where another skin has it.
            material: color and texture; None: the default ones.
            visual: whether the faces are seen.
            collision: whether the points touch others.
            surface: their friction and restitution.

        Raises:
            EditError: the body has a skin.
            NameTakenError, TypeError, ValueError: naming the argument.
        """
        if not isinstance(skin, SoftSkin):
            raise TypeError(f"skin: expected a SoftSkin, got {type(skin).__name__}")
        if not isinstance(body, BodyNode):
            raise TypeError(f"body: expected a BodyNode, got {type(body).__name__}")
        before = body.inertia
        if isinstance(body, SoftBodyNode):
            raise EditError(f"body {body.name!r} has a skin already")
        body._write_inertia(joined_inertia(before, skin.inertia))
        chosen = body._node_name(SkinNode, name)
        try:
            SkinNode(
                body, chosen, skin, material=material, visual=visual, collision=collision, surface=surface
            )
        except BaseException:
            body._write_inertia(before)
            raise
        assert isinstance(body, SoftBodyNode)
        return body

    @property
    def skin(self) -> SoftSkin:
        """Points, springs and faces. Can be set: springs hold from the next step on, without a jump; other
        points begin at rest, and the body's inertia stays what it is."""
        return self.skin_node.skin

    @skin.setter
    def skin(self, skin: SoftSkin) -> None:
        self.skin_node.skin = skin

    def harden(self) -> BodyNode:
        """Take the points away: a rigid body with their mass where they are now, and of the same momentum.
        Returns the body."""
        self.freeze()
        skin = replace(self.skin, points=self._local_points())
        inertia = joined_inertia(self.core_inertia, skin.inertia) if self.displacements.any() else None
        self.skin_node.remove()
        if inertia is not None:
            self._write_inertia(inertia)
        return self

    # ---- springs

    @property
    def vertex_stiffness(self) -> FloatArray:
        """Stiffness (n,) of the springs between points and body [N/m]. Set: also one for all."""
        return self.skin.vertex_stiffness

    @vertex_stiffness.setter
    def vertex_stiffness(self, stiffness: ArrayLike) -> None:
        self.skin = replace(self.skin, vertex_stiffness=stiffness)

    @property
    def edge_stiffness(self) -> FloatArray:
        """Stiffness (k,) of the springs along `skin.edges` [N/m]. Set: also one for all."""
        return self.skin.edge_stiffness

    @edge_stiffness.setter
    def edge_stiffness(self, stiffness: ArrayLike) -> None:
        self.skin = replace(self.skin, edge_stiffness=stiffness)

    @property
    def damping(self) -> FloatArray:
        """Damping (n,) between points and body [N s/m]. Set: also one for all."""
        return self.skin.damping

    @damping.setter
    def damping(self, damping: ArrayLike) -> None:
        self.skin = replace(self.skin, damping=damping)

    @property
    def frozen(self) -> NDArray[np.bool_]:
        """Whether each point (n,) stands still in the body."""
        return self.skin.frozen

    def freeze(self, points: Iterable[int] | None = None) -> None:
        """Have points stand still in the body where they are now; None: all. What momentum they have beside
        it goes to the skeleton. Raises IndexError or TypeError."""
        self._set_frozen(points, True)

    def free(self, points: Iterable[int] | None = None) -> None:
        """Have points that were frozen move again, from where they are; None: all. Raises IndexError or
        TypeError."""
        self._set_frozen(points, False)

    def _set_frozen(self, points: Iterable[int] | None, frozen: bool) -> None:
        mask = self.skin.frozen.copy()
        mask[slice(None) if points is None else self._indices(points)] = frozen
        self.skin = replace(self.skin, frozen=mask)

    def _indices(self, points: Iterable[int]) -> list[int]:
        if not isinstance(points, Iterable):
            raise TypeError(f"points: expected indices, got {points!r}")
        chosen = list(points)
        for point in chosen:
            if isinstance(point, bool) or not isinstance(point, (int, np.integer)):
                raise TypeError(f"points: expected indices, got {point!r}")
            if not 0 <= point < self.num_points:
                raise IndexError(f"points: {point} does not exist, there are {self.num_points}")
        return chosen

    # ---- what acts on the points

    @property
    def displacement_accelerations(self) -> FloatArray:
        """Accelerations of the points beside the body (n, 3), in its axes [m/s^2]: means over the last step,
        or what `compute_forward_dynamics` or `compute_inverse_dynamics` of the skeleton found."""
        return self.skin_node._soft.accelerations

    @property
    def point_forces(self) -> FloatArray:
        """Forces on the points from outside (n, 3), in the body's axes [N], which act until others are set.
        Can be set."""
        return self.skin_node._soft.forces

    @point_forces.setter
    def point_forces(self, forces: ArrayLike) -> None:
        self.skin_node._soft.forces = frozen_array("point_forces", forces, (self.num_points, 3), "N")

    def reset_points(self) -> None:
        """Put the points where they rest, and at rest beside the body."""
        node, zeros = self.skin_node, np.zeros((self.num_points, 3))
        node.state = replace(node.state, displacements=zeros, velocities=zeros, yielded=zeros)

    # ---- pins

    def pin(
        self,
        points: Iterable[int] | None = None,
        *,
        frame: Frame | None = None,
        offsets: ArrayLike | None = None,
    ) -> None:
        """Have a frame lead points through worlds: they stay where they stand in it now, or go to `offsets`.

        The frame feels nothing of them: what it takes is in `pin_forces`. Points that nothing frees any more
        go with the frame wherever it goes; one that jumps takes them along in a step.

        Args:
            points: their indices; None: all.
            frame: any frame, also one that moves; None: the world. Copies of the body are pinned to the
                world, where the frame is then.
            offsets: where in the frame (k, 3), in its coordinates [m]; None: where they are.

        Raises:
            EditError: a point is frozen.
            IndexError, TypeError, ValueError: naming the argument.
        """
        chosen = list(range(self.num_points)) if points is None else self._indices(points)
        if frame is not None and not isinstance(frame, Frame):
            raise TypeError(f"frame: expected a Frame or None, got {type(frame).__name__}")
        frozen = [point for point in chosen if self.frozen[point]]
        if frozen:
            raise EditError(f"points: {frozen[0]} is frozen: free it before")
        if offsets is None:
            places = self.point_positions(relative_to=frame)[chosen]
        else:
            places = frozen_array("offsets", offsets, (len(chosen), 3), "m")
        leads = frame is not None and not frame.is_world
        self.skin_node._pins.add(chosen, frame if leads else None, places)
        if leads:
            self.skin_node._forget_answers()  # worlds ask from now on where it is

    def unpin(self, points: Iterable[int] | None = None) -> None:
        """Let points go that were pinned; None: all. Raises IndexError or TypeError."""
        self.skin_node._pins.remove(range(self.num_points) if points is None else self._indices(points))

    @property
    def pinned(self) -> NDArray[np.bool_]:
        """Whether each point (n,) is pinned."""
        return self.skin_node._pins.mask()

    @property
    def pin_forces(self) -> FloatArray:
        """Forces (n, 3) on the points by what they are pinned to, in the last step, in the world's axes
        [N]."""
        return self.skin_node._soft.pin_forces

    def surface_mesh(self, *, relative_to: Frame | None = None) -> Mesh:
        """The faces as they are now, in the coordinates of a frame; None is the world.

        Raises ValueError where there are no faces.
        """
        if not len(self.skin.faces):
            raise ValueError(f"body {self.name!r} has a skin without faces")
        return Mesh(
            None,
            convex=False,
            vertices=self.point_positions(relative_to=relative_to),
            triangles=self.skin.faces,
        )


SkinNode._carrier = SoftBodyNode
skins.attach = SoftBodyNode.add_skin
