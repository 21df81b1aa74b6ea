#pragma once

#include "kido/contact/world_state.hpp"

// Impacts of what has restitution, before the sub-steps of a step, and where they have taken the bodies.

KIDO_BEGIN

template <class T>
class StepImpacts {
public:
    explicit StepImpacts(WorldState<T>& world) : world_(world) {}

    // Impacts of what has restitution.
    void collide(const WorldSettings& settings, double h) {
        world_.impacts.clear();
        if (!world_.pairs.elastic()) return;
        const ImpactSettings s = {settings.step, settings.bounce_threshold, 1.0 / h};
        carry();
        SideRows rows = world_.side_rows();
        rows.gains = world_.carried.data();
        bool any = true;
        for (int pass = 0; any && pass < kImpactPasses; ++pass) {
            any = false;
            world_.for_each_single([&](const ContactSides& sides, auto& store, int slot) {
                const double restitution = store.anchors_of(slot).restitution;
                if (!(restitution > 0.0)) return;
                any |= collide_one(s, rows, sides, lane_of(store.block_of(slot), 0), restitution, store.owner(slot));
            });
            world_.for_each_store([&](auto& store) {
                for (std::size_t k = 0; k < store.bundles(); ++k) any |= collide_bundle(s, rows, store, k);
            });
        }
        world_.launched = world_.velocities;
        if (world_.impacts.empty()) return;
        hold_gaps(rows);
        world_.leaps = world_.displacements;
        std::fill(world_.displacements.begin(), world_.displacements.end(), MotionRow{});
        for (const int i : world_.awake_trees) world_.responses[i].set_leaps_aside();
    }
    // Where impacts have taken the bodies. What touched nothing else flies along its exact parabola.
    void land(double h) {
        if (!world_.pairs.elastic()) return;
        for (std::size_t i = 1; i < world_.bodies.size(); ++i) {
            if (world_.bodies[i].kind != BodyKind::free || world_.bodies[i].touches == 0) continue;
            double v[6];
            std::copy_n(world_.launched[i].v, 6, v);
            for (int s = 0; s < world_.substeps; ++s) {
                for (int c = 0; c < 6; ++c) v[c] += world_.gains[i].v[c];
            }
            if (!std::equal(v, v + 6, world_.velocities[i].v)) continue;
            for (int c = 0; c < 3; ++c) world_.displacements[i].v[c] -= 0.5 * h * world_.substeps * world_.gains[i].v[c];
        }
        if (world_.impacts.empty()) return;
        for (std::size_t i = 1; i < world_.bodies.size(); ++i) {
            for (int c = 0; c < 6; ++c) world_.displacements[i].v[c] += world_.leaps[i].v[c];
        }
        for (const int i : world_.awake_trees) world_.responses[i].take_leaps();
    }

private:
    static constexpr int kImpactPasses = 50;
    static constexpr double kCarried = 0.25;     // share of the square of its gain that a body gained that contacts carry

    // What velocities gain until an impact: nothing where contacts have carried the body in the last step.
    void carry() {
        world_.carried = world_.gains;
        if (world_.start_velocities.size() != world_.velocities.size()) return;
        for (std::size_t i = 1; i < world_.bodies.size(); ++i) {
            if (world_.bodies[i].kind != BodyKind::free || world_.bodies[i].touches == 0) continue;
            const Vec3<double> gained = vec3(world_.velocities[i].v) - vec3(world_.start_velocities[i].v);
            const Vec3<double> gain = vec3(world_.gains[i].v) * world_.substeps;
            if (dot(gained, gained) < kCarried * dot(gain, gain)) world_.carried[i] = MotionRow{};
        }
    }
    // Sub-steps see the velocities after impacts, but not that these came late: nothing may close its gap too early.
    void hold_gaps(const SideRows& rows) {
        world_.for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            auto& m = store.block_of(slot);
            widen_gaps(m, sides.displacement(rows, frame_of(m)));
        });
        world_.for_each_store([&](auto& store) {
            for (std::size_t k = 0; k < store.bundles(); ++k) {
                auto& m = store.blocks()[k];
                const MotionRow* moved = world_.displacements.data();
                widen_gaps(m, relative_motion(m, load_motion<T>(moved, m.first), load_motion<T>(moved, m.second)));
            }
        });
    }
    template <class Store>
    bool collide_bundle(const ImpactSettings& s, const SideRows& rows, Store& store, std::size_t k) {
        const auto& anchors = store.anchors()[k];
        const auto& block = store.blocks()[k];
        unsigned lanes =
            closing_lanes(s, anchors, block, world_.velocities.data(), world_.displacements.data(), world_.carried.data());
        bool any = false;
        for (int lane = 0; lanes != 0; ++lane, lanes >>= 1) {
            if ((lanes & 1) == 0) continue;
            const auto m = lane_of(block, lane);
            const ContactSides sides = {{m.first[0], -1, 0, false, m.arm_first}, {m.second[0], -1, 0, false, m.arm_second}};
            const int slot = static_cast<int>(k) * store.width + lane;
            any |= collide_one(s, rows, sides, m, get_lane(anchors.restitution, lane), store.owner(slot));
        }
        return any;
    }
    template <class Block>
    bool collide_one(const ImpactSettings& s, const SideRows& rows, const ContactSides& sides, Block m, double restitution,
                     int touch) {
        if (!ManifoldImpact<Block>(s, rows, sides, m).resolve(restitution)) return false;
        world_.impacts.push_back({touch, {}});
        for (int p = 0; p < m.points; ++p) {
            double* x = world_.impacts.back().impulses[p];
            x[0] = m.normal_impulse[p];
            x[1] = m.impulse_1[p];
            x[2] = m.impulse_2[p];
        }
        return true;
    }

    WorldState<T>& world_;
};

KIDO_END
