"""Methods that users derive, from kido's and from the bases: options by constructor, equality, copies."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kido
from kido import InverseKinematics, gallery
from kido.ik import (
    Analytical,
    ClosedFormMethod,
    DampedLeastSquares,
    ErrorMethod,
    ExtraDofUtilization,
    GradientMethod,
    PoseError,
    StepLimits,
    TaskSpaceRegion,
)
from kido.skeleton import SkeletonProperties
from kido.values import Array, array, value

PRE = ExtraDofUtilization.PRE_ANALYTICAL
WEIGHTS = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 0.5])


def displaced(ik: InverseKinematics) -> Any:
    return np.r_[np.zeros(3), ik.transform()[:3, 3] - ik.target.transform()[:3, 3]]


class Plain(ErrorMethod):
    """Options by the base's constructor."""

    def __init__(self, shift: float, **options: Any) -> None:
        super().__init__(**options)
        self.shift = shift

    def compute_error(self, ik: InverseKinematics) -> Any:
        return displaced(ik) + self.shift


class Assigned(Plain):
    """Options set in its own constructor."""

    def __init__(self, shift: float, weights: Any = None, length_clamp: float = math.inf) -> None:
        self.shift, self.weights, self.length_clamp = shift, weights, length_clamp  # type: ignore[misc]


class ByProperty(Plain):
    """Options by properties."""

    def __init__(self, shift: float, weights: Any = None, length_clamp: float = math.inf) -> None:
        self.shift, self._own = shift, (weights, length_clamp)

    @property
    def weights(self) -> Any:
        return self._own[0]

    @property
    def length_clamp(self) -> float:
        return float(self._own[1])


@dataclass(frozen=True, kw_only=True)
class Fields(ErrorMethod):
    """Options as fields with defaults."""

    shift: float = 0.0
    weights: Any = None
    length_clamp: float = math.inf

    def compute_error(self, ik: InverseKinematics) -> Any:
        return displaced(ik) + self.shift


@dataclass(frozen=True, kw_only=True)
class Required(ErrorMethod):
    """Options as fields without defaults."""

    shift: float
    weights: np.ndarray
    length_clamp: float

    def compute_error(self, ik: InverseKinematics) -> Any:
        return displaced(ik) + self.shift


@dataclass(frozen=True, kw_only=True, slots=True)
class Slotted(ErrorMethod):
    """The same with slots."""

    shift: float
    weights: Any = None
    length_clamp: float = math.inf

    def compute_error(self, ik: InverseKinematics) -> Any:
        return displaced(ik) + self.shift


@value
class Declared(PoseError):
    """One of kido's with a field more."""

    shift: float = field(default=0.0, kw_only=True)

    def compute_error(self, ik: InverseKinematics) -> Any:
        return super().compute_error(ik) + self.shift


@dataclass(frozen=True, kw_only=True)
class DataclassOfKidos(TaskSpaceRegion):
    """The same as a dataclass."""

    shift: float = 0.0
    direction: np.ndarray = field(default_factory=lambda: np.zeros(3))


ERRORS: list[Any] = [Plain, Assigned, ByProperty, Fields, Required, Slotted, Declared, DataclassOfKidos]
every_error = pytest.mark.parametrize("kind", ERRORS)


def module() -> InverseKinematics:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.positions = ik.positions + 0.1
    return ik


@every_error
def test_weights_and_clamp_are_given_to_the_constructor_and_count(kind: Any) -> None:
    ik = module()
    ik.error_method = kind(shift=0.5, weights=WEIGHTS, length_clamp=0.25)
    np.testing.assert_array_equal(ik.error_method.weights, WEIGHTS)
    assert ik.error_method.length_clamp == 0.25
    weighted = WEIGHTS * ik.error
    np.testing.assert_allclose(ik.weighted_error(), weighted * min(1.0, 0.25 / np.linalg.norm(weighted)))


@every_error
def test_methods_are_equal_where_their_own_fields_are(kind: Any) -> None:
    options = {"weights": WEIGHTS, "length_clamp": 0.25}
    first, same = kind(shift=0.5, **options), kind(shift=0.5, **options)
    assert first == same and hash(first) == hash(same)
    for other in (
        kind(shift=0.4, **options),
        kind(shift=0.5, **{**options, "weights": 2.0 * WEIGHTS}),
        kind(shift=0.5, **{**options, "length_clamp": 0.3}),
    ):
        assert first != other
    subclass = type("Derived", (kind,), {})
    assert subclass(shift=0.5, **options) != first
    assert first != 0.5


@every_error
def test_methods_come_along_with_copies_and_pickles(kind: Any) -> None:
    ik = module()
    ik.error_method = kind(shift=1e-3, weights=WEIGHTS, length_clamp=0.25)
    robot = ik.node.skeleton
    for other in (robot.clone(), pickle.loads(pickle.dumps(robot))):
        method = InverseKinematics.of(other.end_effector("tool")).error_method
        assert method == ik.error_method and hash(method) == hash(ik.error_method)
        np.testing.assert_array_equal(method.weights, WEIGHTS)
        assert other.properties == robot.properties
        assert InverseKinematics.of(other.end_effector("tool")).solve() == ik.solve()


@pytest.mark.parametrize("kind", [Fields, Required, Slotted, Declared, DataclassOfKidos])
def test_methods_that_are_dataclasses_are_saved(kind: Any, tmp_path: Path) -> None:
    ik = module()
    ik.error_method = kind(shift=1e-3, weights=WEIGHTS, length_clamp=0.25)
    properties = ik.node.skeleton.properties
    properties.save(tmp_path / "robot.json")
    assert SkeletonProperties.load(tmp_path / "robot.json", types=[kind]) == properties


@pytest.mark.parametrize("kind", [Plain, Assigned, ByProperty])
def test_methods_that_cannot_be_saved_are_refused_by_name(kind: Any, tmp_path: Path) -> None:
    ik = module()
    ik.error_method = kind(shift=1e-3)
    with pytest.raises(TypeError, match=rf"error_method: expected what can be saved .*{kind.__name__}"):
        ik.node.skeleton.properties.save(tmp_path / "robot.json")


def test_an_attribute_that_is_no_field_is_refused_where_it_would_be_lost(tmp_path: Path) -> None:
    class Undeclared(PoseError):
        def __init__(self, gain: float) -> None:
            super().__init__()
            self.gain = gain

    with pytest.raises(
        AttributeError, match=r"Undeclared has no field 'gain'.* decorated with kido\.values\.value"
    ):
        Undeclared(2.0)

    class Forced(PoseError):
        def __init__(self, gain: float = 1.0, **options: Any) -> None:
            super().__init__(**options)
            object.__setattr__(self, "gain", gain)

    assert Forced(1.0) != Forced(2.0) and Forced(2.0) == Forced(2.0)

    class Renamed(PoseError):
        def __init__(self, clamp: float) -> None:
            super().__init__(length_clamp=clamp)

    for method, message in (
        (Forced(2.0), r"'gain' is no field, and would not be kept"),
        (Renamed(2.0), r"Renamed: its constructor does not take its fields: .*'clamp'"),
    ):
        ik = module()
        ik.error_method = method
        with pytest.raises(TypeError, match=message):
            pickle.dumps(ik.node.skeleton)
        with pytest.raises(TypeError, match=rf"error_method: .*{message}"):
            ik.node.skeleton.properties.save(tmp_path / "robot.json")


# ---- gradient methods


class Step(GradientMethod):
    """Options by the base's constructor."""

    def __init__(self, gain: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        self.gain = gain

    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return self.gain * np.linalg.lstsq(jacobian, error, rcond=1e-6)[0]


@dataclass(frozen=True, kw_only=True)
class StepFields(GradientMethod):
    """Options as fields, one of them required."""

    component_weights: np.ndarray
    component_clamp: float = 0.2
    gain: float = 1.0

    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return self.gain * np.linalg.lstsq(jacobian, error, rcond=1e-6)[0]


@value
class Softer(DampedLeastSquares):
    """One of kido's with a field more."""

    gain: float = field(default=1.0, kw_only=True)
    bias: Array = array(3, default=(0.0, 0.0, 0.0), kw_only=True)

    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return self.gain * super().compute_gradient(ik, error, jacobian)


GRADIENTS: list[Any] = [Step, StepFields, Softer]


@pytest.mark.parametrize("kind", GRADIENTS)
def test_gradient_methods_take_weights_and_clamps_and_are_compared(kind: Any) -> None:
    ik = module()
    ik.gradient_method = kind(gain=0.9, component_weights=(0.5, 2.0), component_clamp=0.003)
    assert ik.gradient_method.step_limits == StepLimits(component_clamp=0.003, component_weights=(0.5, 2.0))
    raw = ik.gradient_method.compute_gradient(ik, *ik.weighted_error_and_jacobian())
    factors = np.array([0.5, 2.0, 1.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(ik.gradient(), np.clip(factors * raw, -0.003, 0.003))
    same = kind(gain=0.9, component_weights=(0.5, 2.0), component_clamp=0.003)
    assert same == ik.gradient_method and hash(same) == hash(ik.gradient_method)
    assert same != kind(gain=0.8, component_weights=(0.5, 2.0), component_clamp=0.003)
    assert same != kind(gain=0.9, component_weights=(0.5, 1.0), component_clamp=0.003)
    assert same != kind(gain=0.9, component_weights=(0.5, 2.0), component_clamp=0.004)
    robot = ik.node.skeleton
    for other in (robot.clone(), pickle.loads(pickle.dumps(robot))):
        assert InverseKinematics.of(other.end_effector("tool")).gradient_method == same
        assert InverseKinematics.of(other.end_effector("tool")).solve() == ik.solve()


@value
class Checking(DampedLeastSquares):
    """One of kido's that checks something besides."""

    def _check(self) -> None:
        if self.damping > 1.0:
            raise ValueError(f"damping: expected at most 1, got {self.damping}")


@value
class Assigning(DampedLeastSquares):
    """One of kido's with a constructor of its own."""

    def __init__(self, clamp: float = 0.3) -> None:
        self._assign(damping=0.1, component_clamp=clamp, component_weights=(0.5,))


def test_methods_derived_from_kidos_have_the_limits_that_they_say() -> None:
    assert Checking(component_clamp=0.1).step_limits == StepLimits(component_clamp=0.1)
    assert Assigning().step_limits == StepLimits(component_clamp=0.3, component_weights=(0.5,))
    assert Assigning() == Assigning() != Assigning(0.4)


# ---- analytical methods


class Known(Analytical):
    """Knows one solution."""

    def __init__(self, solution: Any, **options: Any) -> None:
        super().__init__(**options)
        self.solution = np.array(solution)

    def analytical_dofs(self, ik: InverseKinematics) -> Any:
        return ik.dofs

    def compute_solutions(self, ik: InverseKinematics, desired: Any) -> Any:
        return self.solution[None]


def largest_first(a: Any, b: Any, ik: Any) -> bool:
    return bool(a[0] > b[0])


def test_analytical_methods_take_their_options_by_constructor() -> None:
    method = Known(np.zeros(6))
    assert method.extra_dof_utilization is ExtraDofUtilization.UNUSED
    assert method.extra_error_length_clamp == 1.0 and method.better is None
    assert method.component_clamp == math.inf and len(method.component_weights) == 0
    options: dict[str, Any] = {
        "extra_dof_utilization": PRE,
        "extra_error_length_clamp": 0.5,
        "better": largest_first,
        "component_clamp": 0.1,
        "component_weights": [1.0, 2.0],
    }
    set_up = Known(np.zeros(6), **options)
    for name, option in options.items():
        assert np.array_equal(getattr(set_up, name), option), name
        assert Known(np.zeros(6), **{name: option}) != method
    assert set_up == Known(np.zeros(6), **options) and hash(set_up) == hash(Known(np.zeros(6), **options))
    assert pickle.loads(pickle.dumps(set_up)) == set_up


@dataclass(frozen=True, kw_only=True)
class Late(Known):
    """Options as fields."""

    solution: np.ndarray
    extra_dof_utilization: ExtraDofUtilization = ExtraDofUtilization.POST_ANALYTICAL
    better: Any = None


def test_analytical_methods_take_their_options_as_fields() -> None:
    late = Late(solution=np.zeros(6), better=largest_first)
    assert late.extra_dof_utilization is ExtraDofUtilization.POST_ANALYTICAL and late.better is largest_first
    assert (
        replace(late, extra_dof_utilization=PRE) != late == Late(solution=np.zeros(6), better=largest_first)
    )


@value
class Ours(ClosedFormMethod):
    """One of kido's with another order of solutions."""

    limit: float = field(default=0.0, kw_only=True)


def test_a_closed_form_of_a_users_own_keeps_its_options() -> None:
    ik = InverseKinematics.of(kido.load("examples/arm.urdf").body("tool"))
    ik.gradient_method = Ours(extra_dof_utilization=PRE, limit=0.3)
    other = pickle.loads(pickle.dumps(ik.node.skeleton)).body("tool").addon(InverseKinematics)
    assert other.gradient_method == Ours(extra_dof_utilization=PRE, limit=0.3) != Ours(limit=0.3)
    assert other.solve() == ik.solve()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Plain(0.0, weights=[1.0, -1.0]), "weights"),
        (lambda: Plain(0.0, weights="heavy"), "weights"),
        (lambda: Plain(0.0, length_clamp=0.0), "length_clamp"),
        (lambda: Step(component_weights=[-1.0]), "component_weights"),
        (lambda: Step(component_clamp=-1.0), "component_clamp"),
        (lambda: Known([0.0], extra_dof_utilization="after"), "extra_dof_utilization"),
        (lambda: Known([0.0], extra_error_length_clamp=0.0), "extra_error_length_clamp"),
        (lambda: Known([0.0], better="first"), "better"),
    ],
)
def test_options_that_are_none_are_refused_by_name(make: Callable[[], object], name: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"^{name}"):
        make()
