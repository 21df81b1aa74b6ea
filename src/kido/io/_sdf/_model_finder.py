"""Files that an SDFormat file names: meshes, textures and models, where simulators look for them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

from kido.io._resources import Packages, ResourceFinder, environment_folders
from kido.io._sdf._file import SdfFile
from kido.io._xml import Element, shown
from kido.typing import PathLike

__all__ = ["ModelFinder"]

_VARIABLES = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH")


class ModelFinder(ResourceFinder):
    """Finds the files and folders that a file and its includes name.

    Models are looked up in `packages`, in the folders of SDF_PATH, GZ_SIM_RESOURCE_PATH,
    IGN_GAZEBO_RESOURCE_PATH and GAZEBO_MODEL_PATH, then as packages of ROS. What `model://name/` or
    `package://name/` name lies in that folder; `roots` are the folders outside of which nothing is opened.
    """

    def __init__(
        self, directory: PathLike | None, packages: Packages, roots: Iterable[PathLike] | PathLike | None
    ) -> None:
        super().__init__(directory, packages)
        folders = [roots] if isinstance(roots, str | os.PathLike) else roots
        self._allowed = None if folders is None else [os.path.realpath(folder) for folder in folders]
        self._found: dict[tuple[str, Path | None], Path | None] = {}

    def beside(self, folder: Path) -> ResourceFinder:
        """Finds what a file of another format in a folder names, in the same packages."""
        return ResourceFinder(folder, self._map or self._searched)

    def locate(self, file: SdfFile, element: Element, uri: str) -> Path | None:
        """The file or folder that an element names; None if there is none.

        Raises ModelFileError where it lies outside of the roots.
        """
        key = uri, file.folder
        if key not in self._found:
            places = chain(self._places(uri, file.folder), self._unquoted_places(uri, file.folder))
            self._found[key] = next(filter(os.path.exists, places), None)
        path = self._found[key]
        return None if path is None else self._checked(file, element, path, uri)

    def locate_in(self, file: SdfFile, element: Element, folder: Path, name: str) -> Path | None:
        """The file of this name in a folder, and not outside of it; None if there is none."""
        path = os.path.normpath(folder / name)
        if not _is_below(path, os.path.normpath(folder)) or not os.path.isfile(path):
            return None
        return self._checked(file, element, Path(path), name)

    def locate_file(self, file: SdfFile, element: Element, uri: str) -> Path | None:
        """The file that an element names; None if there is none."""
        path = self.locate(file, element, uri)
        return path if path is not None and os.path.isfile(path) else None

    def _checked(self, file: SdfFile, element: Element, path: Path, uri: str) -> Path:
        if not self._is_allowed(path):
            raise file.error(element, f"expected a file below one of the roots, got {shown(uri)}")
        return path

    def _is_allowed(self, path: Path) -> bool:
        return self._allowed is None or any(_is_below(os.path.realpath(path), root) for root in self._allowed)

    def _unquoted_places(self, uri: str, folder: Path | None) -> Iterator[Path]:
        """Those without the escapes of a URI, as %20."""
        if "%" in uri and "://" in uri:
            yield from self._places(unquote(uri), folder)

    def _places(self, uri: str, folder: Path | None) -> Iterator[Path]:
        scheme, separator, rest = uri.partition("://")
        if separator and scheme in ("model", "package"):
            name, _, inner = rest.partition("/")
            if name and name not in (".", ".."):
                for root in self.package_roots(name):
                    place = os.path.normpath(root / inner)
                    if _is_below(place, os.path.normpath(root)):
                        yield Path(place)
        elif not separator or scheme == "file":
            name = unquote(rest.removeprefix("localhost")) if separator else uri
            if name and os.path.isabs(name):
                yield Path(name)
            elif name:
                folders = [] if folder is None else [folder]
                for start in (*folders, *self._searched, *_model_folders()):
                    yield Path(os.path.normpath(start / name))

    def _near_roots(self, name: str) -> Iterator[Path]:
        if name in self._map:
            yield self._map[name]
        for folder in (*self._searched, *_model_folders()):
            yield folder / name
            if folder.name == name:
                yield folder
        yield from super()._near_roots(name)


def _model_folders() -> list[Path]:
    return [folder for variable in _VARIABLES for folder in environment_folders(variable)]


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
