#pragma once

#include <algorithm>

#include "kido/contact/surface_law.hpp"

// What a contact answers to a motion when an island is solved directly: impulses as a function of the velocity, and their
// derivative. Normals at rest are springs and dampers as in sweeps, but stiffer by as much as they carry; what is apart, friction
// and the relaxing solve are proximal: the impulse of before less a stiff reaction, projected onto what is admissible.

KIDO_BEGIN

inline constexpr double kDirectStiffness = 18.0;   // of contacts, in units of the inverse of a point's own response
inline constexpr double kDirectMostLoad = 100.0;   // that adds to the stiffness
inline constexpr double kDirectRigid = 1e4;        // of limits, motors and couplings

// Impulses of a manifold: normal, then two tangential ones of each point; torques of rolling and torsional friction.
template <int Points>
struct ManifoldImpulses {
    double normal[Points], first[Points], second[Points];
    Vec3<double> torque;
};

template <int Points>
void keep(const ManifoldImpulses<Points>& found, ManifoldBlock<double, Points>& m) {
    std::copy_n(found.normal, Points, m.normal_impulse);
    std::copy_n(found.first, Points, m.impulse_1);
    std::copy_n(found.second, Points, m.impulse_2);
}
inline void keep(const ManifoldImpulses<4>& found, SurfaceBlock& m) {
    keep(found, static_cast<ManifoldBlock<double, 4>&>(m));
    m.torque_impulse = found.torque;
}

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

// The same in an ellipse: the impulse (f1, f2) = (friction_1 y1, friction_2 y2), |y| <= load, that minimizes the sums of
// give f^2 / 2 - pull f, where give is the compliance of a direction and pull what moves along it; zero where its friction is.
inline DiskImpulse ellipse_impulse(const double (&friction)[2], const double (&give)[2], const double (&pull)[2], double load) {
    if (load <= 0.0) return {0.0, 0.0, 0.0, 0.0, 0.0};
    double A[2], b[2], y[2] = {}, square = 0.0;
    for (int i = 0; i < 2; ++i) {
        A[i] = friction[i] * friction[i] * give[i];
        b[i] = friction[i] * pull[i];
        if (A[i] > 0.0) y[i] = b[i] / A[i];
        square += y[i] * y[i];
    }
    if (square <= load * load) {
        const double h[2] = {A[0] > 0.0 ? 1.0 / give[0] : 0.0, A[1] > 0.0 ? 1.0 / give[1] : 0.0};
        return {friction[0] * y[0], friction[1] * y[1], h[0], 0.0, h[1]};
    }
    // The multiplier of the bound, by Newton's method on 1 / |y| - 1 / load, which grows towards it.
    double shift = std::max(0.0, std::sqrt(b[0] * b[0] + b[1] * b[1]) / load - std::max(A[0], A[1]));
    double G[2], size = 0.0, weighed = 0.0;
    for (int k = 0; k < 30; ++k) {
        square = weighed = 0.0;
        for (int i = 0; i < 2; ++i) {
            G[i] = 1.0 / std::max(A[i] + shift, 1e-300);
            y[i] = b[i] * G[i];
            square += y[i] * y[i];
            weighed += y[i] * y[i] * G[i];
        }
        size = std::sqrt(square);
        if (std::fabs(size - load) <= 1e-13 * load) break;
        shift += square / weighed * (size - load) / load;
    }
    const double scale = load / size, g1 = G[0] * y[0], g2 = G[1] * y[1];
    return {friction[0] * y[0] * scale, friction[1] * y[1] * scale, friction[0] * friction[0] * (G[0] - g1 * g1 / weighed),
            -(friction[0] * friction[1] * g1 * g2 / weighed), friction[1] * friction[1] * (G[1] - g2 * g2 / weighed)};
}

// Friction of a point under a normal impulse `load`, where the manifold moves with `u`.
template <int Points>
DiskImpulse direct_friction(const ManifoldBlock<double, Points>& m, int p, double stiffness, const FrameMotion<double>& u, double load) {
    const double across = stiffness * m.tangent_step[p];
    return DiskImpulse::of(m.impulse_1[p] - across * motion_1(m, u, p), m.impulse_2[p] - across * motion_2(m, u, p), m.friction * load, across);
}
inline DiskImpulse direct_friction(const SurfaceBlock& m, int p, double stiffness, const FrameMotion<double>& u, double load) {
    const double give = 1.0 / (stiffness * m.tangent_step[p]);
    return ellipse_impulse({m.surface.friction, m.surface.secondary_friction}, {give + m.slip_1, give + m.slip_2},
                           {give * m.impulse_1[p] - (motion_1(m, u, p) + m.passing_1[p]),
                            give * m.impulse_2[p] - (motion_2(m, u, p) + m.passing_2[p])}, load);
}

// Adds r r^T weight to a 6 x 6 matrix.
inline void add_outer(double (&B)[6][6], const double (&r)[6], const double (&s)[6], double weight) {
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) B[i][j] += weight * r[i] * s[j];
    }
}

// Torques of rolling and torsional friction under normal impulses `load`: added to the wrench, their derivative to `B` unless null.
template <int Points>
Vec3<double> direct_torque(const ManifoldBlock<double, Points>&, double, const FrameMotion<double>&, double, double (*)[6][6]) {
    return zero3<double>();
}
inline Vec3<double> direct_torque(const SurfaceBlock& m, double stiffness, const FrameMotion<double>& u, double load, double (*B)[6][6]) {
    const Sym3<double>& t = m.response.angular_by_torque;
    const Vec3<double> turn = u.angular + m.turning;
    Vec3<double> found = zero3<double>();
    if (m.surface.torsional > 0.0) {
        const double about = stiffness / std::max(t.xx, 1e-30), bound = m.surface.torsional * load;
        const double trial = m.torque_impulse.x - about * turn.x;
        found.x = std::min(std::max(trial, -bound), bound);
        if (B && found.x == trial) (*B)[3][3] += about;
    }
    if (m.surface.rolling > 0.0) {
        const double half = 0.5 * (t.yy - t.zz), most = 0.5 * (t.yy + t.zz) + std::sqrt(half * half + t.yz * t.yz);
        const double across = stiffness / std::max(most, 1e-30);
        const DiskImpulse f = DiskImpulse::of(m.torque_impulse.y - across * turn.y, m.torque_impulse.z - across * turn.z,
                                              m.surface.rolling * load, across);
        found.y = f.first;
        found.z = f.second;
        if (!B) return found;
        (*B)[4][4] += f.h11;
        (*B)[4][5] += f.h12;
        (*B)[5][4] += f.h12;
        (*B)[5][5] += f.h22;
    }
    return found;
}

// Impulses of a manifold that moves with `u` after a displacement `moved`, and their wrench; adds the derivative of the wrench by
// the negative motion to `B` unless null. `radius`: normal impulses by which friction is bounded; null: those found here.
template <bool Relaxing, class Block>
FrameWrench<double> direct_law(const SweepSettings& s, const Block& m, double stiffness, const FrameMotion<double>& u,
                               const FrameMotion<double>& moved, const double* radius, ManifoldImpulses<Block::points>& out,
                               double (*B)[6][6]) {
    constexpr int Points = Block::points;
    FrameWrench<double> w = {zero3<double>(), zero3<double>()};
    double load = 0.0;
    for (int p = 0; p < Points; ++p) {
        out.normal[p] = out.first[p] = out.second[p] = 0.0;
        if (m.normal_mass[p] == 0.0) continue;
        const double y = Points == 1 ? 0.0 : m.at_1[p], z = Points == 1 ? 0.0 : m.at_2[p];
        const double along = stiffness * m.normal_mass[p], gap = m.gap[p] + normal_motion(m, moved, p);
        const double n = direct_normal<Relaxing>(s, m.normal_impulse[p], along, normal_motion(m, u, p), gap);
        const double bound = radius ? radius[p] : n;
        const DiskImpulse f = direct_friction(m, p, stiffness, u, bound);
        load += bound;
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
    out.torque = direct_torque(m, stiffness, u, load, B);
    w.torque += out.torque;
    return w;
}

KIDO_END
