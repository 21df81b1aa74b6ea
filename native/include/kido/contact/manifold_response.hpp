#pragma once

#include "kido/contact/manifold_block.hpp"

// What a manifold needs of the poses: its frame and points, and how the relative motion responds to wrenches.

KIDO_BEGIN

// Frame, points and arms of a manifold, from its anchors and the poses of its bodies. The center lies midway between the bodies
// in the middle of the points.
template <class T, int Points>
KIDO_INLINE void place_manifold(const ManifoldAnchors<T, Points>& a, const BodyPose<T>& first, const BodyPose<T>& second,
                                ManifoldBlock<T, Points>& m) {
    m.normal = first.axes * a.normal;
    m.tangent = first.axes * a.tangent;
    m.friction = a.friction;
    const Vec3<T> across = cross(m.normal, m.tangent), apart = second.center - first.center;
    Vec3<T> middle[Points], center = zero3<T>();
    T count(0.0);
    for (int p = 0; p < Points; ++p) {
        const Vec3<T> on_first = first.axes * a.on_first[p], between = second.axes * a.on_second[p] + apart - on_first;
        m.gap[p] = -dot(m.normal, between);
        middle[p] = on_first + between * 0.5;
        center += middle[p] * a.used[p];
        count = count + a.used[p];
    }
    if constexpr (Points > 1) center = center * (1.0 / max(count, T(1.0)));
    m.arm_first = center;
    m.arm_second = center - apart;
    for (int p = 0; p < Points; ++p) {
        const Vec3<T> arm = middle[p] - center;
        m.at_1[p] = dot(m.tangent, arm);
        m.at_2[p] = dot(across, arm);
    }
}

// Adds the response of a free body; the arm leads from its center of mass to the manifold's center.
template <class T>
KIDO_INLINE void add_response(PairResponse<T>& response, const Mat3<T>& frame, const Sym3<T>& inverse_inertia,
                              const T& inverse_mass, const Vec3<T>& arm) {
    const Sym3<T> inverse = rotate(transpose(frame), inverse_inertia);
    const Vec3<T> r = transposed_times(frame, arm);
    const T o(0.0);
    const Mat3<T> angular = {inverse * Vec3<T>{o, r.z, -r.y}, inverse * Vec3<T>{-r.z, o, r.x}, inverse * Vec3<T>{r.y, -r.x, o}};
    response.linear_by_force = response.linear_by_force +
                               Mat3<T>{cross(angular.x, r), cross(angular.y, r), cross(angular.z, r)} +
                               identity3<T>() * inverse_mass;
    response.angular_by_force = response.angular_by_force + angular;
    response.angular_by_torque = response.angular_by_torque + inverse;
}

// What a point's visit needs of its response: the normal's, and of the two tangents the inverse and the largest eigenvalue.
template <class T, int Points>
KIDO_INLINE void set_point_response(ManifoldBlock<T, Points>& m, int p, const T& used, const T& normal, const T& k11,
                                    const T& k12, const T& k22) {
    const T half = (k11 - k22) * 0.5, along = max(normal, T(1e-30)), det = max(k11 * k22 - k12 * k12, T(1e-60)),
            most = max((k11 + k22) * 0.5 + sqrt(half * half + k12 * k12), T(1e-30));
    // One division for three.
    const T by_all = used / ((along * det) * most), scale = by_all * (along * most);
    m.normal_mass[p] = by_all * (det * most);
    m.inverse_11[p] = k22 * scale;
    m.inverse_12[p] = -(k12 * scale);
    m.inverse_22[p] = k11 * scale;
    m.tangent_step[p] = by_all * (along * det);
}

// Of the response to forces, the least response to torques that counts [1/m^2]: it is that of a body a kilometer across.
inline constexpr double kLeastTurning = 1e-6;

// From the response at the manifold's center to that of its points.
template <class T, int Points>
KIDO_INLINE void set_response(const ManifoldAnchors<T, Points>& a, const PairResponse<T>& response,
                              ManifoldBlock<T, Points>& m) {
    const Mat3<T>&v = response.linear_by_force, &w = response.angular_by_force;
    const Sym3<T>& t = response.angular_by_torque;
    if constexpr (Points == 1) {
        // No torque acts at the center, where the point is: what else there is stays zero.
        m.tangent_11 = v.y.y;
        m.tangent_12 = v.y.z;
        m.tangent_22 = v.z.z;
        m.coupling.x.x = v.x.y;
        m.coupling.x.y = v.x.z;
        set_point_response(m, 0, a.used[0], v.x.x, v.y.y, v.y.z, v.z.z);
    } else {
        // What does not turn has no pivot but the center.
        const T per_turning = 1.0 / max(t.xx, max(v.x.x + v.y.y + v.z.z, T(1e-30)) * kLeastTurning);
        m.pivot_1 = -(w.z.x * per_turning);
        m.pivot_2 = w.y.x * per_turning;
        m.tangent_11 = v.y.y - m.pivot_2 * w.y.x;
        m.tangent_12 = v.y.z - m.pivot_2 * w.z.x;
        m.tangent_22 = v.z.z + m.pivot_1 * w.z.x;
        m.turning = t.xx;
        const auto at_pivot = [&](const T& first, const T& second, const T& turn) {
            return Vec3<T>{first - turn * m.pivot_2, second + turn * m.pivot_1, turn};
        };
        m.coupling = {at_pivot(v.x.y, v.x.z, w.x.x), at_pivot(w.y.y, w.z.y, t.xy), at_pivot(w.y.z, w.z.z, t.xz)};
        for (int p = 0; p < Points; ++p) {
            const T &y = m.at_1[p], &z = m.at_2[p];
            // Normal component, angular 1 and 2, by a unit normal impulse at the point.
            const Vec3<T> n = {v.x.x + (w.x.y * z - w.x.z * y), w.x.y + (t.yy * z - t.yz * y), w.x.z + (t.yz * z - t.zz * y)};
            for (int q = 0; q < p; ++q) m.normal_response.between(p, q) = n.x + (n.y * m.at_2[q] - n.z * m.at_1[q]);
            const T turn_1 = w.y.x - t.xx * z, turn_2 = w.z.x + t.xx * y;  // about n, by unit tangential impulses
            set_point_response(m, p, a.used[p], n.x + (n.y * z - n.z * y), v.y.y - w.y.x * z - turn_1 * z,
                               v.y.z - w.z.x * z + turn_1 * y, v.z.z + w.z.x * y + turn_2 * y);
        }
    }
}

// All that a step needs of manifolds between free bodies.
template <class T, int Points>
KIDO_NOINLINE void prepare_manifold(const ManifoldAnchors<T, Points>& a, const PoseRow* poses, ManifoldBlock<T, Points>& m) {
    const BodyPose<T> first = load_pose<T>(poses, m.first), second = load_pose<T>(poses, m.second);
    place_manifold(a, first, second, m);
    m.inverse_mass_first = first.inverse_mass;
    m.inverse_mass_second = second.inverse_mass;
    m.inverse_inertia_first = first.inverse_inertia;
    m.inverse_inertia_second = second.inverse_inertia;
    const Mat3<T> frame = frame_of(m);
    PairResponse<T> response = PairResponse<T>::zero();
    add_response(response, frame, first.inverse_inertia, first.inverse_mass, m.arm_first);
    add_response(response, frame, second.inverse_inertia, second.inverse_mass, m.arm_second);
    set_response(a, response, m);
}

KIDO_END
