#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/manifold_sweep.hpp"
#include "kido/contact/packed_manifolds.hpp"
#include "kido/contact/union_find.hpp"

// The islands, or bodies, that some sweeps visit, and of manifolds in lanes the bundles in which all or most are visited, and the others side by side.

KIDO_BEGIN

// Whether sweeps visit nothing, some islands, or all.
enum class SweepExtent { none, some, all };

template <class T>
class SweepScope {
public:
    // Nothing.
    void clear() { extent_ = SweepExtent::none; }
    // Before the first name.
    void begin(std::size_t rows) {
        names_.assign(rows, 0);
        clear();
    }
    // An island, or a body, by its name.
    void add(int name) {
        names_[name] = 1;
        extent_ = SweepExtent::some;
    }
    // Those of a set.
    void add(const std::vector<char>& names) {
        char any = 0;
        for (std::size_t i = 0; i < names_.size(); ++i) any |= names_[i] |= names[i];
        if (any) extent_ = SweepExtent::some;
    }
    bool contains(int name) const { return names_[name] != 0; }
    // After the last one: name_of(row) is what a row was known by.
    template <class NameOf>
    void end(const NameOf& name_of, const std::vector<SolverBody>& bodies) {
        if (extent_ == SweepExtent::none) return;
        rows_.resize(bodies.size());
        rows_[0] = 0;
        // Without a branch for what nobody foresees.
        bool missing = false;
        for (std::size_t row = 1; row < bodies.size(); ++row) {
            const SolverBody& body = bodies[row];
            const bool named = names_[name_of(static_cast<int>(row))] != 0, awake = body.is_awake();
            rows_[row] = named & awake;
            missing |= awake & !named & !((body.kind == BodyKind::free) & (body.touches == 0));
        }
        extent_ = missing ? SweepExtent::some : SweepExtent::all;
    }
    // Then, for sweeps in lanes: which manifolds are visited, and what the step has computed of them. `revision`: another one whenever islands
    // or manifolds are.
    void list(std::vector<ManifoldColor<T>>& colors, std::uint64_t revision) {
        if (extent_ != SweepExtent::some) return;
        if (revision != listed_revision_ || names_ != listed_) {
            list_manifolds(colors);
            listed_revision_ = revision;
            listed_ = names_;
        }
        for_each_packed(colors, [](auto& packed, auto& store, std::size_t begin, std::size_t end) { packed.take(store.blocks(), begin, end); });
    }
    // Before sweeps in lanes, and after them.
    void take_impulses(std::vector<ManifoldColor<T>>& colors) {
        if (extent_ != SweepExtent::some) return;
        for_each_packed(colors, [](auto& packed, auto& store, std::size_t begin, std::size_t end) { packed.take_impulses(store.blocks(), begin, end); });
    }
    void give_impulses(std::vector<ManifoldColor<T>>& colors) {
        if (extent_ != SweepExtent::some) return;
        for_each_packed(colors, [](auto& packed, auto& store, std::size_t begin, std::size_t end) { packed.give_impulses(store.blocks(), begin, end); });
    }
    SweepExtent extent() const { return extent_; }
    bool visits(int row) const { return extent_ == SweepExtent::all || (extent_ == SweepExtent::some && has(row)); }
    // Where it is not all: whether a row is visited, and of the stores in lanes, in their order: bundles all of whose manifolds are visited,
    // those in which most are, and what is visited of the others.
    bool has(int row) const { return rows_[row]; }
    std::span<const int> whole(std::size_t store) const { return part_of(whole_, store, &Start::whole); }
    std::span<const MaskedBundle<T>> masked(std::size_t store) const { return part_of(masked_, store, &Start::masked); }
    template <int Points>
    std::span<ManifoldBlock<T, Points>> packed(std::size_t store) {
        const auto [begin, end] = part<Points>(store);
        return {packed_of<Points>().blocks() + begin, end - begin};
    }

private:
    // Where the bundles of a store begin.
    struct Start {
        std::size_t whole, masked, single, full;
    };

    template <class X>
    std::span<const X> part_of(const std::vector<X>& all, std::size_t store, std::size_t Start::*at) const {
        return {all.data() + starts_[store].*at, starts_[store + 1].*at - starts_[store].*at};
    }

    template <int Points>
    PackedManifolds<T, Points>& packed_of() {
        if constexpr (Points == 1) return single_;
        else return full_;
    }
    template <int Points>
    std::pair<std::size_t, std::size_t> part(std::size_t store) const {
        const Start &first = starts_[store], &next = starts_[store + 1];
        return Points == 1 ? std::pair(first.single, next.single) : std::pair(first.full, next.full);
    }
    // Calls f(packed, store, begin, end) with what is packed of each store.
    template <class F>
    void for_each_packed(std::vector<ManifoldColor<T>>& colors, const F& f) {
        std::size_t index = 0;
        for (ManifoldColor<T>& color : colors) {
            color.for_each_store([&](auto& store) {
                constexpr int points = std::remove_reference_t<decltype(store)>::Block::points;
                const auto [begin, end] = part<points>(index++);
                if (begin < end) f(packed_of<points>(), store, begin, end);
            });
        }
    }
    void list_manifolds(std::vector<ManifoldColor<T>>& colors) {
        whole_.clear();
        masked_.clear();
        single_.clear();
        full_.clear();
        starts_.assign(1, {0, 0, 0, 0});
        for (ManifoldColor<T>& color : colors) {
            color.for_each_store([&](auto& store) {
                auto& packed = packed_of<std::remove_reference_t<decltype(store)>::Block::points>();
                for (int k = 0; k < static_cast<int>(store.bundles()); ++k) list_bundle(k, store, packed);
                packed.end_store();
                starts_.push_back({whole_.size(), masked_.size(), single_.bundles(), full_.bundles()});
            });
        }
    }
    template <class Store, class Packed>
    void list_bundle(int index, Store& store, Packed& packed) {
        const auto& m = store.blocks()[index];
        const int first = index * lanes_of<T>, count = std::min(store.size() - first, lanes_of<T>);
        bool visited[lanes_of<T>] = {};
        int visits = 0;
        for (int i = 0; i < count; ++i) visits += visited[i] = (rows_[m.first[i]] | rows_[m.second[i]]) != 0;
        if (visits == count) whole_.push_back(index);
        if (visits == count || visits == 0) return;
        // Few are cheaper to carry there and back than to visit among others.
        const bool few = 2 * visits <= lanes_of<T>;
        if (!few) masked_.push_back({index, {}, {}, T(0.0)});
        for (int i = 0; i < count; ++i) {
            if (!visited[i]) continue;
            if (few) {
                packed.add(first + i);
                continue;
            }
            MaskedBundle<T>& bundle = masked_.back();
            bundle.first[i] = m.first[i];
            bundle.second[i] = m.second[i];
            set_lane(bundle.visited, i, 1.0);
        }
    }

    SweepExtent extent_ = SweepExtent::none;
    std::vector<char> names_, rows_;  // what is visited: by its names, and by row
    std::vector<char> listed_;        // names whose bundles are there
    std::uint64_t listed_revision_ = 0;
    std::vector<int> whole_;
    std::vector<MaskedBundle<T>> masked_;
    PackedManifolds<T, 1> single_;
    PackedManifolds<T, 4> full_;
    std::vector<Start> starts_;  // of the stores, and behind the last one
};

KIDO_END
