#pragma once

#include <algorithm>

#include "kido/contact/contact_law.hpp"

// What a contact answers to a motion when an island is solved directly: impulses as a function of the velocity, and their
// derivative. Normals at rest are springs and dampers as in sweeps, but stiffer by as much as they carry; what is apart, friction
// and the relaxing solve are proximal: the impulse of before less a stiff reaction, projected onto what is admissible.

KIDO_BEGIN

inline constexpr double kDirectStiffness = 18.0;   // of contacts, in units of the inverse of a point's own response
inline constexpr double kDirectMostLoad = 100.0;   // that adds to the stiffness
inline constexpr double kDirectRigid = 1e4;        // of limits, motors and couplings

// Impulses of a manifold: normal, then two tangential ones of each point.
template <int Points>
struct ManifoldImpulses {
    double normal[Points], first[Points], second[Points];
};

// New normal impulse of a point or limit; `stiffness` [N s per m/s].
template <bool Relaxing>
double direct_normal(const SweepSettings& s, double kept, double stiffness, double u, double gap) {
    if (Relaxing) return std::max(kept - stiffness * (u + std::max(gap, 0.0) * s.per_step), 0.0);
    if (gap > 0.0) return std::max(kept - stiffness * (u + gap * s.per_step), 0.0);
    return std::max(-stiffness * (u + std::max(gap * s.softness.bias, -s.push_speed)), 0.0);
}

// A friction impulse in the disk of a radius, and its derivative (h11, h12, h22) by the negative velocity.
struct DiskImpulse {
    double first, second, h11, h12, h22;

    static DiskImpulse of(double trial_1, double trial_2, double radius, double stiffness) {
        if (radius <= 0.0) return {0.0, 0.0, 0.0, 0.0, 0.0};
        const double length = std::sqrt(trial_1 * trial_1 + trial_2 * trial_2);
        if (length <= radius) return {trial_1, trial_2, stiffness, 0.0, stiffness};
        const double scale = radius / length, e1 = trial_1 / length, e2 = trial_2 / length, h = stiffness * scale;
        return {trial_1 * scale, trial_2 * scale, h * (1.0 - e1 * e1), -(h * e1 * e2), h * (1.0 - e2 * e2)};
    }
};

// Adds r r^T weight to a 6 x 6 matrix.
inline void add_outer(double (&B)[6][6], const double (&r)[6], const double (&s)[6], double weight) {
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) B[i][j] += weight * r[i] * s[j];
    }
}

// Impulses of a manifold that moves with `u` after a displacement `moved`, and their wrench; adds the derivative of the wrench by
// the negative motion to `B` unless null. `radius`: normal impulses by which friction is bounded; null: those found here.
template <bool Relaxing, int Points>
FrameWrench<double> direct_law(const SweepSettings& s, const ManifoldBlock<double, Points>& m, double stiffness,
                               const FrameMotion<double>& u, const FrameMotion<double>& moved, const double* radius,
                               ManifoldImpulses<Points>& out, double (*B)[6][6]) {
    FrameWrench<double> w = {zero3<double>(), zero3<double>()};
    for (int p = 0; p < Points; ++p) {
        out.normal[p] = out.first[p] = out.second[p] = 0.0;
        if (m.normal_mass[p] == 0.0) continue;
        const double y = Points == 1 ? 0.0 : m.at_1[p], z = Points == 1 ? 0.0 : m.at_2[p];
        const double along = stiffness * m.normal_mass[p], across = stiffness * m.tangent_step[p];
        const double gap = m.gap[p] + normal_motion(m, moved, p);
        const double n = direct_normal<Relaxing>(s, m.normal_impulse[p], along, normal_motion(m, u, p), gap);
        const DiskImpulse f = DiskImpulse::of(m.impulse_1[p] - across * motion_1(m, u, p), m.impulse_2[p] - across * motion_2(m, u, p),
                                              m.friction * (radius ? radius[p] : n), across);
        out.normal[p] = n;
        out.first[p] = f.first;
        out.second[p] = f.second;
        w.force += Vec3<double>{n, f.first, f.second};
        w.torque += Vec3<double>{y * f.second - z * f.first, z * n, -(y * n)};
        if (!B) continue;
        const double rn[6] = {1.0, 0.0, 0.0, 0.0, z, -y}, r1[6] = {0.0, 1.0, 0.0, -z, 0.0, 0.0}, r2[6] = {0.0, 0.0, 1.0, y, 0.0, 0.0};
        if (n > 0.0) add_outer(*B, rn, rn, along);
        add_outer(*B, r1, r1, f.h11);
        add_outer(*B, r2, r2, f.h22);
        if (f.h12 == 0.0) continue;
        add_outer(*B, r1, r2, f.h12);
        add_outer(*B, r2, r1, f.h12);
    }
    return w;
}

KIDO_END
