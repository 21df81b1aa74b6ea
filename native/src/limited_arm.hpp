#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "closed_form.hpp"
#include "kido/batch/stop_signal.hpp"

// Solutions of a closed form within the ranges of its joints, the best first. Of seven joints one is locked where it is,
// or where nothing is valid there, at the positions of a grid over its range.

namespace kido {

// What a solution violates, as kido.ik.Validity.
enum Violation : unsigned char { kValid = 0, kOutOfReach = 1, kBeyondLimits = 2 };

// Rows of positions.
struct ArmSolutions {
    int dofs = 0;
    std::vector<double> positions;          // (count, dofs) [rad, m]
    std::vector<double> error, beyond;      // (count): from the target, angle and distance added; beyond ranges
    std::vector<unsigned char> violations;  // (count)

    std::size_t count() const { return violations.size(); }
    const double* row(std::size_t i) const { return positions.data() + i * dofs; }
    bool reached(std::size_t i) const { return !(violations[i] & kOutOfReach); }
    bool any_valid() const;
    bool any_reached() const;
    void clear();
    void take(const ArmSolutions& from, std::size_t i);
    void take_all(const ArmSolutions& from);
    void take_valid(const ArmSolutions& from);
};

// Where an arm moves for a target: its best solution where that is valid or only out of reach, else what comes nearest
// within its ranges.
struct ArmAnswer {
    double positions[closed_form::kMostJoints];
    double angular_error, linear_error;  // [rad], [m]
    unsigned char violations;            // of the best solution
};

class LimitedArm {
public:
    // The form is one that exists; `origin` is what its points are relative to.
    LimitedArm(const ClosedForm& form, const closed_form::Point& origin, const JointRanges& ranges);

    int dofs() const { return ranges_.count; }
    // All solutions; `ranked`: the best first, else in no order. Once `stop` is set, they are of no use.
    void solve(const closed_form::Placement& target, const double* present, bool ranked, ArmSolutions& out,
               StopSignal* stop) const;
    ArmAnswer answer(const closed_form::Placement& target, const double* present, StopSignal* stop) const;

private:
    // Positions of the locked joint from end to end.
    struct Grid {
        double low, high;
        int count;

        double spacing() const { return (high - low) / (count - 1); }
        double position(int i) const { return i == count - 1 ? high : low + i * spacing(); }
    };
    // Chains locked at the positions of a grid, made when they are first asked for.
    struct GridChains {
        std::once_flag once;
        std::vector<LockedChain> chains;
    };
    struct Search;

    const std::vector<LockedChain>& chains(const Grid& grid, std::vector<LockedChain>& own) const;
    void rank(const double* present, ArmSolutions& found) const;
    void measure(const closed_form::Placement& target, ArmAnswer& answer) const;

    const ClosedForm& form_;
    closed_form::Point origin_;
    JointRanges ranges_, rest_;  // of all joints; of those beside the locked one
    mutable GridChains few_, many_;
};

// Targets from start positions (dofs numbers each, `stride` apart; 0: the same for all).
struct ArmBatch {
    const closed_form::Placement* targets;
    std::size_t count;
    const double* starts;
    std::size_t stride;
};

// Rows of several targets, one after the other.
struct ArmBatchSolutions {
    std::vector<double> positions;
    std::vector<unsigned char> violations;
    std::vector<std::size_t> counts;  // of each target
};

// In threads; the same as one target after the other.
ArmBatchSolutions solve_arm(const LimitedArm& arm, const ArmBatch& batch, bool ranked, StopSignal* stop);
std::vector<ArmAnswer> answer_arm(const LimitedArm& arm, const ArmBatch& batch, StopSignal* stop);

}  // namespace kido
