#include <cmath>
#include <vector>

#include "check.hpp"
#include "kido/spatial/so3.hpp"
#include "kido/tree/joint.hpp"
#include "model_storage.hpp"
#include "world_scene.hpp"

using namespace kido;

namespace {

// Cubes of points, eight each, around bodies that move freely or hang on the world.
struct SoftCubes : WorldScene {
    static constexpr double kHalf = 0.1, kPoint = 0.05, kCore = 0.2, kInertia = 4e-4, kRadius = 0.005;

    explicit SoftCubes(double vertex_stiffness = 200.0, double edge_stiffness = 500.0, double damping = 1.0)
        : vertex_stiffness(vertex_stiffness), edge_stiffness(edge_stiffness), damping(damping) {
        ground();
    }

    double vertex_stiffness, edge_stiffness, damping;
    bool frozen = false;  // points that are added
    static double weight() { return kGravity * (kCore + 8 * kPoint); }
    std::vector<int> trees, first_points;
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
        first_points.push_back(world->add_soft(tree, 0, around));
        for (int i = 0; i < 8; ++i) shape(first_points.back() + i, ShapeKind::sphere, radius, radius, radius, 1 + tree);
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

}  // namespace

TEST("a soft body falls as any other") {
    SoftCubes scene;
    scene.soft_cube(0, 0, 100);
    CHECK(scene.step(500));
    const double fallen = 0.5 * WorldScene::kGravity * 0.25;
    for (int i = -1; i < 8; ++i) {
        const double z = i < 0 ? 0.0 : i >> 2 & 1 ? SoftCubes::kHalf : -SoftCubes::kHalf;
        CHECK_WITHIN(std::abs(scene.of(0, i).place.z - (100.0 + z - fallen)), 1e-9);
    }
}

TEST("a soft body that spins and swings keeps its momentum, and gains no energy") {
    for (const double stiffness : {200.0, 2e5}) {
        SoftCubes scene(stiffness, 2.0 * stiffness);
        scene.settings.gravity[2] = 0.0;
        const int tree = scene.soft_cube(0, 0, 1);
        double* v = scene.world->tree(tree).velocities;
        const double start[6] = {1.0, 3.0, -2.0, 0.5, -0.2, 0.3};
        std::copy_n(start, 6, v);
        const SoftNumbers soft = scene.world->soft(tree, 0);
        for (int i = 0; i < 24; ++i) soft.velocities[i] = 0.3 * std::sin(7.0 * i);
        scene.world->place_tree(tree);
        const std::vector<double> before = scene.audit();
        double energy = before[7];
        for (int k = 0; k < 1000; ++k) {
            CHECK(scene.step(1));
            const std::vector<double> now = scene.audit();
            for (int i = 1; i < 7; ++i) CHECK_WITHIN(std::abs(now[i] - before[i]), 1e-12);
            CHECK_WITHIN(now[7], energy * (1.0 + 1e-6));
            energy = now[7];
        }
    }
}

TEST("a soft body rests on the ground on its points") {
    for (const double step : {1e-3, 5e-3}) {
        for (const double stiffness : {1e2, 1e3, 1e6}) {
            SoftCubes scene(stiffness, stiffness);
            scene.settings.step = step;
            const int tree = scene.soft_cube(0, 0, SoftCubes::kHalf + SoftCubes::kRadius + 0.02);
            CHECK(scene.step(static_cast<long>(5.0 / step)));
            double lift = 0.0;
            for (int i = 0; i < 8; ++i) lift += scene.lift(1 + i, 0);
            CHECK_WITHIN(std::abs(lift / scene.weight() - 1.0), 1e-4);
            for (int i = 0; i < 4; ++i) CHECK_WITHIN(std::abs(scene.of(0, i).place.z - SoftCubes::kRadius), 5e-6);
            for (int i = 0; i < 6; ++i) CHECK_WITHIN(std::abs(scene.world->tree(tree).velocities[i]), 1e-7);
            // Springs carry the body and the points above, through edges and through the body.
            const SoftNumbers soft = scene.world->soft(tree, 0);
            double held = 0.0;
            for (int i = 0; i < 8; ++i) held -= stiffness * soft.displacements[3 * i + 2];
            CHECK_WITHIN(std::abs(held + SoftCubes::kCore * WorldScene::kGravity), 1e-4);
        }
    }
}

TEST("stiff points fall on the ground in long steps, and come to rest") {
    for (const double stiffness : {1e3, 1e6, 1e9}) {
        SoftCubes scene(stiffness, stiffness, 0.01);
        scene.settings.step = 1e-2;
        const int tree = scene.soft_cube(0, 0, 0.6);
        const double turned[3] = {0.3, 0.2, 0.1}, spin[3] = {1.0, 2.0, 0.5};
        std::copy_n(turned, 3, scene.world->tree(tree).positions);
        std::copy_n(spin, 3, scene.world->tree(tree).velocities);
        scene.world->place_tree(tree);
        const auto total = [&] {
            double sum = scene.audit()[7] + SoftCubes::kCore * WorldScene::kGravity * scene.of(0, -1).place.z;
            for (int i = 0; i < 8; ++i) sum += SoftCubes::kPoint * WorldScene::kGravity * scene.of(0, i).place.z;
            return sum;
        };
        double least = total();
        for (int k = 0; k < 400; ++k) {
            CHECK(scene.step(1));
            CHECK_WITHIN(total(), least * 1.01);
            least = std::min(least, total());
        }
        CHECK_WITHIN(std::abs(scene.of(0, -1).velocity.z), 1e-6);
    }
}

TEST("soft bodies that meet exchange momentum and create none") {
    SoftCubes scene(300.0, 300.0, 0.5);
    scene.settings.gravity[2] = 0.0;
    const int left = scene.soft_cube(-0.3, 0, 5, JointKind::free, 0.08), right = scene.soft_cube(0.3, 0.03, 5.02, JointKind::free, 0.08);
    scene.world->tree(left).velocities[3] = 1.0;
    scene.world->tree(right).velocities[3] = -1.5;
    for (const int tree : {left, right}) scene.world->place_tree(tree);
    const std::vector<double> before = scene.audit();
    CHECK(scene.step(800));
    const std::vector<double> now = scene.audit();
    for (int i = 1; i < 4; ++i) CHECK_WITHIN(std::abs(now[i] - before[i]), 1e-12);
    // Impulses of later sub-steps act where the bodies were at the beginning.
    for (int i = 4; i < 7; ++i) CHECK_WITHIN(std::abs(now[i] - before[i]), 1e-3);
    CHECK(now[7] < 0.9 * before[7]);
    CHECK(scene.of(0, -1).velocity.x < 0.0);
}

TEST("points of great stiffness are a rigid body") {
    // The same mass as one body, which a contact with the ground slows down at the same place.
    double last = HUGE_VAL;
    for (const double stiffness : {1e4, 1e6, 1e8}) {
        SoftCubes soft(stiffness, stiffness, 1.0), rigid(0.0, 0.0, 0.0);
        soft.settings.gravity[2] = rigid.settings.gravity[2] = 0.0;
        const double spin[6] = {0.5, -1.0, 2.0, 0.1, 0.0, 0.0};
        soft.soft_cube(0, 0, 1);
        rigid.frozen = true;
        rigid.soft_cube(0, 0, 1);
        for (SoftCubes* scene : {&soft, &rigid}) {
            std::copy_n(spin, 6, scene->world->tree(0).velocities);
            scene->world->place_tree(0);
            CHECK(scene->step(500));
        }
        double apart = 0.0;
        for (int i = 0; i < 6; ++i) apart = std::max(apart, std::abs(soft.world->tree(0).positions[i] - rigid.world->tree(0).positions[i]));
        CHECK_WITHIN(apart, 0.02 * last);
        last = apart;
    }
}
