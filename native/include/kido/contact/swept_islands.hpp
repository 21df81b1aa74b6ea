#pragma once

#include <utility>

#include "kido/contact/islands.hpp"
#include "kido/contact/sweep_scope.hpp"

// The islands of what is awake, found anew only where manifolds have come or gone, and those that a step sweeps more than others.

KIDO_BEGIN

template <class T>
class SweptIslands {
public:
    SweepScope<T> hits, impacts, arrivals, shivering, slipping;

    template <class Trees>
    void find(ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const std::vector<BodyConstraintRows>& constraints,
              const std::vector<LinearRows>& rows, const Trees& trees) {
        const bool held = !constraints.empty() || !rows.empty();
        if (!held && revision_ == pairs.revision() && sets_.size() == bodies.size()) return;
        revision_ = pairs.revision();
        ++finding_;
        sets_.begin(bodies.size());
        neighbors_.clear();
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            if (bodies[i].link > 0) sets_.join(static_cast<int>(i), island_node(bodies, static_cast<int>(i)));
        }
        pairs.for_all_stores([&](auto& store) {
            for (int slot = 0; slot < store.size(); ++slot) {
                const auto& m = store.block_of(slot);
                join(bodies, m.first[store.lane_of(slot)], m.second[store.lane_of(slot)]);
            }
        });
        for (const BodyConstraintRows& c : constraints) join(bodies, c.constraint().first, c.constraint().second);
        for (const LinearRows& r : rows) {
            int last = -1;
            r.for_each_body(trees, [&](int row) {
                if (last >= 0) join(bodies, last, row);
                last = row;
            });
        }
        sets_.end();
    }
    // The first row of a body's island.
    int of(int row) const { return sets_.of(row); }
    // near[node]: whether a body is in a set, to which its neighbors are added, by contacts and constraints.
    void spread(std::vector<char>& near) {
        spread_ = near;
        for (const auto& [a, b] : neighbors_) {
            const char either = near[a] | near[b];
            spread_[a] |= either;
            spread_[b] |= either;
        }
        near.swap(spread_);
    }
    // How often they were found.
    std::uint64_t finding() const { return finding_; }

private:
    void join(const std::vector<SolverBody>& bodies, int first, int second) {
        if (!bodies[first].moves() || !bodies[second].moves()) return;
        const int a = island_node(bodies, first), b = island_node(bodies, second);
        sets_.join(a, b);
        neighbors_.emplace_back(a, b);
    }

    UnionFind sets_;
    std::vector<std::pair<int, int>> neighbors_;  // nodes that touch, or that constraints couple
    std::vector<char> spread_;                    // a set as it grows
    std::uint64_t revision_ = 0;  // of the manifolds that they were found for
    std::uint64_t finding_ = 0;
};

KIDO_END
