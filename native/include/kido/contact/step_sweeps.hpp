#pragma once

#include "kido/contact/serial_contact.hpp"
#include "kido/contact/world_state.hpp"

// Of a sub-step: what velocities gain, known impulses, sweeps over all rows, and what displacements gain.

KIDO_BEGIN

template <class T>
class StepSweeps {
public:
    explicit StepSweeps(WorldState<T>& world) : world_(world) {}

    void start_substep() {
        world_.for_body_rows([&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                for (int c = 0; c < 8; ++c) world_.velocities[i].v[c] += world_.gains[i].v[c];
            }
        });
        for (const int i : world_.awake_trees) world_.responses[i].start_substep();
    }
    // Gives the impulses that are known.
    void warm_start_all() {
        const SideRows rows = world_.side_rows();
        for (const int i : world_.awake_trees) {
            world_.trees[i].limits.warm_start(world_.responses[i]);
            world_.trees[i].motors.warm_start(world_.responses[i]);
            world_.trees[i].couplings.warm_start(world_.responses[i]);
            world_.exchange(i);
        }
        world_.for_each_linear([&](LinearRows& c) { c.warm_start(rows); });
        world_.for_each_constraint([&](BodyConstraintRows& c) { c.warm_start(rows); });
        world_.for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            serial_warm_start(rows, sides, store.block_of(slot));
        });
        settle_points();
        world_.for_each_store([&](auto& store) { warm_start_store(store); });
    }
    // `gaps`: where manifolds in lanes have their distances from.
    template <bool Relaxing>
    void sweep_all(const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps) {
        sweep_serial<Relaxing>(sweeps, rows, gaps, [](int) { return true; });
        world_.for_each_store([&](auto& store) { sweep_store<Relaxing>(gaps, sweeps, store); });
    }
    // The same for some islands.
    template <bool Relaxing>
    void sweep_islands(const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps, const SweepScope<T>& scope) {
        if (scope.extent() == SweepExtent::none) return;
        if (scope.extent() == SweepExtent::all) return sweep_all<Relaxing>(sweeps, rows, gaps);
        sweep_serial<Relaxing>(sweeps, rows, gaps, [&](int row) { return scope.has(row); });
        std::size_t index = 0;
        world_.for_each_store([&](auto& store) { sweep_some<Relaxing>(gaps, sweeps, store, scope, index++); });
    }
    // Displacements grow; a body that nothing touches flies along its exact parabola.
    void displace(double h) {
        world_.for_body_rows([&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                double* d = world_.displacements[i].v;
                for (int c = 0; c < 8; ++c) d[c] += h * world_.velocities[i].v[c];
                if (world_.bodies[i].touches > 0) continue;
                for (int c = 0; c < 3; ++c) d[c] -= 0.5 * h * world_.gains[i].v[c];
            }
        });
        for (const int i : world_.awake_trees) world_.responses[i].move(h);
    }

private:
    // Whether a manifold that is visited one by one is not solved directly.
    template <class Store>
    bool is_swept(const Store&, int slot) const {
        return !std::is_same_v<Store, typename ContactPairs<T>::SurfaceStore> || !world_.direct.takes(slot);
    }
    // What is not solved in lanes, of the islands of the rows for which visits(row) holds.
    template <bool Relaxing, class Visits>
    void sweep_serial(const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps, const Visits& visits) {
        if (!world_.serial_islands.empty()) return sweep_serial_islands<Relaxing>(sweeps, rows, gaps, visits);
        for (const int i : world_.awake_trees) {
            if (visits(world_.trees[i].articulation.first_row())) sweep_joints<Relaxing>(sweeps, i);
        }
        world_.for_each_linear([&](LinearRows& c) {
            if (visits(moving_row(c))) c.template sweep<Relaxing>(rows, sweeps);
        });
        world_.for_each_constraint([&](BodyConstraintRows& c) {
            if (visits(moving_row(c))) c.template sweep<Relaxing>(rows, sweeps);
        });
        world_.coupled.template sweep<Relaxing>(rows, sweeps, world_.constraints, world_.linear_rows,
                                                [&](const auto& member) { return visits(moving_row(member)); });
        world_.for_each_serial([&](const ContactSides& sides, auto& store, int slot) {
            if (visits(moving_row(sides.first.row, sides.second.row)) && is_swept(store, slot)) {
                serial_visit<Relaxing>(sweeps, rows, sides, store.block_of(slot), gaps);
            }
        });
        settle_points();
    }
    void settle_points() {
        for (const int i : world_.awake_trees) world_.responses[i].settle_points();
    }
    // A row of the island of two bodies, or of a constraint; 0 where nothing of it moves.
    int moving_row(int first, int second) const { return world_.bodies[first].moves() ? first : second; }
    int moving_row(const BodyConstraintRows& c) const { return moving_row(c.constraint().first, c.constraint().second); }
    int moving_row(const LinearRows& c) const {
        int moving = 0;
        c.for_each_body(world_.trees, [&](int row) {
            if (world_.bodies[row].moves()) moving = row;
        });
        return moving;
    }
    template <bool Relaxing>
    void sweep_joints(const SweepSettings& sweeps, std::size_t i) {
        if (world_.direct.has_tree(static_cast<int>(i))) return;
        world_.trees[i].motors.sweep(world_.responses[i]);
        world_.trees[i].couplings.template sweep<Relaxing>(sweeps, world_.responses[i]);
        world_.trees[i].limits.sweep_speeds(world_.responses[i]);
        world_.trees[i].limits.template sweep<Relaxing>(sweeps, world_.responses[i]);
        world_.exchange(static_cast<int>(i));
    }
    // The same on threads: in each island in the same order.
    template <bool Relaxing, class Visits>
    void sweep_serial_islands(const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps, const Visits& visits) {
        const auto visit = [&](const ContactSides& sides, auto& store, int slot) {
            if (visits(moving_row(sides.first.row, sides.second.row)) && is_swept(store, slot)) {
                serial_visit<Relaxing>(sweeps, rows, sides, store.block_of(slot), gaps);
            }
        };
        const SharedLoop loop(world_.crew);
        loop(world_.serial_islands.size(), kSharedTrees, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto& island = world_.serial_islands[i];
                for (const int tree : island.trees) {
                    if (visits(world_.trees[tree].articulation.first_row())) sweep_joints<Relaxing>(sweeps, tree);
                }
                for (const int slot : island.full) visit(world_.sides.full[slot], world_.pairs.serial().full, slot);
                for (const int slot : island.single) visit(world_.sides.single[slot], world_.pairs.serial().single, slot);
                for (const int slot : island.surfaced) visit(world_.sides.surfaced[slot], world_.pairs.surfaced(), slot);
                for (const int tree : island.trees) world_.responses[tree].settle_points();
            }
        });
    }
    template <bool Relaxing, class Store>
    void sweep_some(SweepGaps gaps, const SweepSettings& sweeps, Store& store, const SweepScope<T>& scope, std::size_t index) {
        const std::span<const int> whole = scope.whole(index);
        sweep_bundles<Relaxing>(gaps, sweeps, store, whole.data(), whole.size());
        const std::span<const MaskedBundle<T>> masked = scope.masked(index);
        const SharedLoop loop(world_.crew);
        loop(masked.size(), kSharedBundles, [&](std::size_t begin, std::size_t end) {
            const bool shared = begin > 0 || end < masked.size();
            (shared ? sweep_lanes<Relaxing, true, T, Store::Block::points> : sweep_lanes<Relaxing, false, T, Store::Block::points>)(
                gaps, sweeps, store.blocks(), masked.data() + begin, end - begin, world_.velocities.data(),
                world_.displacements.data());
        });
    }
    template <class Store>
    void warm_start_store(Store& store) {
        const SharedLoop loop(world_.crew);
        loop(store.bundles(), kSharedBundles, [&](std::size_t begin, std::size_t end) {
            if (begin == 0 && end == store.bundles()) {
                warm_start<false>(store.blocks(), end, world_.velocities.data());
            } else {
                warm_start<true>(store.blocks() + begin, end - begin, world_.velocities.data());
            }
        });
    }
    template <bool Relaxing, class Store>
    void sweep_store(SweepGaps gaps, const SweepSettings& sweeps, Store& store) {
        sweep_bundles<Relaxing>(gaps, sweeps, store, nullptr, store.bundles());
    }
    // `list`: of bundles; null: all.
    template <bool Relaxing, class Store>
    void sweep_bundles(SweepGaps gaps, const SweepSettings& sweeps, Store& store, const int* list, std::size_t count) {
        MotionRow *velocities = world_.velocities.data(), *displacements = world_.displacements.data();
        const SharedLoop loop(world_.crew);
        loop(count, kSharedBundles, [&](std::size_t begin, std::size_t end) {
            const bool shared = begin > 0 || end < count;
            auto* const blocks = list ? store.blocks() : store.blocks() + begin;
            (shared ? sweep<Relaxing, true, T, Store::Block::points> : sweep<Relaxing, false, T, Store::Block::points>)(
                gaps, sweeps, blocks, list ? list + begin : nullptr, end - begin, velocities, displacements);
        });
    }

    WorldState<T>& world_;
};

KIDO_END
