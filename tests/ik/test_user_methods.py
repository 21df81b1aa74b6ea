"""Methods that users write: what they return wrongly is refused by name, and what they raise comes out as it
is."""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import kido
from kido import InverseKinematics, gallery
from kido.ik import Analytical, ErrorMethod, GradientMethod, IKFunction, IKResult, IKStatus, WholeBodyIK


class Plain(ErrorMethod):
    """The displacement of the node's point."""

    def compute_error(self, ik: InverseKinematics) -> Any:
        return np.r_[np.zeros(3), ik.transform()[:3, 3] - ik.target.transform()[:3, 3]]


def with_method(base: type, name: str, wrong: Any) -> Any:
    """An instance of a class derived from a base, one of whose methods or properties returns `wrong`."""
    member: Any = property(lambda self: wrong) if isinstance(getattr(base, name), property) else None
    return type("Mine", (base,), {name: member or (lambda self, *args: wrong)})()


def module() -> InverseKinematics:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    ik.target.set_transform(ik.transform())
    ik.positions = ik.positions + 0.1
    return ik


Solve = Callable[[InverseKinematics], object]


def by_problem(ik: InverseKinematics) -> object:
    ik.solver = kido.optimize.SciPySolver()
    return ik.solve()


def by_hierarchy(ik: InverseKinematics) -> object:
    return WholeBodyIK(ik.node.skeleton).solve()


WRONG_ERRORS = [
    ("compute_error", "far", InverseKinematics.solve),
    ("compute_error", np.zeros((2, 3)), InverseKinematics.solve),
    ("compute_error", [1j] * 6, InverseKinematics.solve),
    ("compute_error", ["0.5"] * 6, by_hierarchy),
    ("compute_error", np.ma.masked_array(np.ones(6), [1, 0, 0, 0, 0, 0]), InverseKinematics.solve),
    ("compute_error", [0.0, 0.0, 0.0, np.nan, 0.0, 0.0], InverseKinematics.solve),
    ("compute_error", np.array([0.0, 0.0, 0.0, np.inf, -np.inf, 0.0]), by_hierarchy),
    ("compute_jacobian", "J", InverseKinematics.solve),
    ("compute_jacobian", np.where(np.eye(6) > 0.0, np.inf, 0.0), InverseKinematics.solve),
    ("compute_jacobian", np.asfortranarray(np.full((6, 6), np.nan)), by_hierarchy),
    ("compute_jacobian", np.zeros((6, 2)), InverseKinematics.solve),
    ("weights", "heavy", InverseKinematics.solve),
    ("weights", [1.0, 1.0], InverseKinematics.solve),
    ("weights", ["1"] * 6, by_hierarchy),
    ("length_clamp", "1.0", InverseKinematics.weighted_error),
    ("axes", "world", InverseKinematics.solve),
    ("axes", None, lambda ik: ik.solve_batch(np.eye(4)[None])),
    ("region", "anywhere", InverseKinematics.solve),
    ("lengths", "short", InverseKinematics.solve),
    ("lengths", (1.0, 2.0, 3.0), by_hierarchy),
    ("compute_constraint", "c", by_problem),
    ("compute_constraint_jacobian", np.zeros(6), by_problem),
]


@pytest.mark.parametrize(("name", "wrong", "solve"), WRONG_ERRORS)
def test_error_methods_that_return_what_they_must_not_are_named(name: str, wrong: Any, solve: Solve) -> None:
    ik = module()
    ik.error_method = with_method(Plain, name, wrong)
    named = "compute_jacobian" if name == "compute_constraint_jacobian" else name
    with pytest.raises((TypeError, ValueError), match=rf"^Mine\.{named}: expected "):
        solve(ik)


class Converted(Plain):
    """The same as other arrays."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        super().__init__()
        self.convert = convert

    def compute_error(self, ik: InverseKinematics) -> Any:
        return self.convert(super().compute_error(ik))

    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        return self.convert(np.concatenate([np.zeros((3, len(ik.dofs))), ik.jacobian()[3:]]))


@pytest.mark.parametrize(
    "convert",
    [
        np.ndarray.tolist,
        np.asfortranarray,
        lambda array: array.astype(">f8"),
        lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
        lambda array: np.frombuffer(b"-" + array.tobytes(), np.uint8)[1:].view(float).reshape(array.shape),
        lambda array: array.view(np.memmap),
        lambda array: np.ma.masked_array(array),
    ],
    ids=[
        "lists",
        "columns first",
        "big endian",
        "every other",
        "at an odd address",
        "memmap",
        "nothing masked",
    ],
)
def test_numbers_in_other_arrays_lead_to_the_same_answer(convert: Callable[[Any], Any]) -> None:
    ik = module()
    ik.error_method = Converted(lambda array: array)
    expected = ik.solve()
    assert expected.success and expected.iterations > 1
    ik.error_method = Converted(convert)
    assert ik.solve() == expected


def test_arrays_that_a_method_keeps_are_not_handed_out() -> None:
    class Keeping(Plain):
        kept: ClassVar[list[Any]] = []

        def compute_error(self, ik: InverseKinematics) -> Any:
            self.kept.append(super().compute_error(ik))
            return self.kept[-1]

        def compute_jacobian(self, ik: InverseKinematics) -> Any:
            self.kept.append(np.concatenate([np.zeros((3, len(ik.dofs))), ik.jacobian()[3:]]))
            return self.kept[-1]

        def lengths(self, ik: InverseKinematics, error: Any) -> tuple[float, float]:
            length = float(np.linalg.norm(error))
            error[:] = np.nan
            return 0.0, length

    class Overwriting(GradientMethod):
        def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
            step = jacobian.T @ error
            error[:] = jacobian[:] = np.nan
            return step

    ik = module()
    ik.error_method, ik.gradient_method = Keeping(), Overwriting()
    ik.settings = kido.SearchSettings(max_starts=1, mirrors=0, max_iterations=5)
    ik.solve()
    ik.gradient()
    assert len(Keeping.kept) > 5
    assert all(np.isfinite(array).all() for array in Keeping.kept)


@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_an_error_is_asked_for_once_wherever_the_robot_is(offset: float) -> None:
    asked: list[bytes] = []

    class Told(Plain):
        def compute_error(self, ik: InverseKinematics) -> Any:
            asked.append(ik.node.skeleton.positions.tobytes())
            return super().compute_error(ik)

        def compute_jacobian(self, ik: InverseKinematics) -> Any:
            J = ik.jacobian()
            J[:3] = 0.0
            return J

    ik = module()
    ik.error_method = Told()
    ik.target.set_translation(ik.transform()[:3, 3] + [-0.1, 0.1, offset])
    ik.settings = kido.SearchSettings(max_starts=1, mirrors=0)
    result = ik.solve()
    assert result.success == (offset == 0.0)
    steps = asked[: result.iterations + 1]
    assert len(steps) > 3 and all(a != b for a, b in itertools.pairwise(steps))


def test_an_error_that_changes_its_size_is_refused() -> None:
    class Growing(ErrorMethod):
        size = 3

        def compute_error(self, ik: InverseKinematics) -> Any:
            Growing.size += 1
            return np.ones(Growing.size)

        def compute_jacobian(self, ik: InverseKinematics) -> Any:
            return np.ones((Growing.size, len(ik.dofs)))

    ik = module()
    ik.error_method = Growing()
    with pytest.raises(ValueError, match=r"^Growing\.compute_error: expected shape"):
        ik.solve()


def test_an_error_that_changes_its_size_among_differences_is_refused() -> None:
    class Shrinking(ErrorMethod):
        asked = 0

        def compute_error(self, ik: InverseKinematics) -> Any:
            Shrinking.asked += 1
            return np.ones(6 if Shrinking.asked < 10 else 5)

    ik = module()
    ik.error_method = Shrinking()
    with pytest.raises(ValueError, match=r"^Shrinking\.compute_error: expected shape \(6,\).*got \(5,\)"):
        ik.solve()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("compute_gradient", "down"),
        ("compute_gradient", np.zeros(2)),
        ("compute_gradient", np.array([0.1, np.nan, 0.1, 0.1, 0.1, 0.1])),
        ("compute_gradient", np.full(7, 0.1)),
        ("component_weights", "1"),
        ("component_weights", np.zeros((0, 3))),
        ("component_weights", np.array([1.0, -1.0])),
        ("component_clamp", "0.2"),
        ("component_clamp", -1.0),
        ("component_clamp", float("nan")),
        ("solve_directly", np.zeros(6)),
        ("error_method_for", "pose"),
    ],
)
def test_gradient_methods_that_return_what_they_must_not_are_named(name: str, wrong: Any) -> None:
    class Transpose(GradientMethod):
        def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
            return jacobian.T @ error

    ik = module()
    with pytest.raises((TypeError, ValueError), match=rf"^Mine\.{name}: expected "):
        ik.gradient_method = with_method(Transpose, name, wrong)
        ik.solve()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("compute_solutions", 3),
        ("compute_solutions", ["abcdef"]),
        ("analytical_dofs", 5),
        ("extra_dof_utilization", "after"),
        ("better", lambda a, b, ik: "yes"),
    ],
)
def test_analytical_methods_that_return_what_they_must_not_are_named(name: str, wrong: Any) -> None:
    class Zeros(Analytical):
        def analytical_dofs(self, ik: InverseKinematics) -> Any:
            return ik.dofs

        def compute_solutions(self, ik: InverseKinematics, desired: Any) -> Any:
            return np.array([np.zeros(len(ik.dofs)), np.ones(len(ik.dofs))])

    ik = module()
    with pytest.raises((TypeError, ValueError), match=rf"{name}(\[0\])?: expected "):
        ik.gradient_method = with_method(Zeros, name, wrong)
        ik.solve()


def test_a_function_that_copies_itself_to_no_function_is_named() -> None:
    class Mine(IKFunction):
        def value(self, x: Any) -> float:
            return 0.0

        def copied_to(self, ik: Any) -> Any:
            return "copy"

    ik = module()
    ik.objective = Mine()
    with pytest.raises(TypeError, match=r"^Mine\.copied_to: expected a Function, got str"):
        ik.clone(ik.node)


class OwnError(ValueError):
    """An exception that takes more than a message."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@pytest.mark.parametrize("solve", [InverseKinematics.solve, by_problem, by_hierarchy])
@pytest.mark.parametrize("error", [OwnError(7, "mine"), MemoryError("mine"), KeyboardInterrupt("mine")])
def test_what_a_method_raises_keeps_its_type_and_traceback(solve: Solve, error: BaseException) -> None:
    class Raising(Plain):
        def compute_error(self, ik: InverseKinematics) -> Any:
            raise error

    ik = module()
    ik.error_method = Raising()
    before = ik.positions
    with pytest.raises(type(error)) as caught:
        solve(ik)
    assert caught.value is error
    assert traceback.extract_tb(error.__traceback__)[-1].name == "compute_error"
    np.testing.assert_array_equal(ik.positions, before)


@pytest.mark.parametrize(
    "wrong", [np.ones((4, 4)) * 1j, [["1"] * 4] * 4, np.ma.masked_array(np.eye(4), np.eye(4))]
)
def test_closed_forms_refuse_what_are_no_real_numbers(wrong: Any) -> None:
    form = kido.ik.ClosedForm.from_axes(np.eye(3), np.zeros((3, 3)))
    for ask in (form.solve, form.solve_all):
        with pytest.raises((TypeError, ValueError), match=r"^targets?: expected real numbers"):
            ask(wrong)


@pytest.mark.parametrize(
    "wrong", [["1", "2"], b"12", np.array([1j, 0]), np.ma.masked_array([1.0, 2.0], [1, 0])]
)
def test_positions_to_wrap_that_are_no_real_numbers_are_refused(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^positions: expected real numbers"):
        kido.ik.wrapped_into_limits(wrong, [0, 0], [1, 1], [0, 0], [True, True])


class Fixed(GradientMethod):
    """Positions that are known without a search."""

    def compute_gradient(self, ik: Any, error: Any, jacobian: Any) -> Any:
        return np.zeros(jacobian.shape[1])

    def solve_directly(self, ik: InverseKinematics) -> IKResult:
        names = tuple(dof.name for dof in ik.dofs)
        return IKResult(0.01 * np.arange(len(names)), names, IKStatus.SOLVED, 0.0, 0.0, 0, 0, method="Fixed")


def test_answers_of_a_method_itself_are_applied_to_the_dofs_as_they_are_now() -> None:
    ik = module()
    ik.solve()
    ik.gradient_method = Fixed()
    ik.dofs = ik.dofs[::-1]
    result = ik.solve_and_apply()
    assert result.method == "Fixed"
    np.testing.assert_array_equal(ik.positions, result.positions)
    assert ik.node.skeleton.dof(result.dof_names[-1]).position == 0.01 * (len(result.dof_names) - 1)
