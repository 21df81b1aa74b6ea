#pragma once

#include <cstddef>

#include "kido/batch/stop_signal.hpp"

// Mixed linear complementarity problems with bounds and friction, as plain arrays: find x and w = A x + b such that
// each x is between its bounds, w is zero where x is strictly between them, w >= 0 at a lower bound and w <= 0 at an
// upper one.
//   Row i with friction_index[i] = j >= 0 has the bounds lower[i] x_j and upper[i] x_j: a pyramid of friction, as
// `findex` of ODE and DART. Row j has a lower bound of at least 0 and constant bounds.
//   A cone has a normal row, which is such a row j, and two tangential rows t, whose own bounds are infinite:
// |x_t| <= friction x_j, and w_t is zero, or x_t is at the rim and opposite to w_t: Coulomb's law without a pyramid.

namespace kido {

struct LcpProblem {
    int n;
    const double *A, *b;          // (n, n) row by row, (n)
    const double *lower, *upper;  // (n), may be infinite
    const int* friction_index;    // (n), -1: the bounds are constant
    int cones;
    const int* cone_rows;         // (cones, 3): normal, first and second tangent
    const double* cone_friction;  // (cones)
};

enum class LcpMethod : int { projected_gauss_seidel, dantzig, lemke, semismooth_newton };

struct LcpSettings {
    LcpMethod method;
    double tolerance;    // of the residual [-]
    int max_iterations;  // sweeps, pivots, Newton steps with the sweeps between them
    double relaxation;   // of projected Gauss-Seidel [-]
    double time_budget;  // [s], may be infinite
};

// Why a method ended.
enum class LcpReason : int {
    solved,
    iterations,
    time,
    infeasible,   // there is a direction along which x may grow, w does not change, and has the wrong sign
    ray,          // Lemke's path ended in a ray
    indefinite,   // A is not positive semidefinite
    asymmetric,   // A is not symmetric
    bounds,       // bounds of friction and normal rows did not settle
    inaccurate,   // the pivots are done, but rounding left more than the tolerance
    stalled,      // no step lowers the residual
    not_finite,
};

struct LcpResult {
    double *x, *w;    // (n)
    double residual;  // see residual.hpp
    int iterations;
    LcpReason reason;
};

}  // namespace kido
