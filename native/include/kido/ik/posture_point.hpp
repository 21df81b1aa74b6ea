#pragma once

#include <cmath>
#include <limits>

#include "kido/algorithm/jacobian.hpp"
#include "kido/ik/posture_problem.hpp"
#include "kido/spatial/so3.hpp"

// A posture with the values of its rows, and steps from one posture to the next.

KIDO_BEGIN

// To a place that may be null.
inline void copy_numbers(const double* from, std::size_t count, double* to) {
    if (to) for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}
inline double dot_numbers(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int j = 0; j < n; ++j) sum += a[j] * b[j];
    return sum;
}

// What a posture has.
struct PosturePoint {
    double *q, *extra;
    double *c, *J, *lower, *upper;  // (rows), (rows, unknowns), bounds (rows)
    double *g, *H;                  // of the cost: gradient, curvature of its squares
    double cost;

    PosturePoint(const PostureProgram& p, Scratch& s) {
        const std::size_t n = p.all(), m = p.rows;
        q = s.take<double>(p.dofs);
        extra = s.take<double>(p.extras);
        for (double** x : {&c, &lower, &upper}) *x = s.take<double>(m);
        J = s.take<double>(m * n);
        g = s.take<double>(n);
        H = s.take<double>(n * n);
        cost = 0.0;
    }
};

// How unknowns move postures, and how far limits let them.
class PostureMotion {
public:
    explicit PostureMotion(const PostureProgram& program) : p_(program), n_(program.all()) {}

    // Moves a posture by a step of the unknowns along the groups; followers go where their leaders say.
    void move(const PosturePoint& from, const double* step, PosturePoint& to) const {
        for (int t = 0; t < p_.num_trees; ++t) {
            const Model& m = *p_.trees[t].model;
            for (int i = 0; i < m.num_links; ++i) {
                const Link& link = m.links[i];
                const int d = p_.trees[t].first_dof + link.dof;
                double v[6];
                for (int k = 0; k < link.dof_count; ++k) v[k] = p_.unknown[d + k] < 0 ? 0.0 : step[p_.unknown[d + k]] * p_.factor[d + k];
                move_joint(link, from.q + d, v, to.q + d);
            }
        }
        for (int d = 0; d < p_.dofs; ++d) {
            if (p_.leader[d] != d) to.q[d] = to.q[p_.leader[d]] * p_.factor[d] + p_.offset[d];
        }
        for (int k = 0; k < p_.extras; ++k) to.extra[k] = from.extra[k] + step[p_.unknowns + k];
    }

    // Bounds of a step by limits of positions; those of rotation vectors are rows.
    void bound(const PosturePoint& at, double* low, double* high) const {
        for (int j = 0; j < n_; ++j) {
            low[j] = -kInfinity;
            high[j] = kInfinity;
        }
        for (int t = 0; t < p_.num_trees; ++t) {
            const Model& m = *p_.trees[t].model;
            for (int i = 0; i < m.num_links; ++i) {
                const Link& link = m.links[i];
                if (link.kind == JointKind::ball || link.kind == JointKind::free) continue;
                const int d = p_.trees[t].first_dof + link.dof, j = p_.unknown[d];
                if (j < 0) continue;
                const double a = (p_.lower[d] - at.q[d]) / p_.factor[d], b = (p_.upper[d] - at.q[d]) / p_.factor[d];
                low[j] = max(low[j], a < b ? a : b);
                high[j] = min(high[j], a < b ? b : a);
            }
        }
        for (int k = 0; k < p_.extras; ++k) {
            low[p_.unknowns + k] = p_.extra_lower[k] - at.extra[k];
            high[p_.unknowns + k] = p_.extra_upper[k] - at.extra[k];
        }
    }

private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    using V = Vec3<double>;

    static void move_joint(const Link& link, const double* q, const double* v, double* to) {
        if (link.kind != JointKind::ball && link.kind != JointKind::free) {
            to[0] = q[0] + v[0];
            return;
        }
        bool still = true;
        for (int k = 0; k < link.dof_count; ++k) still = still && v[k] == 0.0;
        if (still) {
            for (int k = 0; k < link.dof_count; ++k) to[k] = q[k];
            return;
        }
        const Mat3<double> R = so3_exp(read3(q));
        const V turn = read3(v), before = read3(q);
        V after = so3_log(R * so3_exp(turn));
        // Of the rotation vectors of one rotation, the one nearest to where it was: limits hold it as it is.
        const double angle = std::sqrt(dot(after, after));
        if (angle > 0.0) {
            const V axis = after * (1.0 / angle);
            after = axis * (angle + 6.283185307179586 * std::round((dot(axis, before) - angle) / 6.283185307179586));
        }
        if (link.kind == JointKind::free) write3(to + 3, read3(q + 3) + R * (so3_left_jacobian(turn) * read3(v + 3)));
        write3(to, after);
    }

    const PostureProgram& p_;
    const int n_;
};

KIDO_END
