#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "kido/contact/free_motion.hpp"
#include "kido/contact/manifold_block.hpp"
#include "kido/contact/world_tree.hpp"

// What is kept of the last step of a call, for those who ask afterwards what acted in it: where it began, and impulses summed
// over its sub-steps.

KIDO_BEGIN

// Of a skeleton: positions and velocities at the beginning; sums of impulses in its dofs.
struct TreeRecord {
    std::vector<double> positions, velocities, servo, friction, limit;

    void begin(const Articulation& a) {
        positions = a.positions;
        velocities = a.velocities;
        for (auto* sums : {&servo, &friction, &limit}) sums->assign(positions.size(), 0.0);
    }
    void add(const WorldTree& tree, const ArticulationResponse& response) {
        tree.motors.add_to(servo.data(), friction.data());
        tree.limits.add_to(response, limit.data());
    }
    // The articulation as it was at the beginning.
    Articulation at_start(const Articulation& moved) const {
        Articulation a = moved;
        a.positions = positions;
        a.velocities = velocities;
        a.place();
        return a;
    }
    void write_poses(const Articulation& moved, std::vector<PoseRow>& poses, std::vector<MotionRow> unused) const {
        at_start(moved).write_rows(poses.data(), unused.data());
    }
};

struct StepRecord {
    static constexpr std::uint64_t kMostTrees = 1U << 31;  // of an archive

    bool complete = false;  // whether the last step was recorded
    double gravity[3] = {};
    int substeps = 0;
    double substep = 0.0;  // [s]
    std::vector<TreeRecord> trees;

    void archive(StateArchive& archive) {
        archive(complete);
        archive(gravity);
        archive(substeps);
        archive(substep);
        std::uint64_t count = trees.size();
        archive(count);
        archive.require(count <= kMostTrees);
        if (archive.reads() && archive.good()) trees.resize(count);
        for (TreeRecord& tree : trees) {
            for (auto* v : {&tree.positions, &tree.velocities, &tree.servo, &tree.friction, &tree.limit}) archive(*v);
        }
    }
    double duration() const { return substeps * substep; }
    // From impulses to forces: those of the whole step where it was recorded, else of its last sub-step.
    double per_step(double last_substep) const {
        if (complete) return 1.0 / duration();
        return last_substep > 0.0 ? 1.0 / last_substep : 0.0;
    }
    void begin(const WorldSettings& settings, int count, const std::vector<WorldTree>& all, const std::vector<int>& awake) {
        std::copy_n(settings.gravity, 3, gravity);
        substeps = count;
        substep = settings.step / count;
        trees.resize(all.size());
        for (const int i : awake) trees[i].begin(all[i].articulation);
    }
};

// The mean wrench of contacts and constraints on a link, about its origin in its axes, is the sum of the impulses at its
// coordinates; what they give to a dof is added to `constraints`.
inline void add_impulses(const Articulation& a, const ArticulationResponse& response, double per_step, const TreeStep& out) {
    std::fill_n(out.constraints, a.model().num_dofs, 0.0);
    std::fill_n(out.wrenches, 6 * a.model().num_links, 0.0);
    response.for_each_impulse([&](const Coordinate& c, double impulse) {
        if (c.dof >= 0) {
            out.constraints[c.dof] += impulse * per_step;
            return;
        }
        const Vec3<double> force = c.wrench.force * (impulse * per_step);
        const Vec3<double> torque = c.wrench.torque * (impulse * per_step) - cross(a.arm(c.link), force);
        double* w = out.wrenches + 6 * c.link;
        write3(w, vec3(w) + transposed_times(a.axes(c.link), torque));
        write3(w + 3, vec3(w + 3) + transposed_times(a.axes(c.link), force));
    });
}

// The force of an actuator, where it does not prescribe the motion.
inline double actuator_force(const Articulation& a, const WorldTree& tree, const TreeRecord& record, int k, double per_step) {
    if (a.drives[k] == Drive::force) return a.commands[k];
    return a.held[k] ? tree.servos.effort(k) : record.servo[k] * per_step;
}

inline void write_tree_forces(const StepRecord& step, int index, const WorldTree& tree, double* actuators, double* friction,
                              double* limits) {
    const TreeRecord& record = step.trees[index];
    const double per_step = 1.0 / step.duration();
    for (int k = 0; k < tree.articulation.model().num_dofs; ++k) {
        actuators[k] = actuator_force(tree.articulation, tree, record, k, per_step);
        friction[k] = record.friction[k] * per_step;
        limits[k] = record.limit[k] * per_step;
    }
}

inline void write_tree_step(const StepRecord& step, int index, const WorldTree& tree, const ArticulationResponse& response,
                            const TreeStep& out) {
    const TreeRecord& record = step.trees[index];
    const double per_step = 1.0 / step.duration(), h = tree.moved ? 0.0 : step.duration();
    Articulation a = record.at_start(tree.articulation);
    if (tree.moved) a.accelerate(step.gravity, 0.0, false);  // smoothly: by what acts at the beginning
    a.write_spring_forces(out.springs);
    add_impulses(a, response, per_step, out);
    for (int k = 0; k < a.model().num_dofs; ++k) {
        const double end = a.velocities[k] + h * a.accelerations[k], rows = record.servo[k] * per_step;
        out.positions[k] = a.positions[k];
        out.velocities[k] = a.velocities[k];
        out.accelerations[k] = a.accelerations[k];
        out.friction[k] = record.friction[k] * per_step;
        out.limits[k] = record.limit[k] * per_step;
        out.constraints[k] -= rows + out.friction[k] + out.limits[k];
        out.prescribed[k] = a.is_given(k);
        const bool free = !out.prescribed[k];
        out.actuators[k] = actuator_force(a, tree, record, k, per_step);
        out.springs[k] = free ? out.springs[k] - h * a.stiffness[k] * end : 0.0;
        out.dampers[k] = free ? -a.damping[k] * end : 0.0;
    }
}

// A free body at the start and at the end of a step; what its velocity gains in a sub-step without impulses.
struct FreeRow {
    const PlaceRow &start, &end;
    const MotionRow &start_velocity, &end_velocity, &gain;
    const ConstantRow& constants;

    Vec3<double> momentum(const PlaceRow& at, const Vec3<double>& angular) const {
        const double *s = at.v, *c = constants.v + 3;
        const Mat3<double> R = rotation(Quaternion<double>{s[3], s[4], s[5], s[6]});
        const Vec3<double> own = transposed_times(R, angular);
        return R * Vec3<double>{own.x * c[0], own.y * c[1], own.z * c[2]};
    }
};

inline void write_body_step(const StepRecord& step, const FreeRow& body, FreeBodyStep& out) {
    std::copy_n(body.start.v, 3, out.center);
    std::copy_n(body.start.v + 3, 4, out.quaternion);
    std::copy_n(body.start_velocity.v, 6, out.velocity);
    // Momentum gained, less what gravity and external wrenches gave; it is kept when the body turns at the end.
    const double per_step = 1.0 / step.duration(), inverse_mass = body.start.v[7];
    const Vec3<double> linear = vec3(body.start_velocity.v) + vec3(body.gain.v) * step.substeps;
    const Vec3<double> angular = vec3(body.start_velocity.v + 3) + vec3(body.gain.v + 3) * step.substeps;
    write3(out.wrench, (vec3(body.end_velocity.v) - linear) * (per_step / inverse_mass));
    write3(out.wrench + 3, (body.momentum(body.end, vec3(body.end_velocity.v + 3)) - body.momentum(body.start, angular)) * per_step);
}

// Center and axes, for places of shapes.
inline void write_pose(const PlaceRow& place, PoseRow& pose) {
    const double* s = place.v;
    const Mat3<double> R = rotation(Quaternion<double>{s[3], s[4], s[5], s[6]});
    write3(pose.v, vec3(s));
    write3(pose.v + kRowAxes, R.x);
    write3(pose.v + kRowAxes + 3, R.y);
    write3(pose.v + kRowAxes + 6, R.z);
}

// Whether numbers of a step are finite: of a free body its velocity, gain and displacement, of a link those of its dofs.
inline bool is_finite(std::initializer_list<MotionRow> rows, double largest) {
    double sum = 0.0;
    for (const MotionRow& row : rows) {
        for (const double x : row.v) sum += x * 0.0;
    }
    for (const double x : (rows.end() - 1)->v) sum += std::fabs(x) < largest ? 0.0 : 1.0;
    return sum == 0.0;
}
inline bool is_finite(const Articulation& a, const ArticulationResponse& response, int index) {
    const Link& link = a.model().links[index];
    for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
        if (!std::isfinite(a.accelerations[k]) || (!a.is_prescribed(k) && !(a.factors(k).inverse > 0.0))) return false;
    }
    bool finite = true;
    response.for_each_impulse([&](const Coordinate& c, double impulse) { finite &= c.link != index || std::isfinite(impulse); });
    return finite;
}

KIDO_END
