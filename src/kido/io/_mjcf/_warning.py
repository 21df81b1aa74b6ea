"""The warnings of a file: one for each kind of doubt that changes how the model moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kido.description import Diagnostic
from kido.errors import ModelWarning, warn_outside_kido

__all__ = ["warn_of"]

_LISTED = 4
_TEXTS = {
    "inertia": "no body can have the inertia of",
    "mesh": "meshes or height fields that cannot be used:",
    "geometry": "geometry that is left out:",
}


def warn_of(diagnostics: Iterable[Diagnostic], lost: Sequence[str], file: str) -> None:
    """Warn ModelWarning, at the line outside kido, of what the model does not do as its file says."""
    subjects: dict[str, dict[str, None]] = {kind: {} for kind in _TEXTS}
    for diagnostic in diagnostics:
        if diagnostic.kind in subjects:
            subjects[diagnostic.kind][repr(diagnostic.subject)] = None
    for kind, names in subjects.items():
        if names:
            listed = _listed(list(names))
            warn_outside_kido(f"{file}: {_TEXTS[kind]} {listed}; `diagnostics` says why", ModelWarning)
    if lost:
        counts = Counter(lost)
        listed = _listed([f"{number} <{tag}>" for tag, number in counts.items()])
        warn_outside_kido(f"{file}: left out: {listed}; `diagnostics` says why", ModelWarning)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
