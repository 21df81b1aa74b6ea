"""Joints written in Python: some that kido has too, a cam, and a four-bar coupler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from _random_trees import Array
from scipy.spatial.transform import Rotation

import kido
from kido.frame import Frame
from kido.typing import FloatArray

_PLACE = ("T_parent_joint", "T_child_joint")


def _pose(R: Array | None = None, p: Array | None = None) -> Array:
    T = np.eye(4)
    if R is not None:
        T[:3, :3] = R
    if p is not None:
        T[:3, 3] = p
    return T


def _turn(axis: Array, angle: float) -> Array:
    return np.asarray(Rotation.from_rotvec(axis * angle).as_matrix())


@dataclass(frozen=True)
class Axes:
    """Unit axes in the joint frame, and translation along the first by each radian [m]."""

    first: tuple[float, ...] = (0.0, 0.0, 1.0)
    second: tuple[float, ...] = (0.0, 1.0, 0.0)
    lead: float = 0.0


class OwnScrew(kido.UserJoint):
    """A screw, or a revolute joint where its lead is 0."""

    num_dofs = 1
    Properties = Axes

    def transform_of(self, q: FloatArray) -> FloatArray:
        axis = np.array(self.properties.first)
        return _pose(_turn(axis, q[0]), axis * self.properties.lead * q[0])

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        axis = np.array(self.properties.first)
        return np.concatenate([axis, axis * self.properties.lead])[:, None]

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        return np.zeros((6, 1))


class OwnUniversal(kido.UserJoint):
    """A universal joint; its Jacobian depends on the second angle."""

    num_dofs = 2
    Properties = Axes

    def transform_of(self, q: FloatArray) -> FloatArray:
        p = self.properties
        return _pose(_turn(np.array(p.first), q[0]) @ _turn(np.array(p.second), q[1]))

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        J = np.zeros((6, 2))
        J[:3, 0] = _turn(np.array(self.properties.second), -q[1]) @ self.properties.first
        J[:3, 1] = self.properties.second
        return J

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        dJ = np.zeros((6, 2))
        dJ[:3, 0] = np.cross(self.jacobian_of(q)[:3, 0], self.properties.second) * v[1]
        return dJ


class Cam(kido.UserJoint):
    """A follower that a turning cam lifts along z by 0.3 + 0.1 cos q + 0.02 sin 3 q [m]."""

    num_dofs = 1

    @staticmethod
    def lift(angle: float, order: int = 0) -> float:
        """The lift, or its derivative by the angle."""
        quarter = 0.5 * np.pi * order
        return float(
            0.3 * (order == 0)
            + 0.1 * np.cos(angle + quarter)
            + 0.02 * 3.0**order * np.sin(3.0 * angle + quarter)
        )

    def transform_of(self, q: FloatArray) -> FloatArray:
        return _pose(p=[0.0, 0.0, self.lift(q[0])])

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        return np.array([[0.0, 0.0, 0.0, 0.0, 0.0, self.lift(q[0], 1)]]).T

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        return np.array([[0.0, 0.0, 0.0, 0.0, 0.0, self.lift(q[0], 2) * v[0]]]).T


@dataclass(frozen=True)
class Bars:
    """Lengths [m] of a four-bar linkage in the x-y plane."""

    crank: float = 0.3
    coupler: float = 0.9
    rocker: float = 0.7
    ground: float = 1.0


class FourBarCoupler(kido.UserJoint):
    """The coupler of a four-bar linkage, by the angle of its crank: at the crank's end, x along the coupler.

    Rates of the coupler's angle follow from the loop's closure, differentiated once and twice.
    """

    num_dofs = 1
    Properties = Bars

    def angles(self, crank: float) -> tuple[float, float]:
        """Angles of coupler and rocker [rad], the linkage being open."""
        p = self.properties
        reach = p.ground - p.crank * np.exp(1j * crank)
        cosine = (abs(reach) ** 2 + p.coupler**2 - p.rocker**2) / (2.0 * p.coupler * abs(reach))
        coupler = np.angle(reach) + np.arccos(cosine)
        rocker = np.angle(p.coupler * np.exp(1j * coupler) - reach)
        return float(coupler), float(rocker)

    def rates(self, crank: float) -> tuple[float, float]:
        """First and second derivative of the coupler's angle by the crank's."""
        p = self.properties
        coupler, rocker = self.angles(crank)
        a, b, c = (
            length * np.exp(1j * angle)
            for length, angle in ((p.crank, crank), (p.coupler, coupler), (p.rocker, rocker))
        )
        matrix = np.array([[b.imag, -c.imag], [b.real, -c.real]])
        first = np.linalg.solve(matrix, [-a.imag, -a.real])
        curved = a + b * first[0] ** 2 - c * first[1] ** 2
        second = np.linalg.solve(matrix, [-curved.real, curved.imag])
        return float(first[0]), float(second[0])

    def transform_of(self, q: FloatArray) -> FloatArray:
        end = self.properties.crank * np.array([np.cos(q[0]), np.sin(q[0]), 0.0])
        return _pose(_turn(np.array([0.0, 0.0, 1.0]), self.angles(q[0])[0]), end)

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        lag = q[0] - self.angles(q[0])[0]
        J = np.zeros((6, 1))
        J[2] = self.rates(q[0])[0]
        J[3:5, 0] = self.properties.crank * np.array([-np.sin(lag), np.cos(lag)])
        return J

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        lag = q[0] - self.angles(q[0])[0]
        first, second = self.rates(q[0])
        dJ = np.zeros((6, 1))
        dJ[2] = second
        dJ[3:5, 0] = -self.properties.crank * (1.0 - first) * np.array([np.cos(lag), np.sin(lag)])
        return dJ * v[0]


def own(joint: kido.Joint) -> kido.Joint | None:
    """A joint written in Python that moves as a revolute, screw or universal joint does; None for others."""
    place = {name: getattr(joint, name) for name in _PLACE}
    match joint:
        case kido.RevoluteJoint():
            return OwnScrew(joint.name, Axes(tuple(joint.axis)), **place)
        case kido.ScrewJoint():
            return OwnScrew(joint.name, Axes(tuple(joint.axis), lead=joint.pitch / (2.0 * np.pi)), **place)
        case kido.UniversalJoint():
            return OwnUniversal(joint.name, Axes(tuple(joint.axis1), tuple(joint.axis2)), **place)
    return None


def with_own_joints(skeleton: kido.Skeleton) -> kido.Skeleton:
    """A copy in the same state whose revolute, screw and universal joints are written in Python."""
    copy = skeleton.clone()
    numbers = {
        name: getattr(skeleton, name)
        for name in (
            "positions",
            "velocities",
            "accelerations",
            "spring_stiffness",
            "rest_positions",
            "damping",
            "armature",
        )
    }
    for body in copy.bodies:
        joint = own(body.parent_joint)
        if joint is not None:
            body.change_parent_joint_type(joint)
    for name, values in numbers.items():
        setattr(copy, name, values)
    return copy


def frames_of(skeleton: kido.Skeleton) -> list[Frame]:
    """All bodies, and a frame that moves with one."""
    return [*skeleton.bodies, kido.SimpleFrame("tool", skeleton.bodies[-1], _pose(p=[0.1, 0.2, 0.3]))]
