#pragma once

#include "kido/contact/held_servos.hpp"
#include "kido/contact/joint_couplings.hpp"
#include "kido/contact/joint_limits.hpp"
#include "kido/contact/joint_motors.hpp"
#include "kido/contact/smooth_motion.hpp"
#include "kido/contact/soft_landing.hpp"
#include "kido/contact/soft_momentum.hpp"

// A skeleton in the world and what constrains it.

KIDO_BEGIN

struct WorldTree {
    Articulation articulation;
    JointLimits limits;
    JointMotors motors;
    HeldServos servos;
    JointCouplings couplings;
    SoftMomentum momentum;              // in the present step
    SoftLanding landing;                // likewise
    std::vector<double> changes, sums;  // of velocities, by impulses: at the end, and summed over the sub-steps
    std::vector<double> before;         // accelerations before the step
    std::vector<double> start_positions, start_velocities;  // of a smooth motion
    std::vector<double> given_positions, given_velocities;  // of a motion that is given
    bool constrained = false;           // whether a constraint between bodies holds one of its links
    bool follows_end = false;           // whether positions follow velocities at the end of the step, see ConstrainedMotion
    std::vector<double> relaxed;        // impulses at the ends of the sub-steps but the last
    std::vector<double> asleep_under;   // what acted on it when it fell asleep
    bool moved = false;                 // whether this step's motion was smooth

    WorldTree(const Model& model, int first_row)
        : articulation(model, first_row), limits(model), motors(model.num_dofs), servos(model.num_dofs), changes(model.num_dofs),
          sums(model.num_dofs) {}

    // What the impulses of all sub-steps make of the dofs' velocities; false where some dofs are beyond their limits. touches_fixed():
    // whether all that touches the skeleton stands still.
    template <class F>
    bool spread(ArticulationResponse& response, double step, int substeps, const F& touches_fixed) {
        response.spread(articulation, changes.data(), sums.data());
        if (!articulation.softs.empty() && response.size() > 0) {
            const double weight = StepReach<double>::weight_of(step, substeps, follows_substeps(response));
            const StepReach<double> reach = {step, substeps, weight, zero3<double>()};
            const double gained = landing.limit_energy(articulation, response, changes, sums, reach);
            if (gained > 0.0 && touches_fixed()) landing.brake(articulation, changes, sums, gained, reach);
        }
        const bool held = servos.check(articulation, response, step);
        return limits.check(articulation, changes.data(), sums.data(), step, substeps) && held;
    }
    // Whether neither limits nor motors nor couplings have rows in this step.
    bool has_no_rows() { return limits.rows().empty() && limits.speed_rows().empty() && motors.empty() && couplings.rows().empty(); }
    // The end of a step; `fall` as Articulation::advance takes it.
    void advance(ArticulationResponse& response, double step, int substeps, const Vec3<double>& fall) {
        keep();
        articulation.advance(changes.data(), sums.data(), step, substeps, follows_substeps(response), fall);
    }
    // What the next step begins with.
    void keep() {
        limits.keep();
        motors.keep();
        servos.keep(articulation, motors);
    }
    // Whether positions follow the velocities of all sub-steps.
    bool follows_substeps(const ArticulationResponse& response) const { return response.size() > 0 && !follows_end; }
    // The end of a step in which nothing touches the tree; false where numbers are not finite, or an inertia not positive.
    bool move_smoothly(SmoothMotion& motion, const WorldSettings& settings) {
        start_positions = articulation.positions;
        start_velocities = articulation.velocities;
        moved = true;
        bool good = motion.step(settings.integrator, articulation, settings.gravity, settings.step);
        for (const auto* numbers : {&articulation.positions, &articulation.velocities, &articulation.accelerations}) {
            for (const double x : *numbers) good &= std::isfinite(x);
        }
        return good;
    }
    // Its motion where nothing touches it, as it was given.
    void take_motion(const std::vector<double>& q, const std::vector<double>& v) {
        start_positions = articulation.positions;
        start_velocities = articulation.velocities;
        articulation.positions = q;
        articulation.velocities = v;
        moved = true;
    }
    void archive(StateArchive& archive) {
        for (auto* numbers : {&articulation.positions, &articulation.velocities, &articulation.accelerations, &articulation.users}) {
            archive.same_length(*numbers);
        }
        // What acted in the last step, for those who ask.
        for (auto* numbers : {&articulation.commands, &articulation.friction, &articulation.stiffness, &articulation.rest,
                              &articulation.damping, &articulation.wrenches}) {
            archive.same_length(*numbers);
        }
        archive.same_length(articulation.drives);
        for (SoftPart& soft : articulation.softs) {
            for (auto* numbers : {&soft.layer.displacements, &soft.layer.velocities, &soft.layer.accelerations, &soft.layer.forces,
                                  &soft.layer.yielded, &soft.targets, &soft.target_velocities, &soft.pin_forces,
                                  &soft.began_displacements, &soft.began_velocities, &soft.began_yielded}) {
                archive.same_length(*numbers);
            }
            archive(soft.was_pinned);
        }
        archive(moved);
        limits.archive(archive);
        motors.archive(archive);
        servos.archive(archive);
        archive.same_length(articulation.held);
        couplings.archive(archive);
        archive(asleep_under);
    }
    // Whether its motion is given by commands, or by functions: it is not at rest though it may be slow.
    bool is_led() const {
        const Articulation& a = articulation;
        if (!a.users.empty()) return true;
        for (int k = 0; k < a.model().num_dofs; ++k) {
            if (a.drives[k] != Drive::force && a.commands[k] != 0.0 && !couplings.drives(k)) return true;
        }
        return false;
    }
    // All that acts on it from outside; what motors that follow others are told, they are told anew in each step.
    std::vector<double> loads() const {
        const Articulation& a = articulation;
        std::vector<double> all;
        for (const auto* numbers : {&a.commands, &a.effort, &a.friction, &a.stiffness, &a.rest, &a.damping, &a.lower, &a.upper, &a.slowest,
                                    &a.fastest, &a.least_effort, &a.least_speed, &a.most_speed, &a.wrenches}) {
            all.insert(all.end(), numbers->begin(), numbers->end());
        }
        for (const ConstraintSoftness& s : a.limit_softness) {
            all.insert(all.end(), {s.stiffness, s.damping, s.frequency, s.damping_ratio});
        }
        for (const Drive d : a.drives) all.push_back(static_cast<double>(d));
        const std::size_t n = a.drives.size();
        for (std::size_t k = 0; k < n; ++k) {
            if (couplings.drives(static_cast<int>(k))) all[k] = all[all.size() - n + k] = 0.0;
        }
        return all;
    }
    void fall_asleep() { asleep_under = loads(); }
    bool sleeps_under_same() const { return asleep_under == loads(); }
    void go_back() {
        articulation.positions = start_positions;
        articulation.velocities = start_velocities;
        articulation.place();
        moved = false;
    }
};

KIDO_END
