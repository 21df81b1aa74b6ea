#pragma once

#include "kido/contact/joint_couplings.hpp"
#include "kido/contact/joint_limits.hpp"
#include "kido/contact/joint_motors.hpp"
#include "kido/contact/smooth_motion.hpp"

// A skeleton in the world and what constrains it.

KIDO_BEGIN

struct WorldTree {
    Articulation articulation;
    JointLimits limits;
    JointMotors motors;
    JointCouplings couplings;
    std::vector<double> changes, sums;  // of velocities, by impulses: at the end, and summed over the sub-steps
    std::vector<double> before;         // accelerations before the step
    std::vector<double> start_positions, start_velocities;  // of a smooth motion
    bool moved = false;                 // whether this step's motion was smooth

    WorldTree(const Model& model, int first_row)
        : articulation(model, first_row), limits(model.num_dofs), motors(model.num_dofs), changes(model.num_dofs),
          sums(model.num_dofs) {}

    // The end of a step, from what the impulses of its sub-steps made of the velocities.
    void advance(double step, int substeps, bool touched, const Vec3<double>& fall) {
        limits.keep();
        motors.keep();
        articulation.advance(changes.data(), sums.data(), step, substeps, touched, fall);
    }
    // The end of a step in which nothing touches the tree; false where numbers are not finite, or an inertia not positive.
    bool move_smoothly(SmoothMotion& motion, const WorldSettings& settings) {
        start_positions = articulation.positions;
        start_velocities = articulation.velocities;
        moved = true;
        bool good = motion.step(settings.integrator, articulation, settings.gravity, settings.step);
        for (const auto* numbers : {&articulation.positions, &articulation.velocities, &articulation.accelerations}) {
            for (const double x : *numbers) good &= std::isfinite(x);
        }
        return good;
    }
    void go_back() {
        articulation.positions = start_positions;
        articulation.velocities = start_velocities;
        articulation.place();
        moved = false;
    }
};

KIDO_END
