"""The warnings of a file: one for each kind of doubt, naming everything in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kido.description import Diagnostic, LinkDescription
from kido.errors import ModelWarning, warn_outside_kido
from kido.shape import Mesh

__all__ = ["warn_of"]

_LISTED = 4


def warn_of(file: str, diagnostics: Iterable[Diagnostic], links: Iterable[LinkDescription]) -> None:
    """Warn ModelWarning, at the line outside kido, of diagnostics that change what the model does.

    `links` are those of the file, in whose shapes the missing meshes are.
    """
    doubts = tuple(diagnostics)
    kinds = {doubt.kind for doubt in doubts}
    parts = tuple(links) if "mesh" in kinds else ()
    texts = {
        "inertia": f"no body can have the inertia of {_subjects(doubts, 'inertia')}; `diagnostics` says why",
        "mesh": _meshes(parts),
        "mimic": _listed([d.message for d in doubts if d.kind == "mimic"], "; "),
        "include": _included([d.message for d in doubts if d.kind == "include"]),
        "closure": _listed([d.message for d in doubts if d.kind == "closure"], "; "),
        "root": "; ".join(d.message for d in doubts if d.kind in ("root", "empty")),
    }
    texts["empty"] = "" if "root" in kinds else texts["root"]
    for kind, text in texts.items():
        if kind in kinds and text:
            warn_outside_kido(f"{file}: {text}", ModelWarning)


def _included(messages: list[str]) -> str:
    where = "; packages=folder says where models are" if any("not found" in text for text in messages) else ""
    return _listed(messages, "; ") + where


def _listed(parts: list[str], separator: str) -> str:
    more = f" and {len(parts) - _LISTED} more" if len(parts) > _LISTED else ""
    return separator.join(parts[:_LISTED]) + more


def _subjects(doubts: Sequence[Diagnostic], kind: str) -> str:
    return _listed([repr(d.subject) for d in doubts if d.kind == kind], ", ")


def _meshes(links: Sequence[LinkDescription]) -> str:
    shapes = [place.shape for link in links for place in (*link.visuals, *link.collisions)]
    missing = {shape.uri: None for shape in shapes if isinstance(shape, Mesh) and shape.path is None}
    listed = _listed(list(missing), ", ")
    return f"mesh files not found: {listed}; packages={{name: folder}} says where packages are"
