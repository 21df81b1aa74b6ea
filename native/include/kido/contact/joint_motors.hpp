#pragma once

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/contact/step_rows.hpp"

// Forces of dofs that are bounded: servos, which hold a velocity, and Coulomb friction, which holds the velocity zero.

KIDO_BEGIN

struct MotorRow {
    int dof, coordinate;
    bool servo;      // else friction
    double speed;    // to hold [m/s or rad/s]
    double least, most;  // of the impulse of a sub-step
    double mass;     // 1 / response
    double impulse;
};

class JointMotors {
public:
    explicit JointMotors(int num_dofs) : servo_impulses_(num_dofs, 0.0), friction_impulses_(num_dofs, 0.0) {}

    // The rows of a step whose sub-steps have length h; adds their coordinates.
    void find(const Articulation& a, ArticulationResponse& response, double h, int substeps) {
        rows_.clear();
        substep_ = h;
        for (int k = 0; k < a.model().num_dofs; ++k) {
            if (a.drives[k] == Drive::servo && !a.held[k]) {
                add(a, response, k, true, speed_within_limits(a, k, h * substeps), a.least_effort[k] * h, a.effort[k] * h, servo_impulses_[k]);
            }
            if (a.friction[k] > 0.0 && !a.is_prescribed(k)) {
                add(a, response, k, false, 0.0, -a.friction[k] * h, a.friction[k] * h, friction_impulses_[k]);
            }
        }
    }
    void prepare(const ArticulationResponse& response) {
        for (MotorRow& r : rows_) {
            const double own = response.response(r.coordinate, r.coordinate);
            // One that closed loops lock gives all the force that it has.
            const double locked = std::isfinite(r.least) && std::isfinite(r.most) ? 1.0 / (kUnmoved * response.scale(r.coordinate)) : 0.0;
            r.mass = own > 0.0 ? 1.0 / std::max(own, kHardlyMoved * response.scale(r.coordinate)) : locked;
            // Against what cannot be moved, a servo without bounds has some.
            const double most = kMostMomentum * r.mass * std::max(std::fabs(r.speed), 1.0);
            r.least = std::max(r.least, -most);
            r.most = std::min(r.most, most);
            r.impulse = std::min(std::max(r.impulse, r.least), r.most);
        }
    }
    void warm_start(ArticulationResponse& response) const {
        for (const MotorRow& r : rows_) push(response, r, r.impulse);
    }
    void sweep(ArticulationResponse& response) {
        for (MotorRow& r : rows_) {
            const double wanted = r.impulse - r.mass * (response.motion_at(r.coordinate) - r.speed);
            const double next = std::min(std::max(wanted, r.least), r.most);
            push(response, r, next - r.impulse);
            r.impulse = next;
        }
    }
    // Whether a servo that has force left is off its speed: by what was visited after it.
    bool slips(const ArticulationResponse& response) const {
        for (const MotorRow& r : rows_) {
            const double off = response.motion_at(r.coordinate) - r.speed;
            if (r.servo && std::fabs(off) > kSlips && (off > 0.0 ? r.impulse > r.least : r.impulse < r.most)) return true;
        }
        return false;
    }
    void add_rows(StepRows& rows, int tree) const {
        for (const MotorRow& r : rows_) {
            rows.add({r.servo ? SystemRowKind::servo : SystemRowKind::joint_friction, tree, r.dof, -1, -1, r.least, r.most, -r.speed,
                      -r.speed, 0.0, r.impulse, 0, 0},
                     dof_end(tree, r.coordinate, 1.0), no_end());
        }
    }
    const double* take_impulses(const double* x) {
        for (MotorRow& r : rows_) r.impulse = *x++;
        return x;
    }
    void archive(StateArchive& archive) {
        archive.same_length(servo_impulses_);
        archive.same_length(friction_impulses_);
        archive(substep_);
    }
    void scale_impulses(double factor) {
        for (auto* v : {&servo_impulses_, &friction_impulses_}) {
            for (double& impulse : *v) impulse *= factor;
        }
    }
    // Adds the impulses of a sub-step.
    void add_to(double* servo, double* friction) const {
        for (const MotorRow& r : rows_) (r.servo ? servo : friction)[r.dof] += r.impulse;
    }
    void keep() {
        for (const MotorRow& r : rows_) (r.servo ? servo_impulses_ : friction_impulses_)[r.dof] = r.impulse;
    }
    bool empty() const { return rows_.empty(); }
    // Impulse of a servo in the last sub-step, and the sub-step's length.
    double kept(int dof) const { return servo_impulses_[dof]; }
    void set_kept(int dof, double impulse) { servo_impulses_[dof] = impulse; }
    double substep() const { return substep_; }

    std::vector<MotorRow>& rows() { return rows_; }

private:
    static constexpr double kSlips = 1e-2;  // [m/s or rad/s]
    static constexpr double kMostMomentum = 1e4;  // that a servo gives in a sub-step, beside that of its joint at its speed, or at 1 m/s or rad/s

    // The speed of a servo in a step of some length: without bounds of force, one that does not press against the limits of its position.
    static double speed_within_limits(const Articulation& a, int k, double step) {
        const double wanted = a.commands[k], room = wanted > 0.0 ? a.upper[k] - a.positions[k] : a.positions[k] - a.lower[k];
        const bool bounded = std::isfinite(wanted > 0.0 ? a.effort[k] : a.least_effort[k]);
        if (bounded || std::fabs(wanted) * step <= room) return wanted;
        return std::copysign(std::max(room, 0.0) / step, wanted);
    }

    void add(const Articulation& a, ArticulationResponse& response, int dof, bool servo, double speed, double least, double most,
             double kept) {
        const double impulse = std::min(std::max(kept, least), most);
        rows_.push_back({dof, response.add_dof(a.model(), dof), servo, speed, least, most, 0.0, impulse});
    }
    static void push(ArticulationResponse& response, const MotorRow& r, double impulse) {
        if (impulse == 0.0) return;
        const double x[1] = {impulse};
        response.push(r.coordinate, x);
    }

    std::vector<MotorRow> rows_;
    std::vector<double> servo_impulses_, friction_impulses_;
    double substep_ = 1.0;  // of the last step [s]
};

KIDO_END
