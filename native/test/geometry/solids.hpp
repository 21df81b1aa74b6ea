#pragma once

#include <algorithm>
#include <array>
#include <random>

#include "kido/geometry/space.hpp"
#include "shape_kernels.hpp"

// Shapes in poses, and what is known of two of them without the code under test: the signed distance as the largest separation along
// any direction, found by search.

namespace check {

using kido::CollisionShape;
using kido::ContactManifold;
using kido::PairMemory;
using kido::ShapeKind;
using kido::geometry::Axes;
using kido::geometry::Pose;
using kido::geometry::Vector;
namespace geometry = kido::geometry;

inline double length(const Vector& v) { return std::sqrt(kido::dot(v, v)); }
inline Vector normalized(const Vector& v) { return v * (1.0 / length(v)); }

inline CollisionShape make_shape(ShapeKind kind, double x, double y = 0.0, double z = 0.0) {
    CollisionShape shape{};
    shape.kind = kind;
    shape.size[0] = x;
    shape.size[1] = y;
    shape.size[2] = z;
    return shape;
}
inline CollisionShape sphere(double radius) { return make_shape(ShapeKind::sphere, radius); }
inline CollisionShape capsule(double radius, double half) { return make_shape(ShapeKind::capsule, radius, half); }
inline CollisionShape box(double x, double y, double z) { return make_shape(ShapeKind::box, x, y, z); }
inline CollisionShape cylinder(double radius, double half) { return make_shape(ShapeKind::cylinder, radius, half); }
inline CollisionShape cone(double radius, double half) { return make_shape(ShapeKind::cone, radius, half); }
inline CollisionShape ellipsoid(double x, double y, double z) { return make_shape(ShapeKind::ellipsoid, x, y, z); }
inline CollisionShape plane() { return make_shape(ShapeKind::plane, 0.0); }

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}

    double uniform(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
    }
    Vector in_ball() {
        for (;;) {
            const Vector v{uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0)};
            if (kido::dot(v, v) <= 1.0 && kido::dot(v, v) > 1e-4) return v;
        }
    }
    Vector direction() { return normalized(in_ball()); }
    Axes axes() { return kido::so3_exp(in_ball() * 3.1); }
    // One of the 24 that turn axes into axes, or any.
    Axes aligned_axes() {
        const double quarter = 1.5707963267948966;
        const auto turns = [&] { return quarter * std::floor(uniform(0.0, 4.0)); };
        return kido::so3_exp(Vector{turns(), 0.0, 0.0}) * kido::so3_exp(Vector{0.0, turns(), 0.0}) *
               kido::so3_exp(Vector{0.0, 0.0, turns()});
    }

private:
    std::mt19937_64 engine_;
};

// A shape in a pose.
struct Solid {
    CollisionShape shape;
    Pose pose;

    std::array<double, 12> numbers() const {
        const Vector columns[4] = {pose.p, pose.R.x, pose.R.y, pose.R.z};
        std::array<double, 12> out;
        for (int k = 0; k < 4; ++k) geometry::store(columns[k], out.data() + 3 * k);
        return out;
    }

    // Largest n . x over the shape about its own origin, in its axes.
    double reach(const Vector& n) const {
        const double* s = shape.size;
        switch (shape.kind) {
            case ShapeKind::sphere: return s[0] * length(n);
            case ShapeKind::capsule: return s[1] * std::fabs(n.z) + s[0] * length(n);
            case ShapeKind::box: return s[0] * std::fabs(n.x) + s[1] * std::fabs(n.y) + s[2] * std::fabs(n.z);
            case ShapeKind::cylinder: return s[0] * std::hypot(n.x, n.y) + s[1] * std::fabs(n.z);
            case ShapeKind::cone: return std::max(s[1] * n.z, s[0] * std::hypot(n.x, n.y) - s[1] * n.z);
            case ShapeKind::ellipsoid: return length({s[0] * n.x, s[1] * n.y, s[2] * n.z});
            case ShapeKind::hull: {
                double best = -INFINITY;
                for (int k = 0; k < shape.hull->num_vertices; ++k) {
                    best = std::max(best, kido::dot(n, geometry::vector(shape.hull->vertices + 3 * k)));
                }
                return best;
            }
            default: return INFINITY;
        }
    }
    // Largest n . x over the solid in the world; n is a direction.
    double farthest(const Vector& n) const {
        const Vector own = kido::transposed_times(pose.R, n);
        if (shape.kind == ShapeKind::plane) return own.z > 1.0 - 1e-14 ? kido::dot(n, pose.p) : INFINITY;
        return kido::dot(n, pose.p) + reach(own);
    }

    // Distance of a point from the surface, negative inside; outside of an ellipsoid or hull a lower bound of it.
    double distance(const Vector& point) const {
        const Vector p = kido::transposed_times(pose.R, point - pose.p);
        const double* s = shape.size;
        switch (shape.kind) {
            case ShapeKind::sphere: return length(p) - s[0];
            case ShapeKind::capsule:
                return std::hypot(std::hypot(p.x, p.y), std::max(std::fabs(p.z) - s[1], 0.0)) - s[0];
            case ShapeKind::box: {
                const double x = std::fabs(p.x) - s[0], y = std::fabs(p.y) - s[1], z = std::fabs(p.z) - s[2];
                const double outside = std::hypot(std::hypot(std::max(x, 0.0), std::max(y, 0.0)), std::max(z, 0.0));
                return outside + std::min(std::max(x, std::max(y, z)), 0.0);
            }
            case ShapeKind::cylinder: {
                const double x = std::hypot(p.x, p.y) - s[0], z = std::fabs(p.z) - s[1];
                return std::hypot(std::max(x, 0.0), std::max(z, 0.0)) + std::min(std::max(x, z), 0.0);
            }
            case ShapeKind::cone: {
                // In the half plane through axis and point: the triangle of base and side.
                const double r = std::hypot(p.x, p.y), z = p.z + s[1], height = 2.0 * s[1], side = std::hypot(s[0], height);
                const double t = std::clamp(((s[0] - r) * s[0] + z * height) / (side * side), 0.0, 1.0);
                const double to_side = std::hypot(r - s[0] * (1.0 - t), z - height * t);
                const double to_base = std::hypot(std::max(r - s[0], 0.0), z);
                const bool inside = z > 0.0 && (r - s[0]) * height + z * s[0] < 0.0;
                return (inside ? -1.0 : 1.0) * std::min(to_side, to_base);
            }
            case ShapeKind::ellipsoid:
                return (length({p.x / s[0], p.y / s[1], p.z / s[2]}) - 1.0) * std::min(s[0], std::min(s[1], s[2]));
            case ShapeKind::hull: {
                double most = -INFINITY;
                for (int k = 0; k < shape.hull->num_faces; ++k) {
                    const double* face = shape.hull->planes + 4 * k;
                    most = std::max(most, kido::dot(p, geometry::vector(face)) - face[3]);
                }
                return most;
            }
            case ShapeKind::plane: return p.z;
            default: return NAN;
        }
    }
};

// How far b lies behind a, seen along n: at most the distance of the two.
inline double separation(const Solid& a, const Solid& b, const Vector& n) { return -a.farthest(-n) - b.farthest(n); }

// Climbs from n with steps that shrink where none of eight leads up.
inline double climb(const Solid& a, const Solid& b, Vector n, double step) {
    double best = separation(a, b, n);
    constexpr double half = 0.7071067811865476;
    constexpr double around[8][2] = {{1.0, 0.0}, {half, half}, {0.0, 1.0}, {-half, half}, {-1.0, 0.0}, {-half, -half}, {0.0, -1.0}, {half, -half}};
    while (step > 1e-6) {
        const Vector x = geometry::perpendicular(n), y = kido::cross(n, x);
        Vector better = n;
        double value = best;
        for (const auto& to : around) {
            const Vector m = normalized(n + x * (step * to[0]) + y * (step * to[1]));
            const double s = separation(a, b, m);
            if (s > value) {
                value = s;
                better = m;
            }
        }
        if (value > best) {
            best = value;
            n = better;
        } else {
            step *= 0.5;
        }
    }
    return best;
}

// Signed distance: the largest separation of all directions.
inline double signed_distance(const Solid& a, const Solid& b) {
    if (b.shape.kind == ShapeKind::plane) return separation(a, b, b.pose.R.z);
    constexpr int count = 300;
    std::vector<std::pair<double, Vector>> tried;
    for (int k = 0; k < count; ++k) {
        const double z = 1.0 - (2.0 * k + 1.0) / count, angle = 2.399963229728653 * k, r = std::sqrt(1.0 - z * z);
        const Vector n{r * std::cos(angle), r * std::sin(angle), z};
        tried.push_back({separation(a, b, n), n});
    }
    std::partial_sort(tried.begin(), tried.begin() + 5, tried.end(),
                      [](const auto& s, const auto& t) { return s.first > t.first; });
    double best = -INFINITY;
    for (int k = 0; k < 5; ++k) best = std::max(best, climb(a, b, tried[k].second, 0.1));
    return best;
}

// What collide says of two solids.
struct Answer {
    int count;
    ContactManifold manifold;
    PairMemory memory;

    double depth() const {
        double least = INFINITY;
        for (int k = 0; k < manifold.count; ++k) least = std::min(least, manifold.points[k].gap);
        return least;
    }
    Vector normal() const { return geometry::vector(manifold.normal); }
};

inline ContactAnswer contacts(const Solid& a, const Solid& b, double margin, int capacity, const PairMemory& memory = {}) {
    const auto A = a.numbers(), B = b.numbers();
    return same_answer([&](const kido::GeometryKernels& kernels) {
        ContactAnswer out{0, std::vector<ContactManifold>(capacity), memory};
        out.count = kernels.collide(a.shape, A.data(), b.shape, B.data(), margin, out.memory, out.manifolds.data(), capacity);
        return out;
    });
}

inline Answer collide(const Solid& a, const Solid& b, double margin, const PairMemory& memory = {}) {
    const ContactAnswer found = contacts(a, b, margin, 1, memory);
    return {found.count, found.manifolds[0], found.memory};
}

inline kido::ShapeDistance distance_of(const Solid& a, const Solid& b) {
    const auto A = a.numbers(), B = b.numbers();
    const DistanceAnswer answer = same_answer([&](const kido::GeometryKernels& kernels) {
        DistanceAnswer out;
        out.error = kernels.distance(a.shape, A.data(), b.shape, B.data(), out.found);
        return out;
    });
    CHECK(answer.error == 0);
    return answer.found;
}

inline RayAnswer cast(const Solid& solid, const Vector& origin, const Vector& direction, double length) {
    kido::Ray ray{};
    geometry::store(origin, ray.origin);
    geometry::store(direction, ray.direction);
    ray.length = length;
    const auto pose = solid.numbers();
    return same_answer([&](const kido::GeometryKernels& kernels) {
        RayAnswer out;
        out.met = kernels.ray_cast(solid.shape, pose.data(), ray, out.hit);
        return out;
    });
}

// Of a, which moves from one pose to another, and b, which stands.
inline SweepAnswer sweep(const Solid& a, const Pose& end, const Solid& b, double tolerance) {
    const auto from = a.numbers(), to = Solid{a.shape, end}.numbers(), B = b.numbers();
    return same_answer([&](const kido::GeometryKernels& kernels) {
        SweepAnswer out;
        out.met = kernels.sweep(a.shape, from.data(), to.data(), b.shape, B.data(), B.data(), tolerance, out.hit);
        return out;
    });
}

}  // namespace check
