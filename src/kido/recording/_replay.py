"""A world of a recording as it stood at some time, simulated again from the keyframe before."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kido.errors import RecordingError
from kido.recording._models import Models
from kido.recording._part import RecordingPart
from kido.recording._tracks import STATE_ROWS
from kido.skeleton import SimulationView, SkinNode, SoftBodyNode
from kido.typing import FloatArray
from kido.world import InputKind, SavedNumbers, World

__all__ = ["Replay", "step_at"]

_ROUNDING = 1e-6
"""Of a step, by which a time may be before it."""


_PYTHON = (
    "between its samples Python took part in steps (listeners, an integrator or solver of the user's), which "
    "cannot be made again: ask for the time of a sample, or exact=False"
)


def _skins(world: World) -> list[SkinNode]:
    """Of the soft bodies, in the order in which they are recorded."""
    return [
        body.skin_node
        for skeleton in world.skeletons
        for body in skeleton.bodies
        if isinstance(body, SoftBodyNode)
    ]


class _Keyframe(NamedTuple):
    """A keyframe by its number: step and sample at which it was taken; whether the solver remembered
    nothing, or the part before leads to it."""

    number: int
    step: int
    sample: int
    is_fresh: bool
    goes_on: bool = False

    @property
    def is_before_step(self) -> bool:
        """Whether it has what was set before the step after it: there the world was compiled anew."""
        return self.is_fresh and self.sample > 0


class _Input(NamedTuple):
    """Input before a step: kind, index of the skeleton, or of the soft body, and numbers."""

    step: int
    kind: int
    skeleton: int
    numbers: FloatArray


def step_at(part: RecordingPart, time: float, following: RecordingPart | None) -> int:
    """The last step of a part that was made at or before a time [s]; `following`: the part that goes on from
    it."""
    sample, _ = part.sample_at(time)
    steps, times = part.steps.tolist(), part.times
    goes_on = following is not None and len(following) and following.layout.began in ("edit", "names")
    if following is not None and goes_on:
        steps.append(int(following.steps[0]))
    beyond = math.floor((time - times[sample]) / part.layout.time_step + _ROUNDING)
    most = steps[min(sample + 1, len(steps) - 1)] - steps[sample]
    made: int = steps[sample] + min(max(beyond, 0), max(most, 0))
    return made


class Replay:
    """Makes the world of a part of a recording as it stood after a step."""

    def __init__(self, name: str, models: Models, parts: Sequence[RecordingPart], *, trusted: bool) -> None:
        """`name`: of the recording; `parts`: all up to that which is meant; `trusted`: whether numbers for
        the solver are taken from it."""
        self._name, self._models, self._parts, self._trusted = name, models, parts, trusted
        self._part = parts[-1]
        self._steps = self._part.tables["step"].read()

    def world(self, step: int) -> World:
        """The world, which goes on bit for bit.

        Raises RecordingError where that cannot be had, or the steps made again differ from those recorded.
        """
        keyframe = self._keyframe(step)
        inputs = self._inputs(keyframe, step)
        if keyframe.goes_on:
            before = Replay(self._name, self._models, self._parts[:-1], trusted=self._trusted)
            world = self._rebuilt(before.world(keyframe.step), self._part.layout.model)
        else:
            world = self._world_at(keyframe, self._model_at(keyframe, inputs))
        for one in inputs:
            begins = keyframe.is_fresh and one.kind == InputKind.POINTS and one.step == keyframe.step
            if begins or keyframe.step <= one.step < step:
                self._step_to(world, one.step)
                world = self._give(world, one)
        self._step_to(world, step)
        self._place_frames(world)
        return world

    def _place_frames(self, world: World) -> None:
        """Put free frames whose parent is the world where they were at the last sample."""
        sample = int(np.searchsorted(self._steps, world.num_steps, side="right")) - 1
        names = self._part.layout.frames
        if not names:
            return
        poses = self._part.tables["frames"].read(sample, sample + 1)[0]
        for name, pose in zip(names, poses, strict=True):
            frame = world.frames[name]
            if frame.parent_frame.is_world and np.isfinite(pose).all():
                frame.relative_transform = pose

    # ---- keyframes

    def _keyframe(self, step: int) -> _Keyframe:
        """The last keyframe from which a step can be reached. Raises RecordingError."""
        rows = self._part.tables["keyframes"].read()
        known = [
            _Keyframe(number, int(row[0]), int(row[1]), bool(row[3]))
            for number, row in enumerate(rows)
            if row[0] <= step and row[1] < len(self._steps)
        ]
        usable = [
            one
            for one in known
            if (self._trusted or one.is_fresh) and not (one.step == step and one.is_before_step)
        ]
        if usable:
            return usable[-1]
        if known and self._part.layout.began == "names" and len(self._parts) > 1:
            return known[0]._replace(goes_on=True)
        reason = "holds no moment from which it could be simulated again"
        if known:
            reason = (
                "was begun in the midst of a simulation, and to go on from there takes numbers for compiled "
                "code: load it with trusted=True if you trust it, or ask for exact=False"
            )
        raise RecordingError(self._name, reason)

    def _world_at(self, keyframe: _Keyframe, model: int | None) -> World:
        layout, tables = self._part.layout, self._part.tables
        saved = self._models.saved(self._part, model)
        rows = np.zeros((1, 0))
        if layout.dofs:
            rows = tables["keyframe_states"].read(keyframe.number, keyframe.number + 1)
        numbers = None
        if not keyframe.is_fresh:
            ends = tables["keyframes"].read(0, keyframe.number + 1)[:, 2]
            first = int(ends[-2]) if len(ends) > 1 else 0
            memory = tables["keyframe_numbers"].read(first, int(ends[-1])).tobytes()
            numbers = SavedNumbers(b64encode(memory).decode(), tuple(self._acted(keyframe.step - 1)))
        base, steps = layout.clock
        world: World = saved.build_at(self._split(rows[0]), (base, steps, keyframe.step - steps), numbers)
        return world

    def _split(self, row: FloatArray) -> list[FloatArray]:
        """The states (5, num_dofs) of the skeletons in the row of a keyframe."""
        states, first = [], 0
        for _, count in self._part.layout.skeletons:
            size = STATE_ROWS * count
            states.append(row[first : first + size].reshape(STATE_ROWS, count))
            first += size
        return states

    # ---- inputs

    def _inputs(self, keyframe: _Keyframe, step: int) -> list[_Input]:
        """Inputs before a step. Raises RecordingError where Python took part after the keyframe."""
        rows = self._input_rows
        kinds, steps = rows[:, 1], rows[:, 0]
        if ((kinds == InputKind.PYTHON) & (steps > keyframe.step) & (steps <= step)).any():
            raise RecordingError(self._name, _PYTHON)
        wanted = (steps <= step) & ((steps >= keyframe.step) | (kinds == InputKind.LOADS))
        return self._read(np.flatnonzero(wanted & (kinds != InputKind.PYTHON)))

    @cached_property
    def _input_rows(self) -> NDArray[np.int64]:
        """All inputs: step, kind, skeleton, count of numbers."""
        return np.asarray(self._part.tables["inputs"].read())

    def _read(self, places: NDArray[np.intp]) -> list[_Input]:
        """Inputs by their places, with their numbers."""
        ends, numbers = np.cumsum(self._input_rows[:, 3]), self._part.tables["input_numbers"]
        found = []
        for k in places.tolist():
            step, kind, skeleton, count = self._input_rows[k].tolist()
            found.append(_Input(step, kind, skeleton, numbers.read(int(ends[k]) - count, int(ends[k]))))
        return found

    def _acted(self, step: int) -> list[FloatArray | None]:
        """The wrenches from outside that acted on the bodies of each skeleton in the step after one."""
        acted: list[FloatArray | None] = [None for _ in self._part.layout.skeletons]
        rows = self._input_rows
        places = np.flatnonzero((rows[:, 0] == step) & (rows[:, 1] == InputKind.WRENCHES))
        for given in self._read(places):
            acted[given.skeleton] = given.numbers.reshape(-1, 6)
        return acted

    @staticmethod
    def _model_at(keyframe: _Keyframe, inputs: list[_Input]) -> int | None:
        """Number of the model at a keyframe; None: that of the part."""
        numbers = [
            one.numbers[0] for one in inputs if one.kind == InputKind.LOADS and one.step < keyframe.step
        ]
        return int(numbers[-1]) if numbers else None

    def _give(self, world: World, one: _Input) -> World:
        """Set what was set then; the world that has it."""
        kind = InputKind(one.kind)
        if kind is InputKind.LOADS:
            return self._rebuilt(world, int(one.numbers[0]))
        if kind is InputKind.POINTS:
            _skins(world)[one.skeleton]._set_numbers(one.numbers.reshape(6, -1, 3))
            return world
        skeleton = world.skeletons[one.skeleton]
        if kind is InputKind.WRENCHES:
            for body, wrench in zip(skeleton.bodies, one.numbers.reshape(-1, 6), strict=True):
                if wrench.any():
                    body.external_wrench = wrench
        elif kind is InputKind.WAKE:
            body_index = int(one.numbers[0])
            world.wake(skeleton if body_index < 0 else skeleton.bodies[body_index])
        else:
            state = SimulationView(skeleton).state
            setattr(state, kind.name.lower(), one.numbers)
        return world

    def _rebuilt(self, world: World, model: int) -> World:
        """The world as another model has it, in the same state."""
        numbers = world.to_value(exact=True).numbers  # type: ignore[attr-defined]
        states = [np.array(SimulationView(skeleton).rows) for skeleton in world.skeletons]
        base, steps = self._part.layout.clock
        counts = (base, steps, world.num_steps - steps)
        changed: World = self._models.saved(self._part, model).build_at(states, counts, numbers)
        return changed

    # ---- steps

    def _step_to(self, world: World, step: int) -> None:
        """Make steps, and compare with each sample on the way."""
        while world.num_steps < step:
            sample = int(np.searchsorted(self._steps, world.num_steps, side="right"))
            is_sampled = sample < len(self._steps) and self._steps[sample] <= step
            world.step((int(self._steps[sample]) if is_sampled else step) - world.num_steps)
            if is_sampled and sample not in self._before_steps:
                self._compare(world, sample)

    @cached_property
    def _before_steps(self) -> frozenset[int]:
        """Samples that have what was set before the step after them."""
        rows = self._part.tables["keyframes"].read()
        return frozenset(rows[(rows[:, 3] != 0) & (rows[:, 1] > 0), 1].tolist())

    def _compare(self, world: World, sample: int) -> None:
        tables, layout = self._part.tables, self._part.layout
        made = {}
        if layout.dofs:
            for name in ("positions", "velocities"):
                made[name] = np.concatenate([getattr(skeleton, name) for skeleton in world.skeletons])
        if layout.points:
            made["points"] = np.concatenate(
                [node.state.displacements for node in _skins(world)], dtype=np.float32, casting="same_kind"
            )
        for name, ours in made.items():
            if not np.array_equal(ours, tables[name].read(sample, sample + 1)[0]):
                time = float(tables["time"].read(sample, sample + 1)[0])
                raise RecordingError(
                    self._name,
                    f"steps made again differ from what was recorded at {time:g} s: something else than what "
                    "is recorded moved the world, or this is another version of kido; ask for exact=False",
                )
