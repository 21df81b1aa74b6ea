#pragma once

#include "kido/ik/posture_curvature.hpp"
#include "kido/ik/posture_steps.hpp"
#include "kido/ik/posture_terms.hpp"

// Postures by sequential quadratic programming in a trust region, of a normal and a tangential step: Byrd (1987) and Omojokun (1989), as in
// Conn, Gould and Toint, "Trust-region methods" (2000), section 15.4. The merit function is the cost and nu times the length of what is
// left of the rows.

KIDO_BEGIN

class PostureSolver {
public:
    PostureSolver(const PostureProgram& program, Scratch& s)
        : p_(program), n_(program.all()), m_(program.rows), terms_(program, s), motion_(program), rows_(m_), steps_(program, s),
          curvature_(program, s), first_(program, s), second_(program, s) {
        change_ = s.take<double>(n_);
        correction_ = s.take<double>(m_);
        least_q_ = s.take<double>(p_.dofs);
        least_extra_ = s.take<double>(p_.extras);
        least_force_ = s.take<double>(m_);
        least_bound_force_ = s.take<double>(n_);
        for (int t = 0; t < p_.num_terms; ++t) has_cost_ = has_cost_ || p_.terms[t].is_cost;
    }

    void begin() { terms_.begin(); }

    // Values and derivatives at a posture; false where what the caller computes failed.
    bool look(const double* q, const double* extra, const PostureValues& out, double* term_cost) {
        copy_numbers(q, p_.dofs, first_.q);
        copy_numbers(extra, p_.extras, first_.extra);
        if (!terms_.evaluate(first_, term_cost)) return false;
        copy_numbers(first_.c, m_, out.values);
        copy_numbers(first_.lower, m_, out.lower);
        copy_numbers(first_.upper, m_, out.upper);
        copy_numbers(first_.J, static_cast<std::size_t>(m_) * n_, out.slopes);
        copy_numbers(first_.g, n_, out.gradient);
        return true;
    }

    void solve(PostureAttempt& attempt, const PostureSettings& settings, StopSignal* stop) {
        here_ = &first_;
        there_ = &second_;
        copy_numbers(attempt.q, p_.dofs, there_->q);
        copy_numbers(attempt.extra, p_.extras, there_->extra);
        motion_.bound(*there_, steps_.low, steps_.high);
        for (int j = 0; j < n_; ++j) steps_.step[j] = min(max(0.0, steps_.low[j]), steps_.high[j]);
        motion_.move(*there_, steps_.step, *here_);
        attempt.iterations = 0;
        attempt.evaluations = 1;
        attempt.stationarity = kInfinity;
        clear(steps_.force, m_);
        clear(steps_.bound_force, n_);
        attempt.status = terms_.evaluate(*here_) ? descend(attempt, settings, stop) : PostureStatus::failed;
        if (attempt.status != PostureStatus::failed && rows_.worst(*here_) > settings.tolerance) restore_least();
        if (attempt.status == PostureStatus::infeasible && rows_.worst(*here_) <= settings.tolerance) {
            attempt.status = attempt.iterations < settings.max_iterations ? PostureStatus::stalled : PostureStatus::iterations;
        }
        copy_numbers(here_->q, p_.dofs, attempt.q);
        copy_numbers(here_->extra, p_.extras, attempt.extra);
        copy_numbers(here_->c, m_, attempt.values);
        copy_numbers(steps_.force, m_, attempt.multipliers);
        copy_numbers(steps_.bound_force, n_, attempt.bound_multipliers);
        attempt.cost = here_->cost;
        attempt.violation = rows_.worst(*here_);
        attempt.shown = rows_.shown(p_, *here_);
    }

private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kFirstRadius = 0.6, kLargestRadius = 3.0, kLeastRadius = 1e-9;
    static constexpr int kFailures = 8;         // quadratic programs in a row that rounding leaves without a solution
    static constexpr int kPatience = 12;        // steps in which what is left has to fall by a tenth
    static constexpr double kLittle = 1e-3;     // that is left: a cost that is being lowered may keep it from falling
    static constexpr int kCareful = 15;         // first steps of a descent, which go a part of the way to limits only
    static constexpr double kNear = 1e-3;       // of a limit [rad, m]
    static constexpr double kSlack = 0.02;      // of rows in a quadratic program that has no solution without it, in tolerances
    static constexpr double kExcess = 10.0;     // of the penalty over what multipliers ask for
    static constexpr int kLowerings = 20;       // of the penalty in a descent
    static constexpr double kGolden = 0.6180339887498949;
    static constexpr double kLeap = 2.0;        // of an escape

    // Steps until the posture is a solution, or nothing leads on.
    PostureStatus descend(PostureAttempt& a, const PostureSettings& settings, StopSignal* stop) {
        least_ = kInfinity;
        escapes_ = began_ = failures_ = 0;
        start_descent();
        for (;; ++a.iterations) {
            if (stop && stop->poll()) return PostureStatus::stopped;
            if (settings.deadline < kInfinity && settings.now() > settings.deadline) return PostureStatus::time_out;
            left_ = rows_.left(*here_);
            feasible_ = rows_.worst(*here_) <= settings.tolerance;
            if (!(left_ < kInfinity) || !std::isfinite(here_->cost)) return PostureStatus::failed;
            motion_.bound(*here_, steps_.low, steps_.high);
            if (feasible_) keep(0.0);
            if (feasible_ && !has_cost_) {
                a.stationarity = 0.0;
                return PostureStatus::solved;
            }
            if (!falls()) {
                steps_.set_box(radius_);
                if (steps_.find_normal(*here_, left_)) steps_.keep_fight(*here_, left_);
                if (!escape(a, settings)) return PostureStatus::infeasible;
                continue;
            }
            if (a.iterations >= settings.max_iterations) {
                return escapes_ > 0 && !feasible_ ? PostureStatus::infeasible : PostureStatus::iterations;  // it was stuck before
            }
            const PostureStatus found = step(a, settings);
            if (found != PostureStatus::iterations) return found;
        }
    }

    void start_descent() {
        radius_ = kFirstRadius;
        nu_ = 1.0;
        lowered_ = 0;
        mark_ = kInfinity;
        since_ = 0;
        steps_.soft = false;
        curvature_.forget();
    }

    // Whether what is left has fallen of late, or need not.
    bool falls() {
        if (left_ < 0.9 * mark_) {
            mark_ = left_;
            since_ = 0;
        }
        return feasible_ || (has_cost_ && left_ < kLittle) || ++since_ <= kPatience;
    }

    // A normal step, a tangential one where there are costs, and what they lead to; `iterations`: go on.
    PostureStatus step(PostureAttempt& a, const PostureSettings& settings) {
        steps_.set_box(radius_);
        if (!feasible_ && a.iterations - began_ < kCareful) steps_.narrow_box();
        clear(steps_.normal, n_);
        if (left_ > PostureViolation::kTiny) {
            if (!steps_.find_normal(*here_, left_)) {
                radius_ *= 0.5;
                return give_up();
            }
            if (!feasible_ && is_hopeless()) {
                steps_.keep_fight(*here_, left_);
                return escape(a, settings) ? PostureStatus::iterations : PostureStatus::infeasible;
            }
        }
        if (!has_cost_) {
            copy_numbers(steps_.normal, n_, steps_.step);
            steps_.keep_fight(*here_, left_);
        } else {
            const PostureStatus found = find_tangential(a, settings);
            if (found != PostureStatus::iterations) return found;
        }
        return advance(a, settings);
    }

    // Counts quadratic programs in a row without a solution; `iterations`: go on.
    PostureStatus give_up() {
        if (++failures_ <= kFailures) return PostureStatus::iterations;
        return feasible_ ? PostureStatus::stalled : PostureStatus::infeasible;
    }

    // Whether normal steps that break rows that hold lower what is left no more than others.
    bool is_hopeless() {
        if (!steps_.is_hopeless(*here_, left_)) return false;
        steps_.soft = !steps_.soft;
        steps_.find_normal(*here_, left_);
        return steps_.is_hopeless(*here_, left_);
    }

    // A step that lowers the cost, or the normal one where rows nearly depend on each other; `iterations`: go on.
    PostureStatus find_tangential(PostureAttempt& a, const PostureSettings& settings) {
        curvature_.add_squares(*here_);
        const bool found = steps_.find_tangential(*here_, curvature_.B, nullptr) ||
                           steps_.find_tangential(*here_, curvature_.B, nullptr, kSlack * settings.tolerance);
        if (found) {
            failures_ = 0;
            steps_.take_forces(1.0);
            a.stationarity = steps_.stationarity(*here_);
            lower_penalty();
            return feasible_ && a.stationarity <= settings.optimality ? PostureStatus::solved : PostureStatus::iterations;
        }
        curvature_.forget();
        copy_numbers(steps_.normal, n_, steps_.step);
        return give_up();
    }

    // Lowers a penalty that multipliers on the way made far larger than those of now ask for: under it, steps along rows that curve
    // have to be tiny. Not more than some times, so that merits of steps can be compared in the end.
    void lower_penalty() {
        if (left_ > kLittle || lowered_ >= kLowerings) return;
        const double needed = max(1.0, 2.0 * std::sqrt(dot_numbers(steps_.force, steps_.force, m_)));
        if (nu_ <= kExcess * needed) return;
        nu_ = needed;
        ++lowered_;
    }

    // Leaves a posture where nothing lowers what is left: dofs at limits go back to the middle, the others by numbers that are the same
    // at every call. The posture is kept, in case none better is found.
    bool escape(const PostureAttempt& a, const PostureSettings& settings) {
        keep_least();
        if (escapes_ >= settings.max_escapes) return false;
        ++escapes_;
        for (int j = 0; j < n_; ++j) {
            const bool ranged = steps_.high[j] - steps_.low[j] < kInfinity, held = steps_.low[j] > -kNear || steps_.high[j] < kNear;
            const double turn = kGolden * (1 + j + 7 * escapes_), part = turn - std::floor(turn);
            steps_.step[j] = ranged && held ? 0.5 * (steps_.low[j] + steps_.high[j]) : (2.0 * part - 1.0) * kLeap * p_.scale[j];
            steps_.step[j] = min(max(steps_.step[j], steps_.low[j]), steps_.high[j]);
        }
        motion_.move(*here_, steps_.step, *there_);
        if (!terms_.evaluate(*there_)) return false;
        std::swap(here_, there_);
        began_ = a.iterations;
        start_descent();
        return true;
    }

    void keep_least() {
        if (left_ < least_) keep(left_);
    }

    // Keeps a posture, in case the search ends at one that breaks rows by more than `left`.
    void keep(double left) {
        least_ = left;
        copy_numbers(here_->q, p_.dofs, least_q_);
        copy_numbers(here_->extra, p_.extras, least_extra_);
        copy_numbers(steps_.force, m_, least_force_);
        copy_numbers(steps_.bound_force, n_, least_bound_force_);
    }

    // Goes back to the posture that breaks rows least.
    void restore_least() {
        if (!(least_ < rows_.left(*here_))) return;
        copy_numbers(least_q_, p_.dofs, here_->q);
        copy_numbers(least_extra_, p_.extras, here_->extra);
        copy_numbers(least_force_, m_, steps_.force);
        copy_numbers(least_bound_force_, n_, steps_.bound_force);
        terms_.evaluate(*here_);
    }

    // Tries the step; `iterations`: go on.
    PostureStatus advance(PostureAttempt& a, const PostureSettings& settings) {
        const double v = left_;
        const double v_model = steps_.left_after(*here_, steps_.step);
        double model = 0.0;
        if (has_cost_) model = -(dot_numbers(here_->g, steps_.step, n_) + 0.5 * curvature_.quadratic(steps_.step));
        const double gain = v - v_model;
        if (has_cost_ && model + nu_ * gain < 0.3 * nu_ * gain) nu_ = max(nu_, 1.5 * -model / (0.7 * gain));
        const double predicted = has_cost_ ? model + nu_ * gain : v * v - v_model * v_model;
        double actual = 0.0;
        bool taken = try_step(a, actual);
        if (a.status == PostureStatus::failed) return PostureStatus::failed;
        const double noise = has_cost_ ? 1e-14 * (std::fabs(here_->cost) + nu_ * v) : 0.0;
        double ratio = predicted > 0.0 ? (actual + noise) / (predicted + noise) : -1.0;
        if (has_cost_ && ratio < 0.25 && v < 0.1 && m_ > 0 && correct(a)) {
            double again = 0.0;
            taken = try_step(a, again);
            if (a.status == PostureStatus::failed) return PostureStatus::failed;
            ratio = predicted > 0.0 ? (again + noise) / (predicted + noise) : -1.0;
        }
        double size = 0.0;
        for (int j = 0; j < n_; ++j) size = max(size, std::fabs(steps_.step[j]) / p_.scale[j]);
        if (!taken || !(ratio > 1e-4)) {
            radius_ = (size > 0.0 ? min(radius_, size) : radius_) * 0.35;  // no step: the program had no solution
            if (radius_ < kLeastRadius) {
                if (rows_.worst(*here_) <= settings.tolerance) return PostureStatus::stalled;
                if (!escape(a, settings)) return PostureStatus::infeasible;
            }
            return PostureStatus::iterations;
        }
        if (has_cost_) curvature_.learn(*here_, *there_, steps_.step, steps_.force);
        std::swap(here_, there_);
        if (ratio < 0.25) radius_ = max(0.5 * size, 4.0 * kLeastRadius);
        if (ratio > 0.75 && size > 0.8 * radius_) radius_ = min(2.0 * radius_, kLargestRadius);
        return PostureStatus::iterations;
    }

    bool try_step(PostureAttempt& a, double& actual) {
        const double v = left_;
        a.status = PostureStatus::iterations;
        motion_.move(*here_, steps_.step, *there_);
        ++a.evaluations;
        if (!terms_.evaluate(*there_)) {
            a.status = PostureStatus::failed;
            return false;
        }
        const double after = rows_.left(*there_);
        actual = has_cost_ ? here_->cost - there_->cost + nu_ * (v - after) : v * v - after * after;
        return std::isfinite(actual);
    }

    // A second-order correction: the rows as they are where the step led. Fletcher (1982).
    bool correct(PostureAttempt&) {
        for (int r = 0; r < m_; ++r) {
            correction_[r] = there_->c[r] - here_->c[r] - dot_numbers(here_->J + static_cast<std::size_t>(r) * n_, steps_.step, n_);
            if (!std::isfinite(correction_[r])) return false;
        }
        copy_numbers(steps_.step, n_, change_);
        if (steps_.find_tangential(*here_, curvature_.B, correction_)) return true;
        copy_numbers(change_, n_, steps_.step);
        return false;
    }

    const PostureProgram& p_;
    const int n_, m_;
    PostureTerms terms_;
    PostureMotion motion_;
    PostureViolation rows_;
    PostureSteps steps_;
    PostureCurvature curvature_;
    PosturePoint first_, second_;
    PosturePoint *here_ = nullptr, *there_ = nullptr;
    double *change_, *correction_;
    double *least_q_, *least_extra_, *least_force_, *least_bound_force_;
    int escapes_ = 0, began_ = 0, since_ = 0, failures_ = 0, lowered_ = 0;
    double left_ = 0.0, mark_ = 0.0, least_ = 0.0;  // of the rows: here, when it fell by a tenth, where a descent was stuck
    double radius_ = 0.0, nu_ = 1.0;
    bool feasible_ = false, has_cost_ = false;
};

KIDO_END
