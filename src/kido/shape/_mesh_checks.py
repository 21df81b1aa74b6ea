"""Checks of what a mesh file says of its own size, before a parser believes it."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

__all__ = ["check_mesh_bytes", "plain_mesh_bytes"]

_MOST_PARTS = 100_000
"""Parts of a scene that are drawn, of nodes that stand in it several times."""
_MOST_CORNERS = 10_000
"""Corners of one polygon."""
_MOST_ZEROS = 2**24
"""Numbers of a glTF accessor that has no data."""
_PLY_TEXT = re.compile(rb"^format\s+ascii\b", re.MULTILINE)
_PLY_ELEMENT = re.compile(rb"^element\s+\S+\s+(\S+)", re.MULTILINE)
_LINE = re.compile(rb"^[ \t]*f\b[^\n]*", re.MULTILINE)
_ZERO = re.compile(rb"[ \t]0+(?=[/\s]|$)")
_NEGATIVE = re.compile(rb"^[ \t]*f\b[^\n]*[ \t/]-\d", re.MULTILINE)
_STATEMENT = re.compile(rb"^([ \t]*)(v|vt|vn|f)([ \t][^\n]*)$", re.MULTILINE)
_WORD = re.compile(rb"^[ \t]*(facet|endfacet|vertex)\b", re.MULTILINE | re.IGNORECASE)
_CORNER = re.compile(rb"-\d+")


def check_mesh_bytes(suffix: str, data: bytes) -> None:
    """Raises ValueError for a file that promises more than it has, or that would unfold beyond measure."""
    check = _CHECKS.get(suffix)
    if check is not None:
        check(data)


def _ply(data: bytes) -> None:
    end = data.find(b"end_header")
    if not data.startswith(b"ply") or end < 0:
        raise ValueError("expected a PLY file with a header, got none")
    for count in _PLY_ELEMENT.findall(data[:end]):
        if not count.isdigit() or int(count) > len(data) - end:
            raise ValueError(f"cut off: {count[:20].decode(errors='replace')} elements in {len(data)} bytes")
    if _PLY_TEXT.search(data[:end]):
        _check_rows(data[:end], data[end:].splitlines()[1:])


def _check_rows(header: bytes, rows: list[bytes]) -> None:
    """Refuse a PLY text of fewer lines, or shorter ones, than its header says: parsers leave these out."""
    lines = iter([row.split() for row in rows if row.strip()])
    elements: list[tuple[int, list[bool]]] = []
    for line in map(bytes.split, header.splitlines()):
        if line[:1] == [b"element"]:
            elements.append((int(line[2]), []))
        elif line[:1] == [b"property"] and elements:
            elements[-1][1].append(line[1:2] == [b"list"])
    for count, are_lists in elements:
        for k in range(count):
            row = next(lines, [])
            if not _is_whole(row, are_lists):
                raise ValueError(f"cut off or broken: expected {count} rows, number {k + 1} is too short")


def _is_whole(row: list[bytes], are_lists: list[bool]) -> bool:
    """Whether a row has a number for each property, and for a list as many as it says."""
    at = 0
    for is_list in are_lists:
        if is_list:
            if at >= len(row) or not row[at].isdigit():
                return False
            at += int(row[at])
        at += 1
    return at <= len(row)


def plain_mesh_bytes(suffix: str, data: bytes) -> bytes:
    """The same file in words that every parser takes: a text of STL without a byte order mark, its lines
    ended alike, an OBJ with blanks for tabs, whose faces count from the first point on."""
    if suffix == ".stl":
        return data.removeprefix(codecs.BOM_UTF8).replace(b"\r", b"\n")
    if suffix != ".obj":
        return data
    data = data.replace(b"\t", b" ")
    return _counted_from_first(data) if _NEGATIVE.search(data) else data


def _counted_from_first(data: bytes) -> bytes:
    """Negative indices of an OBJ file count back from where they stand."""
    counts = {b"v": 0, b"vt": 0, b"vn": 0}

    def counted(statement: re.Match[bytes]) -> bytes:
        begin, kind, rest = statement.groups()
        if kind != b"f":
            counts[kind] += 1
            return statement[0]
        corners = [_counted_corner(corner, tuple(counts.values())) for corner in rest.split()]
        return begin + b"f " + b" ".join(corners)

    return _STATEMENT.sub(counted, data)


def _counted_corner(corner: bytes, counts: tuple[int, ...]) -> bytes:
    parts = corner.split(b"/")
    return b"/".join(
        b"%d" % (count + 1 + int(part)) if _CORNER.fullmatch(part) else part
        for part, count in zip(parts, counts, strict=False)
    )


def _stl(data: bytes) -> None:
    counts = Counter(word.lower() for word in _WORD.findall(data.replace(b"\r", b"\n")))
    facets, ends, corners = counts[b"facet"], counts[b"endfacet"], counts[b"vertex"]
    if ends != facets or corners != 3 * facets:
        raise ValueError(f"cut off or broken: {facets} facets, of which {ends} end, have {corners} corners")


def _obj(data: bytes) -> None:
    if any(_ZERO.search(line.group()) for line in _LINE.finditer(data)):
        raise ValueError("expected indices from 1 in its faces, got 0")
    longest = max((line.group().count(b" ") for line in _LINE.finditer(data)), default=0)
    if longest > _MOST_CORNERS:
        raise ValueError(f"expected faces of at most {_MOST_CORNERS} corners, got one of {longest}")


def _dae(data: bytes) -> None:
    if b"\0" in data[:4] or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError("expected a text in UTF-8, got UTF-16 or UTF-32")
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("a document type declaration is refused: entities are not expanded")
    if data.count(b"instance_node"):
        _check_nodes(data)


def _check_nodes(data: bytes) -> None:
    """Refuse nodes that stand in each other, or that would be too many when all of them are drawn."""
    children: dict[str, list[str]] = {}
    around: list[str] = []

    def started(tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "instance_node" and around:
            children[around[-1]].append(attributes.get("url", "").removeprefix("#"))
        if kind == "node":
            name = attributes.get("id") or f"node {len(children)}"
            if around:
                children[around[-1]].append(name)
            children.setdefault(name, [])
            around.append(name)

    def ended(tag: str) -> None:
        if tag.rpartition(":")[2] == "node":
            around.pop()

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = started, ended
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ValueError(f"not well-formed XML: {error}") from None
    _count_parts(children)


def _count_parts(children: dict[str, list[str]]) -> None:
    counts: dict[str, int] = {}
    for start in children:
        stack, open_nodes = [(start, False)], set()
        while stack:
            name, is_done = stack.pop()
            if is_done:
                open_nodes.discard(name)
                counts[name] = 1 + sum(counts.get(child, 1) for child in children.get(name, ()))
                if counts[name] > _MOST_PARTS:
                    raise ValueError(f"expected at most {_MOST_PARTS} nodes, got more when each is drawn")
            elif name in open_nodes:
                raise ValueError(f"nodes stand in each other: {name[:200]!r}")
            elif name not in counts:
                open_nodes.add(name)
                stack.append((name, True))
                stack += [(child, False) for child in children.get(name, ())]


def _glb(data: bytes) -> None:
    length = int.from_bytes(data[8:12], "little")
    size = int.from_bytes(data[12:16], "little")
    if data[:4] != b"glTF" or len(data) < 20 or length > len(data) or 20 + size > len(data):
        raise ValueError(f"cut off: a GLB file of {length} bytes, of which there are {len(data)}")
    _gltf(data[20 : 20 + size])


def _gltf(data: bytes) -> None:
    try:
        tree: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected JSON: {type(error).__name__}") from None
    if not isinstance(tree, dict):
        raise ValueError("expected a JSON object")
    for accessor in _dicts(tree, "accessors"):
        count = accessor.get("count")
        if not isinstance(count, int) or count < 0:
            raise ValueError("accessors: expected a count")
        if "bufferView" not in accessor and count > _MOST_ZEROS:
            raise ValueError(f"accessors: expected data for {count} elements, got none")
    nodes = _dicts(tree, "nodes")
    inner = [node.get("children") or [] for node in nodes]
    if not all(isinstance(each, list) for each in inner):
        raise ValueError("nodes: expected lists of children")
    _count_parts({str(k): [str(child) for child in each] for k, each in enumerate(inner)})


def _dicts(tree: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = tree.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{name}: expected a list of objects")
    return found


_CHECKS: dict[str, Callable[[bytes], None]] = {
    ".stl": _stl,
    ".ply": _ply,
    ".obj": _obj,
    ".dae": _dae,
    ".glb": _glb,
    ".gltf": _gltf,
}
