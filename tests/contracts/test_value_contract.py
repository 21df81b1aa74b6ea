"""Contract of all value classes: frozen, compared, hashed, pickled, copied, saved, loaded."""

from __future__ import annotations

import copy
import gc
import importlib
import pickle
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from inspect import isabstract
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _looped import looped

import kido
from kido import description as d
from kido import ik, lcp, optimize, shape, view
from kido.io import LoadReport
from kido.skeleton import PartContent, Skeleton, SkeletonProperties
from kido.skeleton._nodes._skin_properties import SkinProperties, SkinState
from kido.tree import Summary, Table
from kido.values import Value
from kido.values._decoding import Decoder
from kido.values._encoding import Encoder


def modules() -> list[str]:
    """Every module of kido that can be imported without running the command."""
    found = pkgutil.walk_packages(kido.__path__, "kido.")
    return [info.name for info in found if info.name != "kido.__main__"]


def value_classes(base: type = Value) -> Iterator[type[Value]]:
    """The classes below `base` that kido has as values, but bases of others; dataclasses with slots leave
    copies behind."""
    for kind in base.__subclasses__():
        yield from value_classes(kind)
        if kind.__module__.startswith("kido.") and is_dataclass(kind) and not isabstract(kind):
            found: Any = sys.modules[kind.__module__]
            for name in kind.__qualname__.split("."):
                found = getattr(found, name)
            if found is kind:
                yield kind


for name in modules():
    importlib.import_module(name)
gc.collect()
CLASSES = sorted(set(value_classes()), key=lambda kind: kind.__qualname__)


def robot() -> Skeleton:
    """A skeleton with a part for each of its values."""
    robot = Skeleton("robot", gravity=(0.0, 0.5, -9.0))
    base = robot.add_body("base", joint=kido.EulerJoint("root", "zyx"))
    hand = robot.add_body("hand", base, kido.RevoluteJoint("wrist", (1, 2, 2), position_upper_limits=1.0))
    robot.joint("wrist").mimic = d.Mimic("root", 0.5)
    tip = hand.add_end_effector("tip", (0.0, 0.0, 0.1))
    tip.create_addon(kido.Support, np.eye(3), True)
    kido.Marker(hand, "dot", rgba=(0.1, 0.2, 0.3, 1.0), constraint="hard")
    base.add_shape_node(shape.Box((1, 2, 3)), name="hull")
    kido.InverseKinematics.of(tip).error_method = ik.PointToLine(0.1)
    return robot


def scene() -> d.SceneDescription:
    """A scene with a part of each kind."""
    robots = [d.RobotPlacement(ARM, "left"), d.RobotPlacement(ARM, "right")]
    first, second = d.DofReference("left", "j"), d.DofReference("right", "j")
    shapes = d.ShapeReference("left", "a"), d.ShapeReference("right", "a")
    return d.SceneDescription(
        "room",
        robots,
        [d.ObjectPlacement(d.LinkDescription("crate", d.Inertia(1.0)))],
        options={"iterations": 50, "solref": (0.02, 1)},
        constraints=[
            d.ClosureDescription("grip", "weld", d.Attachment("left", "a"), d.Attachment("crate", "crate")),
            d.CouplingDescription("gear", first, second, (0.1, -2.0)),
        ],
        exclusions=[d.ContactExclusion(d.LinkReference("left", "a"), d.LinkReference("crate", "crate"))],
        contact_pairs=[d.ContactPair("slip", *shapes, {"friction": 0.1})],
        sensors=[d.SensorDescription("angle", "jointpos", joint=d.JointReference("right", "j"))],
        actuators=[d.ActuatorDescription("drive", "motor", d.JointReference("right", "j"), gear=(2.0,))],
        states=[d.NamedState("home", [d.JointState("left", "j", (0.1,), (0.2,))])],
    )


ROBOT = robot()
TIP = ROBOT.end_effector("tip")
LINK = d.LinkDescription("a", d.Inertia(1.0), [d.ShapePlacement(None, shape.Sphere(1.0))])
SOLID = d.ShapePlacement("hull", shape.Box((1, 1, 1)))
JOINT = d.JointDescription("j", "revolute", None, "a", axes=(0, 0, 1), dof_names=["q"])
ARM = d.RobotDescription("arm", [d.LinkDescription("a", d.Inertia(1.0), collisions=[SOLID])], [JOINT])
SCENE = scene()
PAIRS = kido.world.PairSurfaces([kido.world.PairSurface(("arm", "hull"), ("crate", "solid"), friction=0.1)])
SAVED_WORLD = kido.World.from_description(SCENE).to_value()
ONE_WAYPOINT = ik.WaypointResult(ik.WaypointStatus.REACHED, np.ones(2), np.zeros(3), 0.1, 2, 1, 0)
TRIANGLE = view.TriangleSurface(np.eye(3), [[0, 1, 2]], np.eye(3), np.eye(4)[:3])
LCP = lcp.BoxedLCP(np.eye(3), np.ones(3), cones=[lcp.FrictionCone(0, (1, 2), 0.5)])


def posture_values() -> tuple[Value, ...]:
    """Constraints and costs of postures that know frames by names."""
    hand, foot, o = ik.FramePlace("robot", "hand"), ik.FramePlace("robot", "foot"), (0.0, 0.0, 0.1)
    ball = ik.ShapePlace(kido.shape.Sphere(0.1), hand, "ball")
    return (
        *(hand, ball, ik.PositionConstraint(hand, o, (1, 1, np.inf), point=o, relative_to=foot)),
        *(ik.OrientationConstraint(hand, 0.1), ik.PolyhedronConstraint(hand, [o], np.eye(3), o)),
        *(ik.GazeTargetConstraint(hand, o, o, 0.1), ik.AngleBetweenVectorsConstraint(hand, o, o, 0.1, 0.2)),
        *(ik.PointToPointDistanceConstraint(hand, 0, 1), ik.PointToLineDistanceConstraint(hand, o, 0, 1)),
        ik.ShapeDistanceConstraint(ball, ik.ShapePlace(kido.shape.Box((1, 1, 1)), foot), 0.1),
        ik.MinimumDistanceLowerBoundConstraint([ball, ball], [(0, 1)], 0.1, 0.2),
        ik.MinimumDistanceUpperBoundConstraint([ball, ball], [(0, 1)], 0.1, 0.2),
        *(ik.CenterOfMassConstraint(o, o, skeleton="robot"), ik.JointCouplingConstraint({"a": 1.0}, 0, 1)),
        *(ik.LoopClosureConstraint(hand, foot, "hinge", axis=o), ik.SupportContact(foot, o, friction=0.3)),
        ik.StaticEquilibriumConstraint((ik.SupportContact(foot, o),), skeleton="robot"),
        *(ik.PositionCost(hand, o, 2.0), ik.OrientationCost(hand, 2.0), ik.GazeTargetCost(hand, o, o)),
        *(ik.AngleBetweenVectorsCost(hand, o, o), ik.PointToPointDistanceCost(hand, 2.0)),
        *(ik.PointToLineDistanceCost(hand, o), ik.CenterOfMassCost(o), ik.PostureCost((1.0, 2.0), (1, 0))),
        ik.ConstraintViolation(0, "position", 0.1, "m"),
        ik.PostureResult(
            *(np.ones(2), ("a", "b"), np.ones((1, 3)), ik.PostureStatus.INFEASIBLE, 0.5, 0.1),
            *((ik.ConstraintViolation(0, "position", 0.1, "m"),), ("position",), np.inf, 1e-6, 3, 4, 1, 0.1),
        ),
    )


SKIN = d.SoftSkin.of_shape(shape.Box((1, 2, 3)), 0.5, frozen=[True] * 3 + [False] * 23, edge_stiffness=2.0)

EXAMPLES: tuple[Value, ...] = (
    *(shape.Box((1, 2, 3)), shape.Sphere(0.1), shape.Cylinder(0.1, 0.2), shape.Capsule(0.1, 0.2)),
    *(shape.Ellipsoid((1, 2, 3)), shape.Cone(0.1, 0.2), shape.Plane((0, 1, 1), 0.1), shape.Mesh("a.stl")),
    shape.Mesh(None, "wedge", vertices=np.eye(3), triangles=[[0, 1, 2]]),
    shape.HeightField([[0.0, 1.0], [2.0, 3.0]], (0.1, 0.2)),
    *(d.Inertia(1.0, (1, 2, 3), np.eye(3)), d.Material("red", (1, 0, 0, 1)), LINK, LINK.visuals[0], JOINT),
    *(
        SKIN,
        d.SoftSkin.of_point(0.1),
        SkinProperties(skin=SKIN),
        SkinState([[1.0, 2.0, 3.0]], [[0.0, 0.0, 1.0]]),
    ),
    *(d.SoftDescription(shape.Box((1, 2, 3)), 0.5, (3, 3, 4)), d.JointLimits(velocity=2, velocity_lower=-1)),
    *(d.JointLimits(-1.0, [1.0]), d.JointDynamics(0.5), d.Mimic("a", 2.0, 0.1), d.Calibration(0.1)),
    *(d.Safety(k_position=1.0), d.Diagnostic("odd", "a.urdf", 3), d.FrameDescription("tip", kind="site")),
    d.RobotDescription("robot", [LINK], [JOINT], [d.Diagnostic("odd")], "robot.urdf"),
    *(SCENE, SCENE.robots[1], SCENE.objects[0], SCENE.options, *SCENE.constraints, *SCENE.exclusions),
    *(SCENE.constraints[0].first, SCENE.constraints[1].follower, SCENE.exclusions[0].first),
    *(SCENE.contact_pairs[0], SCENE.contact_pairs[0].first, SCENE.sensors[0], SCENE.sensors[0].joint),
    *(SCENE.states[0], SCENE.states[0].joints[0], SCENE.actuators[0]),
    *(ROBOT.configuration(), ROBOT.state, ROBOT.state.extensions[0], ROBOT.properties),
    *(ROBOT.properties.bodies[1], ROBOT.properties.bodies[1].joint, ROBOT.properties.bodies[1].nodes[0]),
    *(ROBOT.properties.bodies[1].nodes[0].addons[0], TIP.properties, TIP.addons[0].properties),
    *(
        TIP.addons[0].state,
        ROBOT.node(kido.Marker, "dot").properties,
        ROBOT.body("base").nodes()[0].properties,
    ),
    kido.InverseKinematics.of(TIP).properties,
    *(ik.CenterOfMass(), ik.LookAt((1, 1, 0), 0.1), ik.OrientationError(), ik.PointToLine(0.0, 1.0)),
    *(ik.PointToPlane(), ik.PoseError(), ik.PositionError(), ik.Posture({"a": 1.0, "b": 2.0})),
    *(ik.TaskSpaceRegion((0.1, 0.2, np.inf)), ik.DampedLeastSquares(0.1), ik.JacobianInverse()),
    *(ik.JacobianPseudoinverse(), ik.JacobianTranspose(0.5), ik.SelectivelyDampedLeastSquares()),
    *(ik.ClosedFormMethod(["a"], component_weights=(1, 2)), ik.AnalyticalSolution([1.0], 2)),
    ik.StepLimits(component_clamp=0.1, component_weights=(1, 2)),
    ik.AnalyticalResult(np.ones((2, 1)), np.array([0, 2], np.uint8), ("a",)),
    ik.AnalyticalResults(np.ones((2, 1)), np.zeros(2, np.uint8), np.array([0, 2]), ("a",)),
    *(kido.SearchSettings(seed=3), ik.IKResult(np.ones(2), ("a", "b"), ik.IKStatus.SOLVED, 0.0, 0.1, 0, 3)),
    ik.IKResults(*(np.ones((3, 1)), ("a",), np.ones(3, bool), *np.zeros((2, 3)), *np.ones((2, 3), np.int32))),
    ik.HierarchyResult(
        np.ones(2), ("a", "b"), ik.IKStatus.NOT_REACHED, (ik.TaskResult("a", 0, True, 0.0, 0.1),), 1, 3
    ),
    ik.TaskResult("a", 0, True, 0.0, 0.1),
    *(ik.Waypoint(np.eye(4), 0.1), ik.WaypointPath(np.ones(2), (ONE_WAYPOINT,), 2, ("a", "b")), ONE_WAYPOINT),
    ik.GlobalIKResult(np.ones(2), ("a", "b"), ik.GlobalIKStatus.INFEASIBLE, 0.1, 0.2, 1e-6, 1e-6, nodes=7),
    *posture_values(),
    *(ik.PostureRegion(np.zeros((1, 2, 3))), ik.RelaxationOptions(2, solver="SCIP")),
    ik.RelaxedPosture(False, ("a",), np.eye(4)[None], 0.5),
    ik.JointPath(np.ones((2, 1)), ("a",), np.ones(2, bool), np.ones(1)),
    kido.Surface(friction=0.5, restitution=0.1),
    *(
        TRIANGLE,
        view.Polyline(np.eye(3), 0.1),
        view.Lines(np.ones((1, 2, 3)), 0.1),
        view.Points(np.eye(3), 0.1),
    ),
    *(view.Arrows(np.eye(3), np.eye(3), 0.1), view.Label("hand"), view.Drawing("beam", TRIANGLE)),
    view.DrawnItem("arm/hand/visual/palm", "visual", TRIANGLE, (1, 0, 0, 1), is_note=True),
    view.Orbit(10.0, 20.0, 1.5),
    kido.Surface(
        0.5,
        friction_direction=(0.0, 1.0, 0.0),
        secondary_friction=0.1,
        slip=0.1,
        secondary_slip=0.2,
        velocity=(1.0, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, 2.0),
        rolling_friction=0.01,
        torsional_friction=0.02,
    ),
    kido.world.SurfaceRules(friction="mean", restitution="maximum", rolling_friction="product"),
    *(PAIRS, PAIRS.pairs[0], SAVED_WORLD, SAVED_WORLD.rules, SAVED_WORLD.skeletons[0]),
    kido.world.SavedNumbers("MTIz", (np.zeros((2, 6)), None)),
    PartContent("EndEffector tip", kido.EndEffector, {"count": 3}),
    *(LoadReport("a.urdf", [d.Diagnostic("odd")]), d.Difference("link 'a': mass", "1", "2", 1.0)),
    kido.Softness(stiffness=1e4, damping=20.0),
    optimize.QuadraticProgram(np.eye(2), [1.0, 2.0], [[1.0, 1.0]], row_lower=0.5, upper=(1.0, np.inf)),
    optimize.QuadraticProgram(np.eye(2), np.ones((3, 2)), lower=-1.0).solve(),
    ik.LinearVelocityConstraint([[1.0, 0.0]], -1.0, (2.0,)),
    ik.DifferentialIKResult([0.1, 0.2], 0.5, ik.DifferentialIKStatus.STUCK, (np.zeros(2), np.ones(2))),
    ik.DifferentialIKConvergence([0.1, 0.2], ik.ConvergenceStatus.STUCK, 3, 0.01),
    optimize.QuadraticFunction([0.1, 0.2], [[1.0, 0.5], [0.5, 2.0]], [0.3, 0.4]),
    *(LCP, LCP.cones[0], lcp.Dantzig(), lcp.Lemke(), lcp.SemismoothNewton(time_budget=0.1)),
    *(lcp.ProjectedGaussSeidel(relaxation=1.3), lcp.FirstSuccess([lcp.Lemke()])),
    kido.world.BlockSolver(sweeps=2, contact_damping=3.0),
    kido.world.Sleeping(after=0.2, linear=0.02),
    kido.world.BoxedLCPSolver(method=lcp.SemismoothNewton(), cones=True, error_reduction=0.1),
    lcp.LCPResult(LCP, np.ones(3), np.zeros(3), lcp.LCPStatus.STALLED, "tired", residual=0.5),
    optimize.Result([1.0, 2.0], 0.5, optimize.Status.STALLED, violation=np.nan),
    optimize.ParetoSet(np.eye(2), np.ones((2, 3))),
    *(ROBOT.summary(), ROBOT.summary().tables[0]),
)
NEED_A_LIBRARY = {ik.IKFastMethod}
HOLD_FUNCTIONS = {
    ik.FunctionConstraint,
    ik.FunctionCost,
}  # which no file keeps; see tests/ik/test_posture_terms.py
"""Classes that cannot be made without a compiled library: tests/ik has their tests."""

BASES = (optimize.Solver, lcp.LCPSolver, kido.world.ImpulseSolver, kido.world.CustomIntegrator)
"""Ways of doing something, of which users have their own."""

every_value = looped("value", EXAMPLES, ids=[type(value).__qualname__ for value in EXAMPLES])


def test_every_value_class_of_kido_is_under_this_contract() -> None:
    assert {type(value) for value in EXAMPLES} | NEED_A_LIBRARY | HOLD_FUNCTIONS == set(CLASSES)


def test_public_frozen_dataclasses_are_values_or_ways_of_doing() -> None:
    others: set[type] = set()
    for name in modules():
        if not any(part.startswith("_") for part in name.split(".")):
            module = importlib.import_module(name)
            named = [getattr(module, public) for public in module.__all__]
            others |= {kind for kind in named if isinstance(kind, type) and is_dataclass(kind)}
    plain = others - set(CLASSES)
    solvers = {kind for kind in plain if issubclass(kind, BASES)}
    assert {kind.__qualname__ for kind in plain - solvers} == {
        *("LinkageCriteria", "LinkageTarget", "LinkageTerminal"),  # name bodies of a skeleton
        *("JointSpec", "Primitive"),  # rows of the table of joints
        "PoseRegion",  # names a frame
        "ErrorBounds",  # made at every posture of a search
        *("MeshSolid", "Triangles"),  # what a mesh file holds
        "Contact",  # names shape nodes
        *("SmoothMotion", "StepProblem"),  # what a world asks parts of the user's own
        *("ConvexHull", "NativeShape", "TriangleMesh"),  # what compiling hands on
        *("MeshSolid", "Triangles"),  # arrays of one mesh
        *("ContactPoints", "Contacts"),  # arrays of many points
        *("Rows", "CheckedRows"),  # made in every step
        *("BodyPose", "BodyVelocity", "ContactCount", "ContactWrench", "Energy"),  # name bodies
        *("FrictionContact", "Impulses", "SkeletonStep", "StepAudit", "Work"),  # of one step
        *("ContactForces", "ContactSupport", "Film", "Rollouts", "SceneChange"),  # arrays of one call
        *("ColumnDifference", "Comparison", "Event", "Series"),  # what a recording answers
        *("Stage", "TourScene"),  # models and functions of the tour
        "TreeRows",  # what compiling hands on
    }


@every_value
def test_no_attribute_can_be_set_or_deleted_and_none_added(value: Any) -> None:
    for field in fields(value):
        with pytest.raises(AttributeError, match=f"cannot assign to field '{field.name}'"):
            setattr(value, field.name, getattr(value, field.name))
        with pytest.raises(AttributeError, match="frozen"):
            delattr(value, field.name)
    with pytest.raises(AttributeError, match=f"{type(value).__qualname__} has no field 'nonsense'"):
        value.nonsense = 1


@every_value
def test_an_argument_that_it_does_not_have_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        replace(value, nonsense=1)


def arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from arrays(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays(item)


@every_value
def test_arrays_are_read_only_and_nobody_elses(value: Any) -> None:
    for array in arrays(value):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_what_an_array_was_made_from_can_change_afterwards() -> None:
    size = np.ones(3)
    box = shape.Box(size)
    size[0] = 2.0
    assert box.size.tolist() == [1.0, 1.0, 1.0]


@every_value
def test_it_equals_its_copies_and_has_their_hash(value: Any) -> None:
    for twin in (copy.copy(value), copy.deepcopy(value), replace(value), pickle.loads(pickle.dumps(value))):
        assert type(twin) is type(value)
        assert twin == value and (twin != value) is False and hash(twin) == hash(value)
        assert repr(twin) == repr(value)
        assert not any(array.flags.writeable for array in arrays(twin))


@every_value
def test_no_value_equals_one_of_another_class_or_another_thing(value: Any) -> None:
    assert [other for other in EXAMPLES if other == value] == [value]
    assert value != None and value != "text" and value != np.ones(3)[0]  # noqa: E711
    assert (value == np.ones(3)) is False and (np.ones(3) == value) is False


@every_value
def test_a_value_of_a_derived_class_is_another_value(value: Any) -> None:
    derived = type("Derived", (type(value),), {"__slots__": ()})
    twin = derived(**value._values())
    assert twin != value and value != twin


@every_value
def test_it_shows_its_class_and_fields(value: Any) -> None:
    assert repr(value).startswith(f"{type(value).__qualname__}(")
    shown = [f"{field.name}=" for field in fields(value) if field.repr]
    if isinstance(value, Mapping):
        shown = [repr(key) for key in value]
    assert all(part in repr(value) for part in shown)


@every_value
def test_its_file_is_loaded_without_naming_classes(value: Any, tmp_path: Path) -> None:
    value.save(tmp_path / "value.json")
    loaded = type(value).load(tmp_path / "value.json")
    assert loaded == value and hash(loaded) == hash(value) and type(loaded) is type(value)
    assert not any(array.flags.writeable for array in arrays(loaded))
    assert Value.load(tmp_path / "value.json") == value


def enums() -> list[type[Enum]]:
    """The public enums that values hold."""
    held = [
        kido.ActuatorType,
        kido.skeleton.MarkerConstraint,
        d.JointType,
        ik.IKStatus,
        lcp.LCPStatus,
        optimize.Status,
    ]
    held += [ik.PostureStatus, ik.DifferentialIKStatus, ik.ConvergenceStatus, optimize.QuadraticStatus]
    return [*held, d.ClosureType, ik.Validity, ik.ExtraDofUtilization]


@pytest.mark.parametrize("kind", enums())
def test_enums_of_kido_are_known_to_every_file(kind: type[Enum]) -> None:
    for member in kind:
        written = Encoder().encode(member, "member")
        assert written == {"$enum": f"kido.{kind.__qualname__}", "name": member.name}
        assert Decoder("file", {}).decode(written, "member") is member


@pytest.mark.parametrize("name", kido.gallery.names())
def test_everything_in_the_gallery_is_saved_and_loaded_without_naming_classes(
    name: str, tmp_path: Path
) -> None:
    properties = kido.gallery.make(name).properties
    properties.save(tmp_path / "value.json")
    assert SkeletonProperties.load(tmp_path / "value.json") == properties


RESULTS = (ik.AnalyticalResult, ik.AnalyticalResults, ik.AnalyticalSolution, ik.IKResult, ik.IKResults)
MADE_BY_KIDO = (
    *RESULTS,
    *(ik.DifferentialIKResult, ik.DifferentialIKConvergence, optimize.QuadraticResult),
    *(
        ik.PostureResult,
        ik.ConstraintViolation,
        ik.GlobalIKResult,
        ik.PostureRegion,
        ik.JointPath,
        ik.WaypointPath,
        ik.WaypointResult,
    ),
    *(ik.HierarchyResult, ik.TaskResult, lcp.LCPResult, optimize.Result, optimize.ParetoSet, Summary, Table),
)
NEED_NO_CHECK = {"properties", "state"}
"""Fields of a user's own class, which is checked where its class is known."""


@every_value
def test_a_field_given_something_else_is_refused_by_its_name(value: Any) -> None:
    if isinstance(value, MADE_BY_KIDO):
        return
    for field in fields(value):
        if not field.init or field.name in NEED_NO_CHECK:
            continue
        for wrong in (object(), 3 + 4j, b"bytes"):
            with pytest.raises((TypeError, ValueError)) as caught:
                replace(value, **{field.name: wrong})
            told = str(caught.value)
            assert field.name in told or "option" in told or "expected a nonempty string" in told, told


FLAGS = [
    (value, field.name)
    for value in EXAMPLES
    for field in fields(value)
    if field.type == "bool" and not isinstance(value, MADE_BY_KIDO)
]


@looped("value, name", FLAGS, ids=lambda part: part if isinstance(part, str) else type(part).__qualname__)
def test_a_flag_is_true_or_false_and_no_text(value: Any, name: str) -> None:
    for wrong in ("no", 1, None):
        with pytest.raises(TypeError, match=f"^{name}: expected True or False, got"):
            replace(value, **{name: wrong})
    assert getattr(replace(value, **{name: np.False_}), name) is False


NUMBERS = [
    (value, field.name)
    for value in EXAMPLES
    for field in fields(value)
    if field.init and isinstance(getattr(value, field.name), float | np.ndarray)
    if not isinstance(value, MADE_BY_KIDO)
]


@looped("value, name", NUMBERS, ids=lambda part: part if isinstance(part, str) else type(part).__qualname__)
def test_a_text_is_no_number_of_any_field(value: Any, name: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        replace(value, **{name: "3"})
