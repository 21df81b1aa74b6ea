"""Static equilibrium with contact forces."""

from __future__ import annotations

import numpy as np

from kido.ik._posture._frame_place import (
    FrameLike,
    FramePlace,
    checked_direction,
    checked_place,
    checked_point,
)
from kido.ik._posture._layout import Layout
from kido.ik._posture._native_term import NativeTerm
from kido.ik._posture._term import PostureConstraint
from kido.ik._posture._whole_body import checked_skeleton_name
from kido.skeleton import FreeJoint, Skeleton
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
    """A skeleton that nothing holds stands still: forces at contact points, within their friction cones,
    balance its weight. The forces are unknowns of the problem.

    Values: the sum of all forces (3,) in weights of the skeleton, their moment about its centre of mass (3,)
    in weights times metres; then of each contact the normal part, and by how much the force is inside of its
    cone, in weights. `forces` are (3 k,) in weights, in axes of the world.

    Attributes:
        contacts: where forces act.
        skeleton: that stands, or its name; None: the only one.

    Source: StaticEquilibriumConstraint and StaticFrictionConeConstraint of Drake, of one skeleton whose
    joints can bear what they have to.
    """

    contacts: tuple[SupportContact, ...] = items(SupportContact)
    skeleton: Checked[object, str | None] = checked(checked_skeleton_name, default=None, kw_only=True)

    def _check(self) -> None:
        if not self.contacts:
            raise ValueError("contacts: expected one at least")

    @property
    def num_extras(self) -> int:
        """Three for each contact."""
        return 3 * len(self.contacts)

    @property
    def text(self) -> str:
        """How many contacts."""
        return f"static equilibrium of {self.skeleton or 'the skeleton'} on {len(self.contacts)} contacts"

    def weight(self, skeletons: tuple[Skeleton, ...]) -> float:
        """Of the skeleton [N]."""
        layout = Layout(skeletons, follows=False)
        skeleton = skeletons[layout.skeleton_index(self.skeleton)]
        return float(skeleton.mass * np.linalg.norm(skeleton.gravity))

    def native_terms(self, layout: Layout, extra: int) -> list[NativeTerm]:
        """Balance, then a cone for each contact.

        Raises ValueError for a skeleton that is fixed to the world, and for one without weight.
        """
        t = layout.skeleton_index(self.skeleton)
        skeleton = layout.skeletons[t]
        weight = float(skeleton.mass * np.linalg.norm(skeleton.gravity))
        if not weight > 0.0:
            raise ValueError(f"skeleton: expected weight, {skeleton.name!r} has none")
        if not all(isinstance(body.parent_joint, FreeJoint) for body in skeleton.root_bodies):
            raise ValueError(f"skeleton: expected a free root, {skeleton.name!r} is held by the world")
        places = tuple(layout.place(contact.frame.moved(contact.point)) for contact in self.contacts)
        numbers = tuple(extra + 3 * k for k in range(len(places)))
        zero = np.zeros(6)
        terms = [
            NativeTerm(
                kind="balance",
                rows=6,
                tree=t,
                extra=numbers,
                places=places,
                lower=zero,
                upper=zero,
                unit="weights",
            )
        ]
        for contact, number in zip(self.contacts, numbers, strict=True):
            terms.append(
                NativeTerm(
                    kind="friction",
                    rows=6,
                    base=layout.place(contact.normal_frame),
                    axis=contact.normal,
                    least=contact.min_normal_force / weight,
                    most=contact.friction,
                    extra=(number,),
                    shown=slice(0, 2),
                    unit="weights",
                )
            )
        return terms
