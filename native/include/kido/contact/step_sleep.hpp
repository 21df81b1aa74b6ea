#pragma once

#include <algorithm>

#include "kido/contact/world_state.hpp"

// What falls asleep at the end of a step, and what wakes. Islands sleep whose bodies have all been slow for a while: they stop where
// they are, contacts and forces stay what they were, and steps leave them out until something wakes them. They wake as a whole.

KIDO_BEGIN

template <class T>
class StepSleep {
public:
    explicit StepSleep(WorldState<T>& world) : world_(world) {}

    // After a step, whose impulses were recorded where `Sleeping::looks`.
    void end_step(const WorldSettings& settings) {
        if (!(settings.sleep.after < HUGE_VAL)) return;
        measure(settings);
        if (world_.sleep.looks()) find_asleep(settings);
    }
    // The island of a body.
    void wake(int row) {
        const std::int64_t nap = world_.sleep.nap(row);
        if (nap == 0) return;
        for (std::size_t i = 1; i < world_.bodies.size(); ++i) {
            if (world_.sleep.nap(static_cast<int>(i)) != nap) continue;
            world_.sleep.set_nap(static_cast<int>(i), 0);
            world_.bodies[i].asleep = false;
            if (world_.bodies[i].link == 0) begin_step(world_.trees[world_.bodies[i].tree]);
        }
        world_.find_awake();
        sort();
    }
    void wake_all() {
        for (std::size_t i = 1; i < world_.bodies.size(); ++i) wake(static_cast<int>(i));
    }
    // Islands that something awake has begun to touch.
    void wake_touched() {
        if (!world_.any_asleep) return;
        for (const int t : world_.pairs.fresh_touches()) {
            const ContactPair& pair = world_.pairs.pairs()[world_.pairs.touches()[t].pair];
            if (pair.first < 0) continue;
            const int a = world_.colliders[pair.first].collider.body, b = world_.colliders[pair.second].collider.body;
            if (world_.bodies[a].is_awake()) wake(b);
            if (world_.bodies[b].is_awake()) wake(a);
        }
    }
    // Skeletons on which something else acts than when they fell asleep.
    void wake_loaded() {
        if (!world_.any_asleep) return;
        for (const WorldTree& tree : world_.trees) {
            const int row = tree.articulation.first_row();
            if (tree.articulation.model().num_links > 0 && world_.bodies[row].asleep && !tree.sleeps_under_same()) wake(row);
        }
    }

private:
    static constexpr double kBalanced = 0.02;  // acceleration [m/s^2]

    void measure(const WorldSettings& settings) {
        Sleeping& sleep = world_.sleep;
        const double step = settings.step;
        sleep.begin_times();
        for (int row = 1; row < static_cast<int>(world_.bodies.size()); ++row) {
            if (world_.bodies[row].kind != BodyKind::free || world_.bodies[row].asleep) continue;
            sleep.set_slow(row, Sleeping::is_slow(world_.velocities[row], settings.sleep), step);
        }
        for (const int i : world_.awake_trees) {
            const Articulation& a = world_.trees[i].articulation;
            const int first = a.first_row(), end = first + a.num_rows();
            bool slow = !world_.trees[i].is_led();
            for (int row = first; slow && row < end; ++row) slow = Sleeping::is_slow(world_.velocities[row], settings.sleep);
            if (first < end) sleep.set_slow(first, slow, step);
        }
        // What is pushed out of an overlap moves without a velocity, by a share of its depth in each step.
        for (const Overlap& o : world_.overlaps) {
            if (-*std::min_element(o.gap, o.gap + 4) > settings.sleep.linear * step) keep_awake(o.touch, step);
        }
        // Rows of a user's may be others in the next step.
        for (const LinearRows& rows : world_.linear_rows) {
            if (rows.is_lasting()) continue;
            rows.for_each_body(world_.trees, [&](int row) { sleep.set_slow(row, false, step); });
        }
    }
    void keep_awake(int touch, double step) {
        const ContactPair& pair = world_.pairs.pairs()[world_.pairs.touches()[touch].pair];
        for (const int collider : {pair.first, pair.second}) {
            const int row = world_.colliders[collider].collider.body;
            if (world_.bodies[row].moves()) world_.sleep.set_slow(island_node(world_.bodies, row), false, step);
        }
    }
    void find_asleep(const WorldSettings& settings) {
        world_.sleep_islands.find(world_.pairs, world_.bodies, world_.colliders, world_.constraints, world_.linear_rows, world_.trees);
        // Of each island, the time for which all of it was slow; of one in which forces are not balanced, half of it: so they come to
        // be where they can, and do not stay as they are in the midst of a small oscillation.
        std::vector<double> least(world_.bodies.size(), HUGE_VAL);
        for (int row = 1; row < static_cast<int>(world_.bodies.size()); ++row) {
            const SolverBody& body = world_.bodies[row];
            if (!body.is_awake()) continue;
            double& shortest = least[world_.sleep_islands.of(row)];
            const double still = world_.sleep.still(row - std::max(body.link, 0));
            shortest = std::min(shortest, is_balanced(row, settings.step) ? still : 0.5 * still);
        }
        std::vector<std::int64_t> naps(world_.bodies.size(), 0);
        std::vector<int> rows;
        for (int row = 1; row < static_cast<int>(world_.bodies.size()); ++row) {
            const int island = world_.sleep_islands.of(row);
            if (!world_.bodies[row].is_awake() || least[island] < settings.sleep.after - 0.5 * settings.step) continue;
            if (naps[island] == 0) naps[island] = world_.sleep.next_nap();
            world_.sleep.set_nap(row, naps[island]);
            rows.push_back(row);
        }
        if (!rows.empty()) lay_down(rows, settings.step);
    }
    bool is_balanced(int row, double step) const {
        const double *v = world_.velocities[row].v, *before = world_.start_velocities[row].v;
        const Vec3<double> linear = vec3(v) - vec3(before), angular = vec3(v + 3) - vec3(before + 3);
        return geometry::length(linear) + geometry::length(angular) * world_.bodies[row].radius <= kBalanced * step;
    }
    void lay_down(const std::vector<int>& rows, double step) {
        for (const int row : rows) {
            const SolverBody& body = world_.bodies[row];
            if (body.kind == BodyKind::free) {
                world_.velocities[row] = world_.gains[row] = MotionRow{};
                world_.start_velocities[row] = MotionRow{};
                world_.start_places[row] = world_.places[row];
            } else if (body.link == 0) {
                lay_down(body.tree);
            }
        }
        // Their shapes are where they stay, and what is near them is known.
        world_.colliders.update(world_.body_rows(), step);
        world_.pairs.update_pairs(world_.colliders, world_.bodies);
        for (const int row : rows) world_.bodies[row].asleep = true;
        world_.impacts.clear();
        world_.find_awake();
        sort();
    }
    void lay_down(int index) {
        WorldTree& tree = world_.trees[index];
        Articulation& a = tree.articulation;
        for (auto* rates : {&a.velocities, &a.accelerations}) std::fill(rates->begin(), rates->end(), 0.0);
        a.place();
        a.write_rows(world_.poses.data(), world_.velocities.data());
        world_.record.trees[index].positions = a.positions;
        std::fill(world_.record.trees[index].velocities.begin(), world_.record.trees[index].velocities.end(), 0.0);
        tree.fall_asleep();
    }
    // Of what wakes inside a step.
    static void begin_step(WorldTree& tree) {
        tree.before = tree.articulation.accelerations;
        tree.moved = tree.follows_end = false;
    }
    // Manifolds to where they are solved, or are not.
    void sort() {
        world_.pairs.sort_sleeping(world_.bodies, world_.colliders,
                                   [&](int row) { return world_.heavy.is_direct(world_.bodies, row); });
    }

    WorldState<T>& world_;
};

KIDO_END
