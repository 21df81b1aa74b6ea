"""Minimisation under constraints: problems, functions, solvers, and results that check themselves.

A `Problem` holds numbers and functions, and any `Solver` solves it. Nothing here knows of robots: all numbers
are in the units of the user's functions.
"""

from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._checked import checked_array, checked_number, real_array
from kido.optimize._constraints import Constraints
from kido.optimize._differences import difference_jacobian
from kido.optimize._evaluator import Evaluator, Stop
from kido.optimize._function import Function, ModularFunction, NullFunction
from kido.optimize._gauss_newton import GaussNewtonSolver
from kido.optimize._gradient_descent import GradientDescentSolver
from kido.optimize._ipopt import IpoptSolver
from kido.optimize._least_squares_function import LeastSquaresFunction
from kido.optimize._levenberg_marquardt import LevenbergMarquardtSolver
from kido.optimize._multi_function import ModularMultiFunction, MultiFunction, StackedFunction
from kido.optimize._multi_objective import MultiObjectiveProblem, MultiObjectiveSolver, ParetoSet
from kido.optimize._nlopt import NloptSolver
from kido.optimize._problem import Problem
from kido.optimize._quadratic_function import QuadraticFunction
from kido.optimize._quadratic_program import QuadraticProgram
from kido.optimize._quadratic_result import QuadraticResult, QuadraticStatus
from kido.optimize._result import Result, Status
from kido.optimize._scipy import SciPySolver
from kido.optimize._solver import Solver
from kido.optimize._stationarity import OneSided, kkt_residual, one_sided_constraints, stationarity

__all__ = [
    "Constraints",
    "DeclaredAttributes",
    "Evaluator",
    "Function",
    "GaussNewtonSolver",
    "GradientDescentSolver",
    "IpoptSolver",
    "LeastSquaresFunction",
    "LevenbergMarquardtSolver",
    "ModularFunction",
    "ModularMultiFunction",
    "MultiFunction",
    "MultiObjectiveProblem",
    "MultiObjectiveSolver",
    "NloptSolver",
    "NullFunction",
    "OneSided",
    "ParetoSet",
    "Problem",
    "QuadraticFunction",
    "QuadraticProgram",
    "QuadraticResult",
    "QuadraticStatus",
    "Result",
    "SciPySolver",
    "Solver",
    "StackedFunction",
    "Status",
    "Stop",
    "checked_array",
    "checked_number",
    "difference_jacobian",
    "kkt_residual",
    "one_sided_constraints",
    "real_array",
    "stationarity",
]
