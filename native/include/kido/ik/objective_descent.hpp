#pragma once

#include <limits>

#include "kido/ik/objective_curvature.hpp"

// Where all is reached that must be, lowers an objective and what is wished for beside it, until no step that keeps the
// targets and the limits lowers it further: sequential quadratic programming from feasible positions to feasible
// positions. Nocedal and Wright, Numerical Optimization (2006), chapter 18; returning to the constraints after each
// step is that of the generalised reduced gradient method, Abadie and Carpentier (1969).

KIDO_BEGIN

class ObjectiveDescent : protected ObjectiveCurvature {
protected:
    using ObjectiveCurvature::ObjectiveCurvature;

    // Largest component of the gradient of the Lagrangian where the descent ended, relative to the largest gradient
    // met; and the objective there.
    double stationarity_ = 0.0, objective_ = 0.0;

    // Steps from positions at which all is reached that must be. `is_over()` ends them.
    template <class IsOver>
    int lower_objective(IsOver&& is_over) {
        int steps = 0;
        bool fresh = true, moved = false;
        begin_at_targets();
        double value = evaluate_objective(), scale = 0.0;
        trials_ = 0;
        is_blind_ = false;
        for (;; ++steps) {
            if (has_failed()) return steps;
            fill_program();
            if (moved) update_curvature(rise_, noise_);
            if (!is_finite(value) || !has_finite_gradient()) {
                stationarity_ = std::numeric_limits<double>::infinity();
                break;
            }
            scale = max(scale, largest_gradient());
            if (scale == 0.0) {
                stationarity_ = 0.0;
                break;
            }
            if (fresh) start_curvature();
            const bool solved = solve_program();
            leave_errors(largest_force(), largest_gradient());
            stationarity_ = residual(scale);
            if (!is_worth_another() || steps >= kSteps || trials_ >= kTrials || is_over() || (!solved && fresh)) break;
            remember_lagrangian();
            moved = solved && line_search(value, is_over);
            if (has_failed()) return steps;
            if (!moved && fresh) break;
            fresh = !moved;  // once more, along the gradient
        }
        go_to_calmest(value);
        objective_ = value;
        return steps;
    }

private:
    static constexpr int kSteps = 200, kTrials = 400, kHalvings = 30, kReturns = 10;
    static constexpr double kStationary = 1e-8;  // at which the descent ends
    static constexpr double kDecrease = 1e-4;    // part of the slope by which a step has to lower the objective
    static constexpr double kNoise = 1e-14;      // of an objective, relative
    static constexpr double kErrorNoise = 5e-16;  // of an error, which multipliers make one of the objective [rad, characteristic length]
    static constexpr double kBlind = 10.0;       // of noise: a decrease that cannot be told from it, so that the residual decides
    static constexpr double kUseless = 0.1;      // of noise: a decrease that is worth no step
    static constexpr int kBlindSteps = 5;        // in a row that do not lower the residual, after which the descent ends

    // Whether the residual is too large, and steps lower it or the objective. Keeps the positions with the least of
    // those among which the objective's noise hides which is lower.
    bool is_worth_another() {
        if (!is_blind_) {
            least_ = stationarity_;
            blind_steps_ = 0;
            take(w_.q, o_.calmest);
        } else if (stationarity_ < least_) {
            least_ = stationarity_;
            blind_steps_ = 0;
            take(w_.q, o_.calmest);
        } else {
            ++blind_steps_;
        }
        return stationarity_ > kStationary && blind_steps_ < kBlindSteps;
    }

    void go_to_calmest(double& value) {
        unpin();
        if (!(is_blind_ && least_ < stationarity_)) {
            errors();
            return;
        }
        stationarity_ = least_;
        take(o_.calmest, w_.q);
        kinematics();
        errors();
        value = evaluate_objective();
    }

    // Takes a part of the program's step that lowers the objective, and goes back to the constraints; whether there is
    // one. Keeps the change of the dofs.
    template <class IsOver>
    bool line_search(double& value, IsOver&& is_over) {
        const int n = o_.unknowns;
        double slope = 0.0, largest = p_.largest_step;
        for (int i = 0; i < n; ++i) {
            slope += o_.gradient[i] * o_.qp.x[i];
            largest = max(largest, abs(o_.qp.x[i]));
        }
        double part = p_.largest_step / largest;
        take(w_.q, w_.best);
        const double before = corrected(value), noise = kNoise * max(abs(value), 1e-300) + kErrorNoise * largest_force();
        is_blind_ = -slope * part <= kBlind * noise;
        for (int halving = 0; halving < kHalvings; ++halving, part *= 0.5) {
            if (halving > 0 && (-slope * part <= kUseless * noise || is_over())) break;
            if (step_and_return(part)) {
                const double next = evaluate_objective(), after = corrected(next);
                if (has_failed()) return false;
                    const double most = is_blind_ ? kBlind * noise : kDecrease * part * min(slope, 0.0) + noise;
                if (has_finite_gradient() && after <= before + most && (is_blind_ || after < before)) {
                    measure_change();
                    rise_ = after - before;
                    noise_ = noise;
                    value = next;
                    return true;
                }
            }
            if (has_failed()) return false;
            take(w_.best, w_.q);
        }
        is_blind_ = false;
        kinematics();
        deviations();
        evaluate_objective();
        return false;
    }

    // A part of the program's step, and the way back to the targets; whether it leads there. Where the bounds that the step reaches
    // cannot all be kept as equations, as there are more of them than dofs, the way leads to between them.
    bool step_and_return(double part) {
        ++trials_;
        pin_active(part);
        if (takes_step(part)) return true;
        if (has_failed() || !unpin()) return false;
        take(w_.best, w_.q);
        return takes_step(part);
    }

    bool takes_step(double part) {
        for (int j = 0; j < w_.stride; ++j) w_.step[j] = 0.0;
        for (int i = 0; i < o_.unknowns; ++i) w_.step[o_.dof[i]] = o_.qp.x[i];
        for_each_dof([&](int j, bool prismatic) { w_.unit[j] = prismatic ? length_.value : 1.0; });
        advance(part);
        return return_to_targets(kReturns) && !has_failed();
    }

    double rise_ = 0.0, noise_ = 0.0;  // of the Lagrangian, by the last step
    int trials_ = 0, blind_steps_ = 0;
    double least_ = 0.0;     // residual at the positions that are kept
    bool is_blind_ = false;  // whether the last step changed the objective by less than its noise
};

KIDO_END
