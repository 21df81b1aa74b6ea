#pragma once

#include <algorithm>
#include <vector>

#include "kido/contact/loop_group.hpp"
#include "kido/contact/union_find.hpp"

// Which loops are taken out of the sweeps of a step: those that hard constraints close over trees, where contacts, limits, motors or springs
// act on these too. Where nothing else does, all constraints are solved together in one visit, exactly.

KIDO_BEGIN

class LoopElimination {
public:
    // Before the responses of a step are computed, after the sides of constraints and contacts were placed. is_direct(row): whether a
    // body's contacts are solved directly.
    template <class IsDirect>
    void find(const std::vector<SolverBody>& bodies, std::vector<BodyConstraintRows>& constraints, std::size_t num_trees,
              const IsDirect& is_direct) {
        count_ = 0;
        if (constraints.empty() || num_trees == 0) return;
        sets_.begin(num_trees);
        held_.assign(num_trees, 0);
        bool any = false;
        for (BodyConstraintRows& c : constraints) {
            c.leave_to_sweeps();
            if (!is_loop(bodies, c)) continue;
            int first = -1;
            for_each_tree(bodies, c.constraint(), [&](int tree) {
                held_[tree] = 1;
                if (first >= 0) sets_.join(first, tree);
                first = tree;
            });
            any = true;
        }
        if (!any || left_out_) return;
        sets_.end();
        judge(bodies, constraints, is_direct);
        make_groups(bodies, constraints);
    }
    // Whether there are loops that may be taken out.
    bool waits() const { return count_ > 0; }
    // After the responses were computed; has_rows(tree): whether anything acts in its joints.
    template <class HasRows>
    void fold(std::vector<BodyConstraintRows>& constraints, std::vector<ArticulationResponse>& responses, const HasRows& has_rows) {
        int kept = 0;
        for (int i = 0; i < count_; ++i) {
            bool alone = states_[i] == State::alone, moves = true;
            groups_[i].for_each_tree([&](int tree) {
                alone &= !has_rows(tree);
                moves &= responses[tree].size() > 0;
            });
            if (alone || !moves) continue;
            std::swap(groups_[kept], groups_[i]);
            groups_[kept].fold(kept, constraints, responses);
            ++kept;
        }
        count_ = kept;
    }
    // Before the sweeps of a sub-step, and before its relaxing sweeps.
    template <bool Relaxing>
    void project(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& constraints) {
        for (int i = 0; i < count_; ++i) groups_[i].template project<Relaxing>(rows, settings, constraints);
    }
    // What impulses that a tree has taken since the last call make of others.
    void exchange(std::vector<ArticulationResponse>& responses, int tree, AlignedNumbers ArticulationResponse::*moved) {
        groups_[responses[tree].group()].exchange(responses, tree, moved);
    }
    // With the displacements of a sub-step.
    void move() {
        for (int i = 0; i < count_; ++i) groups_[i].move();
    }
    // After all sub-steps.
    void finish(std::vector<BodyConstraintRows>& constraints, std::vector<ArticulationResponse>& responses, int substeps) {
        for (int i = 0; i < count_; ++i) groups_[i].finish(constraints, responses, substeps);
    }
    bool empty() const { return count_ == 0; }
    // Those of a tree alone; null: none.
    const LoopGroup* of(int tree) const {
        for (int i = 0; i < count_; ++i) {
            bool found = false;
            groups_[i].for_each_tree([&](int other) { found |= other == tree; });
            if (found) return &groups_[i];
        }
        return nullptr;
    }
    // Whoever solves the rows of a step as a matrix has those of loops among them.
    void leave_out(bool left_out) { left_out_ = left_out; }

private:
    enum class State : char { alone, pushed, refused };
    static constexpr int kMostConstraints = 16;  // of a group

    template <class F>
    static void for_each_tree(const std::vector<SolverBody>& bodies, const BodyConstraint& c, F f) {
        for (const int row : {c.first, c.second}) {
            if (bodies[row].kind == BodyKind::link) f(bodies[row].tree);
        }
    }
    // Whether a constraint is hard, and moves links of trees alone.
    static bool is_loop(const std::vector<SolverBody>& bodies, const BodyConstraintRows& c) {
        bool trees = false, others = false;
        for (const int row : {c.constraint().first, c.constraint().second}) {
            (bodies[row].kind == BodyKind::link ? trees : others) |= bodies[row].moves();
        }
        return trees && !others && !c.asleep && c.is_hard();
    }
    // What acts on sets of trees beside rigid constraints, and whether these can be met.
    template <class IsDirect>
    void judge(const std::vector<SolverBody>& bodies, const std::vector<BodyConstraintRows>& constraints, const IsDirect& is_direct) {
        of_set_.assign(held_.size(), State::alone);
        sizes_.assign(held_.size(), 0);
        const auto state = [&](int tree) -> State& { return of_set_[sets_.of(tree)]; };
        std::vector<int> trees(held_.size(), 0);  // of the sets
        for (std::size_t i = 0; i < held_.size(); ++i) trees[sets_.of(static_cast<int>(i))] += held_[i];
        for (std::size_t row = 1; row < bodies.size(); ++row) {
            const SolverBody& body = bodies[row];
            if (body.kind != BodyKind::link || !held_[body.tree]) continue;
            if (body.touches != body.held) state(body.tree) = std::max(state(body.tree), State::pushed);
            // The matrix of an island that is solved directly knows loops of single trees.
            if (trees[sets_.of(body.tree)] > 1 && is_direct(static_cast<int>(row))) state(body.tree) = State::refused;
        }
        for (const BodyConstraintRows& c : constraints) {
            for_each_tree(bodies, c.constraint(), [&](int tree) {
                if (!held_[tree] || c.asleep) return;
                if (c.is_damped() || (is_loop(bodies, c) && ++sizes_[sets_.of(tree)] > 2 * kMostConstraints)) state(tree) = State::refused;
                if (!c.is_hard()) state(tree) = std::max(state(tree), State::pushed);
            });
        }
    }
    void make_groups(const std::vector<SolverBody>& bodies, const std::vector<BodyConstraintRows>& constraints) {
        group_of_.assign(held_.size(), -1);
        states_.clear();
        for (std::size_t i = 0; i < held_.size(); ++i) {
            const int tree = static_cast<int>(i), name = sets_.of(tree);
            if (!held_[i] || of_set_[name] == State::refused) continue;
            if (group_of_[name] < 0) {
                group_of_[name] = count_++;
                states_.push_back(of_set_[name]);
                if (count_ > static_cast<int>(groups_.size())) groups_.emplace_back();
                groups_[group_of_[name]].begin();
            }
            groups_[group_of_[name]].add_tree(tree);
        }
        for (std::size_t i = 0; i < constraints.size(); ++i) {
            if (!is_loop(bodies, constraints[i])) continue;
            int group = -1;
            for_each_tree(bodies, constraints[i].constraint(), [&](int tree) { group = group_of_[sets_.of(tree)]; });
            if (group >= 0) groups_[group].add_constraint(static_cast<int>(i));
        }
    }

    std::vector<LoopGroup> groups_;
    std::vector<State> states_, of_set_;  // of groups; of sets of trees by their names
    std::vector<int> group_of_, sizes_;   // by names of sets; sides of constraints
    std::vector<char> held_;              // trees that loops hold
    UnionFind sets_;
    int count_ = 0;
    bool left_out_ = false;
};

inline void SideRows::exchange(int tree, AlignedNumbers ArticulationResponse::*moved) const {
    if (loops && responses[tree].group() >= 0) loops->exchange(responses, tree, moved);
}

KIDO_END
