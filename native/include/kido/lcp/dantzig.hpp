#pragma once

#include <algorithm>

#include "kido/lcp/active_system.hpp"
#include "kido/lcp/watch.hpp"

// Principal pivoting of Cottle and Dantzig, as Baraff applies it to contact: rows are taken in one after the other. The
// x of the new row is driven until its w is zero or it comes to a bound, while the rows taken in before stay solved:
// those inside their bounds move so that their w stays zero, and where one comes to a bound, or the w of one at a bound
// to zero, it changes sides. A is symmetric positive semidefinite; the rows inside are factored, and the factor is
// updated. Along a direction without curvature w does not change, so that redundant rows are no special case.
//   Bounds of friction are those at the present normal rows. Once all rows are solved, the equations are solved with
// bounds that move along; where that changes who is where, the rows are taken in again with the bounds at the new
// normal rows, until nothing changes.
// Baraff, "Fast contact force computation for nonpenetrating rigid bodies" (1994); Cottle and Dantzig, "Complementary
// pivot theory of mathematical programming" (1968).

KIDO_BEGIN

class Dantzig {
public:
    Dantzig(const LcpProblem& view, int n, Scratch& s) : p_(view) {
        const std::size_t count = static_cast<std::size_t>(n);
        L_ = s.take<double>(count * count);
        for (double** v : {&w_, &dx_, &dw_, &y_, &low_, &high_}) *v = s.take<double>(count);
        for (int** v : {&order_, &inside_}) *v = s.take<int>(count);
        place_ = s.take<Place>(count);
    }

    // Solves for the bounds at the normal rows of x, which is within them; `state` becomes where each row ends.
    LcpReason run(double* x, int max_iterations, const LcpWatch& watch, int& iterations, RowState* state) {
        if (!is_symmetric(p_)) return LcpReason::asymmetric;
        start(x);
        LcpReason reason = LcpReason::solved;
        for (int k = 0; k < p_.n && reason == LcpReason::solved; ++k) {
            reason = take_in(order_[k], x, max_iterations, watch, iterations);
        }
        for (int i = 0; i < p_.n; ++i) {
            state[i] = place_[i] == Place::inside ? RowState::inside
                       : x[i] <= low_[i]          ? RowState::lower
                       : x[i] >= high_[i]         ? RowState::upper
                                                  : RowState::inside;
        }
        return reason;
    }

private:
    // Waiting rows keep their x; those at rest are solved, but not among the factored ones: at a bound, or dependent on
    // these.
    enum class Place : signed char { waiting, inside, at_rest, dependent };

    static constexpr double kRounding = 1e-14;  // of w, relative to the terms that it is the sum of
    static constexpr double kNoise = 1e-11;     // the same of a row that depends on others, after many steps
    static constexpr double kFlat = 1e-11, kSurelyFlat = 1e-8;  // curvature that is none, relative to the diagonal

    const double* row(int i) const { return p_.A + static_cast<std::size_t>(i) * p_.n; }
    double* factor(int k) { return L_ + static_cast<std::size_t>(k) * p_.n; }

    // Rows without bounds first, those with bounds of friction last.
    void start(const double* x) {
        count_ = 0;
        flat_ = kFlat;
        const auto rank = [this](int i) {
            if (p_.friction_index[i] >= 0) return 2;
            return is_finite(p_.lower[i]) || is_finite(p_.upper[i]) ? 1 : 0;
        };
        int at = 0;
        for (int r = 0; r < 3; ++r) {
            for (int i = 0; i < p_.n; ++i) {
                if (rank(i) == r) order_[at++] = i;
            }
        }
        for (int i = 0; i < p_.n; ++i) {
            low_[i] = lower_bound(p_, i, x);
            high_[i] = upper_bound(p_, i, x);
            place_[i] = Place::waiting;
        }
        multiply(p_, x, w_);
    }

    double terms(int i, const double* x) const { return dense::dot_of_sizes(row(i), x, p_.n) + abs(p_.b[i]); }

    LcpReason take_in(int i, double* x, int max_iterations, const LcpWatch& watch, int& iterations) {
        place_[i] = Place::at_rest;
        for (;;) {
            const bool at_low = x[i] <= low_[i], at_high = x[i] >= high_[i];
            if (abs(w_[i]) <= kRounding * terms(i, x)) {
                w_[i] = 0.0;
                if (!at_low && !at_high) enter(i);
                return LcpReason::solved;
            }
            if ((w_[i] > 0.0 && at_low) || (w_[i] < 0.0 && at_high)) return LcpReason::solved;
            if (iterations >= max_iterations) return LcpReason::iterations;
            if (watch.over()) return LcpReason::time;
            ++iterations;
            const double sign = w_[i] < 0.0 ? 1.0 : -1.0, curvature = direction(i, sign);
            if (curvature < -1e3 * flat_) {
                if (flat_ == kSurelyFlat) return LcpReason::indefinite;
                renew(x);
                continue;
            }
            // A dependent row whose w is what rounding has left of zero.
            if (curvature <= flat_ && abs(w_[i]) <= kNoise * terms(i, x)) {
                w_[i] = 0.0;
                if (!at_low && !at_high) place_[i] = Place::dependent;
                return LcpReason::solved;
            }
            const Event event = first_event(i, sign, curvature, x);
            if (event.row < 0) {
                if (is_proof_of_none(i, sign)) return LcpReason::infeasible;
                // Of w, only rounding is left.
                w_[i] = 0.0;
                if (!at_low && !at_high) place_[i] = Place::dependent;
                return LcpReason::solved;
            }
            advance(event, i, sign, curvature > flat_, x);
            if (event.row == i) {
                if (event.kind == Event::zero) {
                    w_[i] = 0.0;
                    if (x[i] > low_[i] && x[i] < high_[i]) enter(i);
                }
                return LcpReason::solved;
            }
        }
    }

    // Factors the rows inside anew, without those that are almost dependent, and computes all w: what rounding has left of
    // a pivot near kFlat makes the factor useless, while no pivot above the root of the rounding does.
    void renew(const double* x) {
        flat_ = kSurelyFlat;
        const int count = count_;
        count_ = 0;
        for (int k = 0; k < count; ++k) enter(inside_[k]);
        multiply(p_, x, w_);
        for (int k = 0; k < count_; ++k) w_[inside_[k]] = 0.0;
    }

    // Whether x may go along the direction without end, A takes it to zero, and b falls along it. At a solution w would fall along
    // it too, which it must not where x may grow.
    bool is_proof_of_none(int i, double sign) {
        double fall = p_.b[i] * sign, terms = abs(p_.b[i]), most = 1.0, change = 0.0;
        for (int k = 0; k < p_.n; ++k) dw_[k] = sign * row(i)[k];
        for (int k = 0; k < count_; ++k) {
            const double along = dx_[k];
            dense::add(dw_, along, row(inside_[k]), p_.n);
            fall += p_.b[inside_[k]] * along;
            terms += abs(p_.b[inside_[k]] * along);
            most = max(most, abs(along));
        }
        for (int k = 0; k < p_.n; ++k) change = max(change, abs(dw_[k]));
        return change <= 1e-8 * most && fall < -1e-9 * terms;
    }

    struct Event {
        enum Kind { zero, low, high } kind;
        int row;
        double length;
    };

    // The step of the rows inside, and of all w, per unit of x_i; returns the curvature along it.
    double direction(int i, double sign) {
        const double* a = row(i);
        double squared = 0.0;
        for (int k = 0; k < count_; ++k) {
            y_[k] = (a[inside_[k]] - dense::dot(factor(k), y_, k)) / factor(k)[k];
            squared += y_[k] * y_[k];
        }
        const double curvature = a[i] - squared;
        for (int k = 0; k < p_.n; ++k) dw_[k] = sign * a[k];
        for (int k = count_ - 1; k >= 0; --k) {
            const double z = y_[k] / factor(k)[k];
            dense::add(y_, -z, factor(k), k);
            dx_[k] = -sign * z;
            dense::add(dw_, dx_[k], row(inside_[k]), p_.n);
        }
        return curvature;
    }

    // What comes first along the direction; the new row before others, then the first one.
    Event first_event(int i, double sign, double curvature, const double* x) const {
        Event first{Event::zero, -1, HUGE_VAL};
        const auto offer = [&](Event::Kind kind, int r, double length) {
            if (length < first.length) first = {kind, r, max(length, 0.0)};
        };
        const bool curved = curvature > flat_;
        if (curved) offer(Event::zero, i, abs(w_[i]) / curvature);
        if (sign > 0.0) offer(Event::high, i, high_[i] - x[i]);
        if (sign < 0.0) offer(Event::low, i, x[i] - low_[i]);
        for (int k = 0; k < count_; ++k) {
            const int r = inside_[k];
            if (dx_[k] > 0.0) offer(Event::high, r, (high_[r] - x[r]) / dx_[k]);
            if (dx_[k] < 0.0) offer(Event::low, r, (x[r] - low_[r]) / -dx_[k]);
        }
        for (int r = 0; curved && r < p_.n; ++r) {
            if (place_[r] != Place::at_rest || r == i || low_[r] == high_[r]) continue;
            const double towards = x[r] <= low_[r] ? -dw_[r] : (x[r] >= high_[r] ? dw_[r] : abs(dw_[r]));
            if (towards > kFlat) offer(Event::zero, r, abs(w_[r]) / towards);
        }
        return first;
    }

    void advance(const Event& event, int i, double sign, bool curved, double* x) {
        for (int k = 0; k < count_; ++k) x[inside_[k]] += event.length * dx_[k];
        x[i] += event.length * sign;
        if (curved) dense::add(w_, event.length, dw_, p_.n);
        for (int k = 0; k < count_; ++k) w_[inside_[k]] = 0.0;
        if (event.kind == Event::zero) {
            w_[event.row] = 0.0;
            if (event.row != i) enter(event.row);
            return;
        }
        x[event.row] = event.kind == Event::low ? low_[event.row] : high_[event.row];
        if (event.row != i) leave(event.row);
    }

    // Takes a row, whose w is zero, among those inside; one that depends on them rests as it is.
    void enter(int i) {
        double* l = factor(count_);
        const double* a = row(i);
        double left = a[i];
        for (int k = 0; k < count_; ++k) {
            l[k] = (a[inside_[k]] - dense::dot(factor(k), l, k)) / factor(k)[k];
            left -= l[k] * l[k];
        }
        if (left <= flat_) {
            place_[i] = Place::dependent;
            return;
        }
        l[count_] = sqrt(left);
        inside_[count_++] = i;
        place_[i] = Place::inside;
    }

    void leave(int i) {
        const int at = static_cast<int>(std::find(inside_, inside_ + count_, i) - inside_);
        place_[i] = Place::at_rest;
        --count_;
        for (int k = at; k < count_; ++k) inside_[k] = inside_[k + 1];
        // Without its row, the factor below gains what its column was.
        for (int k = at; k < count_; ++k) y_[k] = factor(k + 1)[at];
        for (int k = at; k < count_; ++k) {
            double *to = factor(k), *from = factor(k + 1);
            std::copy_n(from, at, to);
            for (int j = at; j <= k; ++j) to[j] = from[j + 1];
        }
        for (int k = at; k < count_; ++k) {
            double* l = factor(k);
            const double size = sqrt(l[k] * l[k] + y_[k] * y_[k]), c = size / l[k], s = y_[k] / l[k];
            l[k] = size;
            for (int r = k + 1; r < count_; ++r) {
                double& below = factor(r)[k];
                below = (below + s * y_[r]) / c;
                y_[r] = c * y_[r] - s * below;
            }
        }
        for (int r = 0; r < p_.n; ++r) {
            if (place_[r] == Place::dependent) place_[r] = Place::at_rest;
        }
    }

    const LcpProblem& p_;
    double *L_, *w_, *dx_, *dw_, *y_, *low_, *high_;  // L_: row k has the factor of the k-th row inside
    int *order_, *inside_;
    Place* place_;
    int count_ = 0;  // rows inside
    double flat_ = kFlat;
};

KIDO_END
