#pragma once

#include "kido/algorithm/jacobian.hpp"
#include "kido/ik/velocity_problem.hpp"
#include "kido/scalar/atan.hpp"
#include "kido/spatial/so3.hpp"

// Errors of tasks, the velocities that take them away, and their Jacobians, by columns of the dofs that matter.

KIDO_BEGIN

// Numbers of a sample, in lanes or not.
template <class T>
struct VelocitySample {
    const T *q, *v, *users;
    const T* const* target;  // of each task
};

template <class T>
class VelocityRows {
public:
    T* J;       // (rows, columns)
    T* wanted;  // velocities (rows)
    T* error;   // (rows)

    VelocityRows(const VelocityProgram& program, Scratch& s)
        : p_(program), m_(*program.model), kinematics_(m_, 0, s), moment_(s.take<Vec3<T>>(m_.num_links)) {
        int rows = 6;
        for (int t = 0; t < p_.num_tasks; ++t) {
            rows = std::max(rows, p_.tasks[t].rows);
            weighs_ = weighs_ || p_.tasks[t].kind == VelocityTaskKind::center_of_mass;
            moves_ = moves_ || p_.tasks[t].kind < VelocityTaskKind::posture;
        }
        J = s.take<T>(static_cast<std::size_t>(rows) * m_.num_dofs);
        wanted = s.take<T>(std::max(rows, m_.num_dofs));
        error = s.take<T>(std::max(rows, m_.num_dofs));
    }

    void place(const VelocitySample<T>& sample) {
        if (!moves_) return;
        kinematics<0>(m_, kinematics_, sample.users, sample.q);
        if (!weighs_) return;
        for (int i = 0; i < m_.num_links; ++i) {
            moment_[i] = pose(i).p * m_.links[i].mass + pose(i).R * vec3(m_.links[i].h);
        }
        for (int i = m_.num_links - 1; i > 0; --i) {
            if (m_.links[i].parent >= 0) moment_[m_.links[i].parent] += moment_[i];
        }
    }

    // Writes J, wanted and error of a task, except the J of postures, which is 1.
    void write(int t, const VelocitySample<T>& sample) {
        const VelocityTask& task = p_.tasks[t];
        const T* target = sample.target[t];
        if (task.kind != VelocityTaskKind::posture) clear(J, static_cast<std::size_t>(task.rows) * task.columns);
        switch (task.kind) {
            case VelocityTaskKind::frame: frame(task, target, sample.users); break;
            case VelocityTaskKind::axis: axis(task, target, sample.users); break;
            case VelocityTaskKind::gaze: gaze(task, target, sample.users); break;
            case VelocityTaskKind::center_of_mass: center_of_mass(task, target, sample.users); break;
            case VelocityTaskKind::posture: posture(task, target, sample.q); break;
            case VelocityTaskKind::rows: given(task, target); break;
        }
    }

    // The largest number that an error of a task is the difference of, at least 1 [rad, m].
    T size(const VelocityTask& task) const {
        T most = T(1.0);
        if (task.kind >= VelocityTaskKind::posture) return most;
        for (const Pose<T>& of : {frame_pose(task.link, task.R, task.p), frame_pose(task.base_link, task.base_R, task.base_p)}) {
            most = max(max(most, T(abs(of.p.x))), max(T(abs(of.p.y)), T(abs(of.p.z))));
        }
        return most;
    }

private:
    const Pose<T>& pose(int link) const { return kinematics_.pose[link]; }

    Pose<T> frame_pose(int link, const double* R, const double* p) const {
        if (link < 0) return {broadcast<T>(mat3(R)), broadcast<T>(vec3(p))};
        return {pose(link).R * mat3(R), pose(link).p + pose(link).R * vec3(p)};
    }

    // Calls use(column, factor, motion of the point per rate of a dof), sign -1 for dofs that move the base.
    template <class Use>
    void for_columns(const VelocityTask& task, int link, const Vec3<T>& point, const T* users, double sign, Use use) const {
        for (int i = link; i >= 0; i = m_.links[i].parent) {
            const Link& own = m_.links[i];
            const Vec3<T> arm = point - pose(i).p;
            visit(own, users, [&](auto joint) {
                for_axes(joint, own, pose(i).R, [&](int k, const auto& axis) {
                    const int column = task.column[own.dof + k];
                    if (column >= 0) use(column, sign * p_.factor[own.dof + k], axis_velocity(axis, arm));
                });
            });
        }
    }

    template <class Use>
    void for_relative_columns(const VelocityTask& task, const Vec3<T>& point, const T* users, Use use) const {
        for_columns(task, task.link, point, users, 1.0, use);
        if (task.base_link >= 0) for_columns(task, task.base_link, point, users, -1.0, use);
    }

    T& at(const VelocityTask& task, int row, int column) { return J[row * task.columns + column]; }

    void add3(const VelocityTask& task, int row, int column, const Vec3<T>& x, double factor) {
        at(task, row, column) += x.x * factor;
        at(task, row + 1, column) += x.y * factor;
        at(task, row + 2, column) += x.z * factor;
    }

    // In axes of the base. The rotation vector of the error is the axis of its own motion, so that no derivative of it is needed.
    void frame(const VelocityTask& task, const T* target, const T* users) {
        const Pose<T> base = frame_pose(task.base_link, task.base_R, task.base_p), own = frame_pose(task.link, task.R, task.p);
        if (task.is_velocity) {
            for (int r = 0; r < 6; ++r) {
                wanted[r] = target[r];
                error[r] = T(0.0);
            }
        } else {
            const Mat3<T> R = transpose(base.R) * own.R, desired = {read3(target + 3), read3(target + 6), read3(target + 9)};
            write3(error, so3_log(R * transpose(desired)));
            write3(error + 3, transposed_times(base.R, own.p - base.p) - read3(target));
            for (int r = 0; r < 6; ++r) wanted[r] = error[r] * (-task.gain / p_.time_step);
        }
        for_relative_columns(task, own.p, users, [&](int column, double factor, const Motion<T>& x) {
            add3(task, 0, column, transposed_times(base.R, x.angular), factor);
            add3(task, 3, column, transposed_times(base.R, x.linear), factor);
        });
    }

    // The shortest rotation vector that leads from one direction to another, about any axis where they are opposite.
    static Vec3<T> rotation_between(const Vec3<T>& from, const Vec3<T>& to) {
        const Vec3<T> normal = cross(from, to);
        const T sine = sqrt(dot(normal, normal)), cosine = dot(from, to);
        const Mask<T> x_small = (abs(from.x) <= abs(from.y)) & (abs(from.x) <= abs(from.z));
        const Mask<T> y_small = abs(from.y) <= abs(from.z);
        const Vec3<T> unit = {select(x_small, T(1.0), T(0.0)), select(x_small, T(0.0), select(y_small, T(1.0), T(0.0))),
                              select(x_small, T(0.0), select(y_small, T(0.0), T(1.0)))};
        const Vec3<T> other = cross(from, unit);
        const Vec3<T> any_axis = other * (1.0 / sqrt(dot(other, other)));
        const Mask<T> plain = sine > T(1e-12);
        const T scale = atan2(sine, cosine) / select(plain, sine, T(1.0));
        const T half_turn = select(cosine < T(0.0), T(arctangent::kPiHigh), T(0.0));
        return select<T>(plain, normal * scale, any_axis * half_turn);
    }

    // The part of a rate across a direction.
    static Vec3<T> across(const Vec3<T>& direction, const Vec3<T>& rate) { return rate - direction * dot(direction, rate); }

    void axis(const VelocityTask& task, const T* target, const T* users) {
        const Pose<T> base = frame_pose(task.base_link, task.base_R, task.base_p), own = frame_pose(task.link, task.R, task.p);
        const Vec3<T> now = transposed_times(base.R, own.R * vec3(task.axis));
        write3(error, -rotation_between(now, read3(target)));
        for (int r = 0; r < 3; ++r) wanted[r] = error[r] * (-task.gain / p_.time_step);
        for_relative_columns(task, own.p, users, [&](int column, double factor, const Motion<T>& x) {
            add3(task, 0, column, across(now, transposed_times(base.R, x.angular)), factor);
        });
    }

    void gaze(const VelocityTask& task, const T* target, const T* users) {
        const Pose<T> base = frame_pose(task.base_link, task.base_R, task.base_p), own = frame_pose(task.link, task.R, task.p);
        const Vec3<T> now = transposed_times(base.R, own.R * vec3(task.axis));
        const Vec3<T> way = read3(target) - transposed_times(base.R, own.p - base.p);
        const T squared = dot(way, way);
        const Mask<T> apart = squared > T(0.0);
        const T inverse = select(apart, 1.0 / sqrt(select(apart, squared, T(1.0))), T(0.0));
        const Vec3<T> sight = select<T>(apart, way * inverse, now);
        write3(error, -rotation_between(now, sight));
        for (int r = 0; r < 3; ++r) wanted[r] = error[r] * (-task.gain / p_.time_step);
        for_relative_columns(task, own.p, users, [&](int column, double factor, const Motion<T>& x) {
            const Vec3<T> turning = transposed_times(base.R, x.angular), moving = transposed_times(base.R, x.linear);
            add3(task, 0, column, across(now, turning + cross(sight, moving) * inverse), factor);
        });
    }

    // A dof moves the centre of mass by that of its subtree. Sugihara, Nakamura and Inoue (2002).
    void center_of_mass(const VelocityTask& task, const T* target, const T* users) {
        const Pose<T> base = frame_pose(task.base_link, task.base_R, task.base_p);
        Vec3<T> sum = zero3<T>();
        for (int i = 0; i < m_.num_links; ++i) {
            if (m_.links[i].parent < 0) sum += moment_[i];
        }
        const Vec3<T> center = sum * (task.share / m_.total_mass) + broadcast<T>(vec3(task.axis));
        for (int r = 0; r < 3; ++r) error[r] = T(0.0);
        if (task.is_velocity) {
            for (int r = 0; r < 3; ++r) wanted[r] = target[r];
        } else {
            write3(error, transposed_times(base.R, center - base.p) - read3(target));
            for (int r = 0; r < 3; ++r) wanted[r] = error[r] * (-task.gain / p_.time_step);
        }
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            if (link.subtree_mass <= 0.0) continue;
            const Vec3<T> arm = moment_[i] * (1.0 / link.subtree_mass) - pose(i).p;
            const double part = link.subtree_mass / m_.total_mass * task.share;
            visit(link, users, [&](auto joint) {
                for_axes(joint, link, pose(i).R, [&](int k, const auto& axis) {
                    const int column = task.column[link.dof + k];
                    if (column < 0) return;
                    add3(task, 0, column, transposed_times(base.R, axis_velocity(axis, arm).linear), part * p_.factor[link.dof + k]);
                });
            });
        }
        if (task.base_link < 0) return;
        for_columns(task, task.base_link, center, users, -1.0, [&](int column, double factor, const Motion<T>& x) {
            add3(task, 0, column, transposed_times(base.R, x.linear), factor);
        });
    }

    void posture(const VelocityTask& task, const T* target, const T* q) {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            const T *from = target + link.dof, *now = q + link.dof;
            T* e = error + link.dof;
            if (link.kind == JointKind::ball || link.kind == JointKind::free) {
                const Mat3<T> R = so3_exp(read3(now));
                const Vec3<T> back = so3_log(transpose(R) * so3_exp(read3(from)));
                write3(e, -back);
                if (link.kind == JointKind::free) write3(e + 3, transposed_times(R, read3(now + 3) - read3(from + 3)));
            } else {
                e[0] = now[0] - from[0];
            }
        }
        for (int d = 0; d < m_.num_dofs; ++d) {
            if (task.gain == 0.0) error[d] = T(0.0);
            wanted[d] = error[d] * (-task.gain / p_.time_step);
        }
    }

    // Target: J (rows, dofs), wanted (rows), error (rows).
    void given(const VelocityTask& task, const T* target) {
        const int n = m_.num_dofs, high = task.rows;
        for (int r = 0; r < high; ++r) {
            for (int d = 0; d < n; ++d) {
                if (task.column[d] >= 0) at(task, r, task.column[d]) += target[r * n + d] * p_.factor[d];
            }
            wanted[r] = target[high * n + r];
            error[r] = target[high * n + high + r];
        }
    }

    const VelocityProgram& p_;
    const Model& m_;
    KinematicsMemory<T> kinematics_;
    Vec3<T>* moment_;  // of the subtrees
    bool weighs_ = false, moves_ = false;
};

KIDO_END
