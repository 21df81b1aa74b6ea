"""Functions, methods and problems of a module or a hierarchy, for its copies and pickles.

A function that looks at its module (IKFunction) makes one for the copy; any other is shared, and must not
hold a part of the skeleton: what cannot be kept raises, and never vanishes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

from kido.frame import Frame
from kido.ik._copying._held_parts import held_part
from kido.ik._copying._references import attributes_of, belongs_to, dereferenced, is_living, referenced
from kido.ik._problem._ik_function import IKFunction, IKMultiFunction, OwnErrors
from kido.optimize import Function, MultiFunction, StackedFunction
from kido.skeleton import Skeleton
from kido.values import register

__all__ = ["CopiedFunctions", "PickledFunctions", "refuse_held"]

_AnyFunction = Function | MultiFunction
F = TypeVar("F", bound=_AnyFunction | None)

_FUNCTION_HELP = "derive it from kido.ik.IKFunction, whose `copied_to` makes one for the copy"
_COPY_HELP = "it shall look at the `ik` that it gets"
_PICKLE_HELP = "keep parts in attributes, or give the class a `__getstate__`"
_METHOD_HELP = "keep its name, and find it by `ik.node.skeleton`: methods get the module at every call"


@register
class _TiedValue(NamedTuple):
    """A function that looks at its module: its class, and its attributes with references to parts."""

    kind: type[Any]
    attributes: dict[str, Any]


@register
class _Tied(NamedTuple):
    """A function that looks at its module and knows by itself how to be pickled."""

    function: Any


@register
class _Stacked(NamedTuple):
    """Functions below each other."""

    functions: tuple[Any, ...]


@register
class _OwnErrorsValue(NamedTuple):
    """The errors of the module itself."""

    kind: type[OwnErrors]


class CopiedFunctions:
    """Functions of a module or hierarchy for its copy, each copied once."""

    def __init__(self, original: Any, source: Skeleton, copy: Any, target: Skeleton) -> None:
        """Functions of `original`, in the skeleton `source`, for `copy`, in `target`."""
        self._original, self._copy = original, copy
        self._source, self._moves = source, source is not target
        self._made: dict[int, tuple[Any, Any]] = {}

    def function(self, what: str, function: F) -> F:
        """The function for the copy. Raises TypeError for one that cannot be kept; `what` begins the
        message."""
        if function is None:
            return function
        if id(function) not in self._made:
            self._made[id(function)] = function, self._copied(what, function)
        return cast(F, self._made[id(function)][1])

    def refuse(self, what: str, method: object) -> None:
        """Raises TypeError for a method, solver or setting that holds a part of the skeleton that the copy is
        not in."""
        if not _is_of_numbers(method):
            refuse_held(f"cannot copy {what}", method, self._counts, _METHOD_HELP)

    def _copied(self, what: str, function: _AnyFunction) -> _AnyFunction:
        if isinstance(function, OwnErrors):
            if function.owner is not self._original:
                raise TypeError(_foreign(f"cannot copy {what}", function))
            return type(function)(self._copy)
        if isinstance(function, StackedFunction):
            return StackedFunction([self.function(what, part) for part in function.functions])
        if isinstance(function, IKFunction | IKMultiFunction):
            copy = _copied_to(function, self._copy)
            name = f"what {function.name}.copied_to gives"
            refuse_held(f"cannot copy {what}", copy, self._counts, _COPY_HELP, name)
            return copy
        refuse_held(f"cannot copy {what}", function, self._counts, _FUNCTION_HELP)
        return function

    def _counts(self, part: object) -> bool:
        """Whether a copy must not hold a part: the original, and where it is in another skeleton, all of the
        original's."""
        if part is self._original or _is_target(part, self._original):
            return True
        return self._moves and is_living(part) and belongs_to(part, self._source)


class PickledFunctions:
    """Functions of a module or hierarchy as values for pickles, and back."""

    def __init__(self, owner: Any, skeleton: Skeleton) -> None:
        """Functions of `owner`, in `skeleton`."""
        self._owner, self._skeleton = owner, skeleton
        self._made: dict[int, tuple[Any, Any]] = {}

    def value(self, what: str, function: _AnyFunction | None) -> Any:
        """A function as a value. Raises TypeError for one that cannot be kept; `what` begins the message."""
        if function is None:
            return None
        if id(function) not in self._made:
            self._made[id(function)] = function, self._value(what, function)
        return self._made[id(function)][1]

    def refuse(self, what: str, method: object) -> None:
        """Raises TypeError for a method, solver or setting that holds a part of the skeleton."""
        if not _is_of_numbers(method):
            refuse_held(f"cannot save {what}", method, self._counts, _METHOD_HELP)

    def function(self, value: Any) -> Any:
        """The function that a value stands for. Raises TypeError where its `copied_to` gives no function."""
        if not isinstance(value, _TiedValue | _Tied | _Stacked | _OwnErrorsValue):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = value, self._function(value)
        return self._made[id(value)][1]

    def _value(self, what: str, function: _AnyFunction) -> Any:
        if isinstance(function, OwnErrors):
            if function.owner is not self._owner:
                raise TypeError(_foreign(f"cannot save {what}", function))
            return _OwnErrorsValue(type(function))
        if isinstance(function, StackedFunction):
            return _Stacked(tuple(self.value(what, part) for part in function.functions))
        if isinstance(function, IKFunction | IKMultiFunction):
            if _has_own_pickling(type(function)):
                return _Tied(function)
            attributes = referenced(attributes_of(function), self._skeleton, self._owner)
            refuse_held(f"cannot save {what}", attributes, self._counts, _PICKLE_HELP, function.name)
            return _TiedValue(type(function), attributes)
        refuse_held(f"cannot save {what}", function, self._counts, _FUNCTION_HELP)
        return function

    def _function(self, value: Any) -> Any:
        if isinstance(value, _OwnErrorsValue):
            return value.kind(self._owner)
        if isinstance(value, _Stacked):
            return StackedFunction([self.function(part) for part in value.functions])
        if isinstance(value, _Tied):
            return _copied_to(value.function, self._owner)
        original = value.kind.__new__(value.kind)
        for name, attribute in value.attributes.items():
            object.__setattr__(original, name, dereferenced(attribute, self._skeleton, self._owner))
        return _copied_to(original, self._owner)

    def _counts(self, part: object) -> bool:
        if part is self._owner or _is_target(part, self._owner):
            return True
        return is_living(part) and belongs_to(part, self._skeleton)


def refuse_held(
    begin: str, holder: Any, counts: Callable[[object], bool], remedy: str, name: str | None = None
) -> None:
    """Raises TypeError where an object holds a part that counts, saying which, and what to do."""
    part = held_part(holder, counts)
    if part is not None:
        who = getattr(holder, "name", type(holder).__name__) if name is None else name
        raise TypeError(f"{begin}: {who} holds {part!r}, which stays behind; {remedy}")


def _copied_to(function: IKFunction | IKMultiFunction, owner: Any) -> _AnyFunction:
    """Result of `copied_to`, checked."""
    copy = function.copied_to(owner)
    expected = Function if isinstance(function, IKFunction) else MultiFunction
    if not isinstance(copy, expected):
        got = type(copy).__name__
        raise TypeError(f"{function.name}.copied_to: expected a {expected.__name__}, got {got}")
    return copy


def _is_of_numbers(method: object) -> bool:
    """Whether a method or solver is one of kido's own, and holds no function of a user's."""
    return type(method).__module__.startswith("kido.") and getattr(method, "better", None) is None


def _is_target(part: object, owner: object) -> bool:
    return isinstance(part, Frame) and part is getattr(owner, "target", None)


def _foreign(begin: str, errors: OwnErrors) -> str:
    return (
        f"{begin}: {errors.name} of {errors.owner!r} belongs to another problem; "
        "put both modules into a kido.ik.CompositeIK"
    )


def _has_own_pickling(kind: type) -> bool:
    """Whether a class says itself how its instances are pickled."""
    plain = (object.__reduce__, object.__reduce_ex__, getattr(object, "__getstate__", None))
    own = (kind.__reduce__, kind.__reduce_ex__, getattr(kind, "__getstate__", None))
    return any(mine is not usual for mine, usual in zip(own, plain, strict=True))
