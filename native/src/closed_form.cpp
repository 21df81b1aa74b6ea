#include "closed_form.hpp"

#include <algorithm>

#include "closed_form_candidates.hpp"
#include "closed_form_layout.hpp"

namespace kido {

using namespace closed_form;

namespace {

constexpr double kExact = 1e-9;          // relative, of axes that meet or are parallel
constexpr double kRough = 1e-4;          // of axes that would but for rounded numbers in a model file
constexpr double kClose = 1e-6;          // excess of a candidate that steps may still make true

// Positions of the joints in the chain's own order, as the form proposes them; each with its excess.
template <class Emit>
void propose(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
             bool nearest, Emit&& emit) {
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
    std::visit([&](const auto& form) { form.solve(moved, start, nearest, pass); }, plan.form);
}

void approach(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
              ClosedFormSolutions& out) {
    Nearest nearest{chain, target};
    propose(plan, chain, target, near, true, [&](const double* q, double) { nearest.consider(q); });
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

void solve_all(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
               double limit, ClosedFormSolutions& out) {
    Collector kept(chain, target, out.positions[0], out.angular_error, out.linear_error);
    propose(plan, chain, target, near, false, [&](double* q, double excess) {
        if (excess <= limit) kept.add(q);
    });
    kept.drop_unsettled();
    out.count = kept.count();
    out.reached = out.count > 0;
    if (!out.reached) approach(plan, chain, target, near, out);
}

// Prismatic joints reach as far as their targets: a chain with prismatic joints is as large as that.
void solve_chain(const ClosedFormPlan& plan, const ScrewChain& chain, const Placement& target, const double* near,
                 double limit, ClosedFormSolutions& out) {
    const double far = length(target.p);
    if (far <= chain.size || chain.num_prismatic() == 0) return solve_all(plan, chain, target, near, limit, out);
    ScrewChain large = chain;
    large.size = far;
    solve_all(plan, large, target, near, limit, out);
}

}  // namespace

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

void ClosedForm::solve(const Placement& target, const double* near, ClosedFormSolutions& out) const {
    const double limit = exact_ ? kClose : 10.0 * kRough;
    if (locked_ < 0) {
        solve_chain(*plan_, chain_, target, near, limit, out);
        return;
    }
    double others[6];
    std::copy(near + locked_ + 1, near + 7, std::copy(near, near + locked_, others));
    const ScrewChain rest = chain_.locked(locked_, near[locked_]);
    solve_chain(plan_of(rest, layout_), rest, target, others, limit, out);
    for (int i = 0; i < out.count; ++i) {
        double* row = out.positions[i];
        std::copy_backward(row + locked_, row + 6, row + 7);
        row[locked_] = near[locked_];
    }
}

}  // namespace kido
