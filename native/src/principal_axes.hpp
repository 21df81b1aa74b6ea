#pragma once

namespace kido {

// Principal moments (3) and axes (9, by columns, right-handed) of a symmetric matrix xx xy xz yy yz zz, by Jacobi rotations
// (Golub and Van Loan, Matrix Computations, 8.5). A diagonal matrix keeps its axes.
void principal_axes(const double* matrix, double* moments, double* axes);

}  // namespace kido
