#pragma once

#include "kido/contact/impact_group.hpp"
#include "kido/contact/world_state.hpp"

// Impacts of what has restitution, before the sub-steps of a step, and where they have taken the bodies. Of each body the earliest come
// first, those at the same time together.

KIDO_BEGIN

template <class T>
class StepImpacts {
public:
    explicit StepImpacts(WorldState<T>& world) : world_(world) {}

    // Impacts of what has restitution.
    void collide(const WorldSettings& settings, double h) {
        world_.impacts.clear();
        world_.impact_turns.clear();
        if (!world_.pairs.elastic()) return;
        const ImpactSettings s = {settings.step, settings.bounce_threshold, 1.0 / h};
        carry();
        SideRows rows = world_.side_rows();
        rows.gains = world_.carried.data();
        for (int pass = 0; pass < kImpactPasses; ++pass) {
            find(s, rows);
            if (found_.empty() || !resolve(s, rows)) break;
        }
        world_.launched = world_.velocities;
        if (world_.impacts.empty()) return;
        hold_gaps(rows);
        world_.leaps = world_.displacements;
        for (ImpactTurn& turn : world_.impact_turns) turn.leap = vec3(world_.leaps[turn.row].v + 3);
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
    static constexpr int kImpactPasses = 100;
    static constexpr double kSameTime = 1e-3;    // share of a step within which impacts are at the same time
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
    // Manifolds that have an impact in the step.
    void find(const ImpactSettings& s, const SideRows& rows) {
        found_.clear();
        world_.for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            const double restitution = store.anchors_of(slot).restitution;
            if (restitution > 0.0) add(s, rows, sides, lane_of(store.block_of(slot), 0), restitution, store.owner(slot));
        });
        world_.for_each_store([&](auto& store) {
            for (std::size_t k = 0; k < store.bundles(); ++k) find_in_bundle(s, rows, store, k);
        });
    }
    template <class Store>
    void find_in_bundle(const ImpactSettings& s, const SideRows& rows, Store& store, std::size_t k) {
        const auto& anchors = store.anchors()[k];
        const auto& block = store.blocks()[k];
        unsigned lanes =
            closing_lanes(s, anchors, block, world_.velocities.data(), world_.displacements.data(), world_.carried.data());
        for (int lane = 0; lanes != 0; ++lane, lanes >>= 1) {
            if ((lanes & 1) == 0) continue;
            const auto m = lane_of(block, lane);
            const ContactSides sides = {{m.first[0], -1, 0, 0, m.arm_first}, {m.second[0], -1, 0, 0, m.arm_second}};
            const int slot = static_cast<int>(k) * store.width + lane;
            add(s, rows, sides, m, get_lane(anchors.restitution, lane), store.owner(slot));
        }
    }
    template <class Block>
    void add(const ImpactSettings& s, const SideRows& rows, const ContactSides& sides, const Block& m, double restitution, int touch) {
        ManifoldImpact<Block> impact(s, sides, m, restitution, touch);
        if (impact.find(rows)) found_.emplace_back(impact);
    }
    // Those that are the first of both of their bodies, in groups that share bodies; false where there is none after all.
    bool resolve(const ImpactSettings& s, const SideRows& rows) {
        earliest_.assign(world_.bodies.size(), HUGE_VAL);
        for (const AnyImpact& impact : found_) {
            for_each_node(impact, [&](int node) { earliest_[node] = std::min(earliest_[node], time_of(impact)); });
        }
        nodes_.begin(world_.bodies.size());
        first_.clear();
        for (AnyImpact& impact : found_) {
            bool first = true;
            for_each_node(impact, [&](int node) { first &= time_of(impact) <= earliest_[node] + kSameTime * s.step; });
            if (!first) continue;
            int joined = node_of(impact);
            for_each_node(impact, [&](int node) { nodes_.join(std::exchange(joined, node), node); });
            first_.push_back(&impact);
        }
        bool any = false;
        for (std::size_t i = 0; i < first_.size(); ++i) {
            if (!first_[i]) continue;
            const int group = group_of(*first_[i]);
            group_.clear();
            for (std::size_t k = i; k < first_.size(); ++k) {
                if (!first_[k] || group_of(*first_[k]) != group) continue;
                group_.push_back(std::exchange(first_[k], nullptr));
            }
            any |= collide_group(rows);
        }
        return any;
    }
    bool collide_group(const SideRows& rows) {
        bodies_.clear();
        turning_.clear();
        double time = HUGE_VAL;
        for (const AnyImpact* impact : group_) {
            time = std::min(time, time_of(*impact));
            for_each_node(*impact, [&](int row) {
                const bool turns = world_.bodies[row].kind == BodyKind::free && !BodyAtImpact::is_round(world_.constants[row]);
                if (turns && std::find(turning_.begin(), turning_.end(), row) == turning_.end()) turning_.push_back(row);
            });
        }
        for (const int row : turning_) turn_of(row);
        bodies_.reserve(turning_.size());
        for (const int row : turning_) {
            bodies_.emplace_back(world_.constants[row], world_.poses[row], world_.velocities[row], turn_of(row), time);
        }
        const bool resolved = ImpactGroup(rows, group_).resolve();
        for (BodyAtImpact& body : bodies_) body.go_back();
        if (!resolved) return false;
        for (const AnyImpact* impact : group_) {
            world_.impacts.push_back(std::visit([](const auto& i) { return i.impulses(); }, *impact));
        }
        return true;
    }
    ImpactTurn& turn_of(int row) {
        for (ImpactTurn& turn : world_.impact_turns) {
            if (turn.row == row) return turn;
        }
        world_.impact_turns.push_back({row, identity3<double>(), zero3<double>()});
        return world_.impact_turns.back();
    }
    static double time_of(const AnyImpact& impact) {
        return std::visit([](const auto& i) { return i.time(); }, impact);
    }
    // What moves of its bodies, a skeleton as one, by rows.
    template <class F>
    void for_each_node(const AnyImpact& impact, F f) const {
        const ContactSides& sides = std::visit([](const auto& i) -> const ContactSides& { return i.sides(); }, impact);
        for (const ContactSide* side : {&sides.first, &sides.second}) {
            if (side->tree >= 0) {
                f(world_.trees[side->tree].articulation.first_row());
            } else if (world_.bodies[side->row].moves()) {
                f(side->row);
            }
        }
    }
    int node_of(const AnyImpact& impact) const {
        int last = 0;
        for_each_node(impact, [&](int node) { last = node; });
        return last;
    }
    int group_of(const AnyImpact& impact) { return nodes_.root(node_of(impact)); }

    std::vector<AnyImpact> found_;
    std::vector<AnyImpact*> first_, group_;
    std::vector<double> earliest_;
    std::vector<int> turning_;
    std::vector<BodyAtImpact> bodies_;
    UnionFind nodes_;
    WorldState<T>& world_;
};

KIDO_END
