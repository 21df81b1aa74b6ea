#pragma once

#include "kido/contact/direct_island.hpp"

// All islands of a world that are solved directly. A step's islands are made of the manifolds that lie in the direct store.

KIDO_BEGIN

class DirectSolve {
public:
    static constexpr int kSweeps = 20;  // where Newton's method fails

    std::vector<ContactSides> full, single;  // sides of the manifolds

    bool empty() const { return count_ == 0; }
    // Whether a skeleton's joints are solved here in this step.
    bool has_tree(int tree) const { return tree < static_cast<int>(in_island_.size()) && in_island_[tree]; }

    // The islands of a step; island_of(row) names them, tree(index) gives a skeleton.
    template <class IslandOf, class TreeOf>
    void begin(ManifoldColor<double>& manifolds, const std::vector<SolverBody>& bodies, std::size_t num_trees,
               const IslandOf& island_of, const TreeOf& tree) {
        store_ = {&manifolds, &full, &single};
        count_ = 0;
        in_island_.clear();
        if (manifolds.full.size() + manifolds.single.size() == 0) return;
        in_island_.assign(num_trees, 0);
        changes_.resize(num_trees);
        members_.assign(bodies.size(), 0);
        index_.assign(bodies.size(), -1);
        add_contacts(full, true, bodies, island_of);
        add_contacts(single, false, bodies, island_of);
        for (std::size_t row = 1; row < bodies.size(); ++row) {
            if (!members_[row]) continue;
            DirectIsland& island = islands_[index_[island_of(static_cast<int>(row))]];
            const SolverBody& body = bodies[row];
            if (body.kind == BodyKind::free) {
                island.add_body(static_cast<int>(row));
            } else if (!in_island_[body.tree]) {
                in_island_[body.tree] = 1;
                DirectTree t = tree(body.tree);
                changes_[body.tree].resize(t.articulation->model().num_dofs);
                t.changes = &changes_[body.tree];
                island.add_tree(body.tree, t);
            }
        }
    }
    template <class Moments>
    void prepare(const SideRows& rows, double step, double h, const Moments& moments) {
        for (int i = 0; i < count_; ++i) islands_[i].prepare(rows, store_, step, h, moments);
    }
    template <bool Relaxing>
    void solve(const SideRows& rows, const SweepSettings& settings) {
        for (int i = 0; i < count_; ++i) {
            if (islands_[i].template solve<Relaxing>(rows, store_, settings)) continue;
            for (int k = 0; k < kSweeps; ++k) islands_[i].template sweep<Relaxing>(rows, store_, settings);
        }
    }

private:
    template <class IslandOf>
    void add_contacts(const std::vector<ContactSides>& sides, bool is_full, const std::vector<SolverBody>& bodies,
                      const IslandOf& island_of) {
        for (std::size_t slot = 0; slot < sides.size(); ++slot) {
            int island = -1;
            for (const ContactSide* side : {&sides[slot].first, &sides[slot].second}) {
                if (!bodies[side->row].moves()) continue;
                members_[side->row] = 1;
                island = island_of(side->row);
            }
            if (index_[island] < 0) {
                index_[island] = count_;
                if (++count_ > static_cast<int>(islands_.size())) islands_.emplace_back();
                islands_[index_[island]].begin();
            }
            islands_[index_[island]].add_contact(is_full, static_cast<int>(slot));
        }
    }

    DirectStore store_ = {};
    std::vector<DirectIsland> islands_;
    int count_ = 0;
    std::vector<char> in_island_, members_;     // by tree; by row
    std::vector<int> index_;                    // of islands, by their names
    std::vector<std::vector<double>> changes_;  // by tree: of velocities, as the last solve found them
};

KIDO_END
