#pragma once

#include <vector>

#include "kido/geometry/collision_shape.hpp"

// Edges of a hull as columns, so that all that leave a vertex are looked at side by side: see ConvexHull::edge_columns.

namespace kido {

class HullEdges {
public:
    HullEdges() = default;
    explicit HullEdges(const ConvexHull& hull) {
        first_.push_back(0);
        for (int i = 0; i < hull.num_vertices; ++i) {
            const int begin = hull.first_neighbor[i], count = hull.first_neighbor[i + 1] - begin, rows = column_rows(count);
            const std::size_t start = columns_.size();
            columns_.resize(start + static_cast<std::size_t>(4) * rows);
            double* out = columns_.data() + start;
            for (int row = 0; row < rows && count > 0; ++row) {
                const double *p = hull.vertices + 3 * i, *q = hull.vertices + 3 * hull.neighbors[begin + (row < count ? row : 0)];
                double square = 0.0;
                for (int k = 0; k < 3; ++k) {
                    const double edge = q[k] - p[k];
                    out[k * rows + row] = edge;
                    square += edge * edge;
                }
                out[3 * rows + row] = 1.0 / square;
            }
            first_.push_back(first_.back() + rows);
        }
    }

    // Gives them to the hull that they are of.
    void attach(ConvexHull& hull) const {
        hull.first_edge = first_.data();
        hull.edge_columns = columns_.data();
    }

private:
    std::vector<int> first_;
    std::vector<double> columns_;
};

}  // namespace kido
