#pragma once

#include <cmath>

#include "kido/ik/objective_descent.hpp"
#include "kido/ik/random_start.hpp"

// Positions that a search in levels starts from: the given ones, random ones, and mirror images.

KIDO_BEGIN

class SearchStart : protected ObjectiveDescent {
protected:
    using ObjectiveDescent::ObjectiveDescent;

    // The given positions, or random ones. Where several tasks tie many dofs together, few of those near the limits lead anywhere.
    void place(int start) {
        const double part = !several_ ? 1.0 : start % 2 == 0 ? kNarrow : kWide;
        for (int j = 0; j < m_.num_dofs; ++j) {
            double q = p_.start[j], low = p_.low_seed[j];
            const double range = p_.high_seed[j] - low;
            if (several_) low += 0.5 * (1.0 - part) * range;
            if (start > 0 && p_.moves[j] && range > 0.0) q = low + part * range * drawn(p_.seed, start, j);
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
            const double image = some && !at_limit(j) ? q : low + high - q;
            w_.q[j] = image + kInward * (0.5 * (low + high) - image);
        }
    }

    // Whole turns back to the given positions, before anything is lowered that they make a difference to.
    void unwind() {
        bool some = false;
        for (int j = 0; j < m_.num_dofs; ++j) {
            const double q = unwound(j);
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

    bool at_limit(int j) const { return p_.moves[j] && (w_.q[j] <= p_.lower[j] || w_.q[j] >= p_.upper[j]); }

    // An angle, shifted by whole turns as near to the given one as limits let it.
    double unwound(int j) const {
        const double q = w_.q[j];
        if (!p_.cyclic[j] || !p_.moves[j]) return q;
        const double turn = 2.0 * arctangent::kPiHigh;
        double count = std::nearbyint((p_.start[j] - q) / turn);
        count = min(max(count, std::ceil((p_.lower[j] - q) / turn)), std::floor((p_.upper[j] - q) / turn));
        return min(max(q + count * turn, p_.lower[j]), p_.upper[j]);
    }
};

KIDO_END
