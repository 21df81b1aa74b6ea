#pragma once

#include "kido/algorithm/jacobian.hpp"

// What one joint does, by itself: pose of the child body in the parent body, motion subspace, and its time derivative.

namespace kido {

struct JointOptions {
    int link_begin, link_end;  // its links: [link_begin, link_end)
    int body;                  // the child
};

struct JointTransformOptions {
    JointOptions joint;
    int parent_body;  // -1: the world
};

}  // namespace kido

KIDO_BEGIN

// Poses (and velocities) of the joint's links relative to the link or world that carries it.
template <int Order, class T>
KIDO_INLINE void joint_kinematics(const Model& m, const JointOptions& o, const KinematicsMemory<T>& w,
                                  const T* users, const T* q, const T* v) {
    for (int i = o.link_begin; i < o.link_end; ++i) {
        Link link = m.links[i];
        if (i == o.link_begin) link.parent = -1;
        sincos(q + link.dof, link.dof_count, w.sine + link.dof, w.cosine + link.dof);
        w.compute(link, i, users, q, w.sine, w.cosine);
        if constexpr (Order > 0) velocity(link, w.pose, w.velocity, users, v, w.velocity[i]);
    }
}

// in: q; out: pose of the child body in the parent body (4, 4).
struct JointTransform : KinematicsAlgorithm<0> {
    using Options = JointTransformOptions;
    static std::size_t output_size(const Problem&, int) { return 16; }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const JointOptions& o = p.options.joint;
        joint_kinematics<0, T>(*p.model, o, w, in[Problem::users], in[0], nullptr);
        const Body& body = p.model->bodies[o.body];
        Pose<T> child = {broadcast<T>(mat3(body.R)), broadcast<T>(vec3(body.p))};
        if (o.link_begin < o.link_end) child = body_pose(body, w.pose);
        if (p.options.parent_body >= 0) {
            const Body& parent = p.model->bodies[p.options.parent_body];
            child = {transpose(mat3(parent.R)) * child.R,
                     transposed_times(mat3(parent.R), child.p - broadcast<T>(vec3(parent.p)))};
        }
        write_transform(child, out[0]);
        return true;
    }
};

// in: q; out: S (6, joint dofs): spatial velocity of the child body relative to the parent, child axes.
struct MotionSubspace : KinematicsAlgorithm<0> {
    using Options = JointOptions;
    static std::size_t output_size(const ProblemWith<Options>& p, int) {
        return 6 * static_cast<std::size_t>(joint_dofs(*p.model, p.options));
    }
    static int joint_dofs(const Model& m, const Options& o) {
        int count = 0;
        for (int i = o.link_begin; i < o.link_end; ++i) count += m.links[i].dof_count;
        return count;
    }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const JointOptions& o = p.options;
        if (o.link_begin == o.link_end) return true;
        joint_kinematics<0, T>(*p.model, o, w, in[Problem::users], in[0], nullptr);
        const int columns = joint_dofs(*p.model, o), first = p.model->links[o.link_begin].dof;
        const BodyPoint<T> point = body_point(p.model->bodies[o.body], kNoOffset, w.pose);
        for (int i = o.link_begin; i < o.link_end; ++i) {
            const Link& link = p.model->links[i];
            visit(link, in[Problem::users], [&](auto joint) {
                for_axes(joint, link, w.pose[i].R, [&](int k, const auto& axis) {
                    const Motion<T> c = axis_velocity(axis, point.p - w.pose[i].p);
                    write_column(out[0], columns, link.dof - first + k, transposed_times(point.R, c.angular),
                                 transposed_times(point.R, c.linear));
                });
            });
        }
        return true;
    }
};

// in: q, v; out: dS/dt (6, joint dofs), componentwise in child axes.
struct MotionSubspaceDerivative : KinematicsAlgorithm<1> {
    using Options = JointOptions;
    static std::size_t output_size(const ProblemWith<Options>& p, int i) { return MotionSubspace::output_size(p, i); }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const JointOptions& o = p.options;
        if (o.link_begin == o.link_end) return true;
        joint_kinematics<1, T>(*p.model, o, w, in[Problem::users], in[0], in[1]);
        const int columns = MotionSubspace::joint_dofs(*p.model, o), first = p.model->links[o.link_begin].dof;
        const BodyPoint<T> point = body_point(p.model->bodies[o.body], kNoOffset, w.pose);
        const Motion<T>& last = w.velocity[o.link_end - 1];
        const Vec3<T> point_rate = last.linear + cross(last.angular, point.from_link);
        for (int i = o.link_begin; i < o.link_end; ++i) {
            const Link& link = p.model->links[i];
            const Vec3<T> arm = point.p - w.pose[i].p;
            visit(link, in[Problem::users], [&](auto joint) {
                for_axes(joint, link, w.pose[i].R, [&](int k, const auto& axis) {
                    const Motion<T> c = axis_velocity(axis, arm);
                    const Motion<T> rate =
                        axis_velocity_rate(axis, w.velocity[i].angular, arm, point_rate - w.velocity[i].linear);
                    write_column(out[0], columns, link.dof - first + k,
                                 transposed_times(point.R, rate.angular - cross(last.angular, c.angular)),
                                 transposed_times(point.R, rate.linear - cross(last.angular, c.linear)));
                });
            });
        }
        return true;
    }
};

KIDO_END
