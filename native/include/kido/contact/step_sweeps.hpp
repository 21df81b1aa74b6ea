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
    void sweep_islands(const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps, SweepScope<T>& scope) {
        if (scope.extent() == SweepExtent::none) return;
        if (scope.extent() == SweepExtent::all) return sweep_all<Relaxing>(sweeps, rows, gaps);
        sweep_serial<Relaxing>(sweeps, rows, gaps, [&](int row) { return scope.has(row); });
        scope.take_impulses(world_.pairs.colors());
        sweep_lanes<Relaxing>(sweeps, gaps, scope);
        scope.give_impulses(world_.pairs.colors());
    }
    // Of these what is solved in lanes, between taking and giving the scope's impulses.
    template <bool Relaxing>
    void sweep_lanes(const SweepSettings& sweeps, SweepGaps gaps, SweepScope<T>& scope) {
        if (scope.extent() == SweepExtent::none) return;
        std::size_t index = 0;
        world_.for_each_store([&](auto& store) {
            if (scope.extent() == SweepExtent::all) return sweep_store<Relaxing>(gaps, sweeps, store);
            sweep_some<Relaxing>(gaps, sweeps, store, scope, index++);
        });
    }
    // And the rest, skeletons and what holds bodies: of the islands of the rows for which visits(row) holds.
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
        const auto is_visited = [&](const ContactSides& sides) { return visits(moving_row(sides.first.row, sides.second.row)); };
        const auto every = [](int k) { return k; };
        visit_in_pairs<Relaxing>(sweeps, rows, gaps, world_.sides.full, world_.pairs.serial().full, world_.loaded, world_.sides.full.size(), every, is_visited);
        visit_in_pairs<Relaxing>(sweeps, rows, gaps, world_.sides.single, world_.pairs.serial().single, world_.loaded_points, world_.sides.single.size(), every,
                                 is_visited);
        visit_surfaced<Relaxing>(sweeps, rows, gaps, world_.sides.surfaced.size(), every, is_visited);
        settle_points();
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
    // Of the slots slot_of(0) to slot_of(count - 1) those that are visited, one after the other; two at once where these share nothing
    // that moves.
    template <bool Relaxing, class Store, int Points, class SlotOf, class Visits>
    void visit_in_pairs(const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps, const std::vector<ContactSides>& sides,
                        Store& store, LoadedContacts<Points>& loaded, std::size_t count, const SlotOf& slot_of, const Visits& visits) {
        const SweepSettings yielding = sweeps.yielding();
        const auto is_soft = [&](int slot) { return Points == 1 && sides[slot].is_soft(); };
        for (std::size_t k = 0; k < count; ++k) {
            const int slot = slot_of(static_cast<int>(k));
            if (!visits(sides[slot])) continue;
            if (loaded.has(slot)) {
                loaded.template visit<Relaxing>(sweeps, rows, world_.trees, sides[slot], slot, store.block_of(slot), gaps);
                continue;
            }
            const int next = k + 1 < count ? slot_of(static_cast<int>(k) + 1) : slot;
            if (next != slot && visits(sides[next]) && !loaded.has(next) && !is_soft(slot) && !is_soft(next) &&
                sides[slot].is_apart_from(rows, sides[next])) {
                serial_visits<Relaxing>(sweeps, rows, {&sides[slot], &sides[next]}, {&store.block_of(slot), &store.block_of(next)}, gaps);
                ++k;
            } else {
                serial_visit<Relaxing>(is_soft(slot) ? yielding : sweeps, rows, sides[slot], store.block_of(slot), gaps);
            }
        }
    }
    template <bool Relaxing, class SlotOf, class Visits>
    void visit_surfaced(const SweepSettings& sweeps, const SideRows& rows, SweepGaps gaps, std::size_t count, const SlotOf& slot_of,
                        const Visits& visits) {
        const SweepSettings yielding = sweeps.yielding();
        for (std::size_t k = 0; k < count; ++k) {
            const int slot = slot_of(static_cast<int>(k));
            const ContactSides& sides = world_.sides.surfaced[slot];
            if (visits(sides) && !world_.direct.takes(slot)) {
                serial_visit<Relaxing>(sides.is_soft() ? yielding : sweeps, rows, sides, world_.pairs.surfaced().block_of(slot), gaps);
            }
        }
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
        const auto is_visited = [&](const ContactSides& sides) { return visits(moving_row(sides.first.row, sides.second.row)); };
        const auto of = [](const std::vector<int>& slots) { return [&slots](int k) { return slots[k]; }; };
        const SharedLoop loop(world_.crew);
        loop(world_.serial_islands.size(), kSharedTrees, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto& island = world_.serial_islands[i];
                for (const int tree : island.trees) {
                    if (visits(world_.trees[tree].articulation.first_row())) sweep_joints<Relaxing>(sweeps, tree);
                }
                visit_in_pairs<Relaxing>(sweeps, rows, gaps, world_.sides.full, world_.pairs.serial().full, world_.loaded, island.full.size(),
                                         of(island.full), is_visited);
                visit_in_pairs<Relaxing>(sweeps, rows, gaps, world_.sides.single, world_.pairs.serial().single, world_.loaded_points, island.single.size(),
                                         of(island.single), is_visited);
                visit_surfaced<Relaxing>(sweeps, rows, gaps, island.surfaced.size(), of(island.surfaced), is_visited);
                for (const int tree : island.trees) world_.responses[tree].settle_points();
            }
        });
    }
    template <bool Relaxing, class Store>
    void sweep_some(SweepGaps gaps, const SweepSettings& sweeps, Store& store, SweepScope<T>& scope, std::size_t index) {
        const std::span<const int> whole = scope.whole(index);
        sweep_bundles<Relaxing>(gaps, sweeps, store.blocks(), whole.data(), whole.size());
        const std::span<const MaskedBundle<T>> masked = scope.masked(index);
        const SharedLoop loop(world_.crew);
        loop(masked.size(), kSharedBundles, [&](std::size_t begin, std::size_t end) {
            const bool shared = begin > 0 || end < masked.size();
            (shared ? sweep_masked<Relaxing, true, T, Store::Block::points> : sweep_masked<Relaxing, false, T, Store::Block::points>)(
                gaps, sweeps, store.blocks(), masked.data() + begin, end - begin, world_.velocities.data(), world_.displacements.data());
        });
        const auto packed = scope.template packed<Store::Block::points>(index);
        sweep_bundles<Relaxing>(gaps, sweeps, packed.data(), nullptr, packed.size());
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
        sweep_bundles<Relaxing>(gaps, sweeps, store.blocks(), nullptr, store.bundles());
    }
    // `list`: of bundles; null: all.
    template <bool Relaxing, int Points>
    void sweep_bundles(SweepGaps gaps, const SweepSettings& sweeps, ManifoldBlock<T, Points>* blocks, const int* list, std::size_t count) {
        MotionRow *velocities = world_.velocities.data(), *displacements = world_.displacements.data();
        const SharedLoop loop(world_.crew);
        loop(count, kSharedBundles, [&](std::size_t begin, std::size_t end) {
            const bool shared = begin > 0 || end < count;
            auto* const part = list ? blocks : blocks + begin;
            (shared ? sweep<Relaxing, true, T, Points> : sweep<Relaxing, false, T, Points>)(gaps, sweeps, part, list ? list + begin : nullptr, end - begin,
                                                                                            velocities, displacements);
        });
    }

    WorldState<T>& world_;
};

KIDO_END
