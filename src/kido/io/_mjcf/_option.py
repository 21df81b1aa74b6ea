"""The <option> element, and <custom> numbers and texts: options of the scene by their names."""

from __future__ import annotations

from dataclasses import dataclass

from kido.description import NamedValues
from kido.io._mjcf._context import Context
from kido.io._mjcf._node import Node
from kido.io._mjcf._options import node_options, plain_value
from kido.io._xml import Element

__all__ = ["SceneOptions", "read_options"]

_TIME_STEP = 0.002
_GRAVITY = (0.0, 0.0, -9.81)
_MEDIUM = ("density", "viscosity", "wind", "magnetic")
_FORCES = ("frictionloss", "limit", "spring", "damper", "actuation")
_CONSTRAINTS = ("contact", "equality")
_HONOURED = ("gravity", "filterparent", *_CONSTRAINTS)
"""Flags of which gravity, constraints, categories of shapes and exclusions tell."""


@dataclass(frozen=True, slots=True)
class SceneOptions:
    """Time step [s], gravity (3,) [m/s^2], and all other options by the names that MJCF has for them.

    Flags say whether bodies touch those that they are joined to, whether anything touches, and whether
    equality constraints act.
    """

    time_step: float
    gravity: tuple[float, ...]
    values: NamedValues
    filters_parents: bool
    contacts: bool
    equalities: bool


def read_options(context: Context) -> SceneOptions:
    """Options of a model; of several <option> elements the later ones override. Raises ModelFileError."""
    option, flag = _joined(context, "option"), _joined(context, "option/flag")
    step = option.number("timestep", _TIME_STEP)
    if step <= 0.0:
        raise option.error(f"timestep: expected a positive number [s], got {step:g}", "timestep")
    gravity = option.numbers("gravity", _GRAVITY)
    if flag.get("gravity") == "disable":
        gravity = (0.0, 0.0, 0.0)
    _report(option, flag)
    values = {**node_options(option, {"timestep", "gravity"}), **node_options(flag, _HONOURED, "flag.")}
    values |= _custom(context)
    off = {name for name in flag.values if flag.get(name) == "disable"}
    acts = {name: not off & {name, "constraint"} for name in _CONSTRAINTS}
    plain = NamedValues(values)
    return SceneOptions(step, gravity, plain, "filterparent" not in off, acts["contact"], acts["equality"])


def _joined(context: Context, path: str) -> Node:
    values: dict[str, tuple[str, Element]] = {}
    for element in context.root.iterfind(path):
        values |= {str(name): (str(text), element) for name, text in element.attrib.items()}
    return Node(context.file, context.root, values)


def _report(option: Node, flag: Node) -> None:
    for name in _MEDIUM:
        if option.has(name) and any(option.floats(name, 1, 3)):
            option.note("ignored", f"{name}: kept, but no medium and no field act on bodies", name)
    for name in _FORCES:
        if flag.get(name) == "disable":
            flag.note("ignored", f"{name}: kept, but it is not switched off", name)
    if flag.get("constraint") == "disable":
        flag.note("ignored", "constraint: limits and friction of joints act all the same", "constraint")
    if flag.get("override") == "enable":
        flag.note("ignored", "override: kept, but contacts have the parameters of their geoms", "override")


def _custom(context: Context) -> dict[str, bool | float | str | tuple[float, ...]]:
    found: dict[str, bool | float | str | tuple[float, ...]] = {}
    for tag in ("numeric", "text"):
        for element in context.root.iterfind(f"custom/{tag}"):
            node = context.node(element, tag)
            if node.has("data"):
                found[f"{tag}.{node.text('name')}"] = plain_value(node, "data")
    return found
