#pragma once

#include <algorithm>

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/contact_law.hpp"
#include "kido/contact/native_world.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/contact/step_rows.hpp"

// Dofs that follow others of the same skeleton: position = ratio * leader's + offset, by gears, which both feel, or by motors, which
// are servos at the leader's velocity, and take errors back.

KIDO_BEGIN

struct CouplingRow {
    int follower, leader;  // coordinates
    double ratio, error, mass;
};

class JointCouplings {
public:
    void set(std::vector<Coupling> couplings) {
        const auto gears = std::stable_partition(couplings.begin(), couplings.end(), [](const Coupling& c) { return !c.motor; });
        motors_.assign(gears, couplings.end());
        couplings.erase(gears, couplings.end());
        couplings_ = std::move(couplings);
        impulses_.assign(couplings_.size(), 0.0);
    }
    void scale_impulses(double factor) {
        for (double& impulse : impulses_) impulse *= factor;
    }
    void forget() { impulses_.assign(couplings_.size(), 0.0); }
    // Commands of the motors for a step of length h.
    void drive(Articulation& a, double h) const {
        for (const Coupling& c : motors_) {
            const int k = c.follower;
            if (a.is_given(k)) continue;
            const double error = c.ratio * a.positions[c.leader] + c.offset - a.positions[k];
            const double speed = c.ratio * a.velocities[c.leader] + kClosed * error / h;
            a.drives[k] = Drive::servo;
            a.commands[k] = std::min(std::max(speed, a.least_speed[k]), a.most_speed[k]);
        }
    }
    // Whether a dof is one of these.
    bool drives(int dof) const {
        return std::any_of(motors_.begin(), motors_.end(), [&](const Coupling& c) { return c.follower == dof; });
    }
    // Adds the coordinates of a step.
    void find(const Articulation& a, ArticulationResponse& response) {
        rows_.clear();
        for (const Coupling& c : couplings_) {
            const double error = a.positions[c.follower] - c.ratio * a.positions[c.leader] - c.offset;
            rows_.push_back({response.add_dof(a.model(), c.follower), response.add_dof(a.model(), c.leader), c.ratio, error, 0.0});
        }
    }
    void prepare(const ArticulationResponse& response) {
        for (CouplingRow& r : rows_) {
            const double own = response.response(r.follower, r.follower), cross = response.response(r.follower, r.leader);
            const double total = own - 2.0 * r.ratio * cross + r.ratio * r.ratio * response.response(r.leader, r.leader);
            const double scale = response.scale(r.follower) + r.ratio * r.ratio * response.scale(r.leader);
            r.mass = total > kUnmoved * scale ? 1.0 / std::max(total, kHardlyMoved * scale) : 0.0;
        }
    }
    void warm_start(ArticulationResponse& response) {
        for (std::size_t i = 0; i < rows_.size(); ++i) push(response, rows_[i], impulses_[i]);
    }
    template <bool Relaxing>
    void sweep(const SweepSettings& settings, ArticulationResponse& response) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const CouplingRow& r = rows_[i];
            const double u = response.motion_at(r.follower) - r.ratio * response.motion_at(r.leader);
            double d = -r.mass * u;
            if (!Relaxing) {
                const double error = r.error + (response.displacement_at(r.follower) - r.ratio * response.displacement_at(r.leader));
                d = -r.mass * settings.softness.mass * (u + error * settings.softness.bias) - impulses_[i] * settings.softness.impulse;
            }
            impulses_[i] += d;
            push(response, r, d);
        }
    }
    void add_rows(StepRows& rows, int tree, const Correction& correction) const {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const CouplingRow& r = rows_[i];
            rows.add({SystemRowKind::coupling, tree, couplings_[i].follower, -1, -1, -HUGE_VAL, HUGE_VAL, r.error * correction.per_step,
                      0.0, 0.0, impulses_[i], 0, 0},
                     dof_end(tree, r.follower, 1.0), dof_end(tree, r.leader, -r.ratio));
        }
    }
    const double* take_impulses(const double* x) {
        for (double& impulse : impulses_) impulse = *x++;
        return x;
    }
    void archive(StateArchive& archive) { archive.same_length(impulses_); }

    bool any_gears() const { return !couplings_.empty(); }
    std::vector<CouplingRow>& rows() { return rows_; }
    const std::vector<Coupling>& couplings() const { return couplings_; }
    std::vector<double>& impulses() { return impulses_; }

private:
    static constexpr double kClosed = 0.1;  // share of its error that a motor takes back in a step

    static void push(ArticulationResponse& response, const CouplingRow& r, double impulse) {
        if (impulse == 0.0) return;
        const double follower[1] = {impulse}, leader[1] = {-r.ratio * impulse};
        response.push(r.follower, follower);
        response.push(r.leader, leader);
    }

    std::vector<Coupling> couplings_, motors_;
    std::vector<double> impulses_;
    std::vector<CouplingRow> rows_;
};

KIDO_END
