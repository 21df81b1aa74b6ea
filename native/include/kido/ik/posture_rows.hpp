#pragma once

#include "kido/ik/hierarchy_kinematics.hpp"

// Errors of postures, and their derivatives: of rotations along the group.

KIDO_BEGIN

class PostureRows : protected HierarchyKinematics {
protected:
    using HierarchyKinematics::HierarchyKinematics;

    // Rows of a rotation stand together, in the order of its dofs.
    void posture_error(int t) {
        const HierarchyTask& task = p_.tasks[t];
        double angular = 0.0, linear = 0.0;
        for (int r = 0; r < task.rows; ++r) {
            const int j = task.dof[r];
            const Link& link = m_.links[m_.dof_link[j]];
            const Link* joint = group_of(j);
            double own[3] = {w_.q[j] - task.desired[r]};
            const bool is_length = is_prismatic(link, j - link.dof), rotation = joint && !is_length;
            if (rotation) write3(own, rotation_error(task, r, *joint));
            for (int k = 0; k < (rotation ? 3 : 1); ++k) {
                const double x = task.weight[r + k] > 0.0 ? own[k] * (is_length ? length_.inverse : 1.0) : 0.0;
                (is_length ? linear : angular) += x * x;
                w_.error[task.row + r + k] = -task.weight[r + k] * x;
            }
            if (rotation) r += 2;
        }
        w_.angular[t] = sqrt(angular);
        w_.linear[t] = sqrt(linear);
    }

    void posture_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        for (int r = 0; r < task.rows; ++r) {
            const int j = task.dof[r];
            const Link& link = m_.links[m_.dof_link[j]];
            const Link* joint = group_of(j);
            const bool is_length = is_prismatic(link, j - link.dof);
            const double weight = task.weight[r] * (is_length ? length_.inverse : 1.0);
            double* J = row(w_.J, task.row + r);
            if (!joint) {
                if (task.moves[j]) J[j] = weight;
            } else if (is_length) {  // its velocity is in the moved axes
                const Mat3<double> turned = transpose(so3_exp(read3(w_.q + joint->dof)));
                const Vec3<double> by = j - joint->dof == 3 ? turned.x : j - joint->dof == 4 ? turned.y : turned.z;
                if (task.moves[j]) write3(J + joint->dof + 3, by * weight);
            } else {
                const Mat3<double> by = transpose(so3_right_jacobian_inverse(rotation_error(task, r, *joint)));
                const Vec3<double> rows[3] = {by.x, by.y, by.z};
                for (int k = 0; k < 3; ++k) {
                    if (task.moves[j]) write3(row(w_.J, task.row + r + k) + joint->dof, rows[k] * task.weight[r + k]);
                }
                r += 2;
            }
        }
    }

private:
    // The joint of which a dof is one of three angles, or one of three lengths that turn with them; else none.
    const Link* group_of(int dof) const {
        const Link& link = m_.links[m_.dof_link[dof]];
        return link.kind == JointKind::ball || link.kind == JointKind::free ? &link : nullptr;
    }

    Vec3<double> rotation_error(const HierarchyTask& task, int r, const Link& joint) const {
        return so3_log(transpose(so3_exp(read3(task.desired + r))) * so3_exp(read3(w_.q + joint.dof)));
    }
};

KIDO_END
