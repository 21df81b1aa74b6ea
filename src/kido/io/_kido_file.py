"""kido's own files: a skeleton, world or description as JSON, with every number exact."""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import get_ident
from typing import Any, TypeAlias

from kido.description import Diagnostic, RobotDescription, SceneDescription
from kido.errors import SavedFileError, SavedModelError
from kido.io._mesh_source import MeshSource
from kido.io._model_bytes import read_model_bytes
from kido.shape import MESH_SUFFIXES
from kido.skeleton import SavedModel
from kido.typing import PathLike
from kido.values import (
    checked_member,
    checked_path,
    document_of,
    read_document,
    value_of_document,
    write_document,
)

__all__ = [
    "SUFFIX",
    "Model",
    "kido_bytes",
    "model_of_bytes",
    "read_kido_file",
    "read_kido_scene",
    "scene_of_kido_file",
    "write_kido_file",
]

SUFFIX = ".json"
MAX_BYTES = 256 * 2**20
"""Size of the largest file that is read unasked: worlds with their meshes are large."""

Model: TypeAlias = RobotDescription | SceneDescription | SavedModel
"""What stands in a file of kido."""

_KINDS: tuple[type[Any], ...] = (RobotDescription, SceneDescription, SavedModel)
_LONGEST_NAME = 1000
"""Characters of a missing file that are told."""
_CONTENT = re.compile(r"sha256:([0-9a-f]{64})(\.[A-Za-z0-9]{1,8})?")


def write_kido_file(model: Model, path: Path, *, meshes: MeshSource | str = MeshSource.PATH) -> None:
    """Write a model to a file.

    Args:
        model: description, saved skeleton or saved world.
        path: the file.
        meshes: "path": by the names of their files, relative where these are below the folder of `path`;
            "content": the files themselves, in this one.

    Raises:
        TypeError: something in it cannot be saved, as a function; names the place.
        ValueError: naming `meshes`, for a file to be enclosed that is no mesh too, or two different classes
            of one name.
        OSError: a file cannot be read or written.
    """
    write_document(_document(model, path, meshes), path)


def kido_bytes(model: Model, path: Path, *, meshes: MeshSource | str = MeshSource.PATH) -> bytes:
    """Bytes that `write_kido_file` would write to `path`, on one line. Raises as that does."""
    return json.dumps(_document(model, path, meshes), ensure_ascii=False, allow_nan=False).encode()


def _document(model: Model, path: Path, meshes: MeshSource | str) -> dict[str, Any]:
    source = checked_member("meshes", MeshSource, meshes)
    document = document_of(model)
    files: dict[str, str] = {}
    for mesh in _meshes(document["value"]):
        place = Path(mesh["path"]["$path"])
        if source is MeshSource.CONTENT:
            mesh["path"]["$path"] = _enclose(place, files)
        else:
            mesh["path"]["$path"] = _relative(place, path)
    if files:
        document["files"] = files
    return document


def read_kido_file(
    path: PathLike,
    *,
    types: Iterable[type] = (),
    mesh_folder: PathLike | None = None,
    max_bytes: int = MAX_BYTES,
) -> Model:
    """Read what `write_kido_file` wrote.

    Args:
        path: the file.
        types: classes of your own that the file names: skeletons, joints, nodes, addons, constraints, and
            dataclasses or enums that they hold. No class is looked for anywhere else.
        mesh_folder: where meshes go that the file encloses, each under a name that follows from its content;
            None: `kido/meshes` in the user's folder of caches.
        max_bytes: size of the largest file that is read.

    Raises:
        SavedFileError: the file holds something else, is malformed, of another version, or names another
            class.
        ModelFileError: it is no regular file, or too large.
        TypeError, ValueError: naming the argument.
        OSError: it cannot be read.
    """
    file = checked_path("path", path)
    return model_of_bytes(read_model_bytes(file, max_bytes), file, types=types, mesh_folder=mesh_folder)


def model_of_bytes(
    content: bytes, file: Path, *, types: Iterable[type] = (), mesh_folder: PathLike | None = None
) -> Model:
    """The model in what `kido_bytes` gave; `file`: where they stand. Raises as `read_kido_file`."""
    document = read_document(content, str(file))
    missing = _find_meshes(document, file, mesh_folder) if b"kido.Mesh" in content else []
    model: Any = value_of_document(_KINDS, document, str(file), types)
    return _with_notes(model, missing, file) if missing else model


def read_kido_scene(path: Path, **options: Any) -> SceneDescription:
    """Scene in a file of kido, as far as descriptions hold it; options as `read_kido_file`.

    Raises as that does, and DescriptionError for a joint of a class of your own.
    """
    return scene_of_kido_file(read_kido_file(path, **options), path)


def scene_of_kido_file(model: Model, path: Path) -> SceneDescription:
    """Scene in the content of a file of kido, as far as descriptions hold it. Raises as `read_kido_scene`."""
    described: Any = model
    if isinstance(model, SavedModel):
        try:
            described = model.description()
        except SavedModelError as error:
            raise error.in_file(path) from error
    if isinstance(described, RobotDescription):
        described = SceneDescription.of_robot(described)
    scene: SceneDescription = replace(described, source=path)
    return scene


# ---- meshes


def _meshes(document: Any) -> Iterator[dict[str, Any]]:
    """All meshes with a path in a document."""
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(item for item in part if isinstance(item, dict | list))
        elif isinstance(part, dict) and "$array" not in part:
            path = part.get("path")
            if part.get("$type") == "kido.Mesh" and isinstance(path, dict) and "$path" in path:
                yield part
            waiting.extend(item for item in part.values() if isinstance(item, dict | list))


def _enclose(mesh: Path, files: dict[str, str]) -> str:
    if mesh.suffix.lower() not in MESH_SUFFIXES:  # a file that came from elsewhere may name any other one
        raise ValueError(f"meshes: {str(mesh)!r} is no mesh of suffix {', '.join(MESH_SUFFIXES)}")
    content = read_model_bytes(mesh, MAX_BYTES)
    name = f"sha256:{_hash(content)}{mesh.suffix}"
    files[name] = b64encode(content).decode()
    return name


def _relative(mesh: Path, path: Path) -> str:
    """Name of a mesh in a file: relative where it is below the file's folder."""
    folder = os.path.abspath(path.parent)
    place = os.path.abspath(mesh)
    below = (
        os.path.commonpath([folder, place]) == folder
        if os.path.splitdrive(folder)[0] == (os.path.splitdrive(place)[0])
        else False
    )
    return Path(os.path.relpath(place, folder)).as_posix() if below else place


def _find_meshes(document: dict[str, Any], file: Path, mesh_folder: PathLike | None) -> list[str]:
    """Put the files that meshes are in into a document; the names of those that are missing."""
    files = document.get("files", {})
    missing = []
    for mesh in _meshes(document["value"]):
        name = mesh["path"]["$path"]
        if not isinstance(name, str) or "\0" in name:
            raise SavedFileError(str(file), "Mesh.path", f"expected the name of a file, got {name!r}"[:200])
        if _CONTENT.fullmatch(name):
            mesh["path"]["$path"] = str(_extracted(name, files, file, mesh_folder))
        elif os.path.isfile(place := os.path.join(file.parent, name)):
            mesh["path"]["$path"] = place
        else:
            mesh["path"] = None
            missing.append(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]} ...")
    return missing


def _extracted(name: str, files: Any, file: Path, mesh_folder: PathLike | None) -> Path:
    """The file of an enclosed mesh, which is written where it is not there yet."""
    folder = _cache_folder() if mesh_folder is None else checked_path("mesh_folder", mesh_folder)
    target = folder / name.removeprefix("sha256:")
    if target.is_file():
        return target
    try:
        content = b64decode(files[name], validate=True)
    except (KeyError, TypeError, ValueError, Base64Error) as error:
        raise SavedFileError(str(file), f"files.{name}", "expected bytes in base 64") from error
    digest = _hash(content)
    if not target.name.startswith(digest):
        raise SavedFileError(str(file), f"files.{name}", f"expected the content of that hash, got {digest}")
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{target.name}.{os.getpid()}.{get_ident()}"
    try:
        fresh.write_bytes(content)
        os.replace(fresh, target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return target


def _hash(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kido" / "meshes"


def _with_notes(model: Any, missing: list[str], file: Path) -> Model:
    notes = [Diagnostic(f"file not found: {name}", str(file), None, "mesh") for name in missing]
    noted: Model = replace(model, diagnostics=(*model.diagnostics, *notes))
    return noted
