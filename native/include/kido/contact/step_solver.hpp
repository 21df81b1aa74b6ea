#pragma once

#include <atomic>
#include <cmath>

#include "kido/contact/step_scopes.hpp"
#include "kido/contact/step_sweeps.hpp"
#include "kido/contact/world_stages.hpp"

// The impulses of a step, in sub-steps of sweeps.

KIDO_BEGIN

template <class T>
class StepSolver {
public:
    explicit StepSolver(WorldState<T>& world) : world_(world), sweeps_(world), scopes_(world) {}

    // Impulses, and with them velocities and displacements.
    void solve(const WorldSettings& settings) {
        solve_once(settings);
        // Dofs that come to a limit unexpectedly have rows when the step is solved again; that may bring others to theirs. So have
        // servos that would need too much force.
        for (int k = 0; !spread(settings.step) && k < kLimitTries; ++k) {
            world_.take_unsolved();
            world_.accelerate_released(settings.gravity, settings.step);
            WorldStages<T>::prepare(world_, settings);
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
        if (!world_.trees.empty()) world_.keep_unsolved();
        if (world_.recording) begin_record(settings);
        world_.for_body_rows([&](std::size_t begin, std::size_t end) {
            std::fill_n(&world_.displacements[begin], end - begin, MotionRow{});
        });
        WorldStages<T>::collide(world_, settings, world_.substep);
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
        world_.loops.finish(world_.constraints, world_.responses, world_.substeps);
        world_.for_each_tree([&](std::size_t i) {
            const auto fixed = [&] { return world_.touches_fixed(i); };
            if (!world_.trees[i].spread(world_.responses[i], step, world_.substeps, fixed)) good = false;
        });
        return good;
    }

private:
    static constexpr int kImpactSweeps = 4, kSlipSweeps = 8, kLimitTries = 5;
    static constexpr double kFast = 0.3;        // velocity of a joint that has its skeleton's limits settled in any case [m/s or rad/s]
    static constexpr double kImpactGive = 0.2;  // share by which contacts give way in impacts of what they give way at rest

    // Without impulses.
    void fly(const WorldSettings& settings) {
        const double h = world_.substep_length(settings);
        begin_solve(settings);
        for (int s = 0; s < world_.substeps; ++s) {
            sweeps_.start_substep();
            sweeps_.displace(h);
            if (world_.recording) record_substep(s + 1 == world_.substeps);
        }
    }
    void solve_once(const WorldSettings& settings) {
        if (world_.is_free()) return fly(settings);
        const double h = world_.substep_length(settings);
        scopes_.find_impacts(settings);
        scopes_.find_shivering();
        begin_solve(settings);
        world_.constrained.begin(world_.bodies, world_.trees, world_.constraints, world_.linear_rows, world_.substeps);
        SweepSettings sweeps = {Softness::of(settings.contact_frequency, settings.contact_damping, h), {}, 1.0 / h,
                                settings.push_speed, 0.0};
        sweeps.softness.bias *= world_.pushing;
        sweeps.of_points = sweeps.softness;
        for (int s = 0; s < world_.substeps; ++s) {
            sweeps.closing = 1.0 / (h * (world_.substeps - s));
            substep(settings, sweeps, h, s == 0);
            world_.constrained.add(world_.velocities.data(), world_.trees, world_.responses, world_.substeps, s + 1 == world_.substeps);
            if (world_.recording) record_substep(s + 1 == world_.substeps);
        }
        WorldStages<T>::land(world_, h);
        if (world_.overlaps.empty()) return;
        const double kept = std::pow(1.0 - sweeps.softness.bias * h, world_.substeps);
        WorldStages<T>::push_out(world_, settings.step, settings.push_speed, 1.0 - kept);
    }
    void substep(const WorldSettings& settings, const SweepSettings& sweeps, double h, bool first) {
        const SideRows rows = world_.side_rows();
        SweptIslands<T>& islands = world_.swept_islands;
        const SweepGaps gaps = first ? SweepGaps::prepared : settings.relaxing_sweeps > 0 ? SweepGaps::kept : SweepGaps::moved;
        const SweepGaps again = first ? SweepGaps::prepared : SweepGaps::kept;
        sweeps_.start_substep();
        sweeps_.warm_start_all();
        world_.loops.template project<false>(rows, sweeps, world_.constraints);
        for (int k = 0; k < settings.sweeps; ++k) sweeps_.template sweep_all<false>(sweeps, rows, k == 0 ? gaps : again);
        sweep_hit(settings, sweeps, rows, again);
        for (int k = 0; k < kSlipSweeps && scopes_.find_slipping(); ++k) {
            sweeps_.template sweep_islands<false>(sweeps, rows, again, islands.slipping);
        }
        // Limits last: no impulse displaces a position beyond its own.
        settle_limits(sweeps);
        WorldStages<T>::template solve_direct<false>(world_, sweeps);
        sweeps_.displace(h);
        world_.loops.move();
        world_.loops.template project<true>(rows, sweeps, world_.constraints);
        for (int k = 0; k < settings.relaxing_sweeps; ++k) {
            sweeps_.template sweep_all<true>(sweeps, rows, k == 0 ? SweepGaps::moved : SweepGaps::kept);
        }
        sweeps_.template sweep_islands<true>(sweeps, rows, settings.relaxing_sweeps > 0 ? SweepGaps::kept : SweepGaps::moved, islands.shivering);
        WorldStages<T>::template solve_direct<true>(world_, sweeps);
        // Motors and limits of velocities last: they are held exactly at the end of the step.
        for (const int i : world_.awake_trees) {
            world_.trees[i].motors.sweep(world_.responses[i]);
            world_.trees[i].limits.settle_speeds(world_.responses[i]);
            world_.exchange(i);
        }
    }
    // More sweeps where something hits something else. What gives way does so in proportion to its impulse, which in an impact is far beyond
    // that at rest: contacts of skeletons, which impacts go through link by link, are stiffer.
    void sweep_hit(const WorldSettings& settings, const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps) {
        SweptIslands<T>& islands = world_.swept_islands;
        const auto any = [](const SweepScope<T>& scope) { return scope.extent() != SweepExtent::none; };
        const auto in = [&](const SweepScope<T>& scope) { return [&islands, set = &scope](int row) { return set->contains(islands.of(row)); }; };
        if (!any(islands.hits)) return;
        SweepSettings stiff = sweeps;
        stiff.softness = sweeps.softness.stiffened(kImpactGive);
        islands.hits.take_impulses(world_.pairs.colors());
        for (int k = settings.sweeps; k < kImpactSweeps * settings.sweeps; ++k) {
            if (any(islands.impacts)) sweeps_.template sweep_serial<false>(stiff, rows, gaps, in(islands.impacts));
            if (any(islands.arrivals)) sweeps_.template sweep_serial<false>(sweeps, rows, gaps, in(islands.arrivals));
            sweeps_.template sweep_lanes<false>(sweeps, gaps, islands.hits);
        }
        islands.hits.give_impulses(world_.pairs.colors());
    }
    // Of trees that something hits, or that move fast: an impact goes through their limits for steps.
    void settle_limits(const SweepSettings& sweeps) {
        if (world_.awake_trees.empty()) return;
        const SweptIslands<T>& islands = world_.swept_islands;
        world_.for_each_tree([&](std::size_t i) {
            WorldTree& tree = world_.trees[i];
            if (tree.limits.rows().empty()) return;
            const int row = tree.articulation.first_row();
            if (!islands.hits.visits(row) && (scopes_.is_held(i) || !tree.articulation.any_faster_than(kFast))) return;
            tree.limits.settle(sweeps, world_.responses[i]);
        });
        for (const int i : world_.awake_trees) world_.exchange(i);
    }
    void begin_record(const WorldSettings& settings) {
        world_.record.begin(settings, world_.substeps, world_.trees, world_.awake_trees);
        world_.pairs.for_all_stores([](auto& store) { store.begin_sums(); });
    }

    WorldState<T>& world_;
    StepSweeps<T> sweeps_;
    StepScopes<T> scopes_;
};

KIDO_END
