"""From a neutral description to the flat arrays of a compiled tree.

The native kernels know five joints whose axis is z of the moving link: revolute, prismatic, screw, ball and
free. Every joint of a description becomes a sequence of these, with massless links between; a weld becomes
none, and its child's mass joins the link that carries it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido.description import Inertia, JointDescription, JointLimits, JointType, RobotDescription
from kido.typing import FloatArray

KINDS = {"revolute": 0, "prismatic": 1, "screw": 2, "ball": 3, "free": 4}
DOFS = (1, 1, 1, 3, 6)

_DOF_SUFFIXES = {
    JointType.UNIVERSAL: ("_1", "_2"),
    JointType.TRANSLATIONAL2D: ("_1", "_2"),
    JointType.BALL: ("_x", "_y", "_z"),
    JointType.TRANSLATIONAL: ("_x", "_y", "_z"),
    JointType.PLANAR: ("_x", "_y", "_rot"),
    JointType.FREE: ("_rot_x", "_rot_y", "_rot_z", "_pos_x", "_pos_y", "_pos_z"),
}


class Primitive(NamedTuple):
    """One native joint: kind, axis in the joint frame, translation along the axis per angle [m/rad]."""

    kind: str
    axis: FloatArray
    pitch: float = 0.0


@dataclass
class CompiledLinks:
    """Rows for the native tree, in depth-first order."""

    integers: list[tuple[int, int]] = field(default_factory=list)
    pitches: list[float] = field(default_factory=list)
    frames: list[FloatArray] = field(default_factory=list)
    masses: list[float] = field(default_factory=list)
    first_moments: list[FloatArray] = field(default_factory=list)
    moments: list[FloatArray] = field(default_factory=list)

    def add(self, parent: int, primitive: Primitive, frame: FloatArray) -> int:
        self.integers.append((parent, KINDS[primitive.kind]))
        self.pitches.append(primitive.pitch)
        self.frames.append(frame)
        self.masses.append(0.0)
        self.first_moments.append(np.zeros(3))
        self.moments.append(np.zeros((3, 3)))
        return len(self.integers) - 1

    def carry(self, link: int, T_link_body: FloatArray, inertia: Inertia) -> None:
        """Add a body's mass to its link, about the link origin."""
        R = T_link_body[:3, :3]
        com = R @ inertia.com + T_link_body[:3, 3]
        parallel = inertia.mass * (com @ com * np.eye(3) - np.outer(com, com))
        self.masses[link] += inertia.mass
        self.first_moments[link] = self.first_moments[link] + inertia.mass * com
        self.moments[link] = self.moments[link] + R @ inertia.moment @ R.T + parallel

    def integer_rows(self) -> NDArray[np.int64]:
        """Rows of parent, kind."""
        return np.asarray(self.integers, dtype=np.int64).reshape(-1, 2)

    def number_rows(self) -> FloatArray:
        """Rows of pitch, frame (3 x 4), mass, first moment, moment (xx xy xz yy yz zz)."""
        upper = np.triu_indices(3)
        rows = [
            [pitch, *frame[:3].ravel(), mass, *first, *moment[upper]]
            for pitch, frame, mass, first, moment in zip(
                self.pitches, self.frames, self.masses, self.first_moments, self.moments, strict=True
            )
        ]
        return np.asarray(rows, dtype=np.float64).reshape(-1, 23)


@dataclass
class Compiled:
    """What a tree is made of: native rows, and the names that go with them."""

    links: CompiledLinks = field(default_factory=CompiledLinks)
    body_names: list[str] = field(default_factory=list)
    body_links: list[int] = field(default_factory=list)
    body_frames: list[FloatArray] = field(default_factory=list)
    body_parents: list[int] = field(default_factory=list)
    joint_names: list[str] = field(default_factory=list)
    joint_types: list[JointType] = field(default_factory=list)
    joint_links: list[tuple[int, int]] = field(default_factory=list)
    joint_limits: list[JointLimits] = field(default_factory=list)
    dof_names: list[str] = field(default_factory=list)

    def body_link_rows(self) -> NDArray[np.int64]:
        """Link of each body."""
        return np.asarray(self.body_links, dtype=np.int64).reshape(-1, 1)

    def body_frame_rows(self) -> FloatArray:
        """Pose of each body in its link (3 x 4)."""
        return np.asarray([frame[:3].ravel() for frame in self.body_frames], dtype=np.float64).reshape(-1, 12)

    def joint_rows(self) -> NDArray[np.int64]:
        """Rows of first link, last link + 1, parent body."""
        rows = [(*links, parent) for links, parent in zip(self.joint_links, self.body_parents, strict=True)]
        return np.asarray(rows, dtype=np.int64).reshape(-1, 3)

    def joint_dof_range(self, joint: int) -> range:
        """Indices of a joint's dofs."""
        counts = [kind.num_dofs for kind in self.joint_types]
        first = sum(counts[:joint])
        return range(first, first + counts[joint])

    def limits(self, quantity: str) -> FloatArray:
        """One limit of all dofs, read-only."""
        values = np.concatenate([np.zeros(0), *(getattr(limits, quantity) for limits in self.joint_limits)])
        values.flags.writeable = False
        return values

    def sampling_box(self) -> tuple[FloatArray, FloatArray]:
        """Finite ranges to draw positions from: the limits, else [-pi, pi] or [-1, 1]."""
        kinds = np.asarray(
            [kind for _, kind in self.links.integers for _ in range(DOFS[kind])], dtype=np.int64
        )
        reach = np.where(np.isin(kinds, (KINDS["prismatic"], KINDS["free"])), 1.0, np.pi)
        lower, upper = self.limits("lower"), self.limits("upper")
        below_upper = np.where(np.isfinite(upper), upper - reach, 0.0)
        above_lower = np.where(np.isfinite(lower), lower + reach, 0.0)
        low = np.where(np.isfinite(lower), lower, np.minimum(-reach, below_upper))
        high = np.where(np.isfinite(upper), upper, np.maximum(reach, above_lower))
        return low, high

    def rotation_dofs(self) -> Iterator[int]:
        """First dof of every rotation vector."""
        dof = 0
        for _, kind in self.links.integers:
            if kind in (KINDS["ball"], KINDS["free"]):
                yield dof
            dof += DOFS[kind]

    def content(self) -> Iterator[bytes]:
        """Everything that makes two trees equal."""
        names = (self.body_names, self.joint_names, self.dof_names)
        yield repr(names).encode()
        yield from (rows.tobytes() for rows in (self.links.integer_rows(), self.links.number_rows()))
        yield from (
            rows.tobytes() for rows in (self.body_link_rows(), self.body_frame_rows(), self.joint_rows())
        )
        yield from (self.limits(quantity).tobytes() for quantity in ("lower", "upper", "velocity", "effort"))


def compile_description(description: RobotDescription) -> Compiled:
    """Flatten a description, bodies and dofs depth first."""
    compiled = Compiled()
    for joint in description.depth_first_joints():
        _add_body(compiled, joint, description.link(joint.child).inertia)
    return compiled


def _add_body(compiled: Compiled, joint: JointDescription, inertia: Inertia | None) -> None:
    parent = -1 if joint.parent is None else compiled.body_names.index(joint.parent)
    link = -1 if parent < 0 else compiled.body_links[parent]
    frame = np.eye(4) if parent < 0 else compiled.body_frames[parent]
    frame = frame @ joint.T_parent_joint
    first = len(compiled.links.integers)
    for primitive in primitives(joint):
        Q = axis_rotation(primitive.axis)
        link = compiled.links.add(link, primitive, frame @ Q)
        frame = Q.T
    frame = frame @ _inverse(joint.T_child_joint)
    compiled.body_names.append(joint.child)
    compiled.body_links.append(link)
    compiled.body_frames.append(frame)
    compiled.body_parents.append(parent)
    compiled.joint_names.append(joint.name)
    compiled.joint_types.append(joint.type)
    compiled.joint_links.append((first, len(compiled.links.integers)))
    compiled.joint_limits.append(joint.limits)
    compiled.dof_names.extend(dof_names(joint))
    if inertia is not None and link >= 0:
        compiled.links.carry(link, frame, inertia)


def primitives(joint: JointDescription) -> list[Primitive]:
    """The native joints that make up a joint, parent to child."""
    axes = joint.axes
    unit = np.eye(3)
    match joint.type:
        case JointType.WELD:
            return []
        case JointType.REVOLUTE | JointType.PRISMATIC:
            return [Primitive(joint.type.value, axes[0])]
        case JointType.SCREW:
            return [Primitive("screw", axes[0], joint.pitch / (2.0 * np.pi))]
        case JointType.UNIVERSAL:
            return [Primitive("revolute", axis) for axis in axes]
        case JointType.EULER:
            return [Primitive("revolute", unit["xyz".index(letter)]) for letter in joint.euler_order]
        case JointType.TRANSLATIONAL:
            return [Primitive("prismatic", axis) for axis in unit]
        case JointType.TRANSLATIONAL2D:
            return [Primitive("prismatic", axis) for axis in axes]
        case JointType.PLANAR:
            normal = np.cross(axes[0], axes[1])
            return [*(Primitive("prismatic", axis) for axis in axes), Primitive("revolute", normal)]
        case JointType.BALL | JointType.FREE:
            return [Primitive(joint.type.value, unit[2])]


def dof_names(joint: JointDescription) -> tuple[str, ...]:
    """Names of a joint's dofs: its own name for one, with DART's suffixes for several."""
    if joint.dof_names is not None:
        return joint.dof_names
    if joint.num_dofs <= 1:
        return (joint.name,) * joint.num_dofs
    if joint.type is JointType.EULER:
        letters = list(joint.euler_order)
        letters[2] += "2" if letters[2] == letters[0] else ""
        return tuple(f"{joint.name}_{letter}" for letter in letters)
    return tuple(joint.name + suffix for suffix in _DOF_SUFFIXES[joint.type])


def axis_rotation(axis: FloatArray) -> FloatArray:
    """A frame (4, 4) whose z is `axis`; axes along x, y, z give exact permutations."""
    largest = int(np.argmax(np.abs(axis)))
    helper = np.eye(3)[(largest + 1) % 3]
    x = helper - axis * (axis @ helper)
    x = x / np.linalg.norm(x)
    frame = np.eye(4)
    frame[:3, 0] = x
    frame[:3, 1] = np.cross(axis, x)
    frame[:3, 2] = axis
    return frame


def _inverse(T: FloatArray) -> FloatArray:
    inverse = np.eye(4)
    inverse[:3, :3] = T[:3, :3].T
    inverse[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return inverse
