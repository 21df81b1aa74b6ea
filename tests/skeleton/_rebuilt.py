"""A skeleton built anew from what another one says of itself, and all that a skeleton answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from _own_extensions import Luggage, Thermometer

import kido
from kido.errors import KidoError, UnknownNameError
from kido.skeleton import EndEffector, JointOptions, Marker, Support, UserJoint
from kido.skeleton import Skeleton as KidoSkeleton

STATES = ("positions", "velocities", "accelerations", "forces", "commands")
"""Numbers of dofs that change in time; forces before commands, which follow them."""

PROPERTIES = tuple(
    name
    for name in JointOptions.__annotations__
    if name
    not in (*STATES, "T_parent_joint", "T_child_joint", "actuator", "limits_enforced", "mimic", "dof_names")
)
"""Constants of dofs."""

OPTIONS = (
    "T_parent_joint",
    "T_child_joint",
    *PROPERTIES,
    "actuator",
    "limits_enforced",
    "mimic",
    "dof_names",
)
"""Options of joints, in an order in which they can be given."""


def fresh_joint(joint: kido.Joint) -> kido.Joint:
    """A joint of the same class, made by its constructor with the same properties."""
    options: dict[str, Any] = {
        name: getattr(joint, name) for name in OPTIONS if joint.num_dofs or not name.endswith("dof_names")
    }
    own: dict[str, Any] = {}
    for name in ("axis", "pitch", "axis1", "axis2", "order"):
        if hasattr(joint, name):
            own[name] = getattr(joint, name)
    if isinstance(joint, kido.PlanarJoint | kido.TranslationalJoint2D):
        own = {"plane": np.stack([joint.axis1, joint.axis2])}
    if isinstance(joint, UserJoint):
        own = {"properties": joint.properties}
    return type(joint)(joint.name, **own, **options)


def rebuilt(skeleton: KidoSkeleton) -> KidoSkeleton:
    """Built body by body through the public interface, with the same properties and numbers."""
    fresh = kido.Skeleton(skeleton.name, gravity=skeleton.gravity, time_step=skeleton.time_step)
    for body in skeleton.bodies:
        parent = None if body.parent_body is None else fresh.body(body.parent_body.name)
        inertia = None if body.inertia.is_massless else body.inertia
        copy = fresh.add_body(body.name, parent, fresh_joint(body.parent_joint), inertia=inertia)
        copy.gravity_mode = body.gravity_mode
        copy.collidable = body.collidable
        copy.external_wrench = body.external_wrench
        for node in body.nodes():
            _rebuild_node(node, copy)
        for owner, new in ((body, copy), (body.parent_joint, copy.parent_joint)):
            luggage = owner.addon(Luggage)
            if luggage is not None:
                new.create_addon(Luggage, luggage.properties.label, luggage.state.weight)
    for name in STATES:
        setattr(fresh, name, getattr(skeleton, name))
    fresh.constraint_impulses = skeleton.constraint_impulses
    return fresh


def _rebuild_node(node: kido.Node, body: kido.BodyNode) -> None:
    match node:
        case EndEffector():
            effector = body.add_end_effector(node.name, node.relative_transform)
            if node.support is not None:
                effector.create_addon(Support, node.support.geometry, node.support.active)
        case Marker():
            Marker(body, node.name, node.relative_transform, rgba=node.rgba, constraint=node.constraint)
        case Thermometer():
            Thermometer(body, node.name, node.properties, node.state)


Answers = dict[str, Any]


def answers(skeleton: KidoSkeleton) -> Answers:
    """Everything that a skeleton answers, by what was asked."""
    found: Answers = {}
    for name, ask in questions(skeleton):
        found[name] = answer(ask)
    return found


def answer(ask: Callable[[], Any]) -> Any:
    """An answer, or the error and its text."""
    try:
        return ask()
    except KidoError as error:
        return f"{type(error).__name__}: {error}"


def questions(skeleton: KidoSkeleton) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Everything that a skeleton can be asked: what, and how."""
    yield from _structure(skeleton)
    yield from _whole(skeleton)
    bodies = skeleton.bodies
    for body in bodies:
        for name, ask in _of_body(body, bodies[-1]):
            yield f"{body.name}: {name}", ask
        for node in body.nodes():
            for name, ask in _of_node(node):
                yield f"{type(node).__name__} {node.name}: {name}", ask
    for joint in skeleton.joints:
        for name in (
            "relative_transform",
            "relative_jacobian",
            "relative_jacobian_time_derivative",
            "relative_spatial_velocity",
            "relative_spatial_acceleration",
        ):
            yield f"{joint.name}: {name}", lambda joint=joint, name=name: getattr(joint, name)


def _structure(skeleton: KidoSkeleton) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name in (*STATES, *PROPERTIES, "constraint_impulses", "gravity", "time_step", "name", "num_trees"):
        yield name, lambda name=name: getattr(skeleton, name)
    yield "dof names", lambda: [dof.name for dof in skeleton.dofs]
    yield "tree", lambda: hash(skeleton.tree)
    for joint in skeleton.joints:
        for name in (*STATES, *OPTIONS):
            yield f"{joint.name}: {name}", lambda joint=joint, name=name: getattr(joint, name)
        yield f"{joint.name}: luggage", lambda joint=joint: _luggage(joint)


def _luggage(owner: Any) -> Any:
    found = owner.addon(Luggage)
    return None if found is None else (found.owner is owner, found.properties, found.state)


def _whole(skeleton: KidoSkeleton) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name in (
        "mass_matrix",
        "inverse_mass_matrix",
        "augmented_mass_matrix",
        "inverse_augmented_mass_matrix",
        "coriolis_and_gravity_forces",
        "coriolis_forces",
        "gravity_forces",
        "external_forces",
        "constraint_forces",
        "spring_forces",
        "damping_forces",
        "kinetic_energy",
        "potential_energy",
        "transmitted_wrenches",
        "support_polygon",
        "mass",
    ):
        yield name, lambda name=name: getattr(skeleton, name)
    for name in (
        "com",
        "com_linear_velocity",
        "com_linear_acceleration",
        "com_spatial_velocity",
        "com_spatial_acceleration",
        "linear_momentum",
        "angular_momentum",
        "com_jacobian",
        "com_jacobian_spatial_derivative",
        "com_linear_jacobian_derivative",
    ):
        yield name, getattr(skeleton, name)
    yield "forward dynamics", lambda: _forward_dynamics(skeleton)


def _forward_dynamics(skeleton: KidoSkeleton) -> Any:
    """Accelerations and forces, computed on a copy."""
    copy = skeleton.clone()
    copy.compute_forward_dynamics()
    return np.stack([copy.accelerations, copy.forces])


def _of_body(body: kido.BodyNode, other: kido.BodyNode) -> Iterator[tuple[str, Callable[[], Any]]]:
    offset = (0.1, -0.2, 0.3)
    for name in (
        "transform",
        "spatial_velocity",
        "spatial_acceleration",
        "linear_acceleration",
        "angular_acceleration",
        "jacobian",
        "com",
        "com_linear_acceleration",
    ):
        yield name, getattr(body, name)
    for name in ("jacobian", "jacobian_spatial_derivative", "jacobian_classic_derivative", "linear_velocity"):
        yield f"{name} of a point", lambda name=name: getattr(body, name)(offset)
    for name in ("transform", "spatial_velocity", "spatial_acceleration"):
        yield f"{name} in another", lambda name=name: getattr(body, name)(relative_to=other)
    for name in ("inertia", "gravity_mode", "collidable", "kinetic_energy", "potential_energy", "tree_index"):
        yield name, lambda name=name: getattr(body, name)
    yield "wrench", lambda: body.external_wrench
    yield "dofs", lambda: body.dependent_dof_indices
    yield "luggage", lambda: _luggage(body)


def _of_node(node: kido.Node) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "properties", lambda: node.properties
    yield "state", lambda: node.state
    yield "body", lambda: node.body.name
    if isinstance(node, kido.Frame):
        for name in ("transform", "spatial_velocity", "linear_acceleration", "jacobian"):
            yield name, getattr(node, name)


def assert_same_answers(got: Answers, expected: Answers) -> None:
    """Equal questions, and equal answers bit for bit."""
    assert got.keys() == expected.keys()
    for name, value in got.items():
        assert same(value, expected[name]), f"{name}: {value} is not {expected[name]}"


def same(a: Any, b: Any) -> bool:
    """Whether two answers are equal, arrays and numbers bit for bit."""
    if isinstance(a, np.ndarray | float) and isinstance(b, np.ndarray | float):
        a, b = np.asarray(a), np.asarray(b)
        return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return type(a) is type(b) and bool(a == b)


def check_structure(skeleton: KidoSkeleton) -> None:
    """Indices, names, order, ranges of dofs, parents and children belong together."""
    bodies, joints, dofs = skeleton.bodies, skeleton.joints, skeleton.dofs
    assert list(bodies) == list(_depth_first(skeleton.root_bodies))
    assert [body.index for body in bodies] == list(range(skeleton.num_bodies))
    assert [joint.child_body for joint in joints] == list(bodies)
    assert [dof.index for dof in dofs] == list(range(skeleton.num_dofs))
    assert [i for joint in joints for i in joint.dof_indices] == list(range(skeleton.num_dofs))
    assert all(skeleton.body(body.name) is body for body in bodies)
    assert all(skeleton.joint(joint.name) is joint for joint in joints)
    assert all(skeleton.dof(dof.name) == dof and skeleton.dof(dof.index) == dof for dof in dofs)
    assert skeleton.tree.dof_names == tuple(dof.name for dof in dofs)
    for body in bodies:
        assert body.skeleton is skeleton and body.parent_joint.skeleton is skeleton
        assert all(child.parent_body is body for child in body.child_bodies)
        assert (body.parent_body is None) == (body in skeleton.root_bodies)
        assert all(node.body is body and node.skeleton is skeleton for node in body.nodes())
    names = [(type(node), node.name) for node in skeleton.nodes()]
    assert len(set(names)) == len(names)
    for lookup, parts in ((skeleton.body, bodies), (skeleton.joint, joints), (skeleton.dof, dofs)):
        with pytest.raises(UnknownNameError) as caught:
            lookup("a name that nothing has")
        assert sorted(caught.value.valid) == sorted(part.name for part in parts)


def _depth_first(bodies: tuple[kido.BodyNode, ...]) -> Iterator[kido.BodyNode]:
    for body in bodies:
        yield body
        yield from _depth_first(body.child_bodies)
