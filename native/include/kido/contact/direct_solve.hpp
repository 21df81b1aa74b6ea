#pragma once

#include <utility>
#include "kido/batch/shared_loop.hpp"
#include "kido/contact/direct_island.hpp"
#include "kido/contact/state_archive.hpp"

// All islands of a world that are solved directly. A step's islands are made of the manifolds that lie in the direct store.

KIDO_BEGIN

class DirectSolve {
public:
    static constexpr int kSweeps = 20;  // where Newton's method fails, or is not tried

    std::vector<ContactSides> full, single;  // sides of the manifolds

    bool empty() const { return count_ == 0; }
    // Names of islands of many bodies that could not be solved in the last step.
    const std::vector<int>& unsolved() const { return unsolved_; }
    // Whether a manifold of a special surface is solved here in this step.
    bool takes(int slot) const { return slot < static_cast<int>(takes_.size()) && takes_[slot]; }
    std::int64_t num_surfaced() const { return std::count(takes_.begin(), takes_.end(), 1); }
    // Whether a skeleton's joints are solved here in this step.
    bool has_tree(int tree) const { return tree < static_cast<int>(in_island_.size()) && in_island_[tree]; }

    // The islands of a step, of the manifolds in the direct store, and of those of special surfaces, with their sides, for which
    // is_direct(row) holds; island_of(row) names islands, tree(index) gives a skeleton.
    template <class IslandOf, class IsDirect, class TreeOf>
    void begin(ManifoldColor<double>& manifolds, ManifoldStore<double, 4, SurfaceBlock>& surfaces,
               const std::vector<ContactSides>& surfaced, const std::vector<SolverBody>& bodies, std::size_t num_trees,
               const IslandOf& island_of, const IsDirect& is_direct, const TreeOf& tree) {
        store_ = {&manifolds, &surfaces, &full, &single, &surfaced};
        count_ = 0;
        unsolved_.clear();
        in_island_.clear();
        const bool taken = choose(surfaced, is_direct);
        if (!taken && manifolds.full.size() + manifolds.single.size() == 0) return;
        in_island_.assign(num_trees, 0);
        changes_.resize(num_trees);
        members_.assign(bodies.size(), 0);
        names_.clear();
        pauses_.resize(bodies.size());
        index_.assign(bodies.size(), -1);
        for (const auto kind : {DirectStore::Kind::full, DirectStore::Kind::single, DirectStore::Kind::surfaced}) {
            add_contacts(kind, bodies, island_of);
        }
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
    void prepare(const SideRows& rows, double step, double h, const Moments& moments, const SharedLoop& loop) {
        loop(count_, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) islands_[i].prepare(rows, store_, step, h, moments);
        });
    }
    template <bool Relaxing>
    void solve(const SideRows& rows, const SweepSettings& settings, const SharedLoop& loop) {
        loop(count_, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) solve_one<Relaxing>(i, rows, settings);
        });
        unsolved_.clear();
        for (int i = 0; i < count_; ++i) {
            if (islands_[i].is_given_up()) unsolved_.push_back(names_[i]);
        }
    }

    void archive(StateArchive& archive) {
        archive(pauses_);
        archive(unsolved_);
        std::uint64_t count = changes_.size();
        archive(count);
        if (archive.reads() && archive.good()) changes_.resize(std::min<std::uint64_t>(count, kMostTrees));
        for (std::vector<double>& changes : changes_) archive(changes);
    }

private:
    static constexpr std::uint64_t kMostTrees = 1 << 20;
    static constexpr int kFew = 6;                      // iterations of a motion that is calm
    static constexpr int kCalm = 4, kMostDebt = 160;    // iterations that many bodies may take for long, and beyond that in all
    static constexpr int kShortest = 4, kLongest = 64;  // steps of sweeps while the motion of skeletons is not

    // How long an island is left to sweeps, for its motion is so violent that Newton's method takes many iterations.
    struct Pause {
        int left = 0, next = kShortest, calm = 0;  // steps; calm ones since the last
        int debt = 0;                              // iterations that it took beyond those of a motion that is calm
        int due = 0;                               // 1: begins in the next step
    };

    template <bool Relaxing>
    void solve_one(std::size_t i, const SideRows& rows, const SweepSettings& settings) {
        DirectIsland& island = islands_[i];
        Pause& pause = pauses_[names_[i]];
        const bool swept = pause.left > 0;
        const bool solved = !swept && island.template solve<Relaxing>(rows, store_, settings);
        pause.debt = std::max(pause.debt + island.iterations() - kCalm, 0);
        if (pause.debt > kMostDebt) {
            island.give_up();
            pause.debt = 0;
        }
        if (solved) {
            if (island.is_costly() && island.iterations() > kFew) pause.due = 1;
            return;
        }
        if (!swept && island.is_costly()) pause.due = 1;
        for (int k = 0; k < kSweeps; ++k) island.template sweep<Relaxing>(rows, store_, settings);
    }
    // Before a step. A pause begins with one: the impulses of an impact, solved in one sub-step, are no guess for the sweeps of the next.
    static void pass(Pause& pause) {
        if (std::exchange(pause.due, 0)) {
            pause.calm = 0;
            pause.left = pause.next;
            pause.next = std::min(2 * pause.next, kLongest);
        } else if (pause.left > 0) {
            --pause.left;
        } else if (pause.next > kShortest && ++pause.calm == kLongest) {
            pause.next = kShortest;
        }
    }
    // Which manifolds of special surfaces are solved here; whether any is.
    template <class IsDirect>
    bool choose(const std::vector<ContactSides>& surfaced, const IsDirect& is_direct) {
        takes_.assign(surfaced.size(), 0);
        bool any = false;
        for (std::size_t slot = 0; slot < surfaced.size(); ++slot) {
            takes_[slot] = is_direct(surfaced[slot].first.row) || is_direct(surfaced[slot].second.row);
            any |= takes_[slot];
        }
        return any;
    }
    template <class IslandOf>
    void add_contacts(DirectStore::Kind kind, const std::vector<SolverBody>& bodies, const IslandOf& island_of) {
        const bool is_surfaced = kind == DirectStore::Kind::surfaced;
        const std::vector<ContactSides>& sides = is_surfaced ? *store_.surfaced : kind == DirectStore::Kind::full ? full : single;
        for (std::size_t slot = 0; slot < sides.size(); ++slot) {
            if (is_surfaced && !takes_[slot]) continue;
            int island = -1;
            for (const ContactSide* side : {&sides[slot].first, &sides[slot].second}) {
                if (!bodies[side->row].moves()) continue;
                members_[side->row] = 1;
                island = island_of(side->row);
            }
            if (index_[island] < 0) {
                index_[island] = count_;
                names_.push_back(island);
                pass(pauses_[island]);
                if (++count_ > static_cast<int>(islands_.size())) islands_.emplace_back();
                islands_[index_[island]].begin();
            }
            islands_[index_[island]].add_contact(kind, static_cast<int>(slot));
        }
    }

    DirectStore store_ = {};
    std::vector<DirectIsland> islands_;
    std::vector<int> names_;     // of the islands
    std::vector<Pause> pauses_;  // by name
    int count_ = 0;
    std::vector<int> unsolved_;
    std::vector<char> in_island_, members_;     // by tree; by row
    std::vector<char> takes_;                   // by slot of manifolds of special surfaces
    std::vector<int> index_;                    // of islands, by their names
    std::vector<std::vector<double>> changes_;  // by tree: of velocities, as the last solve found them
};

KIDO_END
