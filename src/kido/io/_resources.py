"""Resolution of the file names in a model: package://, model://, dart://, file://, relative and absolute."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from kido.errors import ModelFileError
from kido.io._model_bytes import read_model_bytes
from kido.io._xml import parse_xml
from kido.typing import PathLike

__all__ = ["Packages", "ResourceFinder", "environment_folders"]

Packages: TypeAlias = Mapping[str, PathLike] | Iterable[PathLike] | PathLike | None
"""Folders of packages by name, or folders in which to search packages."""

_CRAWL_DEPTH = 4


class ResourceFinder:
    """Finds the files that one model names.

    Packages are looked up in `packages`, in ROS_PACKAGE_PATH, in AMENT_PREFIX_PATH, then upwards from
    `directory`: a parent of the package's name, a parent whose package.xml has that name, a parent that holds
    a folder of that name. Relative names start at `directory`; None leaves them unfound. dart://sample/ is
    the package "sample", or else the folder DART_DATA_PATH.
    """

    def __init__(self, directory: PathLike | None = None, packages: Packages = None) -> None:
        self._directory = None if directory is None else Path(os.path.abspath(directory))
        self._map: dict[str, Path] = {}
        self._searched: list[Path] = []
        if isinstance(packages, Mapping):
            self._map = {name: Path(folder) for name, folder in packages.items()}
        elif isinstance(packages, str | os.PathLike):
            self._searched = [Path(packages)]
        elif packages is not None:
            self._searched = [Path(folder) for folder in packages]
        self._roots: dict[str, list[Path]] = {}
        self._by_uri: dict[str, Path] = {}

    def find(self, uri: str) -> Path | None:
        """The existing file that `uri` names; None if there is none."""
        found = self._by_uri.get(uri)
        if found is not None:
            return found
        for path in self._all_candidates(uri):
            if os.path.isfile(path):
                self._by_uri[uri] = path
                return path
        return None

    def _all_candidates(self, uri: str) -> Iterator[Path]:
        """Names as they stand, then without the escapes of a URI, as %20."""
        yield from self._candidates(uri)
        if "%" in uri and "://" in uri:
            yield from self._candidates(unquote(uri))

    def package_roots(self, name: str) -> list[Path]:
        """The folders of a package, in the order of search; empty if there is none."""
        if name not in self._roots:
            near = [root for root in self._near_roots(name) if os.path.isdir(root)]
            self._roots[name] = near or list(self._crawled_roots(name))
        return self._roots[name]

    def _candidates(self, uri: str) -> Iterator[Path]:
        scheme, separator, rest = uri.partition("://")
        if not separator:
            yield from self._local(uri)
        elif scheme in ("package", "model", "dart"):
            package, _, inner = rest.partition("/")
            for root in self.package_roots(package):
                yield root / inner
            if (scheme, package) == ("dart", "sample"):
                yield from (folder / inner for folder in environment_folders("DART_DATA_PATH"))
        elif scheme == "file":
            yield from self._local(unquote(rest.removeprefix("localhost")))

    def _local(self, name: str) -> Iterator[Path]:
        if os.path.isabs(name):
            yield Path(name)
        elif self._directory is not None:
            yield self._directory / name

    def _near_roots(self, name: str) -> Iterator[Path]:
        if name in self._map:
            yield self._map[name]
        for folder in [*self._searched, *environment_folders("ROS_PACKAGE_PATH")]:
            yield folder / name
            if _is_package(folder, name):
                yield folder
        for prefix in environment_folders("AMENT_PREFIX_PATH"):
            yield prefix / "share" / name
        if self._directory is not None:
            for parent in (self._directory, *self._directory.parents):
                if _is_package(parent, name):
                    yield parent
                yield parent / name

    def _crawled_roots(self, name: str) -> Iterator[Path]:
        for folder in [*self._searched, *environment_folders("ROS_PACKAGE_PATH")]:
            depth_of_folder = len(folder.parts)
            for place, folders, files in os.walk(folder):
                too_deep = len(Path(place).parts) - depth_of_folder >= _CRAWL_DEPTH
                is_package = "package.xml" in files
                if is_package and _is_package(Path(place), name):
                    yield Path(place)
                kept = [] if too_deep or is_package else sorted(f for f in folders if not f.startswith("."))
                folders[:] = kept


def environment_folders(variable: str) -> list[Path]:
    """The folders that an environment variable lists."""
    return [Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder]


def _is_package(folder: Path, name: str) -> bool:
    return folder.name == name or _manifest_name(folder / "package.xml") == name


def _manifest_name(manifest: Path) -> str | None:
    if not os.path.isfile(manifest):
        return None
    try:
        name = parse_xml(read_model_bytes(manifest), str(manifest)).findtext("name")
    except (ModelFileError, OSError):
        return None
    return None if name is None else name.strip()
