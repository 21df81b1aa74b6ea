#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "kido/contact/articulation.hpp"
#include "kido/contact/response_coordinate.hpp"
#include "kido/scalar/lanes.hpp"

// Impulses on a skeleton on their way to the root, and the motions that they make on the way back, as in the articulated-body algorithm
// (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3): a block of columns at once, each of other impulses.

KIDO_BEGIN

class ImpulsePasses {
public:
    static constexpr int kBlock = 2 * KIDO_LANES < 8 ? 8 : 2 * KIDO_LANES;  // columns at once
    static constexpr int kWide = kBlock / KIDO_LANES;                      // registers of them

    void reserve(const Model& m) {
        wrenches_.resize(static_cast<std::size_t>(6 * kWide) * m.num_links);
        motions_.resize(wrenches_.size());
        rates_.resize(static_cast<std::size_t>(kWide) * m.num_dofs);
    }
    void clear(const Model& m, int link) {
        std::fill_n(&wrenches_[6 * kWide * link], 6 * kWide, NativeLanes(0.0));
        const Link& l = m.links[link];
        for (int k = l.dof * kWide; k < (l.dof + l.dof_count) * kWide; ++k) rates_[k] = 0.0;
    }

    // Adds an impulse to a column.
    void add_impulse(const Coordinate& c, const std::vector<DofShare>& shares, int column, double x) {
        const int at = column / KIDO_LANES, lane = column % KIDO_LANES;
        // This number alone: a whole register would wait for a lane that was just written.
        const auto add = [&](NativeLanes& to, double y) { reinterpret_cast<double*>(&to)[lane] += y; };
        if (c.dof >= 0) {
            add(rates_[kWide * c.dof + at], x);
            return;
        }
        if (c.dof == kCombined) {
            for (int k = c.begin; k < c.end; ++k) add(rates_[kWide * shares[k].dof + at], shares[k].factor * x);
            return;
        }
        const double w[6] = {c.wrench.torque.x, c.wrench.torque.y, c.wrench.torque.z,
                             c.wrench.force.x, c.wrench.force.y, c.wrench.force.z};
        for (int j = 0; j < 6; ++j) add(wrenches_[kWide * (6 * c.link + j) + at], w[j] * x);
    }
    // The rate of a dof, in a column of the first register.
    double rate(int dof, int column) const { return get_lane(rates_[kWide * dof], column); }
    // What impulses have left at a dof, times the inverse of its inertia, in place of their climb: in the first two columns.
    void set_rates(int dof, double first, double second) {
        NativeLanes& to = rates_[kWide * dof];
        to = 0.0;
        double* const columns = reinterpret_cast<double*>(&to);  // see add_impulse
        columns[0] = first;
        columns[1] = second;
    }
    // The motion of a link in a column of the first register, angular and linear.
    void motion(int link, int column, double (&out)[6]) const {
        const NativeLanes* x = &motions_[6 * kWide * link];
        for (int j = 0; j < 6; ++j) out[j] = get_lane(x[kWide * j], column);
    }
    // Impulses of a link pass to its parent; `tell` hears of what they leave at each dof.
    template <int Wide, class F>
    KIDO_INLINE void climb(const Articulation& a, int i, const F& tell) {
        const Link& link = a.model().links[i];
        NativeLanes* w = &wrenches_[6 * kWide * i];
        for (int k = link.dof + link.dof_count - 1; k >= link.dof; --k) {
            const DofFactors<double>& f = a.factors(k);
            double s[6], g[6];
            numbers(f.axis, s);
            numbers(f.gain, g);
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) {
                NativeLanes u = rates_[kWide * k + b];
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) u = u + w[kWide * j + b] * s[j];
                tell(k, b, u);
                rates_[kWide * k + b] = u * f.inverse;
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) w[kWide * j + b] = w[kWide * j + b] - u * g[j];
            }
        }
        if (link.parent < 0) return;
        NativeLanes* to = &wrenches_[6 * kWide * link.parent];
        KIDO_UNROLL
        for (int j = 0; j < 6; ++j) {
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) to[kWide * j + b] = to[kWide * j + b] + w[kWide * j + b];
        }
    }
    // The motion of a link by its parent's and its own dofs.
    template <int Wide>
    KIDO_INLINE void descend(const Articulation& a, int i) {
        const Link& link = a.model().links[i];
        NativeLanes* x = &motions_[6 * kWide * i];
        const NativeLanes* from = link.parent < 0 ? nullptr : &motions_[6 * kWide * link.parent];
        KIDO_UNROLL
        for (int j = 0; j < 6; ++j) {
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) x[kWide * j + b] = from ? from[kWide * j + b] : NativeLanes(0.0);
        }
        for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
            const DofFactors<double>& f = a.factors(k);
            double s[6], g[6];
            numbers(f.axis, s);
            numbers(f.gain, g);
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) {
                NativeLanes rate = rates_[kWide * k + b];
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) rate = rate - x[kWide * j + b] * g[j];
                rates_[kWide * k + b] = rate;
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) x[kWide * j + b] = x[kWide * j + b] + rate * s[j];
            }
        }
    }

private:
    static KIDO_INLINE void numbers(const Motion<double>& m, double (&x)[6]) {
        write3(x, m.angular);
        write3(x + 3, m.linear);
    }
    static KIDO_INLINE void numbers(const Wrench<double>& w, double (&x)[6]) {
        write3(x, w.torque);
        write3(x + 3, w.force);
    }

    std::vector<NativeLanes> wrenches_, motions_, rates_;
};

KIDO_END
