#pragma once

#include "kido/ik/objective_descent.hpp"
#include "kido/ik/random_start.hpp"

// Positions that a search in levels starts from: the given ones, random ones, and mirror images.

KIDO_BEGIN

class SearchStart : protected ObjectiveDescent {
protected:
    using ObjectiveDescent::ObjectiveDescent;

    // The given positions, or random ones. Where several tasks tie many dofs together, few of those near the limits lead anywhere.
    // Where `hops`, only some dofs are drawn, and the others are where the best other start ended: it may miss little.
    void place(int start, bool hops = false) {
        const double part = !several_ ? 1.0 : start % 2 == 0 ? kNarrow : kWide;
        for (int j = 0; j < m_.num_dofs; ++j) {
            double q = p_.start[j], low = p_.low_seed[j];
            const double range = p_.high_seed[j] - low;
            if (several_) low += 0.5 * (1.0 - part) * range;
            if (hops) q = w_.other[j];
            const bool draws = start > 0 && !(hops && drawn(p_.seed, start, m_.num_dofs + j) >= kHopping);
            if (draws && p_.moves[j] && range > 0.0) q = low + part * range * drawn(p_.seed, start, j);
            w_.q[j] = p_.moves[j] ? min(max(q, p_.lower[j]), p_.upper[j]) : q;
        }
    }

    // Other positions to go on from: dofs at a limit jump to the opposite side of their range; where none is, all do.
    void mirror() {
        bool some = false;
        for (int j = 0; j < m_.num_dofs; ++j) some = some || at_limit(j);
        for (int j = 0; j < m_.num_dofs; ++j) {
            const double low = p_.lower[j], high = p_.upper[j], q = w_.q[j];
            if (!p_.moves[j] || !is_finite(low) || !is_finite(high)) continue;
            w_.q[j] = mirrored(q, low, high, !some || at_limit(j));
        }
    }

    // Whole turns back to the given positions, before anything is lowered that they make a difference to.
    void unwind() {
        bool some = false;
        for (int j = 0; j < m_.num_dofs; ++j) {
            if (!p_.cyclic[j] || !p_.moves[j]) continue;
            const double q = unwound(w_.q[j], p_.start[j], p_.lower[j], p_.upper[j]);
            some = some || q != w_.q[j];
            w_.q[j] = q;
        }
        if (some) evaluate();
    }

    bool evaluate() {
        kinematics();
        return errors();
    }

    bool several_ = false;     // whether more than one task must be reached

private:
    static constexpr double kNarrow = 0.4, kWide = 0.6;  // parts of the ranges in which starts of several tasks are drawn
    static constexpr double kHopping = 0.5;  // part of the dofs that are drawn where the others are kept

    bool at_limit(int j) const { return p_.moves[j] && is_at_limit(w_.q[j], p_.lower[j], p_.upper[j]); }
};

KIDO_END
