"""Types of IKFast solvers, by what their target is."""

from __future__ import annotations

from enum import IntEnum


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
