#pragma once

#include <algorithm>

#include "kido/ik/hierarchy_rows.hpp"

// Positions that move by a step: along the group, within the limits, and no further from the start than they may.

KIDO_BEGIN

class DofMotion : protected HierarchyRows {
protected:
    using HierarchyRows::HierarchyRows;

    // Moves by a part of the step.
    void advance(double scale) {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            double* q = w_.q + link.dof;
            const double *d = w_.step + link.dof, *unit = w_.unit + link.dof;
            if (link.kind == JointKind::ball || link.kind == JointKind::free) {
                if (std::all_of(d, d + link.dof_count, [](double x) { return x == 0.0; })) continue;
                const Mat3<double> R = so3_exp(read3(q));
                const Vec3<double> rotation = read3(d) * scale;
                write3(q, so3_log(R * so3_exp(rotation)));
                if (link.kind == JointKind::free) {
                    write3(q + 3, read3(q + 3) + R * (so3_left_jacobian(rotation) * (read3(d + 3) * (scale * unit[3]))));
                }
                if (p_.largest_change) stay_near_start(link, q);
                for (int k = 0; k < link.dof_count; ++k) q[k] = min(max(q[k], p_.lower[link.dof + k]), p_.upper[link.dof + k]);
                continue;
            }
            for (int k = 0; k < link.dof_count; ++k) {
                const int j = link.dof + k;
                if (d[k] != 0.0) q[k] = min(max(q[k] + d[k] * unit[k] * scale, p_.lower[j]), p_.upper[j]);
            }
        }
    }

    // Half of the way back to the given positions, along the group.
    void retreat() {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            double* q = w_.q + link.dof;
            const double* start = p_.start + link.dof;
            int first = 0;
            if (link.kind == JointKind::ball || link.kind == JointKind::free) {
                const Mat3<double> R = so3_exp(read3(start));
                write3(q, so3_log(R * so3_exp(so3_log(transpose(R) * so3_exp(read3(q))) * 0.5)));
                first = 3;
            }
            for (int k = first; k < link.dof_count; ++k) q[k] = 0.5 * (q[k] + start[k]);
        }
    }

    void take(const double* from, double* to) const {
        for (int j = 0; j < m_.num_dofs; ++j) to[j] = from[j];
    }

private:
    // A ball or free joint goes no further from the start than it may: by each component of the displacement.
    void stay_near_start(const Link& link, double* q) const {
        const double *start = p_.start + link.dof, *most = p_.largest_change + link.dof;
        const Mat3<double> R = so3_exp(read3(start));
        const Vec3<double> rotation = so3_log(transpose(R) * so3_exp(read3(q))), held = within(rotation, most);
        write3(q, so3_log(R * so3_exp(held)));
        if (link.kind != JointKind::free) return;
        const Vec3<double> way = transposed_times(R, read3(q + 3) - read3(start + 3));
        const Vec3<double> linear = within(so3_right_jacobian_inverse(-rotation) * way, most + 3);
        write3(q + 3, read3(start + 3) + R * (so3_left_jacobian(held) * linear));
    }

    static Vec3<double> within(const Vec3<double>& x, const double* most) {
        return {min(max(x.x, -most[0]), most[0]), min(max(x.y, -most[1]), most[1]), min(max(x.z, -most[2]), most[2])};
    }
};

KIDO_END
