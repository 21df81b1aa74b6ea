#include "surface_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace kido {

namespace {

using Point = std::array<double, 3>;

constexpr int kLeaf = 4;             // most triangles of a leaf
constexpr double kCoplanar = 1e-6;   // sine of the angle between normals of one plane

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point point(const std::vector<double>& table, int row) { return {table[3 * row], table[3 * row + 1], table[3 * row + 2]}; }

// The tree of boxes over triangles, halved at the median of their middles along the longest edge of the box of these.
class TreeBuilder {
public:
    TreeBuilder(const MeshTables& tables, std::vector<MeshNode>& nodes) : nodes_(nodes), order_(tables.corners.size() / 3) {
        std::iota(order_.begin(), order_.end(), 0);
        for (std::size_t t = 0; t < order_.size(); ++t) {
            Point low, high;
            for (int k = 0; k < 3; ++k) {
                const double a = tables.vertices[3 * tables.corners[3 * t] + k], b = tables.vertices[3 * tables.corners[3 * t + 1] + k];
                const double c = tables.vertices[3 * tables.corners[3 * t + 2] + k];
                low[k] = std::min({a, b, c});
                high[k] = std::max({a, b, c});
            }
            low_.push_back(low);
            high_.push_back(high);
        }
        nodes_.push_back({});
        build(0, 0, static_cast<int>(order_.size()));
    }
    const std::vector<int>& order() const { return order_; }

private:
    double middle(int t, int axis) const { return low_[t][axis] + high_[t][axis]; }

    void build(int node, int begin, int end) {
        MeshNode box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, begin, end - begin};
        Point least = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
        for (int i = begin; i < end; ++i) {
            for (int k = 0; k < 3; ++k) {
                box.low[k] = std::min(box.low[k], low_[order_[i]][k]);
                box.high[k] = std::max(box.high[k], high_[order_[i]][k]);
                least[k] = std::min(least[k], middle(order_[i], k));
                most[k] = std::max(most[k], middle(order_[i], k));
            }
        }
        if (end - begin > kLeaf) {
            int axis = 0;
            for (int k = 1; k < 3; ++k) {
                if (most[k] - least[k] > most[axis] - least[axis]) axis = k;
            }
            const int half = begin + (end - begin) / 2;
            std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end, [&](int a, int b) {
                return std::pair(middle(a, axis), a) < std::pair(middle(b, axis), b);
            });
            box.first = static_cast<int>(nodes_.size());
            box.count = 0;
            nodes_.insert(nodes_.end(), 2, MeshNode{});
            build(box.first, begin, half);
            build(box.first + 1, half, end);
        }
        nodes_[node] = box;
    }

    std::vector<MeshNode>& nodes_;
    std::vector<int> order_;
    std::vector<Point> low_, high_;
};

// Gives triangles that lie in one plane, from neighbor to neighbor, the first of them as their region.
template <class Normal, class Neighbor>
std::vector<int> regions_of(int count, const Normal& normal, const Neighbor& neighbor) {
    std::vector<int> regions(count, -1), waiting;
    for (int seed = 0; seed < count; ++seed) {
        if (regions[seed] >= 0) continue;
        const Point plane = normal(seed);
        regions[seed] = seed;
        waiting.assign(1, seed);
        while (!waiting.empty()) {
            const int t = waiting.back();
            waiting.pop_back();
            for (int side = 0; side < 3; ++side) {
                const int other = neighbor(t, side);
                if (other < 0 || regions[other] >= 0) continue;
                const Point n = normal(other), turned = cross(plane, n);
                if (dot(plane, n) <= 0.0 || dot(turned, turned) > kCoplanar * kCoplanar) continue;
                regions[other] = seed;
                waiting.push_back(other);
            }
        }
    }
    return regions;
}

}  // namespace

SurfaceTables::SurfaceTables(MeshTables tables) : mesh_tables_(std::move(tables)) {
    check_mesh();
    sort_triangles();
    find_normals();
    find_neighbors();
    const int count = static_cast<int>(corners_.size() / 3);
    regions_ = regions_of(
        count, [&](int t) { return point(normals_, t); }, [&](int t, int side) { return neighbors_[3 * t + side]; });
    mesh_ = {mesh_tables_.vertices.data(),
             corners_.data(),
             normals_.data(),
             neighbors_.data(),
             regions_.data(),
             nodes_.data(),
             static_cast<int>(mesh_tables_.vertices.size() / 3),
             count,
             {nodes_[0].low[0], nodes_[0].low[1], nodes_[0].low[2]},
             {nodes_[0].high[0], nodes_[0].high[1], nodes_[0].high[2]}};
    for (const int corner : corners_) {
        const Point p = point(mesh_tables_.vertices, corner);
        radius_ = std::max(radius_, std::sqrt(dot(p, p)));
    }
}

void SurfaceTables::check_mesh() const {
    const int vertices = static_cast<int>(mesh_tables_.vertices.size() / 3);
    const std::vector<int>& corners = mesh_tables_.corners;
    if (corners.empty() || corners.size() % 3 != 0) throw std::invalid_argument("corners: expected three of each triangle, at least one");
    if (!std::all_of(corners.begin(), corners.end(), [vertices](int k) { return k >= 0 && k < vertices; })) {
        throw std::invalid_argument("corners: expected indices of vertices");
    }
}

void SurfaceTables::sort_triangles() {
    const TreeBuilder tree(mesh_tables_, nodes_);
    corners_.reserve(mesh_tables_.corners.size());
    order_ = tree.order();
    for (const int t : order_) {
        for (int k = 0; k < 3; ++k) corners_.push_back(mesh_tables_.corners[3 * t + k]);
    }
}

void SurfaceTables::find_normals() {
    for (std::size_t t = 0; t < corners_.size(); t += 3) {
        const std::vector<double>& v = mesh_tables_.vertices;
        const Point a = point(v, corners_[t]), n = cross(minus(point(v, corners_[t + 1]), a), minus(point(v, corners_[t + 2]), a));
        const double length = std::sqrt(dot(n, n));
        if (!(length > 0.0)) throw std::invalid_argument("corners: expected triangles with an area");
        for (int k = 0; k < 3; ++k) normals_.push_back(n[k] / length);
    }
}

// Across a side is the one triangle that has it in the other direction; where there are several, none.
void SurfaceTables::find_neighbors() {
    std::map<std::pair<int, int>, std::vector<int>> sides;
    const int count = static_cast<int>(corners_.size());
    for (int k = 0; k < count; ++k) {
        const int next = k % 3 == 2 ? k - 2 : k + 1;
        sides[{corners_[k], corners_[next]}].push_back(k);
    }
    neighbors_.assign(count, -1);
    for (const auto& [side, here] : sides) {
        const auto there = sides.find({side.second, side.first});
        if (here.size() == 1 && there != sides.end() && there->second.size() == 1) neighbors_[here[0]] = there->second[0] / 3;
    }
}

SurfaceTables::SurfaceTables(FieldTables tables) : field_tables_(std::move(tables)) {
    const int rows = field_tables_.rows, columns = field_tables_.columns, cells = columns - 1;
    const std::vector<double>& heights = field_tables_.heights;
    const double *spacing = field_tables_.spacing;
    if (rows < 2 || columns < 2 || heights.size() != static_cast<std::size_t>(rows) * columns) {
        throw std::invalid_argument("heights: expected at least two rows and columns");
    }
    if (!(spacing[0] > 0.0 && spacing[1] > 0.0)) throw std::invalid_argument("spacing: expected positive numbers [m]");
    const auto slopes = [&](int t) -> Point {
        const int cell = t / 2, row = cell / cells, at = row * columns + cell % cells;
        const bool lower = t % 2 == 0;
        const double along = lower ? heights[at + 1] - heights[at] : heights[at + columns + 1] - heights[at + columns];
        const double across = lower ? heights[at + columns + 1] - heights[at + 1] : heights[at + columns] - heights[at];
        const Point n = {-along / spacing[0], -across / spacing[1], 1.0};
        const double length = std::sqrt(dot(n, n));
        return {n[0] / length, n[1] / length, n[2] / length};
    };
    const auto neighbor = [&](int t, int side) {
        const int cell = t / 2, row = cell / cells, column = cell % cells;
        if (t % 2 == 0) {
            return side == 0 ? (row > 0 ? t - 2 * cells + 1 : -1) : side == 1 ? (column + 1 < cells ? t + 3 : -1) : t + 1;
        }
        return side == 0 ? t - 1 : side == 1 ? (row + 2 < rows ? t + 2 * cells - 1 : -1) : (column > 0 ? t - 3 : -1);
    };
    regions_ = regions_of(2 * (rows - 1) * cells, slopes, neighbor);
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    field_ = {heights.data(), regions_.data(), rows, columns, {spacing[0], spacing[1]}, *low, *high};
    const double x = 0.5 * cells * spacing[0], y = 0.5 * (rows - 1) * spacing[1], z = std::max(std::fabs(*low), std::fabs(*high));
    radius_ = std::sqrt(x * x + y * y + z * z);
}

}  // namespace kido
