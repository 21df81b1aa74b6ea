"""A sensor that a model names."""

from __future__ import annotations

from kido.description._named_values import NamedValues, Options, checked_name
from kido.description._reference import Attachment, JointReference, Reference
from kido.errors import DescriptionError
from kido.typing import frozen_array
from kido.values import Value, value

__all__ = ["SensorDescription"]


@value
class SensorDescription(Value):
    """A sensor: kept by name for those who simulate it.

    `type` is what the model calls it ("camera", "imu", "jointpos"). It measures at the frame `place`, or of
    the joint `joint`; both None: of the whole scene. `rate` [Hz] is how often, None: at every step.
    `options` are the rest of what the model says.

    Raises ValueError or DescriptionError, naming the sensor.
    """

    name: str
    type: str
    place: Attachment | None
    joint: JointReference | None
    rate: float | None
    options: NamedValues
    line: int | None

    def __init__(
        self,
        name: str,
        type: str,
        place: Attachment | None = None,
        joint: JointReference | None = None,
        *,
        rate: float | None = None,
        options: Options = (),
        line: int | None = None,
    ) -> None:
        checked_name("sensor", name)
        if not type:
            raise DescriptionError("type: expected a nonempty string, got ''", "sensor", name)
        if place is not None and joint is not None:
            raise DescriptionError("expected a place or a joint, got both", "sensor", name)
        if rate is not None:
            rate = float(frozen_array("rate", rate, (), "Hz"))
            if rate <= 0.0:
                raise DescriptionError(f"rate: expected a positive number [Hz], got {rate:g}", "sensor", name)
        self._assign(
            name=name,
            type=type,
            place=place,
            joint=joint,
            rate=rate,
            options=NamedValues(options),
            line=line,
        )

    def references(self) -> tuple[tuple[str, Reference], ...]:
        """The attachment or joint it measures, by the name of the argument."""
        if self.place is not None:
            return (("place", self.place),)
        return () if self.joint is None else (("joint", self.joint),)
