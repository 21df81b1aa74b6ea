#pragma once

#include <vector>

#include "kido/contact/body_constraint.hpp"
#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/linear_rows.hpp"
#include "kido/contact/solver_body.hpp"
#include "kido/contact/union_find.hpp"

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
        sets_.begin(bodies.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) sets_.join(static_cast<int>(i), island_node(bodies, static_cast<int>(i)));
        for (const ContactPair& pair : pairs.pairs()) {
            if (pair.first < 0 || pair.touch < 0) continue;
            join(bodies, colliders[pair.first].collider.body, colliders[pair.second].collider.body);
        }
        for (const BodyConstraintRows& c : constraints) join(bodies, c.constraint().first, c.constraint().second);
        sets_.end();
    }
    // The same, of what rows of dofs and free bodies couple too.
    template <class T, class Trees>
    void find(const ContactPairs<T>& pairs, const std::vector<SolverBody>& bodies, const ColliderSet& colliders,
              const std::vector<BodyConstraintRows>& constraints, const std::vector<LinearRows>& rows, const Trees& trees) {
        find(pairs, bodies, colliders, constraints);
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
    void archive(StateArchive& archive) { sets_.archive(archive); }
    int num_rows() const { return static_cast<int>(sets_.size()); }

private:
    void join(const std::vector<SolverBody>& bodies, int first, int second) {
        if (bodies[first].moves() && bodies[second].moves()) sets_.join(first, second);
    }

    UnionFind sets_;
};

KIDO_END
