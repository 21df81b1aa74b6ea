#pragma once

#include <utility>

#include "kido/lcp/residual.hpp"
#include "kido/lcp/watch.hpp"

// Projected Gauss-Seidel: each row in turn is solved for its own x, which is moved into its bounds; the two tangents of
// a cone together, exactly, within the disc that the normal row leaves them. Bounds of friction follow the normal row
// at once. It converges for symmetric positive semidefinite A and constant bounds, in proportion to the number of
// sweeps; with friction mostly.
// Cryer, "The solution of a quadratic programming problem using systematic overrelaxation" (1971); Jourdan, Alart and
// Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems" (1998).

KIDO_BEGIN

// Minimises y.H y / 2 + g.y over a disc; H (2, 2) symmetric positive semidefinite.
class DiscMinimum {
public:
    DiscMinimum(double h00, double h01, double h11, double g0, double g1, double radius) {
        if (!(radius > 0.0)) return;
        const double mean = 0.5 * (h00 + h11), half = 0.5 * (h00 - h11), gap = sqrt(half * half + h01 * h01);
        // Axes of H: the larger curvature along (c, s).
        double c = 1.0, s = 0.0;
        if (gap > 0.0) {
            c = sqrt(0.5 * (1.0 + abs(half) / gap));
            s = 0.5 * h01 / (gap * c);
            if (half < 0.0) std::swap(c, s);
        }
        const double most = mean + gap, least = max(mean - gap, 0.0);
        const double g[2] = {c * g0 + s * g1, c * g1 - s * g0};
        double y[2];
        within(most, least, g, radius, y);
        first = c * y[0] - s * y[1];
        second = s * y[0] + c * y[1];
        into_disc(radius, first, second);
    }

    double first = 0.0, second = 0.0;

private:
    // In the axes of H. Outside, y = -g / (H + sigma) has the size `radius`: Newton's method for 1 / size climbs to it
    // from below.
    static void within(double most, double least, const double* g, double radius, double* y) {
        const double size = sqrt(g[0] * g[0] + g[1] * g[1]);
        double sigma = max(size / radius - most, 0.0);
        for (int k = 0; k < 50; ++k) {
            const double h0 = most + sigma, h1 = least + sigma;
            y[0] = h0 > 0.0 ? -g[0] / h0 : 0.0;
            y[1] = h1 > 0.0 ? -g[1] / h1 : (g[1] == 0.0 ? 0.0 : -std::copysign(HUGE_VAL, g[1]));
            if (!is_finite(y[1])) {
                sigma = 1e-12 * (size / radius);
                continue;
            }
            const double squared = y[0] * y[0] + y[1] * y[1], length = sqrt(squared);
            if (length <= radius * (1.0 + 1e-15)) return;
            const double slope = (h0 > 0.0 ? y[0] * y[0] / h0 : 0.0) + y[1] * y[1] / h1;
            const double next = sigma + (squared / slope) * ((length - radius) / radius);
            if (!(next > sigma)) return;
            sigma = next;
        }
    }
};

class ProjectedGaussSeidel {
public:
    ProjectedGaussSeidel(const ScaledProblem& problem, const LcpProblem& view, double relaxation)
        : s_(problem), p_(view), relaxation_(relaxation) {}

    // One sweep; returns the largest change of an x.
    double sweep(double* x) const {
        double largest = 0.0;
        for (int i = 0; i < p_.n; ++i) {
            const int cone = s_.cone_of[i];
            if (cone < 0) {
                largest = max(largest, update_row(i, x));
            } else if (i == min(p_.cone_rows[3 * cone + 1], p_.cone_rows[3 * cone + 2])) {
                largest = max(largest, update_tangents(cone, x));
            }
        }
        return largest;
    }

private:
    const double* row(int i) const { return p_.A + static_cast<std::size_t>(i) * p_.n; }

    double update_row(int i, double* x) const {
        const double* a = row(i);
        const double w = dense::dot(a, x, p_.n) + p_.b[i], low = lower_bound(p_, i, x), high = upper_bound(p_, i, x);
        double next = x[i];
        if (a[i] > 0.0) {
            next = x[i] - relaxation_ * w / a[i];
        } else if (w > 0.0 && is_finite(low)) {
            next = low;
        } else if (w < 0.0 && is_finite(high)) {
            next = high;
        }
        next = min(max(next, low), high);
        const double change = abs(next - x[i]);
        x[i] = next;
        return change;
    }

    double update_tangents(int cone, double* x) const {
        const int *rows = p_.cone_rows + 3 * cone, t = rows[1], u = rows[2];
        const double *a = row(t), *c = row(u), radius = p_.cone_friction[cone] * max(x[rows[0]], 0.0);
        const double cross = 0.5 * (a[u] + c[t]);
        const double g = dense::dot(a, x, p_.n) + p_.b[t] - (a[t] * x[t] + cross * x[u]);
        const double h = dense::dot(c, x, p_.n) + p_.b[u] - (cross * x[t] + c[u] * x[u]);
        const DiscMinimum best(max(a[t], 0.0), cross, max(c[u], 0.0), g, h, radius);
        double first = x[t] + relaxation_ * (best.first - x[t]), second = x[u] + relaxation_ * (best.second - x[u]);
        into_disc(radius, first, second);
        const double change = max(abs(first - x[t]), abs(second - x[u]));
        x[t] = first;
        x[u] = second;
        return change;
    }

    const ScaledProblem& s_;
    const LcpProblem& p_;
    const double relaxation_;
};

KIDO_END
