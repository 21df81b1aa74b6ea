#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kido/spatial/so3.hpp"
#include "kido/tree/joint.hpp"
#include "model_storage.hpp"
#include "surface_tables.hpp"
#include "world_scene.hpp"

namespace kido {

// Cubes of points, eight each, around bodies that move freely or hang on the world.
struct SoftCubes : WorldScene {
    static constexpr double kHalf = 0.1, kPoint = 0.05, kCore = 0.2, kInertia = 4e-4, kRadius = 0.005;

    explicit SoftCubes(double vertex_stiffness = 200.0, double edge_stiffness = 500.0, double damping = 1.0)
        : vertex_stiffness(vertex_stiffness), edge_stiffness(edge_stiffness), damping(damping) {
        ground();
    }

    // Two triangles of each side, seen from outside counterclockwise.
    inline static const std::vector<int> kFaces = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                                   2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    double vertex_stiffness, edge_stiffness, damping;
    bool frozen = false;  // points that are added
    bool has_faces = false, touches_itself = false;
    std::function<void(SoftPoints&)> change;  // of points before they are added
    static double weight() { return kGravity * (kCore + 8 * kPoint); }
    std::vector<int> trees, first_points, skins;
    std::vector<std::shared_ptr<const ModelStorage>> models;

    static SoftPoints points(double vertex_stiffness, double edge_stiffness, double damping) {
        SoftPoints p{true, {}, {}, {}, {}, {}, {}, {}};
        for (int i = 0; i < 8; ++i) {
            p.mass.push_back(kPoint);
            p.vertex_stiffness.push_back(vertex_stiffness);
            p.damping.push_back(damping);
            p.frozen.push_back(0);
            for (int axis = 0; axis < 3; ++axis) {
                const bool high = i >> axis & 1;
                p.rest.push_back(high ? kHalf : -kHalf);
                if (high) continue;
                p.edges.insert(p.edges.end(), {i, i | 1 << axis});
                p.edge_stiffness.push_back(edge_stiffness);
            }
        }
        return p;
    }
    // With its middle at a point of the world.
    int soft_cube(double x, double y, double z, JointKind kind = JointKind::free, double radius = kRadius) {
        Link link{};
        link.parent = -1;
        link.kind = kind;
        const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        std::copy_n(upright, 9, link.R);
        if (kind != JointKind::free) {
            link.p[0] = x;
            link.p[1] = y;
            link.p[2] = z;
        }
        link.mass = kCore;
        for (const int i : {0, 3, 5}) link.I[i] = kInertia;
        const double gravity[3] = {0.0, 0.0, -kGravity};
        models.push_back(std::make_shared<ModelStorage>(std::vector<Link>{link}, std::vector<Weight>{{kCore, {0, 0, 0}, 0.0, {0, 0, 0}}},
                                                        std::vector<Body>{{0, Offset::none, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}},
                                                        gravity));
        world->keep(models.back());
        int tree = 0;
        world->add_tree(models.back()->model(), tree);
        SoftPoints around = points(vertex_stiffness, edge_stiffness, damping);
        if (frozen) around.frozen.assign(8, 1);
        if (has_faces) around.faces = kFaces;
        if (change) change(around);
        first_points.push_back(world->add_soft(tree, 0, around));
        const int group = touches_itself ? 0 : 1 + tree;
        for (int i = 0; i < 8; ++i) shape(first_points.back() + i, ShapeKind::sphere, radius, radius, radius, group);
        if (has_faces) add_faces(tree, around, radius, group);
        if (kind == JointKind::free) {
            double* q = world->tree(tree).positions;
            q[3] = x;
            q[4] = y;
            q[5] = z;
        }
        world->place_tree(tree);
        trees.push_back(tree);
        return tree;
    }
    void add_faces(int tree, const SoftPoints& points, double radius, int group) {
        const SurfaceTables surface(MeshTables{points.rest, points.faces});
        const double ball[3] = {radius, radius, radius};
        const auto storage = std::make_shared<const ShapeStorage>(ShapeKind::sphere, ball);
        world->keep(storage);
        const Collider collider = {0, &storage->shape(), {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.8, 0.0}, group, false, -1};
        skins.push_back(world->add_skin(tree, 0, surface.mesh(), surface.order(), collider, touches_itself));
    }
    // Mass, linear momentum, angular momentum about the world's origin, and energy without that of gravity.
    std::vector<double> audit() const {
        std::vector<double> sum(8, 0.0);
        const auto add = [&](double m, double inertia, const Moving& at) {
            const Vec3<double> linear = at.velocity * m, angular = cross(at.place, linear) + at.spin * inertia;
            const double of[8] = {m, linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
                                  0.5 * (dot(at.velocity, linear) + inertia * dot(at.spin, at.spin))};
            for (int i = 0; i < 8; ++i) sum[i] += of[i];
        };
        for (std::size_t t = 0; t < trees.size(); ++t) {
            add(kCore, kInertia, of(t, -1));
            for (int i = 0; i < 8; ++i) add(kPoint, 0.0, of(t, i));
            const SoftNumbers s = world->soft(trees[t], 0);
            const SoftPoints p = points(vertex_stiffness, edge_stiffness, damping);
            for (int i = 0; i < 24; ++i) sum[7] += 0.5 * vertex_stiffness * s.displacements[i] * s.displacements[i];
            for (std::size_t e = 0; e < p.edge_stiffness.size(); ++e) {
                for (int i = 0; i < 3; ++i) {
                    const double d = s.displacements[3 * p.edges[2 * e] + i] - s.displacements[3 * p.edges[2 * e + 1] + i];
                    sum[7] += 0.5 * edge_stiffness * d * d;
                }
            }
        }
        return sum;
    }
    // Place, linear and angular velocity of a body (point -1), or of one of its points.
    struct Moving {
        Vec3<double> place, velocity, spin;
    };
    Moving of(std::size_t body, int point) const {
        const double *q = world->tree(trees[body]).positions, *v = world->tree(trees[body]).velocities;
        const bool free = models[body]->model().num_dofs == 6;
        const Link& link = models[body]->model().links[0];
        const Mat3<double> R = free ? so3_exp(vec3(q)) : identity3<double>();
        const Vec3<double> origin = free ? vec3(q + 3) : vec3(link.p);
        if (!free) return {origin, zero3<double>(), zero3<double>()};
        if (point < 0) return {origin, R * vec3(v + 3), R * vec3(v)};
        const SoftNumbers soft = world->soft(trees[body], 0);
        const Vec3<double> p = vec3(&rest[3 * point]) + vec3(soft.displacements + 3 * point);
        return {origin + R * p, R * (vec3(v + 3) + cross(vec3(v), p) + vec3(soft.velocities + 3 * point)), zero3<double>()};
    }
    std::vector<double> rest = points(1.0, 1.0, 1.0).rest;
};

}  // namespace kido
