"""A recording of a world."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kido.description import Diagnostic
from kido.errors import RecordingError, UnknownNameError
from kido.recording._comparison import Comparison, compare
from kido.recording._event import Event
from kido.recording._models import Models
from kido.recording._notebook import recording_html
from kido.recording._part import RecordingPart
from kido.recording._playback import Playback, place_points
from kido.recording._plot import figure_of, panels_of
from kido.recording._replay import Replay, step_at
from kido.recording._report import write_report
from kido.recording._series import QUANTITIES, Series, series_of
from kido.recording._tables import Store
from kido.skeleton import Skeleton, notebook_pictures
from kido.typing import FloatArray, PathLike, frozen_array, read_only
from kido.values import checked_flag, checked_part, checked_path
from kido.world import Contact, World

__all__ = ["Recording"]

_ROUNDING = 1e-9


class Recording:
    """A world over time: samples of its numbers, and all that it takes to have it again as it stood.

    It consists of parts, between which the world was edited, or its time was set.
    """

    __slots__ = ("__weakref__", "_bounds", "_options", "_store", "_trusted", "models")

    def __init__(
        self,
        store: Store,
        *,
        trusted: bool = False,
        types: Iterable[type] = (),
        mesh_folder: PathLike | None = None,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        """See `load_recording`; `bounds`: times between which samples count."""
        self._store = store
        self._trusted = trusted
        self._options: dict[str, Any] = {
            "trusted": trusted,
            "types": tuple(types),
            "mesh_folder": mesh_folder,
        }
        self._bounds = bounds
        self.models = Models(store, types, mesh_folder)
        """What was recorded, to be built again."""

    def _bring_up(self) -> None:
        """Have what was recorded up to now in the store."""

    # ---- what there is

    @property
    def name(self) -> str:
        """Name of the file, or of the world where it is in memory."""
        return self._store.name

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what is not whole in its file, or not known to this version of kido."""
        return self._store.notes

    @property
    def parts(self) -> tuple[RecordingPart, ...]:
        """The parts that have samples, in the order in which they were recorded."""
        self._bring_up()
        parts = [RecordingPart(index, stored) for index, stored in enumerate(self._store.parts)]
        if self._bounds is not None:
            parts = [part.between(*self._bounds) for part in parts]
        return tuple(part for part in parts if len(part))

    def _some_parts(self) -> tuple[RecordingPart, ...]:
        parts = self.parts
        if not parts:
            raise RecordingError(self.name, "holds no samples")
        return parts

    def __len__(self) -> int:
        """Number of samples."""
        return sum(len(part) for part in self.parts)

    @property
    def times(self) -> FloatArray:
        """Times of all samples (n,) [s], part by part; read-only. They go back where the time was set
        back."""
        parts = [part.times for part in self.parts]
        return read_only(np.concatenate(parts)) if parts else read_only(np.zeros(0))

    @property
    def start_time(self) -> float:
        """The earliest time [s]. Raises RecordingError where there are no samples."""
        return min(float(part.times[0]) for part in self._some_parts())

    @property
    def end_time(self) -> float:
        """The latest time [s]. Raises RecordingError where there are no samples."""
        return max(float(part.times[-1]) for part in self._some_parts())

    @property
    def duration(self) -> float:
        """From the earliest time to the latest [s]. Raises RecordingError where there are no samples."""
        return self.end_time - self.start_time

    @property
    def skeletons(self) -> tuple[str, ...]:
        """Names of the skeletons, in the order in which they came."""
        return tuple(dict.fromkeys(name for part in self.parts for name, _ in part.layout.skeletons))

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the user's signals."""
        return tuple(dict.fromkeys(signal.name for part in self.parts for signal in part.layout.signals))

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names that `series` can be asked for."""
        return tuple(name for name in (*QUANTITIES, *self.signals) if self._has(name))

    def _has(self, name: str) -> bool:
        try:
            self.series(name)
        except UnknownNameError:
            return False
        return True

    @property
    def events(self) -> tuple[Event, ...]:
        """Marks of the user's, edits of the world, settings of its time, and an error that ended the
        recording, in their order."""
        self._bring_up()
        found = []
        for line in self._store.events():
            try:
                found.append(Event.from_json(line))
            except (ValueError, KeyError, TypeError):
                break  # cut off
        if self._bounds is not None:
            low, high = self._bounds
            found = [event for event in found if low <= event.time <= high]
        return tuple(found)

    # ---- numbers

    def series(self, quantity: str, skeleton: str | Skeleton | None = None) -> Series:
        """A quantity over time.

        Args:
            quantity: one of "positions", "velocities", "commands", "accelerations", "actuator_forces",
                "friction_forces", "limit_forces", "contact_forces" (sizes of their sums, for two bodies
                each), "contact_depths" (the deepest), "constraint_forces" (sizes), or the name of a signal.
            skeleton: whose, or its name; None: all.

        Raises UnknownNameError where there is none of that name.
        """
        name = skeleton.name if isinstance(skeleton, Skeleton) else skeleton
        if name is not None and name not in self.skeletons:
            raise UnknownNameError("skeleton", name, self.skeletons, self.name)
        return series_of(self.name, self.parts, quantity, name)

    def positions(self, skeleton: str | Skeleton) -> FloatArray:
        """Positions of a skeleton in all samples (n, num_dofs) [rad, m]; see `times`.

        Raises UnknownNameError; RecordingError where it is not in all parts, with the same dofs.
        """
        return self._of_skeleton("positions", skeleton)

    def velocities(self, skeleton: str | Skeleton) -> FloatArray:
        """The same of velocities [rad/s, m/s]."""
        return self._of_skeleton("velocities", skeleton)

    def commands(self, skeleton: str | Skeleton) -> FloatArray:
        """The same of commands, by actuator."""
        return self._of_skeleton("commands", skeleton)

    def _of_skeleton(self, table: str, skeleton: str | Skeleton) -> FloatArray:
        name = skeleton.name if isinstance(skeleton, Skeleton) else skeleton
        parts = self._some_parts()
        if name not in self.skeletons:
            raise UnknownNameError("skeleton", name, self.skeletons, self.name)
        found = [part.layout.columns(name) for part in parts]
        widths = {None if own is None else own.stop - own.start for own in found}
        if len(widths) > 1:
            raise RecordingError(
                self.name, f"{name!r} is not in all parts with the same dofs: ask `parts`, or `series`"
            )
        return np.concatenate(
            [
                part.rows(table)[:, own] if part.layout.dofs else np.zeros((len(part), 0))
                for part, own in zip(parts, found, strict=True)
            ]
        )

    # ---- at a time

    def part_at(self, time: float, *, clamped: bool = False) -> RecordingPart:
        """The part that a time is in; of several, where the time was set back, the last.

        Args:
            time: [s].
            clamped: whether times before the start and after the end are taken for these.

        Raises ValueError for a time outside, RecordingError where there are no samples.
        """
        wanted = float(frozen_array("time", time, (), "s"))
        parts = self._some_parts()
        low, high = self.start_time, self.end_time
        slack = _ROUNDING * max(1.0, abs(low), abs(high))
        if not clamped and not low - slack <= wanted <= high + slack:
            raise ValueError(f"time: expected {low:g} to {high:g} [s], got {wanted:g}")
        inside = [part for part in parts if part.times[0] <= wanted <= part.times[-1]]
        if inside:
            return inside[-1]
        before = [part for part in parts if part.times[0] <= wanted]
        return (
            max(before, key=lambda part: (part.times[-1], part.index))
            if before
            else min(parts, key=lambda part: part.times[0])
        )

    def at(self, time: float) -> Playback:
        """The skeletons as they stood at a time [s], between samples interpolated, with the contacts of the
        sample before; they can be moved on.

        Raises ValueError for a time outside, RecordingError where the model is missing.
        """
        self.part_at(time)
        return Playback(self, time)

    def skeletons_at(self, time: float) -> tuple[Skeleton, ...]:
        """Copies of the skeletons as they stood at a time [s]. Raises as `at`."""
        return self.at(time).skeletons

    def contacts_at(self, time: float) -> list[Contact]:
        """The contacts of the last sample at or before a time [s]. Raises as `at`."""
        return self.at(time).contacts

    def world_at(self, time: float, *, exact: bool = True) -> World:
        """A world as it stood after the last step at or before a time, from where it can be simulated on.

        Args:
            time: [s].
            exact: whether it goes on bit for bit as the recorded one did: steps are made again from the
                keyframe before, and compared with the samples on the way. Else it has positions, velocities
                and commands of the last sample, and the solver begins anew.

        Raises:
            ValueError: a time outside.
            RecordingError: there is no such world; says why.
            SavedFileError: the model is malformed, or names classes that are not known.
        """
        checked_flag("exact", exact)
        part = self.part_at(time)
        if exact:
            whole = [RecordingPart(index, stored) for index, stored in enumerate(self._store.parts)]
            following = whole[part.index + 1] if part.index + 1 < len(whole) else None
            step = step_at(whole[part.index], time, following)
            parts = whole[: part.index + 1]
            return Replay(self.name, self.models, parts, trusted=self._trusted).world(step)
        return self._roughly(part, time)

    def _roughly(self, part: RecordingPart, time: float) -> World:
        """The world of a sample, whose solver remembers nothing."""
        sample, _ = part.sample_at(time)
        states, first = [], 0
        for _, count in part.layout.skeletons:
            rows, own = np.zeros((5, count)), slice(first, first + count)
            for row, name in ((0, "positions"), (1, "velocities"), (4, "commands")):
                rows[row] = part.rows(name, sample, sample + 1)[0][own] if count else 0.0
            states.append(rows)
            first += count
        base, steps = part.layout.clock
        counts = (base, steps, int(part.steps[sample]) - steps)
        world: World = self.models.saved(part).build_at(states, counts, None)
        place_points(part, world.skeletons, sample, 0.0)
        note = Diagnostic(
            "impulses of contacts and constraints begin anew", self.name, None, "ignored", world.name
        )
        world._named = world._named._replace(diagnostics=(*world.diagnostics, note))
        return world

    # ---- to look at

    def plot(
        self,
        *quantities: str,
        skeleton: str | Skeleton | None = None,
        path: PathLike | None = None,
        degrees: bool = False,
    ) -> Any:
        """Draw quantities over time, with names, units and legends.

        Args:
            quantities: as for `series`; none: positions, velocities, forces of contacts and constraints, and
                signals. Each unit has axes of its own; of more than ten columns, those that change most are
                drawn.
            skeleton: whose, or its name; None: all.
            path: picture to write, as .png, .svg, .pdf; None: none.
            degrees: whether angles and their rates are drawn in degrees.

        Returns:
            The Figure of matplotlib.

        Raises:
            RecordingError: there are no samples.
            UnknownNameError: no such quantity or skeleton.
            MissingDependencyError: matplotlib is not installed.
            OSError, ValueError: the picture cannot be written.
        """
        self._some_parts()
        series = [self.series(name, skeleton) for name in quantities or self._plotted()]
        if checked_flag("degrees", degrees):
            series = [one.in_degrees() for one in series]
        figure = figure_of(panels_of(series), self.events, self.name)
        if path is not None:
            figure.savefig(checked_path("path", path), dpi=110)
        return figure

    def _plotted(self) -> list[str]:
        """Quantities that are drawn where nothing else is asked for."""
        usual = ("positions", "velocities", "contact_forces", "constraint_forces")
        return [name for name in (*usual, *self.signals) if self._has(name) and self.series(name).columns]

    def report(self, path: PathLike, *, title: str | None = None, degrees: bool = False) -> None:
        """Write a page with plots, events and a replay in three dimensions, which opens without a server.

        Args:
            path: the file .html.
            title: of the page; None: name of the recording.
            degrees: whether angles and their rates are drawn in degrees.

        Raises:
            RecordingError: there are no samples.
            MissingDependencyError: matplotlib is not installed.
            OSError: the file cannot be written.
        """
        self._some_parts()
        named = self.name if title is None else title
        write_report(self, checked_path("path", path), named, degrees=checked_flag("degrees", degrees))

    # ---- parts of it, and others

    def __getitem__(self, times: slice) -> Recording:
        """The samples between two times [s], both included: `recording[1.0:2.5]`."""
        if not isinstance(times, slice) or times.step is not None:
            raise TypeError("recording: expected two times, as recording[1.0:2.5]")
        low, high = self._bounds or (-np.inf, np.inf)
        start = low if times.start is None else float(frozen_array("start", times.start, (), "s"))
        stop = high if times.stop is None else float(frozen_array("stop", times.stop, (), "s"))
        if start > stop:
            raise ValueError(f"recording: expected times in order, got {start:g} and {stop:g} [s]")
        self._bring_up()
        return Recording(self._store, bounds=(max(low, start), min(high, stop)), **self._options)

    def compare(self, other: Recording, *, tolerance: float = 0.0) -> Comparison:
        """Differences of this run and another one.

        Args:
            other: the other run.
            tolerance: up to which positions [rad, m] and velocities [rad/s, m/s] count as equal.

        Raises TypeError, ValueError naming the argument.
        """
        checked_part("other", Recording, other)
        largest = float(frozen_array("tolerance", tolerance, ()))
        if largest < 0.0:
            raise ValueError(f"tolerance: expected 0 or above, got {largest:g}")
        return compare(self.parts, other.parts, largest)

    def playback(self) -> Playback:
        """The skeletons at the start, to be moved to any time. Raises RecordingError."""
        return Playback(self)

    def _repr_png_(self) -> bytes | None:
        return notebook_pictures.png(self) if self.parts else None

    def _repr_html_(self) -> str:
        picture = notebook_pictures.html(self) if self.parts else ""
        return picture + recording_html(self.name, self._about(), self.notes)

    def _about(self) -> str:
        if not self.parts:
            return "no samples"
        return f"{len(self)} samples, {self.start_time:g} to {self.end_time:g} s"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {self._about()}>"
