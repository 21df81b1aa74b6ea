#pragma once

#include <algorithm>
#include <vector>

#include "kido/algorithm/armature.hpp"
#include "kido/algorithm/problem_of.hpp"
#include "kido/algorithm/spring_forces.hpp"
#include "kido/contact/articulated_bodies.hpp"
#include "kido/contact/body_rows.hpp"
#include "kido/contact/dof_advance.hpp"
#include "kido/contact/free_turn.hpp"
#include "kido/contact/gimbal.hpp"
#include "kido/contact/native_world.hpp"
#include "kido/contact/soft_part.hpp"

// A skeleton in a world: its dofs, what acts on them, and its links in one time step. Several of one model go in lanes, see
// ArticulationBundle.

KIDO_BEGIN

class Articulation {
public:
    // `first_row`: the solver's row of the first link.
    Articulation(const Model& model, int first_row) : model_(&model), first_row_(first_row), links_(model), bodies_(model) {
        const std::size_t n = model.num_dofs, links = model.num_links;
        for (auto* v : {&positions, &velocities, &accelerations, &commands, &effort, &friction, &stiffness, &rest, &damping, &spring_,
                        &forces_, &added_}) {
            v->assign(n, 0.0);
        }
        for (auto* v : {&lower, &slowest, &least_effort, &least_speed}) v->assign(n, -HUGE_VAL);
        for (auto* v : {&upper, &fastest, &most_speed}) v->assign(n, HUGE_VAL);
        drives.assign(n, Drive::force);
        limit_softness.assign(n, ConstraintSoftness{});
        wrenches.assign(6 * links, 0.0);
        users.assign(user_numbers(model), 0.0);
        held.assign(n, 0);
        holdings_.resize(n);
        spins_.assign(links, 0);
        for (int i = 0; i < model.num_links; ++i) {
            const Link& link = model.links[i];
            spins_[i] = link.parent < 0 && !link.massless && (link.kind == JointKind::ball || link.kind == JointKind::free) &&
                        !has_armature(link);
            if (link.parent >= 0) spins_[link.parent] = 0;
            if (Gimbal::begins_at(model, i)) gimbals_.push_back({Gimbal(model, i), false, zero3<double>()});
        }
    }

    const Model& model() const { return *model_; }
    int first_row() const { return first_row_; }
    const Vec3<double>& reference() const { return links_.reference; }
    const Mat3<double>& axes(int link) const { return links_.links[link].axes; }
    const Vec3<double>& arm(int link) const { return links_.links[link].arm; }
    const Motion<double>& motion(int link) const { return links_.links[link].motion; }
    // To a link's center of mass; to its origin where it has no mass.
    Vec3<double> center_arm(int link) const {
        const Link& l = model_->links[link];
        return l.massless ? arm(link) : arm(link) + axes(link) * vec3(l.h) * (1.0 / l.mass);
    }
    LinkMoments<double> moments(int link) const { return moments_of(model_->links[link], links_.links[link]); }
    const Vec3<double>& gravity() const { return gravity_; }  // in the present step
    // Spatial acceleration without impulses.
    const Motion<double>& acceleration(int link) const { return links_.accelerations[link]; }
    // What a link's spatial acceleration has of velocities alone, without the dofs' accelerations.
    Motion<double> velocity_product(int link) const {
        Motion<double> sum = links_.links[link].drift;
        for (int i = model_->links[link].parent; i >= 0; i = model_->links[i].parent) sum = sum + links_.links[i].drift;
        return sum;
    }
    const DofFactors<double>& factors(int dof) const { return links_.factors[dof]; }

    // Poses and velocities of all links.
    void place() {
        links_.place(*model_, users.data(), positions.data(), velocities.data());
        has_axes_ = true;
    }
    // Rows of the links for collision: origins, axes, velocities.
    void write_rows(PoseRow* poses, MotionRow* velocity_rows) const {
        for (int i = 0; i < model_->num_links; ++i) write_row(links_, i, poses[first_row_ + i].v, velocity_rows[first_row_ + i].v);
        for (const SoftPart& soft : softs) {
            const LinkMotion<double>& at = links_.links[soft.link];
            if (soft.surface_row >= 0) {
                poses[soft.surface_row] = poses[first_row_ + soft.link];
                velocity_rows[soft.surface_row] = velocity_rows[first_row_ + soft.link];
            }
            for (int i = 0; i < soft.size(); ++i) {
                PoseRow& pose = poses[soft.first_row + i] = poses[first_row_ + soft.link];
                write3(pose.v, reference() + at.arm + soft.arm(at, i));
                velocity_rows[soft.first_row + i] = {};
                write3(velocity_rows[soft.first_row + i].v, soft.velocity(at, i));
            }
        }
    }
    // Accelerations without impulses, with springs and dampers implicit in a step of length h; false where an inertia is not
    // positive.
    // `turning`: whether to leave out what bodies that spin by themselves take, which `advance` adds exactly.
    bool accelerate(const double (&gravity)[3], double h, bool turning) {
        if (!has_axes_) place();
        turning_ = turning;
        gravity_ = vec3(gravity);
        const DofLoads<double> loads = load_dofs(h);
        bool positive = true;
        for (SoftPart& soft : softs) positive &= soft.eliminate(h, links_.links[soft.link], reference(), gravity_);
        positive &= is_plain() ? bodies_.accelerate(*model_, gravity_, loads, NothingSpecial{}, links_, accelerations.data())
                       : bodies_.accelerate(*model_, gravity_, loads, SpecialLoads{*this, h}, links_, accelerations.data());
        for (SoftPart& soft : softs) soft.accelerate(links_.links[soft.link], links_.accelerations[soft.link]);
        take_fast_gimbals(h);
        return positive;
    }
    // After accelerations were found for a step of length h: gimbals that turn fast are given those of axes that stand.
    void take_fast_gimbals(double h) {
        for (FastGimbal& g : gimbals_) {
            const int k = g.gimbal.dof();
            g.fast = !any_prescribed(k, k + 3) && g.gimbal.is_fast(velocities.data(), accelerations.data(), nullptr, h);
            if (!g.fast) continue;
            g.accelerations = vec3(&accelerations[k]);
            write3(&accelerations[k], g.gimbal.standing(positions.data(), velocities.data(), accelerations.data()));
        }
    }
    // What acts on the dofs in a step of length h.
    DofLoads<double> load_dofs(double h) {
        if (any_nonzero(stiffness)) {
            write_spring_forces(spring_.data());
        } else {
            std::fill(spring_.begin(), spring_.end(), 0.0);
        }
        for (int k = 0; k < model_->num_dofs; ++k) {
            const double driving = drives[k] == Drive::force ? commands[k] : 0.0;
            forces_[k] = driving + spring_[k] - velocities[k] * (damping[k] + h * stiffness[k]);
            added_[k] = with_armature(h * damping[k] + h * h * stiffness[k], model_->armature, k);
        }
        return {forces_.data(), added_.data()};
    }
    // Whether all dofs follow forces, no link spins by itself, and no wrenches act on links: such skeletons go in lanes.
    bool is_plain() const {
        int special = any_nonzero(wrenches) | !softs.empty();
        for (int k = 0; k < model_->num_dofs; ++k) special |= is_prescribed(k);
        for (const char spins : spins_) special |= spins;
        return !special;
    }

    // Velocities and positions at the end of a step of `substeps`; `changes` and `sums` as ArticulationResponse::spread gives
    // them. `fall`: displacement (3) in world axes by which roots that move freely are put back, so that what nothing touches as a
    // whole flies along its exact parabola.
    void advance(const double* changes, const double* sums, double step, int substeps, bool touched, const Vec3<double>& fall) {
        const Model& m = *model_;
        const StepReach<double> reach = {step, substeps, StepReach<double>::weight_of(step, substeps, touched), fall};
        const DofStep<double> dofs = {positions.data(), velocities.data(), accelerations.data(), changes, sums};
        std::size_t next = 0;
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            if (next < gimbals_.size() && gimbals_[next].gimbal.link() == i) {
                const FastGimbal& g = gimbals_[next++];
                if (turns_fast(g, changes, step)) {
                    g.gimbal.advance(dofs, reach, g.fast, lower.data(), upper.data());
                    if (g.fast) write3(&accelerations[g.gimbal.dof()], g.accelerations);
                    i += 2;
                    continue;
                }
            }
            const bool turns = link.kind == JointKind::ball || link.kind == JointKind::free;
            const Vec3<double> before = turns ? vec3(&positions[link.dof]) : zero3<double>();
            if (spins(link, i)) {
                advance_spinning(link, changes, sums, reach);
            } else if (held[link.dof]) {
                advance_single(dofs, reach, link.dof, substeps * step);
            } else {
                advance_joint(dofs, reach, link);
            }
            if (turns && has_turned_far(link.dof)) stay_within(link.dof, before);
        }
        for (int k = 0; k < m.num_dofs; ++k) {
            if (!is_prescribed(k)) accelerations[k] += changes[k] / step;
        }
        for (SoftPart& soft : softs) soft.advance(step, substeps, reach.weight);
    }

    // Whether a gimbal turns so fast that the step is taken in rotations; `changes` as `advance` takes them.
    bool any_fast(const std::vector<double>& changes, double step) const {
        return std::any_of(gimbals_.begin(), gimbals_.end(), [&](const FastGimbal& g) { return turns_fast(g, changes.data(), step); });
    }

    // Whether a ball or free joint with limits is so near to half a turn that its rotation vector may be another one after a step.
    bool any_turned_far() const {
        return std::any_of(model_->links, model_->links + model_->num_links, [&](const Link& link) {
            return (link.kind == JointKind::ball || link.kind == JointKind::free) && has_turned_far(link.dof);
        });
    }

    // Whether it is one body that spins by itself, which is advanced exactly.
    bool spins_alone() const { return model_->num_links == 1 && spins(model_->links[0], 0); }

    // Whether the dof's motion is given, whatever force that takes.
    bool is_given(int dof) const { return drives[dof] == Drive::acceleration || drives[dof] == Drive::velocity; }
    // The same in this step.
    bool is_prescribed(int dof) const { return held[dof] || is_given(dof); }
    // Force of a held servo without impulses, and the wrench that its dof's motion takes.
    double holding_force(int dof) const { return holdings_[dof].force; }
    const Wrench<double>& holding_wrench(int dof) const { return holdings_[dof].wrench; }

    // Forces of the springs (num_dofs) at the present positions.
    void write_spring_forces(double* out) const {
        const ProblemOf<SpringForces> problem(*model_);
        const double* in[] = {positions.data(), rest.data(), stiffness.data()};
        double* to[] = {out};
        Scratch none(nullptr);
        SpringForces::run<double>(problem, NoMemory<double>(problem, none), in, to);
    }
    // Whether other forces than gravity and those of springs act.
    bool is_driven() const {
        const auto nonzero = [](double x) { return x != 0.0; };
        return std::any_of(commands.begin(), commands.end(), nonzero) || std::any_of(wrenches.begin(), wrenches.end(), nonzero) ||
               std::any_of(drives.begin(), drives.end(), [](Drive d) { return d != Drive::force; });
    }
    bool any_faster_than(double speed) const {
        return std::any_of(velocities.begin(), velocities.end(), [&](double v) { return std::fabs(v) > speed; });
    }
    bool any_prescribed() const { return any_prescribed(0, model_->num_dofs); }
    bool any_prescribed(int begin, int end) const {
        for (int k = begin; k < end; ++k) {
            if (is_prescribed(k)) return true;
        }
        return false;
    }
    // See TreeNumbers.
    std::vector<double> positions, velocities, accelerations, commands, effort, friction, stiffness, rest, damping, lower, upper,
        slowest, fastest, least_effort, least_speed, most_speed;
    std::vector<Drive> drives;
    std::vector<char> held;  // servos whose motion is given in this step, see HeldServos
    std::vector<ConstraintSoftness> limit_softness;
    std::vector<double> wrenches, users;
    std::vector<SoftPart> softs;

    // Rows of the solver: of the links, then of the points around each, and one of the faces between these.
    int num_rows() const { return model_->num_links + static_cast<int>(points_.size()); }
    struct Point {
        int soft, index;  // -1: the faces
    };
    // What a row stands for, counted from the first; a link: neither point nor faces.
    bool is_soft(int row) const { return row >= model_->num_links; }
    Point point(int row) const { return points_[row - model_->num_links]; }
    int carrier(int row) const { return is_soft(row) ? softs[point(row).soft].link : row; }
    // Around a link; rows of the points follow, and one of faces where there are `any_faces`.
    void add_soft(int link, bool weighs, SoftMaterial material, bool any_faces) {
        const int soft = static_cast<int>(softs.size()), row = first_row_ + num_rows();
        for (int i = 0; i < material.size(); ++i) points_.push_back({soft, i});
        if (any_faces) points_.push_back({soft, -1});
        softs.emplace_back(link, row, any_faces ? row + material.size() : -1, weighs, std::move(material));
        spins_[link] = 0;
    }
    const LinkMotion<double>& link_motion(int link) const { return links_.links[link]; }

    // For lanes that compute it beside others: places and motions of links; their accelerations and factors of dofs.
    LinkMotion<double>* link_motions() { return links_.links.data(); }
    Motion<double>* link_accelerations() { return links_.accelerations.data(); }
    DofFactors<double>* dof_factors() { return links_.factors.data(); }
    void take_place(const Vec3<double>& reference) {
        links_.reference = reference;
        has_axes_ = false;
    }
    void take_factors() { has_axes_ = true; }

private:
    static constexpr double kFar = 2.5, kFarthest = 1.5 * M_PI;  // angles of rotation vectors [rad]

    bool has_turned_far(int k) const {
        const Vec3<double> r = vec3(&positions[k]);
        if (dot(r, r) < kFar * kFar) return false;
        bool limited = false;
        for (int i = k; i < k + 3; ++i) limited |= std::isfinite(lower[i]) || std::isfinite(upper[i]);
        return limited;
    }
    // A rotation has two rotation vectors below a whole turn. Of these, positions are the one that limits let, or that is nearer to what it was.
    void stay_within(int k, const Vec3<double>& before) {
        const Vec3<double> r = vec3(&positions[k]);
        const double size = std::sqrt(dot(r, r));
        const Vec3<double> other = r * (1.0 - 2.0 * M_PI / size), way = r - before, other_way = other - before;
        if (dot(other, other) > kFarthest * kFarthest) return;
        const double beyond = beyond_limits(k, r), other_beyond = beyond_limits(k, other);
        if (other_beyond < beyond || (other_beyond == beyond && dot(other_way, other_way) < dot(way, way))) write3(&positions[k], other);
    }
    double beyond_limits(int k, const Vec3<double>& r) const {
        const double* q = &r.x;
        double most = 0.0;
        for (int i = 0; i < 3; ++i) most = std::max({most, lower[k + i] - q[i], q[i] - upper[k + i]});
        return most;
    }
    // Wrenches on links, bodies that spin by themselves, and dofs whose motion is given.
    struct SpecialLoads {
        Articulation& a;
        double h;

        void load(const Link& link, int i, const LinkMotion<double>& at, BodyLoad<double>& body) const {
            add_wrench(at, vec3(&a.wrenches[6 * i]), vec3(&a.wrenches[6 * i + 3]), body.bias);
            if (!link.massless && a.spins(link, i)) body.bias.torque -= a.gyroscopic(link, i);
            for (const SoftPart& soft : a.softs) {
                if (soft.link == i) add_soft(soft, at, body);
            }
        }
        // About the link's origin, in its axes.
        static void add_wrench(const LinkMotion<double>& at, const Vec3<double>& torque, const Vec3<double>& force, Wrench<double>& bias) {
            const Vec3<double> f = at.axes * force;
            bias.torque -= at.axes * torque + cross(at.arm, f);
            bias.force -= f;
        }
        static void add_soft(const SoftPart& soft, const LinkMotion<double>& at, BodyLoad<double>& body) {
            const SoftLoad& load = soft.load();
            const Vec3<double> own = at.axes * load.first, h = own + at.arm * load.mass;
            const Sym3<double> I = moved_inertia<double>(rotate(at.axes, load.second), load.mass, own, at.arm);
            body.add(load.mass, h, I, at.motion, load.mass, h, soft.gravity());
            add_wrench(at, load.torque, load.force, body.bias);
        }
        bool take_given(int k, DofFactors<double>& f, const Wrench<double>& u, Wrench<double>& bias) const {
            if (!a.is_prescribed(k)) return false;
            f.inverse = 0.0;
            f.gain = {zero3<double>(), zero3<double>()};
            double& given = a.accelerations[k];
            given = a.drives[k] == Drive::acceleration ? a.commands[k] : (a.commands[k] - a.velocities[k]) / h;
            bias = bias + u * given;
            if (a.held[k]) a.holdings_[k] = {u, dot(f.axis, bias) + a.added_[k] * given - a.forces_[k]};
            return true;
        }
        bool follow_given(int k, const Motion<double>& parent) const {
            if (a.held[k]) a.holdings_[k].force += dot(parent, a.holdings_[k].wrench);
            return a.is_prescribed(k);
        }
    };

    struct FastGimbal {
        Gimbal gimbal;
        bool fast;
        Vec3<double> accelerations;  // where it is fast: those that it has
    };

    bool turns_fast(const FastGimbal& g, const double* changes, double step) const {
        const int k = g.gimbal.dof();
        return g.fast || (!any_prescribed(k, k + 3) && g.gimbal.is_fast(velocities.data(), accelerations.data(), changes, step));
    }
    bool has_armature(const Link& link) const {
        const double* armature = model_->armature;
        return armature && std::any_of(armature + link.dof, armature + link.dof + link.dof_count, [](double x) { return x != 0.0; });
    }
    static bool any_nonzero(const std::vector<double>& numbers) {
        int any = 0;
        for (const double x : numbers) any |= x != 0.0;
        return any;
    }

    // A body that spins by itself: a root without children, on a ball joint or free. It keeps its angular momentum about the pivot
    // or its center of mass but for what torques give, so that it may spin fast. In its own axes.
    static Sym3<double> spin_inertia(const Link& link) {
        const Sym3<double> I = sym3(link.I);
        if (link.kind == JointKind::ball) return I;
        const Vec3<double> h = vec3(link.h);
        const double s = -1.0 / link.mass, along = dot(h, h) * s;
        return {I.xx + along - s * h.x * h.x, I.xy - s * h.x * h.y, I.xz - s * h.x * h.z,
                I.yy + along - s * h.y * h.y, I.yz - s * h.y * h.z, I.zz + along - s * h.z * h.z};
    }
    bool spins(const Link& link, int i) const {
        if (!turning_ || !spins_[i]) return false;
        for (int k = link.dof; k < link.dof + 3; ++k) {
            if (drives[k] != Drive::force || damping[k] != 0.0 || stiffness[k] != 0.0) return false;
        }
        return true;
    }
    Vec3<double> gyroscopic(const Link& link, int i) const {
        const Vec3<double> spin = transposed_times(axes(i), motion(i).angular);
        return axes(i) * cross(spin, spin_inertia(link) * spin);
    }
    void advance_spinning(const Link& link, const double* changes, const double* sums, const StepReach<double>& reach) {
        const int k = link.dof, substeps = reach.substeps;
        const double step = reach.step, h = reach.substep(), weight = reach.weight;
        const bool is_free = link.kind == JointKind::free;
        const Sym3<double> I = spin_inertia(link);
        const Vec3<double> spin = vec3(&velocities[k]), angular = vec3(&accelerations[k]);
        const Vec3<double> end = spin + angular * step + vec3(changes + k);
        const Vec3<double> pushed = (spin * substeps + angular * weight + vec3(sums + k)) * h - end * step;
        const Turn free = free_turn(end, I, step);
        const Mat3<double> R = so3_exp(vec3(&positions[k])), turn = so3_exp(pushed) * free.rotation;
        const Vec3<double> e[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        const Vec3<double> extra = solved(I * e[0], I * e[1], I * e[2], cross(I * spin, spin));
        const Vec3<double> last = solved(I * e[0], I * e[1], I * e[2], transposed_times(turn, I * end));
        write3(&positions[k], so3_log(R * turn));
        write3(&velocities[k], last);
        write3(&accelerations[k], angular + extra);
        if (!is_free) return;
        // The center of mass does not feel the spin.
        const Vec3<double> c = vec3(link.h) * (1.0 / link.mass), v = vec3(&velocities[k + 3]);
        const Vec3<double> linear = vec3(&accelerations[k + 3]) + cross(spin, v + cross(spin, c));
        const Vec3<double> central = (v + cross(spin, c)) * substeps + (linear + cross(angular, c)) * weight +
                                     vec3(sums + k + 3) + cross(vec3(sums + k), c);
        write3(&positions[k + 3], vec3(&positions[k + 3]) + R * (c + central * h - turn * c) + transposed_times(mat3(link.R), reach.fall));
        const Vec3<double> leaves = v + linear * step + vec3(changes + k + 3) + cross(end, c);
        write3(&velocities[k + 3], transposed_times(turn, leaves) - cross(last, c));
        write3(&accelerations[k + 3], vec3(&accelerations[k + 3]) - cross(extra, c));
    }
    struct Holding {
        Wrench<double> wrench;
        double force;
    };

    const Model* model_;
    int first_row_;
    ArticulationLinks<double> links_;
    ArticulatedBodies<double> bodies_;
    std::vector<double> spring_, forces_, added_;
    std::vector<Holding> holdings_;  // of held servos
    std::vector<char> spins_;  // of links that spin by themselves
    std::vector<Point> points_;
    std::vector<FastGimbal> gimbals_;
    Vec3<double> gravity_ = zero3<double>();
    bool turning_ = false;
    bool has_axes_ = false;  // whether the axes of the dofs are those of the present place
};

KIDO_END
