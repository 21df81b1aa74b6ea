"""Every array method of `kido.Tree`: which arguments it takes, and how to call it on a random state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from _random_trees import Array, Robot
from numpy.typing import NDArray

import kido

SHAPES: dict[str, Callable[[kido.Tree], tuple[int, ...]]] = {
    **{name: lambda tree: (tree.num_dofs,) for name in ("q", "v", "a", "tau", "q0", "q1")},
    **{name: lambda tree: (tree.num_dofs,) for name in ("rest_positions", "stiffness")},
    "wrenches": lambda tree: (tree.num_bodies, 6),
}
"""Trailing shape of each array argument."""

UNITS = {
    "q": "[rad, m]",
    "q0": "[rad, m]",
    "q1": "[rad, m]",
    "v": "[rad/s, m/s]",
    "a": "[rad/s^2, m/s^2]",
    "tau": "[N m, N]",
    "rest_positions": "[rad, m]",
    "stiffness": "[N m/rad, N/m]",
    "wrenches": "[N m, N]",
}
"""Unit of each array argument, as error messages write it."""

NOT_NUMBERS: dict[str, Any] = {
    "text": "abc",
    "ragged list": [[1.0, 2.0], [3.0]],
    "nothing": None,
    "complex": np.zeros(3, complex),
    "objects": np.array([1.0, None]),
    "dates": np.zeros(3, "M8[s]"),
    "a function": len,
}
"""Values that are no array of real numbers."""


@dataclass(frozen=True)
class Method:
    """A method by name, the names of its array arguments, and a choice of all others."""

    name: str
    arrays: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    outputs: int = 1

    def __str__(self) -> str:
        options = (f"{key}={getattr(value, '__name__', value)}" for key, value in self.options.items())
        return "-".join([self.name, *options])

    def __call__(self, tree: kido.Tree, *arrays: Any, **more: Any) -> Any:
        return getattr(tree, self.name)(
            **dict(zip(self.arrays, arrays, strict=True)), **self.chosen(tree), **more
        )

    def chosen(self, tree: kido.Tree) -> dict[str, Any]:
        """The options for a tree."""
        return {key: value(tree) if value is every_third else value for key, value in self.options.items()}

    def results(self, tree: kido.Tree, *arrays: Any, **more: Any) -> tuple[Array, ...]:
        """Results of the call, always as a tuple."""
        result = self(tree, *arrays, **more)
        return result if self.outputs > 1 else (result,)

    def arguments(self, robot: Robot, leading: tuple[int, ...] = ()) -> list[Array]:
        """Random arrays (*leading, ...) for the call."""
        count = int(np.prod(leading))
        rows = [[self._row(robot, name) for _ in range(count)] for name in self.arrays]
        shapes = [SHAPES[name](robot.tree) for name in self.arrays]
        return [np.array(row).reshape(*leading, *shape) for row, shape in zip(rows, shapes, strict=True)]

    @staticmethod
    def _row(robot: Robot, name: str) -> Array:
        if name.startswith("q") or name == "rest_positions":
            return robot.positions()
        return robot.rng.uniform(-1.0, 1.0, SHAPES[name](robot.tree))


def every_third(tree: kido.Tree) -> NDArray[np.bool_]:
    """Every third dof of a tree."""
    return np.arange(tree.num_dofs) % 3 == 0


def _methods() -> Iterator[Method]:
    body = {"body": 7}
    offset = {**body, "offset": (0.1, -0.2, 0.3)}
    yield Method("forward_kinematics", ("q",))
    yield Method("transform", ("q",), body)
    for frame in ("world", "body", "spatial"):
        yield Method("body_velocities", ("q", "v"), {"frame": frame})
        yield Method("velocity", ("q", "v"), {**offset, "frame": frame})
        yield Method("jacobian", ("q",), {**offset, "frame": frame})
        for classic in (True, False):
            options = {"frame": frame, "classic": classic}
            yield Method("body_accelerations", ("q", "v", "a"), options)
            yield Method("acceleration", ("q", "v", "a"), {**offset, **options})
            yield Method("jacobian_derivative", ("q", "v"), {**offset, **options})
    for name in ("joint_transform", "motion_subspace"):
        yield Method(name, ("q",), {"joint": 7})
    yield Method("motion_subspace_derivative", ("q", "v"), {"joint": 7})
    yield Method("integrate", ("q", "v"), {"dt": 0.3})
    yield Method("difference", ("q0", "q1"))
    yield Method("spring_forces", ("q", "rest_positions", "stiffness"))
    for force, direction in (("a", "inverse"), ("tau", "forward")):
        for arrays in (("q", "v", force), ("q", "v", force, "wrenches")):
            yield Method(f"{direction}_dynamics", arrays)
            yield Method(f"{direction}_dynamics_derivatives", arrays, outputs=3)
    for arrays in (("q", "v", "tau", "a"), ("q", "v", "tau", "a", "wrenches")):
        yield Method("hybrid_dynamics", arrays, {"prescribed": every_third}, outputs=2)
    for name in ("gravity_forces", "mass_matrix", "inverse_mass_matrix", "potential_energy"):
        yield Method(name, ("q",))
    for name in ("center_of_mass", "com_jacobian", "mean_jacobian", "centroidal_momentum_matrix"):
        yield Method(name, ("q",))
    for name in ("bias_forces", "kinetic_energy", "momentum", "centroidal_momentum", "com_velocity"):
        yield Method(name, ("q", "v"))
    yield Method("com_acceleration", ("q", "v", "a"))
    for classic in (True, False):
        yield Method("mean_jacobian_derivative", ("q", "v"), {"classic": classic})


METHODS = tuple(_methods())
"""Every array method, those with options several times."""

PLAIN_METHODS = tuple({method.name + str(method.arrays): method for method in METHODS}.values())
"""Every array method once for each set of array arguments."""


def at_body(method: Method, body: int) -> Method:
    """The same question about another body or joint; questions about all of them stay as they are."""
    asked = {key: body for key in ("body", "joint") if key in method.options}
    return Method(method.name, method.arrays, {**method.options, **asked}, method.outputs)
