#pragma once

#include "kido/spatial/so3.hpp"
#include "kido/tree/joint.hpp"

// Velocities and positions of a skeleton's dofs at the end of a step, of one or of several in lanes. Velocities of ball and free joints
// keep their direction in the axes of what carries the joint.

KIDO_BEGIN

// The dofs of a skeleton in a step: `changes` of their velocities by impulses, `sums` of these over the sub-steps.
template <class T>
struct DofStep {
    T *positions, *velocities, *accelerations;
    const T *changes, *sums;
};

// How long a step acts: positions follow the sub-steps' velocities; where nothing touches a skeleton, that at the end, for the
// sake of the energy (the symplectic Euler method).
template <class T>
struct StepReach {
    double step;  // [s]
    int substeps;
    T weight;      // of accelerations in displacements, times the length of a sub-step [s]
    Vec3<T> fall;  // displacement in world axes by which roots that move freely are put back

    double substep() const { return step / substeps; }
    static double weight_of(double step, int substeps, bool touched) {
        return (touched ? 0.5 * (substeps + 1) : substeps) * step;
    }
};

// What velocities, accelerations and impulses make of the dofs from k on in a step.
template <class T>
KIDO_INLINE Vec3<T> displacement(const DofStep<T>& d, const StepReach<T>& reach, int k, const Vec3<T>& acceleration) {
    return (read3(d.velocities + k) * double(reach.substeps) + acceleration * reach.weight + read3(d.sums + k)) * reach.substep();
}
template <class T>
KIDO_INLINE Vec3<T> end_velocity(const DofStep<T>& d, const StepReach<T>& reach, int k, const Vec3<T>& acceleration) {
    return read3(d.velocities + k) + acceleration * reach.step + read3(d.changes + k);
}
// A dof whose motion is given has its speed from the beginning: `weight` is that of the whole step.
template <class T>
KIDO_INLINE void advance_single(const DofStep<T>& d, const StepReach<T>& reach, int k, const T& weight) {
    const T acceleration = d.accelerations[k];
    d.positions[k] += (d.velocities[k] * double(reach.substeps) + acceleration * weight + d.sums[k]) * reach.substep();
    d.velocities[k] += acceleration * reach.step + d.changes[k];
}
template <class T>
KIDO_INLINE void advance_ball(const DofStep<T>& d, const StepReach<T>& reach, int k) {
    const Vec3<T> a = read3(d.accelerations + k);
    const Mat3<T> turn = so3_exp(displacement(d, reach, k, a));
    write3(d.positions + k, so3_log(so3_exp(read3(d.positions + k)) * turn));
    write3(d.velocities + k, transposed_times(turn, end_velocity(d, reach, k, a)));
}
template <class T>
KIDO_INLINE void advance_free(const DofStep<T>& d, const StepReach<T>& reach, const Link& link) {
    const int k = link.dof;
    const Mat3<T> R = so3_exp(read3(d.positions + k));
    const Vec3<T> spin = read3(d.velocities + k), v = read3(d.velocities + k + 3);
    const Vec3<T> angular = read3(d.accelerations + k), linear = read3(d.accelerations + k + 3) + cross(spin, v);
    const Mat3<T> turn = so3_exp(displacement(d, reach, k, angular));
    Vec3<T> place = read3(d.positions + k + 3) + R * displacement(d, reach, k + 3, linear);
    if (link.parent < 0) place += transposed_times(mat3(link.R), reach.fall);
    const Vec3<T> turned = end_velocity(d, reach, k, angular), moved = end_velocity(d, reach, k + 3, linear);
    write3(d.positions + k, so3_log(R * turn));
    write3(d.positions + k + 3, place);
    write3(d.velocities + k, transposed_times(turn, turned));
    write3(d.velocities + k + 3, transposed_times(turn, moved));
}
template <class T>
KIDO_INLINE void advance_joint(const DofStep<T>& d, const StepReach<T>& reach, const Link& link) {
    if (link.kind == JointKind::ball) {
        advance_ball(d, reach, link.dof);
    } else if (link.kind == JointKind::free) {
        advance_free(d, reach, link);
    } else {
        advance_single(d, reach, link.dof, reach.weight);
    }
}

KIDO_END
