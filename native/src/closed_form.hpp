#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kido/ik/closed_form/orientation_first.hpp"
#include "kido/ik/closed_form/parallel_axes.hpp"
#include "kido/ik/closed_form/parallel_revolute.hpp"
#include "kido/ik/closed_form/spherical_wrist.hpp"

// Inverse kinematics in closed form of up to six joints, or of seven of which one is locked: which form fits is found
// once from the axes, and every pose is then solved by it.

namespace kido {

enum class ClosedFormFamily { none, spherical_wrist, parallel_axes, gantry, orientation_first, scara, planar };

// Form of a chain, and the places of its parts on the chain.
struct ClosedFormLayout {
    ClosedFormFamily family = ClosedFormFamily::none;
    bool reversed = false;  // from the tool to the base
    closed_form::PositionMethod method = closed_form::PositionMethod::quartic;  // before a spherical wrist, all turning
    closed_form::PrismaticMethod prismatic = closed_form::PrismaticMethod::none;      // before one, with prismatic joints
    bool mirrored = false;                                                      // those from the wrist to the base
    int first = 0;                                                              // of the parallel axes

    bool operator==(const ClosedFormLayout&) const = default;
};

struct ClosedFormPlan {
    ClosedFormLayout layout;
    std::variant<closed_form::SphericalWrist, closed_form::ParallelAxes, closed_form::OrientationFirst,
                 closed_form::ParallelRevolute>
        form;
};

struct ClosedFormSolutions {
    static constexpr int most = closed_form::kMostSolutions;

    double positions[most][closed_form::kMostJoints];
    double angular_error[most], linear_error[most];  // [rad], [m]
    int count = 0;
    bool reached = false;  // else one row, the nearest found
};

// Ranges of joints, which angles may meet by whole turns; bounds may be infinite.
struct JointRanges {
    double lower[closed_form::kMostJoints], upper[closed_form::kMostJoints];
    bool turns[closed_form::kMostJoints];
    int count = 0;

    // Moved by whole turns into its range, nearest to another position; where no turn leads there, to where it is least
    // beyond. What rounding leaves beyond a bound is put on it.
    double turned(int joint, double q, double near) const;
    // How far beyond its range; negative within.
    double beyond(int joint, double q) const { return std::max(lower[joint] - q, q - upper[joint]); }
    // Whether some whole turns of a position, or of all, are within the range, or beyond it by no more than a margin.
    bool admit(int joint, double q, double margin) const;
    bool admit(const double* q, double margin) const;
    JointRanges without(int joint) const;
};

// What a call wants beside the solutions.
struct ClosedFormAim {
    bool nearest = true;                  // of a target that is not reached, the nearest
    const JointRanges* within = nullptr;  // no solutions that are clearly beyond these
};

// A chain of seven joints of which one is at a fixed position.
struct LockedChain {
    closed_form::ScrewChain rest;
    ClosedFormPlan plan;
    double position = 0.0;
};

class ClosedForm {
public:
    // `locked`: the joint of seven that keeps its position; -1: the best.
    ClosedForm(const closed_form::ScrewChain& chain, int locked);
    // None, and why.
    explicit ClosedForm(std::string reason) : reason_(std::move(reason)) {}

    const closed_form::ScrewChain& chain() const { return chain_; }
    const ClosedFormLayout& layout() const { return layout_; }
    int locked() const { return locked_; }
    bool exact() const { return exact_; }
    // Reason for which there is no form; empty if there is one.
    const std::string& reason() const { return reason_; }

    // `near`: positions of all joints, for the one that is locked and for those that a singular pose leaves free.
    void solve(const closed_form::Placement& target, const double* near, ClosedFormSolutions& out) const {
        solve(target, near, {}, out);
    }
    void solve(const closed_form::Placement& target, const double* near, const ClosedFormAim& aim,
               ClosedFormSolutions& out) const;
    // With a joint locked, the same for many targets. `near` has seven positions.
    LockedChain locked_at(double position) const;
    void solve(const LockedChain& chain, const closed_form::Placement& target, const double* near,
               const ClosedFormAim& aim, ClosedFormSolutions& out) const;

private:
    bool choose(int locked, double tolerance);
    bool recovers() const;
    double trial_position(int sample, int joint) const;
    double rough_excess() const;

    closed_form::ScrewChain chain_;
    ClosedFormLayout layout_;
    std::optional<ClosedFormPlan> plan_;  // where no joint is locked, made once
    int locked_ = -1;
    bool exact_ = true;
    std::string reason_;
};

}  // namespace kido
