#pragma once

#include <algorithm>
#include <vector>

#include "kido/contact/tree_loops.hpp"

// Which loops are taken out of the sweeps of a step: those that hard constraints close within one tree, where contacts, limits, motors or
// springs act on it too. Where nothing else does, all constraints are solved together in one visit, exactly.

KIDO_BEGIN

class LoopElimination {
public:
    // Before the responses of a step are computed, after the sides of constraints and contacts were placed.
    void find(const std::vector<SolverBody>& bodies, std::vector<BodyConstraintRows>& constraints, std::size_t num_trees) {
        active_.clear();
        if (constraints.empty()) return;
        trees_.resize(num_trees);
        for (TreeLoops& tree : trees_) tree.begin();
        bool any = false;
        for (std::size_t i = 0; i < constraints.size(); ++i) {
            constraints[i].leave_to_sweeps();
            if (left_out_ || constraints[i].asleep || !constraints[i].is_hard()) continue;
            const int tree = tree_of(bodies, constraints[i].constraint());
            if (tree < 0) continue;
            trees_[tree].add(static_cast<int>(i));
            any = true;
        }
        if (any) find_pushed(bodies, constraints);
    }
    // After the response of a tree was computed; `has_rows`: whether anything acts in its joints.
    void fold(std::size_t tree, bool has_rows, std::vector<BodyConstraintRows>& constraints, ArticulationResponse& response) {
        if (tree >= trees_.size() || trees_[tree].empty()) return;
        if (state_[tree] == State::contradicted || (state_[tree] == State::alone && !has_rows)) {
            trees_[tree].begin();
        } else {
            trees_[tree].fold(constraints, response);
        }
    }
    void list() {
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            if (!trees_[i].empty()) active_.push_back(static_cast<int>(i));
        }
    }
    // Before the sweeps of a sub-step, and before its relaxing sweeps.
    template <bool Relaxing>
    void project(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& constraints) {
        for (const int i : active_) trees_[i].template project<Relaxing>(rows, settings, constraints, rows.responses[i]);
    }
    // With the displacements of a sub-step.
    void move() {
        for (const int i : active_) trees_[i].move();
    }
    // After all sub-steps.
    void finish(std::vector<BodyConstraintRows>& constraints, std::vector<ArticulationResponse>& responses, int substeps) {
        for (const int i : active_) trees_[i].finish(constraints, responses[i], substeps);
    }
    bool empty() const { return active_.empty(); }
    // Those of a tree; null: none.
    const TreeLoops* of(int tree) const {
        return std::find(active_.begin(), active_.end(), tree) != active_.end() ? &trees_[tree] : nullptr;
    }
    // Whoever solves the rows of a step as a matrix has those of loops among them.
    void leave_out(bool left_out) { left_out_ = left_out; }

private:
    enum class State : char { alone, pushed, contradicted };

    // The tree whose links are all that a constraint can move; -1: there is none.
    static int tree_of(const std::vector<SolverBody>& bodies, const BodyConstraint& c) {
        int tree = -1;
        for (const int row : {c.first, c.second}) {
            if (!bodies[row].moves()) continue;
            if (bodies[row].kind != BodyKind::link || (tree >= 0 && tree != bodies[row].tree)) return -1;
            tree = bodies[row].tree;
        }
        return tree;
    }
    // What acts on trees beside rigid constraints, and whether these can be met.
    void find_pushed(const std::vector<SolverBody>& bodies, const std::vector<BodyConstraintRows>& constraints) {
        state_.assign(trees_.size(), State::alone);
        for (const SolverBody& body : bodies) {
            if (body.kind == BodyKind::link && body.touches != body.held) state_[body.tree] = State::pushed;
        }
        for (const BodyConstraintRows& c : constraints) {
            for (const int row : {c.constraint().first, c.constraint().second}) {
                if (bodies[row].kind != BodyKind::link || c.asleep || c.is_hard()) continue;
                State& state = state_[bodies[row].tree];
                state = c.unmet() ? State::contradicted : std::max(state, State::pushed);
            }
        }
    }

    std::vector<TreeLoops> trees_;
    std::vector<State> state_;
    std::vector<int> active_;
    bool left_out_ = false;
};

KIDO_END
