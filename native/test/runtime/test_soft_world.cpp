#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "soft_cubes.hpp"

using namespace kido;

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
