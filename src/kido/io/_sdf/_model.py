"""The <model> element: a scope of links, joints, frames and models, with what it includes."""

from __future__ import annotations

from dataclasses import dataclass

from kido.io._sdf._file import SdfFile, content
from kido.io._sdf._library import Library
from kido.io._sdf._pose import inverse, read_pose
from kido.io._sdf._scope import MAX_NESTING, WORLD, Frame, Item, Scope
from kido.io._xml import Element, shown
from kido.typing import FloatArray

__all__ = ["PlacedModel", "ScopeReader"]

_MODEL_TAGS = ("pose", "static", "self_collide", "link", "joint", "frame", "model", "include")
_MODEL_ATTRIBUTES = ("name", "canonical_link", "placement_frame")
_INCLUDE_TAGS = ("uri", "name", "pose", "static", "placement_frame")
_FRAME_KINDS: tuple[str, ...] = ("link", "joint", "frame")


@dataclass(eq=False, slots=True)
class PlacedModel:
    """A model as a scope, and the pose of its frame in `relative_to`, a frame of the scope around it."""

    scope: Scope
    T: FloatArray | None
    relative_to: str
    item: Item


class ScopeReader:
    """Reads models, and what they include, as scopes."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def model(
        self, file: SdfFile, element: Element, depth: int = 0, around: Item | None = None
    ) -> PlacedModel:
        """The model of a <model> element; `around` is the <include> that names it.

        Raises ModelFileError.
        """
        if depth >= MAX_NESTING:
            raise file.error(element, f"expected at most {MAX_NESTING} models inside of each other")
        include = None if around is None else around.element
        item = Item(file, element)
        static = file.child_flag(element, "static")
        name = file.text(element, "name")
        if around is not None and include is not None:
            name = content(include.find("name")) or name
            static = around.file.child_flag(include, "static", static)
        scope = Scope(name, item, static=static, canonical_link=element.get("canonical_link") or "")
        file.ignore_rest(element, _MODEL_TAGS, _MODEL_ATTRIBUTES)
        self.fill(scope, element, depth)
        if not scope.knows(scope.canonical_link):
            raise item.error(f"canonical_link: {scope.unknown(scope.canonical_link)}")
        return self._placed(scope, item, around)

    def fill(self, scope: Scope, element: Element, depth: int = 0) -> None:
        """Put links, joints, frames, models and includes of an element into its scope."""
        file = scope.item.file
        kinds = _FRAME_KINDS
        if scope.is_world:
            kinds = () if element.tag == "sdf" else _FRAME_KINDS[1:]
        for child in element:
            if child.tag in kinds:
                self._add(scope, Item(file, child))
            elif child.tag == "model":
                own = file.for_robot() if scope.is_world else file
                self.add_model(scope, self.model(own, child, depth + 1))
            elif child.tag == "include":
                self._include(scope, Item(file, child), depth)
        if file.version < (1, 7):
            _forget_unknown_frames(scope)

    def add_model(self, scope: Scope, placed: PlacedModel) -> None:
        """Put a model into a scope."""
        name = placed.scope.name
        scope.add(Frame(name, "model", placed.item, placed.T, placed.relative_to))
        scope.children.setdefault(name, placed.scope)

    def _add(self, scope: Scope, item: Item) -> None:
        file, element, _ = item
        kind = str(element.tag)
        name = file.text(element, "name")
        T, relative_to = read_pose(file, element)
        attached_to = ""
        if kind == "joint":
            attached_to = file.child_text(element, "child")
            attached_to = "" if attached_to == WORLD and not scope.is_world else attached_to
        elif kind == "frame":
            attached_to = element.get("attached_to") or ""
            file.ignore_rest(element, ("pose",), ("name", "attached_to"))
        relative_to = item.frame_name(relative_to or attached_to)
        scope.add(Frame(name, kind, item, T, relative_to, item.frame_name(attached_to)))

    def _placed(self, scope: Scope, item: Item, around: Item | None) -> PlacedModel:
        """The model at its pose; that of the <include>, where it has one, comes before the model's own."""
        placement = item.element.get("placement_frame") or ""
        at, T, relative_to = item, *read_pose(item.file, item.element)
        if around is not None:
            include = around.element
            placement = content(include.find("placement_frame")) or placement
            if include.find("pose") is not None:
                at, T, relative_to = around, *read_pose(around.file, include)
            elif content(include.find("placement_frame")):
                raise around.error("placement_frame: expected a <pose> beside it, got none")
        if placement:
            T_model_placement = inverse(scope.pose(placement, item))
            T = T_model_placement if T is None else T @ T_model_placement
        return PlacedModel(scope, T, at.frame_name(relative_to), at)

    def _include(self, scope: Scope, item: Item, depth: int) -> None:
        file, element, _ = item
        file.ignore_rest(element, _INCLUDE_TAGS, ("merge",))
        if depth + 1 >= MAX_NESTING:
            raise file.error(element, f"expected at most {MAX_NESTING} includes inside of each other")
        uri = file.child_text(element, "uri")
        document = self._library.include(file, element, uri)
        if document is None:
            file.note(element, "include", f"left out: model not found: {shown(uri)}")
            return
        models = document.root.findall("model")
        inner = self._library.open(document, file.for_robot() if scope.is_world and models else file)
        inner.ignore_rest(document.root, ("model",), ("version",))
        if not models:
            if scope.is_world and any(document.root.find(tag) is not None for tag in ("light", "actor")):
                return
            raise file.error(element, f"expected a file with a <model>, got none: {shown(uri)}")
        for extra in models[1:]:
            inner.ignore(extra, "only the first model of an included file is read")
        placed = self.model(inner, models[0], depth + 1, item)
        if file.flag_attribute(element, "merge"):
            self._merge(scope, placed, item)
        else:
            self.add_model(scope, placed)

    def _merge(self, scope: Scope, placed: PlacedModel, around: Item) -> None:
        """Put what a model holds into the scope itself; a frame stands where the model's own was."""
        inner = placed.scope
        if scope.is_world and inner.links:
            raise around.error("merge: expected a model without links, which a world cannot have")
        if inner.static:
            placed.item.file.note(placed.item.element, "ignored", "static: ignored in a model that is merged")
        proxy = f"_merged__{inner.name}__model_frame__"
        canonical = inner.canonical_link or next((link.name for link in inner.links), "")
        canonical = canonical or next(iter(inner.children), "")
        scope.add(Frame(proxy, "proxy", placed.item, placed.T, placed.relative_to, canonical))
        for frame in _own_frames(inner):
            frame.relative_to = frame.relative_to or proxy
            if frame.kind in ("frame", "proxy", "joint"):
                frame.attached_to = frame.attached_to or proxy
            frame.item = frame.item if frame.item.origin else frame.item._replace(origin=proxy)
            frame.T_scope, frame.visited = None, False
            scope.add(frame)
        scope.children.update(inner.children)


def _forget_unknown_frames(scope: Scope) -> None:
    """Before version 1.7 the frame of a pose had no meaning, so that files may name any."""
    for frame in _own_frames(scope):
        if frame.relative_to != frame.attached_to and not scope.knows(frame.relative_to):
            item = frame.item
            item.file.note(item.element, "ignored", f"pose: frame: ignored: {shown(frame.relative_to)}")
            frame.relative_to = frame.attached_to


def _own_frames(scope: Scope) -> list[Frame]:
    """The frames of a scope in the order of the file, with joints that share the name of a link."""
    named = list(scope.frames.values())
    return [*named, *(joint for joint in scope.joints if scope.frames.get(joint.name) is not joint)]
