"""A rigid body as a frame with mass: inertia, center of mass, momentum, energies, and wrenches on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from kido import _core
from kido.description import Inertia
from kido.errors import ModelWarning, warn_outside_kido
from kido.frame import Frame
from kido.skeleton._axes import in_axes_of
from kido.skeleton._data import COLLIDABLE, GRAVITY
from kido.skeleton._external import ExternalForces
from kido.tree import INERTIA, inertia_numbers
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_flag

__all__ = ["RigidBody", "refuse_impossible"]


class RigidBody(Frame, ExternalForces):
    """A frame with mass, whose numbers stand in a row of a skeleton's data."""

    __slots__ = ()

    _is_soft: ClassVar[bool] = False
    """Whether there are point masses around it."""

    def _points(self) -> Any:
        """The node that holds the point masses, of a body that has some."""
        raise NotImplementedError

    def _constants_changed(self) -> None:
        """Called where mass or gravity changed."""
        raise NotImplementedError

    # ---- mass

    @property
    def inertia(self) -> Inertia:
        """Mass, center of mass and rotational inertia about it, in this body's axes.

        Set: an Inertia, or None for a massless body; raises ValueError for what no body can have.
        """
        x = self._inertia_numbers()
        moment = np.array([[x[4], x[5], x[6]], [x[5], x[7], x[8]], [x[6], x[8], x[9]]])
        return Inertia(float(x[0]), x[1:4], moment)

    @inertia.setter
    def inertia(self, inertia: Inertia | None) -> None:
        self._data_row()
        refuse_impossible(inertia)
        self._write_inertia(inertia)

    def _write_inertia(self, inertia: Inertia | None) -> None:
        data, row = self._data_row()
        data.writable_rows()[row, INERTIA] = 0.0 if inertia is None else inertia_numbers(inertia)
        self._constants_changed()

    @property
    def core_inertia(self) -> Inertia:
        """Inertia without point masses around the body: that of a rigid body itself."""
        return self.inertia

    @property
    def mass(self) -> float:
        """Mass [kg]. Set: the moment is not scaled; raises ValueError where no body can have both.

        Where the inertia is one already that no body can have, as a file may give it, only a mass that is
        negative by itself is refused; ModelWarning says what is still wrong. So it is for `local_com` and
        `moment_of_inertia`.
        """
        return float(self._inertia_numbers()[0])

    @mass.setter
    def mass(self, mass: float) -> None:
        self._change_inertia(Inertia(mass), mass=mass)

    @property
    def local_com(self) -> FloatArray:
        """Center of mass (3,) in this body's coordinates [m]. Can be set."""
        data, row = self._data_row()
        return _core.frozen_row(data.rows, row, INERTIA.start + 1, 3)

    @local_com.setter
    def local_com(self, com: ArrayLike) -> None:
        center = frozen_array("local_com", com, (3,), "m")
        self._change_inertia(Inertia(1.0, center), com=center)

    @property
    def moment_of_inertia(self) -> FloatArray:
        """Rotational inertia (3, 3) about the center of mass, in this body's axes [kg m^2]. Can be set."""
        return self.inertia.moment

    @moment_of_inertia.setter
    def moment_of_inertia(self, moment: ArrayLike) -> None:
        checked = frozen_array("moment_of_inertia", moment, (3, 3), "kg m^2")
        self._change_inertia(Inertia(1.0, moment=checked), moment=checked)

    def _change_inertia(self, alone: Inertia, **change: object) -> None:
        """Change one part of the inertia; `alone`: a possible inertia but for that part."""
        before = self.inertia
        after: Inertia = replace(before, **change)  # type: ignore[arg-type]
        was_possible = before.problem() is None
        refuse_impossible(after if was_possible else alone)
        self._write_inertia(after)
        problem = None if was_possible else after.problem()
        if problem:
            warn_outside_kido(f"no body can have the inertia of {self.name!r}: {problem}", ModelWarning)

    def _inertia_numbers(self) -> FloatArray:
        data, row = self._data_row()
        numbers: FloatArray = data.rows[row, INERTIA]
        return numbers

    @property
    def gravity_mode(self) -> bool:
        """Whether gravity acts on this body. Can be set."""
        data, row = self._data_row()
        return bool(data.codes[row, GRAVITY])

    @gravity_mode.setter
    def gravity_mode(self, on: bool) -> None:
        data, row = self._data_row()
        data.write_codes(row, GRAVITY, checked_flag("gravity_mode", on))
        self._constants_changed()

    @property
    def collidable(self) -> bool:
        """Whether this body can touch others. Can be set."""
        data, row = self._data_row()
        return bool(data.codes[row, COLLIDABLE])

    @collidable.setter
    def collidable(self, on: bool) -> None:
        data, row = self._data_row()
        data.write_codes(row, COLLIDABLE, checked_flag("collidable", on))
        self._answers.shapes_changed()

    # ---- center of mass and energies

    def com(self, *, relative_to: Frame | None = None) -> FloatArray:
        """Center of mass (3,) [m] in the coordinates of a frame; None is the world."""
        T = self.transform(relative_to=relative_to)
        return np.asarray(T[:3, :3] @ self.local_com + T[:3, 3])

    def com_linear_velocity(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Velocity (3,) of the center of mass [m/s], as `linear_velocity` of that point."""
        return self.linear_velocity(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    def com_spatial_velocity(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Spatial velocity (6,) at the center of mass [rad/s, m/s], as `spatial_velocity` of that point."""
        return self.spatial_velocity(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    def com_linear_acceleration(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Acceleration (3,) of the center of mass [m/s^2], as `linear_acceleration` of that point."""
        return self.linear_acceleration(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    def com_spatial_acceleration(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Spatial acceleration (6,) at the center of mass [rad/s^2, m/s^2], as `spatial_acceleration` of that
        point."""
        return self.spatial_acceleration(
            self.local_com, relative_to=relative_to, in_coordinates_of=in_coordinates_of
        )

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of this body in the world [J]."""
        V = self.com_spatial_velocity()
        inertia = self.inertia
        return 0.5 * float(V[:3] @ inertia.moment @ V[:3] + inertia.mass * (V[3:] @ V[3:]))

    @property
    def potential_energy(self) -> float:
        """Potential energy of this body in the field of gravity, 0 at the world's origin [J]."""
        if not self.gravity_mode:
            return 0.0
        return -self.mass * float(self._answers.gravity @ self.com())

    def linear_momentum(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Linear momentum (3,) [kg m/s] in the axes of a frame; None is the world."""
        return self.mass * self.com_linear_velocity(in_coordinates_of=in_coordinates_of)

    def angular_momentum(
        self, pivot: ArrayLike | None = None, *, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Angular momentum (3,) [kg m^2/s] about a point.

        Args:
            pivot: (3,) in world coordinates [m]; None is the world's origin.
            in_coordinates_of: axes of the answer; None is the world.
        """
        point = np.zeros(3) if pivot is None else frozen_array("pivot", pivot, (3,), "m")
        V = self.com_spatial_velocity()
        R = self.transform()[:3, :3]
        spin = R @ self.moment_of_inertia @ V[:3]
        about = spin + np.cross(self.com() - point, self.linear_momentum())
        return in_axes_of(in_coordinates_of, about)


def refuse_impossible(inertia: Inertia | None) -> None:
    """Raises TypeError for what is no inertia, and ValueError for one that no body can have."""
    if inertia is not None and not isinstance(inertia, Inertia):
        raise TypeError(f"inertia: expected an Inertia or None, got {type(inertia).__name__}")
    problem = None if inertia is None else inertia.problem()
    if problem:
        raise ValueError(f"inertia: expected one that a body can have, but {problem}")
