"""A brick that slides between the tangents of its contacts, by each solver and by one of our own."""

import numpy as np

import kido
from kido import lcp
from kido.values import value
from kido.world import BlockSolver, BoxedLCPSolver, ImpulseSolver, StepProblem


@value
class Sweeps(ImpulseSolver):
    """Projected Gauss-Seidel, with friction within Coulomb's cone."""

    count: int = 30

    def solve(self, problem: StepProblem) -> np.ndarray:
        A, b, x = problem.A, problem.b, problem.start.copy()
        for _ in range(self.count):
            x[0::3] = [max(x[i] - (A[i] @ x + b[i]) / A[i, i], 0.0) for i in range(0, len(x), 3)]
            for i in range(0, len(x), 3):
                rows = [i + 1, i + 2]
                step = x[rows] - (A[rows] @ x + b[rows]) / A[rows, rows].max()
                bound = problem.upper[i + 1] * x[i]
                x[rows] = step * min(1.0, bound / max(np.linalg.norm(step), 1e-300))
        return x


def distance(solver: BlockSolver | ImpulseSolver) -> float:
    """How far the brick slides [m]."""
    brick = kido.gallery.box((0.2, 0.2, 0.02), mass=1.0, surface=kido.Surface(friction=0.4), name="brick")
    brick.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 0.01]  # rotation vector [rad], origin [m]
    brick.velocities = [0.0, 0.0, 0.0, 0.6, 0.6, 0.0]  # angular [rad/s], linear [m/s]
    kido.World([kido.gallery.ground(), brick], solver=solver).step(350)
    return float(np.linalg.norm(brick.positions[3:5]))


theory = 0.72 / (2 * 0.4 * 9.81)
solvers = {
    "block Gauss-Seidel": BlockSolver(),
    "Dantzig, pyramid": BoxedLCPSolver(method=lcp.Dantzig()),
    "Lemke, pyramid": BoxedLCPSolver(method=lcp.Lemke()),
    "Newton, cone": BoxedLCPSolver(method=lcp.SemismoothNewton(), cones=True),
    "our own, cone": Sweeps(),
}
ways = {name: distance(solver) for name, solver in solvers.items()}
for name, way in ways.items():
    print(f"{name:20s} {1e3 * way:6.2f} mm, {way / theory:.3f} of v^2 / 2 mu g")
for name in ("block Gauss-Seidel", "Newton, cone", "our own, cone"):
    assert np.isclose(ways[name], theory, rtol=0.02), name
for name in ("Dantzig, pyramid", "Lemke, pyramid"):  # brakes 1.41 times too strongly between the tangents
    assert np.isclose(ways[name], theory / np.sqrt(2), rtol=0.02), name
