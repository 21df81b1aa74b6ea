"""Cache on disk of what was computed of meshes, by their content."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.values import checked_path, checked_whole

__all__ = ["MeshCache", "is_cache_off", "mesh_cache"]

_SUFFIX = ".kido-mesh"
_PART = ".kido-part"
_FORGOTTEN = 3600.0
"""Age of an unfinished entry that nobody writes any more [s]."""
_DIGEST = 32
_MOST_BYTES = 256 * 2**20
_VERSION = b"kido mesh 1"
_OFF = ("0", "off", "false", "no")

Arrays = dict[str, NDArray[Any]]


class MeshCache:
    """A folder of arrays by the content that they were computed from.

    An entry carries a digest: what is cut off or changed counts as absent. All entries together take
    `max_bytes` at most, the ones used longest ago go first. Several processes may use one folder. A folder
    that cannot be written keeps nothing, and is no error.
    """

    __slots__ = ("_directory", "_max_bytes")

    def __init__(self, directory: str | os.PathLike[str], max_bytes: int = _MOST_BYTES) -> None:
        self._directory = checked_path("directory", directory)
        self._max_bytes = checked_whole("max_bytes", max_bytes)
        if self._max_bytes < 0:
            raise ValueError(f"max_bytes: expected 0 or above, got {max_bytes}")

    @property
    def directory(self) -> Path:
        """Directory of the entries."""
        return self._directory

    @staticmethod
    def key(what: str, *arrays: NDArray[Any], **settings: float | str) -> str:
        """Key of what is computed of arrays (...) of any unit [any] by some settings."""
        from hashlib import blake2b

        digest = blake2b(_VERSION, digest_size=_DIGEST)
        digest.update(repr((what, sorted(settings.items()))).encode())
        for array in arrays:
            digest.update(repr((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def load(self, key: str) -> Arrays | None:
        """The arrays of a key; None if there are none, or what is there is damaged."""
        place = self._place(key)
        try:
            data = place.read_bytes()
            payload = data[_DIGEST:]
            if data[:_DIGEST] != _digest(payload):
                return None
            with np.load(BytesIO(payload), allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in arrays.files}
            os.utime(place)
        except (OSError, ValueError, KeyError, EOFError):
            return None
        return found

    def store(self, key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep arrays (...) of any unit [any] under a key; what does not fit is not kept."""
        buffer = BytesIO()
        np.savez(buffer, **dict[str, Any](arrays))
        payload = buffer.getvalue()
        if len(payload) + _DIGEST > self._max_bytes:
            return
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            self._make_room(len(payload) + _DIGEST)
            _write_whole(self._place(key), _digest(payload) + payload)
        except OSError:
            return

    def clear(self) -> None:
        """Remove all entries."""
        for entry in self._entries():
            entry.unlink(missing_ok=True)

    def _place(self, key: str) -> Path:
        return self._directory / f"{key}{_SUFFIX}"

    def _entries(self) -> list[Path]:
        return sorted(self._directory.glob(f"*{_SUFFIX}"))

    def _make_room(self, needed: int) -> None:
        """Remove the entries used longest ago until there is room, and what interrupted programs left."""
        for part in self._directory.glob(f"*{_PART}"):
            if _age(part) > _FORGOTTEN:
                part.unlink(missing_ok=True)
        sizes = []
        for entry in self._entries():
            try:
                status = entry.stat()
            except FileNotFoundError:  # another process removed it
                continue
            sizes.append((status.st_mtime_ns, status.st_size, entry))
        total = sum(size for _, size, _ in sizes) + needed
        for _, size, entry in sorted(sizes):
            if total <= self._max_bytes:
                return
            entry.unlink(missing_ok=True)
            total -= size


def mesh_cache() -> MeshCache | None:
    """The cache of this user; None where it is switched off.

    `KIDO_CACHE=off` in the environment switches it off, another value is its folder; else it is `kido` in
    `XDG_CACHE_HOME`, or in `~/.cache`.
    """
    told = _told()
    if told.lower() in _OFF:
        return None
    if told:
        return MeshCache(told)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return MeshCache(os.path.join(base, "kido"))


def is_cache_off() -> bool:
    """Whether the environment says that nothing is to be kept, on disk or in memory: `KIDO_CACHE=off`."""
    return _told().lower() in _OFF


def _told() -> str:
    return os.environ.get("KIDO_CACHE", "")


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:  # finished, or removed by another process
        return 0.0


def _digest(payload: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(payload, digest_size=_DIGEST).digest()


def _write_whole(place: Path, data: bytes) -> None:
    temporary = place.with_name(f"{place.stem}.{os.getpid()}.{threading.get_ident()}{_PART}")
    descriptor = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
