#pragma once

#include <cmath>

#include "kido/ik/posture_point.hpp"

// What postures leave of rows: how far values are outside of their bounds.

KIDO_BEGIN

// Of rows (m).
class PostureViolation {
public:
    static constexpr double kTiny = 1e-13;  // of a row, that is not broken

    explicit PostureViolation(int rows) : m_(rows) {}

    // How far a value is outside of its bounds, with sign; NaN of NaN.
    static double beyond(double c, double low, double high) { return c < low ? c - low : c > high ? c - high : c == c ? 0.0 : c; }

    // The length of what is left.
    double left(const PosturePoint& x) const {
        double sum = 0.0;
        for (int r = 0; r < m_; ++r) {
            const double b = beyond(x.c[r], x.lower[r], x.upper[r]);
            sum += b * b;
        }
        return std::sqrt(sum);
    }

    // The largest of it; NaN where one is.
    double worst(const PosturePoint& x) const {
        double most = 0.0;
        for (int r = 0; r < m_; ++r) raise(most, x.c[r], x.lower[r], x.upper[r]);
        return most;
    }

    // The largest amount by which what users see is outside of its bounds: of a rotation, a direction or a distance the angle or length
    // itself. NaN where one is.
    double shown(const PostureProgram& p, const PosturePoint& x) const {
        double most = 0.0;
        for (int t = 0; t < p.num_terms; ++t) {
            const PostureTerm& term = p.terms[t];
            if (term.is_cost) continue;
            const int first = term.first_row, end = first + term.rows;
            switch (term.kind) {
                case PostureTermKind::orientation:
                case PostureTermKind::direction:
                case PostureTermKind::sight:
                case PostureTermKind::distance: raise(most, x.c[end - 1], term.least, term.most); break;
                default:
                    for (int r = first; r < end; ++r) raise(most, x.c[r], x.lower[r], x.upper[r]);
            }
        }
        return most;
    }

private:
    // To how far a value is outside of its bounds, where that is more.
    static void raise(double& most, double c, double low, double high) {
        const double b = std::fabs(beyond(c, low, high));
        if (b > most || b != b) most = b;
    }

    const int m_;
};

KIDO_END
