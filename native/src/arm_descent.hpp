#pragma once

#include <algorithm>

#include "closed_form.hpp"

// Positions within ranges that put a chain's tool at a target, from others near them: damped least squares. A joint at
// its bound that is pulled beyond it stays there, and the others make up for it.

namespace kido {

class ArmDescent {
public:
    ArmDescent(const closed_form::ScrewChain& chain, const JointRanges& ranges) : chain_(chain), ranges_(ranges) {}

    // Whether steps from q lead to the target, and q is there then.
    bool reach(const closed_form::Placement& target, double* q) const {
        for (int k = 0; k < chain_.count; ++k) q[k] = within(k, q[k]);
        double checkpoint = 0.0;
        for (int i = 0; i < kSteps; ++i) {
            closed_form::Sensitivity s(chain_, target, q);
            double squared = 0.0;
            for (double e : s.error) squared += e * e;
            if (squared <= kReached * kReached) return true;
            if (i % kPatience == 0) {
                if (i > 0 && squared > kProgress * checkpoint) return false;
                checkpoint = squared;
            }
            step(s, std::max(kDamping * squared, kLeastDamping), q);
        }
        return false;
    }

private:
    static constexpr int kSteps = 60, kPatience = 10;
    static constexpr double kProgress = 0.25;              // of the squared error in so many steps, at most
    static constexpr double kReached = 1e-11;              // [rad, size of the chain]
    static constexpr double kDamping = 1e-2, kLeastDamping = 1e-12;
    static constexpr double kLongest = 0.5;                // step of a joint [rad, size of the chain]

    double within(int k, double q) const { return std::min(std::max(q, ranges_.lower[k]), ranges_.upper[k]); }

    void step(closed_form::Sensitivity& s, double damping, double* q) const {
        for (int k = 0; k < chain_.count; ++k) {
            double pull = 0.0;
            for (int r = 0; r < 6; ++r) pull += s.J[k][r] * s.error[r];
            if (pull > 0.0 ? q[k] < ranges_.upper[k] : q[k] > ranges_.lower[k]) continue;
            for (double& x : s.J[k]) x = 0.0;
        }
        double change[closed_form::kMostJoints] = {}, largest = kLongest;
        closed_form::step_of_many(s, chain_.count, damping, change);
        for (int k = 0; k < chain_.count; ++k) largest = std::max(largest, std::abs(change[k]));
        for (int k = 0; k < chain_.count; ++k) {
            const double unit = chain_.joint[k].is_prismatic ? chain_.size : 1.0;
            q[k] = within(k, q[k] + change[k] * (kLongest / largest) * unit);
        }
    }

    const closed_form::ScrewChain& chain_;
    const JointRanges& ranges_;
};

}  // namespace kido
