"""Names of skeletons and of joints, which the format does not keep apart and kido does."""

from __future__ import annotations

from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element, tag_of

__all__ = ["UniqueNames"]


class UniqueNames:
    """Names of elements of one kind, made unique as DART makes them: "arm", "arm(1)", "arm(2)"."""

    def __init__(self, file: TrackedXml) -> None:
        self._file = file
        self._taken: dict[str, int] = {}

    def of(self, element: Element) -> str:
        """The name of an element; with a diagnostic where it has none, or one that is taken."""
        given = self._file.attribute(element, "name") or ""
        name = self.free(given or tag_of(element))
        if not given:
            self._file.note(element, "name", f"name: missing, taken as {name!r}")
        elif name != given:
            self._file.note(element, "name", f"name: taken before, becomes {name!r}")
        return name

    def free(self, name: str) -> str:
        """This name if it is free, else with a number; taken from now on."""
        number = self._taken.get(name)
        if number is None:
            self._taken[name] = 0
            return name
        while (numbered := f"{name}({number + 1})") in self._taken:
            number += 1
        self._taken[name] = number + 1
        self._taken[numbered] = 0
        return numbered
