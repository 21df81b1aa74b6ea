#pragma once

#include <cmath>

#include "kido/contact/cholesky.hpp"
#include "kido/contact/contact_law.hpp"

KIDO_BEGIN

// All normal impulses of a manifold at once, each of which holds its point or does not push: where points stand on a light link, each turns it
// against the others. A linear complementarity problem of as many rows as points, by its active set; at most so many changes of that.
template <bool Relaxing, int Points>
class NormalProblem {
public:
    // Adds to the wrench `w`; false, and nothing, where no set is found.
    static bool visit(const SweepSettings& s, ManifoldBlock<double, Points>& m, const FrameMotion<double>& u, const double (&gap)[Points],
                      FrameWrench<double>& w) {
        double wanted[Points], own[Points], d[Points] = {};  // what the points' rows have to give, and take of an impulse of their own
        bool holds[Points];
        for (int p = 0; p < Points; ++p) {
            const double present = m.normal_impulse[p];
            const NormalChange<double> change = normal_change<Relaxing>(s, present, m.normal_mass[p], gap[p]);
            own[p] = change.mass > 0.0 ? 1.0 / change.mass : 0.0;
            wanted[p] = own[p] * change.impulse - normal_motion(m, u, p);
            holds[p] = own[p] > 0.0 && (present > 0.0 || wanted[p] > 0.0);
        }
        for (int i = 0; i < kChanges; ++i) {
            solve(m, wanted, own, holds, d);
            const int changed = find_changed(m, wanted, own, holds, d);
            if (changed < 0) {
                give(m, holds, d, w);
                return true;
            }
            holds[changed] = !holds[changed];
        }
        return false;
    }

private:
    static constexpr int kChanges = 4 * Points;
    static constexpr double kLeast = 1e-9;    // of its response, what a point keeps beside others
    static constexpr double kRounding = 1e-9;  // of what they have to give, what rows may miss

    // What points that do not hold give: what takes their impulse.
    static double released(const ManifoldBlock<double, Points>& m, const double (&own)[Points], int p) {
        return own[p] > 0.0 ? -m.normal_impulse[p] : 0.0;
    }
    static void solve(const ManifoldBlock<double, Points>& m, const double (&wanted)[Points], const double (&own)[Points],
                      const bool (&holds)[Points], double (&d)[Points]) {
        int at[Points], n = 0;
        double A[Points][Points], x[Points];
        for (int p = 0; p < Points; ++p) {
            if (!holds[p]) d[p] = released(m, own, p);
        }
        for (int p = 0; p < Points; ++p) {
            if (!holds[p]) continue;
            at[n] = p;
            x[n] = wanted[p];
            for (int q = 0; q < Points; ++q) {
                if (q != p && !holds[q]) x[n] -= m.normal_response.between(p, q) * d[q];
            }
            for (int k = 0; k < n; ++k) A[n][k] = m.normal_response.between(p, at[k]);
            A[n][n] = own[p] * (1.0 + kLeast);
            ++n;
        }
        double least[Points];
        for (int i = 0; i < n; ++i) least[i] = std::sqrt(kLeast * A[i][i]);
        factorize_in_place(n, [&](int i, int j) -> double& { return A[i][j]; }, [&](int i) { return least[i]; });
        const auto factor = [&](int i, int j) { return A[i][j]; };
        const auto of = [&](int i) -> double& { return x[i]; };
        solve_lower(n, factor, of);
        solve_upper(n, factor, of);
        for (int i = 0; i < n; ++i) d[at[i]] = x[i];
    }
    // The point whose part in the set is wrong by most, as a velocity; -1: none.
    static int find_changed(const ManifoldBlock<double, Points>& m, const double (&wanted)[Points], const double (&own)[Points],
                            const bool (&holds)[Points], const double (&d)[Points]) {
        int found = -1;
        double most = 0.0;
        for (int p = 0; p < Points; ++p) {
            if (own[p] == 0.0) continue;
            double wrong = 0.0;
            if (holds[p]) {
                wrong = -(m.normal_impulse[p] + d[p]) * own[p];
            } else {
                wrong = wanted[p] - own[p] * d[p];
                for (int q = 0; q < Points; ++q) wrong -= q == p ? 0.0 : m.normal_response.between(p, q) * d[q];
                wrong -= kRounding * std::fabs(wanted[p]);
            }
            if (wrong > most) {
                most = wrong;
                found = p;
            }
        }
        return found;
    }
    static void give(ManifoldBlock<double, Points>& m, const bool (&holds)[Points], const double (&d)[Points], FrameWrench<double>& w) {
        for (int p = 0; p < Points; ++p) {
            if (d[p] == 0.0) continue;
            m.normal_impulse[p] = holds[p] ? m.normal_impulse[p] + d[p] : 0.0;
            w.force.x += d[p];
            w.torque.y += m.at_2[p] * d[p];
            w.torque.z -= m.at_1[p] * d[p];
        }
    }
};

KIDO_END
