#pragma once

#include "kido/contact/tree_momentum.hpp"

// The momentum of a skeleton that moves freely and has points around its links. Equations of motion hold where a step begins; at its
// end places are others, and the same rates of dofs and points are another momentum. The root's velocity takes up the difference, so
// that momentum is what it was and what acts has added, to rounding.

KIDO_BEGIN

class SoftMomentum {
public:
    // Whether the skeleton moves freely and has points: its center of mass goes where its momentum leads it, whatever moves beside it.
    static bool follows(const Articulation& a) {
        const Model& m = a.model();
        return !a.softs.empty() && m.links[0].kind == JointKind::free && m.links[0].link_end == m.num_links && !a.any_prescribed();
    }
    // Before the end of a step; changes of the dofs' velocities by impulses, and `sums` of these over the sub-steps.
    void begin(const Articulation& a, const std::vector<double>& changes, const std::vector<double>& sums, const StepReach<double>& reach) {
        follows_ = follows(a);
        if (!follows_) return;
        const double step = reach.step;
        end_.resize(changes.size());
        for (std::size_t k = 0; k < end_.size(); ++k) end_[k] = changes[k] + (a.velocities[k] + step * a.accelerations[k]);
        masses_.begin(a);
        points_.assign(a.softs.size(), {});
        for (std::size_t s = 0; s < a.softs.size(); ++s) masses_.add(a.softs[s].link, a.link_motion(a.softs[s].link), sum_points(a, s, step));
        const Wrench<double> at_begin = momentum(a, a.velocities, &Points::before), gained_first = momentum(a, changes, &Points::given);
        const Wrench<double> at_end = momentum(a, end_, &Points::after) + masses_.rate(a, points_) * step;
        linear_ = at_end.force;
        angular_ = masses_.central(at_end);
        const Vec3<double> gained = (linear_ - at_begin.force - gained_first.force) * (reach.weight / step);
        const Vec3<double> moved = (at_begin.force * reach.substeps + gained + momentum(a, sums, &Points::summed).force) *
                                   (reach.substep() / masses_.mass);
        center_ = a.reference() + masses_.center() + moved + reach.fall;
    }
    // At its end, after the links were placed.
    void restore(Articulation& a) {
        if (!follows_) return;
        masses_.begin(a);
        for (std::size_t s = 0; s < a.softs.size(); ++s) {
            const SoftPart& soft = a.softs[s];
            PointMasses own;
            points_[s].before = {};
            for (int i = 0; i < soft.size(); ++i) {
                own.add(soft.layer.material().mass[i], soft.layer.place(i));
                points_[s].before.add(soft.layer.material().mass[i], soft.layer.place(i), soft.layer.velocities[i]);
            }
            masses_.add(soft.link, a.link_motion(soft.link), own);
        }
        const Wrench<double> now = momentum(a, a.velocities, &Points::before);
        const Vec3<double> e[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        const Sym3<double> I = masses_.central_inertia();
        const Vec3<double> spin = solved(I * e[0], I * e[1], I * e[2], angular_ - masses_.central(now));
        const Vec3<double> linear = (linear_ - now.force) * (1.0 / masses_.mass) - cross(spin, masses_.center() - a.arm(0));
        const Link& root = a.model().links[0];
        const Mat3<double>& R = a.axes(0);
        double *v = &a.velocities[root.dof], *q = &a.positions[root.dof + 3];
        write3(v, vec3(v) + transposed_times(R, spin));
        write3(v + 3, vec3(v + 3) + transposed_times(R, linear));
        write3(q, vec3(q) + transposed_times(mat3(root.R), center_ - a.reference() - masses_.center()));
        a.place();
    }

private:
    // Of the points around a link, in its axes about its origin.
    struct PointMasses {
        double mass = 0.0;
        Vec3<double> first = zero3<double>();
        Sym3<double> second = {};

        void add(double m, const Vec3<double>& p) {
            mass += m;
            first += p * m;
            second = second + inertia_of(m, p);
        }
    };
    // Momenta of points by their own rates.
    struct Rates {
        Vec3<double> linear = zero3<double>(), angular = linear;

        void add(double m, const Vec3<double>& p, const Vec3<double>& rate) {
            const Vec3<double> momentum = rate * m;
            linear += momentum;
            angular += cross(p, momentum);
        }
    };
    // Of the points around a link at the beginning of a step, by impulses, by their sums, and at the end.
    struct Points {
        Rates before, given, summed, after;
        Vec3<double> turned = zero3<double>();  // their momenta, by the link's turning: sum of p x (spin x v) m
    };
    // Moments of links and points, about the reference.
    class Masses {
    public:
        double mass = 0.0;

        void begin(const Articulation& a) {
            softs_.clear();
            links_.resize(a.model().num_links);
            mass = 0.0;
            first_ = zero3<double>();
            second_ = {};
            for (int i = 0; i < a.model().num_links; ++i) {
                const Link& link = a.model().links[i];
                if (link.massless) continue;
                links_[i] = a.moments(i);
                take(link.mass, links_[i]);
            }
        }
        void add(int link, const LinkMotion<double>& at, const PointMasses& points) {
            const Vec3<double> own = at.axes * points.first;
            softs_.push_back({link, points.mass, {own + at.arm * points.mass,
                                                  moved_inertia<double>(rotate(at.axes, points.second), points.mass, own, at.arm)}});
            take(points.mass, softs_.back().moments);
        }
        // At motions of the links, and rates of the points beside them.
        Wrench<double> momentum(const Articulation& a, const std::vector<Motion<double>>& motions, const std::vector<Points>& points,
                                Rates Points::*rates) const {
            Wrench<double> sum = {zero3<double>(), zero3<double>()};
            for (int i = 0; i < a.model().num_links; ++i) {
                const Link& link = a.model().links[i];
                if (!link.massless) sum = sum + momentum_of(link.mass, links_[i], motions[i]);
            }
            for (std::size_t s = 0; s < softs_.size(); ++s) {
                sum = sum + softs_[s].momentum(motions[softs_[s].link]) + in_world(a.link_motion(softs_[s].link), points[s].*rates);
            }
            return sum;
        }
        // What velocities alone add to the momentum in unit time.
        Wrench<double> rate(const Articulation& a, const std::vector<Points>& points) const {
            Wrench<double> sum = {zero3<double>(), zero3<double>()};
            for (int i = 0; i < a.model().num_links; ++i) {
                if (!a.model().links[i].massless) sum = sum + link_momentum_rate(a, i, links_[i]);
            }
            for (std::size_t s = 0; s < softs_.size(); ++s) {
                const Soft& soft = softs_[s];
                const LinkMotion<double>& at = a.link_motion(soft.link);
                Motion<double> velocity = a.velocity_product(soft.link);
                velocity.linear += cross(at.motion.angular, at.motion.linear);
                const Vec3<double>& w = at.motion.angular;
                const Vec3<double> turning = cross(w, at.axes * points[s].before.linear) * 2.0;  // the points' Coriolis force, reversed
                sum = sum + soft.momentum(velocity) +
                      Wrench<double>{cross(w, soft.moments.second * w) + cross(at.arm, turning) + at.axes * points[s].turned * 2.0,
                                     cross(w, cross(w, soft.moments.first)) + turning};
            }
            return sum;
        }
        Vec3<double> center() const { return first_ * (1.0 / mass); }
        // About the center of mass.
        Vec3<double> central(const Wrench<double>& momentum) const { return momentum.torque - cross(first_, momentum.force) * (1.0 / mass); }
        Sym3<double> central_inertia() const { return second_ + inertia_of(-1.0 / mass, first_); }

    private:
        struct Soft {
            int link;
            double mass;
            LinkMoments<double> moments;

            Wrench<double> momentum(const Motion<double>& v) const { return momentum_of(mass, moments, v); }
        };
        static Wrench<double> in_world(const LinkMotion<double>& at, const Rates& points) {
            const Vec3<double> linear = at.axes * points.linear;
            return {at.axes * points.angular + cross(at.arm, linear), linear};
        }
        void take(double m, const LinkMoments<double>& moments) {
            mass += m;
            first_ += moments.first;
            second_ = second_ + moments.second;
        }

        Vec3<double> first_ = zero3<double>();
        Sym3<double> second_ = {};
        std::vector<LinkMoments<double>> links_;  // of those that have mass
        std::vector<Soft> softs_;
    };
    static Sym3<double> inertia_of(double m, const Vec3<double>& r) {
        return {m * (r.y * r.y + r.z * r.z), -m * r.x * r.y, -m * r.x * r.z,
                m * (r.x * r.x + r.z * r.z), -m * r.y * r.z, m * (r.x * r.x + r.y * r.y)};
    }

    // Rates of the points of a part, and their masses.
    PointMasses sum_points(const Articulation& a, std::size_t s, double step) {
        const SoftPart& soft = a.softs[s];
        const LinkMotion<double>& at = a.link_motion(soft.link);
        const Vec3<double> spin = transposed_times(at.axes, at.motion.angular);
        PointMasses own;
        Points points;
        for (int i = 0; i < soft.size(); ++i) {
            const double mass = soft.layer.material().mass[i];
            const Vec3<double> p = soft.layer.place(i), v = soft.layer.velocities[i];
            own.add(mass, p);
            points.before.add(mass, p, v);
            points.given.add(mass, p, soft.change(i));
            points.summed.add(mass, p, soft.sum(i));
            points.after.add(mass, p, soft.end_velocity(i, step));
            points.turned += cross(p, cross(spin, v)) * mass;
        }
        points_[s] = points;
        return own;
    }
    // At rates of the dofs.
    Wrench<double> momentum(const Articulation& a, const std::vector<double>& rates, Rates Points::*of_points) {
        find_link_motions(a, rates, motions_);
        return masses_.momentum(a, motions_, points_, of_points);
    }

    Masses masses_;
    std::vector<Points> points_;           // of each part
    std::vector<Motion<double>> motions_;  // of the links
    std::vector<double> end_;              // rates of the dofs at the end of the step
    bool follows_ = false;
    Vec3<double> linear_ = zero3<double>(), angular_ = linear_, center_ = linear_;  // at the end of the step; angular: about the center of mass
};

KIDO_END
