#pragma once

#include <cmath>
#include <utility>

#include "kido/contact/contact_report.hpp"
#include "kido/contact/displacing_rows.hpp"
#include "kido/contact/unmoved_contact.hpp"
#include "kido/contact/world_state.hpp"

// Overlaps in a step. Before it is solved, their depths are set aside; after it, all that they bear on is displaced until they are
// pushed out by the share of a step, by impulses that no velocity hears of (split impulses: Catto 2009, Modeling and solving
// constraints; Guendelman, Bridson and Fedkiw 2003). What is in contact with what moves is displaced with it, servos and loops hold.

KIDO_BEGIN

template <class T>
class StepOverlaps {
public:
    explicit StepOverlaps(WorldState<T>& world) : world_(world) {}

    // After manifolds were prepared.
    void set_aside() {
        world_.overlaps.clear();
        world_.pushed_touches.clear();
        if (!world_.pairs.any_overlap()) return;
        const std::vector<Touch>& touches = world_.pairs.touches();
        for (int t = 0; t < static_cast<int>(touches.size()); ++t) {
            if (touches[t].overlap == 0 || world_.pairs.is_asleep(touches[t]) || is_soft(touches[t])) continue;
            Overlap overlap = {t, {}};
            world_.pairs.with_store(touches[t], [&](auto& store) {
                auto& m = store.block_of(touches[t].slot);
                const int lane = store.lane_of(touches[t].slot);
                for (int p = 0; p < touches[t].count; ++p) {
                    overlap.gap[p] = stored_lane(m.gap[p], lane);
                    set_lane(m.gap[p], lane, std::max(overlap.gap[p], kApart));
                }
            });
            world_.overlaps.push_back(overlap);
        }
        world_.pairs.keep_overlaps(!world_.overlaps.empty() || world_.any_asleep);
    }
    // After displacements were found. `push_speed` [m/s]; `share`: of the depth that is pushed out in a step.
    void push_out(double step, double push_speed, double share) {
        if (world_.overlaps.empty()) return;
        most_ = push_speed * step;
        share_ = share;
        begin();
        const SideRows sides = {world_.bodies, world_.poses.data(), pushed_.data(), world_.displacements.data(), still_.data(),
                                world_.responses, &world_.loops};
        DisplacingRows rows(sides, moved_);
        StepRows found(sides);
        add_constraints(found, rows);
        for (const Overlap& o : world_.overlaps) add_manifold(o.touch, sides, found, rows);
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            const double change = rows.solve() ? 0.0 : rows.sweep(false);
            if (!spread(sides, found, rows) && change <= kConverged * largest_) break;
        }
        // Joints last: no dof is displaced beyond its limit.
        for (int k = 0; k < kSweeps && rows.sweep(true) > kConverged * largest_; ++k) {}
        see_new(rows);
        end(step / world_.substeps);
    }
    // After a step was made.
    void pass() {
        for (const Overlap& o : world_.overlaps) {
            const double depth = -*std::min_element(o.gap, o.gap + 4);
            world_.pairs.pass_overlap(o.touch, depth > kStillDeep * overlap_depth(reach(o.touch)));
        }
        for (const int t : world_.pushed_touches) world_.pairs.pass_overlap(t, true);
    }

private:
    static constexpr int kSweeps = 30;
    static constexpr double kConverged = 1e-3;   // of the largest displacement that is wanted
    static constexpr double kApart = 0.0;        // gap of what just touches, which is held softly [m]
    static constexpr double kStillDeep = 3.0;    // times the depth of a new overlap, beyond which it is not about to end
    static constexpr double kSlack = 1e-7;       // by which other contacts may close [m]
    static constexpr double kLeast = 0.5;        // of the displacement that is wanted, below which something is in the way
    static constexpr double kTaken = 1e-5;       // displacement into another contact that is one [m]
    static constexpr double kGive = 0.01, kHeldGive = 1e-5, kMotorGive = 1e-3, kJointGive = 1e-6;  // of rows, by what they are
    static constexpr double kMostOfReach = 0.2;  // largest displacement in shares of the smaller shape

    // A contact point that is no overlap, to see whether it becomes one.
    struct Neighbor {
        int touch, row;
        double gap;
    };

    struct PushedRow {
        int row;
        double wanted;
    };

    void begin() {
        pushed_.assign(world_.velocities.size(), MotionRow{});
        still_ = pushed_;
        moved_.assign(world_.bodies.size() + world_.trees.size(), 0);
        added_.assign(world_.pairs.touches().size(), 0);
        joined_.assign(moved_.size(), 0);
        largest_ = 0.0;
        neighbors_.clear();
        pushed_rows_.clear();
        list_touches();
        for (const int i : world_.awake_trees) world_.responses[i].set_motion_aside();
    }
    void end(double h) {
        for (std::size_t i = 1; i < world_.bodies.size(); ++i) {
            if (!moved_[i]) continue;
            for (int c = 0; c < 6; ++c) world_.displacements[i].v[c] += pushed_[i].v[c];
        }
        for (const int i : world_.awake_trees) world_.responses[i].take_as_displacement(h);
    }
    // Whether it is about a point or a face of a soft body, which yields by itself.
    bool is_soft(const Touch& touch) const {
        const ContactPair& pair = world_.pairs.pairs()[touch.pair];
        for (const int collider : {pair.first, pair.second}) {
            const SolverBody& body = world_.bodies[world_.colliders[collider].collider.body];
            if (body.kind == BodyKind::link && world_.trees[body.tree].articulation.is_soft(body.link)) return true;
        }
        return false;
    }
    // Of a row of the solver, in `moved_`; -1: it does not move.
    int node(int row) const {
        const SolverBody& body = world_.bodies[row];
        if (!body.moves()) return -1;
        return body.kind == BodyKind::link ? static_cast<int>(world_.bodies.size()) + body.tree : row;
    }
    template <class F>
    void for_each_node(int touch, F f) {
        const ContactPair& pair = world_.pairs.pairs()[world_.pairs.touches()[touch].pair];
        for (const int collider : {pair.first, pair.second}) {
            const int at = node(world_.colliders[collider].collider.body);
            if (at >= 0) f(at);
        }
    }
    // The manifolds of each node.
    void list_touches() {
        first_.assign(moved_.size() + 1, 0);
        const auto for_all = [&](const auto& f) {
            for (const ContactPair& pair : world_.pairs.pairs()) {
                if (pair.first < 0) continue;
                for (int t = pair.touch; t >= 0; t = world_.pairs.touches()[t].next) for_each_node(t, [&](int at) { f(at, t); });
            }
        };
        for_all([&](int at, int) { ++first_[at + 1]; });
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        of_node_.resize(first_.back());
        std::vector<int> next(first_.begin(), first_.end() - 1);
        for_all([&](int at, int t) { of_node_[next[at]++] = t; });
    }
    // Of what was displaced for the first time, its other manifolds and joints join in; whether any did.
    bool spread(const SideRows& sides, StepRows& found, DisplacingRows& rows) {
        bool any = false;
        for (std::size_t at = 0; at < moved_.size(); ++at) {
            if (!moved_[at] || joined_[at]) continue;
            joined_[at] = any = true;
            if (at >= world_.bodies.size()) add_joints(static_cast<int>(at - world_.bodies.size()), found, rows);
            for (int k = first_[at]; k < first_[at + 1]; ++k) add_manifold(of_node_[k], sides, found, rows);
        }
        return any;
    }
    void add_constraints(StepRows& found, DisplacingRows& rows) {
        const std::size_t first = found.rows().size();
        for (std::size_t i = 0; i < world_.constraints.size(); ++i) {
            const BodyConstraintRows& c = world_.constraints[i];
            if (!c.asleep && !c.eliminated()) c.add_rows(found, static_cast<int>(i), kKeep);
        }
        for (std::size_t i = 0; i < world_.linear_rows.size(); ++i) {
            if (!world_.linear_rows[i].asleep) world_.linear_rows[i].add_rows(found, static_cast<int>(i), kKeep);
        }
        take_rows(first, found, rows);
    }
    void add_joints(int tree, StepRows& found, DisplacingRows& rows) {
        const std::size_t first = found.rows().size();
        world_.trees[tree].motors.add_rows(found, tree);
        world_.trees[tree].couplings.add_rows(found, tree, kKeep);
        world_.trees[tree].limits.add_rows(found, tree, kKeep);
        take_rows(first, found, rows);
    }
    // Rows of constraints hold what they hold; springs yield.
    void take_rows(std::size_t first, StepRows& found, DisplacingRows& rows) {
        for (std::size_t i = first; i < found.rows().size(); ++i) {
            const SystemRow& row = found.rows()[i];
            if (row.softness > 0.0 || row.normal >= 0 || (row.lower == 0.0 && row.upper == 0.0)) continue;
            const bool pulls = row.lower < 0.0, pushes = row.upper > 0.0;
            const bool driven = pulls && pushes && (std::isfinite(row.lower) || std::isfinite(row.upper));
            DisplacingRow out = {0.0, pulls ? -HUGE_VAL : 0.0, pushes ? HUGE_VAL : 0.0, driven ? kMotorGive : kJointGive, !driven};
            if (!pulls) out.wanted = -std::max(row.keeping + rows.along(found.ends(i)), 0.0);
            if (!pushes) out.wanted = -std::min(row.keeping + rows.along(found.ends(i)), 0.0);
            rows.add(out, found.ends(i));
        }
    }
    template <class Block>
    ContactSides sides_of(const Touch& touch, const Block& m) const {
        using Pairs = ContactPairs<T>;
        const auto at = [&](const auto& sides) { return touch.full ? sides.full[touch.slot] : sides.single[touch.slot]; };
        if (touch.color == Pairs::kSurfaced) return world_.sides.surfaced[touch.slot];
        if (touch.color == Pairs::kSerial) return at(world_.sides);
        if (touch.color == Pairs::kDirect) return at(world_.direct);
        return {{m.first[0], -1, 0, 0, m.arm_first}, {m.second[0], -1, 0, 0, m.arm_second}};
    }
    double reach(int touch) const {
        const ContactPair& pair = world_.pairs.pairs()[world_.pairs.touches()[touch].pair];
        return std::min(world_.colliders[pair.first].collider.shape->radius, world_.colliders[pair.second].collider.shape->radius);
    }
    void add_manifold(int t, const SideRows& sides, StepRows& found, DisplacingRows& rows) {
        const Touch& touch = world_.pairs.touches()[t];
        if (world_.pairs.is_asleep(touch) || is_soft(touch) || std::exchange(added_[t], 1)) return;
        const auto is_it = [&](const Overlap& o) { return o.touch == t; };
        const auto overlap = std::find_if(world_.overlaps.begin(), world_.overlaps.end(), is_it);
        const bool overlaps = overlap != world_.overlaps.end();
        const double most = std::min(most_, kMostOfReach * reach(t));
        world_.pairs.with_store(touch, [&](auto& store) {
            const auto m = block_lane(store.block_of(touch.slot), store.lane_of(touch.slot));
            const ContactSides at = sides_of(touch, m);
            const Mat3<double> frame = frame_of(m);
            const FrameMotion<double> moved = at.displacement(sides, frame);
            for (int p = 0; p < touch.count; ++p) {
                const double gap = (overlaps ? overlap->gap[p] : m.gap[p]) + normal_motion(m, moved, p);
                DisplacingRow row = {-(std::max(gap, 0.0) + kSlack), 0.0, HUGE_VAL, kHeldGive, false};
                if (overlaps && gap < 0.0) {
                    row.wanted = std::min(-gap * share_, most);
                    row.give = kGive;
                    row.damping = contact_damping(sides, at, scale_of(sides, at.first) + scale_of(sides, at.second), row.wanted);
                    largest_ = std::max(largest_, row.wanted);
                }
                const int index = found.add({}, at, frame, {{1.0, 0.0, 0.0}, {0.0, m.at_2[p], -m.at_1[p]}});
                const int added = rows.add(row, found.ends(index));
                if (!overlaps && added >= 0) neighbors_.push_back({t, added, gap});
                // What is shallow waits: in a heap there is no end of rows, and those around it would be taken for overlaps in turn.
                if (overlaps && -gap > overlap_depth(reach(t)) && added >= 0) pushed_rows_.push_back({added, row.wanted});
            }
        });
    }
    // Other contacts that were displaced into an overlap are one in the next step, and those that left no room for one.
    void see_new(const DisplacingRows& rows) {
        bool stuck = false;
        for (const PushedRow& p : pushed_rows_) stuck |= rows.displacement(p.row) < kLeast * p.wanted;
        for (const Neighbor& n : neighbors_) {
            const double pushed = rows.displacement(n.row);
            const bool overlaps = pushed < -kTaken && n.gap + pushed < -overlap_depth(reach(n.touch));
            if (overlaps || (stuck && rows.impulse(n.row) > 0.0)) world_.pushed_touches.push_back(n.touch);
        }
    }

    static constexpr Correction kKeep = {1.0, 0.0, 0.0};  // errors are gaps

    WorldState<T>& world_;
    std::vector<MotionRow> pushed_, still_;
    std::vector<char> moved_, joined_, added_;  // nodes that were displaced, those whose manifolds are in; manifolds
    std::vector<int> first_, of_node_;          // manifolds of the nodes
    std::vector<Neighbor> neighbors_;
    std::vector<PushedRow> pushed_rows_;
    double most_ = 0.0, share_ = 0.0, largest_ = 0.0;
};

KIDO_END
