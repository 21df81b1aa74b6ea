"""Pieces of URDF files."""

from __future__ import annotations


def link(name: str, mass: float = 1.0, moments: tuple[float, float, float] = (0.1, 0.1, 0.1)) -> str:
    """A <link> element; moments of inertia about its origin [kg m^2]."""
    ixx, iyy, izz = moments
    return (
        f'<link name="{name}"><inertial><mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/></inertial></link>'
    )


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    """A <joint> element."""
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'
