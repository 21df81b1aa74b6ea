#pragma once

#include <cstdint>
#include <vector>

#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/manifold_sweep.hpp"
#include "kido/contact/union_find.hpp"

// The islands that some sweeps visit, and of manifolds in lanes the bundles in which these are.

KIDO_BEGIN

// Whether sweeps visit no island, some, or all.
enum class SweepExtent { none, some, all };

template <class T>
class SweepScope {
public:
    // No island.
    void begin(std::size_t rows) {
        islands_.assign(rows, 0);
        extent_ = SweepExtent::none;
    }
    // An island by its name.
    void add(int island) {
        islands_[island] = 1;
        extent_ = SweepExtent::some;
    }
    // After the last island: of(row) names those of rows. `revision`: another one whenever islands or manifolds are.
    void end(const UnionFind& of, const std::vector<SolverBody>& bodies, std::vector<ManifoldColor<T>>& colors, std::uint64_t revision) {
        if (extent_ == SweepExtent::none) return;
        rows_.assign(bodies.size(), 0);
        bool all = true;
        for (std::size_t row = 1; row < bodies.size(); ++row) {
            if (!bodies[row].is_awake()) continue;
            rows_[row] = islands_[of.of(static_cast<int>(row))];
            all &= rows_[row] || (bodies[row].kind == BodyKind::free && bodies[row].touches == 0);
        }
        extent_ = all ? SweepExtent::all : SweepExtent::some;
        if (all || (revision == listed_revision_ && islands_ == listed_)) return;
        list_bundles(colors);
        listed_revision_ = revision;
        listed_ = islands_;
    }
    SweepExtent extent() const { return extent_; }
    bool visits(int row) const { return extent_ == SweepExtent::all || (extent_ == SweepExtent::some && has(row)); }
    // Where it is not all: whether a row is visited, and bundles of the stores in lanes, in their order.
    bool has(int row) const { return rows_[row]; }
    const MaskedBundle<T>* bundles(std::size_t store) const { return bundles_.data() + starts_[store]; }
    std::size_t num_bundles(std::size_t store) const { return starts_[store + 1] - starts_[store]; }

private:
    void list_bundles(std::vector<ManifoldColor<T>>& colors) {
        bundles_.clear();
        starts_.assign(1, 0);
        for (ManifoldColor<T>& color : colors) {
            color.for_each_store([&](auto& store) {
                for (std::size_t k = 0; k < store.bundles(); ++k) add_bundle(static_cast<int>(k), store.blocks()[k]);
                starts_.push_back(bundles_.size());
            });
        }
    }

    template <class Block>
    void add_bundle(int index, const Block& m) {
        MaskedBundle<T> bundle = {index, {}, {}, T(0.0)};
        bool any = false;
        for (int i = 0; i < lanes_of<T>; ++i) {
            if (!(rows_[m.first[i]] | rows_[m.second[i]])) continue;
            any = true;
            bundle.first[i] = m.first[i];
            bundle.second[i] = m.second[i];
            set_lane(bundle.visited, i, 1.0);
        }
        if (any) bundles_.push_back(bundle);
    }

    SweepExtent extent_ = SweepExtent::none;
    std::vector<char> islands_, rows_;  // by the islands' names; by row
    std::vector<char> listed_;          // islands whose bundles are there
    std::uint64_t listed_revision_ = 0;
    std::vector<MaskedBundle<T>> bundles_;
    std::vector<std::size_t> starts_;  // of the bundles of each store
};

KIDO_END
