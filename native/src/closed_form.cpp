#include "closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "closed_form_candidates.hpp"
#include "closed_form_layout.hpp"

namespace kido {

using namespace closed_form;

namespace {

constexpr double kExact = 1e-9;          // relative, of axes that meet or are parallel
constexpr double kRough = 1e-4;          // of axes that would but for rounded numbers in a model file
constexpr double kClose = 1e-6;          // excess of a candidate that steps may still make true
constexpr double kRoundedLimit = 1e-9;   // [rad, m], beyond a limit, as rounding leaves it
constexpr double kMargin = 1e-2;         // [rad, m], beyond a limit, that steps may still make up for
constexpr double kRoughMargin = 0.25;    // the same of axes that fit roughly

// Positions of the joints in the chain's own order, as the form proposes them; each with its excess. What begins with joints
// that `admit` refuses may be left out.
template <class Admit, class Emit>
void propose(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
             bool nearest, Admit&& admit, Emit&& emit) {
    const bool reversed = plan.layout.reversed;
    const int count = chain.count;
    const Placement forth = target * inverse(chain.tool), moved = reversed ? inverse(forth) : forth;
    double start[6], ordered[6];
    const auto in_order = [&](const double* q, double* out) {
        for (int j = 0; j < count; ++j) out[j] = q[reversed ? count - 1 - j : j];
    };
    in_order(near, start);
    const auto pass = [&](const double* q, double excess) {
        in_order(q, ordered);
        emit(ordered, excess);
    };
    if (const auto* wrist = std::get_if<SphericalWrist>(&plan.form)) {
        const auto begins = [&](int j, double q) { return admit(reversed ? count - 1 - j : j, q); };
        return wrist->solve(moved, start, nearest, begins, pass);
    }
    std::visit(
        [&](const auto& form) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(form)>, SphericalWrist>) {
                form.solve(moved, start, nearest, pass);
            }
        },
        plan.form);
}

void approach(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
              ClosedFormSolutions& out) {
    Nearest nearest{chain, target};
    const auto any = [](int, double) { return true; };
    propose(plan, chain, target, near, true, any, [&](const double* q, double) { nearest.consider(q); });
    nearest.improve();
    for (int j = 0; j < chain.count; ++j) {
        out.positions[0][j] = chain.joint[j].is_prismatic ? nearest.best[j] : wrapped(nearest.best[j]);
    }
    const PoseDifference e = difference(target, chain.forward(out.positions[0]));
    out.angular_error[0] = length(e.angular);
    out.linear_error[0] = length(e.linear);
    out.reached = max(out.angular_error[0], out.linear_error[0] / chain.size) <= kAccepted;
    out.count = 1;
}

// What a search for solutions takes from the form: the largest excess of a candidate, and how far beyond its range a
// candidate may be that steps still bring into it.
struct Tolerances {
    double excess, margin;
};

void solve_all(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
               const Tolerances& tolerances, const ClosedFormAim& aim, ClosedFormSolutions& out) {
    const auto collect = [&](const JointRanges* within) {
        Collector kept(chain, target, out.positions[0], out.angular_error, out.linear_error);
        const auto admit = [&](int joint, double q) { return !within || within->admit(joint, q, tolerances.margin); };
        propose(plan, chain, target, near, false, admit, [&](double* q, double excess) {
            if (excess <= tolerances.excess && (!within || within->admit(q, tolerances.margin))) kept.add(q);
        });
        const bool settled = kept.all_settled();
        kept.drop_unsettled();
        out.count = kept.count();
        return settled;
    };
    // What is left out may be the better one of two that nearly meet.
    if (!collect(aim.within) && aim.within) collect(nullptr);
    out.reached = out.count > 0;
    if (!out.reached && aim.nearest) approach(plan, chain, target, near, out);
}

// Prismatic joints reach as far as their targets: a chain with prismatic joints is as large as that.
void solve_chain(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
                 const Tolerances& tolerances, const ClosedFormAim& aim, ClosedFormSolutions& out) {
    const double far = length(target.p);
    if (far <= chain.size || chain.num_prismatic() == 0) {
        return solve_all(plan, chain, target, near, tolerances, aim, out);
    }
    ScrewChain large = chain;
    large.size = far;
    solve_all(plan, large, target, near, tolerances, aim, out);
}

}  // namespace

double JointRanges::turned(int joint, double q, double near) const {
    const double low = lower[joint], high = upper[joint];
    if (low <= q && q <= high && std::fabs(near - q) < 0.5 * kFullTurn) return q;
    if (turns[joint]) {
        const double fewest = std::ceil((low - kRoundedLimit - q) / kFullTurn);
        const double most = std::floor((high + kRoundedLimit - q) / kFullTurn);
        const double nearest = std::nearbyint((near - q) / kFullTurn);
        if (fewest <= most) {
            q += kFullTurn * std::min(std::max(nearest, fewest), most);
        } else {
            // `most` brings an angle below its range, `fewest`, one turn more, above.
            const double below = low - (q + kFullTurn * most), above = q + kFullTurn * fewest - high;
            double by = std::min(std::max(nearest, most), fewest);
            if (below < above - kRoundedLimit) by = most;
            if (above < below - kRoundedLimit) by = fewest;
            q += kFullTurn * by;
        }
    }
    const double within = std::min(std::max(q, low), high);
    return std::fabs(within - q) <= kRoundedLimit ? within : q;
}

bool JointRanges::admit(int joint, double q, double margin) const {
    const double low = lower[joint] - margin - q, high = upper[joint] + margin - q;
    if (low <= 0.0 && high >= 0.0) return true;
    return turns[joint] && std::ceil(low / kFullTurn) <= std::floor(high / kFullTurn);
}

bool JointRanges::admit(const double* q, double margin) const {
    for (int j = 0; j < count; ++j) {
        if (!admit(j, q[j], margin)) return false;
    }
    return true;
}

JointRanges JointRanges::without(int joint) const {
    JointRanges rest = *this;
    std::copy(lower + joint + 1, lower + count, rest.lower + joint);
    std::copy(upper + joint + 1, upper + count, rest.upper + joint);
    std::copy(turns + joint + 1, turns + count, rest.turns + joint);
    --rest.count;
    return rest;
}

ClosedForm::ClosedForm(const ScrewChain& chain, int locked) : chain_(chain) {
    if (chain.count < kMostJoints) {
        if (!choose(-1, kExact) && !choose(-1, kRough)) reason_ = missing_form(chain);
        return;
    }
    int order[kMostJoints] = {6, 2, 0, 4, 1, 5, 3};
    std::stable_partition(order, order + kMostJoints, [&](int joint) { return chain.joint[joint].is_prismatic; });
    for (double tolerance : {kExact, kRough}) {
        for (int joint : order) {
            if ((locked < 0 || locked == joint) && choose(joint, tolerance)) return;
        }
    }
    reason_ = locked < 0 ? "whichever joint is locked, no three axes of the others meet in one point, or are parallel"
                       : "with that joint locked, no three axes of the others meet in one point, or are parallel";
}

// Reproducible angles on the circle, and lengths up to half the chain's, for the check of a form.
double ClosedForm::trial_position(int sample, int joint) const {
    const double angle = wrapped(1.0 + 2.399963229728653 * sample + 1.7320508 * joint * (sample + 1));
    return chain_.joint[joint].is_prismatic ? angle / kFullTurn * chain_.size : angle;
}

bool ClosedForm::choose(int locked, double tolerance) {
    std::vector<ClosedFormLayout> found;
    for (int sample = 0; sample < (locked < 0 ? 1 : 3); ++sample) {
        const std::vector<ClosedFormLayout> here =
            layouts_of(locked < 0 ? chain_ : chain_.locked(locked, trial_position(sample, locked)), tolerance);
        if (sample == 0) found = here;
        const auto elsewhere = [&](const auto& x) { return std::find(here.begin(), here.end(), x) == here.end(); };
        std::erase_if(found, elsewhere);
    }
    for (const ClosedFormLayout& layout : found) {
        layout_ = layout;
        locked_ = locked;
        exact_ = tolerance == kExact;
        if (locked < 0) plan_ = plan_of(chain_, layout);
        if (recovers()) return true;
    }
    layout_ = {};
    locked_ = -1;
    plan_.reset();
    return false;
}

bool ClosedForm::recovers() const {
    ClosedFormSolutions out;
    for (int sample = 0; sample < 4; ++sample) {
        double q[kMostJoints];
        for (int j = 0; j < chain_.count; ++j) q[j] = trial_position(sample + 3, j);
        double near[kMostJoints] = {};
        if (locked_ >= 0) near[locked_] = q[locked_];
        solve(chain_.forward(q), near, out);
        bool found = false;
        for (int i = 0; i < out.count && out.reached; ++i) {
            double largest = 0.0;
            for (int j = 0; j < chain_.count; ++j) largest = max(largest, gap(chain_, j, out.positions[i][j], q[j]));
            found = found || largest < 1e-6;
        }
        if (!found) return false;
    }
    return true;
}

double ClosedForm::rough_excess() const { return exact_ ? kClose : 10.0 * kRough; }

void ClosedForm::solve(const Placement& target, const double* near, const ClosedFormAim& aim,
                       ClosedFormSolutions& out) const {
    if (locked_ >= 0) return solve(locked_at(near[locked_]), target, near, aim, out);
    solve_chain(*plan_, chain_, target, near, {rough_excess(), exact_ ? kMargin : kRoughMargin}, aim, out);
}

LockedChain ClosedForm::locked_at(double position) const {
    const ScrewChain rest = chain_.locked(locked_, position);
    return {rest, plan_of(rest, layout_), position};
}

void ClosedForm::solve(const LockedChain& chain, const Placement& target, const double* near, const ClosedFormAim& aim,
                       ClosedFormSolutions& out) const {
    double others[6];
    std::copy(near + locked_ + 1, near + 7, std::copy(near, near + locked_, others));
    solve_chain(chain.plan, chain.rest, target, others, {rough_excess(), exact_ ? kMargin : kRoughMargin}, aim, out);
    for (int i = 0; i < out.count; ++i) {
        double* row = out.positions[i];
        std::copy_backward(row + locked_, row + 6, row + 7);
        row[locked_] = chain.position;
    }
}

}  // namespace kido
