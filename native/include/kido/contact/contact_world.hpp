#pragma once

#include <cmath>

#include "kido/contact/body_constraint.hpp"
#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/contact_report.hpp"
#include "kido/contact/free_motion.hpp"
#include "kido/contact/serial_contact.hpp"
#include "kido/contact/step_record.hpp"
#include "kido/contact/world_tree.hpp"
#include "kido/spatial/so3.hpp"

// The time step of a world, in five stages: detect contacts, accelerate without impulses, prepare what responds, solve in
// sub-steps, move. Manifolds between free bodies are solved in colors, as many at once as there are lanes; those with links one by
// one.

KIDO_BEGIN

template <class T>
class ContactWorld : public NativeWorld {
public:
    ContactWorld() { add_row({BodyKind::fixed, false, -1, -1, 0.0, 0, 0}); }
    std::unique_ptr<NativeWorld> clone() const override { return std::make_unique<ContactWorld>(*this); }

    int add_body(const FreeBody& body) override {
        const int row = add_row({BodyKind::free, body.weighs, -1, -1, 0.0, 0, 0});
        places_[row].v[7] = 1.0 / body.mass;
        for (int i = 0; i < 3; ++i) {
            constants_[row].v[i] = 1.0 / body.moments[i];
            constants_[row].v[3 + i] = body.moments[i];
        }
        set_body(row, body.center, body.quaternion, body.velocity);
        return row;
    }
    int add_tree(const Model& model, int& tree) override {
        const int first = static_cast<int>(bodies_.size());
        tree = static_cast<int>(trees_.size());
        for (int i = 0; i < model.num_links; ++i) add_row({BodyKind::link, true, tree, i, 0.0, 0, 0});
        trees_.emplace_back(model, first);
        responses_.emplace_back(model);
        return first;
    }
    int add_collider(const Collider& collider) override {
        const int index = colliders_.add(collider, poses_.data());
        double& radius = bodies_[collider.body].radius;
        if (std::isfinite(colliders_[index].reach)) radius = std::max(radius, colliders_[index].reach);
        constants_[collider.body].v[6] = radius;
        return index;
    }
    void set_mask(int collider, std::uint32_t category, std::uint32_t collides_with) override {
        colliders_.set_mask(collider, category, collides_with);
    }
    void exclude(int first, int second) override { pairs_.exclude(first, second); }
    std::vector<NearPair> near_pairs(double step) override {
        find_pairs(step);
        return pairs_.near_pairs(colliders_, body_rows(), step);
    }
    void set_manifolds(int pair, ContactManifold* found, int count) override {
        pairs_.set_manifolds(pair, found, count, colliders_, body_rows());
    }

    void set_body(int row, const double* center, const double* quaternion, const double* velocity) override {
        double* place = places_[row].v;
        std::copy(center, center + 3, place);
        std::copy(quaternion, quaternion + 4, place + 3);
        std::copy(velocity, velocity + 6, velocities_[row].v);
        refresh(row);
        travel_[row] += kFar;
        disturbed_ = true;
    }
    void set_body_wrench(int row, const double* wrench) override { std::copy(wrench, wrench + 6, wrenches_[row].v); }
    void body(int row, double* center, double* quaternion, double* velocity) const override {
        const double* place = places_[row].v;
        std::copy(place, place + 3, center);
        std::copy(place + 3, place + 7, quaternion);
        std::copy(velocities_[row].v, velocities_[row].v + 6, velocity);
    }
    void body_acceleration(int row, double* acceleration) const override {
        if (row >= static_cast<int>(start_places_.size())) {  // no step was made
            std::fill_n(acceleration, 6, 0.0);
            return;
        }
        step_acceleration({start_places_[row], places_[row], start_velocities_[row], velocities_[row], constants_[row], step_},
                          acceleration);
    }
    TreeNumbers tree(int index) override {
        Articulation& a = trees_[index].articulation;
        return {a.positions.data(), a.velocities.data(), a.accelerations.data(), a.commands.data(), a.effort.data(),
                a.friction.data(), a.stiffness.data(), a.rest.data(), a.damping.data(), a.lower.data(), a.upper.data(),
                a.slowest.data(), a.fastest.data(), a.drives.data(), a.wrenches.data(), a.users.data()};
    }
    int add_constraint(const BodyConstraint& constraint) override {
        for (const int row : {constraint.first, constraint.second}) bodies_[row].touches += kHeld;
        constraints_.emplace_back(constraint);
        return static_cast<int>(constraints_.size()) - 1;
    }
    void constraint_wrench(int index, double* wrench) const override {
        const FrameWrench<double> w = record_.complete ? record_.constraints[index] : constraints_[index].impulse();
        const double per_step = record_.per_step(substep_);
        write3(wrench, w.torque * per_step);
        write3(wrench + 3, w.force * per_step);
    }
    void set_couplings(int index, std::vector<Coupling> couplings) override { trees_[index].couplings.set(std::move(couplings)); }
    void place_tree(int index) override {
        Articulation& a = trees_[index].articulation;
        a.place();
        a.write_rows(poses_.data(), velocities_.data());
        for (int i = 0; i < a.model().num_links; ++i) travel_[a.first_row() + i] += kFar;
        disturbed_ = true;
    }

    long step(const WorldSettings& settings, long count, StopSignal* stop, bool record) override {
        long done = 0;
        for (bool last = count <= 0; !last; ++done) {
            last = done + 1 == count || (stop && stop->poll());
            recording_ = last && record;
            if (!step_once(settings)) return done;
        }
        return done;
    }
    bool run_stages(WorldStage first, WorldStage last, const WorldSettings& settings) override {
        recording_ = true;
        if (first == WorldStage::detect) begin_step(settings);
        for (int stage = static_cast<int>(first); stage <= static_cast<int>(last); ++stage) {
            if (!run_stage(static_cast<WorldStage>(stage), settings)) return give_up();
        }
        return true;
    }
    void cancel_step() override { give_up(); }
    std::vector<WorldContact> contacts(bool at_start) override {
        std::vector<WorldContact> out;
        const std::vector<PoseRow> began = at_start && record_.complete ? start_poses() : std::vector<PoseRow>();
        const PoseRow* poses = began.empty() ? poses_.data() : began.data();
        const double per_step = record_.per_step(substep_);
        for (const ContactPair& pair : pairs_.pairs()) {
            if (pair.first < 0) continue;
            for (int t = pair.touch; t >= 0; t = pairs_.touches()[t].next) {
                const Touch& touch = pairs_.touches()[t];
                pairs_.with_store(touch, [&](auto& store) { report(store, poses, per_step, record_.complete, pair, touch, out); });
            }
        }
        return out;
    }
    double recorded() const override { return record_.complete ? record_.duration() : 0.0; }
    bool tree_step(int index, const TreeStep& out) const override {
        if (record_.complete) write_tree_step(record_, index, trees_[index], responses_[index], out);
        return record_.complete;
    }
    bool body_step(int row, FreeBodyStep& out) const override {
        if (record_.complete) write_body_step(record_, free_row(row), out);
        return record_.complete;
    }
    int diverged_row() const override { return diverged_row_; }
    WorldCounts counts() override {
        WorldCounts c = {0, 0, pairs_.tests(), static_cast<std::int64_t>(pairs_.colors().size()), 0};
        for (const ContactPair& pair : pairs_.pairs()) {
            if (pair.first < 0) continue;
            ++c.pairs;
            for (int t = pair.touch; t >= 0; t = pairs_.touches()[t].next) ++c.manifolds;
        }
        for (const ArticulationResponse& response : responses_) c.rows += response.size();
        return c;
    }

private:
    static constexpr double kFar = 1e3;  // a travel after which every pair is tested [m]

    using Stores = std::pair<std::vector<ContactSides>, std::vector<ContactSides>>;

    int add_row(const SolverBody& body) {
        const int row = static_cast<int>(bodies_.size());
        bodies_.push_back(body);
        // Whole registers of rows, the same for every width.
        const std::size_t rows = (bodies_.size() + 7) / 8 * 8;
        places_.resize(rows, PlaceRow{{0, 0, 0, 0, 0, 0, 1, 0}});
        constants_.resize(rows, ConstantRow{});
        poses_.resize(rows, PoseRow{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}});
        for (auto* motion : {&velocities_, &displacements_, &gains_, &before_, &wrenches_}) motion->resize(rows, MotionRow{});
        travel_.resize(rows, 0.0);
        return row;
    }
    void refresh(int row) {
        const double* s = places_[row].v;
        const double* c = constants_[row].v;
        const double place[8] = {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]};
        const Mat3<double> R = rotation(Quaternion<double>{s[3], s[4], s[5], s[6]});
        store_pose(poses_.data(), &row, place, R, rotate(R, Sym3<double>{c[0], 0.0, 0.0, c[1], 0.0, c[2]}));
    }

    bool step_once(const WorldSettings& settings) {
        begin_step(settings);
        detect(settings);
        if (!accelerate(settings)) return give_up();
        prepare(settings);
        solve(settings);
        return move(settings) || give_up();
    }
    bool run_stage(WorldStage stage, const WorldSettings& settings) {
        switch (stage) {
            case WorldStage::detect: detect(settings); return true;
            case WorldStage::accelerate: return accelerate(settings);
            case WorldStage::prepare: prepare(settings); return true;
            case WorldStage::solve: solve(settings); return true;
            default: return move(settings);
        }
    }
    void begin_step(const WorldSettings& settings) {
        substeps_ = std::max(1, static_cast<int>(std::ceil(settings.step / settings.longest_substep - 1e-9)));
        before_ = velocities_;
        for (WorldTree& tree : trees_) {
            tree.before = tree.articulation.accelerations;
            tree.moved = false;
        }
        solved_ = false;
        record_.complete = false;
    }
    double substep_length(const WorldSettings& settings) const { return settings.step / substeps_; }

    // Leaves all as it was before the step, but for the impulses that it would have begun with: these are gone where it had begun
    // to solve.
    bool give_up() {
        diverged_row_ = find_diverged();
        velocities_ = before_;
        for (WorldTree& tree : trees_) tree.articulation.accelerations = tree.before;
        if (!solved_) {
            pairs_.keep_impacts();
            return false;
        }
        for (WorldTree& tree : trees_) {
            tree.couplings.forget();
            tree.limits.forget();
        }
        for (BodyConstraintRows& c : constraints_) c.forget();
        for_each_store([](auto& store) { store.forget_impulses(); });
        pairs_.serial().full.forget_impulses();
        pairs_.serial().single.forget_impulses();
        return false;
    }
    FreeRow free_row(int row) const {
        return {start_places_[row], places_[row], start_velocities_[row], velocities_[row], gains_[row], constants_[row]};
    }
    std::vector<PoseRow> start_poses() const {
        std::vector<PoseRow> poses = poses_;
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            if (bodies_[i].kind == BodyKind::free) write_pose(start_places_[i], poses[i]);
        }
        for (std::size_t k = 0; k < trees_.size(); ++k) record_.trees[k].write_poses(trees_[k].articulation, poses, velocities_);
        return poses;
    }
    void begin_record(const WorldSettings& settings) {
        record_.begin(settings, substeps_, trees_, constraints_.size());
        for_each_store([](auto& store) { store.begin_sums(); });
        pairs_.serial().full.begin_sums();
        pairs_.serial().single.begin_sums();
    }
    // Adds the impulses of a sub-step; those of contacts in the last one are in their manifolds.
    void record_substep(bool last) {
        for (std::size_t i = 0; i < trees_.size(); ++i) record_.trees[i].add(trees_[i], responses_[i]);
        for (std::size_t i = 0; i < constraints_.size(); ++i) record_.add(i, constraints_[i].impulse());
        if (last) return;
        for_each_store([](auto& store) { store.sum_impulses(); });
        pairs_.serial().full.sum_impulses();
        pairs_.serial().single.sum_impulses();
    }
    // The row whose numbers are not finite, of several that which was fastest before; 0: none is to be seen.
    int find_diverged() const {
        int found = 0;
        double fastest = -1.0;
        for (int i = 1; i < static_cast<int>(bodies_.size()); ++i) {
            const SolverBody& body = bodies_[i];
            const bool good = body.kind == BodyKind::link
                                  ? is_finite(trees_[body.tree].articulation, responses_[body.tree], body.link)
                                  : is_finite({velocities_[i], gains_[i], displacements_[i]}, kLargest);
            double speed = 0.0;
            for (int c = 0; c < 6; ++c) speed = std::max(speed, std::fabs(before_[i].v[c]));
            if (good || !(speed > fastest)) continue;
            found = i;
            fastest = speed;
        }
        return found;
    }
    // Which shapes touch, and where.
    void detect(const WorldSettings& settings) {
        find_pairs(settings.step);
        pairs_.update_manifolds(colliders_, body_rows(), settings.step);
    }
    void find_pairs(double step) {
        colliders_.update(poses_.data(), velocities_.data(), step, [&](int row) { return bodies_[row].moves(); });
        pairs_.update_pairs(colliders_, bodies_);
    }
    BodyRows body_rows() { return {bodies_, poses_.data(), velocities_.data(), travel_.data()}; }
    // What velocities gain in a sub-step without impulses; false where an inertia is not positive.
    bool accelerate(const WorldSettings& settings) {
        const double h = substep_length(settings);
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            if (bodies_[i].kind != BodyKind::free) continue;
            const double weight = bodies_[i].weighs ? h : 0.0;
            const int row = static_cast<int>(i);
            const BodyPose<double> pose = load_pose<double>(poses_.data(), &row);
            const Vec3<double> torque = pose.axes * vec3(wrenches_[i].v), force = pose.axes * vec3(wrenches_[i].v + 3);
            write3(gains_[i].v, vec3(settings.gravity) * weight + force * (pose.inverse_mass * h));
            write3(gains_[i].v + 3, pose.inverse_inertia * torque * h);
        }
        bool positive = true;
        for (WorldTree& tree : trees_) positive &= tree.articulation.accelerate(settings.gravity, settings.step, true);
        return positive;
    }
    // The rows of constraints, and how bodies respond to their impulses.
    void prepare(const WorldSettings& settings) {
        const double h = substep_length(settings);
        touch(settings.step, h);
        prepare_rows(h);
    }
    // Which coordinates of the articulations constraints touch, and their responses.
    void touch(double step, double h) {
        for (ArticulationResponse& response : responses_) response.begin();
        place_constraints();
        place_sides(pairs_.serial().full, sides_.first);
        place_sides(pairs_.serial().single, sides_.second);
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            WorldTree& tree = trees_[i];
            tree.limits.find(tree.articulation, responses_[i], step);
            tree.motors.find(tree.articulation, responses_[i], h);
            tree.couplings.find(tree.articulation, responses_[i]);
            responses_[i].compute(tree.articulation, h);
            tree.limits.prepare(responses_[i]);
            tree.motors.prepare(responses_[i]);
            tree.couplings.prepare(responses_[i]);
        }
    }
    void place_constraints() {
        for (BodyConstraintRows& c : constraints_) {
            c.place(poses_.data(), disturbed_);
            for (ContactSide* side : {&c.sides().first, &c.sides().second}) {
                const int row = side == &c.sides().first ? c.constraint().first : c.constraint().second;
                const SolverBody& body = bodies_[row];
                *side = {row, -1, 0, false, side->arm};
                if (body.kind != BodyKind::link) continue;
                const Articulation& a = trees_[body.tree].articulation;
                side->tree = body.tree;
                side->arm = side->arm + a.arm(body.link);
                side->coordinate = responses_[body.tree].add_link(a.model(), body.link);
            }
        }
    }
    template <class Store>
    void place_sides(Store& store, std::vector<ContactSides>& sides) {
        sides.resize(store.size());
        for (int slot = 0; slot < store.size(); ++slot) {
            auto& m = store.block_of(slot);
            place_manifold(store.anchors_of(slot), load_pose<double>(poses_.data(), m.first),
                           load_pose<double>(poses_.data(), m.second), m);
            sides[slot] = {side(m.first[0], m.arm_first, m), side(m.second[0], m.arm_second, m)};
        }
    }
    template <int Points>
    ContactSide side(int row, const Vec3<double>& arm, const ManifoldBlock<double, Points>& m) {
        const SolverBody& body = bodies_[row];
        if (body.kind != BodyKind::link) return {row, -1, 0, false, arm};
        const Articulation& a = trees_[body.tree].articulation;
        ArticulationResponse& response = responses_[body.tree];
        const Vec3<double> from_reference = a.arm(body.link) + arm;
        if (Points == 1 && body.touches == 1) {
            return {row, body.tree, response.add_point(a.model(), body.link, frame_of(m), from_reference), true, from_reference};
        }
        return {row, body.tree, response.add_link(a.model(), body.link), false, from_reference};
    }
    SideRows side_rows() {
        return {bodies_, poses_.data(), velocities_.data(), displacements_.data(), gains_.data(), responses_};
    }
    template <class F>
    void for_each_serial(F f) {
        for (std::size_t k = 0; k < sides_.first.size(); ++k) f(sides_.first[k], pairs_.serial().full, static_cast<int>(k));
        for (std::size_t k = 0; k < sides_.second.size(); ++k) f(sides_.second[k], pairs_.serial().single, static_cast<int>(k));
    }
    template <class F>
    void for_each_store(F f) {
        for (ManifoldColor<T>& color : pairs_.colors()) color.for_each_store(f);
    }

    void prepare_rows(double h) {
        for_each_store([&](auto& store) {
            for (std::size_t k = 0; k < store.bundles(); ++k) {
                prepare_manifold(store.anchors()[k], poses_.data(), velocities_.data(), store.blocks()[k]);
            }
        });
        const SideRows rows = side_rows();
        for (BodyConstraintRows& c : constraints_) c.prepare(rows, h);
        for_each_serial([&](const ContactSides& sides, auto& store, int slot) {
            auto& m = store.block_of(slot);
            sides.prepare(rows, store.anchors_of(slot), m);
            const FrameMotion<double> u = sides.velocity(rows, frame_of(m));
            for (int p = 0; p < m.points; ++p) m.approach[p] = normal_motion(m, u, p);
        });
    }
    // Impulses, and with them velocities and displacements.
    void solve(const WorldSettings& settings) {
        solved_ = true;
        solve_once(settings);
        // Dofs that come to a limit unexpectedly have rows when the step is solved again; that may bring others to theirs.
        for (int k = 0; !spread(settings.step) && k < kLimitTries; ++k) {
            velocities_ = before_;
            prepare(settings);
            solve_once(settings);
        }
        const SideRows rows = side_rows();
        for (BodyConstraintRows& c : constraints_) c.predict(rows);
    }
    void solve_once(const WorldSettings& settings) {
        const double h = substep_length(settings);
        if (recording_) begin_record(settings);
        std::fill(displacements_.begin(), displacements_.end(), MotionRow{});
        SweepSettings sweeps = {Softness::of(kFrequency, kDampingRatio, h), 1.0 / h, kPushSpeed, 0.0};
        const int count = any_impact(settings) ? kImpactSweeps * settings.sweeps : settings.sweeps;
        for (int s = 0; s < substeps_; ++s) {
            sweeps.closing = 1.0 / (h * (substeps_ - s));
            substep(settings, sweeps, h, count);
            if (recording_) record_substep(s + 1 == substeps_);
        }
        bounce_all(settings, h);
    }
    // Whether something hits something else, or comes fast to a limit: it has no impulses to begin with.
    bool any_impact(const WorldSettings& settings) const {
        if (pairs_.impacts() > 0) return true;
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            if (trees_[i].limits.any_impact(responses_[i], settings.step, kFast)) return true;
        }
        return false;
    }
    // What the impulses make of the dofs' velocities; false where some are beyond their limits.
    bool spread(double step) {
        bool good = true;
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            WorldTree& tree = trees_[i];
            responses_[i].spread(tree.articulation, tree.changes.data(), tree.sums.data());
            good &= tree.limits.check(tree.articulation, tree.changes.data(), tree.sums.data(), step, substeps_);
        }
        return good;
    }
    void substep(const WorldSettings& settings, const SweepSettings& sweeps, double h, int count) {
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            for (int c = 0; c < 6; ++c) velocities_[i].v[c] += gains_[i].v[c];
        }
        const SideRows rows = side_rows();
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            responses_[i].start_substep();
            trees_[i].limits.warm_start(responses_[i]);
            trees_[i].motors.warm_start(responses_[i]);
            trees_[i].couplings.warm_start(responses_[i]);
        }
        for (BodyConstraintRows& c : constraints_) c.warm_start(rows);
        for_each_serial([&](const ContactSides& sides, auto& store, int slot) {
            serial_warm_start(rows, sides, store.block_of(slot));
        });
        for_each_store([&](auto& store) { warm_start(store.blocks(), store.bundles(), velocities_.data()); });
        for (int k = 0; k < count; ++k) sweep_all<false>(sweeps, rows);
        // Limits last: no impact displaces a position beyond its own.
        for (std::size_t i = 0; i < trees_.size() && count > settings.sweeps; ++i) trees_[i].limits.settle(sweeps, responses_[i]);
        displace(h);
        for (int k = 0; k < settings.relaxing_sweeps; ++k) sweep_all<true>(sweeps, rows);
        // Motors and limits of velocities last: they are held exactly at the end of the step.
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            trees_[i].motors.sweep(responses_[i]);
            trees_[i].limits.settle_speeds(responses_[i]);
        }
    }
    template <bool Relaxing>
    void sweep_all(const SweepSettings& sweeps, const SideRows& rows) {
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            trees_[i].motors.sweep(responses_[i]);
            trees_[i].couplings.template sweep<Relaxing>(sweeps, responses_[i]);
            trees_[i].limits.sweep_speeds(responses_[i]);
            trees_[i].limits.template sweep<Relaxing>(sweeps, responses_[i]);
        }
        for (BodyConstraintRows& c : constraints_) c.template sweep<Relaxing>(rows, sweeps);
        for_each_serial([&](const ContactSides& sides, auto& store, int slot) {
            serial_visit<Relaxing>(sweeps, rows, sides, store.block_of(slot));
        });
        for_each_store([&](auto& store) {
            sweep<Relaxing>(sweeps, store.blocks(), store.bundles(), velocities_.data(), displacements_.data());
        });
    }
    // Displacements grow; a body that nothing touches flies along its exact parabola.
    void displace(double h) {
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            double* d = displacements_[i].v;
            for (int c = 0; c < 6; ++c) d[c] += h * velocities_[i].v[c];
            if (bodies_[i].touches > 0) continue;
            for (int c = 0; c < 3; ++c) d[c] -= 0.5 * h * gains_[i].v[c];
        }
        for (ArticulationResponse& response : responses_) response.move(h);
    }
    void bounce_all(const WorldSettings& s, double h) {
        const BounceSettings settings = {s.step, s.bounce_threshold, {s.gravity[0], s.gravity[1], s.gravity[2]}};
        const SideRows rows = side_rows();
        for_each_serial([&](const ContactSides& sides, auto& store, int slot) {
            serial_bounce(settings, rows, sides, store.anchors_of(slot).restitution, h, store.block_of(slot));
        });
        for_each_store([&](auto& store) {
            bounce(settings, store.anchors(), store.blocks(), store.bundles(), velocities_.data(), displacements_.data());
        });
    }
    bool finite() const {
        double sum = 0.0;
        for (const MotionRow& row : velocities_) {
            for (const double x : row.v) sum += x * 0.0;
        }
        for (const ArticulationResponse& response : responses_) {
            for (const double x : response.motion) sum += x * 0.0;
        }
        for (const WorldTree& tree : trees_) {
            for (const double x : tree.articulation.accelerations) sum += x * 0.0;
        }
        for (const MotionRow& row : displacements_) {
            for (const double x : row.v) sum += std::fabs(x) < kLargest ? 0.0 : 1.0;
        }
        return sum == 0.0;
    }
    // Velocities and positions at the end of the step; false, and nothing moved, where they would not be finite.
    bool move(const WorldSettings& settings) {
        if (!finite() || !move_smoothly(settings)) return false;
        const double step = settings.step;
        disturbed_ = false;
        start_places_ = places_;
        std::swap(start_velocities_, before_);
        step_ = step;
        const FreeRows rows = {places_.data(), constants_.data(), velocities_.data(), displacements_.data(), poses_.data(),
                               travel_.data(), step};
        free_rows_.clear();
        for (int i = 1; i < static_cast<int>(bodies_.size()); ++i) {
            if (bodies_[i].kind == BodyKind::free) free_rows_.push_back(i);
        }
        std::size_t i = 0;
        for (; i + lanes_of<T> <= free_rows_.size(); i += lanes_of<T>) advance<T>(rows, &free_rows_[i]);
        for (; i < free_rows_.size(); ++i) advance<double>(rows, &free_rows_[i]);
        substep_ = substep_length(settings);
        for (std::size_t k = 0; k < trees_.size(); ++k) {
            const bool touched = responses_[k].size() > 0;
            const Vec3<double> lift = fall(trees_[k].articulation, settings, touched ? substep_ : step);
            if (!trees_[k].moved) trees_[k].advance(step, substeps_, touched, lift);
            trees_[k].articulation.place();
            show(trees_[k].articulation, step);
        }
        record_.complete = recording_;
        return true;
    }
    // Trees that nothing touches, by the integrator that was chosen.
    bool move_smoothly(const WorldSettings& settings) {
        if (settings.integrator == Integrator::semi_implicit_euler) return true;
        bool good = true;
        for (std::size_t k = 0; k < trees_.size(); ++k) {
            if (responses_[k].size() > 0 || trees_[k].articulation.any_prescribed()) continue;
            good &= trees_[k].move_smoothly(smooth_, settings);
        }
        for (WorldTree& tree : trees_) {
            if (!good && tree.moved) tree.go_back();
        }
        return good;
    }
    // By how much a tree that nothing touches is displaced too far by velocities at the end of sub-steps of length h.
    Vec3<double> fall(const Articulation& a, const WorldSettings& settings, double h) const {
        if (a.model().weights) return zero3<double>();
        for (int row = a.first_row(); row < a.first_row() + a.model().num_links; ++row) {
            if (bodies_[row].touches > 0) return zero3<double>();
        }
        return vec3(settings.gravity) * (-0.5 * settings.step * h);
    }
    // Rows of the links, and what they have travelled.
    void show(const Articulation& a, double step) {
        a.write_rows(poses_.data(), velocities_.data());
        for (int row = a.first_row(); row < a.first_row() + a.model().num_links; ++row) {
            const double* v = velocities_[row].v;
            travel_[row] += step * (geometry::length(vec3(v)) + geometry::length(vec3(v + 3)) * bodies_[row].radius);
        }
    }

    std::vector<SolverBody> bodies_;
    std::vector<PlaceRow> places_;
    std::vector<ConstantRow> constants_;
    std::vector<PoseRow> poses_;
    std::vector<MotionRow> velocities_, displacements_, gains_, before_;
    std::vector<PlaceRow> start_places_;      // before the last step that was made
    std::vector<MotionRow> start_velocities_;
    std::vector<MotionRow> wrenches_;  // torque, force in principal axes
    std::vector<double> travel_;
    std::vector<int> free_rows_;
    std::vector<WorldTree> trees_;
    std::vector<ArticulationResponse> responses_;
    std::vector<BodyConstraintRows> constraints_;
    bool disturbed_ = true;  // whether bodies were moved by others than steps
    ColliderSet colliders_;
    ContactPairs<T> pairs_;
    Stores sides_;
    SmoothMotion smooth_;
    double substep_ = 0.0, step_ = 0.0;  // of the last step [s]
    int substeps_ = 1;      // of the present step
    bool solved_ = false;   // whether the present step has begun to solve
    StepRecord record_;
    bool recording_ = false;  // whether the present step is recorded
    int diverged_row_ = 0;

    static constexpr int kHeld = 2;  // touches that a constraint counts for: the coordinates of the whole link
    static constexpr double kLargest = 1e30;     // displacement of a step that its rotation can be computed of [m or rad]
    static constexpr int kImpactSweeps = 4;
    static constexpr int kLimitTries = 5;
    static constexpr double kFast = 0.5;         // approach to a limit that asks for more sweeps [m/s or rad/s]
    static constexpr double kFrequency = 0.25;   // of contacts, in 1/h
    static constexpr double kDampingRatio = 5.0;
    static constexpr double kPushSpeed = 4.0;    // [m/s]
};

KIDO_END
