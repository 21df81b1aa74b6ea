"""Skeletons compiled to one native world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.collision import CollisionDetector, CollisionFilter
from kido.constraint import Constraint
from kido.errors import DivergedError, EditError, SingularMassError
from kido.skeleton import (
    EDITS,
    BodyNode,
    SimulationView,
    Skeleton,
    SkinNode,
    WeldJoint,
)
from kido.typing import FloatArray, frozen_array
from kido.world._compiled_colliders import CompiledColliders
from kido.world._compiled_constraints import CompiledConstraints, check_parts
from kido.world._custom_integrator import CustomIntegrator, SmoothMotion
from kido.world._loops import joined_trees
from kido.world._skeleton_step import leading_bodies
from kido.world._surface_rules import SurfaceHandler, checked_handler

__all__ = ["CompiledWorld"]

_OF_SHAPES, _OF_CONSTRAINTS = (0, 1, 8, 9), (6, 7)
"""Kinds of rows of a step, as native code counts them."""


class CompiledWorld:
    """The native world of some skeletons as they were when it was made.

    Attributes:
        native: the world as numbers.
        colliders: shapes and points that can touch others.
        edits: count of all edits when it was last refreshed.
        watches: whether it depends on positions of skeletons that do not move.
        asks_users: whether user joints, or constraints of the user's, are asked in every step.
        constraints: those of the world.
        skins: of all soft bodies, in the order of their skeletons and bodies.
        led: those of them with points that are pinned to frames, which are asked in every step.
        remembers: whether its solver goes on from the numbers of another one.
        renewals: how often what acts in joints and on bodies was taken over.

    Raises what makes a skeleton impossible to simulate: SingularMassError, UnsupportedShapeError.
    """

    __slots__ = (
        "_acted",
        "_all_trees",
        "_indices",
        "_leaders",
        "_moving",
        "_owners",
        "_twins",
        "_views",
        "asks_users",
        "colliders",
        "constraints",
        "edits",
        "led",
        "native",
        "remembers",
        "renewals",
        "skins",
        "time_step",
        "watches",
    )

    def __init__(
        self,
        skeletons: Iterable[Skeleton],
        constraints: Iterable[Constraint] = (),
        rules: CollisionFilter | None = None,
        detector: CollisionDetector | None = None,
        handler: SurfaceHandler | None = None,
        *,
        time_step: float = 1e-3,
        all_trees: bool = False,
    ) -> None:
        self.edits = EDITS.count
        self.time_step = time_step
        self.remembers, self.renewals = False, 0
        self._all_trees = all_trees
        self.native = _core.World()
        self.colliders = CompiledColliders(self.native, rules, detector)
        self._views = [SimulationView(skeleton) for skeleton in skeletons]
        self._moving: list[_Moving] = []
        self._indices: dict[int, int] = {}  # of those, by their skeletons' ids
        self._twins: list[_Twin] = []
        self._owners: NDArray[np.int64] | None = None
        self._leaders: dict[int, NDArray[np.int64]] = {}
        self._acted: tuple[int, dict[int, FloatArray]] = 0, {}
        self.asks_users = any(view.moves and view.asks_users for view in self._views)
        self.watches = any(not view.moves and view.skeleton.num_dofs > 0 for view in self._views)
        constraints = tuple(constraints)
        for constraint in constraints:
            check_parts(constraint, self.skeletons)
        joined = joined_trees(constraints)
        for group, view in enumerate(self._views, start=1):
            if view.moves:
                self._add_moving(view, group, joined)
            else:
                self._add_fixed(view, group)
        self.colliders.end(checked_handler(handler))
        self.constraints = CompiledConstraints(self.native, self.skeletons, self._index_of, constraints)
        self.skins = [node for view in self._views for _, node in view.skins]
        self.led = [node for node in self.skins if node._pins.moves]
        self.asks_users |= bool(self.constraints.asked or self.led)

    def refresh(self) -> bool:
        """Take over what acts in joints and on bodies; False where the structure is another one now.

        There is nothing to do while `edits` is the count of all edits, unless it `watches` the positions of
        skeletons that do not move.
        """
        edits = EDITS.count
        if not self.colliders.hold or not all(view.same_structure for view in self._views):
            return False
        if not all(moving.view.same_loads or self._renew(moving) for moving in self._moving):
            return False
        self.edits = edits  # only now: what could not be taken over has to be looked at again
        return True

    @property
    def is_fresh(self) -> bool:
        """Whether its solver remembers nothing of steps before."""
        return not self.remembers and self.native.steps == 0

    @property
    def only_moved(self) -> bool:
        """Whether nothing but what steps move, positions of what they do not, or loads that it can take over,
        can be another than when it was made."""
        fits = all(moving.fits for moving in self._moving)
        return self.colliders.hold and fits and all(view.same_parts for view in self._views)

    @property
    def has_softs(self) -> bool:
        """Whether there are point masses around bodies."""
        return bool(self.skins)

    @property
    def has_wrenches(self) -> bool:
        """Whether anything acts on bodies from outside."""
        return any(view.has_wrenches for view in self._views)

    @property
    def skeletons(self) -> tuple[Skeleton, ...]:
        """The skeletons of the world."""
        return tuple(view.skeleton for view in self._views)

    def rows(self) -> list[FloatArray]:
        """Rows (5, num_dofs) of the states of all skeletons, copied."""
        return [view.rows.copy() for view in self._views]

    def load(self, numbers: bytes, motions: Sequence[tuple[FloatArray, FloatArray]]) -> bool:
        """Go on from the numbers of a pickle, which fit these positions and velocities (num_dofs,) of all
        skeletons; those that have others now are as they are now. False where the numbers do not fit."""
        self.remembers = True
        moved = [
            moving.index
            for view, motion in zip(self._views, motions, strict=True)
            for moving in self._moving
            if moving.view is view and not np.array_equal(view.rows[:2], motion)
        ]
        return self.native.load(numbers, moved)

    def write_rows(self, rows: Iterable[FloatArray]) -> None:
        """Set the states of all skeletons."""
        for view, numbers in zip(self._views, rows, strict=True):
            state = view.state
            state.positions, state.velocities, state.accelerations, state.forces, state.commands = numbers

    @property
    def num_dofs(self) -> int:
        """Dofs of all skeletons that move."""
        return sum(moving.view.skeleton.num_dofs for moving in self._moving)

    @property
    def owners(self) -> NDArray[np.int64]:
        """Of each of the colliders' nodes the number of its skeleton in the world, and of its body (k, 2)."""
        if self._owners is None:
            numbers = {id(view.skeleton): number for number, view in enumerate(self._views)}
            owners = [(numbers[id(node.skeleton)], node.body.index) for node in self.colliders.nodes]
            self._owners = np.array(owners, dtype=np.int64).reshape(-1, 2)
        return self._owners

    def leaders(self, number: int) -> NDArray[np.int64]:
        """Of each body of a skeleton that which it is welded to, at the end of all welds; -1: the world."""
        if number not in self._leaders:
            found = list(leading_bodies(self._views[number].skeleton))
            self._leaders[number] = np.array(found, dtype=np.int64)
        return self._leaders[number]

    def views(self) -> Iterator[tuple[SimulationView, int]]:
        """View of each skeleton, and its index in the native world; -1 where it does not move."""
        indices = {id(moving.view): moving.index for moving in self._moving}
        return ((view, indices.get(id(view), -1)) for view in self._views)

    def sleeping_part(self, skeleton: Skeleton, body: int = -1) -> tuple[int, int] | None:
        """Place of a skeleton, or of one of its bodies, in the native world: indices of both there,
        -1: all; None where nothing of it moves."""
        index = self._index_of(skeleton)
        if index >= 0:
            return index, body
        twin = next((one for one in self._twins if one.skeleton is skeleton), None)
        if twin is None or (body >= 0 and body not in twin.bodies):
            return None
        return twin.index, body if body < 0 else twin.bodies.index(body)

    def remember_wrenches(self) -> None:
        """Keep what acts on bodies from outside, as the last step had it."""
        self._acted = self.native.steps, {id(v): v.external_wrenches for v in self._views if v.has_wrenches}

    @property
    def all_acted(self) -> tuple[FloatArray | None, ...]:
        """Wrenches that acted on the bodies of each skeleton in the last step, from outside; None: none did.

        They are set where the last step is one of another world, or an earlier one.
        """
        steps, wrenches = self._acted
        return tuple(wrenches.get(id(v)) if steps == self.native.steps else None for v in self._views)

    @all_acted.setter
    def all_acted(self, wrenches: Iterable[FloatArray | None]) -> None:
        kept = zip(self._views, wrenches, strict=True)
        self._acted = self.native.steps, {id(view): w for view, w in kept if w is not None}

    @property
    def all_waiting(self) -> tuple[FloatArray | None, ...]:
        """Wrenches that are to act on the bodies of each skeleton in the next step, from outside."""
        return tuple(view.external_wrenches if view.has_wrenches else None for view in self._views)

    @all_waiting.setter
    def all_waiting(self, wrenches: Iterable[FloatArray | None]) -> None:
        for view, given in zip(self._views, wrenches, strict=True):
            view.replace_wrenches(given)

    def acted(self, view: SimulationView) -> FloatArray:
        """Wrenches (num_bodies, 6) that acted on the bodies of a skeleton in the last step, from outside."""
        steps, wrenches = self._acted
        if steps == self.native.steps and id(view) in wrenches:
            return wrenches[id(view)]
        return np.zeros((view.skeleton.num_bodies, 6))

    def diverged(self) -> tuple[str | None, str | None]:
        """Names of the skeleton and the body whose numbers were not finite in the step that failed."""
        index, body = self.native.diverged()
        if index < 0:
            return None, None
        skeleton = self._moving[index].view.skeleton
        return skeleton.name, skeleton.bodies[body].name

    # ---- inside a step

    def take_loads(self) -> None:
        """Take over what acts in joints and on bodies now; what wants another native world waits for it."""
        for moving in self._moving:
            if not moving.view.same_loads and moving.fits:
                self._renew(moving)
        if self.asks_users:
            self.ask_users()

    def take_wrenches(self) -> list[tuple[BodyNode, FloatArray]]:
        """Take away what acts on bodies from outside in the step that is being made, and return it."""
        acted = {id(view): view.external_wrenches.copy() for view in self._views if view.has_wrenches}
        self._acted = self.native.steps + 1, acted
        return [taken for view in self._views for taken in view.take_wrenches()]

    def edited_skeleton(self) -> str | None:
        """Name of one whose bodies or joints are others now."""
        return next((view.skeleton.name for view in self._views if not view.same_state), None)

    def give_motions(self, integrator: CustomIntegrator, diverged: Diverged) -> None:
        """Have skeletons that nothing touches moved by an integrator, once the stage prepare is done.

        Raises `diverged` where numbers are not finite, TypeError or ValueError for what is no motion.
        """
        native = self.native
        found = []
        for moving in self._moving:
            if not native.moves_smoothly(moving.index):
                continue
            found.append((moving, *self._motion(moving, integrator)))
        for moving, q, v in found:
            if not (np.isfinite(q).all() and np.isfinite(v).all()):
                raise diverged(moving.view.skeleton.name, None)
        for moving, q, v in found:
            native.give_motion(moving.index, q, v)

    def _motion(self, moving: _Moving, integrator: CustomIntegrator) -> tuple[FloatArray, FloatArray]:
        name, skeleton = type(integrator).__name__, moving.view.skeleton
        rows, n = moving.view.rows, skeleton.num_dofs
        motion = SmoothMotion(
            skeleton.name,
            frozen_array("positions", rows[0], (n,)),
            frozen_array("velocities", rows[1], (n,)),
            self.time_step,
            self.native,
            moving.index,
            moving.view.tree,
        )
        given = integrator.advance(motion)
        if not isinstance(given, tuple) or len(given) != 2:
            raise TypeError(f"{name}.advance: expected positions and velocities, got {_core.brief(given)}")
        q, v = (
            _row(f"{name}.advance: {what}", numbers, n)
            for what, numbers in zip(("positions", "velocities"), given, strict=True)
        )
        return q, v

    def names_of_rows(self, rows: NDArray[np.int64]) -> tuple[str, ...]:
        """Names of the skeletons that rows of a step act on."""
        names: dict[str, None] = {}
        for kind, first, second in sorted(set(map(tuple, rows[:, :3].tolist()))):
            if kind in _OF_SHAPES:
                bodies = [self.colliders.nodes[which].skeleton for which in (first, second)]
            elif kind in _OF_CONSTRAINTS:
                bodies = list(self.constraints.owners(first, between_bodies=kind == _OF_CONSTRAINTS[0]))
            else:
                bodies = [m.view.skeleton for m in self._moving if self.native.has_tree(m.index, first)]
            names.update(dict.fromkeys(skeleton.name for skeleton in bodies))
        return tuple(names)

    def ask_users(self) -> None:
        """Have user joints say how they move now, and the user's constraints what they hold.

        Raises what they raise, and EditError where they change the structure.
        """
        for moving in self._moving:
            assert moving.view.state is not None
        for node in self.led:
            node._pins.lead()
        if not self.constraints.asked:
            return
        edits = EDITS.count
        self.constraints.ask()
        if EDITS.count != edits and not self.refresh():
            names = ", ".join(sorted({type(asked.constraint).__name__ for asked in self.constraints.asked}))
            raise EditError(f"{names}.rows: changed the structure of a skeleton during a step")

    def _add_moving(self, view: SimulationView, group: int, joined: frozenset[int]) -> None:
        skeleton = view.skeleton
        if massless := view.massless_joints:
            raise SingularMassError(massless, skeleton.name)
        if self._all_trees and view.asks_users:
            raise EditError(
                f"integrator: joints of {skeleton.name!r} are Python functions, which a CustomIntegrator "
                "cannot move"
            )
        plain, couplings, softs = view.is_plain, view.couplings, view.softs
        # Else its trees have nothing to do with each other.
        whole = self._all_trees or bool(couplings) or id(skeleton) in joined
        index = self.native.add_skeleton(
            view.tree,
            view.state,
            plain and not self._all_trees,
            whole,
            [(body, node._soft) for body, node in softs],
        )
        moving = _Moving(view, index, plain, couplings)
        self._moving.append(moving)
        self._indices[id(skeleton)] = index
        self.native.set_loads(moving.index, *view.loads)
        if couplings:
            self.native.set_couplings(moving.index, couplings)
        self.colliders.add_shapes(skeleton, index, group)
        for body, node in softs:
            self.colliders.add_points(node, index, body, group)

    def _add_fixed(self, view: SimulationView, group: int) -> None:
        self.colliders.add_shapes(view.skeleton, -1, group)
        if softs := view.softs:
            self._add_fixed_softs(softs, group)

    def _add_fixed_softs(self, softs: list[tuple[int, SkinNode]], group: int) -> None:
        """Add point masses around bodies that do not move: on bodies of a skeleton of its own, which are
        fixed where these are."""
        twin = Skeleton("fixed")
        for _, node in softs:
            twin.add_body(node.name, None, WeldJoint(T_parent_joint=node.body.transform()))
        view = SimulationView(twin)
        points = [(row, node._soft) for row, (_, node) in enumerate(softs)]
        index = self.native.add_skeleton(view.tree, view.state, True, True, points)
        self.native.set_loads(index, *view.loads)
        self._twins.append(_Twin(softs[0][1].body.skeleton, view, index, [body for body, _ in softs]))
        for row, (_, node) in enumerate(softs):
            self.colliders.add_points(node, index, row, group)

    def _index_of(self, skeleton: Skeleton) -> int:
        """Index of a skeleton in the native world; -1: it does not move."""
        return self._indices.get(id(skeleton), -1)

    def _renew(self, moving: _Moving) -> bool:
        view = moving.view
        if not moving.fits:
            return False
        self.native.set_loads(moving.index, *view.loads)
        view.see_loads()
        self.renewals += 1
        return True


Diverged = Callable[[str | None, str | None], DivergedError]
"""Makes the error of a step whose numbers are not finite, by skeleton and body."""


@dataclass(frozen=True, slots=True)
class _Moving:
    """A skeleton that moves, its index in the native world, whether nothing acts in its joints but forces,
    and what couples its dofs."""

    view: SimulationView
    index: int
    is_plain: bool
    couplings: tuple[tuple[int, int, float, float, bool], ...]

    @property
    def fits(self) -> bool:
        """Whether the native world has it as it is."""
        return self.view.is_plain == self.is_plain and self.view.couplings == self.couplings


@dataclass(frozen=True)
class _Twin:
    """Stands for a skeleton that does not move, but whose soft bodies do: its index in the native world, and
    the bodies of the skeleton that it has."""

    skeleton: Skeleton | None
    view: SimulationView
    index: int
    bodies: list[int]


def _row(name: str, given: object, n: int) -> FloatArray:
    """Numbers (n,), which need not be finite. Raises TypeError or ValueError naming the argument."""
    try:
        row: FloatArray = _core.real_array(given, copy=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error
    if row.shape != (n,):
        raise ValueError(f"{name}: expected shape {(n,)}, got {row.shape}")
    return row
