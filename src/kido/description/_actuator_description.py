"""An actuator that a model names."""

from __future__ import annotations

from kido.description._named_values import NamedValues, Options, name_of, named_values
from kido.description._reference import Attachment, JointReference, Reference
from kido.errors import DescriptionError
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Array, Checked, Value, array, checked, part, text, value, whole

__all__ = ["ActuatorDescription"]


def _range(name: str, value: ArrayLike | None) -> FloatArray | None:
    return None if value is None else frozen_array(name, value, (2,))


@value
class ActuatorDescription(Value):
    """An actuator as a model has it: kept by name for those who control.

    `type` is what the model calls it ("motor", "position", "muscle"). It acts on `joint`, or at the frame
    `place`; both None: on something else, which `options` name, as a tendon. Force on the joint [N m or N]:
    that of the actuator times `gear` (k,), for each dof or, at a place, along and about its axes. Commands
    and forces stay within `command_range` and `force_range`, lower and upper (2,); None: no limits. `options`
    are gains and the rest of what the model says.

    Raises ValueError or DescriptionError, naming the actuator.
    """

    name: str = checked(name_of("actuator"))
    type: str = text(empty=True)
    joint: JointReference | None = part(JointReference, default=None)
    place: Attachment | None = part(Attachment, default=None)
    gear: Array = array(-1, default=(1.0,), kw_only=True)
    command_range: Checked[ArrayLike | None, FloatArray | None] = checked(_range, default=None, kw_only=True)
    force_range: Checked[ArrayLike | None, FloatArray | None] = checked(_range, default=None, kw_only=True)
    options: Checked[Options, NamedValues] = checked(named_values, default=(), kw_only=True)
    line: int | None = whole(default=None, kw_only=True)

    def _check(self) -> None:
        name = self.name
        if not self.type:
            raise DescriptionError("type: expected a nonempty string, got ''", "actuator", name)
        if self.place is not None and self.joint is not None:
            raise DescriptionError("expected a place or a joint, got both", "actuator", name)
        for argument in ("command_range", "force_range"):
            limits = getattr(self, argument)
            if limits is not None and limits[0] > limits[1]:
                expected = f"{argument}: expected lower <= upper, got {limits.tolist()}"
                raise DescriptionError(expected, "actuator", name)

    def references(self) -> tuple[tuple[str, Reference], ...]:
        """The attachment or joint it acts on, by the name of the argument."""
        if self.place is not None:
            return (("place", self.place),)
        return () if self.joint is None else (("joint", self.joint),)
