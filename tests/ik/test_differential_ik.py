"""The velocity in a given direction: against Drake, against another solver, and by its own conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _effort import examples
from numpy.typing import NDArray

from kido.ik import DifferentialIKParameters, DifferentialIKStatus, differential_ik
from kido.optimize import QuadraticProgram

Array = NDArray[np.float64]


def null_space(J: Array) -> Array:
    """An orthonormal basis (k, n), by rows."""
    _, values, rows = np.linalg.svd(J)
    rank = int(np.sum(values > 1e-10 * max(values.max(initial=0.0), 1e-300)))
    return rows[rank:]


class Case:
    """A random program with `dofs` unknowns and `rows` rows of J."""

    def __init__(self, rng: np.random.Generator, dofs: int, rows: int, positions: int | None = None) -> None:
        self.n, self.nq = dofs, positions or dofs
        self.q, self.v = rng.uniform(-1.0, 1.0, self.nq), rng.uniform(-0.5, 0.5, dofs)
        self.V, self.J = rng.normal(size=rows), rng.normal(size=(rows, dofs))
        self.N = np.eye(dofs) if positions is None else rng.normal(size=(self.nq, dofs))
        self.N_inverse = np.linalg.pinv(self.N)
        self.dt = float(rng.choice([0.01, 0.1, 1.0]))
        self.nominal, self.K = rng.uniform(-1.0, 1.0, self.nq), rng.uniform(0.0, 1.0) * np.eye(self.nq)
        self.parameters = DifferentialIKParameters(
            self.nq, dofs, time_step=self.dt, nominal_positions=self.nominal, centering_gain=self.K
        )
        if rng.random() < 0.7:
            reach = rng.uniform(0.01, 1.0, self.nq)
            self.parameters.position_limits = (self.q - reach, self.q + rng.uniform(0.01, 1.0, self.nq))
        if rng.random() < 0.7:
            self.parameters.velocity_limits = (-rng.uniform(0.5, 1.0, dofs), rng.uniform(0.5, 1.0, dofs))
        if rng.random() < 0.4:
            most = (np.abs(self.v) / self.dt).max() + rng.uniform(0.1, 1.0, dofs)
            self.parameters.acceleration_limits = (-most, most)
        if rng.random() < 0.3:
            self.parameters.add_linear_velocity_constraint(rng.normal(size=(2, dofs)), -0.5, 0.4)

    def solve(self) -> Any:
        maps = {} if self.nq == self.n else {"N": self.N, "N_inverse": self.N_inverse}
        return differential_ik(self.q, self.v, self.V, self.J, self.parameters, **maps)

    def rows(self) -> tuple[Array, Array, Array]:
        """All limits of v as rows: G, lower, upper."""
        p, parts = self.parameters, [(np.zeros((0, self.n)), np.zeros(0), np.zeros(0))]
        if p.position_limits is not None:
            parts.append((self.N * self.dt, *(bound - self.q for bound in p.position_limits)))
        if p.velocity_limits is not None:
            parts.append((np.eye(self.n), *p.velocity_limits))
        if p.acceleration_limits is not None:
            parts.append((np.eye(self.n), *(self.v + bound * self.dt for bound in p.acceleration_limits)))
        parts += [(row.A, row.lower, row.upper) for row in p.linear_velocity_constraints]
        G, lower, upper = (np.concatenate(part) for part in zip(*parts, strict=True))
        return G, lower, upper

    def program(self) -> QuadraticProgram:
        """The program of the definition, of v and alpha."""
        P = null_space(self.J)
        H, g = np.zeros((self.n + 1, self.n + 1)), np.zeros(self.n + 1)
        H[: self.n, : self.n] = 2.0 * P.T @ P
        g[: self.n] = -2.0 * P.T @ P @ self.N_inverse @ self.K @ (self.nominal - self.q)
        g[self.n] = -100.0
        G, lower, upper = self.rows()
        k = len(self.V)
        return QuadraticProgram(
            H,
            g,
            np.block([[self.J, -self.V[:, None]], [G, np.zeros((len(G), 1))]]),
            row_lower=np.concatenate([np.zeros(k), lower]),
            row_upper=np.concatenate([np.zeros(k), upper]),
            lower=np.append(np.full(self.n, -np.inf), 0.0),
            upper=np.append(np.full(self.n, np.inf), 1.0),
        )


SHAPES = [
    (7, 6, None),
    (6, 6, None),
    (3, 6, None),
    (9, 3, None),
    (4, 0, None),
    (6, 4, 8),
    (5, 5, 7),
    (7, 1, None),
]


@pytest.mark.parametrize("method", ["daqp", "native"])
@pytest.mark.parametrize(("dofs", "rows", "positions"), SHAPES)
def test_the_objective_is_that_of_the_whole_program(
    dofs: int, rows: int, positions: int | None, method: Any
) -> None:
    rng = np.random.default_rng(dofs + 10 * rows)
    for _ in range(examples(40)):
        case = Case(rng, dofs, rows, positions)
        result, program = case.solve(), case.program()
        assert result.status is not DifferentialIKStatus.NO_SOLUTION
        mine = np.append(result.velocities, result.alpha)
        assert program.violation(mine) <= 1e-9
        expected = program.solve(method=method)
        if method == "daqp" and (not expected.success or program.violation(expected.x) > 1e-8):
            continue  # it gives up on some with equations and a singular H
        assert expected.success
        # A sum of 100 alpha and squares: whoever is lower is nearer to the optimum.
        assert program.value(mine) <= program.value(expected.x) + 1e-5
        if method == "native":
            np.testing.assert_allclose(mine, expected.x, atol=1e-6)


@pytest.mark.parametrize(("dofs", "rows", "positions"), SHAPES)
def test_drake_finds_nothing_better(dofs: int, rows: int, positions: int | None) -> None:
    """With OSQP's tolerances; its velocities are the same where the null space has one dimension at most, for
    its P is not orthonormal."""
    from pydrake.multibody import inverse_kinematics as drake

    rng = np.random.default_rng(100 + dofs + 10 * rows)
    for _ in range(examples(40)):
        case = Case(rng, dofs, rows, positions)
        case.parameters.clear_linear_velocity_constraints()
        if positions is not None:
            case.parameters.acceleration_limits = None  # Drake takes those of as many positions only
        p, theirs = case.parameters, drake.DifferentialInverseKinematicsParameters(case.nq, case.n)
        theirs.set_time_step(case.dt)
        theirs.set_nominal_joint_position(case.nominal)
        theirs.set_joint_centering_gain(case.K)
        for name in ("position", "velocity", "acceleration"):
            limits = getattr(p, f"{name}_limits")
            if limits is not None:
                getattr(theirs, f"set_joint_{name}_limits")(limits)
        maps = [] if positions is None else [np.asfortranarray(case.N), np.asfortranarray(case.N_inverse)]
        expected = drake.DoDifferentialInverseKinematics(case.q, case.v, case.V, case.J, theirs, *maps)
        result = case.solve()
        assert result.status is not DifferentialIKStatus.NO_SOLUTION
        if expected.joint_velocities is None:
            continue  # OSQP's iterations ran out
        alpha = float(case.V @ (case.J @ expected.joint_velocities)) / float(case.V @ case.V) if rows else 1.0
        assert result.alpha >= alpha - 2e-2
        unique = abs(alpha - result.alpha) < 1e-3 and dofs - np.linalg.matrix_rank(case.J) <= 1
        same = np.allclose(result.velocities, expected.joint_velocities, rtol=1e-7, atol=3e-2)
        if unique and not same:
            # OSQP has stopped early: by the objective, kido's velocities are the better ones.
            program = case.program()
            mine = np.append(result.velocities, result.alpha)
            assert program.violation(mine) <= 1e-9
            assert program.value(mine) < program.value(np.append(expected.joint_velocities, alpha))


def test_alpha_scales_the_direction_down() -> None:
    parameters = DifferentialIKParameters(2, velocity_limits=([-1.0, -1.0], [1.0, 1.0]))
    result = differential_ik([0.0, 0.0], [0.0, 0.0], [4.0, 2.0], np.eye(2), parameters)
    assert result.alpha == pytest.approx(0.25)
    np.testing.assert_allclose(result.velocities, [1.0, 0.5])
    assert result.success
    assert [(limit.kind, limit.number, limit.side) for limit in result.active_limits] == [
        ("velocity", 0, "upper")
    ]


@pytest.mark.parametrize("kind", ["position", "velocity", "acceleration", "linear velocity"])
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_active_limits_are_named(kind: str, side: str) -> None:
    parameters = DifferentialIKParameters(2, time_step=0.5)
    bounds = [np.full(2, -0.25), np.full(2, 0.25)]
    if kind == "position":
        parameters.position_limits = tuple(bound * 0.5 for bound in bounds)
    elif kind == "velocity":
        parameters.velocity_limits = tuple(bounds)
    elif kind == "acceleration":
        parameters.acceleration_limits = tuple(bound * 2.0 for bound in bounds)
    else:
        parameters.add_linear_velocity_constraint(np.eye(2)[1], -0.25, 0.25)
    V = np.array([0.1, 0.5 if side == "upper" else -0.5])
    result = differential_ik(np.zeros(2), np.zeros(2), V, np.eye(2), parameters)
    assert result.alpha == pytest.approx(0.5)
    index = 0 if kind == "linear velocity" else 1
    assert result.active_limits == ((kind, index, side),)


def test_a_velocity_out_of_range_is_stuck() -> None:
    """J has no such row space: the null space still pulls to the nominal positions."""
    parameters = DifferentialIKParameters(2, nominal_positions=[0.0, 1.0], centering_gain=0.5 * np.eye(2))
    result = differential_ik([0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [[1.0, 0.0], [0.0, 0.0]], parameters)
    assert result.status is DifferentialIKStatus.STUCK
    assert result.alpha == 0.0
    np.testing.assert_allclose(result.velocities, [0.0, 0.5], atol=1e-12)


def test_limits_that_no_step_can_keep_have_no_solution() -> None:
    parameters = DifferentialIKParameters(
        1, time_step=0.1, position_limits=([0.0], [1.0]), velocity_limits=([-1.0], [1.0])
    )
    result = differential_ik([2.0], [0.0], [1.0], [[1.0]], parameters)
    assert result.status is DifferentialIKStatus.NO_SOLUTION
    assert result.velocities is None
    assert result.active_limits == ()


def test_equations_among_linear_constraints_hold() -> None:
    parameters = DifferentialIKParameters(3)
    parameters.add_linear_velocity_constraint([1.0, -2.0, 0.0], 0.0, 0.0)
    result = differential_ik(np.zeros(3), np.zeros(3), [1.0], [[1.0, 1.0, 1.0]], parameters)
    assert result.alpha == pytest.approx(1.0)
    v = result.velocities
    assert v[0] == pytest.approx(2.0 * v[1])
    assert v.sum() == pytest.approx(1.0)
    assert len(parameters.linear_velocity_constraints) == 1
    parameters.clear_linear_velocity_constraints()
    assert parameters.linear_velocity_constraints == ()
    v = differential_ik(np.zeros(3), np.zeros(3), [1.0], [[1.0, 1.0, 1.0]], parameters).velocities
    np.testing.assert_allclose(v, np.full(3, 1.0 / 3.0), atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"V": np.zeros(3)}, "V: expected as many numbers as J has rows, 2, got 3"),
        ({"J": np.zeros((2, 3))}, "J: expected shape"),
        ({"q": np.zeros(3)}, "q: expected shape"),
        ({"q": [np.nan, 0.0]}, "q: expected finite numbers"),
        ({"v": np.zeros(1)}, "v: expected shape"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    given = {"q": np.zeros(2), "v": np.zeros(2), "V": np.zeros(2), "J": np.eye(2), **change}
    with pytest.raises(ValueError, match=message):
        differential_ik(*(given[name] for name in "qvVJ"), DifferentialIKParameters(2))


def test_maps_between_positions_and_velocities_are_asked_for() -> None:
    parameters = DifferentialIKParameters(3, 2)
    arguments = (np.zeros(3), np.zeros(2), [1.0], [[1.0, 0.0]], parameters)
    with pytest.raises(ValueError, match="N_inverse: expected a matrix, for J has a null space"):
        differential_ik(*arguments)
    full = (np.zeros(3), np.zeros(2), [1.0, 0.0], np.eye(2), parameters)
    assert differential_ik(*full).success
    parameters.position_limits = (-np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="N: expected a matrix, for there are position limits"):
        differential_ik(*full)
    assert differential_ik(*full, N=np.ones((3, 2))).success


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"time_step": 0.0}, "time_step: expected"),
        ({"velocity_limits": ([1.0, 0.0], [0.0, 0.0])}, "velocity_limits: expected lower at most upper"),
        ({"velocity_limits": ([1.0], [2.0])}, "velocity_limits: expected shape"),
        ({"position_limits": ([0.0, 0.0],)}, r"position_limits: expected \(lower, upper\)"),
        ({"velocity_limits": np.ones(3)}, r"velocity_limits: expected \(lower, upper\), got \[1.0, 1.0"),
        ({"acceleration_limits": 2.0}, r"acceleration_limits: expected \(lower, upper\), got 2.0"),
        ({"centering_gain": np.eye(3)}, "centering_gain: expected shape"),
        ({"velocity_flags": (True,) * 5}, "velocity_flags: expected 6"),
        ({"angular_speed_limit": -1.0}, "angular_speed_limit: expected 0 or above"),
        ({"translational_velocity_limits": (np.ones(3), np.zeros(3))}, "translational_velocity_limits"),
        ({"maximum_scaling_to_report_stuck": 2.0}, "maximum_scaling_to_report_stuck"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DifferentialIKParameters(2, **settings)


def test_parameters_that_were_refused_have_not_changed() -> None:
    parameters = DifferentialIKParameters(2, time_step=0.5)
    with pytest.raises(ValueError, match="time_step"):
        parameters.time_step = -1.0
    with pytest.raises(AttributeError):
        parameters.step = 1.0  # type: ignore[attr-defined]
    assert parameters.time_step == 0.5


def test_parameters_are_copied_and_pickled() -> None:
    import copy
    import pickle

    parameters = DifferentialIKParameters(3, 2, time_step=0.5, velocity_limits=([-1.0, -2.0], [1.0, 2.0]))
    parameters.add_linear_velocity_constraint([1.0, 1.0], 0.0, 1.0)
    for again in (copy.copy(parameters), copy.deepcopy(parameters), pickle.loads(pickle.dumps(parameters))):
        assert again == parameters
        again.time_step = 1.0
        assert again != parameters
        again.clear_linear_velocity_constraints()
    assert parameters.time_step == 0.5
    assert len(parameters.linear_velocity_constraints) == 1
