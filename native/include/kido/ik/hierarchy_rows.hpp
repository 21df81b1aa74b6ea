#pragma once

#include <limits>

#include "kido/algorithm/jacobian.hpp"
#include "kido/ik/characteristic_length.hpp"
#include "kido/ik/hierarchy_problem.hpp"
#include "kido/optimize/damped_system.hpp"
#include "kido/tree/scratch.hpp"

// Errors of the tasks of a hierarchy at some positions, and their Jacobians: rows that all kinds of tasks have in common.

KIDO_BEGIN

// Working memory; lengths of errors and of translational dofs are in characteristic lengths.
struct HierarchyMemory {
    static constexpr int pad = DampedSystem::pad;

    double *q, *best, *stuck, *other, *sine, *cosine, *step, *free, *prior, *scale, *pull, *along, *before, *moved;  // (dofs)
    double *unit, *inverse;  // of a dof [rad, m] in a step, and 1 over it
    Pose<double>* pose;
    Vec3<double>* moment;  // (links) first moments of mass of subtrees, in the world [kg m]
    double *J, *projected, *basis;  // rows of `stride` numbers: weighted Jacobian, that of a level, orthonormal rows of levels above
    double *own;                    // (tasks) rows of `stride` numbers: steps of their own
    double *error, *left, *solved, *ridge, *gram, *custom, *normal;
    double *squared, *checkpoint, *best_squared;  // (levels)
    double *angular, *linear;                     // (tasks) norms of errors [rad], [characteristic length]
    PoseError<double>* pose_error;                // (tasks)
    int* held;                                    // (dofs) that stopped at their limits
    unsigned char* is_length;                     // (rows) of custom tasks
    int stride;
    DampedSystem system;

    HierarchyMemory(const HierarchyProblem& p, Scratch& s)
        : stride((p.model->num_dofs + pad - 1) / pad * pad), system(p.num_rows, stride, s) {
        const int n = p.model->num_dofs, rows = p.num_rows;
        for (double** x : {&q, &best, &stuck, &other, &sine, &cosine, &step, &free, &prior, &scale, &pull, &along, &before, &moved, &unit, &inverse}) *x = s.take<double>(stride);
        pose = s.take<Pose<double>>(p.model->num_links);
        moment = s.take<Vec3<double>>(p.model->num_links);
        for (double** x : {&J, &projected}) *x = s.take<double>(static_cast<std::size_t>(rows) * stride);
        basis = s.take<double>(static_cast<std::size_t>(n) * stride);
        own = s.take<double>(static_cast<std::size_t>(p.num_tasks) * stride);
        for (double** x : {&error, &left, &solved, &ridge}) *x = s.take<double>(rows);
        gram = s.take<double>(static_cast<std::size_t>(rows) * rows);
        custom = s.take<double>(static_cast<std::size_t>(rows) * n);
        normal = s.take<double>(static_cast<std::size_t>(n) * n);
        for (double** x : {&squared, &checkpoint, &best_squared}) *x = s.take<double>(p.num_levels);
        for (double** x : {&angular, &linear}) *x = s.take<double>(p.num_tasks);
        pose_error = s.take<PoseError<double>>(p.num_tasks);
        held = s.take<int>(n);
        is_length = s.take<unsigned char>(rows);
    }
};

// Sine of the angle between axis and line of sight below which the axis of rotation has no derivative.
inline constexpr double kLeastSine = 1e-6;

KIDO_INLINE double norm(const Vec3<double>& x) { return sqrt(dot(x, x)); }

// The line of sight from a point to a target, the axis that is to be along it, and what turns one into the other: an angle about
// a direction; all in the world.
struct Sight {
    Vec3<double> line, axis, about;
    double distance, sine, angle;

    Sight(const Vec3<double>& point, const Vec3<double>& aim, const Vec3<double>& target) : axis(aim) {
        const Vec3<double> way = target - point;
        distance = norm(way);
        line = distance > 0.0 ? way * (1.0 / distance) : axis;
        const Vec3<double> normal = cross(line, axis);
        sine = norm(normal);
        angle = atan2(sine, dot(line, axis));
        about = sine > 0.0 ? normal * (1.0 / sine) : perpendicular(line);
    }

    // Derivative of (angle - allowed) about the direction, where the frame of the axis moves by J.
    Vec3<double> column(const Motion<double>& J, double allowed) const {
        const Vec3<double> axis_rate = cross(J.angular, axis);
        Vec3<double> line_rate = zero3<double>();
        if (distance > 0.0) {
            const Vec3<double> moving = J.linear * (-1.0 / distance);
            line_rate = moving - line * dot(line, moving);
        }
        const Vec3<double> normal_rate = cross(line, axis_rate) - cross(axis, line_rate);
        if (angle < kLeastSine) return normal_rate;
        Vec3<double> rate = about * dot(about, J.angular - cross(line, line_rate));
        if (sine > kLeastSine) rate += (normal_rate - about * dot(about, normal_rate)) * ((angle - allowed) / sine);
        return rate;
    }

private:
    static Vec3<double> perpendicular(const Vec3<double>& d) {
        const double x = abs(d.x), y = abs(d.y), z = abs(d.z);
        const Vec3<double> least = x <= y && x <= z ? Vec3<double>{1.0, 0.0, 0.0}
                                   : y <= z         ? Vec3<double>{0.0, 1.0, 0.0}
                                                    : Vec3<double>{0.0, 0.0, 1.0};
        const Vec3<double> normal = cross(d, least);
        return normal * (1.0 / norm(normal));
    }
};

// Positions, and the errors and Jacobians of all tasks there.
class HierarchyRows {
protected:
    HierarchyRows(const HierarchyProblem& problem, void* memory)
        : p_(problem), m_(*problem.model), scratch_(memory), w_(problem, scratch_) {
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.link >= 0) reach_ = max(reach_, path_reach(m_, task.link, task.p));
            places_ = places_ || p_.asks_objective || task.kind == TaskKind::custom || task.own_step;
            weighs_ = weighs_ || task.kind == TaskKind::center_of_mass;
        }
    }

    // Whether parts that users write want an end, or failed.
    bool has_failed() const { return failed_; }

    template <class Visit>
    void for_each_dof(Visit&& visit) const {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            for (int k = 0; k < link.dof_count; ++k) visit(link.dof + k, is_prismatic(link, k));
        }
    }

    // Chooses the characteristic length for the errors at the present positions, which were computed with another.
    void choose_length() {
        double distance = 0.0;
        bool translates = false;
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (p_.tasks[t].kind != TaskKind::posture) distance = max(distance, w_.linear[t] * length_.value);
        }
        for_each_dof([&](int j, bool prismatic) { translates = translates || (prismatic && p_.moves[j]); });
        length_.value = characteristic_length(reach_, distance, translates);
        length_.inverse = 1.0 / length_.value;
        if (length_.value == 1.0) return;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.kind == TaskKind::custom) ask([&] { return p_.parts->is_length(t, w_.is_length + task.row); });
        }
    }

    // Puts the robot to the present positions.
    void kinematics() {
        if (places_) ask([&] { return p_.parts->place(w_.q); });
        if (!p_.native_motion) return;
        sincos(w_.q, m_.num_dofs, w_.sine, w_.cosine);
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            visit(link.kind, [&](auto joint) {
                using J = decltype(joint);
                const Pose<double>* parent = link.parent < 0 ? nullptr : w_.pose + link.parent;
                const double* q = w_.q + link.dof;
                const Mat3<double> base = parent ? parent->R * mat3(link.R) : mat3(link.R);
                Vec3<double> at = parent ? parent->p + parent->R * vec3(link.p) : vec3(link.p);
                if constexpr (J::translates) at += J::translate(link, base, q);
                w_.pose[i] = {J::rotate(base, q, w_.sine[link.dof], w_.cosine[link.dof]), at};
            });
        }
        if (!weighs_) return;
        for (int i = 0; i < m_.num_links; ++i) {
            w_.moment[i] = w_.pose[i].p * m_.links[i].mass + w_.pose[i].R * vec3(m_.links[i].h);
        }
        for (int i = m_.num_links - 1; i > 0; --i) {
            if (m_.links[i].parent >= 0) w_.moment[m_.links[i].parent] += w_.moment[i];
        }
    }

    // Computes the weighted errors of all tasks, and their squares level by level; whether all that must be are reached.
    bool errors() {
        bool all_reached = true;
        for (int k = 0; k < p_.num_levels; ++k) w_.squared[k] = 0.0;
        required_squared_ = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            error_of(t);
            const double* e = w_.error + task.row;
            for (int r = 0; r < task.rows; ++r) {
                w_.squared[task.level] += e[r] * e[r];
                if (!task.wished) required_squared_ += e[r] * e[r];
            }
            all_reached = all_reached && (task.wished || is_reached(t));
        }
        return all_reached;
    }

    bool is_reached(int t) const {
        return w_.angular[t] <= p_.angular_tolerance && w_.linear[t] <= p_.linear_tolerance * length_.inverse;
    }

    double* row(double* rows, int r) const { return rows + static_cast<std::ptrdiff_t>(r) * w_.stride; }

    // Derivatives of all errors by the dofs, each in [rad, characteristic length].
    void fill_jacobian() {
        fill_jacobian([](const HierarchyTask&) { return true; });
    }

    // Those of the tasks that are needed; other rows are zeros.
    template <class Needs>
    void fill_jacobian(Needs&& needs) {
        for (int i = 0; i < p_.num_rows * w_.stride; ++i) w_.J[i] = 0.0;
        for (int t = 0; t < p_.num_tasks; ++t) {
            if (!needs(p_.tasks[t])) continue;
            switch (p_.tasks[t].kind) {
                case TaskKind::pose: pose_rows(t); break;
                case TaskKind::gaze: gaze_rows(t); break;
                case TaskKind::center_of_mass: mass_rows(t); break;
                case TaskKind::posture: posture_rows(t); break;
                case TaskKind::custom: custom_rows(t); break;
            }
        }
        if (length_.value == 1.0) return;
        for_each_dof([&](int j, bool prismatic) {
            if (!prismatic) return;
            for (int r = 0; r < p_.num_rows; ++r) row(w_.J, r)[j] *= length_.value;
        });
    }

    // Calls use(row, low, high) for each row of the Jacobian of a task, with the bounds of its change that leave no error; a task
    // has always as many. Rows of what lies between bounds are those of what is bounded.
    template <class Use>
    void constrain(int t, Use&& use) {
        const HierarchyTask& task = p_.tasks[t];
        constexpr double open = std::numeric_limits<double>::infinity();
        const double* e = w_.error + task.row;
        if (task.kind == TaskKind::pose && task.region.bounded) {
            const PoseRegion& g = task.region;
            const double* x = task.target;
            const Pose<double> at = pose_of(task);
            const Mat3<double> target = {read3(x), read3(x + 3), read3(x + 6)}, axes = world_axes(g, target);
            const Vec3<double> angles = euler_angles(transpose(axes) * (at.R * transpose(target) * axes), EulerOrder{0, 1, 2});
            const Vec3<double> lengths = transposed_times(axes, at.p - read3(x + 9));
            const double d[6] = {angles.x, angles.y, angles.z, lengths.x, lengths.y, lengths.z};
            for (double& active : w_.pose_error[t].active) active = 1.0;
            pose_rows(t);
            for (int r = 0; r < 6; ++r) {
                const double scale = g.weight[r] * (r < 3 ? 1.0 : length_.inverse);
                const bool counts = g.weight[r] > 0.0;
                use(row(w_.J, task.row + r), counts ? (g.low[r] - d[r]) * scale : -open, counts ? (g.high[r] - d[r]) * scale : open);
            }
        } else if (task.kind == TaskKind::gaze && task.half_angle > 0.0) {
            const Sight sight = sight_of(task);
            double* first = row(w_.J, task.row);
            for (int j = 0; j < m_.num_dofs; ++j) {
                const Vec3<double> c = {first[j], row(w_.J, task.row + 1)[j], row(w_.J, task.row + 2)[j]};
                first[j] = dot(sight.about, c);
            }
            use(first, -open, (task.half_angle - sight.angle) * task.region.weight[0]);
        } else {
            for (int r = 0; r < task.rows; ++r) use(row(w_.J, task.row + r), e[r], e[r]);
        }
    }

    // Asks parts that users write, until one of them fails or wants an end.
    template <class Question>
    void ask(Question&& question) {
        failed_ = failed_ || !question();
    }

    const HierarchyProblem& p_;
    const Model& m_;
    Scratch scratch_;
    HierarchyMemory w_;
    CharacteristicLength<double> length_;
    double required_squared_ = 0.0;  // of all tasks that must be reached

private:
    Pose<double> pose_of(const HierarchyTask& task) const {
        const Pose<double>& at = w_.pose[task.link];
        return {at.R * mat3(task.R), at.p + at.R * vec3(task.p)};
    }

    Mat3<double> axes_of(const HierarchyTask& task) const {
        const double* x = task.target;
        return world_axes<double>(task.region, {read3(x), read3(x + 3), read3(x + 6)});
    }

    Sight sight_of(const HierarchyTask& task) const {
        return {pose_of(task).p, w_.pose[task.link].R * vec3(task.axis), read3(task.target + 9)};
    }

    void error_of(int t) {
        const HierarchyTask& task = p_.tasks[t];
        double* e = w_.error + task.row;
        w_.angular[t] = w_.linear[t] = 0.0;
        switch (task.kind) {
            case TaskKind::pose: {
                const double* x = task.target;
                const Pose<double> target = {{read3(x), read3(x + 3), read3(x + 6)}, read3(x + 9)};
                PoseError<double>& own = w_.pose_error[t];
                own = region_error<double>(task.region, target, pose_of(task));
                own.linear = own.linear * length_.inverse;
                double weighted_error[6];
                weighted(task.region, own, weighted_error);
                for (int r = 0; r < 6; ++r) e[r] = weighted_error[r];
                w_.angular[t] = norm(own.angular);
                w_.linear[t] = norm(own.linear);
                break;
            }
            case TaskKind::gaze: {
                const Sight sight = sight_of(task);
                w_.angular[t] = max(sight.angle - task.half_angle, 0.0);
                write3(e, sight.about * (-task.region.weight[0] * w_.angular[t]));
                break;
            }
            case TaskKind::center_of_mass: {
                const Vec3<double> apart = read3(task.target + 9) - (center_of_mass() * task.share + read3(task.fixed));
                const double* weight = task.region.weight + 3;
                Vec3<double> own = transposed_times(axes_of(task), apart) * length_.inverse;
                own = {weight[0] > 0.0 ? own.x : 0.0, weight[1] > 0.0 ? own.y : 0.0, weight[2] > 0.0 ? own.z : 0.0};
                w_.linear[t] = norm(own);
                write3(e, Vec3<double>{own.x * weight[0], own.y * weight[1], own.z * weight[2]});
                break;
            }
            case TaskKind::posture: posture_error(t); break;
            case TaskKind::custom:
                ask([&] { return p_.parts->error(t, e, w_.angular + t, w_.linear + t); });
                w_.linear[t] *= length_.inverse;
                for (int r = 0; r < task.rows; ++r) e[r] *= -row_scale(task, r);
                break;
        }
    }

    double row_scale(const HierarchyTask& task, int r) const {
        return length_.value != 1.0 && w_.is_length[task.row + r] ? length_.inverse : 1.0;
    }

    Vec3<double> center_of_mass() const {
        Vec3<double> sum = zero3<double>();
        for (int i = 0; i < m_.num_links; ++i) {
            if (m_.links[i].parent < 0) sum += w_.moment[i];
        }
        return m_.total_mass > 0.0 ? sum * (1.0 / m_.total_mass) : sum;
    }

    // The joint of which a dof is one of three angles, or one of three lengths that turn with them; else none.
    const Link* group_of(int dof) const {
        const Link& link = m_.links[m_.dof_link[dof]];
        return link.kind == JointKind::ball || link.kind == JointKind::free ? &link : nullptr;
    }

    Vec3<double> rotation_error(const HierarchyTask& task, int r, const Link& joint) const {
        return so3_log(transpose(so3_exp(read3(task.desired + r))) * so3_exp(read3(w_.q + joint.dof)));
    }

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

    // Calls use(dof, motion) for the dofs that move a point of a link: its velocity by each.
    template <class Use>
    void for_columns(const HierarchyTask& task, int first, const Vec3<double>& point, Use&& use) const {
        for (int i = first; i >= 0; i = m_.links[i].parent) {
            const Link& link = m_.links[i];
            const Vec3<double> arm = point - w_.pose[i].p;
            visit(link.kind, [&](auto joint) {
                for_axes(joint, link, w_.pose[i].R, [&](int k, const auto& axis) {
                    if (task.moves[link.dof + k]) use(link.dof + k, axis_velocity(axis, arm));
                });
            });
        }
    }

    void pose_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        for_columns(task, task.link, pose_of(task).p, [&](int j, const Motion<double>& J) {
            const Motion<double> c = region_column(task.region, w_.pose_error[t], J, length_.inverse);
            const double x[6] = {c.angular.x, c.angular.y, c.angular.z, c.linear.x, c.linear.y, c.linear.z};
            for (int r = 0; r < 6; ++r) row(w_.J, task.row + r)[j] = x[r];
        });
    }

    void gaze_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        const Sight sight = sight_of(task);
        const double allowed = sight.angle > task.half_angle ? task.half_angle : 0.0;
        for_columns(task, task.link, pose_of(task).p, [&](int j, const Motion<double>& J) {
            const Vec3<double> c = sight.column(J, allowed) * task.region.weight[0];
            row(w_.J, task.row)[j] = c.x;
            row(w_.J, task.row + 1)[j] = c.y;
            row(w_.J, task.row + 2)[j] = c.z;
        });
    }

    // A dof moves the centre of mass by that of its subtree. Sugihara, Nakamura and Inoue (2002).
    void mass_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        const Mat3<double> axes = axes_of(task);
        const double* weight = task.region.weight + 3;
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            if (link.subtree_mass <= 0.0) continue;
            const Vec3<double> arm = w_.moment[i] * (1.0 / link.subtree_mass) - w_.pose[i].p;
            const double part = link.subtree_mass / m_.total_mass * (task.share * length_.inverse);
            visit(link.kind, [&](auto joint) {
                for_axes(joint, link, w_.pose[i].R, [&](int k, const auto& axis) {
                    if (!task.moves[link.dof + k]) return;
                    const Vec3<double> c = transposed_times(axes, axis_velocity(axis, arm).linear) * part;
                    row(w_.J, task.row)[link.dof + k] = c.x * weight[0];
                    row(w_.J, task.row + 1)[link.dof + k] = c.y * weight[1];
                    row(w_.J, task.row + 2)[link.dof + k] = c.z * weight[2];
                });
            });
        }
    }

    void custom_rows(int t) {
        const HierarchyTask& task = p_.tasks[t];
        const int n = m_.num_dofs;
        ask([&] { return p_.parts->jacobian(t, w_.custom); });
        if (has_failed()) return;
        for (int r = 0; r < task.rows; ++r) {
            for (int j = 0; j < n; ++j) row(w_.J, task.row + r)[j] = w_.custom[r * n + j] * row_scale(task, r);
        }
    }

    double reach_ = 0.0;
    bool places_ = false;  // whether TaskParts need to know where the robot is
    bool weighs_ = false;
    bool failed_ = false;
};

KIDO_END
