"""Static equilibrium with contact forces and torques of joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from kido.ik._posture._frame_place import (
    FrameLike,
    FramePlace,
    checked_direction,
    checked_place,
    checked_point,
)
from kido.ik._posture._layout import Layout, checked_skeletons
from kido.ik._posture._native_term import NativePlace, NativeTerm
from kido.ik._posture._term import PostureConstraint, UserParts, look_at
from kido.ik._posture._torque_rows import TorqueRows, checked_torque_limits, loads_of
from kido.ik._posture._whole_body import checked_skeleton_name
from kido.skeleton import DegreeOfFreedom, FreeJoint, Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Checked, Value, checked, items, value

__all__ = ["StaticEquilibriumConstraint", "SupportContact"]


def _checked_number(name: str, given: float) -> float:
    number = float(frozen_array(name, given, ()))
    if not number >= 0.0:
        raise ValueError(f"{name}: expected 0 or above, got {number}")
    return number


@value
class SupportContact(Value):
    """A point of a body that may be pushed, by a force within a friction cone.

    Attributes:
        frame: that carries the point.
        point: (3,) in it [m].
        normal: (3,) along which forces push the body, in `normal_frame`.
        friction: coefficient of friction.
        min_normal_force: least normal part of the force [N].
        normal_frame: that carries the normal, as the ground or a wall; None: the world.

    Raises TypeError or ValueError naming the argument.
    """

    frame: Checked[FrameLike, FramePlace] = checked(checked_place)
    point: Checked[ArrayLike, FloatArray] = checked(checked_point, default=(0.0, 0.0, 0.0))
    normal: Checked[ArrayLike, FloatArray] = checked(checked_direction, default=(0.0, 0.0, 1.0), kw_only=True)
    friction: Checked[float, float] = checked(_checked_number, default=1.0, kw_only=True)
    min_normal_force: Checked[float, float] = checked(_checked_number, default=0.0, kw_only=True)
    normal_frame: Checked[FrameLike, FramePlace] = checked(checked_place, default=None, kw_only=True)


@value
class StaticEquilibriumConstraint(PostureConstraint):
    """A skeleton stands still: forces at contact points, within their friction cones, and torques of its
    dofs, within their limits, balance its weight. The forces are unknowns of the problem.

    A free root bears nothing; neither do dofs of passive joints. Locked dofs bear whatever they have to,
    leaders of mimic joints what their followers have to as well. Springs of joints help; dry friction does
    not.

    Values, of a skeleton with one root, which is free: the sum of all forces (3,) [N], their moment about
    its centre of mass (3,) [N m]. Then of each contact the normal part, and by how much the force is inside
    of its cone [N]. Then the torques of the dofs that have limits [N m], [N] of those that move along a line.
    `forces` are (3 k,) in axes of the world [N].

    Tolerances of a search count in weights of the skeleton: forces by its weight, torques by that times 1 m.

    Attributes:
        contacts: points of the skeleton where forces act; none for one that the world holds.
        skeleton: that stands, or its name; None: the only one.
        torque_limits: what dofs bear, either way [N m, N]. None: their force limits. A number: the same for
            all; infinite: whatever they have to. A mapping: for dofs or their names, the others as None says.

    Source: StaticEquilibriumConstraint and StaticFrictionConeConstraint of Drake, whose torques are unknowns
    of the problem.
    """

    contacts: tuple[SupportContact, ...] = items(SupportContact)
    skeleton: Checked[object, str | None] = checked(checked_skeleton_name, default=None, kw_only=True)
    torque_limits: Checked[
        float | Mapping[str | DegreeOfFreedom, float] | tuple[tuple[str, float], ...] | None,
        float | tuple[tuple[str, float], ...] | None,
    ] = checked(checked_torque_limits, default=None, kw_only=True)

    @property
    def num_extras(self) -> int:
        """Three for each contact."""
        return 3 * len(self.contacts)

    @property
    def text(self) -> str:
        """Of what, on how many contacts."""
        on = f" on {len(self.contacts)} contacts" if self.contacts else ""
        return f"static equilibrium of {self.skeleton or 'the skeleton'}{on}"

    def weight(self, skeletons: tuple[Skeleton, ...]) -> float:
        """Of the skeleton [N]."""
        return _weight(self._standing(Layout(skeletons, follows=False)))

    def extra_unit(self, skeletons: tuple[Skeleton, ...]) -> float:
        """Forces are unknowns in weights of the skeleton [N]."""
        return self.weight(skeletons)

    def loads(self, skeletons: tuple[Skeleton, ...]) -> object:
        """Numbers of the skeleton that decide about torques, besides its tree."""
        standing = next((s for s in skeletons if self.skeleton in (None, s.name)), skeletons[0])
        return loads_of(standing)

    def torques(
        self,
        skeletons: Skeleton | Iterable[Skeleton],
        positions: ArrayLike | None = None,
        *,
        forces: ArrayLike | None = None,
    ) -> FloatArray:
        """Torques (num_dofs,) that the dofs of the skeleton bear at rest [N m, N]; those of a free root too.

        Args:
            skeletons: of the problem.
            positions: (num_dofs,) of all of them [rad, m]; None: where they stand.
            forces: (k, 3) at the contacts [N]; None: none.

        Raises as `value` does.
        """
        layout = Layout(checked_skeletons(skeletons), follows=False)
        skeleton = self._standing(layout)
        weight = _weight(skeleton)
        q = layout.checked_positions("positions", positions)
        given = np.zeros((len(self.contacts), 3)) if forces is None else forces
        e = frozen_array("forces", given, (len(self.contacts), 3), "N").ravel() / weight
        endless = np.full(layout.num_dofs, np.inf)
        scale = np.ones(layout.num_dofs + len(e))
        program = layout.program(lower=-endless, upper=endless, extras=len(e), scale=scale)
        t, places = layout.skeleton_index(self.skeleton), self._places(layout)
        TorqueRows.of_all(skeleton).term(t, weight, 0, places).add_to(program, is_cost=False)
        return np.asarray(weight * look_at(program, q, e, UserParts(layout, ()))[0])

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """Balance, a cone for each contact, torques.

        Raises ValueError for a skeleton without weight, for one that is held by the world and has no limits
        of torques, for contacts on others, and for limits of torques that are not known.
        """
        skeleton = self._standing(layout)
        weight = _weight(skeleton)
        t, places = layout.skeleton_index(self.skeleton), self._places(layout)
        terms = []
        roots = [body.parent_joint for body in skeleton.root_bodies]
        is_balanced = len(roots) == 1 and isinstance(roots[0], FreeJoint)
        if is_balanced and not places:
            raise ValueError("contacts: expected one at least")
        if is_balanced:
            terms.append(_balance(t, extra, places, weight))
        for k, contact in enumerate(self.contacts):
            terms.append(_friction(contact, layout, extra + 3 * k, weight))
        rows = TorqueRows.of(skeleton, self.torque_limits, with_free_roots=not is_balanced)
        if rows.names:
            terms.append(rows.term(t, weight, extra, places))
        elif not is_balanced:
            raise ValueError(
                f"skeleton: expected a free root or limits of torques, {skeleton.name!r} is held by the "
                "world and bears whatever it has to"
            )
        return terms

    def _standing(self, layout: Layout) -> Skeleton:
        return layout.skeletons[layout.skeleton_index(self.skeleton)]

    def _places(self, layout: Layout) -> tuple[NativePlace, ...]:
        t = layout.skeleton_index(self.skeleton)
        places = tuple(layout.place(contact.frame.moved(contact.point)) for contact in self.contacts)
        for contact, place in zip(self.contacts, places, strict=True):
            if place[0] != t or place[1] < 0:
                raise ValueError(
                    f"contacts: expected frames of {layout.skeletons[t].name!r}, got {contact.frame}"
                )
        return places


def _weight(skeleton: Skeleton) -> float:
    """[N]. Raises ValueError where there is none, and where gravity leaves bodies alone."""
    weight = float(skeleton.mass * np.linalg.norm(skeleton.gravity))
    if not weight > 0.0:
        raise ValueError(f"skeleton: expected weight, {skeleton.name!r} has none")
    floating = [body.name for body in skeleton.bodies if body.mass > 0.0 and not body.gravity_mode]
    if floating:
        raise ValueError(f"skeleton: expected gravity on all bodies, {floating[0]!r} has none")
    return weight


def _balance(tree: int, extra: int, places: tuple[NativePlace, ...], weight: float) -> NativeTerm:
    return NativeTerm(
        kind="balance",
        rows=6,
        tree=tree,
        extra=tuple(extra + 3 * k for k in range(len(places))),
        places=places,
        lower=np.zeros(6),
        upper=np.zeros(6),
        units=("N",) * 3 + ("N m",) * 3,
        factor=weight,
    )


def _friction(contact: SupportContact, layout: Layout, number: int, weight: float) -> NativeTerm:
    return NativeTerm(
        kind="friction",
        rows=6,
        base=layout.place(contact.normal_frame),
        axis=contact.normal,
        least=contact.min_normal_force / weight,
        most=contact.friction,
        extra=(number,),
        shown=slice(0, 2),
        unit="N",
        factor=weight,
    )
