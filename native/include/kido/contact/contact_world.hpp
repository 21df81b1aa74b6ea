#pragma once

#include <atomic>
#include <cmath>

#include "kido/contact/body_constraint.hpp"
#include "kido/contact/contact_pairs.hpp"
#include "kido/contact/contact_report.hpp"
#include "kido/contact/coupled_constraints.hpp"
#include "kido/contact/direct_solve.hpp"
#include "kido/contact/free_motion.hpp"
#include "kido/contact/heavy_islands.hpp"
#include "kido/contact/impact.hpp"
#include "kido/contact/linear_rows.hpp"
#include "kido/contact/serial_islands.hpp"
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
        heavy_.set_mass(row, body.mass);
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
        if (weighs_on_ground(model)) heavy_.set_mass(first, total_mass(model));
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
    void set_surface_rules(const SurfaceRules& rules) override { pairs_.set_rules(rules); }
    void set_surface_source(SurfaceSource* source) override { pairs_.set_source(source); }
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
                a.slowest.data(), a.fastest.data(), a.least_effort.data(), a.least_speed.data(), a.most_speed.data(),
                a.drives.data(), a.wrenches.data(), a.users.data()};
    }
    int add_constraint(const BodyConstraint& constraint) override {
        for (const int row : {constraint.first, constraint.second}) bodies_[row].touches += kHeld;
        constraints_.emplace_back(constraint);
        return static_cast<int>(constraints_.size()) - 1;
    }
    void constraint_wrench(int index, double* wrench) const override {
        const FrameWrench<double> w = constraints_[index].impulse();
        const double per_step = step_ > 0.0 ? 1.0 / step_ : 0.0;
        write3(wrench, w.torque * per_step);
        write3(wrench + 3, w.force * per_step);
    }
    bool constraint_unmet(int index) const override { return constraints_[index].unmet(); }
    void constraint_error(int index, double* error) const override { constraints_[index].error(poses_.data(), error); }
    int add_row_constraint(RowConstraint constraint, const std::vector<int>& bodies) override {
        for (const int row : bodies) bodies_[row].touches += kHeld;
        rows_.emplace_back(std::move(constraint));
        return static_cast<int>(rows_.size()) - 1;
    }
    void set_rows(int index, RowConstraint constraint) override { rows_[index].set(std::move(constraint)); }
    void row_numbers(int index, std::vector<double>& forces, std::vector<double>& errors, bool& unmet) const override {
        const LinearRows& rows = rows_[index];
        for (int i = 0; i < rows.size(); ++i) {
            forces.push_back(step_ > 0.0 ? rows.totals()[i] / step_ : 0.0);
            errors.push_back(rows.error(trees_, i));
        }
        unmet = rows.unmet();
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
        made_ = 0;
        try {
            for (bool last = count <= 0; !last; ++made_) {
                last = made_ + 1 == count || (stop && stop->poll());
                recording_ = last && record;
                if (!step_once(settings)) return made_;
            }
        } catch (...) {
            cancel_step();
            throw;
        }
        return made_;
    }
    long made() const override { return made_; }
    bool run_stages(WorldStage first, WorldStage last, const WorldSettings& settings) override {
        recording_ = true;
        if (first == WorldStage::detect) begin_step(settings);
        for (int stage = static_cast<int>(first); stage <= static_cast<int>(last); ++stage) {
            if (!run_stage(static_cast<WorldStage>(stage), settings)) return give_up();
        }
        return true;
    }
    void cancel_step() override {
        if (stepping_) give_up();
    }
    bool moves_smoothly(int index) const override {
        return responses_[index].size() == 0 && !trees_[index].articulation.any_prescribed();
    }
    bool accelerations(int index, const double (&gravity)[3], const double* q, const double* v, double* out) override {
        return smooth_.accelerations(trees_[index].articulation, gravity, q, v, out);
    }
    void give_motion(int index, const double* q, const double* v) override {
        const int n = trees_[index].articulation.model().num_dofs;
        trees_[index].given_positions.assign(q, q + n);
        trees_[index].given_velocities.assign(v, v + n);
    }
    const std::vector<SystemRow>& step_rows(const WorldSettings& settings, const Correction& correction, int& islands) override {
        begin_solve(settings);
        system_.sides.emplace(side_rows());
        StepRows& rows = system_.rows.emplace(*system_.sides);
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            trees_[i].motors.add_rows(rows, static_cast<int>(i));
            trees_[i].couplings.add_rows(rows, static_cast<int>(i), correction);
            trees_[i].limits.add_rows(rows, static_cast<int>(i), correction);
        }
        for (std::size_t i = 0; i < constraints_.size(); ++i) {
            constraints_[i].add_rows(rows, static_cast<int>(i), correction);
        }
        for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].add_rows(rows, static_cast<int>(i), correction);
        for_each_point_set([&](const ContactSides& sides, const auto& m, int count, const SystemRow& kind) {
            add_rows(rows, sides, m, count, kind, correction);
        });
        rows.find_islands();
        islands = rows.islands();
        return rows.rows();
    }
    const std::vector<int>& step_island(int island) const override { return system_.rows->members(island); }
    void step_matrix(int island, double* A) const override { system_.rows->matrix(island, A); }
    bool give_impulses(const WorldSettings& settings, const double* correcting, const double* keeping, bool last) override {
        const double h = substep_length(settings);
        start_substep();
        const std::vector<MotionRow> free = velocities_;
        std::vector<AlignedNumbers> free_motion, free_impulse;
        for (const ArticulationResponse& response : responses_) {
            free_motion.push_back(response.motion);
            free_impulse.push_back(response.impulse);
        }
        take_impulses(correcting);
        warm_start_all();
        displace(h);
        velocities_ = free;
        for (std::size_t i = 0; i < responses_.size(); ++i) {
            responses_[i].motion = free_motion[i];
            responses_[i].impulse = free_impulse[i];
        }
        take_impulses(keeping);
        warm_start_all();
        if (recording_) record_substep(true);
        land(h);
        if (!spread(settings.step) && !last) {
            velocities_ = unsolved_;
            prepare(settings);
            return false;
        }
        const SideRows rows = side_rows();
        for (BodyConstraintRows& c : constraints_) c.predict(rows);
        for (LinearRows& c : rows_) c.predict(rows);
        return true;
    }
    std::vector<char> save() override {
        std::vector<char> bytes;
        StateArchive writer(bytes);
        archive(writer);
        return bytes;
    }
    bool load(const char* bytes, std::size_t size) override {
        StateArchive reader(bytes, size);
        archive(reader);
        for (WorldTree& tree : trees_) tree.articulation.place();
        return reader.ended();
    }
    std::vector<WorldContact> contacts(bool at_start) override {
        std::vector<WorldContact> out;
        const std::vector<PoseRow> began = at_start && record_.complete ? start_poses() : std::vector<PoseRow>();
        const PoseRow* poses = began.empty() ? poses_.data() : began.data();
        const double per_step = record_.per_step(substep_);
        for (const ContactPair& pair : pairs_.pairs()) {
            if (pair.first < 0) continue;
            for (int t = pair.touch; t >= 0; t = pairs_.touches()[t].next) {
                const Touch& touch = pairs_.touches()[t];
                double extra[4][3] = {};
                for (const ImpactImpulses& i : impacts_) {
                    if (i.touch == t) i.add(extra, 1.0 / step_);
                }
                pairs_.with_store(touch, [&](auto& store) { report(store, poses, per_step, record_.complete, extra, pair, touch, out); });
            }
        }
        return out;
    }
    bool is_large() const override { return bodies_.size() >= kLarge || trees_.size() >= kManyTrees; }
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
        WorldCounts c = {0, 0, pairs_.tests(), static_cast<std::int64_t>(pairs_.colors().size()), 0,
                         pairs_.direct().full.size() + pairs_.direct().single.size()};
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

    // Of the manifolds that are visited one by one.
    int add_row(const SolverBody& body) {
        const int row = static_cast<int>(bodies_.size());
        bodies_.push_back(body);
        heavy_.add_row();
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

    // All numbers that a step starts from.
    void archive(StateArchive& archive) {
        std::uint64_t version = kArchiveVersion, trees = trees_.size(), constraints = constraints_.size() + rows_.size();
        for (std::uint64_t* number : {&version, &trees, &constraints}) archive(*number);
        archive.require(version == kArchiveVersion && trees == trees_.size() && constraints == constraints_.size() + rows_.size());
        archive.same_length(bodies_);
        archive.same_length(places_);
        archive.same_length(poses_);
        archive.same_length(velocities_);
        archive.same_length(gains_);
        archive.same_length(travel_);
        archive(start_places_);
        archive(start_velocities_);
        archive(step_);
        record_.archive(archive);
        for (ArticulationResponse& response : responses_) response.archive(archive);
        for (WorldTree& tree : trees_) tree.archive(archive);
        for (BodyConstraintRows& c : constraints_) c.archive(archive);
        for (LinearRows& c : rows_) c.archive(archive);
        colliders_.archive(archive);
        pairs_.archive(archive);
        heavy_.archive(archive);
        direct_.archive(archive);
        archive(disturbed_);
        archive(substep_);
    }
    // Manifolds in the order of `take_impulses`, each with its sides and number of points.
    template <class F>
    void for_each_point_set(F f) {
        const auto visit = [&](auto& store, const auto& sides_of) {
            for (int slot = 0; slot < store.size(); ++slot) {
                const Touch& touch = pairs_.touches()[store.owner(slot)];
                const ContactPair& pair = pairs_.pairs()[touch.pair];
                const auto m = block_lane(store.block_of(slot), store.lane_of(slot));
                f(sides_of(slot, m), m, touch.count, SystemRow{SystemRowKind::contact, pair.first, pair.second, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0});
            }
        };
        visit(pairs_.serial().full, [&](int slot, const auto&) { return sides_.full[slot]; });
        visit(pairs_.serial().single, [&](int slot, const auto&) { return sides_.single[slot]; });
        visit(pairs_.surfaced(), [&](int slot, const auto&) { return sides_.surfaced[slot]; });
        visit(pairs_.direct().full, [&](int slot, const auto&) { return direct_.full[slot]; });
        visit(pairs_.direct().single, [&](int slot, const auto&) { return direct_.single[slot]; });
        for_each_store([&](auto& store) {
            visit(store, [&](int, const auto& m) {
                ContactSides sides;
                sides.first = {m.first[0], -1, 0, false, m.arm_first};
                sides.second = {m.second[0], -1, 0, false, m.arm_second};
                return sides;
            });
        });
    }
    void take_impulses(const double* x) {
        for (WorldTree& tree : trees_) {
            x = tree.motors.take_impulses(x);
            x = tree.couplings.take_impulses(x);
            x = tree.limits.take_impulses(x);
        }
        for (BodyConstraintRows& c : constraints_) x = c.take_impulses(x);
        for (LinearRows& c : rows_) x = c.take_impulses(x);
        const auto take = [&](auto& store) {
            for (int slot = 0; slot < store.size(); ++slot) {
                auto& m = store.block_of(slot);
                const int lane = store.lane_of(slot), count = pairs_.touches()[store.owner(slot)].count;
                for (int p = 0; p < count; ++p) {
                    for (auto* impulses : {m.normal_impulse, m.impulse_1, m.impulse_2}) set_lane(impulses[p], lane, *x++);
                }
            }
        };
        take(pairs_.serial().full);
        take(pairs_.serial().single);
        take(pairs_.surfaced());
        take(pairs_.direct().full);
        take(pairs_.direct().single);
        for_each_store(take);
    }

    bool step_once(const WorldSettings& settings) {
        begin_step(settings);
        if (!detect(settings) || !accelerate(settings)) return give_up();
        prepare(settings);
        solve(settings);
        return move(settings) || give_up();
    }
    bool run_stage(WorldStage stage, const WorldSettings& settings) {
        switch (stage) {
            case WorldStage::detect: return detect(settings);
            case WorldStage::accelerate: return accelerate(settings);
            case WorldStage::prepare: prepare(settings); return true;
            case WorldStage::solve: solve(settings); return true;
            default: return move(settings);
        }
    }
    void begin_step(const WorldSettings& settings) {
        record_.complete = false;  // manifolds take other slots
        substeps_ = std::max(1, static_cast<int>(std::ceil(settings.step / settings.longest_substep - 1e-9)));
        before_ = velocities_;
        for (WorldTree& tree : trees_) {
            tree.before = tree.articulation.accelerations;
            tree.moved = false;
        }
        solved_ = false;
        stepping_ = true;
        record_.complete = false;
    }
    double substep_length(const WorldSettings& settings) const { return settings.step / substeps_; }

    // Leaves all as it was before the step, but for the impulses that it would have begun with: these are gone where it had begun
    // to solve.
    bool give_up() {
        stepping_ = false;
        diverged_row_ = find_diverged();
        velocities_ = before_;
        for (WorldTree& tree : trees_) tree.articulation.accelerations = tree.before;
        if (!solved_) {
            pairs_.keep_new();
            return false;
        }
        for (WorldTree& tree : trees_) {
            tree.couplings.forget();
            tree.limits.forget();
        }
        for (BodyConstraintRows& c : constraints_) c.forget();
        for (LinearRows& c : rows_) c.forget();
        pairs_.for_all_stores([](auto& store) { store.forget_impulses(); });
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
        record_.begin(settings, substeps_, trees_);
        pairs_.for_all_stores([](auto& store) { store.begin_sums(); });
    }
    // Adds the impulses of a sub-step; those of contacts in the last one are in their manifolds.
    void record_substep(bool last) {
        for (std::size_t i = 0; i < trees_.size(); ++i) record_.trees[i].add(trees_[i], responses_[i]);
        if (last) return;
        pairs_.for_all_stores([](auto& store) { store.sum_impulses(); });
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
    // Which shapes touch, and where; false where nobody can say how their surfaces meet.
    bool detect(const WorldSettings& settings) {
        find_pairs(settings.step);
        try {
            pairs_.update_manifolds(colliders_, body_rows(), settings.step, SharedLoop(crew_));
        } catch (const SurfaceFailure&) {
            return false;
        }
        return true;
    }
    void find_pairs(double step) {
        colliders_.update(poses_.data(), velocities_.data(), step, [&](int row) { return bodies_[row].moves(); });
        pairs_.update_pairs(colliders_, bodies_);
    }
    BodyRows body_rows() { return {bodies_, poses_.data(), velocities_.data(), travel_.data()}; }
    // What velocities gain in a sub-step without impulses; false where an inertia is not positive.
    bool accelerate(const WorldSettings& settings) {
        const double h = substep_length(settings);
        const SharedLoop loop(crew_);
        loop(bodies_.size(), kSharedRows, [&](std::size_t begin, std::size_t end) { accelerate_bodies(settings, h, begin, end); });
        std::atomic<bool> positive = true;
        loop(trees_.size(), kSharedTrees, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                trees_[i].couplings.drive(trees_[i].articulation, settings.step);
                if (!trees_[i].articulation.accelerate(settings.gravity, settings.step, true)) positive = false;
            }
        });
        return positive;
    }
    void accelerate_bodies(const WorldSettings& settings, double h, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (bodies_[i].kind != BodyKind::free) continue;
            const double weight = bodies_[i].weighs ? h : 0.0;
            const int row = static_cast<int>(i);
            const BodyPose<double> pose = load_pose<double>(poses_.data(), &row);
            const Vec3<double> torque = pose.axes * vec3(wrenches_[i].v), force = pose.axes * vec3(wrenches_[i].v + 3);
            write3(gains_[i].v, vec3(settings.gravity) * weight + force * (pose.inverse_mass * h));
            write3(gains_[i].v + 3, pose.inverse_inertia * torque * h);
        }
    }
    // The rows of constraints, and how bodies respond to their impulses.
    void prepare(const WorldSettings& settings) {
        const double h = substep_length(settings);
        if (!solved_) choose_solvers(vec3(settings.gravity));
        touch(settings.step, h);
        serial_islands_.find(crew_ && constraints_.empty() && rows_.empty() ? trees_.size() : 0, bodies_, sides_);
        prepare_rows(settings.step, h);
    }
    // Brings manifolds to where they are solved: heavy on light directly.
    void choose_solvers(const Vec3<double>& gravity) {
        if (!heavy_.update(pairs_, bodies_, colliders_, constraints_, poses_.data(), gravity, substep_, [&] { return is_driven(); })) return;
        pairs_.sort_out(bodies_, colliders_, [&](int row) { return heavy_.is_direct(bodies_, row); });
    }
    // Whether anything but gravity acts on bodies.
    bool is_driven() const {
        for (const MotionRow& row : wrenches_) {
            if (std::any_of(row.v, row.v + 6, [](double x) { return x != 0.0; })) return true;
        }
        return std::any_of(trees_.begin(), trees_.end(), [](const WorldTree& t) { return t.articulation.is_driven(); });
    }
    // Which coordinates of the articulations constraints touch, and their responses.
    void touch(double step, double h) {
        for (ArticulationResponse& response : responses_) response.begin();
        for (LinearRows& c : rows_) c.find(trees_, responses_, disturbed_);
        place_constraints();
        place_sides(pairs_.serial().full, sides_.full);
        place_sides(pairs_.serial().single, sides_.single);
        place_sides(pairs_.surfaced(), sides_.surfaced);
        place_sides(pairs_.direct().full, direct_.full);
        place_sides(pairs_.direct().single, direct_.single);
        for_each_tree([&](std::size_t i) {
            WorldTree& tree = trees_[i];
            tree.limits.find(tree.articulation, responses_[i], step);
            tree.motors.find(tree.articulation, responses_[i], h);
            tree.couplings.find(tree.articulation, responses_[i]);
            responses_[i].compute(tree.articulation, h);
            tree.limits.prepare(responses_[i]);
            tree.motors.prepare(responses_[i]);
            tree.couplings.prepare(responses_[i]);
        });
    }
    DirectTree direct_tree(int index) {
        WorldTree& tree = trees_[index];
        return {&tree.articulation, &responses_[index], &tree.limits, &tree.motors, &tree.couplings, nullptr};
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
            const BodyPose<double> first = load_pose<double>(poses_.data(), m.first), second = load_pose<double>(poses_.data(), m.second);
            align(store.anchors_of(slot), m, first, second);
            place_manifold(store.anchors_of(slot), first, second, m);
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
    // Side by side.
    template <class F>
    void for_each_tree(F f) {
        const SharedLoop loop(crew_);
        loop(trees_.size(), kSharedTrees, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) f(i);
        });
    }
    template <class F>
    void for_each_serial(F f) {
        const auto all = [&](const std::vector<ContactSides>& sides, auto& store) {
            for (std::size_t k = 0; k < sides.size(); ++k) f(sides[k], store, static_cast<int>(k));
        };
        all(sides_.full, pairs_.serial().full);
        all(sides_.single, pairs_.serial().single);
        all(sides_.surfaced, pairs_.surfaced());
    }
    // Manifolds that are not solved in lanes.
    template <class F>
    void for_each_single(F f) {
        for_each_serial(f);
        if (direct_.empty()) return;
        for (std::size_t k = 0; k < direct_.full.size(); ++k) f(direct_.full[k], pairs_.direct().full, static_cast<int>(k));
        for (std::size_t k = 0; k < direct_.single.size(); ++k) f(direct_.single[k], pairs_.direct().single, static_cast<int>(k));
    }
    template <class F>
    void for_each_store(F f) {
        for (ManifoldColor<T>& color : pairs_.colors()) color.for_each_store(f);
    }

    void prepare_rows(double step, double h) {
        const SharedLoop loop(crew_);
        for_each_store([&](auto& store) {
            loop(store.bundles(), kSharedBundles, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k) {
                    prepare_manifold(store.anchors()[k], poses_.data(), store.blocks()[k]);
                }
            });
        });
        const SideRows rows = side_rows();
        for (LinearRows& c : rows_) c.prepare(rows, h);
        for (BodyConstraintRows& c : constraints_) c.prepare(rows, h);
        coupled_.prepare(rows, constraints_, rows_);
        direct_.begin(pairs_.direct(), bodies_, trees_.size(), [&](int row) { return heavy_.island_of(row); },
                      [&](int i) { return direct_tree(i); });
        for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            sides.prepare(rows, h, store.anchors_of(slot), store.block_of(slot));
        });
        direct_.prepare(rows, step, h, [&](int row) { return vec3(constants_[row].v + 3); }, loop);
    }
    // Impulses, and with them velocities and displacements.
    void solve(const WorldSettings& settings) {
        solve_once(settings);
        // Dofs that come to a limit unexpectedly have rows when the step is solved again; that may bring others to theirs.
        for (int k = 0; !spread(settings.step) && k < kLimitTries; ++k) {
            velocities_ = unsolved_;
            prepare(settings);
            solve_once(settings);
        }
        const SideRows rows = side_rows();
        for (BodyConstraintRows& c : constraints_) c.predict(rows);
        for (LinearRows& c : rows_) c.predict(rows);
    }
    // Before the impulses of a step: those of impacts.
    void begin_solve(const WorldSettings& settings) {
        substep_ = substep_length(settings);
        solved_ = true;
        if (!trees_.empty()) unsolved_ = velocities_;
        if (recording_) begin_record(settings);
        std::fill(displacements_.begin(), displacements_.end(), MotionRow{});
        collide(settings, substep_);
    }
    void solve_once(const WorldSettings& settings) {
        const double h = substep_length(settings);
        const int count = any_impact(settings) ? kImpactSweeps * settings.sweeps : settings.sweeps;
        begin_solve(settings);
        SweepSettings sweeps = {Softness::of(settings.contact_frequency, settings.contact_damping, h), 1.0 / h,
                                settings.push_speed, 0.0};
        for (int s = 0; s < substeps_; ++s) {
            sweeps.closing = 1.0 / (h * (substeps_ - s));
            substep(settings, sweeps, h, count);
            if (recording_) record_substep(s + 1 == substeps_);
        }
        land(h);
    }
    // Whether something hits something else, or comes fast to a limit: it has no impulses to begin with.
    bool any_impact(const WorldSettings& settings) const {
        if (pairs_.impacts() > 0) return true;
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            if (trees_[i].limits.any_impact(responses_[i], settings.step, kFast)) return true;
        }
        return false;
    }
    bool any_slip() const {
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            if (!direct_.has_tree(static_cast<int>(i)) && trees_[i].motors.slips(responses_[i])) return true;
        }
        return false;
    }
    // What the impulses make of the dofs' velocities; false where some dofs are beyond their limits.
    bool spread(double step) {
        std::atomic<bool> good = true;
        for_each_tree([&](std::size_t i) {
            if (!trees_[i].spread(responses_[i], step, substeps_)) good = false;
        });
        return good;
    }
    void substep(const WorldSettings& settings, const SweepSettings& sweeps, double h, int count) {
        const SideRows rows = side_rows();
        start_substep();
        warm_start_all();
        for (int k = 0; k < count; ++k) sweep_all<false>(sweeps, rows);
        // Where what was visited after the motors has made one slip, nothing has come to terms yet.
        for (int k = 0; k < kSlipSweeps && any_slip(); ++k) sweep_all<false>(sweeps, rows);
        // Limits last: no impact displaces a position beyond its own.
        if (count > settings.sweeps) for_each_tree([&](std::size_t i) { trees_[i].limits.settle(sweeps, responses_[i]); });
        direct_.solve<false>(rows, sweeps, SharedLoop(crew_));
        displace(h);
        for (int k = 0; k < settings.relaxing_sweeps; ++k) sweep_all<true>(sweeps, rows);
        direct_.solve<true>(rows, sweeps, SharedLoop(crew_));
        // Motors and limits of velocities last: they are held exactly at the end of the step.
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            trees_[i].motors.sweep(responses_[i]);
            trees_[i].limits.settle_speeds(responses_[i]);
        }
    }
    void start_substep() {
        const SharedLoop loop(crew_);
        loop(bodies_.size(), kSharedRows, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                for (int c = 0; c < 6; ++c) velocities_[i].v[c] += gains_[i].v[c];
            }
        });
        for (ArticulationResponse& response : responses_) response.start_substep();
    }
    // Gives the impulses that are known.
    void warm_start_all() {
        const SideRows rows = side_rows();
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            trees_[i].limits.warm_start(responses_[i]);
            trees_[i].motors.warm_start(responses_[i]);
            trees_[i].couplings.warm_start(responses_[i]);
        }
        for (LinearRows& c : rows_) c.warm_start(rows);
        for (BodyConstraintRows& c : constraints_) c.warm_start(rows);
        for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            serial_warm_start(rows, sides, store.block_of(slot));
        });
        for_each_store([&](auto& store) { warm_start_store(store); });
    }
    template <bool Relaxing>
    void sweep_all(const SweepSettings& sweeps, const SideRows& rows) {
        if (serial_islands_.empty()) {
            for (std::size_t i = 0; i < trees_.size(); ++i) sweep_joints<Relaxing>(sweeps, i);
            for (LinearRows& c : rows_) c.template sweep<Relaxing>(rows, sweeps);
            for (BodyConstraintRows& c : constraints_) c.template sweep<Relaxing>(rows, sweeps);
            coupled_.template sweep<Relaxing>(rows, sweeps, constraints_, rows_);
            for_each_serial([&](const ContactSides& sides, auto& store, int slot) {
                serial_visit<Relaxing>(sweeps, rows, sides, store.block_of(slot));
            });
        } else {
            sweep_serial_islands<Relaxing>(sweeps, rows);
        }
        for_each_store([&](auto& store) { sweep_store<Relaxing>(sweeps, store); });
    }
    template <bool Relaxing>
    void sweep_joints(const SweepSettings& sweeps, std::size_t i) {
        if (direct_.has_tree(static_cast<int>(i))) return;
        trees_[i].motors.sweep(responses_[i]);
        trees_[i].couplings.template sweep<Relaxing>(sweeps, responses_[i]);
        trees_[i].limits.sweep_speeds(responses_[i]);
        trees_[i].limits.template sweep<Relaxing>(sweeps, responses_[i]);
    }
    // The same on threads: in each island in the same order.
    template <bool Relaxing>
    void sweep_serial_islands(const SweepSettings& sweeps, const SideRows& rows) {
        const auto visit = [&](const ContactSides& sides, auto& store, int slot) {
            serial_visit<Relaxing>(sweeps, rows, sides, store.block_of(slot));
        };
        const SharedLoop loop(crew_);
        loop(serial_islands_.size(), kSharedTrees, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                for (const int tree : serial_islands_[i].trees) sweep_joints<Relaxing>(sweeps, tree);
                for (const int slot : serial_islands_[i].full) visit(sides_.full[slot], pairs_.serial().full, slot);
                for (const int slot : serial_islands_[i].single) visit(sides_.single[slot], pairs_.serial().single, slot);
                for (const int slot : serial_islands_[i].surfaced) visit(sides_.surfaced[slot], pairs_.surfaced(), slot);
            }
        });
    }
    template <class Store>
    void warm_start_store(Store& store) {
        const SharedLoop loop(crew_);
        loop(store.bundles(), kSharedBundles, [&](std::size_t begin, std::size_t end) {
            if (begin == 0 && end == store.bundles()) {
                warm_start<false>(store.blocks(), end, velocities_.data());
            } else {
                warm_start<true>(store.blocks() + begin, end - begin, velocities_.data());
            }
        });
    }
    template <bool Relaxing, class Store>
    void sweep_store(const SweepSettings& sweeps, Store& store) {
        const SharedLoop loop(crew_);
        loop(store.bundles(), kSharedBundles, [&](std::size_t begin, std::size_t end) {
            if (begin == 0 && end == store.bundles()) {
                sweep<Relaxing, false>(sweeps, store.blocks(), end, velocities_.data(), displacements_.data());
            } else {
                sweep<Relaxing, true>(sweeps, store.blocks() + begin, end - begin, velocities_.data(), displacements_.data());
            }
        });
    }
    // Displacements grow; a body that nothing touches flies along its exact parabola.
    void displace(double h) {
        const SharedLoop loop(crew_);
        loop(bodies_.size(), kSharedRows, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                double* d = displacements_[i].v;
                for (int c = 0; c < 6; ++c) d[c] += h * velocities_[i].v[c];
                if (bodies_[i].touches > 0) continue;
                for (int c = 0; c < 3; ++c) d[c] -= 0.5 * h * gains_[i].v[c];
            }
        });
        for (ArticulationResponse& response : responses_) response.move(h);
    }
    // Impacts of what has restitution.
    void collide(const WorldSettings& settings, double h) {
        impacts_.clear();
        if (!pairs_.elastic()) return;
        const ImpactSettings s = {settings.step, settings.bounce_threshold, 1.0 / h};
        carry();
        SideRows rows = side_rows();
        rows.gains = carried_.data();
        bool any = true;
        for (int pass = 0; any && pass < kImpactPasses; ++pass) {
            any = false;
            for_each_single([&](const ContactSides& sides, auto& store, int slot) {
                const double restitution = store.anchors_of(slot).restitution;
                if (restitution > 0.0) any |= collide_one(s, rows, sides, lane_of(store.block_of(slot), 0), restitution, store.owner(slot));
            });
            for_each_store([&](auto& store) {
                for (std::size_t k = 0; k < store.bundles(); ++k) any |= collide_bundle(s, rows, store, k);
            });
        }
        launched_ = velocities_;
        if (impacts_.empty()) return;
        hold_gaps(rows);
        leaps_ = displacements_;
        std::fill(displacements_.begin(), displacements_.end(), MotionRow{});
        for (ArticulationResponse& response : responses_) response.set_leaps_aside();
    }
    // What velocities gain until an impact: nothing where contacts have carried the body in the last step.
    void carry() {
        carried_ = gains_;
        if (start_velocities_.size() != velocities_.size()) return;
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            if (bodies_[i].kind != BodyKind::free || bodies_[i].touches == 0) continue;
            const Vec3<double> gained = vec3(velocities_[i].v) - vec3(start_velocities_[i].v), gain = vec3(gains_[i].v) * substeps_;
            if (dot(gained, gained) < kCarried * dot(gain, gain)) carried_[i] = MotionRow{};
        }
    }
    // Sub-steps see the velocities after impacts, but not that these came late: nothing may close its gap too early.
    void hold_gaps(const SideRows& rows) {
        for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            auto& m = store.block_of(slot);
            widen_gaps(m, sides.displacement(rows, frame_of(m)));
        });
        for_each_store([&](auto& store) {
            for (std::size_t k = 0; k < store.bundles(); ++k) {
                auto& m = store.blocks()[k];
                widen_gaps(m, relative_motion(m, load_motion<T>(displacements_.data(), m.first), load_motion<T>(displacements_.data(), m.second)));
            }
        });
    }
    template <class Store>
    bool collide_bundle(const ImpactSettings& s, const SideRows& rows, Store& store, std::size_t k) {
        const auto& anchors = store.anchors()[k];
        const auto& block = store.blocks()[k];
        unsigned lanes = closing_lanes(s, anchors, block, velocities_.data(), displacements_.data(), carried_.data());
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
    bool collide_one(const ImpactSettings& s, const SideRows& rows, const ContactSides& sides, Block m, double restitution, int touch) {
        if (!ManifoldImpact<Block>(s, rows, sides, m).resolve(restitution)) return false;
        impacts_.push_back({touch, {}});
        for (int p = 0; p < m.points; ++p) {
            double* x = impacts_.back().impulses[p];
            x[0] = m.normal_impulse[p];
            x[1] = m.impulse_1[p];
            x[2] = m.impulse_2[p];
        }
        return true;
    }
    // Where impacts have taken the bodies. What touched nothing else flies along its exact parabola.
    void land(double h) {
        if (!pairs_.elastic()) return;
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            if (bodies_[i].kind != BodyKind::free || bodies_[i].touches == 0) continue;
            double v[6];
            std::copy_n(launched_[i].v, 6, v);
            for (int s = 0; s < substeps_; ++s) {
                for (int c = 0; c < 6; ++c) v[c] += gains_[i].v[c];
            }
            if (!std::equal(v, v + 6, velocities_[i].v)) continue;
            for (int c = 0; c < 3; ++c) displacements_[i].v[c] -= 0.5 * h * substeps_ * gains_[i].v[c];
        }
        if (impacts_.empty()) return;
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            for (int c = 0; c < 6; ++c) displacements_[i].v[c] += leaps_[i].v[c];
        }
        for (ArticulationResponse& response : responses_) response.take_leaps();
    }
    // Whether contacts, constraints or limits bear on a tree.
    bool is_loaded(std::size_t tree) {
        const Articulation& a = trees_[tree].articulation;
        int touches = 0;
        for (int row = a.first_row(); row < a.first_row() + a.model().num_links; ++row) touches += bodies_[row].touches;
        if (touches == 0) return false;
        if (!pairs_.elastic()) return true;
        bool loaded = false;
        for_each_single([&](const ContactSides& sides, auto& store, int slot) {
            if (sides.first.tree != static_cast<int>(tree) && sides.second.tree != static_cast<int>(tree)) return;
            touches -= (sides.first.tree == static_cast<int>(tree)) + (sides.second.tree == static_cast<int>(tree));
            for (const double x : store.block_of(slot).normal_impulse) loaded |= x > 0.0;
        });
        return loaded || touches > 0;
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
        const std::size_t bundles = free_rows_.size() / lanes_of<T>;
        const SharedLoop loop(crew_);
        loop(bundles, kSharedBundles, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) advance<T>(rows, &free_rows_[i * lanes_of<T>]);
        });
        for (std::size_t i = bundles * lanes_of<T>; i < free_rows_.size(); ++i) advance<double>(rows, &free_rows_[i]);
        stepping_ = false;
        for_each_tree([&](std::size_t k) {
            if (!trees_[k].moved) trees_[k].advance(responses_[k], step, substeps_, fall(k, settings));
            trees_[k].articulation.place();
            show(trees_[k].articulation, step);
        });
        record_.complete = recording_;
        return true;
    }
    // Trees that nothing touches, by the integrator that was chosen.
    bool move_smoothly(const WorldSettings& settings) {
        if (settings.integrator == Integrator::semi_implicit_euler) return true;
        bool good = true;
        for (std::size_t k = 0; k < trees_.size(); ++k) {
            if (!moves_smoothly(static_cast<int>(k))) continue;
            if (settings.integrator == Integrator::given) {
                trees_[k].take_motion(trees_[k].given_positions, trees_[k].given_velocities);
            } else {
                good &= trees_[k].move_smoothly(smooth_, settings);
            }
        }
        for (WorldTree& tree : trees_) {
            if (!good && tree.moved) tree.go_back();
        }
        return good;
    }
    // By how much a tree that nothing touches is displaced too far by velocities at the end of sub-steps, or of the step.
    Vec3<double> fall(std::size_t tree, const WorldSettings& settings) {
        if (trees_[tree].articulation.model().weights || is_loaded(tree)) return zero3<double>();
        const double h = responses_[tree].size() > 0 ? substep_length(settings) : settings.step;
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
    std::vector<MotionRow> velocities_, displacements_, gains_, carried_, before_, unsolved_;
    std::vector<PlaceRow> start_places_;      // before the last step that was made
    std::vector<MotionRow> start_velocities_;
    std::vector<MotionRow> wrenches_;  // torque, force in principal axes
    std::vector<double> travel_;
    std::vector<int> free_rows_;
    std::vector<WorldTree> trees_;
    std::vector<ArticulationResponse> responses_;
    std::vector<BodyConstraintRows> constraints_;
    std::vector<LinearRows> rows_;
    CoupledConstraints coupled_;
    bool disturbed_ = true;  // whether bodies were moved by others than steps
    ColliderSet colliders_;
    ContactPairs<T> pairs_;
    SerialSides sides_;
    HeavyIslands heavy_;
    DirectSolve direct_;
    SerialIslands serial_islands_;
    SmoothMotion smooth_;
    StepSystem system_;
    std::vector<ImpactImpulses> impacts_;     // of the present step
    std::vector<MotionRow> leaps_, launched_;  // displacements by impacts, and velocities after them
    double substep_ = 0.0, step_ = 0.0;  // of the last step [s]
    int substeps_ = 1;      // of the present step
    bool stepping_ = false, solved_ = false;  // whether a step was begun, and has begun to solve
    StepRecord record_;
    bool recording_ = false;  // whether the present step is recorded
    int diverged_row_ = 0;
    long made_ = 0;  // steps of the last call

    static constexpr int kHeld = 2;  // touches that a constraint counts for: the coordinates of the whole link
    static constexpr double kLargest = 1e30;     // displacement of a step that its rotation can be computed of [m or rad]
    static constexpr std::size_t kLarge = 1000, kManyTrees = 16;        // bodies, skeletons that threads are worth
    static constexpr std::size_t kSharedRows = 1024, kSharedBundles = 8, kSharedTrees = 4;  // of a share, at least
    static constexpr int kImpactSweeps = 4, kSlipSweeps = 8, kImpactPasses = 50;
    static constexpr int kLimitTries = 5;
    static constexpr double kCarried = 0.25;     // share of the square of its gain that a body gained that contacts carry
    static constexpr double kFast = 0.5;         // approach to a limit that asks for more sweeps [m/s or rad/s]
    static constexpr std::uint64_t kArchiveVersion = 2;  // of the bytes of `save`
};

KIDO_END
