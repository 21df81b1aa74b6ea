"""The bytes of a model file: regular files of bounded size, and nothing else."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from kido.errors import ModelFileError

__all__ = ["MAX_BYTES", "read_model_bytes"]

MAX_BYTES = 32 * 2**20
"""Size of the largest model file that is read unasked: the largest of real robots have a megabyte."""

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFSOCK: "a socket",
}


def read_model_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Content of a regular file of at most `max_bytes`; nothing else is opened.

    Raises FileNotFoundError, IsADirectoryError and other OSErrors, ModelFileError for what is no regular
    file or is too large, TypeError or ValueError for `max_bytes` that is no positive integer.
    """
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int):
        raise TypeError(f"max_bytes: expected an integer, got {max_bytes!r}")
    if max_bytes <= 0:
        raise ValueError(f"max_bytes: expected a positive integer, got {max_bytes}")
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise ModelFileError(str(path), None, None, f"expected a regular file, got {kind}")
    with open(path, "rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        megabytes = max(status.st_size, len(data)) / 2**20
        limit = f"expected a model of at most {max_bytes / 2**20:.4g} MiB"
        more = "max_bytes lets larger ones be read"
        raise ModelFileError(str(path), None, None, f"{limit}, got {megabytes:.1f} MiB; {more}")
    return data
