"""Base of error methods and gradient methods: values that are compared by their content."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from kido.values import hash_of_content, same_content

__all__ = ["Method", "settable"]

if TYPE_CHECKING:
    settable = property
else:

    class settable(property):
        """Property that a class deriving from its own may set in its constructor, or declare as a field."""

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            own = vars(instance)
            return own[self._name] if self._name in own else self.fget(instance)

        def __set__(self, instance: Any, value: Any) -> None:
            if not isinstance(value, settable):  # what a dataclass takes for the default of a field
                vars(instance)[self._name] = value


class Method:
    """Base of methods: two are equal where they are of one class and their fields and attributes are."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls)  # that of a dataclass would compare arrays by ==, and hash them
        if "__eq__" not in own and "__hash__" not in own:
            cls.__eq__ = Method.__eq__  # type: ignore[method-assign]
            cls.__hash__ = Method.__hash__  # type: ignore[method-assign]

    @property
    def name(self) -> str:
        """The name that errors show: the class's."""
        return type(self).__name__

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not type(self):
            return NotImplemented
        if is_dataclass(self) and not (getattr(self, "__dict__", None) or getattr(other, "__dict__", None)):
            return same_content(self, other)  # fields alone
        return same_content(_content(self), _content(other))

    def __hash__(self) -> int:
        return hash((type(self), hash_of_content(_content(self))))


def _content(method: object) -> dict[str, Any]:
    """Fields that are compared, and all other attributes."""
    own: dict[str, Any] = dict(vars(method)) if hasattr(method, "__dict__") else {}
    if is_dataclass(method):
        for field in fields(method):
            own.pop(field.name, None)
            if field.compare:
                own[field.name] = getattr(method, field.name)
    return own
