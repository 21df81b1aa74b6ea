#include "principal_axes.hpp"

#include <cmath>

namespace kido {

namespace {

constexpr int kSweeps = 30;

// Turns rows and columns i and j so that their entry vanishes.
void rotate(double (&a)[3][3], double* axes, int i, int j) {
    if (a[i][j] == 0.0) return;
    const double theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1.0));
    const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double x = a[k][i], y = a[k][j];
        a[k][i] = c * x - s * y;
        a[k][j] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = a[i][k], y = a[j][k];
        a[i][k] = c * x - s * y;
        a[j][k] = s * x + c * y;
    }
    a[i][j] = a[j][i] = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double x = axes[3 * i + k], y = axes[3 * j + k];
        axes[3 * i + k] = c * x - s * y;
        axes[3 * j + k] = s * x + c * y;
    }
}

}  // namespace

void principal_axes(const double* m, double* moments, double* axes) {
    double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    for (int k = 0; k < 9; ++k) axes[k] = k % 4 == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        const double off = std::fabs(a[0][1]) + std::fabs(a[0][2]) + std::fabs(a[1][2]);
        if (off <= 1e-17 * (std::fabs(a[0][0]) + std::fabs(a[1][1]) + std::fabs(a[2][2]))) break;
        rotate(a, axes, 0, 1);
        rotate(a, axes, 0, 2);
        rotate(a, axes, 1, 2);
    }
    for (int k = 0; k < 3; ++k) moments[k] = a[k][k];
}

}  // namespace kido
