"""Energy and momentum of the point masses of soft bodies over a time step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.skeleton import SimulationView, SkinNode
from kido.typing import FloatArray
from kido.world._skeleton_step import SkeletonStep

__all__ = ["PointContacts", "PointStep", "point_steps"]

PointContacts = dict[int, list[tuple[NDArray[np.intp], FloatArray, FloatArray]]]
"""Contacts of skins by their ids: the point that touches (1,), or the corners of the face that does (3,); the
place (3,) in the world when the step began [m]; the force on it (3,), in world axes [N]."""


@dataclass(frozen=True)
class _Moment:
    """Points at one moment, in world axes: places (n, 3) from its origin and velocities (n, 3), where they
    are and where they would be at rest in their body, which moves as it does; velocities beside it (n, 3),
    and the energy of springs and gas [J]."""

    places: FloatArray
    velocities: FloatArray
    rest_places: FloatArray
    rest_velocities: FloatArray
    beside: FloatArray
    elastic: float


@dataclass(frozen=True)
class PointStep:
    """The points of a skin over the last step.

    Attributes:
        node: the skin.
        gravity: that acts on them (3,) [m/s^2].
        duration: of the step [s].
        before, after: where they were and are.
        turn: axes of the body at the beginning (3, 3).
        contacts: forces on them (n, 3), in world axes [N].
    """

    node: SkinNode
    gravity: FloatArray
    duration: float
    before: _Moment
    after: _Moment
    turn: FloatArray
    contacts: FloatArray

    @property
    def mass(self) -> FloatArray:
        """Of the points (n,) [kg]."""
        return self.node.skin.mass

    def energies(self) -> FloatArray:
        """Kinetic energy, energy in gravity, of springs and gas, beyond those of points at rest in their
        body; at beginning and end (2, 3) [J]."""
        rows = []
        for at in (self.before, self.after):
            squares = (at.velocities**2).sum(axis=1) - (at.rest_velocities**2).sum(axis=1)
            shift = self.mass @ (at.places - at.rest_places)
            rows.append((0.5 * self.mass @ squares, -self.gravity @ shift, at.elastic))
        return np.array(rows)

    def momenta(self) -> FloatArray:
        """Momentum beyond that of points at rest in their body (6,), at beginning and end (2, 6)."""
        return np.array(
            [
                _moment(at.places, self.mass[:, None] * at.velocities)
                - _moment(at.rest_places, self.mass[:, None] * at.rest_velocities)
                for at in (self.before, self.after)
            ]
        )

    def work(self) -> dict[str, float]:
        """Work beside the bodies of what is no potential, by velocities in the middle of the step [J]."""
        middle = 0.5 * (self.before.velocities + self.after.velocities)
        beside = 0.5 * (self.before.beside + self.after.beside)
        soft, skin = self.node._soft, self.node.skin
        return {
            "contacts": self.duration * float((self.contacts * beside).sum()),
            "external": self.duration * float((self._outer() * middle).sum()),
            "constraints": self.duration * float((soft.pin_forces * middle).sum()),
            "dampers": -self.duration * float(skin.damping @ (beside**2).sum(axis=1)),
        }

    def impulses(self) -> dict[str, FloatArray]:
        """Of gravity beyond that on points at rest, and of what acts on points beside contacts (6,)."""
        at, weights = self.before, self.mass[:, None] * self.gravity
        return {
            "gravity": self.duration * (_moment(at.places, weights) - _moment(at.rest_places, weights)),
            "external": self.duration * _moment(at.places, self._outer()),
            "constraints": self.duration * _moment(at.places, self.node._soft.pin_forces),
        }

    def _outer(self) -> FloatArray:
        return np.asarray(self.node._soft.forces @ self.turn.T)


def point_steps(
    view: SimulationView, step: SkeletonStep, contacts: PointContacts, gravity: FloatArray
) -> Iterator[PointStep]:
    """The points around all bodies of a skeleton."""
    states = [(step.positions, step.velocities), (step.end_positions, step.end_velocities)]
    poses = [view.tree.forward_kinematics(q) for q, _ in states]
    velocities = [view.tree.body_velocities(q, v, frame="body") for q, v in states]
    for body, node in view.skins:
        soft = node._soft
        numbers = (
            (soft.began_displacements, soft.began_velocities, soft.began_yielded),
            (soft.displacements, soft.velocities, soft.yielded),
        )
        before, after = (
            _moment_of(node, poses[k][body], velocities[k][body], *numbers[k if step.duration else 1])
            for k in range(2)
        )
        weighs = node.body.gravity_mode
        yield PointStep(
            node,
            gravity if weighs else np.zeros(3),
            step.duration,
            before,
            after,
            poses[0][body, :3, :3],
            _forces_on_points(before.places, contacts.get(id(node), [])),
        )


def _forces_on_points(
    places: FloatArray, contacts: list[tuple[NDArray[np.intp], FloatArray, FloatArray]]
) -> FloatArray:
    """Sums of the forces on points at places (n, 3); a face shares its force among its corners by barycentric
    weights."""
    forces = np.zeros_like(places)
    for corners, place, force in contacts:
        weights = np.ones(1) if len(corners) == 1 else _barycentric(places[corners], place)
        forces[corners] += weights[:, None] * force
    return forces


def _barycentric(triangle: FloatArray, place: FloatArray) -> FloatArray:
    """Weights (3,) of the corners of a triangle (3, 3) for the point of its plane nearest to a place."""
    along = (triangle[1:] - triangle[0]).T
    second, third = np.linalg.lstsq(along, place - triangle[0], rcond=None)[0]
    return np.array([1.0 - second - third, second, third])


def _moment_of(
    node: SkinNode, T: FloatArray, V: FloatArray, x: FloatArray, v: FloatArray, yielded: FloatArray
) -> _Moment:
    R, rest = T[:3, :3], node.skin.points
    return _Moment(
        (rest + x) @ R.T + T[:3, 3],
        (V[3:] + np.cross(V[:3], rest + x) + v) @ R.T,
        rest @ R.T + T[:3, 3],
        (V[3:] + np.cross(V[:3], rest)) @ R.T,
        v @ R.T,
        node.elastic_energy(x, yielded),
    )


def _moment(places: FloatArray, vectors: FloatArray) -> FloatArray:
    """Sum of vectors (n, 3) at places (n, 3): their moment about the origin, and they (6,)."""
    return np.concatenate([np.cross(places, vectors).sum(axis=0), vectors.sum(axis=0)])
