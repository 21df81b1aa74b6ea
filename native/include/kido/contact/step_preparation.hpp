#pragma once

#include <algorithm>

#include "kido/contact/step_overlaps.hpp"
#include "kido/contact/unmoved_contact.hpp"
#include "kido/contact/world_state.hpp"

// Before a step is solved: where each manifold is solved, which coordinates of trees are touched, and how bodies respond.

KIDO_BEGIN

template <class T>
class StepPreparation {
public:
    explicit StepPreparation(WorldState<T>& world) : world_(world) {}

    // The rows of constraints, and how bodies respond to their impulses.
    void prepare(const WorldSettings& settings) {
        const double h = world_.substep_length(settings);
        if (!world_.solved) choose_solvers(vec3(settings.gravity));
        touch(settings.step, h);
        const bool split = world_.crew && world_.constraints.empty() && world_.linear_rows.empty();
        world_.serial_islands.find(split ? world_.trees.size() : 0, world_.bodies, world_.sides);
        prepare_rows(settings.step, h);
        StepOverlaps<T>(world_).set_aside();
    }

private:
    // Brings manifolds to where they are solved: heavy on light directly.
    void choose_solvers(const Vec3<double>& gravity) {
        const bool chosen = world_.heavy.update(world_.direct.unsolved(), world_.pairs, world_.bodies, world_.colliders, world_.constraints,
                                                world_.poses.data(), gravity, world_.substep, [&] { return is_driven(); });
        if (!chosen) return;
        world_.pairs.sort_out(world_.bodies, world_.colliders, [&](int row) { return world_.heavy.is_direct(world_.bodies, row); });
    }
    // Whether anything but gravity acts on bodies.
    bool is_driven() const {
        for (const MotionRow& row : world_.wrenches) {
            if (std::any_of(row.v, row.v + 6, [](double x) { return x != 0.0; })) return true;
        }
        return std::any_of(world_.trees.begin(), world_.trees.end(), [](const WorldTree& t) { return t.articulation.is_driven(); });
    }
    // Which coordinates of the articulations constraints touch, and their responses.
    void touch(double step, double h) {
        for (const int i : world_.awake_trees) world_.responses[i].begin();
        world_.for_each_linear([&](LinearRows& c) { c.find(world_.trees, world_.responses, world_.disturbed); });
        place_constraints();
        claim_sides();
        place_sides(world_.pairs.serial().full, world_.sides.full);
        place_sides(world_.pairs.serial().single, world_.sides.single);
        place_sides(world_.pairs.surfaced(), world_.sides.surfaced);
        place_sides(world_.pairs.direct().full, world_.direct.full);
        place_sides(world_.pairs.direct().single, world_.direct.single);
        world_.loops.find(world_.bodies, world_.constraints, world_.trees.size(),
                          [&](int row) { return world_.heavy.is_direct(world_.bodies, row); });
        expect_impacts();
        world_.for_each_tree([&](std::size_t i) {
            WorldTree& tree = world_.trees[i];
            tree.limits.find(tree.articulation, world_.responses[i], step);
            world_.responses[i].is_limited = tree.limits.any_exceeded();
            tree.motors.find(tree.articulation, world_.responses[i], h, world_.substeps);
            tree.couplings.find(tree.articulation, world_.responses[i]);
            world_.responses[i].compute(tree.articulation, h);
            if (!world_.loops.waits()) prepare_joints(i, h);
        });
        if (!world_.loops.waits()) return;
        world_.loops.fold(world_.constraints, world_.responses, [&](int tree) { return !world_.trees[tree].has_no_rows(); });
        world_.for_each_tree([&](std::size_t i) { prepare_joints(i, h); });
    }
    // Of trees that something hits. Where constraints pull at one, and contacts resist, sweeps of so many more rows leave velocities far beyond
    // their limits: it has rows of the limits that are missed.
    void expect_impacts() {
        const auto expect = [&](int row, bool impact) {
            if (world_.bodies[row].kind == BodyKind::link) world_.trees[world_.bodies[row].tree].limits.expect_impact(impact);
        };
        for (const int row : world_.pairs.hit_rows()) expect(row, true);
        world_.for_each_constraint([&](const BodyConstraintRows& c) {
            expect(c.constraint().first, false);
            expect(c.constraint().second, false);
        });
    }
    void prepare_joints(std::size_t i, double h) {
        WorldTree& tree = world_.trees[i];
        tree.limits.prepare(tree.articulation, world_.responses[i], h);
        tree.motors.prepare(world_.responses[i]);
        tree.couplings.prepare(world_.responses[i]);
    }
    DirectTree direct_tree(int index) {
        WorldTree& tree = world_.trees[index];
        return {&tree.articulation, &world_.responses[index], &tree.limits, &tree.motors, &tree.couplings, world_.loops.of(index), nullptr};
    }
    void place_constraints() {
        world_.for_each_constraint([&](BodyConstraintRows& c) {
            c.place(world_.poses.data(), world_.disturbed);
            for (ContactSide* side : {&c.sides().first, &c.sides().second}) {
                const int row = side == &c.sides().first ? c.constraint().first : c.constraint().second;
                const SolverBody& body = world_.bodies[row];
                *side = {row, -1, 0, 0, side->arm};
                if (body.kind != BodyKind::link) continue;
                const Articulation& a = world_.trees[body.tree].articulation;
                side->tree = body.tree;
                side->arm = side->arm + a.arm(body.link);
                side->coordinate = world_.responses[body.tree].add_constrained_link(a.model(), body.link);
            }
        });
    }
    template <class Store>
    void place_sides(Store& store, std::vector<ContactSides>& sides) {
        sides.resize(store.size());
        for (int slot = 0; slot < store.size(); ++slot) {
            const Touch& touch = world_.pairs.touches()[store.owner(slot)];
            auto& m = store.block_of(slot);
            const PoseRow* poses = world_.poses.data();
            const BodyPose<double> first = load_pose<double>(poses, m.first), second = load_pose<double>(poses, m.second);
            align(store.anchors_of(slot), m, first, second);
            place_manifold(store.anchors_of(slot), first, second, m);
            find_side(sides[slot].first, m.first[0], m.arm_first, m, touch);
            find_side(sides[slot].second, m.second[0], m.arm_second, m, touch);
            constexpr bool belts = std::is_same_v<Store, std::remove_cvref_t<decltype(world_.pairs.surfaced())>>;
            if (belts || !is_fixed(m.first[0])) find_pushed(m.second[0]);
            if (belts || !is_fixed(m.second[0])) find_pushed(m.first[0]);
        }
    }
    template <int Points>
    void find_side(ContactSide& side, int row, const Vec3<double>& arm, const ManifoldBlock<double, Points>& m, const Touch& touch) {
        const SolverBody& body = world_.bodies[row];
        if (body.kind != BodyKind::link) return side.set(row, -1, 0, 0, arm);
        const Articulation& a = world_.trees[body.tree].articulation;
        ArticulationResponse& response = world_.responses[body.tree];
        if (a.is_soft(body.link)) return find_soft_side(side, row, arm, frame_of(m), touch);
        const Vec3<double> from_reference = a.arm(body.link) + arm;
        // No more than the link's, which points around it have claimed too where there are some.
        const bool own = response.is_factored() || (Points > 1 && body.touches == 1 && a.softs.empty());
        const int framed = is_point(body, Points) ? 3 : own ? own_coordinates(Points) : 0;
        const int coordinate = framed > 0 ? response.add_framed(a.model(), body.link, frame_of(m), from_reference, framed)
                                          : response.add_link(a.model(), body.link);
        side.set(row, body.tree, coordinate, framed, from_reference);
    }
    bool is_fixed(int row) const { return world_.bodies[row].kind == BodyKind::fixed; }
    void find_pushed(int row) {
        const SolverBody& body = world_.bodies[row];
        if (body.kind == BodyKind::link) world_.responses[body.tree].is_pushed = true;
    }
    // A point around a link, or the corners of a face, which its contact moves as a whole.
    void find_soft_side(ContactSide& side, int row, const Vec3<double>& arm, const Mat3<double>& frame, const Touch& touch) {
        const SolverBody& body = world_.bodies[row];
        const Articulation& a = world_.trees[body.tree].articulation;
        const auto [part, point] = a.point(body.link);
        const SoftPart& soft = a.softs[part];
        const LinkMotion<double>& at = a.link_motion(soft.link);
        const PointShares on = point >= 0 ? PointShares{1, {point, 0, 0}, {1.0, 0.0, 0.0}} : on_face(row, arm, touch);
        const Vec3<double> middle = soft.arm(at, on), contact = point >= 0 ? arm : arm - middle;
        const int coordinate =
            world_.responses[body.tree].add_points(a.model(), soft.link, part, on, frame, soft.share(at, on), at.arm, contact);
        side.set(row, body.tree, coordinate, 3, at.arm + middle + contact);
    }
    // `arm`: from the link's origin.
    PointShares on_face(int row, const Vec3<double>& arm, const Touch& touch) const {
        const ContactPair& pair = world_.pairs.pairs()[touch.pair];
        const int first = world_.colliders[pair.first].collider.body;
        const SkinSurface& skin = world_.colliders.skins()[world_.colliders[first == row ? pair.first : pair.second].skin];
        const int triangle = FacePart::triangle(touch.part);
        PointShares on = {3, {}, {}};
        std::copy_n(&skin.corners[3 * triangle], 3, on.points);
        skin.weights(world_.poses.data(), triangle, vec3(world_.poses[row].v) + arm, on.weights);
        return on;
    }
    // A link that one or two points touch moves by these alone, with no more coordinates than it has itself.
    bool is_point(const SolverBody& body, int points) const {
        return points == 1 && body.touches <= 2 && !world_.responses[body.tree].has_whole(body.link);
    }
    // Of a contact alone, in its manifold's frame.
    static int own_coordinates(int points) { return points == 1 ? 3 : 6; }
    // Coordinates of all contacts. Single points last, when it is known which links have all six.
    void claim_sides() {
        claim_sides(world_.pairs.serial().full);
        claim_sides(world_.pairs.surfaced());
        claim_sides(world_.pairs.direct().full);
        claim_sides(world_.pairs.serial().single);
        claim_sides(world_.pairs.direct().single);
        for (const int i : world_.awake_trees) world_.responses[i].allot();
    }
    template <class Store>
    void claim_sides(Store& store) {
        for (int slot = 0; slot < store.size(); ++slot) {
            const auto& m = store.block_of(slot);
            for (const int row : {m.first[0], m.second[0]}) {
                const SolverBody& body = world_.bodies[row];
                if (body.kind == BodyKind::link) claim_side(body, std::remove_cvref_t<decltype(m)>::points);
            }
        }
    }
    void claim_side(const SolverBody& body, int points) {
        ArticulationResponse& response = world_.responses[body.tree];
        const Articulation& a = world_.trees[body.tree].articulation;
        if (a.is_soft(body.link)) {
            response.need_matrix();
            response.claim_link(a.carrier(body.link));
            return;
        }
        response.claim_framed(body.link, own_coordinates(points));
        if (is_point(body, points)) {
            response.claim_point(body.link);
        } else {
            response.claim_link(body.link);
        }
    }
    void prepare_rows(double step, double h) {
        const SharedLoop loop(world_.crew);
        world_.for_each_store([&](auto& store) {
            loop(store.bundles(), kSharedBundles, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k) {
                    if (end - begin > kFetchedAhead && k + 1 < end) fetch(store.blocks()[k + 1]);
                    prepare_manifold(store.anchors()[k], world_.poses.data(), store.blocks()[k]);
                }
            });
        });
        const SideRows rows = world_.side_rows();
        world_.for_each_linear([&](LinearRows& c) { c.prepare(rows, h); });
        world_.for_each_constraint([&](BodyConstraintRows& c) { c.prepare(rows, h); });
        world_.coupled.prepare(rows, world_.constraints, world_.linear_rows);
        world_.direct.begin(
            world_.pairs.direct(), world_.pairs.surfaced(), world_.sides.surfaced, world_.bodies, world_.trees.size(),
            [&](int row) { return world_.heavy.island_of(row); }, [&](int row) { return world_.heavy.is_direct(world_.bodies, row); },
            [&](int i) { return direct_tree(i); });
        world_.for_each_single([&](ContactSides& sides, auto& store, int slot) {
            sides.find_places(rows);
            sides.prepare(rows, h, store.anchors_of(slot), store.block_of(slot));
            leave_unmoved(rows, sides, store.block_of(slot));
        });
        std::vector<char> hit(world_.trees.size(), 0);
        for (const int row : world_.pairs.hit_rows()) {
            if (world_.bodies[row].kind == BodyKind::link) hit[world_.bodies[row].tree] = 1;
        }
        find_loaded(rows, hit, world_.loaded, world_.sides.full, world_.pairs.serial().full);
        find_loaded(rows, hit, world_.loaded_points, world_.sides.single, world_.pairs.serial().single);
        world_.direct.prepare(rows, step, h, [&](int row) { return vec3(world_.constants[row].v + 3); }, loop);
    }

    template <int Points, class Store>
    void find_loaded(const SideRows& rows, const std::vector<char>& hit, LoadedContacts<Points>& loaded,
                      const std::vector<ContactSides>& sides, Store& store) {
        loaded.begin(sides.size());
        for (int slot = 0; slot < static_cast<int>(sides.size()); ++slot) {
            loaded.find(rows, world_.trees, hit, sides[slot], store.anchors_of(slot), slot, store.block_of(slot));
        }
    }

    WorldState<T>& world_;
};

KIDO_END
