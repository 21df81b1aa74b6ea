#include "shape_storage.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace kido {

namespace {

constexpr int kMostWithEdges = 128;  // vertices of hulls whose edges stand in columns, too

// The first three of each `width` numbers, by columns.
std::vector<double> columns(const std::vector<double>& table, int width) {
    const int count = static_cast<int>(table.size()) / width, rows = column_rows(count);
    std::vector<double> out(3 * static_cast<std::size_t>(rows));
    for (int k = 0; k < 3; ++k) {
        for (int row = 0; row < rows; ++row) out[k * rows + row] = table[width * (row < count ? row : 0) + k];
    }
    return out;
}

double largest_length(const ConvexHull& hull) {
    double largest = 0.0;
    for (int k = 0; k < hull.num_vertices; ++k) {
        const double* v = hull.vertices + 3 * k;
        largest = std::max(largest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return std::sqrt(largest);
}

}  // namespace

double bounding_radius(const CollisionShape& shape) {
    const double* s = shape.size;
    switch (shape.kind) {
        case ShapeKind::sphere: return s[0];
        case ShapeKind::capsule: return s[0] + s[1];
        case ShapeKind::box: return std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        case ShapeKind::cylinder:
        case ShapeKind::cone: return std::sqrt(s[0] * s[0] + s[1] * s[1]);
        case ShapeKind::ellipsoid: return std::max(s[0], std::max(s[1], s[2]));
        case ShapeKind::hull: return largest_length(*shape.hull);
        default: return HUGE_VAL;
    }
}

ShapeStorage::ShapeStorage(ShapeKind kind, const double (&size)[3])
    : shape_{kind, {size[0], size[1], size[2]}, 0.0, nullptr, nullptr, nullptr}, tables_{}, hull_{}, surface_() {
    shape_.radius = bounding_radius(shape_);
}

ShapeStorage::ShapeStorage(HullTables tables)
    : shape_{ShapeKind::hull, {}, 0.0, &hull_, nullptr, nullptr}, tables_(std::move(tables)), hull_{}, surface_() {
    check();
    link_neighbors();
    vertex_columns_ = columns(tables_.vertices, 3);
    normal_columns_ = columns(tables_.planes, 4);
    hull_ = {tables_.vertices.data(),
             first_neighbor_.data(),
             neighbors_.data(),
             tables_.planes.data(),
             tables_.first_corner.data(),
             tables_.corners.data(),
             static_cast<int>(tables_.vertices.size() / 3),
             static_cast<int>(tables_.planes.size() / 4),
             tables_.inner_radius,
             vertex_columns_.data(),
             normal_columns_.data()};
    if (hull_.num_vertices <= kMostWithEdges) {
        edges_ = HullEdges(hull_);
        edges_.attach(hull_);
    }
    shape_.radius = bounding_radius(shape_);
}

ShapeStorage::ShapeStorage(MeshTables tables)
    : shape_{ShapeKind::mesh, {}, 0.0, nullptr, nullptr, nullptr}, tables_{}, hull_{}, surface_(std::move(tables)) {
    shape_.mesh = &surface_.mesh();
    shape_.radius = surface_.radius();
}

ShapeStorage::ShapeStorage(FieldTables tables)
    : shape_{ShapeKind::height_field, {}, 0.0, nullptr, nullptr, nullptr}, tables_{}, hull_{}, surface_(std::move(tables)) {
    shape_.field = &surface_.field();
    shape_.radius = surface_.radius();
}

void ShapeStorage::check() const {
    const int vertices = static_cast<int>(tables_.vertices.size() / 3), faces = static_cast<int>(tables_.planes.size() / 4);
    const std::vector<int>& first = tables_.first_corner;
    if (vertices < 4 || faces < 4) throw std::invalid_argument("expected at least four vertices and four faces");
    if (static_cast<int>(first.size()) != faces + 1 || first.front() != 0 ||
        first.back() != static_cast<int>(tables_.corners.size())) {
        throw std::invalid_argument("first_corner: expected where the corners of each face begin, then their number");
    }
    for (int k = 0; k < faces; ++k) {
        if (first[k + 1] - first[k] < 3) throw std::invalid_argument("first_corner: expected at least three corners a face");
    }
    const auto is_vertex = [vertices](int k) { return k >= 0 && k < vertices; };
    if (!std::all_of(tables_.corners.begin(), tables_.corners.end(), is_vertex)) {
        throw std::invalid_argument("corners: expected indices of vertices");
    }
    if (tables_.edges.size() % 2 != 0 || !std::all_of(tables_.edges.begin(), tables_.edges.end(), is_vertex)) {
        throw std::invalid_argument("edges: expected pairs of indices of vertices");
    }
    if (!(tables_.inner_radius > 0.0)) throw std::invalid_argument("inner_radius: expected a positive number");
}

void ShapeStorage::link_neighbors() {
    std::vector<std::set<int>> linked(tables_.vertices.size() / 3);
    for (std::size_t k = 0; k < tables_.edges.size(); k += 2) {
        linked[tables_.edges[k]].insert(tables_.edges[k + 1]);
        linked[tables_.edges[k + 1]].insert(tables_.edges[k]);
    }
    first_neighbor_.push_back(0);
    for (const std::set<int>& others : linked) {
        neighbors_.insert(neighbors_.end(), others.begin(), others.end());
        first_neighbor_.push_back(static_cast<int>(neighbors_.size()));
    }
}

}  // namespace kido
