#pragma once

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/soft_momentum.hpp"

// The energy of a skeleton in a step in which points around its links are stopped. Velocities at its end are those of springs that are
// implicit in the whole step, while links and points have gone where its sub-steps led them: springs and gravity may have gained more than
// motion and contacts have lost. Then points stay back, as little as makes up for it; what is gained wherever they are, they lose as
// motion beside each other, and what they have too little of for that, all of the skeleton does where nothing else hears of its momentum.

KIDO_BEGIN

class SoftLanding {
public:
    // After `spread`; changes of the dofs' velocities by impulses, and sums of these over the sub-steps. Returns what is gained all the same.
    double limit_energy(Articulation& a, const ArticulationResponse& response, const std::vector<double>& changes, const std::vector<double>& sums,
                      const StepReach<double>& reach) {
        const double step = reach.step;
        const auto jumps = [&](const SoftPart& soft) { return soft.jumps(step); };
        if (std::none_of(a.softs.begin(), a.softs.end(), jumps)) return 0.0;
        beyond_.resize(changes.size());
        for (std::size_t k = 0; k < changes.size(); ++k) {
            const double v = a.velocities[k], acceleration = a.accelerations[k];
            beyond_[k] = (v * reach.substeps + acceleration * reach.weight + sums[k]) * reach.substep() -
                         (v + 0.5 * (acceleration * step + changes[k])) * step;
        }
        find_link_motions(a, beyond_, moved_);
        StepEnergy energy = find_energy(a, response, reach);
        double share = energy.least_share();
        if (energy.gained(share) > 0.0 && press_again(a, reach)) {
            energy = find_energy(a, response, reach);
            share = energy.least_share();
        }
        for (SoftPart& soft : a.softs) soft.stay_back(share);
        return slow_down(a, energy.gained(share) - (1.0 - kOfTaken) * std::max(response.taken_energy(a, step), 0.0), step);
    }
    // Takes energy from all motion of a skeleton, and where that is not enough and nothing else could have given it, has it stay back on its
    // way: springs and gravity grow no more than by the share of the way that it goes, and not at all where it stays.
    void brake(Articulation& a, std::vector<double>& changes, std::vector<double>& sums, double gained, const StepReach<double>& reach) {
        const double step = reach.step;
        std::vector<double>& end = beyond_;
        end.resize(changes.size());
        for (std::size_t k = 0; k < changes.size(); ++k) {
            end[k] = a.velocities[k] + step * a.accelerations[k] + changes[k];
            if (end[k] != 0.0 && a.is_prescribed(static_cast<int>(k))) return;
        }
        const double energy = kinetic_energy(a, end, [&](const SoftPart& soft, const auto& at, const auto& link) { return soft.end_energy(at, link, step); });
        const double share = energy > 0.0 ? 1.0 - std::sqrt(std::max(1.0 - gained / energy, 0.0)) : 0.0;
        for (std::size_t k = 0; k < changes.size(); ++k) changes[k] -= share * end[k];
        for (SoftPart& soft : a.softs) soft.brake(share, step);
        if (!(gained > energy) || is_driven(a)) return;
        const double began = kinetic_energy(a, a.velocities, [](const SoftPart& soft, const auto& at, const auto& link) { return soft.start_energy(at, link); });
        const double gone = began / (began + gained - energy);
        for (std::size_t k = 0; k < sums.size(); ++k) {
            sums[k] = gone * sums[k] - (1.0 - gone) * (a.velocities[k] * reach.substeps + a.accelerations[k] * reach.weight);
        }
        for (SoftPart& soft : a.softs) soft.go(gone, reach);
    }

    static constexpr double kOfTaken = 0.75;  // of what contacts have taken, what springs may keep of it

private:
    StepEnergy find_energy(Articulation& a, const ArticulationResponse& response, const StepReach<double>& reach) const {
        StepEnergy energy;
        energy.over = lifted(a);
        for (SoftPart& soft : a.softs) {
            energy.add(soft.find_lags(a.link_motion(soft.link), moved_[soft.link], !SoftMomentum::follows(a), reach));
        }
        const double taken = response.taken_energy(a, reach.step);
        energy.over -= taken > 0.0 ? kOfTaken * taken : taken;
        return energy;
    }
    // Takes energy from the motion of points beside each other, which keeps their momentum; where that is not enough, from the spin of what is
    // held together by edges alone: these have pulled across themselves, and so turned it.
    static double slow_down(Articulation& a, double gained, double step) {
        if (!(gained > 0.0) || !std::isfinite(gained)) return 0.0;
        double loose = 0.0, spin = 0.0;
        for (SoftPart& soft : a.softs) {
            const auto [beside, turning] = soft.find_loose_motion(step);
            loose += beside;
            spin += turning;
        }
        const double left = loose > 0.0 ? std::sqrt(std::max(1.0 - gained / loose, 0.0)) : 1.0;
        const double turns = spin > 0.0 && gained > loose ? std::sqrt(std::max(1.0 - (gained - loose) / spin, 0.0)) : 1.0;
        for (SoftPart& soft : a.softs) soft.slow_down(1.0 - left, 1.0 - turns);
        return std::max(gained - loose - spin, 0.0);
    }
    // Whether anything but gravity, springs of its soft bodies and what touches it acts on a skeleton.
    static bool is_driven(const Articulation& a) {
        if (a.is_driven() || std::any_of(a.stiffness.begin(), a.stiffness.end(), [](double k) { return k != 0.0; })) return true;
        const auto is_nonzero = [](const Vec3<double>& f) { return f.x != 0.0 || f.y != 0.0 || f.z != 0.0; };
        return std::any_of(a.softs.begin(), a.softs.end(), [&](const SoftPart& soft) {
            return soft.is_pinned() || std::any_of(soft.layer.forces.begin(), soft.layer.forces.end(), is_nonzero);
        });
    }
    // Where dofs have these rates; f(soft, motion of its link at the beginning, and by the rates): of points.
    template <class F>
    double kinetic_energy(Articulation& a, const std::vector<double>& rates, const F& f) {
        find_link_motions(a, rates, moved_);
        double twice = 0.0;
        for (int i = 0; i < a.model().num_links; ++i) {
            if (!a.model().links[i].massless) twice += dot(moved_[i], link_momentum(a, i, moved_[i]));
        }
        for (std::size_t k = 0; k < rates.size() && a.model().armature; ++k) twice += a.model().armature[k] * rates[k] * rates[k];
        for (const SoftPart& soft : a.softs) twice += 2.0 * f(soft, a.link_motion(soft.link), moved_[soft.link]);
        return 0.5 * twice;
    }
    // Whether any part has gas.
    static bool press_again(Articulation& a, const StepReach<double>& reach) {
        bool any = false;
        for (SoftPart& soft : a.softs) {
            if (!soft.layer.has_gas()) continue;
            soft.press_again(reach);
            any = true;
        }
        return any;
    }
    // By how much gravity's energy of the links grows beyond its work in the mean of velocities before and after the step [J].
    double lifted(const Articulation& a) const {
        const Model& m = a.model();
        double sum = 0.0;
        for (int i = 0; i < m.num_links; ++i) {
            const LinkMotion<double>& at = a.link_motion(i);
            const double weight = m.weights ? m.weights[i].mass : m.links[i].mass;
            const Vec3<double> moment = at.axes * vec3(m.weights ? m.weights[i].h : m.links[i].h) + at.arm * weight;
            sum -= dot(a.gravity(), moved_[i].linear * weight + cross(moved_[i].angular, moment));
        }
        return sum;
    }

    std::vector<double> beyond_;          // by how much dofs move beyond the mean of their velocities
    std::vector<Motion<double>> moved_;   // the same of links
};

KIDO_END
