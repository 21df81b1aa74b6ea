"""IKFast solvers: closed forms that were generated for one arm and compiled to a shared library."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from kido import _core
from kido.errors import LibraryError
from kido.ik._analytical._ikfast_build import build_library, is_source, library_of_source
from kido.math import as_transform_matrix
from kido.optimize import DeclaredAttributes
from kido.typing import ArrayLike, FloatArray, PathLike, TransformLike
from kido.values import checked_path


class IKFastType(IntEnum):
    """Type of an IKFast solver: what its target is.

    Solvers of the types up to `TRANSLATION_XY_ORIENTATION_3D` are given a pose, of which they take what they
    want; directions are those of its z axis. What the other types want is not told by a pose.
    """

    TRANSFORM_6D = 0x67000001
    """The pose."""

    ROTATION_3D = 0x34000002
    """Its rotation."""

    TRANSLATION_3D = 0x33000003
    """Its origin."""

    DIRECTION_3D = 0x23000004
    """A direction of the tool is along its z axis."""

    RAY_4D = 0x46000005
    """A line of the tool lies on its z axis."""

    LOOKAT_3D = 0x23000006
    """A direction of the tool points to its origin."""

    TRANSLATION_DIRECTION_5D = 0x56000007
    """Its origin, and a direction of the tool is along its z axis."""

    TRANSLATION_XY_2D = 0x22000008
    """x and y of its origin."""

    TRANSLATION_XY_ORIENTATION_3D = 0x33000009
    """x and y of its origin, and the angle of its x axis about z of the base, from x of the base."""

    TRANSLATION_LOCAL_GLOBAL_6D = 0x3600000A
    """A point that is given in the tool comes to a point that is given in the base."""

    TRANSLATION_X_AXIS_ANGLE_4D = 0x4400000B
    """A point, and the angle between a direction of the tool and x of the base."""

    TRANSLATION_Y_AXIS_ANGLE_4D = 0x4400000C
    """A point, and the angle between a direction of the tool and y of the base."""

    TRANSLATION_Z_AXIS_ANGLE_4D = 0x4400000D
    """A point, and the angle between a direction of the tool and z of the base."""

    TRANSLATION_X_AXIS_ANGLE_Z_NORM_4D = 0x4400000E
    """A point, and the angle from x of the base of a direction that is normal to z."""

    TRANSLATION_Y_AXIS_ANGLE_X_NORM_4D = 0x4400000F
    """A point, and the angle from y of the base of a direction that is normal to x."""

    TRANSLATION_Z_AXIS_ANGLE_Y_NORM_4D = 0x44000010
    """A point, and the angle from z of the base of a direction that is normal to y."""


class IKFastLibrary(DeclaredAttributes, closed=True):
    """A compiled IKFast solver of one arm.

    Positions are in the order of the solver's joints. A target is the pose of the tool that the solver was
    generated for, in the arm's base; of a solver whose `version` has the bit 0x10000000 it is the pose of
    the arm's last link.

    Libraries of every IKFast since 2012 are accepted, of double numbers, compiled with IKFAST_CLIBRARY. They
    run in the process as they are: load only those that you trust.

    Source: Diankov, Automated Construction of Robotic Manipulation Programs (2010), chapter 4.1.
    """

    def __init__(self, path: PathLike) -> None:
        """Load a library, or compile what IKFast generated and load that.

        Args:
            path: a library; or a C++ file, by its suffix, which is compiled as by `compile`, with ikfast.h
                beside it. Its library stands beside it, too, named for the content of the source, as
                arm-0123456789abcdef.so: it is compiled once, and replaces no other file.

        Raises:
            FileNotFoundError: no such file.
            LibraryError: not a shared library, a symbol is missing, numbers are not double, or the platform
                is not supported; the source does not compile so.
        """
        file = checked_path("path", path).absolute()
        if not file.is_file():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file))
        self._path = library_of_source(file) if is_source(file) else file
        try:
            self._native = _core.IKFastLibrary(os.fsencode(self._path))
        except ValueError as error:
            raise LibraryError(self._path, str(error)) from None
        number = self._native.ik_type
        if number not in IKFastType.__members__.values():
            raise LibraryError(self._path, f"GetIkType: expected one of IKFastType, got {number:#x}")

    @classmethod
    def compile(
        cls,
        source: PathLike,
        *,
        output: PathLike | None = None,
        include: PathLike | None = None,
        options: Sequence[str] = (),
    ) -> IKFastLibrary:
        """Compile what IKFast generated, and load it.

        The compiler is the one that the environment variable CXX names, else c++, g++ or clang++.

        Args:
            source: the generated C++ file; its suffix is one of C++ (.cpp, .cc, .cxx, .c++, .cp, .c).
            output: the library to write, replaced if it is there; None: beside the source, with suffix .so.
            include: folder of ikfast.h, which kido does not bring; None: it lies beside the source.
            options: what the compiler is told besides, as "-llapack" for solvers that call LAPACK.

        Raises:
            FileNotFoundError: no such source, or no folder for the output.
            ValueError: `output` is the source itself.
            LibraryError: the source is no C++ file, there is no compiler, the compiler fails (with what it
                says), or the library cannot be used.
        """
        file = checked_path("source", source).absolute()
        target = file.with_suffix(".so") if output is None else checked_path("output", output).absolute()
        build_library(file, target, None if include is None else checked_path("include", include), options)
        return cls(target)

    @property
    def path(self) -> Path:
        """The file of the library."""
        return self._path

    @property
    def num_joints(self) -> int:
        """Joints of the arm, those that are free included."""
        return self._native.num_joints

    @property
    def free_joints(self) -> tuple[int, ...]:
        """Joints whose positions `solve` is given, in the order in which it is given them."""
        return tuple(self._native.free_joints)

    @property
    def ik_type(self) -> IKFastType:
        """Type of the target."""
        return IKFastType(self._native.ik_type)

    @property
    def version(self) -> str | None:
        """Version of IKFast that generated the solver; None where the library does not tell."""
        return self._native.version or None

    @property
    def kinematics_hash(self) -> str | None:
        """Hash of the arm that the solver was generated for; None where the library does not tell."""
        return self._native.kinematics_hash or None

    @property
    def has_forward_kinematics(self) -> bool:
        """Whether `forward` answers: the library has ComputeFk, and its type is TRANSFORM_6D."""
        return self._native.has_forward_kinematics and self.ik_type == IKFastType.TRANSFORM_6D

    def forward(self, positions: ArrayLike) -> FloatArray:
        """Pose of the tool by the library's own forward kinematics.

        Args:
            positions: (n,) [rad, m].

        Returns:
            Pose (4, 4) in the base, translation in [m].

        Raises:
            ValueError: wrong shape, numbers that are not finite, or no forward kinematics of poses.
            LibraryError: the library raised, or answered numbers that are not finite.
        """
        if not self.has_forward_kinematics:
            raise ValueError(f"forward: expected a library with ComputeFk of TRANSFORM_6D, got {self!r}")
        try:
            return self._native.forward(positions)
        except RuntimeError as error:
            raise LibraryError(self._path, str(error)) from error

    def solve(
        self, target: TransformLike, free: ArrayLike = (), *, near: ArrayLike | None = None
    ) -> FloatArray:
        """All solutions for one target.

        Args:
            target: pose (4, 4) in the base, translation in [m]; see `IKFastType` for what is taken of it.
            free: positions of the free joints (f,) [rad, m], in the order of `free_joints`.
            near: positions (n,) [rad, m], taken for other joints where a singular pose leaves them free;
                None: zeros.

        Returns:
            Positions (k, n) [rad, m], as the library orders them; k is 0 where there are none. Angles are
            within a turn about zero, but for those of joints that are given. Limits are not regarded. What
            the library adds with numbers that are not finite is no solution and left out.

        Raises:
            ValueError: wrong shapes, numbers that are not finite, a target that is no pose, or a library
                whose type wants what a pose does not say.
            LibraryError: the library raised, or answered what is no solution.
        """
        if not self._native.takes_poses:
            raise ValueError(f"target: expected a library whose type a pose serves, got {self.ik_type.name}")
        try:
            return self._native.solve(as_transform_matrix(target, "target"), free, near)
        except RuntimeError as error:
            raise LibraryError(self._path, str(error)) from error

    def __reduce__(self) -> tuple[type[IKFastLibrary], tuple[Path]]:
        return type(self), (self._path,)

    def __repr__(self) -> str:
        free = f", free {list(self.free_joints)}" if self.free_joints else ""
        return f"<IKFastLibrary {self._path.name!r}: {self.ik_type.name}, {self.num_joints} joints{free}>"
