"""Signatures of values for the reference pages, which are made without importing kido."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from griffe import (
    Attribute,
    Class,
    Expr,
    ExprCall,
    ExprKeyword,
    Extension,
    Function,
    Module,
    Parameter,
    ParameterKind,
    Parameters,
)

DECORATOR = "kido.values.value"
DECLARATIONS = "kido.values."


class ValueSignatures(Extension):
    """Gives classes that `kido.values.value` decorates the `__init__` that they have at run time."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Called by griffe once a package is loaded, and with it the classes that others derive from."""
        for cls in classes(pkg):
            if is_value(cls) and "__init__" not in cls.members:
                cls.set_member("__init__", constructor(cls))


def classes(module: Module) -> Iterator[Class]:
    """The classes of a module and of those below it."""
    for member in module.members.values():
        if isinstance(member, Class):
            yield member
        elif isinstance(member, Module):
            yield from classes(member)


def is_value(cls: Class) -> bool:
    """Whether it is decorated as a value."""
    return DECORATOR in [d.value.canonical_path for d in cls.decorators if isinstance(d.value, Expr)]


def constructor(cls: Class) -> Function:
    """The constructor by the fields of a class and of the values that it derives from, in their order."""
    values = [base for base in (cls, *cls.mro()) if is_value(base)]
    found = {field.name: field for base in reversed(values) for field in own_fields(base)}
    given = [one for one in map(parameter, found.values()) if one]
    given.sort(key=lambda one: one.kind is ParameterKind.keyword_only)
    first = Parameter("self", kind=ParameterKind.positional_or_keyword)
    return Function("__init__", parent=cls, parameters=Parameters(first, *given))


def own_fields(cls: Class) -> list[Attribute]:
    """The attributes that the class itself annotates, but those of the class."""
    members = [member for member in cls.members.values() if isinstance(member, Attribute)]
    own = [member for member in members if "property" not in member.labels]
    return [field for field in own if field.annotation and "ClassVar" not in str(field.annotation)]


def parameter(field: Attribute) -> Parameter | None:
    """The argument of a field; None where the constructor takes none."""
    default, keyword = field.value, False
    if isinstance(default, ExprCall) and is_declaration(default.canonical_path):
        given = {
            argument.name: argument.value
            for argument in default.arguments
            if isinstance(argument, ExprKeyword)
        }
        if str(given.get("init")) == "False":
            return None
        default, keyword = given.get("default"), str(given.get("kw_only")) == "True"
    kind = ParameterKind.keyword_only if keyword else ParameterKind.positional_or_keyword
    return Parameter(field.name, kind=kind, default=default, annotation=field.annotation)


def is_declaration(path: str) -> bool:
    """Whether a function of this path declares a field."""
    return path.startswith(DECLARATIONS) or path == "dataclasses.field"
