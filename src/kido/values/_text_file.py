"""Files that are there as a whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from itertools import count
from pathlib import Path

__all__ = ["check_place", "write_file", "write_text_file"]

_EXISTING_FLAGS = os.O_CREAT | os.O_EXCL | os.O_WRONLY


def write_text_file(path: Path, text: str) -> None:
    """Write a text in UTF-8. Raises as `write_file`."""
    write_file(path, text.encode())


def write_file(path: Path, data: bytes) -> None:
    """Write a regular file, in place of one that is there; where that fails, the old one stays.

    A link stays a link to the file that is replaced. Raises IsADirectoryError, FileExistsError for what is no
    regular file, and other OSErrors.
    """
    place = Path(os.path.realpath(path))
    mode = _mode_of(place)
    temporary, descriptor = _opened_beside(place)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_place(path: Path) -> None:
    """Raises an error where `write_file` would: IsADirectoryError, FileExistsError for what is no
    regular file, FileNotFoundError for a folder that is not there."""
    place = Path(os.path.realpath(path))
    if _mode_of(place) is None and not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def _mode_of(place: Path) -> int | None:
    """Permissions of the file that is there; None where there is none."""
    try:
        status = os.stat(place)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
    if not stat.S_ISREG(status.st_mode):
        raise FileExistsError(errno.EEXIST, "expected a regular file or none", str(place))
    return stat.S_IMODE(status.st_mode)


def _opened_beside(place: Path) -> tuple[Path, int]:
    for number in count():
        temporary = place.with_name(f".{place.name[:200]}.{os.getpid()}.{number}")
        try:
            return temporary, os.open(temporary, _EXISTING_FLAGS, 0o666)
        except FileExistsError:
            continue
    raise AssertionError
