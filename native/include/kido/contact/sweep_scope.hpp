#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/manifold_sweep.hpp"
#include "kido/contact/union_find.hpp"

// The islands, or bodies, that some sweeps visit, and of manifolds in lanes the bundles in which these are.

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
    bool contains(int name) const { return names_[name] != 0; }
    // After the last one: name_of(row) is what a row was known by.
    template <class NameOf>
    void end(const NameOf& name_of, const std::vector<SolverBody>& bodies) {
        if (extent_ == SweepExtent::none) return;
        rows_.assign(bodies.size(), 0);
        bool all = true;
        for (std::size_t row = 1; row < bodies.size(); ++row) {
            if (!bodies[row].is_awake()) continue;
            rows_[row] = names_[name_of(static_cast<int>(row))];
            all &= rows_[row] || (bodies[row].kind == BodyKind::free && bodies[row].touches == 0);
        }
        extent_ = all ? SweepExtent::all : SweepExtent::some;
    }
    // Then, for sweeps in lanes: which bundles are visited. `revision`: another one whenever islands or manifolds are.
    void list(std::vector<ManifoldColor<T>>& colors, std::uint64_t revision) {
        if (extent_ != SweepExtent::some || (revision == listed_revision_ && names_ == listed_)) return;
        list_bundles(colors);
        listed_revision_ = revision;
        listed_ = names_;
    }
    SweepExtent extent() const { return extent_; }
    bool visits(int row) const { return extent_ == SweepExtent::all || (extent_ == SweepExtent::some && has(row)); }
    // Where it is not all: whether a row is visited, and bundles of the stores in lanes, in their order: those all of whose manifolds are
    // visited, and others.
    bool has(int row) const { return rows_[row]; }
    std::span<const int> whole(std::size_t store) const { return part(whole_, starts_[store].whole, starts_[store + 1].whole); }
    std::span<const MaskedBundle<T>> masked(std::size_t store) const {
        return part(masked_, starts_[store].masked, starts_[store + 1].masked);
    }

private:
    // Where the bundles of a store begin.
    struct Start {
        std::size_t whole, masked;
    };

    template <class X>
    static std::span<const X> part(const std::vector<X>& all, std::size_t begin, std::size_t end) {
        return {all.data() + begin, end - begin};
    }
    void list_bundles(std::vector<ManifoldColor<T>>& colors) {
        whole_.clear();
        masked_.clear();
        starts_.assign(1, {0, 0});
        for (ManifoldColor<T>& color : colors) {
            color.for_each_store([&](auto& store) {
                for (int k = 0; k < static_cast<int>(store.bundles()); ++k) {
                    add_bundle(k, store.blocks()[k], std::min(store.size() - k * lanes_of<T>, lanes_of<T>));
                }
                starts_.push_back({whole_.size(), masked_.size()});
            });
        }
    }
    template <class Block>
    bool visits(const Block& m, int lane) const {
        return (rows_[m.first[lane]] | rows_[m.second[lane]]) != 0;
    }
    // Of `count` manifolds.
    template <class Block>
    void add_bundle(int index, const Block& m, int count) {
        int visited = 0;
        for (int i = 0; i < count; ++i) visited += visits(m, i);
        if (visited == count) whole_.push_back(index);
        if (visited == count || visited == 0) return;
        MaskedBundle<T>& bundle = masked_.emplace_back(MaskedBundle<T>{index, {}, {}, T(0.0)});
        for (int i = 0; i < count; ++i) {
            if (!visits(m, i)) continue;
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
    std::vector<Start> starts_;  // of the stores, and behind the last one
};

KIDO_END
