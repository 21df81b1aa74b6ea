#pragma once

#include <atomic>
#include <cmath>
#include <cstring>

#include "kido/contact/contact_report.hpp"
#include "kido/contact/soft_material.hpp"
#include "kido/contact/step_acceleration.hpp"
#include "kido/contact/step_motion.hpp"
#include "kido/contact/step_sleep.hpp"
#include "kido/contact/world_stages.hpp"

// The time step of a world, in five stages: detect contacts, accelerate without impulses, prepare what responds, solve in
// sub-steps, move.

KIDO_BEGIN

template <class T>
class ContactWorld : public NativeWorld {
public:
    ContactWorld() { world_.add_row({BodyKind::fixed, false, -1, -1, 0.0, 0, 0}); }
    std::unique_ptr<NativeWorld> clone() const override { return std::make_unique<ContactWorld>(*this); }
    void set_crew(Crew* crew) override { world_.crew = crew; }

    int add_body(const FreeBody& body) override {
        const int row = world_.add_row({BodyKind::free, body.weighs, -1, -1, 0.0, 0, 0});
        world_.heavy.set_mass(row, body.mass);
        world_.places[row].v[7] = 1.0 / body.mass;
        for (int i = 0; i < 3; ++i) {
            world_.constants[row].v[i] = 1.0 / body.moments[i];
            world_.constants[row].v[3 + i] = body.moments[i];
        }
        set_body(row, body.center, body.quaternion, body.velocity);
        return row;
    }
    int add_tree(const Model& model, int& tree) override {
        const int first = static_cast<int>(world_.bodies.size());
        tree = static_cast<int>(world_.trees.size());
        for (int i = 0; i < model.num_links; ++i) world_.add_row({BodyKind::link, true, tree, i, 0.0, 0, 0});
        world_.heavy.set_tree(first, model);
        world_.trees.emplace_back(model, first);
        world_.responses.emplace_back(model);
        world_.bundles.add_tree(model);
        world_.awake_trees.push_back(tree);
        return first;
    }
    int add_soft(int index, int link, const SoftPoints& points) override {
        Articulation& a = world_.trees[index].articulation;
        const int first = a.first_row() + a.num_rows();
        a.add_soft(link, points.weighs, material_of(points), !points.faces.empty());
        for (int row = first; row < a.first_row() + a.num_rows(); ++row) {
            world_.add_row({BodyKind::link, true, index, row - a.first_row(), 0.0, 0, 0});
            world_.heavy.set_soft(row);
        }
        return first;
    }
    int num_soft(int index) const override { return static_cast<int>(world_.trees[index].articulation.softs.size()); }
    void set_soft(int index, int part, const SoftPoints& points) override {
        world_.trees[index].articulation.softs[part].layer.set_material(material_of(points));
    }
    SoftNumbers soft(int index, int part) override {
        SoftPart& soft = world_.trees[index].articulation.softs[part];
        SoftLayer& layer = soft.layer;
        const auto numbers = [](std::vector<Vec3<double>>& of) { return &of[0].x; };
        return {layer.size(),
                numbers(layer.displacements),
                numbers(layer.velocities),
                numbers(layer.accelerations),
                numbers(layer.forces),
                numbers(layer.yielded),
                numbers(soft.targets),
                numbers(soft.target_velocities),
                numbers(soft.pin_forces),
                numbers(soft.began_displacements),
                numbers(soft.began_velocities),
                numbers(soft.began_yielded)};
    }
    int add_collider(const Collider& collider) override {
        const int index = world_.colliders.add(collider, world_.poses.data());
        double& radius = world_.bodies[collider.body].radius;
        if (std::isfinite(world_.colliders[index].reach)) radius = std::max(radius, world_.colliders[index].reach);
        world_.constants[collider.body].v[6] = radius;
        return index;
    }
    int add_skin(int tree, int part, const TriangleMesh& mesh, const std::vector<int>& order, Collider collider,
                 bool meets_own) override {
        const SoftPart& soft = world_.trees[tree].articulation.softs[part];
        collider.body = soft.surface_row;
        return world_.colliders.add_skin(
            collider, SkinSurface(soft.surface_row, soft.first_row, soft.size(), collider.shape->size[0], meets_own, mesh, order),
            world_.body_rows());
    }
    void set_surface_rules(const SurfaceRules& rules) override { world_.pairs.set_rules(rules); }
    void set_surface_source(SurfaceSource* source) override { world_.pairs.set_source(source); }
    void set_mask(int collider, std::uint32_t category, std::uint32_t collides_with) override {
        world_.colliders.set_mask(collider, category, collides_with);
    }
    void exclude(int first, int second) override { world_.pairs.exclude(first, second); }
    std::vector<NearPair> near_pairs(double step) override {
        find_pairs(step);
        return world_.pairs.near_pairs(world_.colliders, world_.body_rows(), step);
    }
    void set_manifolds(int pair, ContactManifold* found, int count) override {
        world_.pairs.set_manifolds(pair, found, count, world_.colliders, world_.body_rows());
    }

    void set_body(int row, const double* center, const double* quaternion, const double* velocity) override {
        wake(row);
        double* place = world_.places[row].v;
        std::copy(center, center + 3, place);
        std::copy(quaternion, quaternion + 4, place + 3);
        std::copy(velocity, velocity + 6, world_.velocities[row].v);
        world_.refresh(row);
        world_.turned[row] += kFar;
        world_.disturbed = true;
    }
    void set_body_wrench(int row, const double* wrench) override {
        if (world_.bodies[row].asleep && !std::equal(wrench, wrench + 6, world_.wrenches[row].v)) wake(row);
        std::copy(wrench, wrench + 6, world_.wrenches[row].v);
    }
    void body(int row, double* center, double* quaternion, double* velocity) const override {
        const double* place = world_.places[row].v;
        std::copy(place, place + 3, center);
        std::copy(place + 3, place + 7, quaternion);
        std::copy(world_.velocities[row].v, world_.velocities[row].v + 6, velocity);
    }
    void bodies(const int* rows, std::size_t count, double* out) const override {
        for (const int* row = rows; row != rows + count; ++row, out += kBodyNumbers) {
            std::memcpy(out, world_.places[*row].v, 7 * sizeof(double));
            std::memcpy(out + 7, world_.velocities[*row].v, 6 * sizeof(double));
        }
    }
    void body_acceleration(int row, double* acceleration) const override {
        if (row >= static_cast<int>(world_.start_places.size())) {  // no step was made
            std::fill_n(acceleration, 6, 0.0);
            return;
        }
        const PlaceRow &from = world_.start_places[row], &to = world_.places[row];
        step_acceleration({from, to, world_.start_velocities[row], world_.velocities[row], world_.constants[row], world_.step},
                          acceleration);
    }
    TreeNumbers tree(int index) override {
        Articulation& a = world_.trees[index].articulation;
        return {a.positions.data(), a.velocities.data(), a.accelerations.data(), a.commands.data(), a.effort.data(),
                a.friction.data(), a.stiffness.data(), a.rest.data(), a.damping.data(), a.lower.data(), a.upper.data(),
                a.slowest.data(), a.fastest.data(), a.least_effort.data(), a.least_speed.data(), a.most_speed.data(),
                a.drives.data(), a.limit_softness.data(), a.wrenches.data(), a.users.data()};
    }
    int add_constraint(const BodyConstraint& constraint) override {
        for (const int row : {constraint.first, constraint.second}) {
            world_.bodies[row].touches += kHeld;
            world_.bodies[row].held += kHeld;
            if (world_.bodies[row].kind == BodyKind::link) world_.trees[world_.bodies[row].tree].constrained = true;
        }
        if (constraint.is_weld()) world_.pairs.weld(constraint.first, constraint.second);
        world_.constraints.emplace_back(constraint);
        return static_cast<int>(world_.constraints.size()) - 1;
    }
    void constraint_wrench(int index, double* wrench) const override {
        const FrameWrench<double> w = world_.constraints[index].impulse();
        const double per_step = world_.step > 0.0 ? 1.0 / world_.step : 0.0;
        write3(wrench, w.torque * per_step);
        write3(wrench + 3, w.force * per_step);
    }
    bool constraint_unmet(int index) const override { return world_.constraints[index].unmet(); }
    void constraint_error(int index, double* error) const override { world_.constraints[index].error(world_.poses.data(), error); }
    int add_row_constraint(RowConstraint constraint, const std::vector<int>& bodies) override {
        for (const int row : bodies) {
            world_.bodies[row].touches += kHeld;
            world_.bodies[row].held += kHeld;
        }
        world_.linear_rows.emplace_back(std::move(constraint));
        return static_cast<int>(world_.linear_rows.size()) - 1;
    }
    void set_rows(int index, RowConstraint constraint) override { world_.linear_rows[index].set(std::move(constraint)); }
    void row_numbers(int index, std::vector<double>& forces, std::vector<double>& errors, bool& unmet) const override {
        const LinearRows& rows = world_.linear_rows[index];
        for (int i = 0; i < rows.size(); ++i) {
            forces.push_back(world_.step > 0.0 ? rows.totals()[i] / world_.step : 0.0);
            errors.push_back(rows.error(world_.trees, i));
        }
        unmet = rows.unmet();
    }
    void set_couplings(int index, std::vector<Coupling> couplings) override {
        world_.trees[index].couplings.set(std::move(couplings));
    }
    void place_tree(int index) override {
        Articulation& a = world_.trees[index].articulation;
        if (a.num_rows() > 0) wake(a.first_row());
        a.place();
        a.write_rows(world_.poses.data(), world_.velocities.data());
        for (int i = 0; i < a.num_rows(); ++i) world_.turned[a.first_row() + i] += kFar;
        world_.disturbed = true;
    }

    long step(const WorldSettings& settings, long count, StopSignal* stop, bool record) override {
        made_ = 0;
        StepSleep<T>(world_).wake_loaded();
        try {
            // Small steps are shorter than what asking takes.
            const long between = world_.bodies.size() < kSmall ? kBetweenPolls : 1;
            for (bool last = count <= 0; !last; ++made_) {
                last = made_ + 1 == count || (stop && made_ % between == 0 && stop->poll());
                world_.recording = last && record;
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
        world_.recording = true;
        if (first <= WorldStage::accelerate) StepSleep<T>(world_).wake_loaded();
        if (first == WorldStage::detect) begin_step(settings);
        for (int stage = static_cast<int>(first); stage <= static_cast<int>(last); ++stage) {
            if (!run_stage(static_cast<WorldStage>(stage), settings)) return give_up();
        }
        return true;
    }
    void cancel_step() override {
        if (world_.stepping) give_up();
    }
    bool moves_smoothly(int index) const override { return world_.moves_smoothly(index); }
    bool accelerations(int index, const double (&gravity)[3], const double* q, const double* v, double* out) override {
        return world_.smooth.accelerations(world_.trees[index].articulation, gravity, q, v, out);
    }
    void give_motion(int index, const double* q, const double* v) override {
        const int n = world_.trees[index].articulation.model().num_dofs;
        world_.trees[index].given_positions.assign(q, q + n);
        world_.trees[index].given_velocities.assign(v, v + n);
    }
    const std::vector<SystemRow>& step_rows(const WorldSettings& settings, const Correction& correction, int& islands) override {
        return WorldStages<T>::rows(world_, settings, correction, islands);
    }
    const std::vector<int>& step_island(int island) const override { return world_.system.rows->members(island); }
    void step_matrix(int island, double* A) const override { world_.system.rows->matrix(island, A); }
    bool give_impulses(const WorldSettings& settings, const double* correcting, const double* keeping, bool last) override {
        return WorldStages<T>::give_impulses(world_, settings, correcting, keeping, last);
    }

    std::vector<char> save() override {
        std::vector<char> bytes;
        bytes.reserve(saved_);
        StateArchive writer(bytes);
        world_.archive(writer);
        saved_ = bytes.size();
        return bytes;
    }
    bool load(const char* bytes, std::size_t size) override {
        StateArchive reader(bytes, size);
        world_.archive(reader);
        for (WorldTree& tree : world_.trees) tree.articulation.place();
        return reader.ended();
    }
    using NativeWorld::contacts;
    void contacts(bool at_start, std::vector<WorldContact>& out) override {
        std::size_t found = 0;
        const std::vector<PoseRow> began = at_start && world_.record.complete ? world_.start_poses() : std::vector<PoseRow>();
        const PoseRow* poses = began.empty() ? world_.poses.data() : began.data();
        reported_.assign(world_.pairs.touches().size(), -1);
        for (const ContactPair& pair : world_.pairs.pairs()) {
            if (pair.first < 0) continue;
            for (int t = pair.touch; t >= 0; t = world_.pairs.touches()[t].next) {
                const std::uint32_t part = world_.pairs.touches()[t].part;
                reported_[t] = static_cast<int>(found);
                found += world_.pairs.touches()[t].count;
                if (found > out.size()) out.resize(found);
                for (std::size_t i = reported_[t]; i < found; ++i) {
                    out[i].first = pair.first;
                    out[i].second = pair.second;
                    out[i].first_face = world_.colliders.face(pair.first, part);
                    out[i].second_face = world_.colliders.face(pair.second, part);
                }
            }
        }
        out.resize(found);
        const StoreReport report(poses, world_.pairs.touches(), reported_, out.data());
        const ReportedImpulses counted = world_.record.complete ? ReportedImpulses::step : ReportedImpulses::last;
        const double per_step = world_.record.per_step(world_.substep);
        const ExtraForces extra(world_.impacts, world_.step, reported_.size());
        world_.pairs.for_all_stores([&](auto& store) { report.write(store, per_step, counted, extra); });
        world_.pairs.for_sleeping_stores([&](auto& store) { report.write(store, 1.0 / world_.step, ReportedImpulses::kept, extra); });
    }
    bool is_large() const override { return world_.bodies.size() >= kLarge || world_.trees.size() >= kManyTrees; }
    double recorded() const override { return world_.record.complete ? world_.record.duration() : 0.0; }
    bool tree_step(int index, const TreeStep& out) const override {
        if (world_.record.complete) write_tree_step(world_.record, index, world_.trees[index], world_.responses[index], out);
        return world_.record.complete;
    }
    bool tree_forces(int index, double* actuators, double* friction, double* limits) const override {
        if (world_.record.complete) write_tree_forces(world_.record, index, world_.trees[index], actuators, friction, limits);
        return world_.record.complete;
    }
    bool body_step(int row, FreeBodyStep& out) const override {
        if (!world_.record.complete) return false;
        const MotionRow& gain = world_.gains[row];
        const MotionRow weight = world_.bodies[row].asleep ? world_.gain_of(row, world_.record.gravity, world_.record.substep) : gain;
        write_body_step(world_.record, world_.free_row(row, weight), out);
        return true;
    }
    int diverged_row() const override { return diverged_row_; }
    std::int64_t nap(int row) const override { return world_.sleep.nap(row); }
    void wake(int row) override { StepSleep<T>(world_).wake(row); }
    WorldCounts counts() override {
        WorldCounts c = {0, 0, world_.pairs.tests(), static_cast<std::int64_t>(world_.pairs.colors().size()), 0,
                         world_.pairs.direct().full.size() + world_.pairs.direct().single.size() + world_.direct.num_surfaced(),
                         static_cast<std::int64_t>(world_.overlaps.size())};
        for (const ContactPair& pair : world_.pairs.pairs()) {
            if (pair.first < 0) continue;
            ++c.pairs;
            for (int t = pair.touch; t >= 0; t = world_.pairs.touches()[t].next) ++c.manifolds;
        }
        for (const int i : world_.awake_trees) c.rows += world_.responses[i].size();
        return c;
    }

private:
    static constexpr int kHeld = 2;      // touches that a constraint counts for: the coordinates of the whole link
    static constexpr double kFar = 1e3;  // a turn after which every pair is tested [m]
    static constexpr std::size_t kSmall = 64;  // bodies
    static constexpr long kBetweenPolls = 4;   // steps
    static constexpr std::size_t kLarge = 1000, kManyTrees = 16;  // bodies, skeletons that threads are worth

    bool step_once(const WorldSettings& settings) {
        if (world_.is_settled()) return pass_step(settings);
        begin_step(settings);
        if (!detect(settings) || !StepAcceleration<T>(world_).accelerate(settings)) return give_up();
        WorldStages<T>::prepare(world_, settings);
        WorldStages<T>::solve(world_, settings);
        return move(settings) || give_up();
    }
    bool run_stage(WorldStage stage, const WorldSettings& settings) {
        switch (stage) {
            case WorldStage::detect: return detect(settings);
            case WorldStage::accelerate: return StepAcceleration<T>(world_).accelerate(settings);
            case WorldStage::prepare: WorldStages<T>::prepare(world_, settings); return true;
            case WorldStage::solve: WorldStages<T>::solve(world_, settings); return true;
            default: return move(settings);
        }
    }
    // A step in which nothing is awake.
    bool pass_step(const WorldSettings& settings) {
        world_.heavy.pass();
        world_.sleep.begin_step(settings);
        world_.record.complete = world_.recording;
        return true;
    }
    void begin_step(const WorldSettings& settings) {
        if (world_.sleep.begin_step(settings)) world_.recording = true;
        world_.record.complete = false;  // manifolds take other slots
        world_.divide(settings);
        world_.before = world_.velocities;
        for (const int i : world_.awake_trees) {
            world_.trees[i].before = world_.trees[i].articulation.accelerations;
            world_.trees[i].moved = world_.trees[i].follows_end = false;
        }
        world_.solved = false;
        world_.loops.leave_out(false);
        world_.stepping = true;
        world_.record.complete = false;
    }
    // Leaves all as it was before the step, but for the impulses that it would have begun with: these are gone where it had begun
    // to solve.
    bool give_up() {
        world_.stepping = false;
        diverged_row_ = StepMotion<T>(world_).find_diverged();
        world_.velocities = world_.before;
        for (const int i : world_.awake_trees) world_.trees[i].articulation.accelerations = world_.trees[i].before;
        if (!world_.solved) {
            world_.pairs.keep_new();
            return false;
        }
        for (const int i : world_.awake_trees) {
            world_.trees[i].couplings.forget();
            world_.trees[i].limits.forget();
        }
        world_.for_each_constraint([](BodyConstraintRows& c) { c.forget(); });
        world_.for_each_linear([](LinearRows& c) { c.forget(); });
        world_.pairs.for_all_stores([](auto& store) { store.forget_impulses(); });
        return false;
    }
    bool move(const WorldSettings& settings) {
        if (!StepMotion<T>(world_).move(settings)) return false;
        StepSleep<T>(world_).end_step(settings);
        return true;
    }
    // Which shapes touch, and where; false where nobody can say how their surfaces meet.
    bool detect(const WorldSettings& settings) {
        find_pairs(settings.step);
        try {
            world_.pairs.update_manifolds(world_.colliders, world_.body_rows(), settings.step, SharedLoop(world_.crew));
        } catch (const SurfaceFailure&) {
            return false;
        }
        StepSleep<T>(world_).wake_touched();
        return true;
    }
    void find_pairs(double step) {
        world_.colliders.update(world_.body_rows(), step);
        world_.pairs.update_pairs(world_.colliders, world_.bodies);
    }

    WorldState<T> world_;
    std::vector<int> reported_;  // where contacts of touches stand in a report
    std::size_t saved_ = 0;      // bytes of the last archive
    int diverged_row_ = 0;
    long made_ = 0;  // steps of the last call
};

KIDO_END
