#pragma once

#include "kido/algorithm/body_options.hpp"
#include "kido/algorithm/kinematics.hpp"
#include "kido/scalar/transpose.hpp"

// Pose, velocity and acceleration of all bodies, or of one.

KIDO_BEGIN

template <class T>
KIDO_INLINE void write_transform(const Pose<T>& pose, T* out) {
    const T zero(0.0);
    const Mat3<T>& R = pose.R;
    out[0] = R.x.x, out[1] = R.y.x, out[2] = R.z.x, out[3] = pose.p.x;
    out[4] = R.x.y, out[5] = R.y.y, out[6] = R.z.y, out[7] = pose.p.y;
    out[8] = R.x.z, out[9] = R.y.z, out[10] = R.z.z, out[11] = pose.p.z;
    out[12] = zero, out[13] = zero, out[14] = zero, out[15] = T(1.0);
}

template <class T>
KIDO_INLINE void write_body_transform(const Body& body, const PoseWorkspace<T>& w, T* out) {
    write_transform(body_pose(body, w.pose), out);
}

#if KIDO_VECTOR_EXTENSION
KIDO_INLINE void write_body_transform(const Body& body, const PoseWorkspace<double>& w, double* out) {
    QuadPose pose;
    if (body.link < 0) {
        pose = {quad(mat3(body.R)), quad(vec3(body.p))};
    } else {
        pose = w.wide[body.link];
        if (body.offset == Offset::full) pose.p = pose.p + pose.R * vec3(body.p);
        if (body.offset != Offset::none) pose.R = pose.R * mat3(body.R);
    }
    write_rows(pose, out);
    out[12] = out[13] = out[14] = 0.0;
    out[15] = 1.0;
}
#endif

// A point of a body: its axes, its position, and the vector to it from the link origin, in world axes.
template <class T>
struct BodyPoint {
    Mat3<T> R;
    Vec3<T> p, from_link;
};

template <class T>
KIDO_INLINE BodyPoint<T> body_point(const Body& body, const double* offset, const Pose<T>* poses) {
    const Mat3<double> B = mat3(body.R);
    const Vec3<double> local = vec3(body.p) + B * vec3(offset);
    if (body.link < 0) return {broadcast<T>(B), broadcast<T>(local), zero3<T>()};
    const Pose<T>& link = poses[body.link];
    const Vec3<T> r = link.R * local;
    return {link.R * B, link.p + r, r};
}

// Spatial quantities of a body's point, angular first, in the axes and about the point that `frame` names.
template <class T>
KIDO_INLINE void write_motion(ReferenceFrame frame, const BodyPoint<T>& point, const Vec3<T>& angular,
                              const Vec3<T>& linear, T* out) {
    if (frame == ReferenceFrame::body) {
        write3(out, transposed_times(point.R, angular));
        write3(out + 3, transposed_times(point.R, linear));
    } else {
        write3(out, angular);
        write3(out + 3, linear);
    }
}

template <class T>
KIDO_INLINE void write_velocity(ReferenceFrame frame, const Body& body, const double* offset,
                                const KinematicsMemory<T>& w, T* out) {
    Vec3<T> angular = zero3<T>(), linear = zero3<T>();
    const BodyPoint<T> point = body_point(body, offset, w.pose);
    if (body.link >= 0) {
        const Motion<T>& link = w.velocity[body.link];
        const Vec3<T> arm = frame == ReferenceFrame::spatial ? point.from_link - point.p : point.from_link;
        angular = link.angular;
        linear = link.linear + cross(angular, arm);
    }
    write_motion(frame, point, angular, linear, out);
}

// Classical: second derivative of the point's position. Spatial: derivative of the spatial velocity (Featherstone 2008,
// section 2.11), which is the classical one less omega x v.
template <class T>
KIDO_INLINE void write_acceleration(ReferenceFrame frame, bool classic, const Body& body, const double* offset,
                                    const KinematicsMemory<T>& w, T* out) {
    Vec3<T> angular = zero3<T>(), linear = zero3<T>();
    const BodyPoint<T> point = body_point(body, offset, w.pose);
    if (body.link >= 0) {
        const Motion<T>& velocity = w.velocity[body.link];
        const Acceleration<T>& link = w.acceleration[body.link];
        const Vec3<T> arm = frame == ReferenceFrame::spatial ? point.from_link - point.p : point.from_link;
        const Vec3<T> spread = cross(velocity.angular, arm);
        angular = link.angular;
        linear = link.linear + cross(angular, arm) + cross(velocity.angular, spread);
        if (!classic) linear = linear - cross(velocity.angular, velocity.linear + spread);
    }
    write_motion(frame, point, angular, linear, out);
}

inline constexpr double kNoOffset[3] = {0.0, 0.0, 0.0};

template <int Order>
struct KinematicsAlgorithm {
    static constexpr int inputs = Order + 1, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    template <class T>
    struct Memory : KinematicsMemory<T> {
        Memory(const Problem& p, Scratch& s) : KinematicsMemory<T>(*p.model, Order, s) {}
    };
};

// in: q; out: transforms (bodies, 4, 4).
struct ForwardKinematics : KinematicsAlgorithm<0> {
    static std::size_t output_size(const Problem& p, int) { return 16 * static_cast<std::size_t>(p.model->num_bodies); }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        sincos(in[0], m.num_dofs, w.sine, w.cosine);
        for (int i = 0; i < m.num_links; ++i) {
            w.template compute<false>(m.links[i], i, in[Problem::users], in[0], w.sine, w.cosine);
        }
        for (int k = 0; k < m.num_bodies; ++k) write_body_transform(m.bodies[k], w, out[0] + 16 * k);
        return true;
    }
    template <int W>
    static void stream(const Problem& p, const Memory<Lanes<W>>& w, const Lanes<W>* const* in, LaneRows<W> out) {
        const Model& m = *p.model;
        sincos(in[0], m.num_dofs, w.sine, w.cosine);
        for (int i = 0; i < m.num_links; ++i) {
            w.template compute<false>(m.links[i], i, in[Problem::users], in[0], w.sine, w.cosine);
        }
        for (int k = 0; k < m.num_bodies; ++k) {
            Lanes<W> transform[16];
            write_transform(body_pose(m.bodies[k], w.pose), transform);
            out.put(16 * static_cast<std::size_t>(k), transform);
        }
    }
};

// in: q, v; out: spatial velocities (bodies, 6).
struct BodyVelocities : KinematicsAlgorithm<1> {
    using Options = VelocityOptions;
    static std::size_t output_size(const Problem& p, int) { return 6 * static_cast<std::size_t>(p.model->num_bodies); }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        kinematics<1>(*p.model, w, in[Problem::users], in[0], in[1]);
        for (int k = 0; k < p.model->num_bodies; ++k) {
            write_velocity(p.options.frame, p.model->bodies[k], kNoOffset, w, out[0] + 6 * k);
        }
        return true;
    }
};

// in: q, v, a; out: accelerations (bodies, 6).
struct BodyAccelerations : KinematicsAlgorithm<2> {
    using Options = AccelerationOptions;
    static std::size_t output_size(const Problem& p, int) { return 6 * static_cast<std::size_t>(p.model->num_bodies); }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        kinematics<2>(*p.model, w, in[Problem::users], in[0], in[1], in[2]);
        for (int k = 0; k < p.model->num_bodies; ++k) {
            write_acceleration(p.options.frame, p.options.classic, p.model->bodies[k], kNoOffset, w, out[0] + 6 * k);
        }
        return true;
    }
};

// in: q; out: transform of one body (4, 4).
struct BodyTransform : KinematicsAlgorithm<0> {
    using Options = BodyOptions;
    static std::size_t output_size(const Problem&, int) { return 16; }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Body& body = p.model->bodies[p.options.body];
        chain_kinematics<0>(*p.model, body.link, w, in[Problem::users], in[0]);
        write_body_transform(body, w, out[0]);
        return true;
    }
};

// in: q, v; out: spatial velocity of a body's point (6).
struct BodyVelocity : KinematicsAlgorithm<1> {
    using Options = PointOptions;
    static std::size_t output_size(const Problem&, int) { return 6; }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Body& body = p.model->bodies[p.options.body];
        chain_kinematics<1>(*p.model, body.link, w, in[Problem::users], in[0], in[1]);
        write_velocity(p.options.frame, body, p.options.offset, w, out[0]);
        return true;
    }
};

// in: q, v, a; out: acceleration of a body's point (6).
struct BodyAcceleration : KinematicsAlgorithm<2> {
    using Options = PointAccelerationOptions;
    static std::size_t output_size(const Problem&, int) { return 6; }
    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const PointOptions& point = p.options.point;
        const Body& body = p.model->bodies[point.body];
        chain_kinematics<2>(*p.model, body.link, w, in[Problem::users], in[0], in[1], in[2]);
        write_acceleration(point.frame, p.options.classic, body, point.offset, w, out[0]);
        return true;
    }
};

KIDO_END
