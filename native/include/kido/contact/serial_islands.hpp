#pragma once

#include <vector>

#include "kido/contact/islands.hpp"

// What is visited one by one, in parts that do not share a body: skeletons, manifolds with links. Threads sweep them
// side by side, each part in the order in which one thread would.

KIDO_BEGIN

// The sides of what is visited one by one, by the store of the manifolds.
struct SerialSides {
    std::vector<ContactSides> full, single, surfaced;
};

struct SerialIsland {
    std::vector<int> trees, full, single, surfaced;  // indices, ascending
};

class SerialIslands {
public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    const SerialIsland& operator[](std::size_t i) const { return islands_[i]; }

    // Of a step; none where `trees` is zero.
    void find(std::size_t trees, const std::vector<SolverBody>& bodies, const SerialSides& all) {
        count_ = 0;
        if (trees == 0) return;
        sets_.begin(bodies.size());
        for (const auto* sides : {&all.full, &all.single, &all.surfaced}) {
            for (const ContactSides& s : *sides) join(bodies, s.first.row, s.second.row);
        }
        index_.assign(bodies.size(), -1);
        for (std::size_t row = 1; row < bodies.size(); ++row) {
            if (bodies[row].kind == BodyKind::link && bodies[row].link == 0 && !bodies[row].asleep) {
                at(bodies, static_cast<int>(row)).trees.push_back(bodies[row].tree);
            }
        }
        add(bodies, all.full, &SerialIsland::full);
        add(bodies, all.single, &SerialIsland::single);
        add(bodies, all.surfaced, &SerialIsland::surfaced);
    }

private:
    void join(const std::vector<SolverBody>& bodies, int first, int second) {
        if (!bodies[first].moves() || !bodies[second].moves()) return;
        sets_.join(island_node(bodies, first), island_node(bodies, second));
    }
    SerialIsland& at(const std::vector<SolverBody>& bodies, int row) {
        int& index = index_[sets_.root(island_node(bodies, row))];
        if (index < 0) {
            index = static_cast<int>(count_);
            if (++count_ > islands_.size()) islands_.emplace_back();
            SerialIsland& island = islands_[index];
            for (auto* list : {&island.trees, &island.full, &island.single, &island.surfaced}) list->clear();
        }
        return islands_[index];
    }
    void add(const std::vector<SolverBody>& bodies, const std::vector<ContactSides>& sides, std::vector<int> SerialIsland::*list) {
        for (std::size_t slot = 0; slot < sides.size(); ++slot) {
            const int first = sides[slot].first.row, row = bodies[first].moves() ? first : sides[slot].second.row;
            (at(bodies, row).*list).push_back(static_cast<int>(slot));
        }
    }

    std::vector<SerialIsland> islands_;
    std::size_t count_ = 0;
    UnionFind sets_;
    std::vector<int> index_;
};

KIDO_END
