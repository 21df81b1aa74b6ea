"""HDF5 files that were not closed, or are cut off, as if they were whole."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

__all__ = ["MendedFile"]

_HEAD = 48
"""Size of the superblock, of versions 2 and 3."""
_FLAGS, _END, _CHECKSUM = 11, 28, 44
"""Where it has the flags of who writes the file, the file's size, and a checksum of what stands before."""
_LARGEST = 1 << 48


class MendedFile(io.RawIOBase):
    """A file whose superblock says that nobody writes it, followed by zeros up to the size that it says it
    has.

    Attributes:
        stored: the size that the file says it has.
        missing: bytes of that which are not there.
    """

    def __init__(self, path: Path, head: bytes) -> None:
        """`head`: the superblock."""
        self._file = path.open("rb")
        size = os.path.getsize(path)
        self.stored = max(size, int.from_bytes(head[_END : _END + 8], "little"))
        self.missing = self.stored - size
        mended = bytearray(head)
        mended[_FLAGS] = 0
        mended[_END : _END + 8] = self.stored.to_bytes(8, "little")
        mended[_CHECKSUM:] = _lookup3(bytes(mended[:_CHECKSUM])).to_bytes(4, "little")
        self._head = bytes(mended)
        self._at = 0

    @classmethod
    def of(cls, path: Path) -> MendedFile | None:
        """The file of a path; None where its superblock is none that can be mended."""
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if len(head) < _HEAD or head[8] not in (2, 3):
            return None
        if int.from_bytes(head[_CHECKSUM:], "little") != _lookup3(head[:_CHECKSUM]):
            return None
        return cls(path, head) if int.from_bytes(head[_END : _END + 8], "little") < _LARGEST else None

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """The place that is read next."""
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place; `whence` as in `io`."""
        self._at = offset + (0, self._at, self.stored)[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer; how many."""
        count = max(0, min(len(buffer), self.stored - self._at))
        self._file.seek(self._at)
        read = self._file.read(count)
        content = bytearray(read + bytes(count - len(read)))
        if self._at < _HEAD:
            content[: _HEAD - self._at] = self._head[self._at : self._at + count]
        buffer[:count] = content[:count]
        self._at += count
        return count

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def _lookup3(key: bytes) -> int:
    """Checksum of bytes as HDF5 has it: Bob Jenkins, lookup3.c (2006), hashlittle with initial value 0."""

    def rotated(x: int, k: int) -> int:
        return ((x << k) | (x >> (32 - k))) & 0xFFFFFFFF

    a = b = c = (0xDEADBEEF + len(key)) & 0xFFFFFFFF
    while len(key) > 12:
        a, b, c = (
            (x + int.from_bytes(key[k : k + 4], "little")) & 0xFFFFFFFF for x, k in ((a, 0), (b, 4), (c, 8))
        )
        for shift in (4, 6, 8, 16, 19, 4):
            a = ((a - c) & 0xFFFFFFFF) ^ rotated(c, shift)
            c = (c + b) & 0xFFFFFFFF
            a, b, c = b, c, a
        key = key[12:]
    if key:
        key = key.ljust(12, b"\0")
        a, b, c = (
            (x + int.from_bytes(key[k : k + 4], "little")) & 0xFFFFFFFF for x, k in ((a, 0), (b, 4), (c, 8))
        )
        for x, shift in zip("cabcabc", (14, 11, 25, 16, 4, 14, 24), strict=True):
            if x == "c":
                c = ((c ^ b) - rotated(b, shift)) & 0xFFFFFFFF
            elif x == "a":
                a = ((a ^ c) - rotated(c, shift)) & 0xFFFFFFFF
            else:
                b = ((b ^ a) - rotated(a, shift)) & 0xFFFFFFFF
    return c
