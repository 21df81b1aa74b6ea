#pragma once

#include <algorithm>
#include <vector>

#include "kido/algorithm/kinematics.hpp"
#include "kido/algorithm/problem_of.hpp"
#include "kido/algorithm/spring_forces.hpp"
#include "kido/contact/body_rows.hpp"
#include "kido/contact/free_turn.hpp"
#include "kido/contact/native_world.hpp"
#include "kido/spatial/articulated.hpp"
#include "kido/spatial/so3.hpp"

// A skeleton in a world: kinematics and the articulated-body algorithm (Featherstone 2008, table 7.1) of one time step. All
// spatial vectors are in world axes about one point, the first link's origin at the start of the step, so that nothing is
// shifted between links. What the elimination of each dof leaves is kept: it is the response to impulses.

KIDO_BEGIN

// What is kept of an eliminated dof.
struct DofFactors {
    Motion<double> axis;
    Wrench<double> gain;  // I S / (S^T I S)
    double inverse;       // 1 / (S^T I S); 0 of a dof whose motion is given
};

KIDO_INLINE Motion<double> operator+(const Motion<double>& a, const Motion<double>& b) {
    return {a.angular + b.angular, a.linear + b.linear};
}
KIDO_INLINE Motion<double> operator*(const Motion<double>& a, double s) { return {a.angular * s, a.linear * s}; }
KIDO_INLINE double dot(const Motion<double>& m, const Wrench<double>& w) {
    return dot(m.angular, w.torque) + dot(m.linear, w.force);
}

class Articulation {
public:
    // `first_row`: the solver's row of the first link.
    Articulation(const Model& model, int first_row) : model_(&model), first_row_(first_row) {
        const std::size_t n = model.num_dofs, links = model.num_links;
        for (auto* v : {&positions, &velocities, &accelerations, &commands, &effort, &friction, &stiffness, &rest, &damping, &sine_, &cosine_, &spring_}) {
            v->assign(n, 0.0);
        }
        for (auto* v : {&lower, &slowest, &least_effort, &least_speed}) v->assign(n, -HUGE_VAL);
        for (auto* v : {&upper, &fastest, &most_speed}) v->assign(n, HUGE_VAL);
        drives.assign(n, Drive::force);
        limit_softness.assign(n, ConstraintSoftness{});
        wrenches.assign(6 * links, 0.0);
        users.assign(user_numbers(model), 0.0);
        axes_.resize(links);
        arms_.resize(links);
        motion_.resize(links);
        drift_.resize(links);
        acceleration_.resize(links);
        inertia_.resize(links);
        bias_.resize(links);
        factors_.resize(n);
        held.assign(n, 0);
        holdings_.resize(n);
        spins_.assign(links, 0);
        for (int i = 0; i < model.num_links; ++i) {
            const Link& link = model.links[i];
            spins_[i] = link.parent < 0 && !link.massless && (link.kind == JointKind::ball || link.kind == JointKind::free);
            if (link.parent >= 0) spins_[link.parent] = 0;
        }
    }

    const Model& model() const { return *model_; }
    int first_row() const { return first_row_; }
    const Vec3<double>& reference() const { return reference_; }
    const Mat3<double>& axes(int link) const { return axes_[link]; }
    const Vec3<double>& arm(int link) const { return arms_[link]; }
    const Motion<double>& motion(int link) const { return motion_[link]; }
    // To a link's center of mass; to its origin where it has no mass.
    Vec3<double> center_arm(int link) const {
        const Link& l = model_->links[link];
        return l.massless ? arms_[link] : arms_[link] + axes_[link] * vec3(l.h) * (1.0 / l.mass);
    }
    // First and second moments of a link with mass about the reference, world axes.
    struct Moments {
        Vec3<double> first;
        Sym3<double> second;
    };
    KIDO_INLINE Moments moments(int link) const {
        const Link& l = model_->links[link];
        const Vec3<double>& arm = arms_[link];
        const Vec3<double> own = axes_[link] * vec3(l.h);
        return {own + arm * l.mass, moved(rotate(axes_[link], sym3(l.I)), l.mass, own, arm)};
    }
    // Spatial acceleration without impulses.
    const Motion<double>& acceleration(int link) const { return acceleration_[link]; }
    // What a link's spatial acceleration has of velocities alone, without the dofs' accelerations.
    Motion<double> velocity_product(int link) const {
        Motion<double> sum = drift_[link];
        for (int i = model_->links[link].parent; i >= 0; i = model_->links[i].parent) sum = sum + drift_[i];
        return sum;
    }
    const DofFactors& factors(int dof) const { return factors_[dof]; }

    // Poses and velocities of all links.
    void place() {
        const Model& m = *model_;
        sincos(positions.data(), m.num_dofs, sine_.data(), cosine_.data());
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            visit(link, users.data(), [&](auto joint) { place(joint, link, i); });
        }
    }
    // Rows of the links for collision: origins, axes, velocities.
    void write_rows(PoseRow* poses, MotionRow* velocity_rows) const {
        for (int i = 0; i < model_->num_links; ++i) {
            double* pose = poses[first_row_ + i].v;
            write3(pose, reference_ + arms_[i]);
            write3(pose + 3, axes_[i].x);
            write3(pose + 6, axes_[i].y);
            write3(pose + 9, axes_[i].z);
            const Motion<double>& v = motion_[i];
            double* velocity = velocity_rows[first_row_ + i].v;
            write3(velocity, v.linear + cross(v.angular, arms_[i]));
            write3(velocity + 3, v.angular);
        }
    }
    // Accelerations without impulses, with springs and dampers implicit in a step of length h; false where an inertia is not
    // positive.
    // `turning`: whether to leave out what bodies that spin by themselves take, which `advance` adds exactly.
    bool accelerate(const double (&gravity)[3], double h, bool turning) {
        turning_ = turning;
        if (std::any_of(stiffness.begin(), stiffness.end(), [](double k) { return k != 0.0; })) {
            write_spring_forces(spring_.data());
        } else {
            std::fill(spring_.begin(), spring_.end(), 0.0);
        }
        load(vec3(gravity));
        const Model& m = *model_;
        bool positive = true;
        for (int i = m.num_links - 1; i >= 0; --i) positive &= eliminate(m.links[i], i, h);
        for (int i = 0; i < m.num_links; ++i) solve(m.links[i], i);
        return positive;
    }

    // Velocities and positions at the end of a step of `substeps`; `changes` and `sums` as ArticulationResponse::spread gives
    // them. Positions follow the sub-steps' velocities; where nothing is `touched`, that at the end, for the sake of the energy
    // (the symplectic Euler method). Velocities of ball and free joints keep their direction in the axes of what carries the joint.
    // `fall`: displacement (3) in world axes by which roots that move freely are put back, so that what nothing touches as a
    // whole flies along its exact parabola.
    void advance(const double* changes, const double* sums, double step, int substeps, bool touched, const Vec3<double>& fall) {
        const Model& m = *model_;
        const double h = step / substeps, weight = (touched ? 0.5 * (substeps + 1) : substeps) * step;
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            const int k = link.dof;
            if (spins(link, i)) {
                advance_spinning(link, changes, sums, step, h, weight, substeps, fall);
            } else if (link.kind == JointKind::ball) {
                advance_ball(k, changes, sums, step, h, weight, substeps);
            } else if (link.kind == JointKind::free) {
                advance_free(k, changes, sums, step, h, weight, substeps);
                if (link.parent < 0) write3(&positions[k + 3], vec3(&positions[k + 3]) + transposed_times(mat3(link.R), fall));
            } else {
                // A servo that is held has its speed from the beginning.
                const double share = held[k] ? substeps * step : weight;
                positions[k] += h * (substeps * velocities[k] + share * accelerations[k] + sums[k]);
                velocities[k] += step * accelerations[k] + changes[k];
            }
        }
        for (int k = 0; k < m.num_dofs; ++k) {
            if (!is_prescribed(k)) accelerations[k] += changes[k] / step;
        }
    }

    // Whether the dof's motion is given, whatever force that takes.
    bool is_given(int dof) const { return drives[dof] == Drive::acceleration || drives[dof] == Drive::velocity; }
    // The same in this step.
    bool is_prescribed(int dof) const { return held[dof] || is_given(dof); }
    // Force of a held servo without impulses, and the wrench that its dof's motion takes.
    double holding_force(int dof) const { return holdings_[dof].force; }
    const Wrench<double>& holding_wrench(int dof) const { return holdings_[dof].wrench; }

    // Forces of the springs (num_dofs) at the present positions.
    void write_spring_forces(double* out) const {
        const ProblemOf<SpringForces> problem(*model_);
        const double* in[] = {positions.data(), rest.data(), stiffness.data()};
        double* to[] = {out};
        Scratch none(nullptr);
        SpringForces::run<double>(problem, NoMemory<double>(problem, none), in, to);
    }
    // Whether other forces than gravity and those of springs act.
    bool is_driven() const {
        const auto nonzero = [](double x) { return x != 0.0; };
        return std::any_of(commands.begin(), commands.end(), nonzero) || std::any_of(wrenches.begin(), wrenches.end(), nonzero) ||
               std::any_of(drives.begin(), drives.end(), [](Drive d) { return d != Drive::force; });
    }
    bool any_prescribed() const {
        for (int k = 0; k < model_->num_dofs; ++k) {
            if (is_prescribed(k)) return true;
        }
        return false;
    }
    // See TreeNumbers.
    std::vector<double> positions, velocities, accelerations, commands, effort, friction, stiffness, rest, damping, lower, upper,
        slowest, fastest, least_effort, least_speed, most_speed;
    std::vector<Drive> drives;
    std::vector<char> held;  // servos whose motion is given in this step, see HeldServos
    std::vector<ConstraintSoftness> limit_softness;
    std::vector<double> wrenches, users;

private:
    template <class J>
    void place(J joint, const Link& link, int i) {
        const bool root = link.parent < 0;
        Vec3<double> r;
        kido::place(joint, link, root ? nullptr : &axes_[link.parent], positions.data(), sine_.data(), cosine_.data(), axes_[i], r);
        if (i == 0) reference_ = r;
        arms_[i] = root ? r - reference_ : arms_[link.parent] + r;
        Motion<double> own = {zero3<double>(), zero3<double>()}, rate = own;
        for_axes(joint, link, axes_[i], [&](int k, const auto& axis) {
            using Axis = std::remove_cvref_t<decltype(axis)>;
            Motion<double> s = {zero3<double>(), zero3<double>()};
            if constexpr (Axis::translates) s.linear = axis.linear;
            if constexpr (Axis::rotates) {
                s.angular = axis.angular;
                s.linear += cross(arms_[i], axis.angular);
            }
            const double v = velocities[link.dof + k];
            if constexpr (Axis::drifts) {
                rate = rate + Motion<double>{axis.angular_rate, axis.linear_rate + cross(arms_[i], axis.angular_rate)} * v;
            }
            factors_[link.dof + k].axis = s;
            own = own + s * v;
        });
        motion_[i] = root ? own : motion_[link.parent] + own;
        drift_[i] = motion_cross(motion_[i], own) + rate;
    }

    // Inertias, and the wrenches that the velocities take, less gravity and external wrenches.
    void load(const Vec3<double>& gravity) {
        const Model& m = *model_;
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            const Vec3<double>& arm = arms_[i];
            const Motion<double>& v = motion_[i];
            const Vec3<double> torque = axes_[i] * vec3(&wrenches[6 * i]), force = axes_[i] * vec3(&wrenches[6 * i + 3]);
            Wrench<double> bias = {-(torque + cross(arm, force)), -force};
            ArticulatedInertia<double> inertia = {};
            if (!link.massless) {
                const auto [h, I] = moments(i);
                inertia = articulated(link.mass, h, I);
                const Vec3<double> angular = I * v.angular + cross(h, v.linear);
                const Vec3<double> linear = v.linear * link.mass + cross(v.angular, h);
                bias.torque += cross(v.angular, angular) + cross(v.linear, linear);
                bias.force += cross(v.angular, linear);
                if (spins(link, i)) bias.torque -= gyroscopic(link, i);
                const double weight = m.weights ? m.weights[i].mass : link.mass;
                const Vec3<double> moment = m.weights ? axes_[i] * vec3(m.weights[i].h) + arm * weight : h;
                bias.torque -= cross(moment, gravity);
                bias.force -= gravity * weight;
            }
            inertia_[i] = inertia;
            bias_[i] = bias;
        }
    }
    // Rotational inertia about a point that the origin is `arm` away from; h: first moment about the origin.
    static Sym3<double> moved(const Sym3<double>& I, double mass, const Vec3<double>& h, const Vec3<double>& arm) {
        const double along = 2.0 * dot(arm, h) + mass * dot(arm, arm);
        const auto entry = [&](double a, double b, double ha, double hb) { return a * hb + ha * b + mass * (a * b); };
        return {I.xx + along - entry(arm.x, arm.x, h.x, h.x), I.xy - entry(arm.x, arm.y, h.x, h.y),
                I.xz - entry(arm.x, arm.z, h.x, h.z), I.yy + along - entry(arm.y, arm.y, h.y, h.y),
                I.yz - entry(arm.y, arm.z, h.y, h.z), I.zz + along - entry(arm.z, arm.z, h.z, h.z)};
    }

    bool eliminate(const Link& link, int i, double h) {
        ArticulatedInertia<double>& inertia = inertia_[i];
        Wrench<double> bias = bias_[i] + times(inertia, ScrewAxis<double>{drift_[i].angular, drift_[i].linear});
        bool positive = true;
        for (int k = link.dof + link.dof_count - 1; k >= link.dof; --k) {
            DofFactors& f = factors_[k];
            const Wrench<double> u = times(inertia, ScrewAxis<double>{f.axis.angular, f.axis.linear});
            if (is_prescribed(k)) {
                f.inverse = 0.0;
                f.gain = {zero3<double>(), zero3<double>()};
                accelerations[k] = drives[k] == Drive::acceleration ? commands[k] : (commands[k] - velocities[k]) / h;
                bias = bias + u * accelerations[k];
                if (held[k]) {
                    const double soft = h * damping[k] + h * h * stiffness[k], push = spring_[k] - velocities[k] * (damping[k] + h * stiffness[k]);
                    holdings_[k] = {u, dot(f.axis, bias) + soft * accelerations[k] - push};
                }
                continue;
            }
            const double soft = h * damping[k] + h * h * stiffness[k];
            const double d = dot(f.axis, u) + soft;
            const double driving = drives[k] == Drive::force ? commands[k] : 0.0;
            const double tau = driving + spring_[k] - velocities[k] * (damping[k] + h * stiffness[k]);
            positive &= d > 0.0;
            f.inverse = 1.0 / d;
            f.gain = u * f.inverse;
            const double rest = (tau - dot(f.axis, bias)) * f.inverse;
            accelerations[k] = rest;
            bias = bias + u * rest;
            subtract_outer(inertia, u, f.gain);
        }
        if (link.parent >= 0) {
            inertia_[link.parent] = inertia_[link.parent] + inertia;
            bias_[link.parent] = bias_[link.parent] + bias;
        }
        return positive;
    }
    void solve(const Link& link, int i) {
        Motion<double> a = link.parent < 0 ? Motion<double>{zero3<double>(), zero3<double>()} : acceleration_[link.parent];
        for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
            const DofFactors& f = factors_[k];
            if (held[k]) {
                holdings_[k].force += dot(a, holdings_[k].wrench);
            } else if (!is_prescribed(k)) {
                accelerations[k] -= dot(a, f.gain);
            }
            a = a + f.axis * accelerations[k];
        }
        acceleration_[i] = a + drift_[i];
    }

    // A body that spins by itself: a root without children, on a ball joint or free. It keeps its angular momentum about the pivot
    // or its center of mass but for what torques give, so that it may spin fast. In its own axes.
    static Sym3<double> spin_inertia(const Link& link) {
        const Sym3<double> I = sym3(link.I);
        if (link.kind == JointKind::ball) return I;
        const Vec3<double> h = vec3(link.h);
        const double s = -1.0 / link.mass, along = dot(h, h) * s;
        return {I.xx + along - s * h.x * h.x, I.xy - s * h.x * h.y, I.xz - s * h.x * h.z,
                I.yy + along - s * h.y * h.y, I.yz - s * h.y * h.z, I.zz + along - s * h.z * h.z};
    }
    bool spins(const Link& link, int i) const {
        if (!turning_ || !spins_[i]) return false;
        for (int k = link.dof; k < link.dof + 3; ++k) {
            if (drives[k] != Drive::force || damping[k] != 0.0 || stiffness[k] != 0.0) return false;
        }
        return true;
    }
    Vec3<double> gyroscopic(const Link& link, int i) const {
        const Vec3<double> spin = transposed_times(axes_[i], motion_[i].angular);
        return axes_[i] * cross(spin, spin_inertia(link) * spin);
    }
    void advance_spinning(const Link& link, const double* changes, const double* sums, double step, double h, double weight,
                          int substeps, const Vec3<double>& fall) {
        const int k = link.dof;
        const bool is_free = link.kind == JointKind::free;
        const Sym3<double> I = spin_inertia(link);
        const Vec3<double> spin = vec3(&velocities[k]), angular = vec3(&accelerations[k]);
        const Vec3<double> end = spin + angular * step + vec3(changes + k);
        const Vec3<double> pushed = (spin * substeps + angular * weight + vec3(sums + k)) * h - end * step;
        const Turn free = free_turn(end, I, step);
        const Mat3<double> R = so3_exp(vec3(&positions[k])), turn = so3_exp(pushed) * free.rotation;
        const Vec3<double> e[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        const Vec3<double> extra = solved(I * e[0], I * e[1], I * e[2], cross(I * spin, spin));
        const Vec3<double> last = solved(I * e[0], I * e[1], I * e[2], transposed_times(turn, I * end));
        write3(&positions[k], so3_log(R * turn));
        write3(&velocities[k], last);
        write3(&accelerations[k], angular + extra);
        if (!is_free) return;
        // The center of mass does not feel the spin.
        const Vec3<double> c = vec3(link.h) * (1.0 / link.mass), v = vec3(&velocities[k + 3]);
        const Vec3<double> linear = vec3(&accelerations[k + 3]) + cross(spin, v + cross(spin, c));
        const Vec3<double> central = (v + cross(spin, c)) * substeps + (linear + cross(angular, c)) * weight +
                                     vec3(sums + k + 3) + cross(vec3(sums + k), c);
        write3(&positions[k + 3], vec3(&positions[k + 3]) + R * (c + central * h - turn * c) + transposed_times(mat3(link.R), fall));
        const Vec3<double> leaves = v + linear * step + vec3(changes + k + 3) + cross(end, c);
        write3(&velocities[k + 3], transposed_times(turn, leaves) - cross(last, c));
        write3(&accelerations[k + 3], vec3(&accelerations[k + 3]) - cross(extra, c));
    }
    void advance_ball(int k, const double* changes, const double* sums, double step, double h, double weight, int substeps) {
        const Vec3<double> v = vec3(&velocities[k]), a = vec3(&accelerations[k]);
        const Mat3<double> turn = so3_exp((v * substeps + a * weight + vec3(sums + k)) * h);
        write3(&positions[k], so3_log(so3_exp(vec3(&positions[k])) * turn));
        write3(&velocities[k], transposed_times(turn, v + a * step + vec3(changes + k)));
    }
    void advance_free(int k, const double* changes, const double* sums, double step, double h, double weight, int substeps) {
        const Mat3<double> R = so3_exp(vec3(&positions[k]));
        const Vec3<double> spin = vec3(&velocities[k]), v = vec3(&velocities[k + 3]);
        const Vec3<double> angular = vec3(&accelerations[k]), linear = vec3(&accelerations[k + 3]) + cross(spin, v);
        const Mat3<double> turn = so3_exp((spin * substeps + angular * weight + vec3(sums + k)) * h);
        write3(&positions[k], so3_log(R * turn));
        write3(&positions[k + 3],
               vec3(&positions[k + 3]) + R * ((v * substeps + linear * weight + vec3(sums + k + 3)) * h));
        write3(&velocities[k], transposed_times(turn, spin + angular * step + vec3(changes + k)));
        write3(&velocities[k + 3], transposed_times(turn, v + linear * step + vec3(changes + k + 3)));
    }

    struct Holding {
        Wrench<double> wrench;
        double force;
    };

    const Model* model_;
    int first_row_;
    Vec3<double> reference_ = {0.0, 0.0, 0.0};
    std::vector<double> sine_, cosine_, spring_;
    std::vector<Mat3<double>> axes_;
    std::vector<Vec3<double>> arms_;
    std::vector<Motion<double>> motion_, drift_, acceleration_;
    std::vector<ArticulatedInertia<double>> inertia_;
    std::vector<Wrench<double>> bias_;
    std::vector<DofFactors> factors_;
    std::vector<Holding> holdings_;  // of held servos
    std::vector<char> spins_;  // of links that spin by themselves
    bool turning_ = false;
};

KIDO_END
