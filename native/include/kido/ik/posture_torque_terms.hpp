#pragma once

#include "kido/ik/posture_kinematics.hpp"

// Rows of the torques that dofs bear at rest, and their derivatives. A dof bears what gravity and forces at points do to the subtree
// behind it: with their sum F, their moment N about the origin of its link, and its axis of rotation w and of translation l,
// tau = -(w.N + l.F). It changes with a dof b that carries the subtree by -w_b.K, where K is the sum over all forces f of
// (l + w x r) x f; with a dof b of the subtree by -w.K_b (Hessians of points, as in Featherstone 2010, "Exploiting sparsity").

KIDO_BEGIN

class PostureTorqueTerms {
public:
    PostureTorqueTerms(PostureKinematics& kinematics, Scratch& s) : k_(kinematics), p_(kinematics.program()), n_(p_.all()) {
        int links = 0, dofs = 0;
        for (int t = 0; t < p_.num_terms; ++t) {
            if (p_.terms[t].kind != PostureTermKind::torque) continue;
            const Model& m = *p_.trees[p_.terms[t].tree].model;
            links = m.num_links > links ? m.num_links : links;
            dofs = m.num_dofs > dofs ? m.num_dofs : dofs;
        }
        force_ = s.take<V>(links);
        outer_ = s.take<Mat3<double>>(links);
        for (V** x : {&angular_, &linear_, &turned_}) *x = s.take<V>(dofs);
        torque_ = s.take<double>(dofs);
    }

    // In units of the weight of the tree: matrix (rows, 2 dofs + 1) of torques, positions (springs) and 1.
    void torques(const PostureTerm& t, const PosturePoint& at, double* y, double* J) {
        const PostureTree& tree = p_.trees[t.tree];
        const int dofs = tree.model->num_dofs;
        gather(t, at);
        for (int r = 0; r < t.rows; ++r) {
            const double *share = t.matrix + static_cast<std::size_t>(r) * (2 * dofs + 1), *spring = share + dofs;
            y[r] = spring[dofs];
            for (int d = 0; d < dofs; ++d) {
                y[r] += share[d] * torque_[d] + spring[d] * at.q[tree.first_dof + d];
                if (spring[d] != 0.0) k_.add(J, r, tree.first_dof + d, spring[d]);
                if (share[d] != 0.0) add_slopes(t, r, d, share[d], J);
            }
        }
    }

private:
    using V = Vec3<double>;
    using P = Pose<double>;

    static Mat3<double> outer(const V& a, const V& b) { return {a * b.x, a * b.y, a * b.z}; }

    // Of each link: the sum of the forces on its subtree, and of the products r f^T about its origin; of each dof: axes, K and torque.
    void gather(const PostureTerm& t, const PosturePoint& at) {
        const PostureTree& tree = p_.trees[t.tree];
        const Model& m = *tree.model;
        const P* pose = k_.poses(t.tree);
        k_.weigh();
        const V g = vec3(m.gravity), pull = g * (1.0 / (std::sqrt(dot(g, g)) * (m.total_mass + tree.fixed_mass)));
        for (int i = 0; i < m.num_links; ++i) {
            force_[i] = pull * m.links[i].subtree_mass;
            outer_[i] = outer(k_.moments(t.tree)[i], pull);
        }
        for (int k = 0; k < t.num_points; ++k) {
            const V e = read3(at.extra + t.extra[k]), p = k_.pose(t.places[k]).p;
            for (int i = t.places[k].link; i >= 0; i = m.links[i].parent) {
                force_[i] += e;
                outer_[i] = outer_[i] + outer(p, e);
            }
        }
        for (int i = 0; i < m.num_links; ++i) outer_[i] = outer_[i] - outer(pose[i].p, force_[i]);
        for (int i = 0; i < m.num_links; ++i) take_axes(m, t.tree, i);
    }

    void take_axes(const Model& m, int tree, int i) {
        const Link& link = m.links[i];
        const V F = force_[i];
        const Mat3<double>& M = outer_[i];
        const V N = {M.z.y - M.y.z, M.x.z - M.z.x, M.y.x - M.x.y};
        const double trace = M.x.x + M.y.y + M.z.z;
        visit(link, k_.users(tree), [&](auto joint) {
            for_axes(joint, link, k_.poses(tree)[i].R, [&](int index, const auto& axis) {
                const int d = link.dof + index;
                const Motion<double> s = axis_velocity(axis, zero3<double>());
                angular_[d] = s.angular;
                linear_[d] = s.linear;
                turned_[d] = cross(s.linear, F) + M * s.angular - s.angular * trace;
                torque_[d] = -(dot(s.angular, N) + dot(s.linear, F));
            });
        });
    }

    // Adds `share` times the derivatives of the torque of a dof to a row.
    void add_slopes(const PostureTerm& t, int row, int d, double share, double* J) const {
        const PostureTree& tree = p_.trees[t.tree];
        const Model& m = *tree.model;
        const int own = m.dof_link[d];
        for (int i = own; i >= 0; i = m.links[i].parent) {
            for (int e = m.links[i].dof; e < m.links[i].dof + m.links[i].dof_count; ++e) {
                k_.add(J, row, tree.first_dof + e, -share * dot(angular_[e], turned_[d]));
            }
        }
        for (int e = m.links[own].dof + m.links[own].dof_count; e < m.links[own].dof_end; ++e) {
            k_.add(J, row, tree.first_dof + e, -share * dot(angular_[d], turned_[e]));
        }
        for (int k = 0; k < t.num_points; ++k) {
            const int link = t.places[k].link;
            if (link < own || link >= m.links[own].link_end) continue;
            const V column = linear_[d] + cross(angular_[d], k_.pose(t.places[k]).p - k_.poses(t.tree)[own].p);
            double* at = J + static_cast<std::size_t>(row) * n_ + p_.unknowns + t.extra[k];
            at[0] -= share * column.x;
            at[1] -= share * column.y;
            at[2] -= share * column.z;
        }
    }

    PostureKinematics& k_;
    const PostureProgram& p_;
    const int n_;
    V *force_, *angular_, *linear_, *turned_;
    Mat3<double>* outer_;
    double* torque_;
};

KIDO_END
