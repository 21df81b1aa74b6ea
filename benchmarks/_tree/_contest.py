"""A robot loaded in kido and in every peer that is installed and can hold it."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks import _agreement, _peers, _states
from benchmarks._measure import STATES
from benchmarks._operations import SINGLE
from benchmarks._peers import Peer, PeerType
from benchmarks._peers._kido import KidoTree
from benchmarks._robots import RobotFile


@dataclass
class Contest:
    """kido and its peers with one robot.

    Attributes:
        robot: the robot.
        kido: kido's adaptor.
        peers: adaptors by name.
        differences: largest relative difference from kido by peer and operation.
        notes: why a peer is missing.
    """

    robot: RobotFile
    kido: KidoTree
    peers: dict[str, Peer] = field(default_factory=dict)
    differences: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, robot: RobotFile, adaptors: dict[str, PeerType]) -> Contest:
        """Load the robot everywhere and compare results."""
        contest = cls(robot, KidoTree(robot))
        for name, adaptor in adaptors.items():
            try:
                contest.peers[name] = adaptor(robot, contest.kido.names)
            except _peers.UnsupportedRobotError as error:
                contest.notes.append(f"{name} is skipped: {error}")
        contest._compare()
        return contest

    def flagged(self, operation: str) -> dict[str, float]:
        """Peers that compute something else than kido, by their difference."""
        found = {name: self.differences[name].get(operation, 0.0) for name in self.peers}
        return {name: value for name, value in found.items() if value > _agreement.TOLERANCE}

    def agreement(self) -> str:
        """A line with the largest difference of each peer over all operations."""
        worst = (f"{name} {max(values.values()):.0e}" for name, values in self.differences.items())
        return "largest relative difference from kido: " + ", ".join(worst)

    def _compare(self) -> None:
        states = _states.draw(self.robot.dofs, STATES, seed=1)
        for name, peer in self.peers.items():
            calls = {operation: peer.single(operation, states) for operation in SINGLE}
            self.differences[name] = {
                operation: _agreement.difference(call, self.kido.single(operation, states))
                for operation, call in calls.items()
                if call is not None
            }
