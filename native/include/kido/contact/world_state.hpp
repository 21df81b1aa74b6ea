#pragma once

#include "kido/contact/body_constraint.hpp"
#include "kido/contact/constrained_motion.hpp"
#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/coupled_constraints.hpp"
#include "kido/contact/direct_solve.hpp"
#include "kido/contact/free_motion.hpp"
#include "kido/contact/heavy_islands.hpp"
#include "kido/contact/impact.hpp"
#include "kido/contact/impact_turn.hpp"
#include "kido/contact/loaded_contact.hpp"
#include "kido/contact/linear_rows.hpp"
#include "kido/contact/loop_elimination.hpp"
#include "kido/contact/serial_islands.hpp"
#include "kido/contact/sleeping.hpp"
#include "kido/contact/step_record.hpp"
#include "kido/contact/swept_islands.hpp"
#include "kido/contact/tree_bundles.hpp"
#include "kido/contact/world_tree.hpp"

// What a world consists of, and what its steps work on: bodies by rows, trees, constraints, pairs of shapes. Manifolds between free
// bodies are solved in colors, as many at once as there are lanes; those with links one by one.

KIDO_BEGIN

// Of a share of a loop on threads, at least.
inline constexpr std::size_t kSharedRows = 1024, kSharedBundles = 8, kSharedTrees = 4;

struct RowRange {
    std::size_t begin, end;
};

template <class T>
struct WorldState {
    std::vector<SolverBody> bodies;
    std::vector<PlaceRow> places;
    std::vector<ConstantRow> constants;
    std::vector<PoseRow> poses;
    std::vector<MotionRow> velocities, displacements, gains, carried, before, unsolved;
    std::vector<PlaceRow> start_places;      // before the last step that was made
    std::vector<MotionRow> start_velocities;
    std::vector<MotionRow> wrenches;  // torque, force in principal axes
    std::vector<double> turned;
    std::vector<int> free_rows;       // of free bodies that are awake, in whole registers; empty: not listed yet
    std::vector<RowRange> body_ranges;  // rows that are not of links, whose motion trees have
    std::vector<WorldTree> trees;
    std::vector<ArticulationResponse> responses;
    TreeBundles<T> bundles;  // of the present stage
    std::vector<BodyConstraintRows> constraints;
    std::vector<LinearRows> linear_rows;
    CoupledConstraints coupled;
    LoopElimination loops;
    ConstrainedMotion constrained;
    bool disturbed = true;  // whether bodies were moved by others than steps
    ColliderSet colliders;
    ContactPairs<T> pairs;
    SerialSides sides;
    HeavyIslands heavy;
    DirectSolve direct;
    LoadedContacts<4> loaded;
    LoadedContacts<1> loaded_points;
    SerialIslands serial_islands;
    SweptIslands<T> swept_islands;
    SmoothMotion smooth;
    StepSystem system;
    std::vector<Overlap> overlaps;           // of the present step
    std::vector<int> pushed_touches;         // manifolds that these were pushed into
    std::vector<ImpactImpulses> impacts;     // of the present step
    std::vector<ImpactTurn> impact_turns;    // of bodies that these have hit
    std::vector<MotionRow> leaps, launched;  // displacements by impacts, and velocities after them
    double substep = 0.0, step = 0.0;  // of the last step [s]
    int substeps = 1;      // of the present step
    double fineness = 1.0;  // how much shorter sub-steps are than settings say
    double pushing = 1.0;   // share of the speed at which they push out depth
    bool stepping = false, solved = false;  // whether a step was begun, and has begun to solve
    StepRecord record;
    bool recording = false;  // whether the present step is recorded
    Crew* crew = nullptr;  // who shares the steps
    Sleeping sleep;
    Islands sleep_islands;
    std::vector<int> awake_trees;
    bool any_asleep = false, all_asleep = false;

    // Of the manifolds that are visited one by one.
    int add_row(const SolverBody& body) {
        const int row = static_cast<int>(bodies.size());
        bodies.push_back(body);
        heavy.add_row();
        sleep.add_row();
        free_rows.clear();
        // Whole registers of rows, the same for every width.
        const std::size_t rows = (bodies.size() + 7) / 8 * 8;
        places.resize(rows, PlaceRow{{0, 0, 0, 0, 0, 0, 1, 0}});
        constants.resize(rows, ConstantRow{});
        poses.resize(rows, PoseRow{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}});
        for (auto* motion : {&velocities, &displacements, &gains, &before, &wrenches}) motion->resize(rows, MotionRow{});
        turned.resize(rows, 0.0);
        if (body.kind != BodyKind::link) list_body(static_cast<std::size_t>(row));
        return row;
    }
    void list_body(std::size_t row) {
        if (body_ranges.empty() || body_ranges.back().end != row) body_ranges.push_back({row, row});
        ++body_ranges.back().end;
    }
    // Calls f(begin, end) with pieces of the rows that are not of links.
    template <class F>
    void for_body_rows(const F& f) const {
        const SharedLoop loop(crew);
        for (const RowRange& range : body_ranges) {
            loop(range.end - range.begin, kSharedRows,
                 [&](std::size_t begin, std::size_t end) { f(range.begin + begin, range.begin + end); });
        }
    }
    // Velocities before impulses, where the step may be solved again.
    void keep_unsolved() {
        unsolved.resize(velocities.size());
        copy_bodies(velocities, unsolved);
    }
    void take_unsolved() { copy_bodies(unsolved, velocities); }
    void copy_bodies(const std::vector<MotionRow>& from, std::vector<MotionRow>& to) const {
        for (const RowRange& range : body_ranges) std::copy_n(&from[range.begin], range.end - range.begin, &to[range.begin]);
    }
    void refresh(int row) {
        const double* s = places[row].v;
        const double* c = constants[row].v;
        const double place[8] = {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]};
        const Mat3<double> R = rotation(Quaternion<double>{s[3], s[4], s[5], s[6]});
        store_pose(poses.data(), &row, place, R, rotated_diagonal(R, c[0], c[1], c[2]));
    }
    // All numbers that a step starts from.
    void archive(StateArchive& archive) {
        constexpr std::uint64_t kArchiveVersion = 11;  // of the bytes of `save`
        std::uint64_t version = kArchiveVersion, tree_count = trees.size();
        std::uint64_t constraint_count = constraints.size() + linear_rows.size();
        for (std::uint64_t* number : {&version, &tree_count, &constraint_count}) archive(*number);
        archive.require(version == kArchiveVersion && tree_count == trees.size() &&
                        constraint_count == constraints.size() + linear_rows.size());
        archive.same_length(bodies);
        archive.same_length(places);
        archive.same_length(poses);
        archive.same_length(velocities);
        archive.same_length(gains);
        archive.same_length(turned);
        archive(start_places);
        archive(start_velocities);
        archive(step);
        record.archive(archive);
        for (ArticulationResponse& response : responses) response.archive(archive);
        for (WorldTree& tree : trees) tree.archive(archive);
        for (BodyConstraintRows& c : constraints) c.archive(archive);
        for (LinearRows& c : linear_rows) c.archive(archive);
        colliders.archive(archive);
        pairs.archive(archive);
        heavy.archive(archive);
        direct.archive(archive);
        sleep.archive(archive);
        archive.same_length(wrenches);
        archive(disturbed);
        archive(substep);
        archive(impacts);
        archive(fineness);
        archive(pushing);
        if (archive.reads()) find_awake();
    }
    // Into how many sub-steps a step is divided: none is longer than settings say, and where heavy bodies lie on light ones that cannot
    // be solved directly, much shorter, for what sinks into each other does so by the square of their length.
    void divide(const WorldSettings& settings) {
        const double finer = std::isfinite(settings.longest_substep) ? fineness : 1.0;
        substeps = std::max(1, static_cast<int>(std::ceil(settings.step / settings.longest_substep * finer - 1e-9)));
        const double h = substep_length(settings);
        if (substep <= 0.0 || h == substep) return;
        scale_impulses(h / substep);
        substep = h;
    }
    // After a step. Short sub-steps would push out at once what has sunk in long ones: at first they push as these do.
    void choose_fineness() {
        constexpr double kFinest = 16.0, kSlower = 4.0, kStiffer = 1.25;
        const double before = fineness;
        const bool fine = heavy.any_large() || !direct.unsolved().empty();
        fineness = fine ? kFinest : std::max(fineness / kSlower, 1.0);
        pushing = std::min(pushing * (fineness > before ? before / fineness : kStiffer), 1.0);
    }
    // Those that sub-steps begin with, which are that many times longer than before.
    void scale_impulses(double factor) {
        for (WorldTree& tree : trees) {
            tree.motors.scale_impulses(factor);
            tree.couplings.scale_impulses(factor);
            tree.limits.scale_impulses(factor);
        }
        for (BodyConstraintRows& c : constraints) c.scale_impulses(factor);
        for (LinearRows& c : linear_rows) c.scale_impulses(factor);
        pairs.for_all_stores([&](auto& store) { store.scale_impulses(factor); });
        pairs.for_sleeping_stores([&](auto& store) { store.scale_impulses(factor); });
    }
    // Whether there are no impulses in the step that was prepared: nothing touches, holds, limits or drives anything.
    bool is_free() {
        return constraints.empty() && linear_rows.empty() && !pairs.any_awake() &&
               std::all_of(awake_trees.begin(), awake_trees.end(), [&](int i) { return responses[i].size() == 0; });
    }
    // Whether a step would change nothing: all sleeps, and nothing waits for a number of steps; or there is nothing.
    bool is_settled() const {
        if (bodies.size() == 1) return linear_rows.empty() && record.substeps > 0;
        return all_asleep && fineness == 1.0 && pushing == 1.0 && !heavy.any_resting() && direct.unsolved().empty();
    }
    // What steps are made of, after something fell asleep, woke, or was added.
    void find_awake() {
        bool any_awake = false;
        any_asleep = false;
        for (const SolverBody& body : bodies) {
            any_awake |= body.is_awake();
            any_asleep |= body.asleep;
        }
        all_asleep = any_asleep && !any_awake;
        free_rows.clear();
        awake_trees.clear();
        for (std::size_t i = 0; i < trees.size(); ++i) {
            if (!sleeps(i)) awake_trees.push_back(static_cast<int>(i));
        }
        for (BodyConstraintRows& c : constraints) c.asleep = bodies[c.constraint().first].asleep || bodies[c.constraint().second].asleep;
        for (LinearRows& c : linear_rows) {
            c.asleep = false;
            c.for_each_body(trees, [&](int row) { c.asleep |= bodies[row].asleep; });
        }
    }
    void list_free_rows() {
        free_rows.clear();
        for (int i = 1; i < static_cast<int>(bodies.size()); ++i) {
            if (bodies[i].kind == BodyKind::free && !bodies[i].asleep) free_rows.push_back(i);
        }
        // The last register is filled with the world, which stays as it is, unless one body would be alone in it.
        while (free_rows.size() % lanes_of<T> > 1) free_rows.push_back(0);
    }
    bool sleeps(std::size_t tree) const {
        const Articulation& a = trees[tree].articulation;
        return a.model().num_links > 0 && bodies[a.first_row()].asleep;
    }
    // Constraints of what is awake.
    template <class F>
    void for_each_constraint(F f) {
        for (BodyConstraintRows& c : constraints) {
            if (!c.asleep) f(c);
        }
    }
    template <class F>
    void for_each_linear(F f) {
        for (LinearRows& c : linear_rows) {
            if (!c.asleep) f(c);
        }
    }
    // Velocity that a free body gains in h [s] without impulses: linear, angular.
    MotionRow gain_of(int row, const double (&gravity)[3], double h) const {
        MotionRow gain = {};
        const double weight = bodies[row].weighs ? h : 0.0;
        const double* wrench = wrenches[row].v;
        if (std::all_of(wrench, wrench + 6, [](double x) { return x == 0.0; })) {
            write3(gain.v, vec3(gravity) * weight);
            return gain;
        }
        const BodyPose<double> pose = load_pose<double>(poses.data(), &row);
        const Vec3<double> torque = pose.axes * vec3(wrench), force = pose.axes * vec3(wrench + 3);
        write3(gain.v, vec3(gravity) * weight + force * (pose.inverse_mass * h));
        write3(gain.v + 3, pose.inverse_inertia * torque * h);
        return gain;
    }
    double substep_length(const WorldSettings& settings) const { return settings.step / substeps; }
    BodyRows body_rows() { return {bodies, poses.data(), velocities.data(), turned.data()}; }
    SideRows side_rows() {
        return {bodies, poses.data(), velocities.data(), displacements.data(), gains.data(), responses,
                loops.waits() ? &loops : nullptr};
    }
    // What impulses that a tree has taken make of the trees that loops join it with.
    void exchange(int tree) {
        if (loops.waits() && responses[tree].group() >= 0) loops.exchange(responses, tree, &ArticulationResponse::motion);
    }
    FreeRow free_row(int row, const MotionRow& gain) const {
        return {start_places[row], places[row], start_velocities[row], velocities[row], gain, constants[row]};
    }
    std::vector<PoseRow> start_poses() const {
        std::vector<PoseRow> began = poses;
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            if (bodies[i].kind == BodyKind::free) write_pose(start_places[i], began[i]);
        }
        for (std::size_t k = 0; k < trees.size(); ++k) record.trees[k].write_poses(trees[k].articulation, began, velocities);
        return began;
    }
    // Those that are awake, side by side.
    template <class F>
    void for_each_tree(F f) {
        const SharedLoop loop(crew);
        loop(awake_trees.size(), kSharedTrees, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) f(static_cast<std::size_t>(awake_trees[i]));
        });
    }
    // The same, trees of one model in lanes where they are plain: see TreeBundles.
    template <class IsPlain, class F, class G>
    void for_each_bundle(const IsPlain& is_plain, const F& of_bundle, const G& of_single) {
        if (awake_trees.empty()) return;
        bundles.arrange(awake_trees, trees, is_plain);
        bundles.for_each(SharedLoop(crew), kSharedTrees, of_bundle, of_single);
    }
    template <class F>
    void for_each_serial(F f) {
        const auto all = [&](std::vector<ContactSides>& sides, auto& store) {
            for (std::size_t k = 0; k < sides.size(); ++k) f(sides[k], store, static_cast<int>(k));
        };
        all(sides.full, pairs.serial().full);
        all(sides.single, pairs.serial().single);
        all(sides.surfaced, pairs.surfaced());
    }
    // Manifolds that are not solved in lanes.
    template <class F>
    void for_each_single(F f) {
        for_each_serial(f);
        if (direct.empty()) return;
        for (std::size_t k = 0; k < direct.full.size(); ++k) f(direct.full[k], pairs.direct().full, static_cast<int>(k));
        for (std::size_t k = 0; k < direct.single.size(); ++k) f(direct.single[k], pairs.direct().single, static_cast<int>(k));
    }
    // Whether all that touches or holds a skeleton stands still.
    bool touches_fixed(std::size_t tree) {
        if (trees[tree].constrained) return false;
        bool fixed = true;
        const int own = static_cast<int>(tree);
        for_each_linear([&](const LinearRows& c) {
            c.for_each_body(trees, [&](int row) { fixed &= bodies[row].kind != BodyKind::link || bodies[row].tree != own; });
        });
        for_each_single([&](const ContactSides& sides, auto&, int) {
            if (sides.first.tree != own && sides.second.tree != own) return;
            for (const ContactSide* side : {&sides.first, &sides.second}) {
                if (side->tree != own) fixed &= side->tree < 0 && !bodies[side->row].moves();
            }
        });
        return fixed;
    }
    template <class F>
    void for_each_store(F f) {
        for (ManifoldColor<T>& color : pairs.colors()) color.for_each_store(f);
    }
    // Whether nothing closes a loop over a skeleton's joints: no constraint, and no contact of two of its links.
    bool is_apart(std::size_t tree) {
        if (trees[tree].constrained || trees[tree].couplings.any_gears() || !linear_rows.empty()) return false;
        const auto of_tree = [&](int row) { return bodies[row].kind == BodyKind::link && bodies[row].tree == static_cast<int>(tree); };
        bool apart = true;
        const auto visit = [&](auto& store) {
            for (int slot = 0; slot < store.size(); ++slot) {
                const auto& m = store.block_of(slot);
                apart &= !(of_tree(m.first[0]) && of_tree(m.second[0]));
            }
        };
        pairs.serial().for_each_store(visit);
        pairs.direct().for_each_store(visit);
        visit(pairs.surfaced());
        return apart;
    }
    // Where servos that were held are not any more, in the midst of a step: accelerations anew.
    void accelerate_released(const double (&gravity)[3], double length) {
        for (const int i : awake_trees) {
            WorldTree& tree = trees[i];
            if (!tree.servos.released()) continue;
            tree.articulation.accelerate(gravity, length, true);
            tree.servos.taken();
        }
    }
    bool moves_smoothly(int index) const {
        return responses[index].size() == 0 && !trees[index].articulation.any_prescribed() && !sleeps(index);
    }
};

KIDO_END
