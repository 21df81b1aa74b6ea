#pragma once

#include "kido/ik/posture_kinematics.hpp"

// Rows of positions of dofs, and their derivatives.

KIDO_BEGIN

class PosturePositionTerms {
public:
    explicit PosturePositionTerms(PostureKinematics& kinematics) : k_(kinematics), p_(kinematics.program()), n_(p_.all()) {}

    void positions(const PostureTerm& t, const PosturePoint& at, double* y, double* J) const {
        for (int r = 0; r < t.rows; ++r) {
            double sum = 0.0;
            for (int d = 0; d < p_.dofs; ++d) sum += t.matrix[static_cast<std::size_t>(r) * p_.dofs + d] * at.q[d];
            y[r] = sum;
        }
        for_rates(at, [&](int position, int dof, double rate) {
            const int j = p_.unknown[dof];
            if (j < 0) return;
            for (int r = 0; r < t.rows; ++r) {
                J[r * n_ + j] += t.matrix[static_cast<std::size_t>(r) * p_.dofs + position] * rate * p_.factor[dof];
            }
        });
    }

    void posture(const PostureTerm& term, const PosturePoint& at, double* y, double* J) const {
        for (int t = 0; t < p_.num_trees; ++t) {
            const Model& m = *p_.trees[t].model;
            for (int i = 0; i < m.num_links; ++i) {
                const Link& link = m.links[i];
                const int d = p_.trees[t].first_dof + link.dof;
                const double *now = at.q + d, *from = term.desired + d;
                if (link.kind != JointKind::ball && link.kind != JointKind::free) {
                    y[d] = now[0] - from[0];
                    k_.add(J, d, d, 1.0);
                    continue;
                }
                const Mat3<double> R = so3_exp(read3(now));
                const V back = so3_log(transpose(R) * so3_exp(read3(from)));
                const Mat3<double> inverse = so3_left_jacobian_inverse(back);
                write3(y + d, -back);
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) k_.add(J, d + a, d + b, (&(&inverse.x)[b].x)[a]);
                }
                if (link.kind != JointKind::free) continue;
                const V way = transposed_times(R, read3(now + 3) - read3(from + 3));
                write3(y + d + 3, way);
                const double turned[3][3] = {{0.0, -way.z, way.y}, {way.z, 0.0, -way.x}, {-way.y, way.x, 0.0}};
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) k_.add(J, d + 3 + a, d + b, turned[a][b]);
                    k_.add(J, d + 3 + a, d + 3 + a, 1.0);
                }
            }
        }
    }

private:
    using V = Vec3<double>;
    using P = Pose<double>;

    // Calls use(dof, rates of its joint's first dof on: value, column) for the rates of positions by velocities.
    template <class Use>
    void for_rates(const PosturePoint& at, Use use) const {
        for (int t = 0; t < p_.num_trees; ++t) {
            const Model& m = *p_.trees[t].model;
            for (int i = 0; i < m.num_links; ++i) {
                const Link& link = m.links[i];
                const int d = p_.trees[t].first_dof + link.dof;
                if (link.kind != JointKind::ball && link.kind != JointKind::free) {
                    use(d, d, 1.0);
                    continue;
                }
                const V r = read3(at.q + d);
                const Mat3<double> inverse = so3_right_jacobian_inverse(r), R = so3_exp(r);
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) {
                        use(d + a, d + b, (&(&inverse.x)[b].x)[a]);
                        if (link.kind == JointKind::free) use(d + 3 + a, d + 3 + b, (&(&R.x)[b].x)[a]);
                    }
                }
            }
        }
    }

    PostureKinematics& k_;
    const PostureProgram& p_;
    const int n_;
};

KIDO_END
