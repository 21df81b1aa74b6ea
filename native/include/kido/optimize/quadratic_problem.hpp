#pragma once

#include <cstddef>

// What solvers of quadratic programs are asked and tell, the same for all instruction sets.

namespace kido {

struct QuadraticShape {
    int unknowns, rows;

    int constraints() const { return unknowns + rows; }
};

enum class QuadraticStatus : int { solved, infeasible, unbounded, iterations, not_convex };

struct QuadraticSettings {
    int max_iterations = 0;  // changes of the active set; 0: 20 a constraint and unknown, and 100
};

// What came of one program.
struct QuadraticOutcome {
    QuadraticStatus status;
    int iterations;
    double residual;  // relative: of the gradient of the Lagrangian; of a proof of infeasibility, of its combination of normals
};

// Programs of one shape, each array sample after sample; stride 0: the same for all.
struct QuadraticBatch {
    QuadraticShape shape;
    std::size_t count;
    const double *H, *g, *A, *row_lower, *row_upper, *lower, *upper, *start;  // start: (constraints), may be null
    std::size_t H_stride, g_stride, A_stride, row_lower_stride, row_upper_stride, lower_stride, upper_stride, start_stride;
    double *x, *force, *side;  // results: (unknowns), (constraints), (constraints)
    QuadraticOutcome* outcome;
    QuadraticSettings settings;
};

}  // namespace kido
