#pragma once

#include <algorithm>
#include <vector>

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/free_motion.hpp"
#include "kido/contact/manifold_block.hpp"
#include "kido/contact/native_world.hpp"

// What is kept of the last step of a call, for those who ask afterwards what acted in it: where it began, and impulses summed
// over its sub-steps.

KIDO_BEGIN

// Of a skeleton: positions and velocities at the beginning; sums of impulses in its dofs.
struct TreeRecord {
    std::vector<double> positions, velocities, servo, friction, limit;
    bool smooth = false;  // moved by an integrator of smooth motion

    void begin(const Articulation& a) {
        positions = a.positions;
        velocities = a.velocities;
        for (auto* sums : {&servo, &friction, &limit}) sums->assign(positions.size(), 0.0);
        smooth = false;
    }
};

struct StepRecord {
    bool complete = false;  // whether the last step was recorded
    double gravity[3] = {};
    int substeps = 0;
    double substep = 0.0;  // [s]
    std::vector<PlaceRow> places;
    std::vector<TreeRecord> trees;
    std::vector<FrameWrench<double>> constraints;  // impulses on the first bodies, world axes

    double duration() const { return substeps * substep; }
};

// Forces in the dofs of a skeleton, as means over a step, and its motion at the beginning; see TreeStep.
inline void write_tree_step(const TreeRecord& record, const Articulation& moved, const ArticulationResponse& response,
                            const StepRecord& step, const TreeStep& out) {
    const Model& m = moved.model();
    const double per_step = 1.0 / step.duration(), h = record.smooth ? 0.0 : step.duration();
    Articulation a = moved;
    a.positions = record.positions;
    a.velocities = record.velocities;
    a.place();
    if (record.smooth) a.accelerate(step.gravity, 0.0);
    a.write_spring_forces(out.springs);
    std::fill_n(out.constraints, m.num_dofs, 0.0);
    std::fill_n(out.wrenches, 6 * m.num_links, 0.0);
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
    for (int k = 0; k < m.num_dofs; ++k) {
        const double end = a.velocities[k] + h * a.accelerations[k];
        out.positions[k] = a.positions[k];
        out.velocities[k] = a.velocities[k];
        out.accelerations[k] = a.accelerations[k];
        out.friction[k] = record.friction[k] * per_step;
        out.limits[k] = record.limit[k] * per_step;
        const double servo = record.servo[k] * per_step;
        out.constraints[k] -= servo + out.friction[k] + out.limits[k];
        out.prescribed[k] = a.is_prescribed(k);
        const bool free = !out.prescribed[k];
        out.actuators[k] = a.drives[k] == Drive::force ? a.commands[k] : servo;
        out.springs[k] = free ? out.springs[k] - h * a.stiffness[k] * end : 0.0;
        out.dampers[k] = free ? -a.damping[k] * end : 0.0;
    }
}

KIDO_END
