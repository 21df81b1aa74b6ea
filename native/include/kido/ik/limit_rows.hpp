#pragma once

#include "kido/ik/posture_rows.hpp"
#include "kido/ik/search_rules.hpp"

// Limits of the coordinates of ball and free joints. A step along the group changes all of a rotation, so that no step can be cut off at
// the limit of one: each is a row beside those of the targets. Positions are always within limits; errors are what is short of those
// on which coordinates shall be.

KIDO_BEGIN

class LimitRows : protected PostureRows {
protected:
    using PostureRows::PostureRows;

    void limit_error(int t) {
        const HierarchyTask& task = p_.tasks[t];
        double most = 0.0;
        for (int r = 0; r < task.rows; ++r) {
            const int j = task.dof[r], k = task.row + r, pin = w_.pinned[t] ? w_.pin[k] : 0;
            w_.error[k] = 0.0;
            if (pin == 0) continue;
            w_.error[k] = ((pin < 0 ? p_.lower[j] : p_.upper[j]) - w_.q[j]) * scale_of(j) - w_.short_of[k];
            most = max(most, abs(w_.error[k]));
        }
        w_.angular[t] = most;
    }

    // Derivatives of all coordinates by velocities.
    void coordinate_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        for (int r = 0; r < task.rows; ++r) {
            const int j = task.dof[r];
            const Link& link = m_.links[m_.dof_link[j]];
            const int k = j - link.dof;
            write3(row(w_.J, task.row + r) + link.dof + k / 3 * 3, coordinate_row(link, k) * scale_of(j));
        }
    }

    // Derivative of a coordinate of a ball or free joint by the three velocities that change it.
    Vec3<double> coordinate_row(const Link& link, int k) const {
        const Vec3<double> rotation = read3(w_.q + link.dof);
        const Mat3<double> by = transpose(k < 3 ? so3_right_jacobian_inverse(rotation) : so3_exp(rotation));
        const Vec3<double> rows[3] = {by.x, by.y, by.z};
        return rows[k % 3];
    }

    // The same of those that stay where they are: on their limits, or where they are pinned.
    void limit_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        coordinate_rows(t);
        for (int r = 0; r < task.rows; ++r) {
            const int j = task.dof[r];
            if ((w_.pinned[t] && w_.pin[task.row + r] != 0) || is_at_limit(w_.q[j], p_.lower[j], p_.upper[j])) continue;
            for (int i = 0; i < m_.num_dofs; ++i) row(w_.J, task.row + r)[i] = 0.0;
        }
    }

    // From [rad, m] to [rad, characteristic length].
    double scale_of(int dof) const {
        const Link& link = m_.links[m_.dof_link[dof]];
        return is_prismatic(link, dof - link.dof) ? length_.inverse : 1.0;
    }
};

KIDO_END
