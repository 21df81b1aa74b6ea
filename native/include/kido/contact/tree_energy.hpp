#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kido/contact/tree_momentum.hpp"

// The kinetic energy of a tree whose dofs turn farther in a step than it resolves: what velocities alone make of accelerations would add
// to it from step to step without bounds. There it becomes no more than the work of all that acts makes it.

KIDO_BEGIN

class TreeEnergy {
public:
    // Before the end of a step; `changes` of velocities by impulses.
    TreeEnergy(const Articulation& a, const std::vector<double>& changes, double step) {
        if (!is_swift(a, changes, step) || a.any_prescribed() || a.any_fast(changes, step) || a.spins_alone()) return;
        const std::vector<double>& v = a.velocities;
        std::vector<double> end(v.size()), middle(v.size());
        for (std::size_t k = 0; k < v.size(); ++k) {
            end[k] = v[k] + step * a.accelerations[k] + changes[k];
            middle[k] = 0.5 * (v[k] + end[k]);
        }
        // What turning axes and bodies take: their power is none of those that act, and none at all where steps are short.
        double power = 0.0;
        Vec3<double> force = zero3<double>();
        const std::vector<Motion<double>> motions = link_motions(a, middle), ends = link_motions(a, end);
        for (int i = 0; i < a.model().num_links; ++i) {
            if (a.model().links[i].massless) continue;
            const Wrench<double> taken = link_momentum_rate(a, i, a.moments(i));
            power += dot(motions[i], taken);
            force += taken.force;
        }
        most_ = std::max(energy(a, ends, end) + step * power, 0.0);
        mean_ = mean_velocity(a, ends) + force * (step / a.model().total_mass);
    }
    static bool is_swift(const Articulation& a, const std::vector<double>& changes, double step) {
        const double fastest = kSwift / step, *v = a.velocities.data(), *rates = a.accelerations.data(), *change = changes.data();
        int swift = 0;
        for (std::size_t k = 0; k < a.velocities.size(); ++k) {
            swift |= (std::fabs(v[k]) > fastest) | (std::fabs(v[k] + step * rates[k] + change[k]) > fastest);
        }
        // Axes of users' joints, and with them inertia, change with positions as their user wants, in steps of any length.
        return swift && a.model().num_user_links == 0 && a.softs.empty();
    }
    // At its end, after the links were placed: slows the tree down where its energy is more. The center of mass of what moves freely
    // gets the velocity that the momentum has, which steps of this length do not keep either. `constrained`: whether constraints hold
    // links; these stay as they are where all slows down alike.
    void bound(Articulation& a, bool constrained) const {
        if (!std::isfinite(most_)) return;
        const std::vector<Motion<double>> motions = link_motions(a, a.velocities);
        const double reached = energy(a, motions, a.velocities);
        if (!std::isfinite(reached)) return;
        const Model& m = a.model();
        const bool free = !constrained && m.num_links > 0 && m.links[0].kind == JointKind::free && m.links[0].link_end == m.num_links;
        const Vec3<double> mean = free ? mean_velocity(a, motions) : zero3<double>(), wanted = free ? mean_ : zero3<double>();
        const double inner = reached - 0.5 * m.total_mass * dot(mean, mean), whole = 0.5 * m.total_mass * dot(wanted, wanted);
        const bool gains = inner + whole > most_ * (1.0 + kSlack);
        if (!gains && !free) return;
        const double scale = gains ? std::min(std::sqrt(std::max(most_ - whole, 0.0) / std::max(inner, 1e-300)), 1.0) : 1.0;
        for (double& v : a.velocities) v *= scale;
        if (free) {
            const int k = m.links[0].dof + 3;
            write3(&a.velocities[k], vec3(&a.velocities[k]) + transposed_times(a.axes(0), wanted - mean * scale));
        }
        a.place();
    }

private:
    static constexpr double kSwift = 0.1;   // [rad] or [m] of a dof in a step
    static constexpr double kSlack = 1e-5;  // share of the energy

    static double energy(const Articulation& a, const std::vector<Motion<double>>& motions, const std::vector<double>& rates) {
        double twice = 0.0;
        for (int i = 0; i < a.model().num_links; ++i) {
            if (!a.model().links[i].massless) twice += dot(motions[i], link_momentum(a, i, motions[i]));
        }
        for (std::size_t k = 0; k < rates.size() && a.model().armature; ++k) twice += a.model().armature[k] * rates[k] * rates[k];
        return 0.5 * twice;
    }
    static Vec3<double> mean_velocity(const Articulation& a, const std::vector<Motion<double>>& motions) {
        Vec3<double> sum = zero3<double>();
        for (int i = 0; i < a.model().num_links; ++i) {
            if (!a.model().links[i].massless) sum += link_momentum(a, i, motions[i]).force;
        }
        return sum * (1.0 / a.model().total_mass);
    }

    double most_ = HUGE_VAL;  // [J]
    Vec3<double> mean_ = zero3<double>();  // velocity of the center of mass that impulses make [m/s]
};

KIDO_END
