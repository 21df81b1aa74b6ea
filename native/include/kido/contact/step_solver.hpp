#pragma once

#include <atomic>
#include <cmath>

#include "kido/contact/step_impacts.hpp"
#include "kido/contact/step_overlaps.hpp"
#include "kido/contact/step_preparation.hpp"
#include "kido/contact/step_sweeps.hpp"

// The impulses of a step, in sub-steps of sweeps.

KIDO_BEGIN

template <class T>
class StepSolver {
public:
    explicit StepSolver(WorldState<T>& world) : world_(world), sweeps_(world), impacts_(world), preparation_(world) {}

    // Impulses, and with them velocities and displacements.
    void solve(const WorldSettings& settings) {
        solve_once(settings);
        // Dofs that come to a limit unexpectedly have rows when the step is solved again; that may bring others to theirs. So have
        // servos that would need too much force.
        for (int k = 0; !spread(settings.step) && k < kLimitTries; ++k) {
            world_.velocities = world_.unsolved;
            world_.accelerate_released(settings.gravity, settings.step);
            preparation_.prepare(settings);
            solve_once(settings);
        }
        const SideRows rows = world_.side_rows();
        world_.for_each_constraint([&](BodyConstraintRows& c) { c.predict(rows); });
        world_.for_each_linear([&](LinearRows& c) { c.predict(rows, settings.step); });
        world_.constrained.displace(world_.velocities.data(), world_.displacements.data(), world_.substeps, world_.substep);
    }
    // Before the impulses of a step: those of impacts.
    void begin_solve(const WorldSettings& settings) {
        world_.substep = world_.substep_length(settings);
        world_.solved = true;
        if (!world_.trees.empty()) world_.unsolved = world_.velocities;
        if (world_.recording) begin_record(settings);
        std::fill(world_.displacements.begin(), world_.displacements.end(), MotionRow{});
        impacts_.collide(settings, world_.substep);
    }
    // Adds the impulses of a sub-step; those of contacts in the last one are in their manifolds.
    void record_substep(bool last) {
        for (const int i : world_.awake_trees) world_.record.trees[i].add(world_.trees[i], world_.responses[i]);
        if (last) return;
        world_.pairs.for_all_stores([](auto& store) { store.sum_impulses(); });
    }
    // What the impulses make of the dofs' velocities; false where some dofs are beyond their limits.
    bool spread(double step) {
        std::atomic<bool> good = true;
        world_.for_each_tree([&](std::size_t i) {
            if (!world_.trees[i].spread(world_.responses[i], step, world_.substeps)) good = false;
        });
        return good;
    }

private:
    static constexpr double kShiver = 0.3, kRest = 1e-5;  // speeds of what shivers, and of what rests [m/s and rad/s]
    static constexpr int kImpactSweeps = 4, kSlipSweeps = 8, kLimitTries = 5;
    static constexpr double kFast = 0.5;         // approach to a limit that asks for more sweeps [m/s or rad/s]

    void solve_once(const WorldSettings& settings) {
        const double h = world_.substep_length(settings);
        const int count = any_impact(settings) ? kImpactSweeps * settings.sweeps : settings.sweeps;
        const int relaxing = settings.relaxing_sweeps + (shivers() ? 1 : 0);
        begin_solve(settings);
        world_.constrained.begin(world_.bodies, world_.trees, world_.constraints, world_.linear_rows, world_.substeps);
        SweepSettings sweeps = {Softness::of(settings.contact_frequency, settings.contact_damping, h), 1.0 / h,
                                settings.push_speed, 0.0};
        sweeps.softness.bias *= world_.pushing;
        for (int s = 0; s < world_.substeps; ++s) {
            sweeps.closing = 1.0 / (h * (world_.substeps - s));
            substep(settings, sweeps, h, count, relaxing, s == 0 ? SweepGaps::prepared : relaxing > 0 ? SweepGaps::kept : SweepGaps::moved);
            world_.constrained.add(world_.velocities.data(), world_.trees, world_.responses, world_.substeps, s + 1 == world_.substeps);
            if (world_.recording) record_substep(s + 1 == world_.substeps);
        }
        impacts_.land(h);
        if (world_.overlaps.empty()) return;
        const double kept = std::pow(1.0 - sweeps.softness.bias * h, world_.substeps);
        StepOverlaps<T>(world_).push_out(settings.step, settings.push_speed, 1.0 - kept);
    }
    void substep(const WorldSettings& settings, const SweepSettings& sweeps, double h, int count, int relaxing, SweepGaps gaps) {
        const SideRows rows = world_.side_rows();
        const SweepGaps again = gaps == SweepGaps::prepared ? gaps : SweepGaps::kept;
        sweeps_.start_substep();
        sweeps_.warm_start_all();
        for (int k = 0; k < count; ++k) sweeps_.template sweep_all<false>(sweeps, rows, k == 0 ? gaps : again);
        // Where what was visited after the motors has made one slip, nothing has come to terms yet.
        for (int k = 0; k < kSlipSweeps && any_slip(); ++k) sweeps_.template sweep_all<false>(sweeps, rows, again);
        // Limits last: no impact displaces a position beyond its own.
        if (count > settings.sweeps) {
            world_.for_each_tree([&](std::size_t i) { world_.trees[i].limits.settle(sweeps, world_.responses[i]); });
        }
        world_.direct.template solve<false>(rows, sweeps, SharedLoop(world_.crew));
        sweeps_.displace(h);
        for (int k = 0; k < relaxing; ++k) {
            sweeps_.template sweep_all<true>(sweeps, rows, k == 0 ? SweepGaps::moved : SweepGaps::kept);
        }
        world_.direct.template solve<true>(rows, sweeps, SharedLoop(world_.crew));
        // Motors and limits of velocities last: they are held exactly at the end of the step.
        for (const int i : world_.awake_trees) {
            world_.trees[i].motors.sweep(world_.responses[i]);
            world_.trees[i].limits.settle_speeds(world_.responses[i]);
        }
    }
    // Whether all free bodies in contact are slow, but some do not rest. The linear iteration of walls of bricks grows slowly, as friction
    // lags behind soft normals; one more relaxing sweep makes it shrink.
    bool shivers() const {
        bool any = false;
        for (std::size_t i = 1; i < world_.bodies.size(); ++i) {
            if (world_.bodies[i].kind != BodyKind::free || world_.bodies[i].touches == 0) continue;
            const double* v = world_.velocities[i].v;
            const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
            if (square > kShiver * kShiver) return false;
            any |= square > kRest * kRest;
        }
        return any;
    }
    // Whether something hits something else, or comes fast to a limit: it has no impulses to begin with.
    bool any_impact(const WorldSettings& settings) const {
        if (world_.pairs.impacts() > 0) return true;
        for (const int i : world_.awake_trees) {
            if (world_.trees[i].limits.any_impact(world_.responses[i], settings.step, kFast)) return true;
        }
        return false;
    }
    bool any_slip() const {
        for (const int i : world_.awake_trees) {
            if (!world_.direct.has_tree(i) && world_.trees[i].motors.slips(world_.responses[i])) return true;
        }
        return false;
    }
    void begin_record(const WorldSettings& settings) {
        world_.record.begin(settings, world_.substeps, world_.trees, world_.awake_trees);
        world_.pairs.for_all_stores([](auto& store) { store.begin_sums(); });
    }

    WorldState<T>& world_;
    StepSweeps<T> sweeps_;
    StepImpacts<T> impacts_;
    StepPreparation<T> preparation_;
};

KIDO_END
