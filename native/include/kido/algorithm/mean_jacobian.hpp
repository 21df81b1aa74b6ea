#pragma once

#include "kido/algorithm/jacobian.hpp"

// The mean of the Jacobians of all bodies at their own centers of mass, weighted by mass, and its derivatives: DART's
// Jacobian of the center of mass, whose angular rows are means too. Sums over the bodies that a dof carries are
// gathered from the leaves to the roots, so that a column costs as much as one of a single body. Bodies fixed to the
// world do not count.

namespace kido {

struct MeanJacobianDerivativeOptions {
    bool classic;
};

}  // namespace kido

KIDO_BEGIN

// Sums over a link and all it carries, weighted by mass: of arms from the link origin to centers of mass, of the
// velocities of these, of angular velocities w, and of arm w^T.
template <class T>
struct CarriedMass {
    Vec3<T> h, momentum, spin;
    Mat3<T> turning;
};

template <int Order, class T>
struct MeanJacobianMemory : KinematicsMemory<T> {
    CarriedMass<T>* carried;

    MeanJacobianMemory(const Problem& p, Scratch& s)
        : KinematicsMemory<T>(*p.model, Order, s), carried(s.take<CarriedMass<T>>(p.model->num_links)) {}
};

// a b^T.
template <class T>
KIDO_INLINE Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
    return {a * b.x, a * b.y, a * b.z};
}

template <int Order, class T>
KIDO_INLINE void carried_masses(const Model& m, const MeanJacobianMemory<Order, T>& w) {
    for (int i = 0; i < m.num_links; ++i) {
        const double mass = m.links[i].mass;
        CarriedMass<T>& self = w.carried[i];
        self.h = w.pose[i].R * vec3(m.links[i].h);
        if constexpr (Order > 0) {
            const Motion<T>& v = w.velocity[i];
            self.momentum = v.linear * mass + cross(v.angular, self.h);
            self.spin = v.angular * mass;
            self.turning = outer(self.h, v.angular);
        }
    }
    for (int i = m.num_links - 1; i >= 0; --i) {
        const Link& link = m.links[i];
        if (link.parent < 0) continue;
        const CarriedMass<T>& self = w.carried[i];
        CarriedMass<T>& parent = w.carried[link.parent];
        const Vec3<T> r = w.pose[i].p - w.pose[link.parent].p;
        parent.h += self.h + r * link.subtree_mass;
        if constexpr (Order > 0) {
            parent.momentum += self.momentum;
            parent.spin += self.spin;
            parent.turning = parent.turning + self.turning + outer(r, self.spin);
        }
    }
}

// in: q; out: (6, dofs), world axes.
struct MeanJacobian {
    static constexpr int inputs = 1, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int) { return 6 * static_cast<std::size_t>(p.model->num_dofs); }
    template <class T>
    using Memory = MeanJacobianMemory<0, T>;
    template <class T>
    static bool run(const Problem& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        const double inverse_mass = 1.0 / m.total_mass;
        kinematics<0>(m, w, in[Problem::users], in[0]);
        carried_masses(m, w);
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            const Vec3<T> arm = w.carried[i].h * inverse_mass;
            const double share = link.subtree_mass * inverse_mass;
            visit(link, in[Problem::users], [&](auto joint) {
                for_axes(joint, link, w.pose[i].R, [&](int k, const auto& axis) {
                    const Motion<T> still = axis_velocity(axis, zero3<T>());
                    const Vec3<T> linear = still.linear * share + cross(still.angular, arm);
                    write_column(out[0], m.num_dofs, link.dof + k, still.angular * share, linear);
                });
            });
        }
        return true;
    }
};

// in: q, v; out: (6, dofs), world axes. Classic: with it the mean of classical accelerations follows; else that of
// spatial ones.
struct MeanJacobianDerivative {
    using Options = MeanJacobianDerivativeOptions;
    static constexpr int inputs = 2, outputs = 1;
    static std::size_t input_size(const Problem& p, int) { return p.model->num_dofs; }
    static std::size_t output_size(const Problem& p, int i) { return MeanJacobian::output_size(p, i); }
    template <class T>
    using Memory = MeanJacobianMemory<1, T>;

    // The mean over what link i carries of: the rate of an axis's velocity of a center of mass, less, for spatial
    // derivatives, the body's angular velocity times that velocity.
    template <class Axis, class T>
    static KIDO_INLINE Motion<T> column(const ProblemWith<Options>& p, const Memory<T>& w, int i, const Axis& axis) {
        const double mass = p.model->links[i].subtree_mass;
        const CarriedMass<T>& carried = w.carried[i];
        const Vec3<T> zero = zero3<T>();
        const Motion<T> still = axis_velocity(axis, zero);
        const Motion<T> turned = axis_velocity_rate(axis, w.velocity[i].angular, zero, zero);
        const Vec3<T> arm_rate = carried.momentum - w.velocity[i].linear * mass;
        Motion<T> rate = {turned.angular * mass, turned.linear * mass + cross(turned.angular, carried.h) +
                                                     cross(still.angular, arm_rate)};
        if (!p.options.classic) {
            const Mat3<T>& G = carried.turning;
            rate.angular -= cross(carried.spin, still.angular);
            rate.linear -= cross(carried.spin, still.linear) + still.angular * (G.x.x + G.y.y + G.z.z) -
                           G * still.angular;
        }
        return rate;
    }

    template <class T>
    static bool run(const ProblemWith<Options>& p, const Memory<T>& w, const T* const* in, T* const* out) {
        const Model& m = *p.model;
        const double inverse_mass = 1.0 / m.total_mass;
        kinematics<1>(m, w, in[Problem::users], in[0], in[1]);
        carried_masses(m, w);
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            visit(link, in[Problem::users], [&](auto joint) {
                for_axes(joint, link, w.pose[i].R, [&](int k, const auto& axis) {
                    const Motion<T> rate = column(p, w, i, axis);
                    write_column(out[0], m.num_dofs, link.dof + k, rate.angular * inverse_mass,
                                 rate.linear * inverse_mass);
                });
            });
        }
        return true;
    }
};

KIDO_END
