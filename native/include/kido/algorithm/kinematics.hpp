#pragma once

#include "kido/algorithm/problem.hpp"
#include "kido/scalar/trig.hpp"
#include "kido/spatial/motion.hpp"
#include "kido/spatial/quad.hpp"
#include "kido/tree/joint.hpp"
#include "kido/tree/scratch.hpp"

// Position, velocity and acceleration of links, in world axes, each vector of a link taken at the link's own origin.
// Accelerations are classical: the second derivative of position.
// Recursion from the root, Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 5, in vectors.

KIDO_BEGIN

template <class T>
struct Pose {
    Mat3<T> R;  // link axes in world axes
    Vec3<T> p;  // link origin in world coordinates
};

// Classical: the linear part is the second derivative of position.
template <class T>
struct Acceleration {
    Vec3<T> angular, linear;
};

// sin and cos of every dof of the runs [begin, end).
template <class T>
KIDO_INLINE void trigonometry(const Model& m, const Link& link, const T* q, T* sine, T* cosine) {
    for (int k = link.run_begin; k < link.run_end; ++k) {
        const Run run = m.runs[k];
        sincos(q + run.begin, run.end - run.begin, sine + run.begin, cosine + run.begin);
    }
}

// Rotation of a link in world axes, and the vector from its parent's origin to its own.
template <class J, class T>
KIDO_INLINE void place(J joint, const Link& link, const Mat3<T>* parent, const T* q, const T* sine, const T* cosine,
                       Mat3<T>& R, Vec3<T>& r) {
    const Mat3<T> base = parent ? *parent * mat3(link.R) : broadcast<T>(mat3(link.R));
    R = joint.rotate(base, q + link.dof, sine[link.dof], cosine[link.dof]);
    r = parent ? *parent * vec3(link.p) : broadcast<T>(vec3(link.p));
    if constexpr (J::translates) r += joint.translate(link, base, q + link.dof);
}

// How poses are computed: as they are stored, or, for one sample of doubles, in wider registers.
template <class T>
struct PoseWorkspace {
    Pose<T>* pose;

    PoseWorkspace(const Model& m, Scratch& s) : pose(s.take<Pose<T>>(m.num_links)) {}

    template <bool Keep = true>
    KIDO_INLINE void compute(const Link& link, int i, const T* users, const T* q, const T* sine,
                             const T* cosine) const {
        visit_mostly_revolute(link, users, [=, this, &link](auto joint) KIDO_INLINE_LAMBDA {
            const Pose<T>* parent = link.parent < 0 ? nullptr : pose + link.parent;
            Mat3<T> R;
            Vec3<T> r;
            place(joint, link, parent ? &parent->R : nullptr, q, sine, cosine, R, r);
            pose[i] = {R, parent ? parent->p + r : r};
        });
    }
};

#if KIDO_VECTOR_EXTENSION
template <>
struct PoseWorkspace<double> {
    Pose<double>* pose;
    QuadPose* wide;

    PoseWorkspace(const Model& m, Scratch& s)
        : pose(s.take<Pose<double>>(m.num_links + 1)), wide(s.take<QuadPose>(m.num_links)) {}

    // Keep: for readers of `pose`, too.
    template <bool Keep = true>
    KIDO_INLINE void compute(const Link& link, int i, const double* users, const double* q, const double* sine,
                             const double* cosine) const {
        visit(link, users, [&](auto joint) {
            using J = decltype(joint);
            const QuadPose* parent = link.parent < 0 ? nullptr : wide + link.parent;
            const QuadMat3 base = parent ? parent->R * mat3(link.R) : quad(mat3(link.R));
            Quad r = parent ? parent->R * vec3(link.p) : quad(vec3(link.p));
            if constexpr (J::translates) r = r + joint.translate(link, base, q + link.dof);
            const QuadPose self = {joint.rotate(base, q + link.dof, sine[link.dof], cosine[link.dof]),
                                   parent ? parent->p + r : r};
            wide[i] = self;
            if constexpr (Keep) {  // each overwrites what the one before had too much
                double* to = &pose[i].R.x.x;
                store_loose(to, self.R.x);
                store_loose(to + 3, self.R.y);
                store_loose(to + 6, self.R.z);
                store_loose(to + 9, self.p);
            }
        });
    }
};
#endif

template <class T>
KIDO_INLINE void velocity(const Link& link, const Pose<T>* poses, const Motion<T>* all, const T* users, const T* v,
                          Motion<T>& out) {
    visit(link, users, [&](auto joint) {
        using J = decltype(joint);
        const Pose<T>& self = poses[&out - all];
        Vec3<T> angular = zero3<T>(), linear = zero3<T>();
        if (link.parent >= 0) {
            const Motion<T>& parent = all[link.parent];
            angular = parent.angular;
            linear = parent.linear + cross(parent.angular, self.p - poses[link.parent].p);
        }
        if constexpr (J::rotates) angular += joint.angular(link, self.R, v + link.dof);
        if constexpr (J::translates) linear += joint.linear(link, self.R, v + link.dof);
        out.angular = angular;
        out.linear = linear;
    });
}

template <class T>
KIDO_INLINE void acceleration(const Link& link, const Pose<T>* poses, const Motion<T>* velocities,
                              const Acceleration<T>* all, const T* users, const T* v, const T* a,
                              Acceleration<T>& out) {
    visit(link, users, [&](auto joint) {
        using J = decltype(joint);
        const std::ptrdiff_t i = &out - all;
        Vec3<T> angular = zero3<T>(), linear = zero3<T>(), carried = zero3<T>();
        if (link.parent >= 0) {
            const Acceleration<T>& parent = all[link.parent];
            const Vec3<T> r = poses[i].p - poses[link.parent].p;
            carried = velocities[link.parent].angular;
            angular = parent.angular;
            linear = parent.linear + cross(parent.angular, r) + cross(carried, cross(carried, r));
        }
        Vec3<T> spin = zero3<T>();
        if constexpr (J::rotates) {
            spin = joint.angular(link, poses[i].R, v + link.dof);
            angular += cross(carried, spin) + joint.angular(link, poses[i].R, a + link.dof);
        }
        if constexpr (J::translates) {
            const Vec3<T> slide = joint.linear(link, poses[i].R, v + link.dof);
            linear += cross(carried + carried + spin, slide) + joint.linear(link, poses[i].R, a + link.dof);
        }
        if constexpr (J::drifts) {
            angular += joint.angular_drift(poses[i].R, v + link.dof);
            linear += joint.linear_drift(poses[i].R, v + link.dof);
        }
        out.angular = angular;
        out.linear = linear;
    });
}

// The links that a pass visits: all of them, or one link and its ancestors, parents first.
template <class T>
struct KinematicsMemory : PoseWorkspace<T> {
    Motion<T>* velocity;
    Acceleration<T>* acceleration;
    T *sine, *cosine;
    int* path;

    KinematicsMemory(const Model& m, int order, Scratch& s)
        : PoseWorkspace<T>(m, s),
          velocity(s.take<Motion<T>>(order > 0 ? m.num_links : 0)),
          acceleration(s.take<Acceleration<T>>(order > 1 ? m.num_links : 0)),
          sine(s.take<T>(m.num_dofs)),
          cosine(s.take<T>(m.num_dofs)),
          path(s.take<int>(m.num_links)) {}
};

// Ancestors of a link and itself, from the root on; returns where they start in `path`.
KIDO_INLINE int ancestors(const Model& m, int link, int* path) {
    int first = m.num_links;
    for (; link >= 0; link = m.links[link].parent) path[--first] = link;
    return first;
}

template <int Order, class T>
KIDO_INLINE void kinematics_of(const Model& m, int i, const KinematicsMemory<T>& w, const T* users, const T* q,
                               const T* v, const T* a) {
    const Link& link = m.links[i];
    w.template compute<true>(link, i, users, q, w.sine, w.cosine);
    if constexpr (Order > 0) velocity(link, w.pose, w.velocity, users, v, w.velocity[i]);
    if constexpr (Order > 1) acceleration(link, w.pose, w.velocity, w.acceleration, users, v, a, w.acceleration[i]);
}

// With sines and cosines known. Order 0: poses; 1: velocities too; 2: accelerations too.
template <int Order, class T>
KIDO_INLINE void turned_kinematics(const Model& m, const KinematicsMemory<T>& w, const T* users, const T* q,
                                   const T* v, const T* a) {
    for (int i = 0; i < m.num_links; ++i) kinematics_of<Order>(m, i, w, users, q, v, a);
}

template <int Order, class T>
KIDO_INLINE void kinematics(const Model& m, const KinematicsMemory<T>& w, const T* users, const T* q,
                            const T* v = nullptr, const T* a = nullptr) {
    sincos(q, m.num_dofs, w.sine, w.cosine);
    turned_kinematics<Order>(m, w, users, q, v, a);
}

template <int Order, class T>
KIDO_INLINE void chain_kinematics(const Model& m, int link, const KinematicsMemory<T>& w, const T* users,
                                  const T* q, const T* v = nullptr, const T* a = nullptr) {
    if (link < 0) return;
    trigonometry(m, m.links[link], q, w.sine, w.cosine);
    for (int k = ancestors(m, link, w.path); k < m.num_links; ++k) kinematics_of<Order>(m, w.path[k], w, users, q, v, a);
}

// A body's frame from its link's.
template <class T>
KIDO_INLINE Pose<T> body_pose(const Body& body, const Pose<T>* poses) {
    if (body.link < 0) return {broadcast<T>(mat3(body.R)), broadcast<T>(vec3(body.p))};
    const Pose<T>& link = poses[body.link];
    switch (body.offset) {
        case Offset::none: return link;
        case Offset::rotation: return {link.R * mat3(body.R), link.p};
        default: return {link.R * mat3(body.R), link.p + link.R * vec3(body.p)};
    }
}

KIDO_END
