#pragma once

#include <algorithm>
#include <set>

#include "kido/geometry/hull_edges.hpp"
#include "solids.hpp"

// The convex hull of points, by trying the plane through every three of them.

namespace check {

class PointHull {
public:
    explicit PointHull(const std::vector<Vector>& points) {
        for (const Vector& p : points) vertices_.insert(vertices_.end(), {p.x, p.y, p.z});
        const int n = static_cast<int>(points.size());
        std::set<std::vector<int>> seen;
        first_corner_.push_back(0);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k) add_face(points, i, j, k, seen);
        link(n);
        vertex_columns_ = columns(vertices_, 3);
        normal_columns_ = columns(planes_, 4);
        hull_ = {vertices_.data(), first_neighbor_.data(), neighbors_.data(), planes_.data(), first_corner_.data(),
                 corners_.data(), n, static_cast<int>(planes_.size() / 4), inner_radius(), vertex_columns_.data(), normal_columns_.data()};
        edges_ = kido::HullEdges(hull_);
        edges_.attach(hull_);
    }
    PointHull(const PointHull&) = delete;

    // The same hull, whose edges are looked at one by one.
    kido::ConvexHull without_columns() const {
        kido::ConvexHull out = hull_;
        out.first_edge = nullptr;
        out.edge_columns = nullptr;
        return out;
    }
    CollisionShape shape() const {
        CollisionShape out = make_shape(ShapeKind::hull, 0.0);
        out.hull = &hull_;
        return out;
    }

private:
    void add_face(const std::vector<Vector>& points, int i, int j, int k, std::set<std::vector<int>>& seen) {
        const Vector n = kido::cross(points[j] - points[i], points[k] - points[i]);
        if (length(n) < 1e-9) return;
        const Vector normal = normalized(n);
        const double offset = kido::dot(normal, points[i]);
        std::vector<int> on;
        for (int m = 0; m < static_cast<int>(points.size()); ++m) {
            const double height = kido::dot(normal, points[m]) - offset;
            if (height > 1e-9) return;
            if (height > -1e-9) on.push_back(m);
        }
        if (!seen.insert(on).second) return;
        Vector center{0.0, 0.0, 0.0};
        for (const int m : on) center += points[m] * (1.0 / static_cast<double>(on.size()));
        const Vector x = geometry::perpendicular(normal), y = kido::cross(normal, x);
        const auto angle = [&](int m) { return std::atan2(kido::dot(y, points[m] - center), kido::dot(x, points[m] - center)); };
        std::sort(on.begin(), on.end(), [&](int s, int t) { return angle(s) < angle(t); });
        corners_.insert(corners_.end(), on.begin(), on.end());
        first_corner_.push_back(static_cast<int>(corners_.size()));
        planes_.insert(planes_.end(), {normal.x, normal.y, normal.z, offset});
    }

    void link(int n) {
        std::vector<std::set<int>> linked(n);
        for (std::size_t f = 0; f + 1 < first_corner_.size(); ++f) {
            const int begin = first_corner_[f], count = first_corner_[f + 1] - begin;
            for (int k = 0; k < count; ++k) linked[corners_[begin + k]].insert(corners_[begin + (k + 1) % count]);
        }
        first_neighbor_.push_back(0);
        for (const auto& others : linked) {
            neighbors_.insert(neighbors_.end(), others.begin(), others.end());
            first_neighbor_.push_back(static_cast<int>(neighbors_.size()));
        }
    }

    // The first three of each `width` numbers.
    static std::vector<double> columns(const std::vector<double>& table, int width) {
        const int count = static_cast<int>(table.size()) / width, rows = kido::column_rows(count);
        std::vector<double> out(3 * rows);
        for (int k = 0; k < 3; ++k)
            for (int row = 0; row < rows; ++row) out[k * rows + row] = table[width * (row < count ? row : 0) + k];
        return out;
    }

    double inner_radius() const {
        double least = INFINITY;
        for (std::size_t k = 3; k < planes_.size(); k += 4) least = std::min(least, planes_[k]);
        return least;
    }

    std::vector<double> vertices_, planes_, vertex_columns_, normal_columns_;
    std::vector<int> first_neighbor_, neighbors_, first_corner_, corners_;
    kido::HullEdges edges_;
    kido::ConvexHull hull_;
};

// Points on a sphere about the origin, which holds it.
inline std::vector<Vector> ball_points(int count, double radius, unsigned seed) {
    Random random(seed);
    std::vector<Vector> points;
    for (int k = 0; k < count; ++k) points.push_back(random.direction() * radius);
    return points;
}

// A prism over a regular polygon.
inline std::vector<Vector> prism_points(int sides, double radius, double half) {
    std::vector<Vector> points;
    for (int k = 0; k < sides; ++k) {
        const double angle = 6.283185307179586 * k / sides;
        for (const double z : {-half, half}) points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
    return points;
}

}  // namespace check
