#pragma once

#include "kido/contact/contact_report.hpp"
#include "kido/contact/step_rows.hpp"
#include "kido/contact/step_solver.hpp"

// A step whose impulses somebody else solves for: its rows and their matrix, and what the impulses make of it.

KIDO_BEGIN

template <class T>
class MatrixStep {
public:
    explicit MatrixStep(WorldState<T>& world)
        : world_(world), solver_(world), sweeps_(world) {}

    const std::vector<SystemRow>& rows(const WorldSettings& settings, const Correction& correction, int& islands) {
        give_all_rows(settings);
        solver_.begin_solve(settings);
        world_.system.correction = correction;
        world_.system.sides.emplace(world_.side_rows());
        StepRows& rows = world_.system.rows.emplace(*world_.system.sides);
        const SweepSettings pushing = {{}, {}, correction.per_step, correction.push_speed, correction.per_step};
        world_.coupled.push_errors(*world_.system.sides, pushing, world_.constraints, world_.linear_rows);
        for (const int i : world_.awake_trees) {
            world_.trees[i].motors.add_rows(rows, i);
            world_.trees[i].couplings.add_rows(rows, i, correction);
            world_.trees[i].limits.add_rows(rows, i, correction);
        }
        for (std::size_t i = 0; i < world_.constraints.size(); ++i) {
            if (!world_.constraints[i].asleep) world_.constraints[i].add_rows(rows, static_cast<int>(i), correction);
        }
        for (std::size_t i = 0; i < world_.linear_rows.size(); ++i) {
            if (!world_.linear_rows[i].asleep) world_.linear_rows[i].add_rows(rows, static_cast<int>(i), correction);
        }
        for_each_point_set([&](const ContactSides& sides, const auto& m, int count, const SystemRow& kind) {
            add_rows(rows, sides, m, count, kind, correction);
        });
        rows.leave_unmoved();
        rows.find_islands();
        islands = rows.islands();
        return rows.rows();
    }
    bool give_impulses(const WorldSettings& settings, const double* correcting, const double* keeping, bool last) {
        const double h = world_.substep_length(settings);
        sweeps_.start_substep();
        const std::vector<MotionRow> free = world_.velocities;
        std::vector<std::array<AlignedNumbers, 3>> free_motion;
        for (const ArticulationResponse& response : world_.responses) free_motion.push_back(response.motion_state());
        take_impulses(correcting);
        sweeps_.warm_start_all();
        sweeps_.displace(h);
        world_.velocities = free;
        for (std::size_t i = 0; i < world_.responses.size(); ++i) world_.responses[i].set_motion_state(free_motion[i]);
        take_impulses(keeping);
        sweeps_.warm_start_all();
        if (world_.recording) solver_.record_substep(true);
        WorldStages<T>::land(world_, h);
        WorldStages<T>::push_out(world_, settings.step, world_.system.correction.push_speed, world_.system.correction.share);
        if (!solver_.spread(settings.step) && !last) {
            world_.take_unsolved();
            WorldStages<T>::prepare(world_, settings);
            return false;
        }
        const SideRows rows = world_.side_rows();
        world_.for_each_constraint([&](BodyConstraintRows& c) { c.predict(rows); });
        world_.for_each_linear([&](LinearRows& c) { c.predict(rows, settings.step); });
        return true;
    }

private:
    // Whoever solves is told of all servos, and of all loops.
    void give_all_rows(const WorldSettings& settings) {
        bool any = !world_.loops.empty();
        for (const int i : world_.awake_trees) {
            WorldTree& tree = world_.trees[i];
            if (!tree.servos.any()) continue;
            tree.servos.release(tree.articulation);
            any = true;
        }
        world_.loops.leave_out(true);
        if (!any) return;
        world_.accelerate_released(settings.gravity, settings.step);
        world_.solved = true;  // manifolds are where they are solved
        WorldStages<T>::prepare(world_, settings);
    }
    // Manifolds in the order of `take_impulses`, each with its sides and number of points.
    template <class F>
    void for_each_point_set(F f) {
        const auto visit = [&](auto& store, const auto& sides_of) {
            for (int slot = 0; slot < store.size(); ++slot) {
                const Touch& touch = world_.pairs.touches()[store.owner(slot)];
                const ContactPair& pair = world_.pairs.pairs()[touch.pair];
                const auto m = block_lane(store.block_of(slot), store.lane_of(slot));
                f(sides_of(slot, m), m, touch.count,
                  SystemRow{SystemRowKind::contact, pair.first, pair.second, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0});
            }
        };
        visit(world_.pairs.serial().full, [&](int slot, const auto&) { return world_.sides.full[slot]; });
        visit(world_.pairs.serial().single, [&](int slot, const auto&) { return world_.sides.single[slot]; });
        visit(world_.pairs.surfaced(), [&](int slot, const auto&) { return world_.sides.surfaced[slot]; });
        visit(world_.pairs.direct().full, [&](int slot, const auto&) { return world_.direct.full[slot]; });
        visit(world_.pairs.direct().single, [&](int slot, const auto&) { return world_.direct.single[slot]; });
        world_.for_each_store([&](auto& store) {
            visit(store, [&](int, const auto& m) {
                ContactSides sides;
                sides.first = {m.first[0], -1, 0, 0, m.arm_first};
                sides.second = {m.second[0], -1, 0, 0, m.arm_second};
                return sides;
            });
        });
    }
    void take_impulses(const double* x) {
        for (const int i : world_.awake_trees) {
            WorldTree& tree = world_.trees[i];
            x = tree.motors.take_impulses(x);
            x = tree.couplings.take_impulses(x);
            x = tree.limits.take_impulses(x);
        }
        world_.for_each_constraint([&](BodyConstraintRows& c) { x = c.take_impulses(x); });
        world_.for_each_linear([&](LinearRows& c) { x = c.take_impulses(x); });
        const auto take = [&](auto& store) {
            for (int slot = 0; slot < store.size(); ++slot) {
                auto& m = store.block_of(slot);
                x = kido::take_impulses(m, store.lane_of(slot), world_.pairs.touches()[store.owner(slot)].count, x);
            }
        };
        take(world_.pairs.serial().full);
        take(world_.pairs.serial().single);
        take(world_.pairs.surfaced());
        take(world_.pairs.direct().full);
        take(world_.pairs.direct().single);
        world_.for_each_store(take);
    }

    WorldState<T>& world_;
    StepSolver<T> solver_;
    StepSweeps<T> sweeps_;
};

KIDO_END
