"""After any edits, sets and questions, every answer is that of a skeleton built anew, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _effort import examples
from _moving_skeletons import MAKERS
from _own_extensions import Cam, Coupler, Luggage, Thermometer
from _random_trees import random_inertia, random_transform
from _rebuilt import (
    PROPERTIES,
    STATES,
    answer,
    answers,
    assert_same_answers,
    check_structure,
    questions,
    rebuilt,
    same,
)
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

import kido
from kido.description import Mimic
from kido.errors import EditError, NameTakenError, RemovedError
from kido.skeleton import ActuatorType, Support, UserJoint

KINDS = (*MAKERS, "cam", "coupler")
FRAME_QUESTIONS = ("transform", "spatial_velocity", "spatial_acceleration")
SPRINGS = ("damping", "spring_stiffness", "rest_positions")
BODY_PROPERTIES = ("inertia", "mass", "gravity", "wrench", "wrench", "luggage")
MAX_BODIES = 9

kinds = st.sampled_from(KINDS)
fresh_joints = st.none() | kinds
seeds = st.integers(0, 999)
picks = st.integers(0, 99)
ways = st.sampled_from(("skeleton", "joint", "dof", "names"))


def joint_of(kind: str, rng: np.random.Generator, name: str | None = None) -> kido.Joint:
    if kind == "cam":
        joint: kido.Joint = Cam(properties=Cam.Properties(rng.uniform(0.1, 0.5)))
    elif kind == "coupler":
        joint = Coupler(T_parent_joint=random_transform(rng))
    else:
        joint = MAKERS[kind](rng)
    if name is not None:
        joint.name = name
    return joint


class Edits(RuleBasedStateMachine):
    """Two skeletons that are edited, set and asked in any order, with frames attached to their bodies."""

    def __init__(self) -> None:
        super().__init__()
        self.skeletons = [
            kido.Skeleton("one", gravity=(0.5, -1.0, -9.0)),
            kido.Skeleton("two", time_step=0.01),
        ]
        self.frames: list[kido.SimpleFrame] = []
        self.detached: list[kido.Node] = []

    # ---- picking

    def skeleton(self, pick: int) -> kido.Skeleton:
        return self.skeletons[pick % 2]

    def body(self, pick: int) -> kido.BodyNode | None:
        """A body of either skeleton; None where there are none."""
        bodies = [body for skeleton in self.skeletons for body in skeleton.bodies]
        return bodies[pick % len(bodies)] if bodies else None

    def parent(self, skeleton: kido.Skeleton, pick: int) -> kido.BodyNode | None:
        choice = pick % (skeleton.num_bodies + 1)
        return None if choice == skeleton.num_bodies else skeleton.bodies[choice]

    def fits(self, skeleton: kido.Skeleton, count: int) -> bool:
        return skeleton.num_bodies + count <= MAX_BODIES

    def warm(self, seed: int) -> None:
        """Every second time, ask everything: the change that follows has to drop what is kept."""
        if seed % 2:
            for skeleton in self.skeletons:
                answers(skeleton)

    def settle(self, seed: int) -> None:
        """Every second time, compare everything at once, before another change drops what is kept."""
        if seed % 2:
            self.compare()

    # ---- building and editing

    @initialize(some=st.lists(kinds, min_size=4, max_size=6), seed=seeds)
    def build(self, some: list[str], seed: int) -> None:
        for i, kind in enumerate(some):
            self.add_body(i // 4, max(i - 1, 0) // 2, kind, seed + i)
        for skeleton in self.skeletons:
            for name in STATES[:3]:
                setattr(skeleton, name, np.random.default_rng(seed).uniform(-1.0, 1.0, skeleton.num_dofs))
            skeleton.damping = skeleton.spring_stiffness = skeleton.constraint_impulses = 0.5
            for body in skeleton.bodies:
                body.external_wrench = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
                body.add_end_effector(f"tip of {body.name}").create_addon(Luggage, body.name)

    @rule(where=picks, under=picks, kind=kinds, seed=seeds)
    def add_body(self, where: int, under: int, kind: str, seed: int) -> None:
        skeleton, rng = self.skeleton(where), np.random.default_rng(seed)
        name = next(f"body{i}" for i in range(100) if not skeleton.has_body(f"body{i}"))
        joint_name = next(f"joint{i}" for i in range(100) if not skeleton.has_joint(f"joint{i}"))
        joint = joint_of(kind, rng, joint_name)
        if not self.fits(skeleton, 1) or any(skeleton.has_dof(dof) for dof in joint.dof_names):
            return
        inertia = None if seed % 5 == 0 else random_inertia(rng)
        skeleton.add_body(name, self.parent(skeleton, under), joint, inertia=inertia)

    @rule(which=picks)
    def remove(self, which: int) -> None:
        body = self.body(which)
        if body is None:
            return
        gone = body.subtree()
        body.remove()
        for old in gone:
            for ask in (old.transform, old.jacobian, old.subtree, lambda old=old: old.mass):
                with pytest.raises(RemovedError):
                    ask()
        self.frames = [frame for frame in self.frames if not _is_removed(frame)]

    @rule(which=picks, where=picks, under=picks, kind=fresh_joints, seed=seeds)
    def move(self, which: int, where: int, under: int, kind: str | None, seed: int) -> None:
        body, target = self.body(which), self.skeleton(where)
        if body is None:
            return
        parent, moving = self.parent(target, under), body.subtree()
        joint = None if kind is None else joint_of(kind, np.random.default_rng(seed))
        if parent in moving:
            before = [answers(skeleton) for skeleton in self.skeletons]
            with pytest.raises(EditError, match="cannot be moved"):
                body.move_to(parent, joint=joint)
            for skeleton, old in zip(self.skeletons, before, strict=True):
                assert_same_answers(answers(skeleton), old)
            return
        if target is not body.skeleton and not self.fits(target, len(moving)):
            return
        kept = [b.parent_joint.positions for b in moving[0 if joint is None else 1 :]]
        body.move_to(parent, skeleton=target, joint=joint)
        assert body.skeleton is target and body.parent_body is parent and body.subtree() == moving
        now = [b.parent_joint.positions for b in moving[0 if joint is None else 1 :]]
        assert all(map(same, now, kept))

    @rule(which=picks, kind=fresh_joints, seed=seeds)
    def split(self, which: int, kind: str | None, seed: int) -> None:
        body = self.body(which)
        if body is None:
            return
        source, moving = self.skeletons.index(body.skeleton), body.subtree()
        joint = None if kind is None else joint_of(kind, np.random.default_rng(seed))
        made = body.split(f"split{seed}", joint=joint)
        assert made.bodies == moving and same(made.gravity, self.skeletons[source].gravity)
        self.replace(1 - source, made)

    @rule(which=picks, kind=kinds, seed=seeds, by_type=st.booleans())
    def change_joint(self, which: int, kind: str, seed: int, by_type: bool) -> None:
        body = self.body(which)
        if body is None:
            return
        old, joint = body.parent_joint, joint_of(kind, np.random.default_rng(seed))
        name, offset = old.name, old.T_parent_joint
        new = body.change_parent_joint_type(type(joint) if by_type else joint)
        assert body.parent_joint is new and type(new) is type(joint)
        if by_type:
            assert new.name == name and same(new.T_parent_joint, offset)
        with pytest.raises(RemovedError):
            _ = old.positions

    @rule(which=picks, where=picks, under=picks, kind=fresh_joints, recursive=st.booleans(), seed=seeds)
    def copy_to(
        self, which: int, where: int, under: int, kind: str | None, recursive: bool, seed: int
    ) -> None:
        body, target = self.body(which), self.skeleton(where)
        if body is None or not self.fits(target, len(body.subtree()) if recursive else 1):
            return
        joint = None if kind is None else joint_of(kind, np.random.default_rng(seed))
        parent = self.parent(target, under)
        masses = [b.mass for b in body.subtree()][: None if recursive else 1]
        copy = body.copy_to(parent, skeleton=target, joint=joint, recursive=recursive)
        assert copy.parent_body is parent and [b.mass for b in copy.subtree()] == masses

    @rule(which=picks, kind=fresh_joints, recursive=st.booleans(), seed=seeds)
    def copy_as(self, which: int, kind: str | None, recursive: bool, seed: int) -> None:
        body = self.body(which)
        if body is None:
            return
        joint = None if kind is None else joint_of(kind, np.random.default_rng(seed))
        made = body.copy_as(f"copy{seed}", joint=joint, recursive=recursive)
        self.replace(1 - self.skeletons.index(body.skeleton), made)

    @rule(which=picks, keep=st.booleans())
    def clone(self, which: int, keep: bool) -> None:
        source = self.skeleton(which)
        copy = source.clone()
        assert_same_answers(answers(copy), answers(source))
        self.replace(which % 2 if keep else 1 - which % 2, copy)

    def replace(self, index: int, skeleton: kido.Skeleton) -> None:
        """Look at another skeleton from now on."""
        self.skeletons[index] = skeleton
        self.frames = [frame for frame in self.frames if frame.parent_frame.skeleton in self.skeletons]
        self.detached = []

    # ---- names

    @rule(which=picks, number=st.integers(0, 3), kind=st.sampled_from(("body", "joint", "dof", "skeleton")))
    def rename(self, which: int, number: int, kind: str) -> None:
        body = self.body(which)
        if body is None:
            return
        skeleton = body.skeleton
        part: Any = {"body": body, "joint": body.parent_joint, "skeleton": skeleton}.get(kind)
        if kind == "dof":
            part = body.parent_joint.dofs[0] if body.parent_joint.num_dofs else body
        try:
            part.name = f"name{number}"
        except NameTakenError:
            return
        assert part.name == f"name{number}"

    # ---- numbers

    def set_dofs(self, body: kido.BodyNode, way: str, name: str, values: Any) -> None:
        """Set numbers of the dofs of one body, or of all, in one of the four ways."""
        joint, skeleton = body.parent_joint, body.skeleton
        if way == "skeleton":
            everything = getattr(skeleton, name).copy()
            everything[list(joint.dof_indices)] = values
            setattr(skeleton, name, everything)
        elif way == "joint":
            setattr(joint, name, values)
        elif way == "names":
            setattr(skeleton, name, dict(zip(joint.dof_names, values.tolist(), strict=True)))
        else:
            singular = {"velocities": "velocity", "initial_velocities": "initial_velocity"}
            one = singular.get(name, name if name.endswith("stiffness") else name.removesuffix("s"))
            for dof, value in zip(joint.dofs, values.tolist(), strict=True):
                setattr(dof, one, value)
        assert same(getattr(joint, name), values)

    @rule(which=picks, name=st.sampled_from(STATES), way=ways, seed=seeds)
    def set_state(self, which: int, name: str, way: str, seed: int) -> None:
        self.warm(seed)
        body = self.body(which)
        if body is None:
            return
        joint = body.parent_joint
        if name == "commands" and not ActuatorType(joint.actuator).takes_commands:
            return
        values = np.random.default_rng(seed).uniform(-1.0, 1.0, joint.num_dofs)
        self.set_dofs(body, way, name, values)
        self.settle(seed)

    @rule(which=picks, name=st.sampled_from((*PROPERTIES, *SPRINGS, *SPRINGS)), way=ways, seed=seeds)
    def set_property(self, which: int, name: str, way: str, seed: int) -> None:
        self.warm(seed)
        body = self.body(which)
        if body is None:
            return
        values = np.random.default_rng(seed).uniform(0.5, 1.0, body.parent_joint.num_dofs)
        self.set_dofs(body, way, name, -values if "lower" in name else values)
        self.settle(seed)

    @rule(
        which=picks, name=st.sampled_from(("T_parent_joint", "T_child_joint", "shape", "drive")), seed=seeds
    )
    def set_joint(self, which: int, name: str, seed: int) -> None:
        self.warm(seed)
        body, rng = self.body(which), np.random.default_rng(seed)
        if body is None:
            return
        joint = body.parent_joint
        if name == "drive":
            joint.limits_enforced = bool(seed % 3)
            joint.mimic = Mimic(body.skeleton.joints[0].name, 2.0, 0.1)
            if joint.num_dofs:
                joint.actuator = list(ActuatorType)[seed % len(ActuatorType)]
        elif name == "shape":
            _set_shape(joint, rng)
        else:
            setattr(joint, name, random_transform(rng))
        self.settle(seed)

    @rule(which=picks, what=st.sampled_from(BODY_PROPERTIES), seed=seeds)
    def set_body(self, which: int, what: str, seed: int) -> None:
        self.warm(seed)
        body, rng = self.body(which), np.random.default_rng(seed)
        if body is None:
            return
        if what == "inertia":
            body.inertia = None if seed % 7 == 0 else random_inertia(rng)
        elif what == "mass":
            body.mass = rng.uniform(1.0, 2.0)
        elif what == "gravity":
            body.gravity_mode, body.collidable = bool(seed % 4 < 2), bool(seed % 3)
        elif what == "wrench":
            body.external_wrench = np.zeros(6) if seed % 5 == 0 else rng.uniform(-1.0, 1.0, 6)
        else:
            for owner in (body, body.parent_joint):
                owner.create_addon(Luggage, f"label{seed}", float(seed))
        self.settle(seed)

    @rule(which=picks, seed=seeds)
    def set_skeleton(self, which: int, seed: int) -> None:
        self.warm(seed)
        skeleton, rng = self.skeleton(which), np.random.default_rng(seed)
        if seed % 4 < 2:
            skeleton.gravity = rng.uniform(-10.0, 10.0, 3)
        else:
            skeleton.time_step = rng.uniform(0.001, 0.1)
        self.settle(seed)

    # ---- nodes and frames

    @rule(which=picks, kind=st.sampled_from(("effector", "marker", "thermometer")), number=st.integers(0, 2))
    def add_node(self, which: int, kind: str, number: int) -> None:
        body = self.body(which)
        if body is None:
            return
        T, name = random_transform(np.random.default_rng(which)), f"node{number}"
        try:
            if kind == "effector":
                effector = body.add_end_effector(name, T)
                effector.create_addon(Support, [(0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (-0.1, -0.1, 0.0)], True)
            elif kind == "marker":
                body.add_marker(name, T)
            else:
                Thermometer(body, name, Thermometer.Properties(2.0), Thermometer.State(float(which)))
        except NameTakenError:
            assert any(node.name == name for node in body.skeleton.nodes())

    @rule(which=picks, what=st.sampled_from(("remove", "reattach", "move", "rename")), seed=seeds)
    def change_node(self, which: int, what: str, seed: int) -> None:
        nodes = [node for skeleton in self.skeletons for node in skeleton.nodes()]
        if what == "reattach" and self.detached:
            _reattach(self.detached.pop())
        if not nodes:
            return
        node = nodes[which % len(nodes)]
        if what == "remove":
            node.remove()
            self.detached.append(node)
        elif what == "move" and isinstance(node, kido.EndEffector):
            node.relative_transform = random_transform(np.random.default_rng(seed))
        elif what == "rename":
            name = f"renamed{seed}{node.skeleton.name}{which}"
            others = (other for other in node.skeleton.nodes() if type(other) is type(node))
            if any(other.name == name and other is not node for other in others):
                with pytest.raises(NameTakenError):
                    node.name = name
            else:
                node.name = name

    @rule(which=picks, seed=seeds, to=picks)
    def attach_frame(self, which: int, seed: int, to: int) -> None:
        body, rng = self.body(which), np.random.default_rng(seed)
        if body is None:
            return
        if self.frames and seed % 3 == 0:
            self.frames[to % len(self.frames)].set_parent_frame(body)
        elif self.frames and seed % 3 == 1:
            frame = self.frames[to % len(self.frames)]
            frame.relative_spatial_velocity = rng.uniform(-1.0, 1.0, 6)
        elif len(self.frames) < 3:
            frame = kido.SimpleFrame(f"frame{len(self.frames)}", body, random_transform(rng))
            frame.relative_spatial_acceleration = rng.uniform(-1.0, 1.0, 6)
            self.frames.append(frame)

    # ---- questions

    @rule(which=picks, some=st.lists(st.integers(0, 999), min_size=1, max_size=12))
    def ask(self, which: int, some: list[int]) -> None:
        asked = list(questions(self.skeleton(which)))
        for number in some:
            answer(asked[number % len(asked)][1])

    def compare(self) -> None:
        for skeleton in self.skeletons:
            check_structure(skeleton)
            fresh = rebuilt(skeleton)
            assert_same_answers(answers(skeleton), answers(fresh))
            for frame in self.frames:
                if frame.parent_frame.skeleton is skeleton:
                    _compare_frame(frame, fresh)

    def teardown(self) -> None:
        self.compare()


def _is_removed(frame: kido.SimpleFrame) -> bool:
    try:
        frame.transform()
    except RemovedError:
        return True
    return False


def _set_shape(joint: kido.Joint, rng: np.random.Generator) -> None:
    match joint:
        case kido.ScrewJoint():
            joint.axis, joint.pitch = rng.standard_normal(3), rng.uniform(0.1, 1.0)
        case kido.RevoluteJoint() | kido.PrismaticJoint():
            joint.axis = rng.standard_normal(3)
        case kido.UniversalJoint():
            joint.axis1, joint.axis2 = rng.standard_normal((2, 3))
        case kido.PlanarJoint() | kido.TranslationalJoint2D():
            first, second = rng.standard_normal((2, 3))
            joint.set_plane([first, np.cross(first, second)])
        case kido.EulerJoint():
            joint.dof_names = [f"{joint.name}_{i}" for i in (1, 2, 3)]
            joint.order = str(rng.choice(["xyz", "zyx", "zxz"]))
        case UserJoint() if isinstance(joint, Cam):
            joint.properties = Cam.Properties(rng.uniform(0.1, 0.5))


def _reattach(node: kido.Node) -> None:
    try:
        node.reattach()
    except (RemovedError, NameTakenError):
        assert node.is_removed


def _compare_frame(frame: kido.SimpleFrame, fresh: kido.Skeleton) -> None:
    copy = frame.clone(fresh.body(frame.parent_frame.name))
    for name in FRAME_QUESTIONS:
        assert same(getattr(frame, name)(), getattr(copy, name)()), (
            f"{name} of a frame on {frame.parent_frame!r}"
        )


@pytest.mark.filterwarnings("ignore::kido.errors.NoEffectWarning")
def test_every_answer_after_any_edits_is_that_of_a_freshly_built_skeleton() -> None:
    chosen = settings(settings.get_profile("kido"), max_examples=examples(40), stateful_step_count=20)
    run_state_machine_as_test(Edits, settings=chosen)
