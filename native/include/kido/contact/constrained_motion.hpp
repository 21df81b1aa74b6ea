#pragma once

#include <algorithm>
#include <vector>

#include "kido/contact/body_constraint.hpp"
#include "kido/contact/islands.hpp"
#include "kido/contact/linear_rows.hpp"
#include "kido/contact/union_find.hpp"
#include "kido/contact/world_tree.hpp"

// Bodies that nothing but rigid constraints hold move by their velocities at the end of the step, as those do that nothing touches
// (the symplectic Euler method). The mean of the sub-steps' velocities would add energy to every oscillation: by a quarter of the
// square of its angle in each step, so that light links under tension would shake themselves to pieces.

KIDO_BEGIN

class ConstrainedMotion {
public:
    // Before the sub-steps.
    void begin(const std::vector<SolverBody>& bodies, std::vector<WorldTree>& trees, const std::vector<BodyConstraintRows>& constraints,
               const std::vector<LinearRows>& linear, int substeps) {
        rows_.clear();
        trees_.clear();
        for (WorldTree& tree : trees) tree.follows_end = false;
        if ((constraints.empty() && linear.empty()) || substeps == 1) return;
        list_holds(bodies, trees, constraints, linear);
        sets_.begin(bodies.size());
        for (const Hold& h : holds_) {
            for (int i = h.begin + 1; i < h.end; ++i) sets_.join(nodes_[h.begin], nodes_[i]);
        }
        judge(bodies, trees);
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            const int row = static_cast<int>(i);
            if (!bodies[i].is_awake() || bodies[i].link > 0 || !good_[sets_.root(row)]) continue;
            if (bodies[i].kind == BodyKind::link) {
                trees[bodies[i].tree].follows_end = true;
                trees[bodies[i].tree].relaxed.clear();
                trees_.push_back(bodies[i].tree);
            } else {
                rows_.push_back(row);
            }
        }
        sums_.assign(rows_.size(), MotionRow{});
    }
    // At the end of each sub-step; in the last, impulses are summed as if all had come at the beginning.
    void add(const MotionRow* velocities, std::vector<WorldTree>& trees, std::vector<ArticulationResponse>& responses, int substeps,
             bool last) {
        for (std::size_t i = 0; i < rows_.size() && !last; ++i) {
            for (int c = 0; c < 6; ++c) sums_[i].v[c] += velocities[rows_[i]].v[c];
        }
        for (const int tree : trees_) responses[tree].follow_end(trees[tree].relaxed, substeps, last);
    }
    // After the last sub-step, of length h.
    void displace(const MotionRow* velocities, MotionRow* displacements, int substeps, double h) const {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double* v = velocities[rows_[i]].v;
            double* d = displacements[rows_[i]].v;
            for (int c = 0; c < 6; ++c) d[c] += h * ((substeps - 1) * v[c] - sums_[i].v[c]);
        }
    }

private:
    // Free bodies, and skeletons at their first links, that a constraint holds: nodes [begin, end).
    struct Hold {
        int begin, end;
        bool rigid;
    };

    void list_holds(const std::vector<SolverBody>& bodies, const std::vector<WorldTree>& trees,
                    const std::vector<BodyConstraintRows>& constraints, const std::vector<LinearRows>& linear) {
        holds_.clear();
        nodes_.clear();
        const auto add = [&](int begin, int row) {
            const int node = island_node(bodies, row);
            if (bodies[row].moves() && std::find(nodes_.begin() + begin, nodes_.end(), node) == nodes_.end()) nodes_.push_back(node);
        };
        for (const BodyConstraintRows& c : constraints) {
            const int begin = static_cast<int>(nodes_.size());
            for (const int row : {c.constraint().first, c.constraint().second}) add(begin, row);
            holds_.push_back({begin, static_cast<int>(nodes_.size()), c.is_rigid()});
        }
        for (const LinearRows& c : linear) {
            const int begin = static_cast<int>(nodes_.size());
            c.for_each_body(trees, [&](int row) { add(begin, row); });
            holds_.push_back({begin, static_cast<int>(nodes_.size()), c.is_rigid()});
        }
    }
    // Which of them rigid constraints hold, and nothing else.
    void judge(const std::vector<SolverBody>& bodies, std::vector<WorldTree>& trees) {
        good_.assign(bodies.size(), 0);
        for (const int node : nodes_) good_[sets_.root(node)] = 1;
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            if (!bodies[i].moves() || bodies[i].link > 0) continue;
            const int row = static_cast<int>(i);
            const bool alone = bodies[i].kind == BodyKind::link ? trees[bodies[i].tree].has_no_rows() : true;
            if (!alone || is_touched(bodies, trees, row)) good_[sets_.root(row)] = 0;
        }
        for (const Hold& h : holds_) {
            for (int i = h.begin; i < h.end && !h.rigid; ++i) good_[sets_.root(nodes_[i])] = 0;
        }
    }
    // Whether a contact touches a body or skeleton.
    static bool is_touched(const std::vector<SolverBody>& bodies, const std::vector<WorldTree>& trees, int row) {
        const int links = bodies[row].kind == BodyKind::link ? trees[bodies[row].tree].articulation.num_rows() : 1;
        for (int i = row; i < row + links; ++i) {
            if (bodies[i].touches != bodies[i].held) return true;
        }
        return false;
    }

    std::vector<Hold> holds_;
    std::vector<int> nodes_;
    UnionFind sets_;
    std::vector<char> good_;            // by the first row of those that hang together
    std::vector<int> rows_, trees_;     // free bodies, skeletons
    std::vector<MotionRow> sums_;       // velocities at the ends of the sub-steps but the last
};

KIDO_END
