#pragma once

#include <cmath>
#include <limits>

#include "kido/algorithm/jacobian.hpp"
#include "kido/ik/posture_problem.hpp"
#include "kido/spatial/so3.hpp"

// Rows of constraints and costs at a posture, and their derivatives by the unknowns. All derivatives are exact. Rows of a length or an
// angle with an upper bound stand beside those of its components, which bound a box around the same ball: the one row alone has no
// derivative where it is 0, and its linearization lets steps across it grow without bound.

KIDO_BEGIN

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

class PostureTerms {
public:
    PostureTerms(const PostureProgram& program, Scratch& s) : p_(program), n_(program.all()) {
        kinematics_ = s.take<KinematicsMemory<double>>(p_.num_trees);
        users_ = s.take<double*>(p_.num_trees);
        moment_ = s.take<Vec3<double>*>(p_.num_trees);
        int rows = 1;
        for (int t = 0; t < p_.num_terms; ++t) rows = p_.terms[t].rows > rows ? p_.terms[t].rows : rows;
        y_ = s.take<double>(rows);
        Jy_ = s.take<double>(static_cast<std::size_t>(rows) * n_);
        Wy_ = s.take<double>(rows);
        slopes_ = s.take<double>(static_cast<std::size_t>(rows) * (p_.dofs + p_.extras));
        memory_ = s;
        lay_out(s, nullptr);
    }

    // Where the memory of each tree stands, which only memory that is there can tell.
    void begin() {
        Scratch s = memory_;
        lay_out(s, kinematics_);
    }

    // Rows, cost and derivatives at a posture; false where what the caller computes failed. term_cost: (terms), may be null.
    bool evaluate(PosturePoint& at, double* term_cost = nullptr) {
        if (!place(at)) return false;
        clear(at.g, n_);
        clear(at.H, static_cast<std::size_t>(n_) * n_);
        at.cost = 0.0;
        for (int t = 0; t < p_.num_terms; ++t) {
            const PostureTerm& term = p_.terms[t];
            if (term_cost) term_cost[t] = 0.0;
            if (term.is_cost) {
                const double before = at.cost;
                if (!add_cost(term, at)) return false;
                if (term_cost) term_cost[t] = at.cost - before;
                continue;
            }
            double* J = at.J + static_cast<std::size_t>(term.first_row) * n_;
            clear(J, static_cast<std::size_t>(term.rows) * n_);
            double *low = at.lower + term.first_row, *high = at.upper + term.first_row;
            for (int r = 0; r < term.rows; ++r) {
                low[r] = term.lower ? term.lower[r] : -kInfinity;
                high[r] = term.upper ? term.upper[r] : kInfinity;
            }
            if (!write(term, at, at.c + term.first_row, J, low, high)) return false;
        }
        return true;
    }

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
    static constexpr double kNarrow = 0.5;  // bound of an angle below which its sines are bounded too [rad]
    using V = Vec3<double>;
    using P = Pose<double>;

    void lay_out(Scratch& s, KinematicsMemory<double>* to) {
        for (int t = 0; t < p_.num_trees; ++t) {
            const Model& m = *p_.trees[t].model;
            KinematicsMemory<double> memory(m, 0, s);
            double* users = s.take<double>(user_numbers(m));
            Vec3<double>* moment = s.take<Vec3<double>>(m.num_links);
            if (!to) continue;
            new (to + t) KinematicsMemory<double>(memory);
            users_[t] = users;
            moment_[t] = moment;
        }
    }

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

    bool place(const PosturePoint& at) {
        for (int t = 0; t < p_.num_trees; ++t) {
            const Model& m = *p_.trees[t].model;
            const double* q = at.q + p_.trees[t].first_dof;
            if (m.num_user_links && !(p_.parts && p_.parts->users(t, q, users_[t]))) return false;
            kinematics<0>(m, kinematics_[t], users_[t], q);
        }
        weighed_ = false;
        return true;
    }

    // Moments of mass of all subtrees, once for a posture.
    void weigh() {
        if (weighed_) return;
        weighed_ = true;
        for (int t = 0; t < p_.num_trees; ++t) {
            const Model& m = *p_.trees[t].model;
            const P* pose = kinematics_[t].pose;
            for (int i = 0; i < m.num_links; ++i) moment_[t][i] = pose[i].p * m.links[i].mass + pose[i].R * vec3(m.links[i].h);
            for (int i = m.num_links - 1; i > 0; --i) {
                if (m.links[i].parent >= 0) moment_[t][m.links[i].parent] += moment_[t][i];
            }
        }
    }

    P pose(const PosturePlace& place) const {
        if (place.link < 0) return {mat3(place.R), vec3(place.p)};
        const P& link = kinematics_[place.tree].pose[place.link];
        return {link.R * mat3(place.R), link.p + link.R * vec3(place.p)};
    }

    // Calls use(unknown, factor, motion of the point that the place carries, per rate of a dof).
    template <class Use>
    void for_columns(const PosturePlace& place, const V& point, Use use) const {
        if (place.link < 0) return;
        const PostureTree& tree = p_.trees[place.tree];
        const Model& m = *tree.model;
        const P* poses = kinematics_[place.tree].pose;
        for (int i = place.link; i >= 0; i = m.links[i].parent) {
            const Link& link = m.links[i];
            const V arm = point - poses[i].p;
            visit(link, static_cast<const double*>(users_[place.tree]), [&](auto joint) {
                for_axes(joint, link, poses[i].R, [&](int k, const auto& axis) {
                    const int d = tree.first_dof + link.dof + k, j = p_.unknown[d];
                    if (j >= 0) use(j, p_.factor[d], axis_velocity(axis, arm));
                });
            });
        }
    }

    // The same of a point on both: as `frame` moves it, less as `base` does.
    template <class Use>
    void for_relative(const PosturePlace& frame, const PosturePlace& base, const V& point, Use use) const {
        for_columns(frame, point, use);
        for_columns(base, point, [&](int j, double factor, const Motion<double>& x) { use(j, -factor, x); });
    }

    static V rows_of(const double* M, int r) { return read3(M + 3 * r); }

    bool write(const PostureTerm& t, const PosturePoint& at, double* y, double* J, double* low, double* high) {
        switch (t.kind) {
            case PostureTermKind::points: points(t, y, J); break;
            case PostureTermKind::orientation: orientation(t, y, J, low, high); break;
            case PostureTermKind::turn: turn(t, y, J); break;
            case PostureTermKind::direction: case PostureTermKind::sight: angle(t, y, J, low, high); break;
            case PostureTermKind::chord: case PostureTermKind::sight_chord: chord(t, y, J); break;
            case PostureTermKind::distance: distance(t, y, J, low, high); break;
            case PostureTermKind::center_of_mass: center_of_mass(t, y, J); break;
            case PostureTermKind::positions: positions(t, at, y, J); break;
            case PostureTermKind::posture: posture(t, at, y, J); break;
            case PostureTermKind::shapes: shapes(t, y, J, low, high); break;
            case PostureTermKind::nearest: nearest(t, y, J); break;
            case PostureTermKind::balance: balance(t, at, y, J); break;
            case PostureTermKind::friction: friction(t, at, y, J, low); break;
            case PostureTermKind::force: force(t, at, y, J); break;
            case PostureTermKind::custom: return custom(t, at, y, J);
        }
        return true;
    }

    void points(const PostureTerm& t, double* y, double* J) {
        const P frame = pose(t.frame), base = pose(t.base);
        const int width = 3 * t.num_points;
        for (int r = 0; r < t.rows; ++r) y[r] = 0.0;
        for (int k = 0; k < t.num_points; ++k) {
            const V at = frame.p + frame.R * read3(t.point + 3 * k);
            const V seen = transposed_times(base.R, at - base.p);
            for (int r = 0; r < t.rows; ++r) y[r] += dot(read3(t.matrix + r * width + 3 * k), seen);
            for_relative(t.frame, t.base, at, [&](int j, double factor, const Motion<double>& x) {
                const V rate = transposed_times(base.R, x.linear) * factor;
                for (int r = 0; r < t.rows; ++r) J[r * n_ + j] += dot(read3(t.matrix + r * width + 3 * k), rate);
            });
        }
    }

    // A norm in the last row: of components y (k) with derivatives J, or with `slope` along them.
    void norm_row(int k, double size, const V& slope, double* J) const {
        for (int j = 0; j < n_; ++j) {
            double sum = 0.0;
            for (int r = 0; r < k; ++r) sum += (&slope.x)[r] * J[r * n_ + j];
            J[k * n_ + j] = size > 0.0 ? sum : 0.0;
        }
    }

    // Bounds of components y (k) and of their length, for least <= length <= most.
    void bound_norm(const PostureTerm& t, int k, double most, double size, double* low, double* high) const {
        const bool ball = t.least <= 0.0 && most < kInfinity;
        for (int r = 0; r < k; ++r) {
            low[r] = ball ? -most : -kInfinity;
            high[r] = ball ? most : kInfinity;
        }
        const bool exact = ball && t.most == 0.0 && size < 1.0;
        low[k] = t.least > 0.0 ? t.least : -kInfinity;
        high[k] = exact ? kInfinity : t.most;
    }

    void orientation(const PostureTerm& t, double* y, double* J, double* low, double* high) {
        const P frame = pose(t.frame), base = pose(t.base);
        const V r = so3_log(transpose(base.R) * frame.R);
        const double size = std::sqrt(dot(r, r));
        const Mat3<double> inverse = so3_left_jacobian_inverse(r);
        write3(y, r);
        y[3] = size;
        for_relative(t.frame, t.base, frame.p, [&](int j, double factor, const Motion<double>& x) {
            const V rate = inverse * transposed_times(base.R, x.angular) * factor;
            J[j] += rate.x;
            J[n_ + j] += rate.y;
            J[2 * n_ + j] += rate.z;
        });
        norm_row(3, size, size > 0.0 ? r * (1.0 / size) : r, J);
        bound_norm(t, 3, t.most, size, low, high);
    }

    // Twice the vector part of the quaternion q of frame in base: its rate is w q_w + w x q_v.
    void turn(const PostureTerm& t, double* y, double* J) {
        const P frame = pose(t.frame), base = pose(t.base);
        const Quaternion<double> q = quaternion(transpose(base.R) * frame.R);
        const V v{q.x, q.y, q.z};
        write3(y, v * 2.0);
        for_relative(t.frame, t.base, frame.p, [&](int j, double factor, const Motion<double>& x) {
            const V spin = transposed_times(base.R, x.angular) * factor;
            const V rate = spin * q.w + cross(spin, v);
            J[j] += rate.x;
            J[n_ + j] += rate.y;
            J[2 * n_ + j] += rate.z;
        });
    }

    // Directions u of the frame and w, of the base or of the way to its point; calls use(unknown, rate of u, rate of w).
    template <class Use>
    void directions(const PostureTerm& t, const P& frame, const P& base, V& u, V& w, Use use) const {
        u = frame.R * vec3(t.axis);
        if (t.kind == PostureTermKind::direction || t.kind == PostureTermKind::chord) {
            w = base.R * vec3(t.target);
            const V from = u, to = w;
            for_columns(t.frame, frame.p, [&](int j, double f, const Motion<double>& x) { use(j, cross(x.angular, from) * f, zero3<double>(), x.angular * f); });
            for_columns(t.base, base.p, [&](int j, double f, const Motion<double>& x) { use(j, zero3<double>(), cross(x.angular, to) * f, zero3<double>()); });
            return;
        }
        const V at = base.p + base.R * vec3(t.target), way = at - frame.p;
        const double length = std::sqrt(dot(way, way)), inverse = length > 0.0 ? 1.0 / length : 0.0;
        w = length > 0.0 ? way * inverse : u;
        const V from = u, to = w;
        const auto across = [&](const V& rate) { return (rate - to * dot(to, rate)) * inverse; };
        for_columns(t.frame, frame.p, [&](int j, double f, const Motion<double>& x) {
            use(j, cross(x.angular, from) * f, across(x.linear) * -f, x.angular * f);
        });
        for_columns(t.base, at, [&](int j, double f, const Motion<double>& x) { use(j, zero3<double>(), across(x.linear) * f, zero3<double>()); });
    }

    void angle(const PostureTerm& t, double* y, double* J, double* low, double* high) {
        const P frame = pose(t.frame), base = pose(t.base);
        const V t1 = frame.R * read3(t.across), t2 = frame.R * read3(t.across + 3);
        V u, w;
        // The rate of w in axes of the frame, along t1, t2 and u.
        directions(t, frame, base, u, w, [&](int j, const V&, const V& rate, const V& spin) {
            const V seen = rate - cross(spin, w);
            J[j] += dot(t1, seen);
            J[n_ + j] += dot(t2, seen);
            J[2 * n_ + j] += dot(u, seen);
        });
        const double a = dot(t1, w), b = dot(t2, w), sine = std::sqrt(a * a + b * b), cosine = dot(u, w);
        const double angle = std::atan2(sine, cosine);
        y[0] = a;
        y[1] = b;
        y[2] = angle;
        // angle' = cosine (sine)' - sine (cosine)'; where the sine is 0, any direction across.
        const double ca = sine > 0.0 ? a / sine : 1.0, cb = sine > 0.0 ? b / sine : 0.0;
        for (int j = 0; j < n_; ++j) {
            J[2 * n_ + j] = cosine * (ca * J[j] + cb * J[n_ + j]) - sine * J[2 * n_ + j];
        }
        const bool narrow = t.most < kNarrow && angle < 1.0;
        bound_norm(t, 2, narrow ? std::sin(t.most) : kInfinity, angle, low, high);
        if (!narrow) high[2] = t.most;
    }

    void chord(const PostureTerm& t, double* y, double* J) {
        const P frame = pose(t.frame), base = pose(t.base);
        V u, w;
        directions(t, frame, base, u, w, [&](int j, const V& rate_u, const V& rate_w, const V&) {
            const V rate = rate_w - rate_u;
            J[j] += rate.x;
            J[n_ + j] += rate.y;
            J[2 * n_ + j] += rate.z;
        });
        write3(y, w - u);
    }

    void distance(const PostureTerm& t, double* y, double* J, double* low, double* high) {
        const int k = t.is_cost ? t.rows : t.rows - 1;
        const P frame = pose(t.frame), base = pose(t.base);
        const V at = frame.p, seen = transposed_times(base.R, at - base.p) - vec3(t.target);
        double squared = 0.0;
        for (int r = 0; r < k; ++r) {
            y[r] = dot(rows_of(t.matrix, r), seen);
            squared += y[r] * y[r];
        }
        for_relative(t.frame, t.base, at, [&](int j, double factor, const Motion<double>& x) {
            const V rate = transposed_times(base.R, x.linear) * factor;
            for (int r = 0; r < k; ++r) J[r * n_ + j] += dot(rows_of(t.matrix, r), rate);
        });
        if (t.is_cost) return;
        const double size = std::sqrt(squared);
        V slope = zero3<double>();
        for (int r = 0; r < k; ++r) (&slope.x)[r] = size > 0.0 ? y[r] / size : (r == 0 ? 1.0 : 0.0);
        y[k] = size;
        norm_row(k, 1.0, slope, J);
        bound_norm(t, k, t.most, size, low, high);
    }

    // Of one tree, or of all; calls use(unknown, rate) for its dofs.
    template <class Use>
    V common_center(int only, Use use) {
        weigh();
        double mass = 0.0;
        V sum = zero3<double>();
        const auto counts = [&](int t) { return only < 0 || only == t; };
        for (int t = 0; t < p_.num_trees; ++t) {
            if (!counts(t)) continue;
            const Model& m = *p_.trees[t].model;
            mass += m.total_mass + p_.trees[t].fixed_mass;
            sum += vec3(p_.trees[t].fixed_moment);
            for (int i = 0; i < m.num_links; ++i) {
                if (m.links[i].parent < 0) sum += moment_[t][i];
            }
        }
        for (int t = 0; t < p_.num_trees; ++t) {
            if (!counts(t)) continue;
            const Model& m = *p_.trees[t].model;
            for (int i = 0; i < m.num_links; ++i) {
                const Link& link = m.links[i];
                if (link.subtree_mass <= 0.0) continue;
                const V arm = moment_[t][i] * (1.0 / link.subtree_mass) - kinematics_[t].pose[i].p;
                visit(link, static_cast<const double*>(users_[t]), [&](auto joint) {
                    for_axes(joint, link, kinematics_[t].pose[i].R, [&](int k, const auto& axis) {
                        const int d = p_.trees[t].first_dof + link.dof + k, j = p_.unknown[d];
                        if (j >= 0) use(j, V(axis_velocity(axis, arm).linear * (p_.factor[d] * link.subtree_mass / mass)));
                    });
                });
            }
        }
        return sum * (1.0 / mass);
    }

    void center_of_mass(const PostureTerm& t, double* y, double* J) {
        const P base = pose(t.base);
        const V center = common_center(t.tree, [&](int j, const V& rate) {
            const V seen = transposed_times(base.R, rate);
            for (int r = 0; r < t.rows; ++r) J[r * n_ + j] += dot(rows_of(t.matrix, r), seen);
        });
        const V seen = transposed_times(base.R, center - base.p);
        for (int r = 0; r < t.rows; ++r) y[r] = dot(rows_of(t.matrix, r), seen);
        for_columns(t.base, center, [&](int j, double factor, const Motion<double>& x) {
            const V rate = transposed_times(base.R, x.linear) * -factor;
            for (int r = 0; r < t.rows; ++r) J[r * n_ + j] += dot(rows_of(t.matrix, r), rate);
        });
    }

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
                    add(J, d, d, 1.0);
                    continue;
                }
                const Mat3<double> R = so3_exp(read3(now));
                const V back = so3_log(transpose(R) * so3_exp(read3(from)));
                const Mat3<double> inverse = so3_left_jacobian_inverse(back);
                write3(y + d, -back);
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) add(J, d + a, d + b, (&(&inverse.x)[b].x)[a]);
                }
                if (link.kind != JointKind::free) continue;
                const V way = transposed_times(R, read3(now + 3) - read3(from + 3));
                write3(y + d + 3, way);
                const double turned[3][3] = {{0.0, -way.z, way.y}, {way.z, 0.0, -way.x}, {-way.y, way.x, 0.0}};
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) add(J, d + 3 + a, d + b, turned[a][b]);
                    add(J, d + 3 + a, d + 3 + a, 1.0);
                }
            }
        }
    }

    void add(double* J, int row, int dof, double x) const {
        const int j = p_.unknown[dof];
        if (j >= 0) J[row * n_ + j] += x * p_.factor[dof];
    }

    // The signed distance of a pair; false where balls around the shapes are farther apart than `influence`, and the distance of these.
    bool measure_pair(const PostureShapePair& pair, double influence, ShapeDistance& found) const {
        const P a = pose(pair.first_place), b = pose(pair.second_place);
        const V way = a.p - b.p;
        found.distance = std::sqrt(dot(way, way)) - pair.first->radius - pair.second->radius;
        if (found.distance > influence) return false;
        double A[12], B[12];
        write_pose(a, A);
        write_pose(b, B);
        p_.distance(*pair.first, A, *pair.second, B, found);
        return true;
    }

    void pair_row(const PostureShapePair& pair, const ShapeDistance& found, double* row) const {
        const V normal = read3(found.normal);
        for_columns(pair.first_place, read3(found.on_first), [&](int j, double f, const Motion<double>& x) { row[j] += dot(normal, x.linear) * f; });
        for_columns(pair.second_place, read3(found.on_second), [&](int j, double f, const Motion<double>& x) { row[j] -= dot(normal, x.linear) * f; });
    }

    // Pairs that are farther apart than they matter have no bounds.
    void shapes(const PostureTerm& t, double* y, double* J, double* low, double* high) const {
        for (int k = 0; k < t.rows; ++k) {
            ShapeDistance found{};
            const bool measured = measure_pair(t.pairs[k], t.influence, found);
            y[k] = found.distance;
            if (!measured || found.distance > t.influence) {
                low[k] = -kInfinity;
                high[k] = kInfinity;
                continue;
            }
            pair_row(t.pairs[k], found, J + k * n_);
        }
    }

    void nearest(const PostureTerm& t, double* y, double* J) const {
        ShapeDistance best{};
        const PostureShapePair* which = nullptr;
        y[0] = kInfinity;
        for (int k = 0; k < t.num_pairs; ++k) {
            ShapeDistance found{};
            if (!measure_pair(t.pairs[k], y[0], found) || !(found.distance < y[0])) continue;
            best = found;
            which = t.pairs + k;
            y[0] = found.distance;
        }
        if (which) pair_row(*which, best, J);
    }

    static void write_pose(const P& pose, double* to) {
        write3(to, pose.p);
        write3(to + 3, pose.R.x);
        write3(to + 6, pose.R.y);
        write3(to + 9, pose.R.z);
    }

    // Forces e in units of the weight: sum e + g / |g| = 0, sum (p - c) x e = 0.
    void balance(const PostureTerm& t, const PosturePoint& at, double* y, double* J) {
        const Model& m = *p_.trees[t.tree].model;
        const V g = vec3(m.gravity);
        V sum = g * (1.0 / std::sqrt(dot(g, g))), moment = zero3<double>(), all = zero3<double>();
        for (int k = 0; k < t.num_points; ++k) all += read3(at.extra + t.extra[k]);
        const V center = common_center(t.tree, [&](int j, const V& rate) { add3(J, 3, j, cross(rate, all) * -1.0); });
        for (int k = 0; k < t.num_points; ++k) {
            const V e = read3(at.extra + t.extra[k]), p = pose(t.places[k]).p, arm = p - center;
            sum += e;
            moment += cross(arm, e);
            for_columns(t.places[k], p, [&](int j, double f, const Motion<double>& x) { add3(J, 3, j, cross(x.linear, e) * f); });
            const int first = p_.unknowns + t.extra[k];
            for (int a = 0; a < 3; ++a) J[a * n_ + first + a] += 1.0;
            add3(J, 3, first, {0.0, arm.z, -arm.y});
            add3(J, 3, first + 1, {-arm.z, 0.0, arm.x});
            add3(J, 3, first + 2, {arm.y, -arm.x, 0.0});
        }
        write3(y, sum);
        write3(y + 3, moment);
    }

    void add3(double* J, int row, int j, const V& x) const {
        J[row * n_ + j] += x.x;
        J[(row + 1) * n_ + j] += x.y;
        J[(row + 2) * n_ + j] += x.z;
    }

    // Normal part; m n - |t|; m n + t1, m n - t1, m n + t2, m n - t2: all bounded from below.
    void friction(const PostureTerm& t, const PosturePoint& at, double* y, double* J, double* low) {
        const P base = pose(t.base);
        const V e = read3(at.extra + t.extra[0]);
        const int first = p_.unknowns + t.extra[0];
        const V axes[3] = {base.R * vec3(t.axis), base.R * read3(t.across), base.R * read3(t.across + 3)};
        double part[3];
        double* rows[3] = {J, J + 2 * n_, J + 4 * n_};  // of the parts themselves, at first
        for (int a = 0; a < 3; ++a) {
            part[a] = dot(axes[a], e);
            for (int b = 0; b < 3; ++b) rows[a][first + b] += (&axes[a].x)[b];
            const V turned = cross(axes[a], e);
            for_columns(t.base, base.p, [&](int j, double f, const Motion<double>& x) { rows[a][j] += dot(x.angular, turned) * f; });
        }
        const double side = std::sqrt(part[1] * part[1] + part[2] * part[2]), inverse = side > 0.0 ? 1.0 / side : 0.0;
        const double mu = t.most;
        for (int j = 0; j < n_; ++j) {
            const double n = J[j], a = J[2 * n_ + j], b = J[4 * n_ + j];
            J[n_ + j] = mu * n - (part[1] * a + part[2] * b) * inverse;
            J[2 * n_ + j] = mu * n + a;
            J[3 * n_ + j] = mu * n - a;
            J[4 * n_ + j] = mu * n + b;
            J[5 * n_ + j] = mu * n - b;
        }
        y[0] = part[0];
        y[1] = mu * part[0] - side;
        y[2] = mu * part[0] + part[1];
        y[3] = mu * part[0] - part[1];
        y[4] = mu * part[0] + part[2];
        y[5] = mu * part[0] - part[2];
        low[0] = t.least;
        for (int r = 1; r < 6; ++r) low[r] = 0.0;
    }

    void force(const PostureTerm& t, const PosturePoint& at, double* y, double* J) const {
        for (int a = 0; a < 3; ++a) {
            y[a] = at.extra[t.extra[0] + a] - t.target[a];
            J[a * n_ + p_.unknowns + t.extra[0] + a] += 1.0;
        }
    }

    bool custom(const PostureTerm& t, const PosturePoint& at, double* y, double* J) {
        const int width = p_.dofs + p_.extras;
        if (!p_.parts || !p_.parts->custom(t.custom, at.q, at.extra, y, slopes_)) return false;
        for (int r = 0; r < t.rows; ++r) {
            for (int d = 0; d < p_.dofs; ++d) add(J, r, d, slopes_[r * width + d]);
            for (int k = 0; k < p_.extras; ++k) J[r * n_ + p_.unknowns + k] += slopes_[r * width + p_.dofs + k];
        }
        return true;
    }

    // 1/2 y.W y, or the value itself where there are no weights.
    bool add_cost(const PostureTerm& t, PosturePoint& at) {
        clear(Jy_, static_cast<std::size_t>(t.rows) * n_);
        double no_bounds[6];
        if (!write(t, at, y_, Jy_, no_bounds, no_bounds)) return false;
        if (!t.weight) {
            at.cost += y_[0];
            for (int j = 0; j < n_; ++j) at.g[j] += Jy_[j];
            return true;
        }
        for (int r = 0; r < t.rows; ++r) {
            double sum = 0.0;
            if (t.diagonal) {
                sum = t.weight[r] * y_[r];
            } else {
                for (int s = 0; s < t.rows; ++s) sum += t.weight[r * t.rows + s] * y_[s];
            }
            Wy_[r] = sum;
            at.cost += 0.5 * y_[r] * sum;
        }
        for (int r = 0; r < t.rows; ++r) {
            const double* row = Jy_ + r * n_;
            for (int j = 0; j < n_; ++j) at.g[j] += row[j] * Wy_[r];
            for (int s = t.diagonal ? r : 0; s < (t.diagonal ? r + 1 : t.rows); ++s) {
                const double w = t.diagonal ? t.weight[r] : t.weight[r * t.rows + s];
                if (w == 0.0) continue;
                const double* other = Jy_ + s * n_;
                for (int i = 0; i < n_; ++i) {
                    const double x = w * row[i];
                    if (x == 0.0) continue;
                    for (int j = 0; j < n_; ++j) at.H[i * n_ + j] += x * other[j];
                }
            }
        }
        return true;
    }

    const PostureProgram& p_;
    const int n_;
    KinematicsMemory<double>* kinematics_;
    double** users_;
    Vec3<double>** moment_;
    double *y_, *Jy_, *Wy_, *slopes_;
    Scratch memory_{nullptr};
    bool weighed_ = false;
};

KIDO_END
