"""From the source of an IKFast solver to a shared library."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kido.errors import LibraryError

__all__ = ["build_library", "is_source", "library_of_source"]

_COMPILERS = ("c++", "g++", "clang++")
_AS_LIBRARY = ("-shared", "-fPIC", "-O2", "-DIKFAST_CLIBRARY", "-DIKFAST_NO_MAIN")
_SOURCE_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".cp", ".c")
_SHOWN_LINES = 40
_HEADER = "ikfast.h"
_DIGITS = 16
"""Digits of the name of a library that tell its content."""
_HOW = (
    "IKFastLibrary.compile(source, output=..., include=..., options=...) compiles it to another place, with "
    'the folder of ikfast.h, and with options such as "-llapack"'
)


def is_source(file: Path) -> bool:
    """Whether a file is C++ source by its name, rather than a library."""
    return file.suffix.lower() in _SOURCE_SUFFIXES


def library_of_source(source: Path) -> Path:
    """The library of a source, beside it and named for what is in it, compiled where it is not there yet.

    The name tells source, header, compiler and machine apart: so what is there is what would be compiled, and
    no other file is ever replaced.

    Raises FileNotFoundError for no such source, LibraryError where it cannot be compiled, saying how it can.
    """
    _check_files(source, source.with_suffix(".so"))
    compiler = _compiler(source)
    header = source.with_name(_HEADER)
    content = hashlib.sha256(source.read_bytes())
    content.update(header.read_bytes() if header.is_file() else b"")
    content.update(repr((compiler, platform.system(), platform.machine())).encode())
    library = source.with_name(f"{source.stem}-{content.hexdigest()[:_DIGITS]}.so")
    if not library.is_file():
        try:
            build_library(source, library, None, ())
        except OSError as error:
            raise LibraryError(
                source, f"no library can be written beside it: {error.strerror}; {_HOW}"
            ) from error
        except LibraryError as error:
            raise LibraryError(source, f"not compiled; {_HOW}\n{error.message}") from None
    return library


def build_library(source: Path, output: Path, include: Path | None, options: Sequence[str]) -> None:
    """Compile `source` to `output`. The file appears at once and complete, so that an older one that is in
    use stays what it is.

    Raises FileNotFoundError for no such source, ValueError where it would be overwritten, LibraryError where
    it is no C++ file, there is no compiler, or it fails.
    """
    _check_files(source, output)
    headers = () if include is None else (f"-I{include}",)
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        built = Path(folder) / output.name
        _run(source, [*_compiler(source), *_AS_LIBRARY, *headers, "-o", str(built), str(source), *options])
        os.replace(built, output)


def _check_files(source: Path, output: Path) -> None:
    if not source.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(source))
    if not is_source(source):
        suffixes = ", ".join(_SOURCE_SUFFIXES)
        raise LibraryError(source, f"expected C++ source ({suffixes}) to compile, got another file")
    if output.exists() and output.samefile(source):
        raise ValueError(f"output: expected another file than the source, got {str(output)!r}")


def _compiler(source: Path) -> list[str]:
    chosen = os.environ.get("CXX")
    if chosen:
        return shlex.split(chosen)
    found = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if found is None:
        tried = ", ".join(_COMPILERS)
        raise LibraryError(source, f"no C++ compiler found; install one of {tried}, or name one in CXX")
    return [found]


def _run(source: Path, command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise LibraryError(source, f"the compiler {command[0]!r} cannot be run: {error.strerror}") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        more = [f"... {len(lines) - _SHOWN_LINES} more lines"] if len(lines) > _SHOWN_LINES else []
        said = "\n".join(lines[:_SHOWN_LINES] + more)
        raise LibraryError(source, f"{command[0]} failed with exit status {done.returncode}\n{said}")
