#pragma once

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/free_motion.hpp"

// Forces of the last step, computed where they are asked for: steps keep only what they began with.

KIDO_BEGIN

// Forces of a skeleton's dofs, (kForceRows, num_dofs): of its actuators, limits, friction, and of all else that constrains it.
// Where the motion of a dof is given, what its actuator took follows by inverse dynamics.
template <class Tree>
void last_dof_forces(const Tree& tree, const ArticulationResponse& response, const WorldSettings& last, double* forces) {
    const std::size_t n = tree.articulation.model().num_dofs;
    std::fill_n(forces, kForceRows * n, 0.0);
    if (last.step == 0.0 || tree.start_positions.size() != n) return;
    double *actuators = forces, *limits = forces + n, *friction = forces + 2 * n, *others = forces + 3 * n;
    Articulation start = tree.articulation;
    start.positions = tree.start_positions;
    start.velocities = tree.start_velocities;
    start.place();
    tree.limits.add_totals(response, limits);
    tree.motors.add_totals(actuators, friction);
    tree.couplings.add_totals(actuators);
    std::vector<double> all(n), needed(n), passive(n);
    response.generalized(start, all.data());
    start.inverse_dynamics(last.gravity, needed.data());
    start.passive_forces(last.step, passive.data());
    for (std::size_t k = 0; k < n; ++k) {
        others[k] = all[k] - actuators[k] - limits[k] - friction[k];
        for (int row = 0; row < kForceRows; ++row) forces[row * n + k] /= last.step;
        if (start.is_prescribed(static_cast<int>(k))) {
            actuators[k] = needed[k] - passive[k] - all[k] / last.step;
        } else if (start.drives[k] == Drive::force) {
            actuators[k] += start.commands[k];
        }
    }
}

// A free body's step, as the rows of the solver have kept it: where it began and ended, and what was gained in a sub-step without
// impulses.
struct FreeBodyStep {
    const PlaceRow &start, &end;
    const ConstantRow& constant;
    const MotionRow &before, &after, &gained;
    double step, substep;

    // Force and torque (6) about the center of mass that contacts and constraints gave on the average: what momenta gained but for
    // gravity, commands and wrenches. In principal axes at the beginning of the step.
    void force(double* out) const {
        const double mass = 1.0 / end.v[7], count = std::round(step / substep);
        const Mat3<double> R = axes(start);
        const Vec3<double> linear = (vec3(after.v) - vec3(before.v) - vec3(gained.v) * count) * mass;
        const Vec3<double> angular =
            momentum(axes(end), vec3(after.v + 3)) - momentum(R, vec3(before.v + 3) + vec3(gained.v + 3) * count);
        write3(out, transposed_times(R, linear * (1.0 / step)));
        write3(out + 3, transposed_times(R, angular * (1.0 / step)));
    }

private:
    static Mat3<double> axes(const PlaceRow& place) {
        return rotation(Quaternion<double>{place.v[3], place.v[4], place.v[5], place.v[6]});
    }
    Vec3<double> momentum(const Mat3<double>& R, const Vec3<double>& w) const {
        const Vec3<double> x = transposed_times(R, w);
        return R * Vec3<double>{x.x * constant.v[3], x.y * constant.v[4], x.z * constant.v[5]};
    }
};

KIDO_END
