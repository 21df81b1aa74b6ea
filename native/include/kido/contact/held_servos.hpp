#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/joint_motors.hpp"
#include "kido/contact/state_archive.hpp"

// Servos that have force to spare hold their speeds, whatever acts: the articulated-body algorithm takes their motion as given,
// so that they need no rows, and the response is that of the bodies that they join. What force that took is known once the step
// is solved; where it exceeds a bound, the step is solved again with rows.

KIDO_BEGIN

class HeldServos {
public:
    explicit HeldServos(int num_dofs) : waits_(num_dofs, 0), efforts_(num_dofs, 0.0) {}

    // Which servos are held in a step of length `step`: of trees that move freely, away from limits, with force to spare, where the
    // skeleton `is_apart()`: not in contact with itself.
    template <class IsApart>
    void choose(Articulation& a, const JointMotors& motors, double step, const IsApart& is_apart) {
        any_ = released_ = false;
        for (int k = 0; k < a.model().num_dofs; ++k) {
            if (waits_[k] > 0) --waits_[k];
            a.held[k] = a.drives[k] == Drive::servo && waits_[k] == 0 && is_free(a, k) && is_away(a, k, step) &&
                        has_spare(a, k, motors.kept(k) / motors.substep());
            any_ |= a.held[k] != 0;
        }
        if (any_ && !is_apart()) {
            std::fill(a.held.begin(), a.held.end(), 0);
            any_ = false;
        }
    }
    bool any() const { return any_; }
    // Whether the step is to be solved again, with accelerations anew.
    bool released() const { return released_; }
    // Force of a held servo in the last step.
    double effort(int dof) const { return efforts_[dof]; }

    // After impulses were spread over the dofs: false where a servo would need more than it may give. None of the skeleton's is
    // held then when the step is solved again.
    bool check(Articulation& a, const ArticulationResponse& response, double step) {
        if (!any_) return true;
        bool good = true;
        for (int k = 0; k < a.model().num_dofs; ++k) {
            if (!a.held[k]) continue;
            efforts_[k] = a.holding_force(k) + response.holding_impulse(a, k) / step;
            if (efforts_[k] <= a.effort[k] && efforts_[k] >= a.least_effort[k]) continue;
            waits_[k] = kWait;
            good = false;
        }
        if (!good) release(a);
        return good;
    }
    // From now on rows take the place of all, in this step.
    void release(Articulation& a) {
        std::fill(a.held.begin(), a.held.end(), 0);
        any_ = false;
        released_ = true;
    }
    void taken() { released_ = false; }
    // At the end of a step: what rows would begin with.
    void keep(const Articulation& a, JointMotors& motors) const {
        if (!any_) return;
        for (int k = 0; k < a.model().num_dofs; ++k) {
            if (a.held[k]) motors.set_kept(k, efforts_[k] * motors.substep());
        }
    }
    void archive(StateArchive& archive) {
        archive.same_length(waits_);
        archive.same_length(efforts_);
        archive(any_);
    }

private:
    static constexpr int kWait = 16;         // steps until a servo that was too weak is held again
    static constexpr double kSpare = 0.8;    // of its bounds that a held servo took before, at most
    static constexpr double kNear = 0.02;    // [m or rad], from a limit

    // Whether the first joint of its tree leaves all motions free, so that no contact meets what nothing can move.
    static bool is_free(const Articulation& a, int k) {
        const Model& m = a.model();
        const Link &link = m.links[m.dof_link[k]], &root = m.links[link.tree_root];
        if (link.dof_count != 1 || root.kind != JointKind::free || link.kind == JointKind::user) return false;
        for (int i = root.dof; i < root.dof + root.dof_count; ++i) {
            if (a.drives[i] != Drive::force) return false;
        }
        return a.friction[k] == 0.0;
    }
    static bool is_away(const Articulation& a, int k, double step) {
        const double reach = kNear + 2.0 * step * std::max(std::fabs(a.velocities[k]), std::fabs(a.commands[k]));
        return a.positions[k] - a.lower[k] > reach && a.upper[k] - a.positions[k] > reach && a.commands[k] >= a.slowest[k] &&
               a.commands[k] <= a.fastest[k];
    }
    static bool has_spare(const Articulation& a, int k, double effort) {
        return effort <= kSpare * a.effort[k] && effort >= kSpare * a.least_effort[k];
    }

    std::vector<int> waits_;       // steps
    std::vector<double> efforts_;
    bool any_ = false, released_ = false;
};

KIDO_END
