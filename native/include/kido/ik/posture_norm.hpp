#pragma once

#include "kido/ik/posture_kinematics.hpp"

// Rows of a length or an angle with an upper bound stand beside those of its components, which bound a box around the same ball: the
// one row alone has no derivative where it is 0, and its linearization lets steps across it grow without bound.

KIDO_BEGIN

// A length or an angle stands in the last row, behind the components (k) whose norm it is.
struct PostureNorm {
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    using V = Vec3<double>;

    // A norm in the last row: of components y (k) with derivatives J, or with `slope` along them.
    static void norm_row(int n, int k, double size, const V& slope, double* J) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int r = 0; r < k; ++r) sum += (&slope.x)[r] * J[r * n + j];
            J[k * n + j] = size > 0.0 ? sum : 0.0;
        }
    }

    // Bounds of components y (k) and of their length, for least <= length <= most.
    static void bound_norm(const PostureTerm& t, int k, double most, double size, double* low, double* high) {
        const bool ball = t.least <= 0.0 && most < kInfinity;
        for (int r = 0; r < k; ++r) {
            low[r] = ball ? -most : -kInfinity;
            high[r] = ball ? most : kInfinity;
        }
        const bool exact = ball && t.most == 0.0 && size < 1.0;
        low[k] = t.least > 0.0 ? t.least : -kInfinity;
        high[k] = exact ? kInfinity : t.most;
    }
};

KIDO_END
