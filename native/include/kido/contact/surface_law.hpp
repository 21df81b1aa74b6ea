#pragma once

#include <algorithm>
#include <cmath>

#include "kido/contact/surface_block.hpp"

// The visit of a manifold whose surfaces have more than friction and restitution. Impulses of friction lie in an ellipse, with the
// coefficients along and across the direction as half-axes, and take as much energy as they can: they oppose the motion as its
// normal says (the principle of maximal dissipation; Goyal, Ruina and Papadopoulos 1991). Each visit solves a point exactly.

KIDO_BEGIN

struct InPlane {
    double x, y;
};

// The minimum of y A y / 2 + b y over the disk |y| <= radius, A symmetric and not negative, by the secular equation of its
// eigenvalues (Nocedal and Wright 2006, Numerical Optimization, section 4.3).
inline InPlane disk_minimum(double a11, double a12, double a22, const InPlane& b, double radius) {
    const double middle = 0.5 * (a11 + a22), half = 0.5 * (a11 - a22), root = std::sqrt(half * half + a12 * a12);
    double c = 1.0, s = 0.0;  // axis of the larger eigenvalue
    if (root > 0.0 && half >= 0.0) {
        c = std::sqrt(0.5 * (1.0 + half / root));
        s = 0.5 * a12 / (root * c);
    } else if (root > 0.0) {
        s = std::sqrt(0.5 * (1.0 - half / root));
        c = 0.5 * a12 / (root * s);
    }
    const double e1 = middle + root, e2 = std::max(middle - root, 0.0), tiny = 1e-14 * e1;
    const double b1 = c * b.x + s * b.y, b2 = c * b.y - s * b.x;
    double y1 = e1 > 0.0 ? -b1 / e1 : 0.0, y2 = e2 > tiny ? -b2 / e2 : 0.0;
    if (radius <= 0.0) return {0.0, 0.0};
    if (y1 * y1 + y2 * y2 > radius * radius) {
        double shift = std::max(0.0, std::sqrt(b1 * b1 + b2 * b2) / radius - e1);
        for (int i = 0; i < 30; ++i) {
            const double d1 = std::max(e1 + shift, 1e-300), d2 = std::max(e2 + shift, 1e-300);
            y1 = -b1 / d1;
            y2 = shift > 0.0 || e2 > tiny ? -b2 / d2 : 0.0;
            const double square = y1 * y1 + y2 * y2, size = std::sqrt(square);
            if (std::fabs(size - radius) <= 1e-13 * radius) break;
            shift += square / (y1 * y1 / d1 + y2 * y2 / d2) * (size - radius) / radius;
        }
        const double scale = radius / std::sqrt(y1 * y1 + y2 * y2);
        y1 *= scale;
        y2 *= scale;
    }
    return {c * y1 - s * y2, s * y1 + c * y2};
}

// As visit_friction of other manifolds.
inline void visit_friction(SurfaceBlock& m, const FrameMotion<double>& u, FrameWrench<double>& w, int passes = 1) {
    FrictionVisit<double, 4> friction;
    friction.begin(m, u, w);
    const double f1 = m.surface.friction, f2 = m.surface.secondary_friction;
    for (int k = 0; k < 4 * passes; ++k) {
        const int p = k % 4;
        if (m.normal_mass[p] == 0.0) continue;
        const double k11 = m.k11[p], k12 = m.k12[p], k22 = m.k22[p], i1 = m.impulse_1[p], i2 = m.impulse_2[p];
        // The motion without this impulse.
        const double u1 = friction.motion_1(m, p) + m.passing_1[p] - (k11 * i1 + k12 * i2);
        const double u2 = friction.motion_2(m, p) + m.passing_2[p] - (k12 * i1 + k22 * i2);
        const InPlane y = disk_minimum(f1 * f1 * (k11 + m.slip_1), f1 * f2 * k12, f2 * f2 * (k22 + m.slip_2), {f1 * u1, f2 * u2},
                                    m.normal_impulse[p]);
        m.impulse_1[p] = f1 * y.x;
        m.impulse_2[p] = f2 * y.y;
        friction.take(m, p, i1 - m.impulse_1[p], i2 - m.impulse_2[p]);
    }
    friction.end(m, w);
}

// Torques of rolling and torsional friction: `u` is the motion before the visit, `w` the wrench that it gave so far.
inline void visit_torque(SurfaceBlock& m, const FrameMotion<double>& u, FrameWrench<double>& w) {
    if (m.surface.rolling == 0.0 && m.surface.torsional == 0.0) return;
    double load = 0.0;
    for (const double x : m.normal_impulse) load += x;
    const Sym3<double>& t = m.response.angular_by_torque;
    Vec3<double> turn = u.angular + m.turning + m.response.angular_by_force * w.force + t * w.torque;
    Vec3<double>& present = m.torque_impulse;
    const double bound = m.surface.torsional * load;
    const double about = t.xx > 0.0 ? std::min(std::max(present.x - turn.x / t.xx, -bound), bound) : 0.0;
    Vec3<double> d = {about - present.x, 0.0, 0.0};
    turn += t * d;
    const InPlane b = {turn.y - (t.yy * present.y + t.yz * present.z), turn.z - (t.yz * present.y + t.zz * present.z)};
    const InPlane y = disk_minimum(t.yy, t.yz, t.zz, b, m.surface.rolling * load);
    d.y = y.x - present.y;
    d.z = y.y - present.z;
    present += d;
    w.torque += d;
}

template <bool Relaxing>
FrameWrench<double> visit_manifold(const SweepSettings& s, SurfaceBlock& m, const FrameMotion<double>& u, const FrameMotion<double>& moved) {
    FrameWrench<double> w = {zero3<double>(), zero3<double>()};
    double gap[SurfaceBlock::points];
    for (int p = 0; p < SurfaceBlock::points; ++p) gap[p] = moved_gap(m, moved, p);
    visit_normals<Relaxing>(s, m, u, gap, w);
    visit_friction(m, u, w);
    visit_torque(m, u, w);
    return w;
}

KIDO_END
