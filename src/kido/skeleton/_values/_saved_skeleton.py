"""All of a skeleton as a value, as files hold it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from kido.description import Diagnostic, RobotDescription, SceneDescription
from kido.errors import SavedModelError, UnknownNameError
from kido.skeleton._nodes._addon import Extension
from kido.skeleton._values._own_content import own_attributes, read_own_content, write_own_content
from kido.skeleton._values._parts import SkeletonParts
from kido.skeleton._values._rebuilding import build_from
from kido.skeleton._values._skeleton_properties import SkeletonProperties
from kido.skeleton._values._skeleton_state import SkeletonState
from kido.skeleton._values._state_access import write_state
from kido.values import Checked, Value, checked, is_of_kido, items, part, text, value

__all__ = ["PartContent", "SavedModel", "SavedSkeleton", "rebuilt", "saved_skeleton"]

_RESTORING = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What wrong content of a file raises where it is put together."""


class SavedModel(Value):
    """A skeleton or world as a file of kido holds it."""

    __slots__ = ()

    @staticmethod
    @contextmanager
    def _together(name: str) -> Iterator[None]:
        """Raises SavedModelError of a skeleton or world of this name for what wrong content raises inside."""
        try:
            yield
        except _RESTORING as error:
            raise SavedModelError(name, error) from error

    @abstractmethod
    def build(self) -> Any:
        """The skeleton or world. Raises SavedModelError where its parts do not go together."""

    @abstractmethod
    def skeleton(self, robot: str | None = None) -> Any:
        """A skeleton by itself, the only one or that of a name. Raises as `build`, and as
        `SceneDescription.single_robot`."""

    @abstractmethod
    def description(self) -> RobotDescription | SceneDescription:
        """Description of it, as far as one holds it. Raises as `build`, and DescriptionError."""


def _dictionary(name: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"{name}: expected a dictionary of names, got {value!r}")
    return dict(value)


def _skeleton_class(name: str, kind: Any) -> type[SkeletonParts]:
    if not (isinstance(kind, type) and issubclass(kind, SkeletonParts)):
        raise TypeError(f"{name}: expected a class of skeletons, got {kind!r}")
    return kind


@value
class PartContent(Value):
    """Attributes that an addon, node or joint of class `kind` has beside `Properties` and `State`; `place` is
    what it is attached to, or what it is."""

    place: str = text()
    kind: type[Extension]
    attributes: dict[str, Any] = checked(_dictionary)

    def _check(self) -> None:
        if not (isinstance(self.kind, type) and issubclass(self.kind, Extension)):
            raise TypeError(f"kind: expected a class of addons, nodes or joints, got {self.kind!r}")
        if self.kind._take_pickled is Extension._take_pickled:
            refuse_kidos(self.kind, self.attributes)


@value
class SavedSkeleton(SavedModel):
    """All of a skeleton: its class, properties and state, diagnostics, and what parts and a class of the
    user's own keep beside."""

    kind: type[SkeletonParts] = checked(_skeleton_class)
    properties: SkeletonProperties = part(SkeletonProperties)
    state: SkeletonState = part(SkeletonState)
    diagnostics: Checked[Iterable[Diagnostic], tuple[Diagnostic, ...]] = items(Diagnostic, default=())
    contents: Checked[Iterable[PartContent], tuple[PartContent, ...]] = items(PartContent, default=())
    attributes: dict[str, Any] = checked(_dictionary, default=None)

    def _check(self) -> None:
        refuse_kidos(self.kind, self.attributes)

    def build(self) -> Any:
        """The skeleton. Raises SavedModelError where its parts do not go together."""
        content = {(part.place, part.kind): part.attributes for part in self.contents}
        with self._together(self.properties.name):
            own = deepcopy((content, self.attributes))
            return rebuilt(self.kind, self.properties, self.state, self.diagnostics, *own)

    def skeleton(self, robot: str | None = None) -> Any:
        """The skeleton. Raises UnknownNameError where `robot` is not its name, and as `build`."""
        if robot not in (None, self.properties.name):
            raise UnknownNameError("robot", robot, [self.properties.name])
        return self.build()

    def description(self) -> RobotDescription:
        """Description of it, as far as one holds it. Raises as `build`, and DescriptionError."""
        described: RobotDescription = self.build().to_description()
        return described


def refuse_kidos(kind: type, attributes: Iterable[str]) -> None:
    """Raises ValueError for attributes of a user's class that are kido's own."""
    own = {name for base in kind.__mro__ if is_of_kido(base) for name in vars(base)}
    for name in attributes:
        if name in own or name.startswith("__"):
            raise ValueError(f"attributes: {name!r} is no attribute of a {kind.__name__}'s own")


def saved_skeleton(skeleton: Any, properties: SkeletonProperties, state: SkeletonState) -> SavedSkeleton:
    """All of a skeleton, whose properties and state these are."""
    contents = [
        PartContent(place, kind, attributes)
        for (place, kind), attributes in read_own_content(skeleton).items()
    ]
    return SavedSkeleton(
        type(skeleton), properties, state, skeleton._diagnostics, contents, own_attributes(skeleton)
    )


def rebuilt(
    kind: type[Any],
    properties: SkeletonProperties,
    state: SkeletonState | None,
    diagnostics: tuple[Diagnostic, ...],
    own_content: dict[tuple[str, type[Extension]], dict[str, Any]],
    attributes: dict[str, Any],
) -> Any:
    """A skeleton of a class, whose constructor is not called, with everything that it has."""
    made: Any = kind
    skeleton = made.__new__(made)
    skeleton._start(properties.name, properties.gravity, properties.time_step)
    build_from(skeleton, properties)
    if state is not None:
        write_state(skeleton, state)
    for name, attribute in attributes.items():
        setattr(skeleton, name, attribute)
    skeleton._diagnostics = diagnostics
    write_own_content(skeleton, own_content)
    return skeleton
