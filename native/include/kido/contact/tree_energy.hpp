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
        if (!is_swift(a, changes, step) || a.any_prescribed() || a.any_fast(changes, step)) return;
        const std::vector<double>& v = a.velocities;
        std::vector<double> end(v.size()), middle(v.size());
        for (std::size_t k = 0; k < v.size(); ++k) {
            end[k] = v[k] + step * a.accelerations[k] + changes[k];
            middle[k] = 0.5 * (v[k] + end[k]);
        }
        // What turning axes and bodies take: their power is none of those that act, and none at all where steps are short.
        double power = 0.0;
        const std::vector<Motion<double>> motions = link_motions(a, middle);
        for (int i = 0; i < a.model().num_links; ++i) {
            if (!a.model().links[i].massless) power += dot(motions[i], link_momentum_rate(a, i));
        }
        most_ = std::max(energy(a, link_motions(a, end), end) + step * power, 0.0);
    }
    static bool is_swift(const Articulation& a, const std::vector<double>& changes, double step) {
        double most = 0.0;
        for (std::size_t k = 0; k < a.velocities.size(); ++k) {
            const double end = a.velocities[k] + step * a.accelerations[k] + changes[k];
            most = std::max({most, std::fabs(a.velocities[k]), std::fabs(end)});
        }
        // Axes of users' joints, and with them inertia, change with positions as their user wants, in steps of any length.
        return most * step > kSwift && a.model().num_user_links == 0 && a.softs.empty();
    }
    // At its end, after the links were placed: slows the tree down where its energy is more. The center of mass of what moves freely
    // keeps its velocity.
    void bound(Articulation& a) const {
        if (!std::isfinite(most_)) return;
        std::vector<Motion<double>> motions = link_motions(a, a.velocities);
        const double reached = energy(a, motions, a.velocities);
        if (!(reached > most_ * (1.0 + kSlack)) || !std::isfinite(reached)) return;
        const Model& m = a.model();
        const bool free = m.num_links > 0 && m.links[0].kind == JointKind::free && m.links[0].link_end == m.num_links;
        const Vec3<double> mean = free ? mean_velocity(a, motions) : zero3<double>();
        const double whole = 0.5 * m.total_mass * dot(mean, mean);
        const double scale = std::sqrt(std::max(most_ - whole, 0.0) / std::max(reached - whole, 1e-300));
        if (!(scale < 1.0)) return;
        for (double& v : a.velocities) v *= scale;
        if (free) {
            const int k = m.links[0].dof + 3;
            write3(&a.velocities[k], vec3(&a.velocities[k]) + transposed_times(a.axes(0), mean) * (1.0 - scale));
        }
        a.place();
    }

private:
    static constexpr double kSwift = 0.5;   // [rad] or [m] of a dof in a step
    static constexpr double kSlack = 1e-3;  // share of the energy

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
};

KIDO_END
