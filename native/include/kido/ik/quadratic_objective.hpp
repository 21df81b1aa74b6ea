#pragma once

#include "kido/algorithm/kinematics.hpp"
#include "kido/ik/hierarchy_problem.hpp"

// Quadratic objectives at some positions, and their gradient by velocities.

KIDO_BEGIN

// The value; adds the derivative by positions (dofs) to `slope`. `away` (n): working memory.
KIDO_INLINE double quadratic_value(const QuadraticObjective& f, const double* q, double* away, double* slope) {
    double value = 0.0;
    for (int i = 0; i < f.n; ++i) away[i] = q[f.dof[i]] - f.center[i];
    for (int i = 0; i < f.n; ++i) {
        double curved = 0.0;
        for (int k = 0; k < f.n; ++k) curved += f.H[i * f.n + k] * away[k];
        value += away[i] * (0.5 * curved + f.g[i]);
        slope[f.dof[i]] += curved + f.g[i];
    }
    return value;
}

// Adds the derivative by velocities (dofs) to `gradient`, for one by positions: those of rotations change by the inverse right
// Jacobian of the exponential map, those of a free joint's origin by its rotation.
KIDO_INLINE void add_by_velocities(const Model& m, const double* q, const double* slope, double* gradient) {
    for (int i = 0; i < m.num_links; ++i) {
        const Link& link = m.links[i];
        const double* by = slope + link.dof;
        double* to = gradient + link.dof;
        if (link.kind != JointKind::ball && link.kind != JointKind::free) {
            for (int k = 0; k < link.dof_count; ++k) to[k] += by[k];
            continue;
        }
        const Vec3<double> rotation = read3(q + link.dof);
        write3(to, read3(to) + transposed_times(so3_right_jacobian_inverse(rotation), read3(by)));
        if (link.kind == JointKind::free) write3(to + 3, read3(to + 3) + transposed_times(so3_exp(rotation), read3(by + 3)));
    }
}

KIDO_END
