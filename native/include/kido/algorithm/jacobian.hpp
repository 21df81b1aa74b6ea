#pragma once

#include "kido/algorithm/forward_kinematics.hpp"

// Jacobian of a body's point and its time derivative: (6, dofs), angular rows first. Dofs that do not move the body
// have zero columns. Columns stand dof by dof: one axis each, at the origin of the dof's link.

KIDO_BEGIN

template <class T>
KIDO_INLINE void write_column(T* matrix, int columns, int column, const Vec3<T>& angular, const Vec3<T>& linear) {
    T* at = matrix + column;
    at[0] = angular.x;
    at[columns] = angular.y;
    at[2 * columns] = angular.z;
    at[3 * columns] = linear.x;
    at[4 * columns] = linear.y;
    at[5 * columns] = linear.z;
}

// The velocity per rate of one dof: of its link's angular motion, and of a point at `arm` from the link origin.
template <class Axis, class T>
KIDO_INLINE Motion<T> axis_velocity(const Axis& axis, const Vec3<T>& arm) {
    if constexpr (Axis::rotates && Axis::translates) {
        return {axis.angular, axis.linear + cross(axis.angular, arm)};
    } else if constexpr (Axis::rotates) {
        return {axis.angular, cross(axis.angular, arm)};
    } else {
        return {zero3<T>(), axis.linear};
    }
}

// Its classical time derivative, for a link that turns at `spin` and an arm that changes at `arm_rate`.
template <class Axis, class T>
KIDO_INLINE Motion<T> axis_velocity_rate(const Axis& axis, const Vec3<T>& spin, const Vec3<T>& arm,
                                           const Vec3<T>& arm_rate) {
    Motion<T> rate = {zero3<T>(), zero3<T>()};
    if constexpr (Axis::rotates) {
        rate.angular = cross(spin, axis.angular);
        if constexpr (Axis::drifts) rate.angular = rate.angular + axis.angular_rate;
        rate.linear = cross(rate.angular, arm) + cross(axis.angular, arm_rate);
    }
    if constexpr (Axis::translates) rate.linear = rate.linear + cross(spin, axis.linear);
    if constexpr (Axis::drifts) rate.linear = rate.linear + axis.linear_rate;
    return rate;
}

template <class T>
KIDO_INLINE void clear(T* numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = T(0.0);
}

// in: q; out: J (6, dofs).
struct Jacobian : KinematicsAlgorithm<0> {
    using Options = PointOptions;
    static std::size_t output_size(const Problem& p, int) { return 6 * static_cast<std::size_t>(p.model->num_dofs); }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        const Body& body = m.bodies[p.options.body];
        clear(out[0], output_size(p, 0));
        chain_kinematics<0>(m, body.link, w, in[Problem::users], in[0]);
        const BodyPoint<T> point = body_point(body, p.options.offset, w.pose);
        for (int i = body.link; i >= 0; i = m.links[i].parent) {
            const Link& link = m.links[i];
            const Pose<T>& pose = w.pose[i];
            const Vec3<T> arm = p.options.frame == ReferenceFrame::spatial ? -pose.p : point.p - pose.p;
            T* matrix = out[0];
            const auto write = [=, &p, &m, &link, &pose, &point](auto joint) KIDO_INLINE_LAMBDA {
                for_axes(joint, link, pose.R, [&](int k, const auto& axis) KIDO_INLINE_LAMBDA {
                    Motion<T> column = axis_velocity(axis, arm);
                    if (p.options.frame == ReferenceFrame::body) {
                        column = {transposed_times(point.R, column.angular), transposed_times(point.R, column.linear)};
                    }
                    write_column(matrix, m.num_dofs, link.dof + k, column.angular, column.linear);
                });
            };
            visit_mostly_revolute(link, in[Problem::users], write);
        }
        return true;
    }
};

// in: q, v; out: dJ/dt (6, dofs). Classic: J a + dJ v is the classical acceleration; else the spatial one.
struct JacobianDerivative : KinematicsAlgorithm<1> {
    using Options = PointAccelerationOptions;
    static std::size_t output_size(const Problem& p, int) { return 6 * static_cast<std::size_t>(p.model->num_dofs); }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        const PointOptions& o = p.options.point;
        const bool classic = p.options.classic;
        const Body& body = m.bodies[o.body];
        clear(out[0], output_size(p, 0));
        if (body.link < 0) return true;
        chain_kinematics<1>(m, body.link, w, in[Problem::users], in[0], in[1]);
        const BodyPoint<T> point = body_point(body, o.offset, w.pose);
        const Vec3<T> spin = w.velocity[body.link].angular;
        const bool about_origin = o.frame == ReferenceFrame::spatial;
        const Vec3<T> target = about_origin ? zero3<T>() : point.p;
        const Vec3<T> target_rate =
            about_origin ? zero3<T>() : w.velocity[body.link].linear + cross(spin, point.from_link);
        for (int i = body.link; i >= 0; i = m.links[i].parent) {
            const Link& link = m.links[i];
            const Pose<T>& pose = w.pose[i];
            const Vec3<T> arm = target - pose.p;
            const Vec3<T> arm_rate = target_rate - w.velocity[i].linear;
            visit(link, in[Problem::users], [&](auto joint) {
                for_axes(joint, link, pose.R, [&](int k, const auto& axis) {
                    Motion<T> rate = axis_velocity_rate(axis, w.velocity[i].angular, arm, arm_rate);
                    const Motion<T> column = axis_velocity(axis, arm);
                    if (classic && about_origin) rate.linear = rate.linear + cross(spin, column.linear);
                    if (!classic && !about_origin) {
                        rate = {rate.angular - cross(spin, column.angular), rate.linear - cross(spin, column.linear)};
                    }
                    if (o.frame == ReferenceFrame::body) {
                        rate = {transposed_times(point.R, rate.angular), transposed_times(point.R, rate.linear)};
                    }
                    write_column(out[0], m.num_dofs, link.dof + k, rate.angular, rate.linear);
                });
            });
        }
        return true;
    }
};

KIDO_END
