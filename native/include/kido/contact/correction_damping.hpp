#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kido/config.hpp"
#include "kido/contact/cholesky.hpp"

// How errors of constraints are pushed back where rows hardly move what they hold: at singular positions a linear prediction would
// turn joints without bounds. Velocities that push errors, b, are damped to K (K + d D)^-1 b, iterated, where K is the response of the
// rows and D their largest of each kind: by much in directions in which K is small, by nothing that counts in others. The damping d
// is as large as the error is, as an angle, so that it vanishes with the error (Levenberg 1944; Marquardt 1963; Fan and Yuan 2005, On the
// quadratic convergence of the Levenberg-Marquardt method without nonsingularity assumption; King and Chillingworth 1979,
// Approximation of generalized inverses by iterated regularization). Velocities that are held take no part: they stay exact.

KIDO_BEGIN

// What is usual for a row, however little it moves at present.
struct RowScale {
    double response = 0.0;  // to its own impulse, the largest of its kind
    double turn = 0.0;      // the angle that a unit of its error stands for: 1/m, or 1; 0 where it is linear in the positions
    double length_turn = 0.0;  // the angle that a length stands for [1/m]

    // Of the linear and of the angular rows between two bodies; own: responses of all six; reach: of a rod [m].
    static void of_pair(const double (&own)[6], double reach, RowScale (&out)[2]) {
        const double linear = std::max({own[0], own[1], own[2]}), angular = std::max({own[3], own[4], own[5]});
        const double turn = std::max(linear > 0.0 ? std::sqrt(angular / linear) : 0.0, 1.0 / std::max(reach, kShortest));
        out[0] = {linear, turn, turn};
        out[1] = {angular, 1.0, turn};
    }

private:
    static constexpr double kShortest = 1e-6;  // [m]
};

enum class Pushing : char {
    plain,   // well conditioned
    poor,    // impulses along some rows are large, what they turn is not
    damped,
};

// Where contacts pull at what is held, the impulses of each push are taken back: what they oppose would pile up, for these contradict each
// other wherever contacts stand in the way.
inline Pushing pushing_of_touched(bool is_touched) { return is_touched ? Pushing::poor : Pushing::plain; }

// What impulses turn, at most, and what turns without them [rad/s].
struct TurnedRates {
    double impulses, motion;
};

class CorrectionDamping {
public:
    // b (n) [velocities] in place. L: (n, n) with rows of `stride`, K = L L^T; closing: of the errors that are
    // pushed, how much in a second; steps: sub-steps that are left to push them. turned(p, per_length): by how much impulses of
    // the rows turn what they move at most, and how fast that turns anyway [rad/s].
    template <class Turned>
    KIDO_NOINLINE Pushing damp(const double* L, int stride, const RowScale* scales, int n, double closing, double steps, double* b, const Turned& turned) {
        double turning = 0.0, squares = 0.0, linear = 0.0, per_length = 0.0, usual = 0.0;
        for (int i = 0; i < n; ++i) {
            const RowScale& s = scales[i];
            turning = std::max(turning, s.response * s.turn * s.turn);
            squares += b[i] * b[i] * s.turn * s.turn;
            if (s.turn == 0.0) linear += b[i] * b[i];
            per_length = std::max(per_length, s.length_turn);
            if (s.response > 0.0) usual += b[i] * b[i] / s.response;
        }
        double error = std::sqrt(squares) / closing;
        const bool any_linear = n > 1 && std::sqrt(linear) / closing > kExact;
        if (!(error > kExact) && !any_linear) return Pushing::plain;
        const double most = kStart * error * closing * closing;
        const double moved = ascend(L, stride, n, b);
        if (any_linear && moved > kContradicting * usual) {
            error = std::sqrt(squares + linear) / closing;
        } else if (moved * turning <= most) {
            return Pushing::plain;
        } else {
            descend(L, stride, n);
            // Where a heavy body has to move and a light one at its end need not, nothing stands badly; and what turns no more than by
            // the motion of the step is predicted as well as that is: errors of positions passed by, not of rows that contradict others.
            const TurnedRates rates = turned(right_.data(), per_length);
            const bool little = moved <= kHeaviest * usual && rates.impulses * rates.impulses <= most;
            const bool passing = moved <= kHeaviest * usual || error * closing * steps <= rates.motion;
            if (little || (passing && rates.impulses <= kOfMotion * rates.motion)) return Pushing::poor;
        }
        right_.assign(b, b + n);
        factorize(L, stride, scales, n, kDamping * error * steps);
        for (int k = 0; k < kIterations; ++k) substitute(n);
        for (int i = 0; i < n; ++i) b[i] -= right_[i];
        return Pushing::damped;
    }

    // Where contacts pull at what is held, errors are pushed no faster [m/s] than depth is, so that contacts can follow.
    static void bound(const RowScale* scales, int n, double fastest, double* b) {
        double most = 0.0;
        for (int i = 0; i < n; ++i) most = std::max(most, std::fabs(b[i]) * speed_of(scales[i]));
        if (!(most > fastest)) return;
        for (int i = 0; i < n; ++i) b[i] *= fastest / most;
    }

private:
    // What a unit of a row's velocity is in a length.
    static double speed_of(const RowScale& s) { return s.turn > 0.0 && s.length_turn > 0.0 ? s.turn / s.length_turn : 1.0; }

    static constexpr double kExact = 1e-13;    // [rad]: rounding
    static constexpr double kStart = 0.05;     // square of an angle that an error turns, beside the error
    static constexpr double kDamping = 4.0;
    static constexpr double kHeaviest = 1e8;  // beside the lightest, of what a row moves; above, regularization is what is left
    static constexpr double kContradicting = 1e6;  // beside usual impulses, of rows in positions that contradict others
    static constexpr double kOfMotion = 4.0;  // largest turn that needs no damping, beside the motion
    static constexpr int kIterations = 3;

    auto lower(int n) {
        return [this, n](int i, int j) -> double& { return lower_[i * n + j]; };
    }
    auto right() {
        return [this](int i) -> double& { return right_[i]; };
    }

    // right = L^-1 b; returns b^T K^-1 b.
    double ascend(const double* L, int stride, int n, const double* b) {
        right_.assign(b, b + n);
        solve_lower(n, [&](int i, int j) { return L[i * stride + j]; }, right());
        double sum = 0.0;
        for (int i = 0; i < n; ++i) sum += right_[i] * right_[i];
        return sum;
    }
    // right <- L^-T right.
    void descend(const double* L, int stride, int n) {
        solve_upper(n, [&](int i, int j) { return L[i * stride + j]; }, right());
    }
    // Of K + d D.
    void factorize(const double* L, int stride, const RowScale* scales, int n, double d) {
        lower_.resize(static_cast<std::size_t>(n) * n);
        added_.resize(n);
        for (int i = 0; i < n; ++i) {
            added_[i] = d * scales[i].response;
            for (int j = 0; j <= i; ++j) {
                double sum = i == j ? added_[i] : 0.0;
                for (int k = 0; k <= j; ++k) sum += L[i * stride + k] * L[j * stride + k];
                lower_[i * n + j] = sum;
            }
        }
        factorize_in_place(n, lower(n), [](int) { return kTiny; });
    }
    // right <- d D (K + d D)^-1 right: what one iteration leaves of it.
    void substitute(int n) {
        solve_lower(n, lower(n), right());
        solve_upper(n, lower(n), right());
        for (int i = 0; i < n; ++i) right_[i] *= added_[i];
    }

    static constexpr double kTiny = 1e-200;

    std::vector<double> lower_, added_, right_;
};

KIDO_END
