"""Trees with bodies that gravity leaves alone, and what every method of one with user joints owes."""

from __future__ import annotations

import pickle
import re
from functools import cache

import numpy as np
import pytest
from _methods import PLAIN_METHODS, SHAPES, Method, at_body
from _moving_skeletons import add_wrenches, branched, set_moving, skeleton_of
from _own_joints import with_own_joints
from _random_trees import Array, along, assert_near

import kido

EXACT = 1e-11
SOLVED = 1e-9
DIFFERENCED = 1e-7

UNITS = {
    "q": "[rad, m]",
    "q0": "[rad, m]",
    "q1": "[rad, m]",
    "v": "[rad/s, m/s]",
    "a": "[rad/s^2, m/s^2]",
    "tau": "[N m, N]",
    "wrenches": "[N m, N]",
}
NOT_NUMBERS = {
    "text": "abc",
    "ragged list": [[1.0, 2.0], [3.0]],
    "nothing": None,
    "complex": np.zeros(3, complex),
    "objects": np.array([1.0, None]),
    "dates": np.zeros(3, "M8[s]"),
    "a function": len,
}

every_seed = pytest.mark.parametrize("seed", range(3))
every_method = pytest.mark.parametrize("method", [at_body(method, 1) for method in PLAIN_METHODS], ids=str)


# ---- bodies without gravity


def pair(seed: int) -> tuple[kido.Skeleton, kido.Skeleton]:
    """A moving skeleton, and the same with some bodies that gravity leaves alone."""
    full, partial = branched(seed), branched(seed)
    for body in partial.bodies[1::3]:
        body.gravity_mode = False
    assert type(partial.tree) is kido.Tree
    return full, partial


@every_seed
def test_gravity_does_not_pull_at_weightless_bodies(seed: int) -> None:
    _, s = pair(seed)
    expected = np.zeros(s.num_dofs)
    for body in s.bodies:
        if body.gravity_mode:
            expected -= s.linear_jacobian(body, body.local_com).T @ (body.mass * s.gravity)
    assert_near(s.gravity_forces, expected, EXACT)


@every_seed
def test_all_but_gravity_is_as_with_weight(seed: int) -> None:
    full, partial = pair(seed)
    for name in ("mass_matrix", "inverse_mass_matrix", "coriolis_forces", "kinetic_energy"):
        assert_near(getattr(partial, name), getattr(full, name), SOLVED)
    for name in (
        "com",
        "com_linear_velocity",
        "com_linear_acceleration",
        "linear_momentum",
        "angular_momentum",
    ):
        assert_near(getattr(partial, name)(), getattr(full, name)(), EXACT)
    assert_near(partial.body(4).spatial_acceleration(), full.body(4).spatial_acceleration(), 0.0)
    p = np.arange(1.0, full.num_dofs + 1.0)
    assert_near(partial.velocity_changes(p), full.velocity_changes(p), SOLVED)
    difference = full.gravity_forces - partial.gravity_forces
    assert_near(partial.coriolis_and_gravity_forces, full.coriolis_and_gravity_forces - difference, EXACT)
    for s in (full, partial):
        s.compute_inverse_dynamics()
    assert_near(partial.forces, full.forces - difference, EXACT)


@every_seed
def test_forward_dynamics_lacks_the_weight_of_weightless_bodies(seed: int) -> None:
    _, s = pair(seed)
    add_wrenches(s, seed)
    s.commands = np.random.default_rng(seed).uniform(-3.0, 3.0, s.num_dofs)
    s.compute_forward_dynamics()
    right = s.commands + s.external_forces - s.coriolis_forces - s.gravity_forces
    assert_near(s.mass_matrix @ s.accelerations, right, SOLVED)
    assert_near(s.forces, s.commands, 0.0)


@every_seed
def test_potential_energy_is_without_weightless_bodies_and_its_slope_is_the_gravity_forces(seed: int) -> None:
    _, s = pair(seed)
    expected = -sum(body.mass * s.gravity @ body.com() for body in s.bodies if body.gravity_mode)
    assert_near(s.potential_energy, expected, EXACT)
    slope = along(s.tree, s.positions, s.tree.potential_energy)
    assert_near(s.gravity_forces, slope, DIFFERENCED)


def test_a_weightless_body_alone_floats() -> None:
    s = kido.Skeleton("s")
    body = s.add_body("body", inertia=kido.Inertia(2.0, (0.1, 0.2, 0.3), np.eye(3)))
    body.gravity_mode = False
    s.compute_forward_dynamics()
    assert_near(s.accelerations, np.zeros(6), EXACT)
    body.gravity_mode = True
    s.compute_forward_dynamics()
    assert_near(s.com_linear_acceleration(), s.gravity, EXACT)


@every_seed
def test_batches_of_dynamics_are_rows_of_single_answers(seed: int) -> None:
    _, s = pair(seed)
    tree, rng, n = s.tree, np.random.default_rng(seed), s.num_dofs
    q, v, a = rng.uniform(-1.0, 1.0, (3, 4, n))
    wrenches = rng.uniform(-1.0, 1.0, (tree.num_bodies, 6))
    for name in ("inverse_dynamics", "forward_dynamics"):
        batch = getattr(tree, name)(q, v, a, wrenches)
        rows = [getattr(tree, name)(*row, wrenches) for row in zip(q, v, a, strict=True)]
        assert_near(batch, rows, EXACT)
    for name in ("gravity_forces", "potential_energy"):
        assert_near(getattr(tree, name)(q), [getattr(tree, name)(row) for row in q], EXACT)


def test_bodies_welded_into_one_link_weigh_each_by_itself() -> None:
    """Two masses on one arm about y: gravity turns it by the one on which it acts, both resist."""
    s = kido.Skeleton("arm")
    arm = s.add_body("arm", joint=kido.RevoluteJoint("hinge", axis=(0.0, 1.0, 0.0)), inertia=None)
    for name, mass, x in (("heavy", 3.0, 0.5), ("light", 2.0, -0.7)):
        s.add_body(name, arm, kido.WeldJoint(), inertia=kido.Inertia(mass, (x, 0.1, 0.2), 1e-9 * np.eye(3)))
    s.body("light").gravity_mode = False
    tree, q = s.tree, np.array([0.4])
    assert tree.num_links == 1
    turned = 0.5 * np.cos(0.4) + 0.2 * np.sin(0.4)
    height = 0.2 * np.cos(0.4) - 0.5 * np.sin(0.4)
    inertia = 3.0 * (0.5**2 + 0.2**2) + 2.0 * (0.7**2 + 0.2**2)
    assert_near(tree.gravity_forces(q), [-3.0 * 9.81 * turned], EXACT)
    assert_near(tree.potential_energy(q), 3.0 * 9.81 * height, EXACT)
    zero = np.zeros(1)
    assert_near(tree.forward_dynamics(q, zero, zero), [3.0 * 9.81 * turned / inertia], 1e-7)
    along_q, _, _ = tree.inverse_dynamics_derivatives(q, zero, zero)
    assert_near(along_q, [[-3.0 * 9.81 * height]], EXACT)


@every_seed
@pytest.mark.parametrize("loaded", [False, True])
def test_dynamics_of_partly_weightless_trees_undo_each_other(seed: int, loaded: bool) -> None:
    _, s = pair(seed)
    tree, rng, n = s.tree, np.random.default_rng(seed), s.num_dofs
    q, v, tau = rng.uniform(-1.0, 1.0, (3, 9, n))
    wrenches = rng.uniform(-5.0, 5.0, (9, tree.num_bodies, 6)) if loaded else None
    a = tree.forward_dynamics(q, v, tau, wrenches)
    assert_near(tree.inverse_dynamics(q, v, a, wrenches), tau, SOLVED)
    prescribed = np.arange(n) % 3 == 1
    mixed, forces = tree.hybrid_dynamics(q, v, tau, a, wrenches, prescribed=prescribed)
    assert_near(mixed, a, SOLVED)
    assert_near(forces, tau, SOLVED)
    free = np.zeros(n, dtype=bool)
    floating, _ = tree.hybrid_dynamics(q, v, tau, a, wrenches, prescribed=free, gravity=False)
    assert_near(tree.inverse_dynamics(q, v, floating, wrenches), tau + tree.gravity_forces(q), SOLVED)


@every_seed
def test_one_weightless_state_and_a_batch_have_the_same_bits(seed: int) -> None:
    _, s = pair(seed)
    tree, rng, n = s.tree, np.random.default_rng(seed), s.num_dofs
    q, v, a = rng.uniform(-1.0, 1.0, (3, 9, n))
    free = np.zeros(n, dtype=bool)
    for method in (
        tree.inverse_dynamics,
        tree.forward_dynamics,
        tree.inverse_dynamics_derivatives,
        tree.forward_dynamics_derivatives,
        lambda q, v, a: tree.hybrid_dynamics(q, v, a, a, prescribed=free),
        lambda q, v, _: tree.bias_forces(q, v),
        lambda q, _, __: tree.gravity_forces(q),
        lambda q, _, __: tree.potential_energy(q),
    ):
        batch = np.asarray(method(q, v, a))
        rows = [np.asarray(method(*row)) for row in zip(q, v, a, strict=True)]
        assert_near(batch, np.stack(rows, axis=batch.shape.index(9)), 0.0)


@every_seed
def test_analytic_derivatives_of_partly_weightless_trees_are_slopes_under_loads(seed: int) -> None:
    _, s = pair(seed)
    tree, rng = s.tree, np.random.default_rng(seed)
    q = tree.random_positions(rng)
    v, a = rng.uniform(-1.0, 1.0, (2, s.num_dofs))
    wrenches = rng.uniform(-5.0, 5.0, (tree.num_bodies, 6))
    along_q, _, _ = tree.inverse_dynamics_derivatives(q, v, a, wrenches)
    slope = along(tree, q, lambda rows: tree.inverse_dynamics(rows, v, a, wrenches), 1e-3)
    assert_near(along_q, slope, DIFFERENCED)


@every_seed
def test_derivatives_of_dynamics_are_their_slopes(seed: int) -> None:
    _, s = pair(seed)
    tree, (q, v, a) = s.tree, (s.positions, s.velocities, s.accelerations)
    along_q, along_v, M = tree.inverse_dynamics_derivatives(q, v, a)
    assert_near(along_q, along(tree, q, lambda rows: tree.inverse_dynamics(rows, v, a)), DIFFERENCED)
    assert_near(M, tree.mass_matrix(q), EXACT)
    step = 1e-3 * np.eye(len(v))
    central = (tree.inverse_dynamics(q, v + step, a) - tree.inverse_dynamics(q, v - step, a)).T / 2e-3
    assert_near(along_v, central, DIFFERENCED)
    tau = tree.inverse_dynamics(q, v, a)
    fq, fv, inverse = tree.forward_dynamics_derivatives(q, v, tau)
    assert_near(M @ inverse, np.eye(len(v)), SOLVED)
    assert_near(fq, -inverse @ along_q, SOLVED)
    assert_near(fv, -inverse @ along_v, SOLVED)


def test_trees_differ_by_which_bodies_are_weightless_and_survive_pickling() -> None:
    first, second = branched(1), branched(1)
    first.body(2).gravity_mode = False
    second.body(3).gravity_mode = False
    assert first.tree != second.tree
    back = pickle.loads(pickle.dumps(first.tree))
    assert back == first.tree
    assert_near(back.gravity_forces(first.positions), first.gravity_forces, 0.0)


# ---- what every method of a tree owes


@cache
def tree() -> kido.Tree:
    """With own joints and a weightless body."""
    s = with_own_joints(
        set_moving(skeleton_of(["universal", "free", "revolute", "ball"], [-1, 0, 1, 2], 0), 1)
    )
    s.body(3).gravity_mode = False
    return s.tree


def arguments(method: Method, leading: tuple[int, ...] = ()) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-1.0, 1.0, (*leading, *SHAPES[name](tree()))) for name in method.arrays]


@every_method
@pytest.mark.parametrize("change", [-1, 1])
def test_wrong_size_is_named_with_expected_shape_unit_and_what_came(method: Method, change: int) -> None:
    arrays = arguments(method)
    for index, name in enumerate(method.arrays):
        wrong = list(arrays)
        shape = SHAPES[name](tree())
        wrong[index] = np.zeros((shape[0] + change, *shape[1:]))
        expected = ", ".join(str(extent) for extent in shape)
        message = f"{name}: expected shape (..., {expected}) {UNITS[name]}, got {wrong[index].shape}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            method(tree(), *wrong)


@every_method
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_named_with_their_index(method: Method, value: float) -> None:
    for leading in ((), (2, 2)):
        arrays = arguments(method, leading)
        for index, name in enumerate(method.arrays):
            wrong = [array.copy() for array in arrays]
            place = tuple(extent - 1 for extent in wrong[index].shape)
            wrong[index][place] = value
            where = ", ".join(map(str, place))
            message = f"{name}: expected finite numbers, got {value} at [{where}]"
            with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
                method(tree(), *wrong)


@every_method
@pytest.mark.parametrize("value", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_what_are_not_numbers_is_a_type_error_that_names_the_argument(method: Method, value: object) -> None:
    arrays = arguments(method)
    for index, name in enumerate(method.arrays):
        wrong: list[object] = list(arrays)
        wrong[index] = value
        if name == "wrenches" and value is None:
            continue
        with pytest.raises(TypeError, match=rf"^{name}: expected numbers of shape"):
            method(tree(), *wrong)


@every_method
def test_leading_shapes_that_do_not_broadcast_are_named(method: Method) -> None:
    if len(method.arrays) == 1:
        return
    wrong = [*arguments(method, (2,))[:-1], arguments(method, (3,))[-1]]
    message = rf"^{method.arrays[-1]}: leading shape \(3,\) does not broadcast .* \(2,\)"
    with pytest.raises(ValueError, match=message):
        method(tree(), *wrong)


@every_method
def test_an_out_that_does_not_fit_is_refused(method: Method) -> None:
    arrays = arguments(method)
    shapes = [array.shape for array in method.results(tree(), *arrays)]

    def out(make: object) -> object:
        made = tuple(make(shape) for shape in shapes)  # type: ignore[operator]
        return made if len(made) > 1 else made[0]

    def read_only(shape: tuple[int, ...]) -> Array:
        array = np.empty(shape)
        array.flags.writeable = False
        return array

    for make, error, came in (
        (lambda shape: np.empty((*shape, 1)), ValueError, r"got \("),
        (lambda shape: np.empty(shape, np.float32), TypeError, "got float32"),
        (lambda shape: [0.0], TypeError, "got list"),
        (read_only, ValueError, "got a read-only array"),
    ):
        with pytest.raises(
            error, match=rf"^out(\[0\])?: expected a writable, C-contiguous float64 array.*{came}"
        ):
            method(tree(), *arrays, out=out(make))


def test_a_strided_out_and_a_wrong_tuple_are_refused() -> None:
    q = np.zeros(tree().num_dofs)
    strided = np.empty((len(q), 2 * len(q)))[:, ::2]
    with pytest.raises(ValueError, match=r"^out: .* got a strided array"):
        tree().mass_matrix(q, out=strided)
    for wrong in ([np.empty(len(q))] * 2, (np.empty(len(q)),)):
        with pytest.raises(TypeError, match=r"^out: expected a tuple of 2 arrays"):
            tree().hybrid_dynamics(q, q, q, q, prescribed=q > 0.0, out=wrong)  # type: ignore[arg-type]


def test_bad_options_of_hybrid_dynamics_are_named() -> None:
    n = tree().num_dofs
    q = np.zeros(n)
    with pytest.raises(ValueError, match=rf"^prescribed: expected bools of shape \({n},\), got \(2,\)"):
        tree().hybrid_dynamics(q, q, q, q, prescribed=[True, False])
    for bad in (np.zeros(n + 1), np.full(n, np.nan)):
        with pytest.raises(ValueError, match=r"^added_inertia: expected"):
            tree().hybrid_dynamics(q, q, q, q, prescribed=q > 0.0, added_inertia=bad)


def test_unknown_bodies_joints_and_frames_are_named() -> None:
    q = np.zeros(tree().num_dofs)
    for ask in (lambda: tree().transform(q, "nobody"), lambda: tree().jacobian(q, "nobody")):
        with pytest.raises(KeyError, match="nobody"):
            ask()
    for key in ("nothing", -1, 99):
        with pytest.raises((KeyError, IndexError)):
            tree().motion_subspace(q, key)
    with pytest.raises(ValueError, match=r"^frame: expected"):
        tree().jacobian(q, 0, frame="moon")
