"""The errors kido raises: one root, the data on the exception, the valid names in the message."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable
from os import PathLike, fspath
from typing import Any

from kido._core import brief

__all__ = [
    "DescriptionError",
    "DivergedError",
    "EditError",
    "FrameError",
    "KidoError",
    "LibraryError",
    "MissingDependencyError",
    "ModelFileError",
    "ModelWarning",
    "NameTakenError",
    "NoClosedFormError",
    "NoEffectWarning",
    "RecordingError",
    "RemovedError",
    "RenderError",
    "SavedFileError",
    "SavedModelError",
    "SingularMassError",
    "StrictModelError",
    "UnknownNameError",
    "UnsolvedError",
    "UnsupportedShapeError",
]

_LISTED_NAMES = 6
_LONGEST_NAME = 200
_LISTED_REASONS = 30
_LONGEST_REASON = 220
_LONGEST_TEXT = 3000
_NEAR = 0.7


class KidoError(Exception):
    """Root of every error that kido defines."""


class UnknownNameError(KidoError, KeyError):
    """A name that its owner does not have.

    Attributes: `kind` ("body", "joint", ...), `name`, `valid` (all valid names), `owner` (may be None).
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str], owner: str | None = None) -> None:
        self.kind = kind
        self.name = name
        self.valid = tuple(valid)
        self.owner = owner
        super().__init__(kind, name, self.valid, owner)

    def __str__(self) -> str:
        where = "" if self.owner is None else f" in {brief(self.owner)}"
        return f"no {self.kind} named {brief(self.name)}{where}; {self._suggestion()}"

    def _suggestion(self) -> str:
        name = str(self.name)[:_LONGEST_NAME]
        near = difflib.get_close_matches(name, self.valid, n=3, cutoff=_NEAR)
        if near:
            return f"did you mean {' or '.join(map(brief, near))}?"
        if not self.valid:
            return "there are none"
        return f"valid names: {_listed(self.valid)}"


def unknown_attribute(kind: type, name: str, known: Iterable[str] | None = None) -> AttributeError:
    """An error that says that objects of a class have no attribute of this name, with the nearest names.

    Names are suggested out of `known`, or without it out of the members of the class.
    """
    public = sorted(own for own in (dir(kind) if known is None else known) if not own.startswith("_"))
    near = difflib.get_close_matches(name[:_LONGEST_NAME], public, n=3, cutoff=_NEAR)
    hint = f"; did you mean {' or '.join(map(brief, near))}?" if near else ""
    return AttributeError(f"{kind.__name__} has no attribute {brief(name)}{hint}")


def warn_outside_kido(message: str, category: type[Warning]) -> None:
    """Warn, at the line outside kido that called."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "kido":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _listed(names: tuple[str, ...]) -> str:
    listed = ", ".join(map(brief, names[:_LISTED_NAMES]))
    more = len(names) - _LISTED_NAMES
    return listed + (f" and {more} more" if more > 0 else "")


def _shortened(text: str) -> str:
    """A text on one line, by its beginning where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]} ..."


def _cut(text: str) -> str:
    """A text without its middle where it is very long."""
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} ... {text[-half:]}"


class ModelFileError(KidoError, ValueError):
    """A model file that cannot be read.

    Attributes: `file`, `line` (from 1, None where no line is at fault), `element` ("<joint name='elbow'>" or
    None), `message`.
    """

    def __init__(
        self, file: str | PathLike[str], line: int | None, element: str | None, message: str
    ) -> None:
        self.file = fspath(file)
        self.line = line
        self.element = element
        self.message = message
        super().__init__(self.file, line, element, message)

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(_cut(part) for part in (place, self.element, self.message) if part)


class DescriptionError(KidoError, ValueError):
    """A description of a robot or scene that none can have.

    Attributes: `message`; `kind` ("link", "joint", in scenes "constraint", "sensor", ...) and `name` of the
    part at fault, None for the whole.
    """

    def __init__(self, message: str, kind: str | None = None, name: str | None = None) -> None:
        self.message = message
        self.kind = kind
        self.name = name
        super().__init__(message, kind, name)

    def __str__(self) -> str:
        message = _cut(self.message)
        return message if self.kind is None else f"{self.kind} {brief(self.name)}: {message}"


class SingularMassError(KidoError, ValueError):
    """A mass matrix without inverse: joints that move nothing of mass.

    Attributes: `joints` (names of the joints at fault), `owner` (name of the robot, may be None).
    """

    def __init__(self, joints: Iterable[str], owner: str | None = None) -> None:
        self.joints = tuple(joints)
        self.owner = owner
        super().__init__(self.joints, owner)

    def __str__(self) -> str:
        of = "" if self.owner is None else f" of {brief(self.owner)}"
        if not self.joints:
            return f"mass matrix{of} is not positive definite: some inertia is one that no body can have"
        noun = "joint" if len(self.joints) == 1 else "joints"
        return f"mass matrix{of} is singular: no inertia moves with {noun} {_listed(self.joints)}"


class DivergedError(KidoError, ArithmeticError):
    """A simulation whose numbers are no longer finite; the world stands as it did before.

    Attributes: `time` of the last good state [s], `world` (its name), `skeleton` and `body` (names of what
    was no longer finite, of several the fastest; None where that is not known).
    """

    def __init__(self, time: float, world: str, skeleton: str | None = None, body: str | None = None) -> None:
        self.time = time
        self.world = world
        self.skeleton = skeleton
        self.body = body
        super().__init__(time, world, skeleton, body)

    def __str__(self) -> str:
        whose = "its velocities"
        if self.skeleton is not None:
            whose = f"velocities of {brief(self.skeleton)}, body {brief(self.body or '')},"
        return f"{brief(self.world)} diverged: after {self.time:g} s {whose} are no longer finite"


class UnsolvedError(KidoError, ArithmeticError):
    """Impulses of a step that a solver did not find; the world stands as it did before that step.

    Attributes: `skeletons` (names of those that are held together), `rows` (how many impulses), `residual`
    [-], `reason`.
    """

    def __init__(self, skeletons: tuple[str, ...], rows: int, residual: float, reason: str) -> None:
        self.skeletons = skeletons
        self.rows = rows
        self.residual = residual
        self.reason = reason
        super().__init__(skeletons, rows, residual, reason)

    def __str__(self) -> str:
        names = ", ".join(map(repr, self.skeletons[:5])) + (", ..." if len(self.skeletons) > 5 else "")
        return f"{self.rows} impulses of {names}: not found, residual {self.residual:.3g}; {self.reason}"


class UnsupportedShapeError(KidoError, ValueError):
    """A shape, or pair of shapes, that a detector cannot test.

    Attributes: `shapes` (types), `names` (of the nodes), `detector`, `advice` (what tests them, or nothing).
    """

    def __init__(self, shapes: str, names: str, detector: str, advice: str = "") -> None:
        self.shapes = shapes
        self.names = names
        self.detector = detector
        self.advice = advice
        super().__init__(shapes, names, detector, advice)

    def __str__(self) -> str:
        said = f"{self.detector} has no test for {self.shapes} ({brief(self.names)})"
        return f"{said}; {self.advice}" if self.advice else said


class FrameError(KidoError, ValueError):
    """A parent that a frame cannot have, as itself or one of its descendants, ..."""


class EditError(KidoError, ValueError):
    """An edit of a skeleton that cannot be done: a body under its own descendant, a joint in two places, any
    while it is asked, ..."""


class RemovedError(KidoError, RuntimeError):
    """A body, joint or node that no longer belongs to a skeleton.

    Attributes: `kind` ("body", "joint", "node", ...) and `name`.
    """

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        super().__init__(kind, name)

    def __str__(self) -> str:
        return f"{self.kind} {brief(self.name)} belongs to no skeleton: it was removed, or was never added"


class NameTakenError(KidoError, ValueError):
    """A name that something else of the same skeleton has.

    Attributes: `kind` ("body", "joint", "dof", ...), `name`, `owner` (the skeleton's name).
    """

    def __init__(self, kind: str, name: str, owner: str) -> None:
        self.kind = kind
        self.name = name
        self.owner = owner
        super().__init__(kind, name, owner)

    def __str__(self) -> str:
        article = "an" if self.kind[0] in "AEIOaeio" else "a"
        return f"{brief(self.owner)} has {article} {self.kind} named {brief(self.name)} already"


class SavedFileError(KidoError, ValueError):
    """A file of a saved value that cannot be read.

    Attributes: `file`, `place` ("SkeletonState.extensions[0]", empty where it is the whole), `message`.
    """

    def __init__(self, file: str | PathLike[str], place: str, message: str) -> None:
        self.file = fspath(file)
        self.place = place
        self.message = message
        super().__init__(self.file, place, message)

    def __str__(self) -> str:
        return ": ".join(_cut(part) for part in (self.file, self.place, self.message) if part)


class SavedModelError(KidoError, ValueError):
    """A saved skeleton or world whose parts do not go together.

    Attributes: `name` of the skeleton or world, `reason`.
    """

    def __init__(self, name: str, reason: object) -> None:
        self.name = name
        self.reason = f"{type(reason).__name__}: {reason}" if isinstance(reason, Exception) else str(reason)
        super().__init__(name, self.reason)

    def __str__(self) -> str:
        return _cut(f"{brief(self.name)} cannot be put together: {self.reason}")

    def in_file(self, file: str | PathLike[str]) -> SavedFileError:
        """The same as an error of the file that holds the model."""
        return SavedFileError(file, "", str(self))


class RecordingError(KidoError, ValueError):
    """A recording that cannot be written or read, or that does not hold what was asked for.

    Attributes: `recording` (its file, or name), `reason`.
    """

    def __init__(self, recording: str | PathLike[str], reason: str) -> None:
        self.recording = fspath(recording)
        self.reason = reason
        super().__init__(self.recording, reason)

    def __str__(self) -> str:
        return f"{self.recording}: {_cut(self.reason)}"


class LibraryError(KidoError, ValueError):
    """A compiled library that cannot be used, or source that does not compile to one.

    Attributes: `file`, `message` (for source: what the compiler says).
    """

    def __init__(self, file: str | PathLike[str], message: str) -> None:
        self.file = fspath(file)
        self.message = message
        super().__init__(self.file, message)

    def __str__(self) -> str:
        return f"{self.file}: {_cut(self.message)}"


class NoClosedFormError(KidoError, ValueError):
    """Joints whose positions no closed form gives.

    Attributes: `name` (of the body or node that they move), `reason`.
    """

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(name, reason)

    def __str__(self) -> str:
        return f"{brief(self.name)} has no closed form: {_cut(self.reason)}"


class RenderError(KidoError, RuntimeError):
    """A picture that cannot be drawn on this machine; the message says what is missing."""


class MissingDependencyError(KidoError, ImportError):
    """An optional package that is not installed.

    Attributes: `package`, `extra` (the extra of kido that brings it), `purpose` (what needs it, may be None).
    """

    def __init__(self, package: str, extra: str, purpose: str | None = None) -> None:
        self.package = package
        self.extra = extra
        self.purpose = purpose
        super().__init__(package, extra, purpose)

    def __str__(self) -> str:
        needs = "kido" if self.purpose is None else self.purpose
        return f"{needs} needs {self.package!r}; install it with: pip install 'kido[{self.extra}]'"


class NoEffectWarning(UserWarning):
    """A setting that does nothing: it waits for simulation, or the parts in use do not go by it."""


class StrictModelError(ModelFileError):
    """A model file that is not honoured as it stands, where that was wanted.

    Attributes: `file`, `reasons` (one text for each thing).
    """

    def __init__(self, file: str | PathLike[str], reasons: Iterable[str]) -> None:
        self.reasons = tuple(reasons)
        shown = [f"  {_shortened(reason)}" for reason in self.reasons[:_LISTED_REASONS]]
        more = len(self.reasons) - len(shown)
        rest = [f"  and {more} more; kido.load_report lists them"] if more else []
        head = f"strict: {len(self.reasons)} things are not honoured as they stand"
        super().__init__(file, None, None, "\n".join([head, *shown, *rest]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file, self.reasons)


class ModelWarning(UserWarning):
    """A model file that loads but is doubtful: missing meshes, inertia that no body can have, ..."""


def __dir__() -> list[str]:
    return sorted(__all__)
