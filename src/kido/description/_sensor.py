"""A sensor that a model names."""

from __future__ import annotations

from kido.description._named_values import NamedValues, Options, name_of, named_values
from kido.description._reference import Attachment, JointReference, Reference
from kido.errors import DescriptionError
from kido.values import Checked, Value, checked, number, part, text, value, whole

__all__ = ["SensorDescription"]


@value
class SensorDescription(Value):
    """A sensor: kept by name for those who simulate it.

    `type` is what the model calls it ("camera", "imu", "jointpos"). It measures at the frame `place`, or of
    the joint `joint`; both None: of the whole scene. `rate` [Hz] is how often, None: at every step.
    `options` are the rest of what the model says.

    Raises ValueError or DescriptionError, naming the sensor.
    """

    name: str = checked(name_of("sensor"))
    type: str = text(empty=True)
    place: Attachment | None = part(Attachment, default=None)
    joint: JointReference | None = part(JointReference, default=None)
    rate: float | None = number(unit="Hz", default=None, kw_only=True)
    options: Checked[Options, NamedValues] = checked(named_values, default=(), kw_only=True)
    line: int | None = whole(default=None, kw_only=True)

    def _check(self) -> None:
        name, rate = self.name, self.rate
        if not self.type:
            raise DescriptionError("type: expected a nonempty string, got ''", "sensor", name)
        if self.place is not None and self.joint is not None:
            raise DescriptionError("expected a place or a joint, got both", "sensor", name)
        if rate is not None and rate <= 0.0:
            raise DescriptionError(f"rate: expected a positive number [Hz], got {rate:g}", "sensor", name)

    def references(self) -> tuple[tuple[str, Reference], ...]:
        """The attachment or joint it measures, by the name of the argument."""
        if self.place is not None:
            return (("place", self.place),)
        return () if self.joint is None else (("joint", self.joint),)
