#pragma once

#include <algorithm>

#include "kido/lcp/dantzig.hpp"
#include "kido/lcp/lemke.hpp"
#include "kido/lcp/semismooth_newton.hpp"

// One problem by one method: scaled, solved, corrected, and judged by its residual whatever the method says.

KIDO_BEGIN

struct LcpMemory {
    LcpMemory(const LcpProblem& p, const LcpMethod& method, Scratch& s)
        : scaled(p, s), view(scaled.view()), system(view, p.n, s),
          dantzig(view, method == LcpMethod::dantzig ? p.n : 0, s), lemke(view, method == LcpMethod::lemke ? p.n : 0, s) {
        for (double** v : {&x, &w, &r, &trial, &best, &before, &moved, &stepped, &swept, &mean, &start}) {
            *v = s.take<double>(static_cast<std::size_t>(p.n));
        }
    }

    ScaledProblem scaled;
    LcpProblem view;
    ActiveSystem system;
    Dantzig dantzig;
    Lemke lemke;
    double *x, *w, *r, *trial, *best, *before, *moved, *stepped, *swept, *mean, *start;
};

class LcpSolver {
public:
    LcpSolver(const LcpProblem& problem, const LcpSettings& settings, void* memory)
        : p_(problem), settings_(settings), scratch_(memory), m_(problem, settings.method, scratch_) {}

    // `start` (n) may be null: zeros.
    void run(const double* start, LcpResult& result, StopSignal* stop) {
        const LcpWatch watch(settings_.time_budget, stop);
        m_.scaled.fill();
        size_ = size_of(m_.view, nullptr, m_.trial);
        for (int i = 0; i < p_.n; ++i) m_.x[i] = start ? start[i] / m_.scaled.scale[i] : 0.0;
        project(m_.view, m_.x);
        result.iterations = 0;
        if (size_ == 0.0) std::copy_n(m_.trial, p_.n, m_.x);
        result.reason = size_ == 0.0 ? LcpReason::solved : solve(watch, result.iterations);
        if (!is_finite(residual(m_.x))) {
            result.reason = LcpReason::not_finite;
            for (int i = 0; i < p_.n; ++i) m_.x[i] = start ? start[i] / m_.scaled.scale[i] : 0.0;
        }
        judge(result);
    }

private:
    // Rounds for bounds of friction; those that take the new ones as they are.
    static constexpr int kSettlings = 40, kUndamped = 8;
    static constexpr int kBetweenChecks = 10;
    static constexpr int kBetweenSubspaces = 40;  // sweeps at least, and as many as there are rows
    static constexpr int kLeaps = 16, kNewtonSteps = 20;

    LcpReason solve(const LcpWatch& watch, int& iterations) {
        switch (settings_.method) {
            case LcpMethod::projected_gauss_seidel: return sweep(watch, iterations);
            case LcpMethod::dantzig: return settle(watch, iterations);
            case LcpMethod::lemke: return follow(watch, iterations);
            default: return step(watch, iterations);
        }
    }
    // Newton's method; where it leads nowhere, as where a step always leads back, sweeps with steps in between from its best x on.
    LcpReason step(const LcpWatch& watch, int& iterations) {
        const int most = settings_.max_iterations - settings_.max_iterations / 2;
        LcpReason reason = newton().run(m_.x, settings_.tolerance, most, watch, iterations, m_.best);
        if (reason != LcpReason::iterations) return reason;
        std::copy_n(m_.x, p_.n, m_.stepped);
        const double least = residual(m_.x);
        reason = sweep(watch, iterations);
        if (!(residual(m_.x) <= least)) std::copy_n(m_.stepped, p_.n, m_.x);
        return reason;
    }
    SemismoothNewton newton() { return {m_.scaled, m_.view, m_.system, size_, m_.w, m_.trial, m_.r, m_.before, m_.swept}; }

    // Of the scaled problem.
    double residual(const double* x) {
        multiply(m_.view, x, m_.w);
        return relative_residual(m_.view, nullptr, size_, x, m_.w, m_.r);
    }

    // Sweeps; where many do not suffice, the equations of the rows that they have left inside their bounds are solved in between.
    // Silcowitz, Niebe and Erleben, "Projected Gauss-Seidel subspace minimization method for interactive rigid body dynamics" (2010).
    LcpReason sweep(const LcpWatch& watch, int& iterations) {
        const ProjectedGaussSeidel method(m_.scaled, m_.view, settings_.relaxation);
        int between = std::max(kBetweenSubspaces, p_.n), next = iterations + between;
        if (residual(m_.x) <= settings_.tolerance) return LcpReason::solved;
        std::copy_n(m_.x, p_.n, m_.start);
        std::fill_n(m_.mean, p_.n, 0.0);
        for (;;) {
            if (iterations >= settings_.max_iterations) return LcpReason::iterations;
            if (iterations == next) {
                for (int i = 0; i < p_.n; ++i) m_.mean[i] /= between;
                if (leap(watch)) return LcpReason::solved;
                std::fill_n(m_.mean, p_.n, 0.0);
                between *= 2;
                next += between;
            }
            if (watch.over()) return LcpReason::time;
            const double change = method.sweep(m_.x);
            for (int i = 0; i < p_.n; ++i) m_.mean[i] += m_.x[i];
            ++iterations;
            if (!is_finite(change)) return LcpReason::not_finite;
            // The diagonal is near 1: an x changes by about its residual.
            const bool is_small = change <= settings_.tolerance * size_;
            if (!is_small && iterations % kBetweenChecks != 0) continue;
            if (residual(m_.x) <= settings_.tolerance) return LcpReason::solved;
        }
    }

    // Some steps of Newton's method from x, from the mean of the last sweeps, around which they may go in circles, or from where they
    // started; these count where they more than halve the residual. Else, without friction, towards where the equations of the rows
    // inside their bounds hold: as far as the first of these bounds, then without that row, while that lowers the energy
    // x.(A x / 2 + b), which sweeps lower too. Returns whether that ends the search.
    bool leap(const LcpWatch& watch) {
        const bool has_energy = !has_friction() && p_.cones == 0 && is_symmetric(m_.view);
        const double before = residual(m_.x);
        for (const double* from : {m_.x, m_.mean, m_.start}) {
            std::copy_n(from, p_.n, m_.moved);
            int steps = 0;
            newton().run(m_.moved, settings_.tolerance, kNewtonSteps, watch, steps, m_.best, 0);
            const double least = residual(m_.best);
            if (!(least < 0.5 * before || least <= settings_.tolerance)) continue;
            std::copy_n(m_.best, p_.n, m_.x);
            return least <= settings_.tolerance;
        }
        if (!has_energy) return false;
        residual(m_.x);
        m_.system.guess(m_.scaled, m_.x, m_.w);
        for (int k = 0; k < kLeaps; ++k) {
            const double energy = energy_of(m_.x);
            const double* step = m_.system.solve(m_.scaled, m_.x, m_.w, SemismoothNewton::kDamping);
            int first = -1;
            const double reach = reach_of(step, first);
            for (int i = 0; i < p_.n; ++i) m_.trial[i] = m_.x[i] + reach * step[i];
            project(m_.view, m_.trial);
            const double left = residual(m_.trial);
            if (!(left < 0.5 * before) && !(energy_of(m_.trial) <= energy)) return false;
            std::copy_n(m_.trial, p_.n, m_.x);
            if (left <= settings_.tolerance) return true;
            if (first < 0) return false;
            m_.system.state[first] = step[first] > 0.0 ? RowState::upper : RowState::lower;
        }
        return false;
    }
    // The part of a step that a row inside its bounds may go, and which one.
    double reach_of(const double* step, int& first) const {
        double reach = 1.0;
        for (int i = 0; i < p_.n; ++i) {
            if (m_.system.state[i] != RowState::inside || step[i] == 0.0) continue;
            const double to = (step[i] > 0.0 ? m_.view.upper[i] : m_.view.lower[i]) - m_.x[i];
            if (!(to / step[i] < reach)) continue;
            reach = to / step[i];
            first = i;
        }
        return reach;
    }
    // Where w is A x + b.
    double energy_of(const double* x) const {
        double sum = 0.0;
        for (int i = 0; i < p_.n; ++i) sum += 0.5 * x[i] * (m_.w[i] + m_.view.b[i]);
        return sum;
    }

    // Bounds of friction are those at the normal rows that the last round has found; later between these and those
    // before.
    LcpReason settle(const LcpWatch& watch, int& iterations) {
        double least = HUGE_VAL;
        for (int round = 0; round < kSettlings; ++round) {
            std::copy_n(m_.x, p_.n, m_.before);
            const LcpReason reason = m_.dantzig.run(m_.x, settings_.max_iterations, watch, iterations, m_.system.state);
            if (reason != LcpReason::solved) return reason;
            const double left = correct();
            if (left < least) {
                least = left;
                std::copy_n(m_.x, p_.n, m_.best);
            }
            if (left <= settings_.tolerance) return LcpReason::solved;
            if (!has_friction()) return LcpReason::inaccurate;
            const double part = 1.0 / (1 + round / kUndamped);
            for (int i = 0; i < p_.n; ++i) m_.x[i] = m_.before[i] + part * (m_.x[i] - m_.before[i]);
            project(m_.view, m_.x);
        }
        std::copy_n(m_.best, p_.n, m_.x);
        return LcpReason::bounds;
    }

    LcpReason follow(const LcpWatch& watch, int& iterations) {
        const LcpReason reason = m_.lemke.run(m_.x, settings_.max_iterations, watch, iterations, m_.system.state);
        if (reason != LcpReason::solved) return reason;
        return correct() <= settings_.tolerance ? LcpReason::solved : LcpReason::inaccurate;
    }

    bool has_friction() const {
        return std::any_of(m_.view.friction_index, m_.view.friction_index + p_.n, [](int j) { return j >= 0; });
    }

    // Solves the equations of the states that a pivoting method has ended in; returns the residual of the better x.
    double correct() {
        project(m_.view, m_.x);
        double least = residual(m_.x);
        for (int k = 0; k < 2; ++k) {
            const double* step = m_.system.solve(m_.scaled, m_.x, m_.w, 0.0);
            for (int i = 0; i < p_.n; ++i) m_.trial[i] = m_.x[i] + step[i];
            project(m_.view, m_.trial);
            const double left = residual(m_.trial);
            if (!(left < least)) break;
            least = left;
            std::copy_n(m_.trial, p_.n, m_.x);
        }
        residual(m_.x);
        return least;
    }

    void judge(LcpResult& result) {
        project(m_.view, m_.x);
        for (int i = 0; i < p_.n; ++i) result.x[i] = m_.x[i] * m_.scaled.scale[i];
        project(p_, result.x);
        multiply(p_, result.x, result.w);
        const double size = size_of(p_, m_.scaled.scale, m_.trial);
        result.residual = relative_residual(p_, m_.scaled.scale, size, result.x, result.w, m_.r);
        if (result.residual <= settings_.tolerance) {
            result.reason = LcpReason::solved;
        } else if (result.reason == LcpReason::solved) {
            result.reason = LcpReason::inaccurate;
        }
    }

    const LcpProblem& p_;
    const LcpSettings& settings_;
    Scratch scratch_;
    LcpMemory m_;
    double size_ = 0.0;
};

KIDO_END
