#pragma once

#include <numeric>
#include <vector>

#include "kido/contact/body_constraint.hpp"
#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/solver_body.hpp"

// Which bodies hang together, by contacts and constraints: union-find over rows of the solver, all links of a skeleton being one.
// An island is named by its first row, whatever the order in which it was found.

KIDO_BEGIN

// The row that stands for a body in islands: that of the first link of its skeleton.
inline int island_node(const std::vector<SolverBody>& bodies, int row) {
    const SolverBody& body = bodies[row];
    return body.kind == BodyKind::link ? row - body.link : row;
}

class Islands {
public:
    template <class T>
    void find(const ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const ColliderSet& colliders,
              const std::vector<BodyConstraintRows>& constraints) {
        roots_.resize(bodies.size());
        std::iota(roots_.begin(), roots_.end(), 0);
        for (std::size_t i = 0; i < bodies.size(); ++i) roots_[i] = island_node(bodies, static_cast<int>(i));
        for (const ContactPair& pair : pairs.pairs()) {
            if (pair.first < 0 || pair.touch < 0) continue;
            join(bodies, colliders[pair.first].collider.body, colliders[pair.second].collider.body);
        }
        for (const BodyConstraintRows& c : constraints) join(bodies, c.constraint().first, c.constraint().second);
        for (std::size_t i = 0; i < roots_.size(); ++i) roots_[i] = root(static_cast<int>(i));
    }
    // The first row of a body's island.
    int of(int row) const { return roots_[row]; }
    void archive(StateArchive& archive) { archive(roots_); }
    int num_rows() const { return static_cast<int>(roots_.size()); }

private:
    int root(int row) {
        while (roots_[row] != row) {
            roots_[row] = roots_[roots_[row]];
            row = roots_[row];
        }
        return row;
    }
    void join(const std::vector<SolverBody>& bodies, int first, int second) {
        if (!bodies[first].moves() || !bodies[second].moves()) return;
        const int a = root(first), b = root(second);
        roots_[std::max(a, b)] = std::min(a, b);
    }

    std::vector<int> roots_;
};

KIDO_END
