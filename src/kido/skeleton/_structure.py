"""Structure of a skeleton: its bodies in order, their names, and the numbers that they go by."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kido.errors import EditError, NameTakenError
from kido.frame import Frame
from kido.skeleton._answers._answers import Answers
from kido.skeleton._data import PARENT, SkeletonData, gather
from kido.skeleton._mimic import JointMimic, find_followers
from kido.skeleton._names import candidates, first_free
from kido.skeleton._signal import raise_first
from kido.values import checked_name

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode
    from kido.skeleton._joints._joint import Joint
    from kido.skeleton._nodes._node import Node
    from kido.skeleton._skeleton import Skeleton

__all__ = ["Structure", "depth_first"]


def depth_first(roots: Iterable[BodyNode]) -> Iterator[BodyNode]:
    """Bodies with all that they carry, parents before children, each subtree in one piece."""
    stack = list(roots)[::-1]
    while stack:
        body = stack.pop()
        yield body
        stack.extend(reversed(body._bodies))


class Structure:
    """Bodies of a skeleton, depth first, with the names and indices of bodies, joints and dofs.

    Attributes:
        bodies, roots: all bodies, and those whose joints are attached to the world.
        body_index, joint_index: bodies and joints by name.
        renames: parts whose names edits changed, with old and new name, until that is announced.
    """

    __slots__ = (
        "_answers",
        "_dof_index",
        "_skeleton",
        "bodies",
        "body_index",
        "joint_index",
        "renames",
        "roots",
    )

    def __init__(self, skeleton: Skeleton, answers: Answers) -> None:
        self._skeleton = skeleton
        self._answers = answers
        self._dof_index: dict[str, Joint] | None = None
        self.bodies: tuple[BodyNode, ...] = ()
        self.roots: tuple[BodyNode, ...] = ()
        self.body_index: dict[str, BodyNode] = {}
        self.joint_index: dict[str, Joint] = {}
        self.renames: list[tuple[BodyNode | Joint | Node, str, str]] = []

    @property
    def dof_index(self) -> dict[str, Joint]:
        """The joint of each dof, by the dof's name."""
        index = self._dof_index
        if index is None:
            bodies = self.bodies
            index = {name: body._joint for body in bodies for name in body._joint.dof_names}
            self._dof_index = index if self.bodies is bodies else None  # None after an edit by another thread
        return index

    # ---- coming and going

    @contextmanager
    def edited(self) -> Iterator[None]:
        """Lasts as long as an edit, during which nothing is compiled. Raises EditError during another one."""
        answers = self._answers
        if answers.edits & 1:
            raise EditError(
                f"{self._skeleton.name!r} is being edited by another thread: "
                "keep other threads away while a skeleton is edited"
            )
        answers.edits += 1
        try:
            yield
        finally:
            answers.edits += 1

    def adopt(self, bodies: Iterable[BodyNode]) -> None:
        """Take bodies in; names that are taken are changed."""
        came = tuple(bodies)
        joint_names: dict[str, str] = {}
        for body in came:
            body._skeleton = self._skeleton
            body._name = self._free_name(body, body._name, self.body_index)
            self.body_index[body._name] = body
            old = body._joint.name
            self.name_joint(body._joint)
            joint_names[old] = body._joint.name
        for body in came:
            body._joint._follow_mimic(joint_names)
        self._free_node_names([node for body in came for node in body._nodes])

    def disown(self, bodies: Iterable[BodyNode]) -> None:
        """Let bodies go."""
        gone = set(map(id, bodies))
        self.body_index = {name: body for name, body in self.body_index.items() if id(body) not in gone}
        self.joint_index = {
            name: joint for name, joint in self.joint_index.items() if id(joint._body) not in gone
        }
        for body in bodies:
            body._skeleton = None
            body._follow(None, -1)
        self.bodies = tuple(body for body in self.bodies if id(body) not in gone)
        self._dof_index = None

    def take_over(self, bodies: list[BodyNode], data: SkeletonData) -> None:
        """Be a copy of another structure, made of bodies that were copied from it one by one."""
        self.bodies = tuple(bodies)
        self._answers.data = data
        self.roots = tuple([body for body in bodies if body._parent_body is None])
        self.body_index = {body._name: body for body in bodies}
        self.joint_index = {body._joint.name: body._joint for body in bodies}

    # ---- numbers

    def insert(self, body: BodyNode, index: int) -> None:
        """Number a body that was just made, and those that stand behind it from now on."""
        joint = body._joint
        rest = self.bodies[index:]
        data = self._answers.data
        first = rest[0]._joint._first if rest else data.num_dofs
        self.drop_numbering()
        data.insert(index, first, joint._home())
        self.bodies = (*self.bodies[:index], body, *rest)
        self._place((body, *rest), index, first)
        self.drop_numbering()  # again: another thread may have asked meanwhile

    def renumber(self) -> None:
        """Number bodies and dofs anew, and gather their numbers in that order."""
        self.drop_numbering()
        bodies = tuple(depth_first(self.roots))
        self._answers.data = gather([body._joint._slot() for body in bodies])
        self.bodies = bodies
        self._place(bodies, 0, 0)
        self.drop_numbering()  # again: another thread may have asked meanwhile

    def drop_numbering(self) -> None:
        """Bodies or dofs get other numbers; names stay."""
        dofs = self._dof_index
        self._skeleton._mimics.forget()
        self.drop()
        self._dof_index = dofs

    def drop(self) -> None:
        """Forget what was compiled, where structure, names or constants changed."""
        self._dof_index = None
        was_compiled = self._answers.tree is not None
        self._answers.drop()
        if not was_compiled:
            return
        for body in self.bodies:
            body._follow(None, -1)

    def _place(self, bodies: tuple[BodyNode, ...], index: int, first: int) -> None:
        """Tell bodies where they stand: one after the other from an index and a dof on."""
        data = self._answers.data
        for row, body in enumerate(bodies, index):
            joint = body._joint
            body._index = row
            joint._data, joint._row, joint._first = data, row, first
            first += joint.num_dofs
        parents = [-1 if body._parent_body is None else body._parent_body._index for body in bodies]
        data.write_codes(slice(index, index + len(bodies)), PARENT, parents)

    # ---- names

    def name_joint(self, joint: Joint) -> None:
        """A joint comes in; its names that are taken are changed."""
        dofs = self.dof_index
        joint._name = self._free_name(joint, joint.name, self.joint_index)
        self.joint_index[joint._name] = joint
        names = joint.dof_names
        if any(name in dofs for name in names):
            names = joint._dof_names = _all_free(names, dofs)
        dofs.update(dict.fromkeys(names, joint))

    def forget_joint(self, joint: Joint) -> None:
        """A joint goes; its names are free."""
        dofs = self.dof_index
        del self.joint_index[joint.name]
        for name in joint.dof_names:
            del dofs[name]

    def node_names(self, kind: type[Node]) -> set[str]:
        """Names of the nodes of exactly this type."""
        return {node.name for body in self.bodies for node in body._nodes if type(node) is kind}

    def frames_named(self, name: str) -> tuple[Frame, ...]:
        """The body of a name; where there is none, the nodes of that name that are frames."""
        if name in self.body_index:
            return (self.body_index[name],)
        return tuple(node for node in self._frame_nodes() if node.name == name)

    def frame_names(self) -> Iterator[str]:
        """Names of all bodies, then of all nodes that are frames."""
        yield from self.body_index
        yield from (node.name for node in self._frame_nodes())

    def _frame_nodes(self) -> Iterator[Frame]:
        return (node for body in self.bodies for node in body._nodes if isinstance(node, Frame))

    def refuse_new(self, name: str, joint: Joint) -> None:
        """Raises NameTakenError where a body of this name, or its joint, cannot come in."""
        if name in self.body_index:
            raise NameTakenError("body", name, self._skeleton.name)
        joint_name = joint._name_on(name)
        if joint_name in self.joint_index:
            raise NameTakenError("joint", joint_name, self._skeleton.name)
        self.refuse_taken_dof_names(joint, joint._dof_names_under(joint_name))

    def refuse_taken_dof_names(self, joint: Joint, names: Iterable[str]) -> None:
        """Raises NameTakenError where dofs of another joint have one of the names."""
        dofs = self.dof_index
        for name in names:
            if name in dofs and dofs[name] is not joint:
                raise NameTakenError("dof", name, self._skeleton.name)

    def refuse_mimics(self, coming: Iterable[JointMimic], leaving: Container[str] = ()) -> None:
        """Raises EditError where joints could not follow each other once some come and some leave."""
        if not self._skeleton._mimics.enforced:
            return
        after = {name: joint._as_mimic() for name, joint in self.joint_index.items() if name not in leaving}
        came = list(coming)
        names: dict[str, str] = {}
        for part in came:
            names[part.name] = first_free(part.name, after)
            after[names[part.name]] = part
        for part in came:
            after[names[part.name]] = part.renamed(names)
        find_followers(after.values())

    def rename_body(self, body: BodyNode, name: str) -> None:
        """Give a body another name. Raises NameTakenError, TypeError or ValueError."""
        if checked_name("name", name) == body._name:
            return
        if name in self.body_index:
            raise NameTakenError("body", name, self._skeleton.name)
        old, body._name = body._name, name
        self.body_index = {b._name: b for b in self.bodies}
        self.drop()
        self._skeleton._name_changed.emit(body, old, name)

    def rename_joint(self, joint: Joint, name: str) -> None:
        """Give a joint another name; dof names that follow it change too. Raises as rename_body."""
        if checked_name("name", name) == joint._name:
            return
        if name in self.joint_index:
            raise NameTakenError("joint", name, self._skeleton.name)
        self.refuse_taken_dof_names(joint, joint._dof_names_under(name))
        self._refuse_renamed_mimics(joint.name, name)
        old, joint._name = joint.name, name
        self.joint_index = {b._joint.name: b._joint for b in self.bodies}
        for body in self.bodies:
            body._joint._follow_mimic({old: name})
        self.drop()
        self._skeleton._mimics.changed()
        self._skeleton._name_changed.emit(joint, old, name)

    def _refuse_renamed_mimics(self, old: str, name: str) -> None:
        if self._skeleton._mimics.enforced:
            find_followers(joint._as_mimic().renamed({old: name}) for joint in self.joint_index.values())

    def announce(self, *others: Structure) -> None:
        """Tell what an edit changed here and in others, once all of it is done.

        Raises what the first listener raised, once all are told.
        """
        raise_first([error for structure in (self, *others) for error in structure._tell()])

    def _tell(self) -> list[Exception]:
        self._skeleton._mimics.changed()
        renames, self.renames = self.renames, []
        errors = []
        for part, old, new in renames:
            errors += self._skeleton._name_changed.tell(part, old, new)
        return errors + self._skeleton._structure_changed.tell(self._skeleton)

    def _free_name(self, part: BodyNode | Joint | Node, name: str, taken: Container[str]) -> str:
        free = first_free(name, taken)
        if free != name:
            self.renames.append((part, name, free))
        return free

    def _free_node_names(self, nodes: list[Node]) -> None:
        """Nodes come in."""
        taken = {kind: self.node_names(kind) for kind in {type(node): None for node in nodes}}
        for node in nodes:
            node._node_name = self._free_name(node, node._node_name, taken[type(node)])
            taken[type(node)].add(node._node_name)


def _all_free(names: Iterable[str], taken: Container[str]) -> tuple[str, ...]:
    """Each name itself or with a number, different from all that are taken and from each other."""
    free: dict[str, None] = {}
    for name in names:
        free[next(other for other in candidates(name) if other not in taken and other not in free)] = None
    return tuple(free)
