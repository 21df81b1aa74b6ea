#pragma once

#include <vector>

#include "kido/ik/loops/loop_problem.hpp"

namespace kido {

// Closes loops from a given start by damped least squares with an active set of limits.
class LoopDescent {
public:
    explicit LoopDescent(const LoopProblem& problem);

    // Moves x (variables), which is within the limits, and returns the distance left: sqrt of the sum of squares of what loops are open
    // by [m], rotations times the lever, and of what rows are violated by.
    double run(double* x, int most_steps = 100);

private:
    double measure(const double* x, bool with_derivatives);
    void measure_loop(const Loop& loop, const double* x, bool with_derivatives);
    void measure_rows(const double* x);
    void find_free(const double* x);
    bool find_step(double damping);

    const LoopProblem& p_;
    int n_;
    std::vector<double> residual_, jacobian_;  // rows of n
    std::vector<double> gradient_, hessian_, step_, next_;
    std::vector<unsigned char> free_;
};

}  // namespace kido
