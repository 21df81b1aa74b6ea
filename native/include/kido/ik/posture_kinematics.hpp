#pragma once

#include "kido/ik/posture_point.hpp"

// Trees of a posture problem at a posture: where frames are, and how unknowns move points.

KIDO_BEGIN

class PostureKinematics {
public:
    using V = Vec3<double>;
    using P = Pose<double>;

    PostureKinematics(const PostureProgram& program, Scratch& s) : p_(program), n_(program.all()) {
        kinematics_ = s.take<KinematicsMemory<double>>(p_.num_trees);
        users_ = s.take<double*>(p_.num_trees);
        moment_ = s.take<Vec3<double>*>(p_.num_trees);
        memory_ = s;
        lay_out(s, nullptr);
    }

    // Where the memory of each tree stands, which only memory that is there can tell.
    void begin() {
        Scratch s = memory_;
        lay_out(s, kinematics_);
    }

    const PostureProgram& program() const { return p_; }
    const P* poses(int tree) const { return kinematics_[tree].pose; }
    const double* users(int tree) const { return users_[tree]; }

    // Places the trees; false where joints that users write failed.
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

    // Of the subtree of each link [kg m], once `weigh` was called.
    const V* moments(int tree) const { return moment_[tree]; }

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

    // Adds the derivative of a row by the velocity of a dof.
    void add(double* J, int row, int dof, double x) const {
        const int j = p_.unknown[dof];
        if (j >= 0) J[row * n_ + j] += x * p_.factor[dof];
    }

    // Adds the derivatives of three rows by an unknown.
    void add3(double* J, int row, int j, const V& x) const {
        J[row * n_ + j] += x.x;
        J[(row + 1) * n_ + j] += x.y;
        J[(row + 2) * n_ + j] += x.z;
    }

private:
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

    const PostureProgram& p_;
    const int n_;
    KinematicsMemory<double>* kinematics_;
    double** users_;
    Vec3<double>** moment_;
    Scratch memory_{nullptr};
    bool weighed_ = false;
};

KIDO_END
