#pragma once

#include <atomic>

#include "kido/contact/world_state.hpp"

// What velocities gain in a sub-step without impulses: free bodies by themselves, trees by the articulated-body algorithm.

KIDO_BEGIN

template <class T>
class StepAcceleration {
public:
    explicit StepAcceleration(WorldState<T>& world) : world_(world) {}

    // False where an inertia is not positive.
    bool accelerate(const WorldSettings& settings) {
        const double h = world_.substep_length(settings);
        world_.for_body_rows([&](std::size_t begin, std::size_t end) { accelerate_bodies(settings, h, begin, end); });
        std::atomic<bool> positive = true;
        world_.for_each_tree([&](std::size_t i) {
            WorldTree& tree = world_.trees[i];
            tree.couplings.drive(tree.articulation, settings.step);
            tree.servos.choose(tree.articulation, tree.motors, settings.step, [&] { return world_.is_apart(i); });
        });
        world_.for_each_bundle(
            [&](int i) { return world_.trees[i].articulation.is_plain(); },
            [&](auto& pass, const auto& bundle) {
                if (!pass.accelerate(bundle.members, settings.gravity, settings.step)) positive = false;
            },
            [&](std::size_t i) {
                if (!world_.trees[i].articulation.accelerate(settings.gravity, settings.step, true)) positive = false;
            });
        return positive;
    }

private:
    void accelerate_bodies(const WorldSettings& settings, double h, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (world_.bodies[i].kind != BodyKind::free || world_.bodies[i].asleep) continue;
            world_.gains[i] = world_.gain_of(static_cast<int>(i), settings.gravity, h);
        }
    }

    WorldState<T>& world_;
};

KIDO_END
