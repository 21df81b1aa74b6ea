#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "soft_cubes.hpp"

using namespace kido;

// Faces between points, gas within them, and points that are pinned.

TEST("a face rests on a ball that no point touches") {
    for (const double step : {1e-3, 5e-3}) {
        SoftCubes scene(2e3, 2e3, 2.0);
        scene.settings.step = step;
        scene.has_faces = true;
        const double under[12] = {0.02, 0.03, 0.05, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        const int ball = scene.shape(0, ShapeKind::sphere, 0.05, 0.05, 0.05, 0, under);
        scene.soft_cube(0, 0, 0.22, JointKind::prismatic);
        CHECK(scene.step(static_cast<long>(4.0 / step)));
        CHECK_WITHIN(std::abs(scene.lift(scene.skins[0], ball) / SoftCubes::weight() - 1.0), 1e-3);
        int faces = 0;
        for (const WorldContact& c : scene.world->contacts(true)) {
            faces += (c.first == scene.skins[0] ? c.first_face : c.second_face) >= 0;
        }
        CHECK(faces > 0);
        for (int i = 0; i < 8; ++i) CHECK(scene.lift(1 + i, ball) == 0.0);
        // The triangle above the ball is as far from its middle as both are thick.
        const SoftNumbers soft = scene.world->soft(0, 0);
        const auto corner = [&](int i) {
            const Vec3<double> lifted = {0.0, 0.0, 0.22 + scene.world->tree(0).positions[0]};
            return lifted + vec3(&scene.rest[3 * i]) + vec3(soft.displacements + 3 * i);
        };
        const Vec3<double> normal = cross(corner(2) - corner(0), corner(3) - corner(0));
        const double height = dot(normal, vec3(under) - corner(0)) / std::sqrt(dot(normal, normal));
        CHECK_WITHIN(std::abs(height - 0.05 - SoftCubes::kRadius), 1e-3);
    }
}

TEST("where points touch, faces do not touch as well") {
    SoftCubes scene(2e3, 2e3, 2.0);
    scene.has_faces = true;
    const double under[12] = {0.0, 0.0, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int table = scene.shape(0, ShapeKind::box, 0.5, 0.5, 0.1, 0, under);
    scene.soft_cube(0, 0, 0.3 + SoftCubes::kHalf + SoftCubes::kRadius + 0.01);
    CHECK(scene.step(2000));
    int points = 0;
    for (const WorldContact& c : scene.world->contacts(true)) {
        CHECK(c.first_face < 0 && c.second_face < 0);
        ++points;
    }
    CHECK(points == 4);
    CHECK(scene.lift(scene.skins[0], table) == 0.0);
    double lift = 0.0;
    for (int i = 0; i < 8; ++i) lift += scene.lift(1 + i, table);
    CHECK_WITHIN(std::abs(lift / SoftCubes::weight() - 1.0), 1e-3);
}

TEST("faces that are not closed carry a corner from both sides") {
    for (const double side : {1.0, -1.0}) {
        SoftCubes scene(2e3, 2e3, 2.0);
        scene.settings.gravity[2] = -side * SoftCubes::kGravity;
        scene.has_faces = true;
        scene.change = [](SoftPoints& p) {
            // Without its bottom.
            for (int k = 0; k < static_cast<int>(p.faces.size()); k += 3) {
                if (p.faces[k] >= 4 || p.faces[k + 1] >= 4 || p.faces[k + 2] >= 4) continue;
                p.faces.erase(p.faces.begin() + k, p.faces.begin() + k + 3);
                k -= 3;
            }
        };
        scene.soft_cube(0, 0, 5, JointKind::prismatic);
        scene.world->tree(0).drives[0] = Drive::velocity;  // it stands still
        scene.world->tree(0).commands[0] = 0.0;
        const double lid = 5.0 + SoftCubes::kHalf;
        const int box = scene.body(0.03, -0.05, lid + side * 0.06, 0.1), collider = scene.shape(box, ShapeKind::box, 0.02, 0.02, 0.02);
        CHECK(scene.step(3000));
        const double height = side * (scene.WorldScene::of(box)[2] - lid);
        CHECK(height > 0.01);  // the lid yields
        CHECK(height < 0.03);
        double force = 0.0;
        for (int k = 0; k < 100; ++k) {
            CHECK(scene.step(1));
            force += 0.01 * scene.lift(collider, scene.skins[0]);
        }
        CHECK_WITHIN(std::abs(force / (side * 0.1 * SoftCubes::kGravity) - 1.0), 1e-2);
    }
}

TEST("soft bodies whose faces meet exchange momentum and create none") {
    SoftCubes scene(300.0, 300.0, 0.5);
    scene.settings.gravity[2] = 0.0;
    scene.has_faces = true;
    const int left = scene.soft_cube(-0.15, 0, 5), right = scene.soft_cube(0.15, 0.05, 5.06);
    scene.world->tree(left).velocities[3] = 1.0;
    scene.world->tree(right).velocities[3] = -1.5;
    for (const int tree : {left, right}) scene.world->place_tree(tree);
    const std::vector<double> before = scene.audit();
    CHECK(scene.step(800));
    const std::vector<double> now = scene.audit();
    for (int i = 1; i < 4; ++i) CHECK_WITHIN(std::abs(now[i] - before[i]), 1e-12);
    CHECK(now[7] < 0.95 * before[7]);
    CHECK(scene.of(0, -1).velocity.x < scene.of(1, -1).velocity.x);
}

TEST("points do not pass through faces of their own body where it touches itself") {
    double least[2];
    for (const bool itself : {false, true}) {
        SoftCubes scene(1.0, 1.0, 0.0);
        scene.settings.gravity[2] = 0.0;
        scene.has_faces = true;
        scene.touches_itself = itself;
        scene.change = [](SoftPoints& p) { std::fill(p.edge_stiffness.begin(), p.edge_stiffness.end(), 0.0); };
        const int tree = scene.soft_cube(0, 0, 5);
        const SoftNumbers soft = scene.world->soft(tree, 0);
        // A corner of the top flies to the middle of the bottom, 0.2 m below.
        soft.velocities[3 * 4 + 0] = soft.velocities[3 * 4 + 1] = 0.9;
        soft.velocities[3 * 4 + 2] = -2.0;
        scene.world->place_tree(tree);
        const std::vector<double> before = scene.audit();
        double& low = least[itself] = HUGE_VAL;
        for (int k = 0; k < 130; ++k) {
            CHECK(scene.step(1));
            double bottom = 0.0;
            for (int i = 0; i < 4; ++i) bottom += 0.25 * scene.of(0, i).place.z;
            low = std::min(low, scene.of(0, 4).place.z - bottom);
        }
        const std::vector<double> now = scene.audit();
        for (int i = 1; i < 4; ++i) CHECK_WITHIN(std::abs(now[i] - before[i]), 1e-10);
    }
    CHECK(least[0] < -0.02);
    CHECK(least[1] > 0.0);
}

TEST("gas, yielding places and edges that pull along themselves keep momentum") {
    SoftCubes scene(200.0, 400.0, 0.5);
    scene.settings.gravity[2] = 0.0;
    scene.has_faces = true;
    scene.change = [](SoftPoints& p) {
        p.bulk_modulus = 1e4;
        p.yield = 0.02;
        p.along_edges = true;
    };
    const int tree = scene.soft_cube(0, 0, 5);
    const SoftNumbers soft = scene.world->soft(tree, 0);
    for (int i = 0; i < 24; ++i) soft.velocities[i] = std::sin(7.0 * i);
    scene.world->place_tree(tree);
    const std::vector<double> before = scene.audit();
    CHECK(scene.step(1000));
    const std::vector<double> now = scene.audit();
    for (int i = 1; i < 7; ++i) CHECK_WITHIN(std::abs(now[i] - before[i]), 1e-10);
}

TEST("points that are pinned stay where they are led, and carry the body") {
    SoftCubes scene(2e3, 2e3, 5.0);
    scene.has_faces = true;
    scene.change = [](SoftPoints& p) { p.pinned = {0, 0, 0, 0, 1, 1, 1, 1}; };
    const int tree = scene.soft_cube(0, 0, 5);
    SoftNumbers soft = scene.world->soft(tree, 0);
    for (int i = 4; i < 8; ++i) {
        const Vec3<double> at = scene.of(0, i).place;
        write3(soft.targets + 3 * i, at);
        write3(soft.target_velocities + 3 * i, zero3<double>());
    }
    const double height = scene.of(0, 4).place.z;
    CHECK(scene.step(6000));
    soft = scene.world->soft(tree, 0);
    double carried = 0.0;
    for (int i = 4; i < 8; ++i) {
        CHECK_WITHIN(std::abs(scene.of(0, i).place.z - height), 1e-9);
        carried += soft.pin_forces[3 * i + 2];
    }
    CHECK_WITHIN(std::abs(carried / SoftCubes::weight() - 1.0), 1e-3);
    CHECK(scene.of(0, -1).place.z < 5.0);
}
