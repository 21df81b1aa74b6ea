#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "instruction_set.hpp"
#include "kido/contact/native_world.hpp"
#include "shape_storage.hpp"

// A world of free bodies on the ground z = 0, and what tests ask of it.

class WorldScene {
public:
    static constexpr double kGravity = 9.81;

    explicit WorldScene(double friction = 0.8) : world(kido::active_kernels().world.make()), friction_(friction) {
        settings = {1e-3, {0.0, 0.0, -kGravity}, 5e-4, 1, 1, 0.02, kido::Integrator::semi_implicit_euler, 0.25, 5.0, 4.0};
    }

    // A collider on a row of the solver; 0: the world.
    int shape(int row, kido::ShapeKind kind, double x = 0.0, double y = 0.0, double z = 0.0, int group = 0,
              const double* pose = nullptr) {
        static constexpr double own[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        const double size[3] = {x, y, z};
        const auto storage = std::make_shared<const kido::ShapeStorage>(kind, size);
        kido::Collider collider = {row, &storage->shape(), {}, {friction_, 0.0}, group, false, -1};
        std::copy_n(pose ? pose : own, 12, collider.pose);
        world->keep(storage);
        return world->add_collider(collider);
    }
    int ground() { return shape(0, kido::ShapeKind::plane); }
    // A row of the solver.
    int body(double x, double y, double z, double mass = 1.0) {
        return world->add_body({mass, {0.01 * mass, 0.012 * mass, 0.014 * mass}, {x, y, z}, {0, 0, 0, 1}, {}, true});
    }
    int cube(double half, double x, double y, double z) {
        const int row = body(x, y, z);
        shape(row, kido::ShapeKind::box, half, half, half);
        return row;
    }

    bool step(long count) { return world->step(settings, count, nullptr, true) == count; }
    void move(int row, double x, double y, double z) {
        const double center[3] = {x, y, z}, quaternion[4] = {0, 0, 0, 1}, velocity[6] = {};
        world->set_body(row, center, quaternion, velocity);
    }
    // Center, quaternion, velocity of a body.
    std::vector<double> of(int row) const {
        std::vector<double> out(13);
        world->body(row, out.data(), out.data() + 3, out.data() + 7);
        return out;
    }
    std::vector<double> of(const std::vector<int>& rows) const {
        std::vector<double> out;
        for (const int row : rows) {
            const std::vector<double> one = of(row);
            out.insert(out.end(), one.begin(), one.end());
        }
        return out;
    }
    // Upward force on collider `on` by collider `by` in the last step [N].
    double lift(int on, int by) {
        double sum = 0.0;
        for (const kido::WorldContact& c : world->contacts(true)) {
            if (c.first == on && c.second == by) sum += c.force[2];
            if (c.first == by && c.second == on) sum -= c.force[2];
        }
        return sum;
    }

    std::unique_ptr<kido::NativeWorld> world;
    kido::WorldSettings settings;

private:
    double friction_;
};
