"""Elements of a section beside the world, which refer to parts of bodies by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from kido.io._mjcf._context import Context
from kido.io._mjcf._node import Node
from kido.io._xml import shown, tag_of

__all__ = ["Copies", "SectionNames", "section_nodes"]

Copies = Mapping[str, Sequence[str]]
"""Ends that names have got by which elements were copied, in the order of the copies."""

_MOST_COPIES = 100_000


def section_nodes(
    contexts: Sequence[Context], section: str, kind_of: Callable[[str], str | None], copies: Copies
) -> Iterator[tuple[Node, Context]]:
    """Elements of a section of all models, with the defaults of the kind that `kind_of` has for their tags.

    What refers to a part that was copied is copied as well, and comes after the others, copy by copy. Raises
    ModelFileError.
    """
    copied: dict[str, list[tuple[Node, Context]]] = {}
    total = 0
    for context in contexts:
        for parent in context.root.iterfind(section):
            for element in parent:
                kind = kind_of(tag_of(element))
                if kind is None:
                    continue
                node = context.node(element, kind)
                ends = _ends(node, context.prefix, copies)
                total += len(ends)
                if total > _MOST_COPIES:
                    raise node.error(f"expected at most {_MOST_COPIES} copies in this section, got more")
                for end in ends:
                    copied.setdefault(end, []).append((replace(node, suffix=end), context))
                if not ends:
                    yield node, context
    for nodes in copied.values():
        yield from nodes


def _ends(node: Node, prefix: str, copies: Copies) -> Sequence[str]:
    if not copies:
        return ()
    named = (copies.get(prefix + text) for attribute, (text, _) in node.values.items() if attribute != "name")
    return next((ends for ends in named if ends is not None), ())


class SectionNames:
    """Names of the elements of a section: as the file has them, or by tag and number."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._taken: set[str] = set()

    def take(self, node: Node, context: Context) -> str:
        """The name of an element; raises ModelFileError if another one has it."""
        given = node.element.get("name")
        if given:
            name = context.prefix + given + node.suffix
            if name in self._taken:
                raise node.error(f"name: two {self._kind} are named {shown(name)}", "name")
        else:
            tag = node.tag
            names = (f"{tag}{len(self._taken)}" + (f"_{k}" if k else "") for k in count())
            name = next(free for free in names if free not in self._taken)
        self._taken.add(name)
        return name
