#pragma once

#include <algorithm>

#include "kido/lcp/active_system.hpp"
#include "kido/lcp/projected_gauss_seidel.hpp"

// Newton's method for the natural residual x - P(x - w), which has derivatives almost everywhere. With constant bounds
// it is the primal-dual active-set method, and ends at a solution to rounding in a few steps. Steps are halved until
// they lower the residual; where none does, sweeps of projected Gauss-Seidel lead on, twice as many each time, and once these
// are some, whole steps that do not lower it are tried first, a few in a row. A small
// damping, always relative to the present x, lets A be singular.
// Qi and Sun, "A nonsmooth version of Newton's method" (1993); Hintermueller, Ito and Kunisch, "The primal-dual active
// set strategy as a semismooth Newton method" (2002).

KIDO_BEGIN

class SemismoothNewton {
public:
    // Of rows inside their bounds, beside a diagonal near 1.
    static constexpr double kDamping = 1e-11;
    static constexpr int kPatience = 16;

    // Works in five rows of n numbers.
    SemismoothNewton(const ScaledProblem& problem, const LcpProblem& view, ActiveSystem& system, double size, double* w,
                     double* trial, double* r, double* inside, double* swept)
        : s_(problem), p_(view), system_(system), sweeps_(problem, view, 1.0), size_(size), w_(w), trial_(trial), r_(r),
          inside_(inside), swept_(swept) {}

    // `patience`: sweeps in a row after which whole steps are tried that lower nothing.
    LcpReason run(double* x, double tolerance, int max_iterations, const LcpWatch& watch, int& iterations, double* best,
                  int patience = kPatience) {
        double least = HUGE_VAL, before = HUGE_VAL;
        int sweeps = kSweeps;
        LcpReason reason = LcpReason::iterations;
        for (int k = 0; k < sweeps; ++k) sweeps_.sweep(x);
        for (iterations = 0;; ++iterations) {
            const double residual = residual_within(x, inside_);
            if (residual < least || iterations == 0) {
                least = residual;
                std::copy_n(inside_, p_.n, best);
            }
            // Below the tolerance it goes on while that pays.
            if (residual <= kExact || (residual <= tolerance && residual > 0.5 * before)) break;
            if (!is_finite(residual)) reason = LcpReason::not_finite;
            if (reason != LcpReason::iterations || iterations >= max_iterations) break;
            if (watch.over()) {
                reason = LcpReason::time;
                break;
            }
            before = residual;
            multiply(p_, x, w_);
            if (step(x)) continue;
            if (residual <= tolerance) break;
            if (sweeps > patience && go_boldly(x, best, least)) continue;
            for (int k = 0; k < sweeps && iterations < max_iterations && !watch.over(); ++k, ++iterations) sweeps_.sweep(x);
            sweeps = min(2 * sweeps, kMostSweeps);
            before = HUGE_VAL;
        }
        std::copy_n(best, p_.n, x);
        return least <= tolerance ? LcpReason::solved : reason;
    }

private:
    static constexpr double kExact = 4e-16;
    static constexpr int kSweeps = 4, kMostSweeps = 1024, kHalvings = 5, kBold = 10;  // whole steps in a row

    // The relative residual of x moved into its bounds, which is written to `out`.
    double residual_within(const double* x, double* out) {
        std::copy_n(x, p_.n, out);
        project(p_, out);
        multiply(p_, out, w_);
        return relative_residual(p_, nullptr, size_, out, w_, r_);
    }

    // Squared size of the natural residual.
    double merit(const double* x) {
        natural_residual(p_, nullptr, x, w_, r_);
        return dense::dot(r_, r_, p_.n);
    }

    // Whole steps where no shorter one lowers the residual, some in a row from x; false where these do not halve the least residual so
    // far, and x is where it was.
    bool go_boldly(double* x, double* best, double& least) {
        const double enough = 0.5 * least;
        std::copy_n(x, p_.n, swept_);
        for (int k = 0; k < kBold; ++k) {
            for (int i = 0; i < p_.n; ++i) x[i] += direction_[i];
            project(p_, x);
            for (;;) {
                const double residual = residual_within(x, inside_);
                if (residual < least) {
                    least = residual;
                    std::copy_n(inside_, p_.n, best);
                }
                if (least < enough) return true;
                multiply(p_, x, w_);
                if (!step(x) || ++k >= kBold) break;
            }
        }
        std::copy_n(swept_, p_.n, x);
        return false;
    }
    // False where no step lowers the residual.
    bool step(double* x) {
        const double before = merit(x);
        system_.guess(s_, x, w_);
        const double* direction = direction_ = system_.solve(s_, x, w_, kDamping);
        double length = 1.0;
        for (int k = 0; k < kHalvings; ++k, length *= 0.5) {
            for (int i = 0; i < p_.n; ++i) trial_[i] = x[i] + length * direction[i];
            multiply(p_, trial_, w_);
            if (merit(trial_) < (1.0 - 1e-3 * length) * before) {
                std::copy_n(trial_, p_.n, x);
                return true;
            }
        }
        return false;
    }

    const ScaledProblem& s_;
    const LcpProblem& p_;
    ActiveSystem& system_;
    const ProjectedGaussSeidel sweeps_;
    const double size_;
    double *w_, *trial_, *r_, *inside_, *swept_;  // swept_: where sweeps have led
    const double* direction_ = nullptr;
};

KIDO_END
