"""Frozen values: checked where they are made, compared and hashed by content, pickled, saved, loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import isfunction, unwrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from numpy import ndarray

from kido.typing import PathLike
from kido.values._constructor import Constructor
from kido.values._content import hash_of_content, refuse_unkept, same_content
from kido.values._field import array, checked, file_path, flag, items, number, part, read_only, text, whole
from kido.values._file import load_value, save_value
from kido.values._registry import is_of_kido, register

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        """Stand-in at run time for the decorator that type checkers read."""
        return lambda decorator: decorator


__all__ = ["Value", "value"]

C = TypeVar("C", bound="Value")
V = TypeVar("V", bound="Value")

_set = object.__setattr__
_NOT_GIVEN = object()


class Value:
    """Base of frozen values: equal and hashed by content, pickled, saved and loaded by their fields.

    NaN is equal to NaN, and arrays are compared number by number, for a value is equal to its copy. Values of
    different classes differ. Unpickling and loading call the constructor, so that arrays stay read-only.

    A subclass is decorated with `value`. It may have a constructor of its own, which sets fields by
    `_assign`; one that has none checks what concerns several fields in `_check`.
    """

    __slots__ = ()
    __array_ufunc__ = None  # an array is never equal to a value, and not compared with it number by number

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    _checks: ClassVar[Mapping[str, Callable[[str, Any], Any]]] = MappingProxyType({})
    _defaults: ClassVar[tuple[tuple[str, Any, Any], ...]] = ()

    def __post_init__(self) -> None:
        checks = self._checks
        for name, default, standing in self._defaults:
            given = getattr(self, name)
            if given is not default:
                _set(self, name, checks[name](name, given))
            elif standing is not default:
                _set(self, name, standing)
        self._check()

    def _check(self) -> None:
        """Raises where fields do not go together; may set fields that follow from others."""

    def _assign(self, **given: object) -> None:
        """Set fields, each as its check returns it."""
        for name, value in given.items():
            check = self._checks.get(name)
            _set(self, name, value if check is None else check(name, value))

    @classmethod
    def _unchecked(cls: type[V], *values: object) -> V:
        """A value of its fields in their order, which are such as their checks return, as of native code."""
        made = object.__new__(cls)
        for name, given in zip(cls.__dataclass_fields__, values, strict=True):
            _set(made, name, given)
        return made

    def _values(self) -> dict[str, Any]:
        """Arguments with which the constructor makes an equal value."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(other) is not type(self):
            return NotImplemented
        return same_content(self, other)

    def __hash__(self) -> int:
        return hash_of_content(self)

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> None:
        raise self._refusal(name)

    def __delattr__(self, name: str) -> None:
        raise self._refusal(name)

    def _refusal(self, name: str) -> AttributeError:
        if name in self.__dataclass_fields__:
            return FrozenInstanceError(
                f"cannot assign to field {name!r} of a frozen {type(self).__qualname__}: "
                f"dataclasses.replace(value, {name}=...) makes a changed one"
            )
        return AttributeError(
            f"{type(self).__qualname__} has no field {name!r}, and takes no attribute: declare a field, in a "
            "class decorated with kido.values.value"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        values = self._values()
        if not is_of_kido(type(self)):
            refuse_unkept(self, values)
        return _rebuild, (type(self), values)

    def __copy__(self: V) -> V:
        return self

    def save(self, path: PathLike) -> None:
        """Write this value to a file, as JSON that people can read; `load` gives an equal one.

        Classes are written as names. Raises TypeError for what cannot be written, naming its place,
        ValueError for two different classes of one name, and OSError.
        """
        save_value(self, path)

    @classmethod
    def load(cls: type[V], path: PathLike, types: Iterable[type] = ()) -> V:
        """Read what `save` wrote. kido's own classes are known.

        Args:
            path: the file.
            types: classes of your own that the file names: joints, nodes, addons (their `State` and
                `Properties` come with them), and dataclasses or enums that they hold. No class is looked for
                anywhere else.

        Raises:
            SavedFileError: the file holds something else, is malformed, or names another class.
            TypeError, ValueError: naming `types`.
            OSError: the file cannot be read.
        """
        return load_value(cls, path, types)


@dataclass_transform(
    frozen_default=True,
    eq_default=False,
    field_specifiers=(array, checked, field, flag, items, file_path, number, part, read_only, text, whole),
)
def value(cls: type[C]) -> type[C]:
    """Class decorator: a frozen, slotted dataclass that derives from Value, its fields checked as declared.

    A field is declared as in a dataclass, or with `array` or `checked`. Where the class has no `__init__` of
    its own, it gets that of a dataclass. Raises TypeError for a class that does not derive from Value.
    """
    if not (isinstance(cls, type) and issubclass(cls, Value)):
        raise TypeError(f"value: expected a class that derives from Value, got {cls!r}")
    own_init = "__init__" in vars(cls)
    made = _sealed(cls)
    _keep_super(made)
    if not own_init:
        setattr(made, "__init__", Constructor(made))  # noqa: B010 - not what mypy takes for one
    made._checks = MappingProxyType(
        {f.name: f.metadata["check"] for f in fields(made) if "check" in f.metadata}
    )
    made._defaults = tuple(_default_of(made, f) for f in fields(made) if "check" in f.metadata)
    return register(made)


def _default_of(cls: type, field: Field[Any]) -> tuple[str, Any, Any]:
    """Name of a checked field, its default, and what the check makes of that, which all values share.

    kido's own checks give the same again each time; of a user's, who knows: no default is taken for checked.
    """
    if field.default is not MISSING and is_of_kido(cls):
        standing = field.metadata["check"](field.name, field.default)
        if standing is field.default or (isinstance(standing, ndarray) and not standing.flags.writeable):
            return field.name, field.default, standing
    return field.name, _NOT_GIVEN, None


def _sealed(cls: type[C]) -> type[C]:
    """A slotted dataclass that counts as frozen. Value refuses to set attributes, for all classes alike;
    dataclasses have functions of their own for that, which take time to compile."""
    derived = any(hasattr(base, "__dataclass_fields__") for base in cls.__mro__[1:])
    made = dataclass(frozen=derived, slots=True, eq=False, repr=False, init=False)(cls)
    if derived:  # dataclasses that are not frozen derive from none that is
        del made.__setattr__, made.__delattr__
    else:
        made.__dataclass_params__.frozen = True  # type: ignore[attr-defined]
    return made


def _keep_super(made: type) -> None:
    """Let `super()` in methods mean the class that was made with slots, not the one that it was made from."""
    for member in vars(made).values():
        parts: tuple[Any, ...] = (member,)
        if isinstance(member, property):
            parts = member.fget, member.fset
        for function in map(unwrap, parts):
            if isfunction(function) and "__class__" in function.__code__.co_freevars:
                cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
                cells["__class__"].cell_contents = made


def _rebuild(cls: type[Value], values: dict[str, Any]) -> Value:
    return cls(**values)
