#pragma once

#include "kido/algorithm/mass_matrix.hpp"

// Centre of mass of the whole robot: position, velocity, acceleration, Jacobian; bodies fixed to the world do not count.

KIDO_BEGIN

// Sum over links of mass times what `of` gives for the link's centre of mass at arm h / mass, divided by all mass.
template <class T, class F>
KIDO_INLINE Vec3<T> mass_average(const Model& m, const Pose<T>* poses, F weighted) {
    Vec3<T> sum = zero3<T>();
    for (int i = 0; i < m.num_links; ++i) {
        if (m.links[i].mass == 0.0) continue;
        sum += weighted(i, m.links[i].mass, poses[i].R * vec3(m.links[i].h));
    }
    return sum * (1.0 / m.total_mass);
}

// in: q; out: position (3).
struct CenterOfMass : KinematicsAlgorithm<0> {
    static std::size_t output_size(const Problem&, int) { return 3; }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        kinematics<0>(*p.model, w, in[Problem::users], in[0]);
        write3(out[0], mass_average(*p.model, w.pose, [&](int i, double mass, const Vec3<T>& h) {
                   return w.pose[i].p * mass + h;
               }));
        return true;
    }
};

// in: q, v; out: velocity (3).
struct CenterOfMassVelocity : KinematicsAlgorithm<1> {
    static std::size_t output_size(const Problem&, int) { return 3; }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        kinematics<1>(*p.model, w, in[Problem::users], in[0], in[1]);
        write3(out[0], mass_average(*p.model, w.pose, [&](int i, double mass, const Vec3<T>& h) {
                   return w.velocity[i].linear * mass + cross(w.velocity[i].angular, h);
               }));
        return true;
    }
};

// in: q, v, a; out: acceleration (3).
struct CenterOfMassAcceleration : KinematicsAlgorithm<2> {
    static std::size_t output_size(const Problem&, int) { return 3; }
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        kinematics<2>(*p.model, w, in[Problem::users], in[0], in[1], in[2]);
        write3(out[0], mass_average(*p.model, w.pose, [&](int i, double mass, const Vec3<T>& h) {
                   const Vec3<T>& spin = w.velocity[i].angular;
                   return w.acceleration[i].linear * mass + cross(w.acceleration[i].angular, h) +
                          cross(spin, cross(spin, h));
               }));
        return true;
    }
};

// in: q; out: Jacobian (3, dofs).
struct CenterOfMassJacobian {
    static constexpr int inputs = 1, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return 3 * static_cast<std::size_t>(p.model->num_dofs); }
    template <class T>
    struct Memory : CompositeMemory<T> {
        Memory(const Problem& p, Scratch& s) : CompositeMemory<T>(*p.model, s) {}
    };
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        const double inverse_mass = 1.0 / m.total_mass;
        composite_inertias(m, w, in[Problem::users], in[0]);
        for_dofs(m, w.pose, in[Problem::users], [&](const Link& link, int i, int d, const auto& axis, const Vec3<T>&) {
            const Vec3<T> column = times(w.inertia[i], link.subtree_mass, axis).force * inverse_mass;
            out[0][d] = column.x;
            out[0][m.num_dofs + d] = column.y;
            out[0][2 * m.num_dofs + d] = column.z;
        });
        return true;
    }
};

KIDO_END
