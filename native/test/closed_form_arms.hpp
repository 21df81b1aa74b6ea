#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kido/ik/closed_form/screw_chain.hpp"

// Random joints, how they move points by Rodrigues' formula, and what routes emit.

namespace arms {

using kido::closed_form::Placement;
using kido::closed_form::Point;
using kido::closed_form::Screw;

inline constexpr double kPi = 3.14159265358979323846;

inline double circular(double a, double b) { return std::fabs(std::remainder(a - b, 2.0 * kPi)); }

inline double nearest(const double* angles, int count, double wanted) {
    double least = 10.0;
    for (int k = 0; k < count; ++k) least = std::min(least, circular(angles[k], wanted));
    return least;
}

inline Point rotated(const Point& k, double angle, const Point& x) {
    return x * std::cos(angle) + cross(k, x) * std::sin(angle) + k * (dot(k, x) * (1.0 - std::cos(angle)));
}

inline double far_apart(const Point& a, const Point& b) { return std::sqrt(dot(a - b, a - b)); }

struct Random {
    std::mt19937_64 numbers;

    explicit Random(int seed) : numbers(seed) {}

    double between(double low, double high) {
        return low + (high - low) * std::ldexp(static_cast<double>(numbers() >> 11), -53);
    }
    double angle() { return between(-kPi, kPi); }
    double either() { return between(-1.0, 1.0) < 0.0 ? -1.0 : 1.0; }
    Point point() { return {between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0)}; }
    Point direction() {
        Point x = point();
        while (dot(x, x) < 0.1 || dot(x, x) > 1.0) x = point();
        return x * (1.0 / std::sqrt(dot(x, x)));
    }
    // Not nearly along, nor nearly normal to, another.
    Point direction(const Point& other) {
        Point x = direction();
        while (std::fabs(dot(x, other)) > 0.9 || std::fabs(dot(x, other)) < 0.2) x = direction();
        return x;
    }
    Point normal_to(const Point& k) {
        const Point x = cross(k, direction(k));
        return x * (1.0 / std::sqrt(dot(x, x)));
    }
    // Joints of a random arm: no two neighbours are nearly parallel or normal.
    void joints(Screw* out, int count) {
        for (int k = 0; k < count; ++k) out[k] = {k ? direction(out[k - 1].axis) : direction(), point()};
    }
    // Another point of the same axis.
    Point along(const Screw& s) { return s.point + s.axis * between(-1.0, 1.0); }
};

inline Point carried_by(const Screw* joint, int count, const double* q, Point x) {
    for (int k = count - 1; k >= 0; --k) {
        const Screw& s = joint[k];
        x = s.is_prismatic ? x + s.axis * q[k] : s.point + rotated(s.axis, q[k], x - s.point);
    }
    return x;
}

inline Placement motion_of(const Screw* joint, int count, const double* q) {
    const Point p = carried_by(joint, count, q, {0.0, 0.0, 0.0});
    const auto axis = [&](const Point& e) { return carried_by(joint, count, q, e) - p; };
    return {{axis({1.0, 0.0, 0.0}), axis({0.0, 1.0, 0.0}), axis({0.0, 0.0, 1.0})}, p};
}

// The largest of the distances between their axes and their origins.
inline double difference_of(const Placement& a, const Placement& b) {
    return std::max(
        {far_apart(a.R.x, b.R.x), far_apart(a.R.y, b.R.y), far_apart(a.R.z, b.R.z), far_apart(a.p, b.p)});
}

// Positions that a route emits.
struct Emitted {
    struct Row {
        double q[7], excess;
    };

    const Screw* joint;
    int count;
    std::vector<Row> rows;

    Emitted(const Screw* joints, int n) : joint(joints), count(n) {}

    void operator()(const double* q, double excess) {
        Row row{};
        std::copy(q, q + count, row.q);
        row.excess = excess;
        rows.push_back(row);
    }
    double apart(const Row& row, const double* q) const {
        double most = 0.0;
        for (int k = 0; k < count; ++k) {
            most = std::max(most, joint[k].is_prismatic ? std::fabs(row.q[k] - q[k]) : circular(row.q[k], q[k]));
        }
        return most;
    }
    // How far the row nearest to some positions is from them, and it.
    double from(const double* q, Row* which = nullptr) const {
        double least = 1e300;
        for (const Row& row : rows) {
            if (!(apart(row, q) < least)) continue;
            least = apart(row, q);
            if (which) *which = row;
        }
        return least;
    }
};

}  // namespace arms
