#pragma once

#include "kido/contact/contact_surface.hpp"
#include "kido/contact/contact_law.hpp"
#include "kido/contact/manifold_response.hpp"

// Manifolds of surfaces that have more than friction and restitution: friction that depends on the direction, slip, motion of the
// surface, rolling and torsional friction. They are visited one by one; tangents follow the direction of friction.

KIDO_BEGIN

struct SurfaceBlock : ManifoldBlock<double, 4> {
    PairSurface surface;
    Vec3<double> torque_impulse;  // about normal and tangents [N m s]
    // What a step computes of the poses.
    PairResponse<double> response;
    double k11[4], k12[4], k22[4];         // tangential response of the points
    double passing_1[4], passing_2[4];     // velocity of the surfaces along themselves, relative to each other [m/s]
    Vec3<double> turning;                  // their angular velocity [rad/s]
    double slip_1, slip_2;                 // velocity by impulse of a point in a sub-step [1/kg]
};

inline void copy_extra(SurfaceBlock& to, int, const SurfaceBlock& from, int) {
    to.surface = from.surface;
    to.torque_impulse = from.torque_impulse;
}
inline void scale_extra(SurfaceBlock& m, double factor) { m.torque_impulse = m.torque_impulse * factor; }
inline void forget_extra(SurfaceBlock& m) { m.torque_impulse = zero3<double>(); }

template <class Archive>
void archive_extra(Archive& archive, SurfaceBlock& m) {
    archive(m.surface);
    archive(m.torque_impulse);
}

inline SurfaceBlock lane_of(const SurfaceBlock& from, int) {
    SurfaceBlock to = from;
    for (int p = 0; p < 4; ++p) to.normal_impulse[p] = to.impulse_1[p] = to.impulse_2[p] = 0.0;
    forget_extra(to);
    return to;
}

// Turns the tangent to the direction of friction, where it has one that is not along the normal.
inline void align(ManifoldAnchors<double, 4>& a, const SurfaceBlock& m, const BodyPose<double>& first, const BodyPose<double>& second) {
    const Vec3<double> direction = vec3(m.surface.direction);
    if (dot(direction, direction) == 0.0) return;
    const Vec3<double> own = m.surface.of_second ? transposed_times(first.axes, second.axes * direction) : direction;
    const Vec3<double> along = own - a.normal * dot(own, a.normal);
    const double size = std::sqrt(dot(along, along));
    if (size > 1e-6) a.tangent = along * (1.0 / size);
}

// What a step needs beside the frame; h: length of a sub-step.
inline void prepare_surface(const ManifoldAnchors<double, 4>& a, const PairResponse<double>& response, const BodyPose<double>& first,
                            const BodyPose<double>& second, double h, SurfaceBlock& m) {
    set_response(a, response, m);
    m.response = response;
    double count = 0.0;
    const Vec3<double> across = cross(m.normal, m.tangent);
    const auto passing = [](const BodyPose<double>& pose, const SurfaceMotion& motion, const Vec3<double>& arm) {
        return pose.axes * vec3(motion.linear) + cross(pose.axes * vec3(motion.angular), arm);
    };
    for (int p = 0; p < 4; ++p) {
        count += a.used[p];
        const double det = m.inverse_11[p] * m.inverse_22[p] - m.inverse_12[p] * m.inverse_12[p];
        const double scale = det > 0.0 ? 1.0 / det : 0.0;
        m.k11[p] = m.inverse_22[p] * scale;
        m.k12[p] = -m.inverse_12[p] * scale;
        m.k22[p] = m.inverse_11[p] * scale;
        const Vec3<double> offset = m.tangent * m.at_1[p] + across * m.at_2[p];
        const Vec3<double> v = passing(first, m.surface.first, m.arm_first + offset) -
                               passing(second, m.surface.second, m.arm_second + offset);
        m.passing_1[p] = dot(m.tangent, v);
        m.passing_2[p] = dot(across, v);
    }
    const Vec3<double> turning = first.axes * vec3(m.surface.first.angular) - second.axes * vec3(m.surface.second.angular);
    m.turning = transposed_times(frame_of(m), turning);
    m.slip_1 = m.surface.slip * count / h;
    m.slip_2 = m.surface.secondary_slip * count / h;
}

inline FrameWrench<double> total_wrench(const SurfaceBlock& m) {
    FrameWrench<double> w = total_wrench(static_cast<const ManifoldBlock<double, 4>&>(m));
    w.torque += m.torque_impulse;
    return w;
}

KIDO_END
