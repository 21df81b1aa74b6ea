"""The bytes of a model file: regular files of bounded size, and nothing else."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from kido.errors import ModelFileError

__all__ = ["MAX_BYTES", "read_model_bytes"]

MAX_BYTES = 32 * 2**20
"""Size of the largest model file that is read: the largest of real robots have a megabyte."""

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFSOCK: "a socket",
}


def read_model_bytes(path: Path) -> bytes:
    """Content of a regular file of at most `MAX_BYTES`; nothing else is opened.

    Raises FileNotFoundError, IsADirectoryError and other OSErrors, and ModelFileError for what is no regular
    file or is too large.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise ModelFileError(str(path), None, None, f"expected a regular file, got {kind}")
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        megabytes = max(status.st_size, len(data)) / 2**20
        limit = f"expected a model of at most {MAX_BYTES // 2**20} MiB"
        raise ModelFileError(str(path), None, None, f"{limit}, got {megabytes:.1f} MiB")
    return data
