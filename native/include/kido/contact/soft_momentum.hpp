#pragma once

#include "kido/contact/tree_momentum.hpp"

// The momentum of a skeleton that moves freely and has points around its links. Equations of motion hold where a step begins; at its
// end places are others, and the same rates of dofs and points are another momentum. The root's velocity takes up the difference, so
// that momentum is what it was and what acts has added, to rounding.

KIDO_BEGIN

class SoftMomentum {
public:
    // Before the end of a step; changes of the dofs' velocities by impulses, and `sums` of these over the sub-steps.
    SoftMomentum(const Articulation& a, const std::vector<double>& changes, const std::vector<double>& sums, const StepReach<double>& reach) {
        const Model& m = a.model();
        if (a.softs.empty() || m.links[0].kind != JointKind::free || m.links[0].link_end != m.num_links || a.any_prescribed()) return;
        follows_ = true;
        const double step = reach.step;
        std::vector<double> end(changes);
        for (std::size_t k = 0; k < end.size(); ++k) end[k] += a.velocities[k] + step * a.accelerations[k];
        const Sum before(a, a.velocities, [](const SoftPart& soft, int i) { return soft.layer.velocities[i]; });
        const Sum given(a, changes, [](const SoftPart& soft, int i) { return soft.change(i); });
        const Sum summed(a, sums, [](const SoftPart& soft, int i) { return soft.sum(i); });
        Sum after(a, end, [&](const SoftPart& soft, int i) { return soft.end_velocity(i, step); });
        add_rates(a, step, after);
        linear_ = after.momentum.force;
        angular_ = after.central();
        const Vec3<double> gained = (linear_ - before.momentum.force - given.momentum.force) * (reach.weight / step);
        const Vec3<double> moved = (before.momentum.force * reach.substeps + gained + summed.momentum.force) * (reach.substep() / after.mass);
        center_ = a.reference() + after.center() + moved + reach.fall;
    }
    // At its end, after the links were placed.
    void restore(Articulation& a) const {
        if (!follows_) return;
        const Sum sum(a, a.velocities, [](const SoftPart& soft, int i) { return soft.layer.velocities[i]; });
        const Vec3<double> e[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        const Sym3<double> I = sum.central_inertia();
        const Vec3<double> spin = solved(I * e[0], I * e[1], I * e[2], angular_ - sum.central());
        const Vec3<double> linear = (linear_ - sum.momentum.force) * (1.0 / sum.mass) - cross(spin, sum.center() - a.arm(0));
        const Link& root = a.model().links[0];
        const Mat3<double>& R = a.axes(0);
        double *v = &a.velocities[root.dof], *q = &a.positions[root.dof + 3];
        write3(v, vec3(v) + transposed_times(R, spin));
        write3(v + 3, vec3(v + 3) + transposed_times(R, linear));
        write3(q, vec3(q) + transposed_times(mat3(root.R), center_ - a.reference() - sum.center()));
        a.place();
    }

private:
    // Of links and points, about the reference.
    struct Sum {
        double mass = 0.0;
        Vec3<double> first = zero3<double>();
        Sym3<double> second = {};
        Wrench<double> momentum = {zero3<double>(), zero3<double>()};

        // At rates of the dofs; `rate`: of a point beside its link, in the link's axes.
        template <class F>
        Sum(const Articulation& a, const std::vector<double>& rates, const F& rate) {
            const std::vector<Motion<double>> motions = link_motions(a, rates);
            for (int i = 0; i < a.model().num_links; ++i) add_link(a, i, motions[i]);
            for (const SoftPart& soft : a.softs) {
                const LinkMotion<double>& at = a.link_motion(soft.link);
                const Motion<double>& v = motions[soft.link];
                for (int i = 0; i < soft.size(); ++i) {
                    const Vec3<double> r = at.arm + soft.arm(at, i);
                    add_point(soft.layer.material().mass[i], r, v.linear + cross(v.angular, r) + at.axes * rate(soft, i));
                }
            }
        }
        void add_link(const Articulation& a, int i, const Motion<double>& v) {
            const Link& link = a.model().links[i];
            if (link.massless) return;
            const LinkMoments<double> own = a.moments(i);
            mass += link.mass;
            first += own.first;
            second = second + own.second;
            momentum = momentum + link_momentum(a, i, v);
        }
        void add_point(double m, const Vec3<double>& r, const Vec3<double>& v) {
            mass += m;
            first += r * m;
            second = second + inertia_of(m, r);
            add_rate(m, r, v);
        }
        void add_rate(double m, const Vec3<double>& r, const Vec3<double>& v) {
            momentum.force += v * m;
            momentum.torque += cross(r, v) * m;
        }
        Vec3<double> center() const { return first * (1.0 / mass); }
        // About the center of mass.
        Vec3<double> central() const { return momentum.torque - cross(first, momentum.force) * (1.0 / mass); }
        Sym3<double> central_inertia() const { return second + inertia_of(-1.0 / mass, first); }
        static Sym3<double> inertia_of(double m, const Vec3<double>& r) {
            return {m * (r.y * r.y + r.z * r.z), -m * r.x * r.y, -m * r.x * r.z,
                    m * (r.x * r.x + r.z * r.z), -m * r.y * r.z, m * (r.x * r.x + r.y * r.y)};
        }
    };

    // What velocities alone add to momenta in a step.
    static void add_rates(const Articulation& a, double step, Sum& sum) {
        for (int i = 0; i < a.model().num_links; ++i) {
            if (!a.model().links[i].massless) sum.momentum = sum.momentum + link_momentum_rate(a, i) * step;
        }
        for (const SoftPart& soft : a.softs) {
            const LinkMotion<double>& at = a.link_motion(soft.link);
            const Motion<double> product = a.velocity_product(soft.link);
            const Vec3<double>& w = at.motion.angular;
            for (int i = 0; i < soft.size(); ++i) {
                const Vec3<double> r = at.arm + soft.arm(at, i);
                const Vec3<double> rate = product.linear + cross(product.angular, r) +
                                          cross(w, at.motion.linear + cross(w, r) + at.axes * soft.layer.velocities[i] * 2.0);
                sum.add_rate(soft.layer.material().mass[i] * step, r, rate);
            }
        }
    }

    bool follows_ = false;
    Vec3<double> linear_ = zero3<double>(), angular_ = linear_, center_ = linear_;  // at the end of the step; angular: about the center of mass
};

KIDO_END
