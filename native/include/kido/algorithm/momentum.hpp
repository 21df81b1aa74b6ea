#pragma once

#include "kido/algorithm/mass_matrix.hpp"

// Spatial momentum, angular first, in world axes, about the world origin or about the centre of mass; the centroidal
// momentum matrix (Orin, Goswami and Lee 2013); kinetic and potential energy. Armature has energy, and no momentum.

KIDO_BEGIN

// Momentum of one link about its own origin, and twice its kinetic energy, from its velocity in link axes.
template <class T>
KIDO_INLINE Wrench<T> link_momentum(const Link& link, const Motion<T>& v) {
    return {sym3(link.I) * v.angular + cross(vec3(link.h), v.linear),
            v.linear * link.mass - cross(vec3(link.h), v.angular)};
}

template <class T>
KIDO_INLINE Motion<T> link_axes(const Pose<T>& pose, const Motion<T>& v) {
    return {transposed_times(pose.R, v.angular), transposed_times(pose.R, v.linear)};
}

// Momentum of all links about the world origin.
template <class T>
KIDO_INLINE Wrench<T> total_momentum(const Model& m, const KinematicsMemory<T>& w) {
    Wrench<T> sum = {zero3<T>(), zero3<T>()};
    for (int i = 0; i < m.num_links; ++i) {
        const Wrench<T> local = link_momentum(m.links[i], link_axes(w.pose[i], w.velocity[i]));
        sum = sum + shift(Wrench<T>{w.pose[i].R * local.torque, w.pose[i].R * local.force}, w.pose[i].p);
    }
    return sum;
}

template <class T>
KIDO_INLINE Vec3<T> center_of_mass(const Model& m, const Pose<T>* poses) {
    Vec3<T> sum = zero3<T>();
    for (int i = 0; i < m.num_links; ++i) {
        sum += poses[i].p * m.links[i].mass + poses[i].R * vec3(m.links[i].h);
    }
    return sum * (1.0 / m.total_mass);
}

// in: q, v; out: (6) about the world origin.
struct Momentum : KinematicsAlgorithm<1> {
    static std::size_t output_size(const Problem&, int) { return 6; }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        kinematics<1>(*p.model, w, in[Problem::users], in[0], in[1]);
        const Wrench<T> momentum = total_momentum(*p.model, w);
        write3(out[0], momentum.torque);
        write3(out[0] + 3, momentum.force);
        return true;
    }
};

// in: q, v; out: (6) about the centre of mass.
struct CentroidalMomentum : KinematicsAlgorithm<1> {
    static std::size_t output_size(const Problem&, int) { return 6; }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        kinematics<1>(*p.model, w, in[Problem::users], in[0], in[1]);
        const Wrench<T> momentum = shift(total_momentum(*p.model, w), -center_of_mass(*p.model, w.pose));
        write3(out[0], momentum.torque);
        write3(out[0] + 3, momentum.force);
        return true;
    }
};

// in: q; out: A (6, dofs), so that A v is the momentum about the centre of mass.
struct CentroidalMomentumMatrix {
    static constexpr int inputs = 1, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return 6 * static_cast<std::size_t>(p.model->num_dofs); }
    template <class T>
    struct Memory : CompositeMemory<T> {
        Memory(const Problem& p, Scratch& s) : CompositeMemory<T>(*p.model, s) {}
    };
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        composite_inertias(m, w, in[Problem::users], in[0]);
        const Vec3<T> com = center_of_mass(m, w.pose);
        for_dofs(m, w.pose, in[Problem::users], [&](const Link& link, int i, int d, const auto& axis, const Vec3<T>&) {
            const Wrench<T> column = shift(times(w.inertia[i], link.subtree_mass, axis), w.pose[i].p - com);
            write_column(out[0], m.num_dofs, d, column.torque, column.force);
        });
        return true;
    }
};

// in: q, v; out: (1) kinetic energy v^T M v / 2.
struct KineticEnergy : KinematicsAlgorithm<1> {
    static std::size_t output_size(const Problem&, int) { return 1; }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        kinematics<1>(m, w, in[Problem::users], in[0], in[1]);
        T twice = 0.0;
        for (int i = 0; i < m.num_links; ++i) {
            const Motion<T> v = link_axes(w.pose[i], w.velocity[i]);
            const Wrench<T> momentum = link_momentum(m.links[i], v);
            twice += dot(v.angular, momentum.torque) + dot(v.linear, momentum.force);
        }
        if (m.armature) {
            for (int d = 0; d < m.num_dofs; ++d) twice += in[1][d] * in[1][d] * m.armature[d];
        }
        out[0][0] = twice * 0.5;
        return true;
    }
};

// in: q; out: (1) potential energy of gravity, zero at the world origin.
struct PotentialEnergy : KinematicsAlgorithm<0> {
    static std::size_t output_size(const Problem&, int) { return 1; }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        kinematics<0>(m, w, in[Problem::users], in[0]);
        T energy = 0.0;
        for (int i = 0; i < m.num_links; ++i) {
            const double mass = m.lifted ? m.weights[i].mass : m.links[i].mass;
            const Vec3<double> h = vec3(m.lifted ? m.weights[i].h : m.links[i].h);
            energy -= dot(w.pose[i].p * mass + w.pose[i].R * h, vec3(m.gravity));
        }
        out[0][0] = energy;
        return true;
    }
};

KIDO_END
