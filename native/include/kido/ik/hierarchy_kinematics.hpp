#pragma once

#include <limits>

#include "kido/algorithm/jacobian.hpp"
#include "kido/ik/characteristic_length.hpp"
#include "kido/ik/hierarchy_memory.hpp"

// Where the links of a robot are at the positions of a search, and what parts that users write are asked there.

KIDO_BEGIN

class HierarchyKinematics {
protected:
    HierarchyKinematics(const HierarchyProblem& problem, void* memory)
        : p_(problem), m_(*problem.model), scratch_(memory), w_(problem, scratch_) {
        for (int t = 0; t < p_.num_tasks; ++t) {
            const HierarchyTask& task = p_.tasks[t];
            if (task.link >= 0) reach_ = max(reach_, path_reach(m_, task.link, task.p));
            asks_tasks_ = asks_tasks_ || task.kind == TaskKind::custom || task.own_step;
            weighs_ = weighs_ || task.kind == TaskKind::center_of_mass;
        }
    }

    // Whether parts that users write want an end, or failed.
    bool has_failed() const { return failed_; }

    // Whether parts that users write are asked at all.
    bool asks_python() const { return asks_tasks_ || p_.asks_objective; }

    // Asks parts that users write, until one of them fails or wants an end.
    template <class Question>
    void ask(Question&& question) {
        failed_ = failed_ || !question();
    }

    template <class Visit>
    void for_each_dof(Visit&& visit) const {
        for (int i = 0; i < m_.num_links; ++i) {
            const Link& link = m_.links[i];
            for (int k = 0; k < link.dof_count; ++k) visit(link.dof + k, is_prismatic(link, k));
        }
    }

    // Asks for the objective at the present positions, to which the robot is not put for native tasks alone.
    void ask_objective(double& value, double* gradient) {
        if (!asks_tasks_) ask([&] { return p_.parts->place(w_.q); });
        ask([&] { return p_.parts->objective(&value, gradient); });
    }

    // Puts the robot to the present positions.
    void kinematics() {
        if (asks_tasks_) ask([&] { return p_.parts->place(w_.q); });
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

    double* row(double* rows, int r) const { return rows + static_cast<std::ptrdiff_t>(r) * w_.stride; }

    Pose<double> pose_of(const HierarchyTask& task) const {
        const Pose<double>& at = w_.pose[task.link];
        return {at.R * mat3(task.R), at.p + at.R * vec3(task.p)};
    }

    Mat3<double> axes_of(const HierarchyTask& task) const {
        const double* x = task.target;
        return world_axes<double>(task.region, {read3(x), read3(x + 3), read3(x + 6)});
    }

    Vec3<double> center_of_mass() const {
        Vec3<double> sum = zero3<double>();
        for (int i = 0; i < m_.num_links; ++i) {
            if (m_.links[i].parent < 0) sum += w_.moment[i];
        }
        return m_.total_mass > 0.0 ? sum * (1.0 / m_.total_mass) : sum;
    }

    bool moves_as_group(int dof) const {
        const JointKind kind = m_.links[m_.dof_link[dof]].kind;
        return kind == JointKind::ball || kind == JointKind::free;
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

    double row_scale(const HierarchyTask& task, int r) const {
        return length_.value != 1.0 && w_.is_length[task.row + r] ? length_.inverse : 1.0;
    }

    const HierarchyProblem& p_;
    const Model& m_;
    Scratch scratch_;
    HierarchyMemory w_;
    CharacteristicLength<double> length_;
    double reach_ = 0.0;

private:
    bool asks_tasks_ = false;  // whether TaskParts know tasks, so that they need to know where the robot is at every step
    bool weighs_ = false;
    bool failed_ = false;
};

KIDO_END
