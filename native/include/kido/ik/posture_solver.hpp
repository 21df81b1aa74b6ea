#pragma once

#include <cmath>

#include "kido/ik/posture_terms.hpp"
#include "kido/optimize/quadratic_solver.hpp"

// Postures by sequential quadratic programming in a trust region: a normal step lowers what is left of the rows by least squares, within
// limits and without breaking rows that hold; a tangential step lowers the cost as far as the rows let it that the normal one reaches.
// Byrd (1987) and Omojokun (1989), as in Conn, Gould and Toint, "Trust-region methods" (2000), section 15.4; both steps are quadratic
// programs, which have solutions always. The normal step is damped by what is left (Sugihara 2011). Curvature: of squares in costs as it
// is, of all else by damped BFGS (Powell 1978). The merit function is the cost and nu times the length of what is left.

KIDO_BEGIN

class PostureSolver {
public:
    PostureSolver(const PostureProgram& program, Scratch& s)
        : p_(program), n_(program.all()), m_(program.rows), terms_(program, s), first_(program, s), second_(program, s), qp_({n_, m_}, s) {
        const std::size_t n = n_;
        for (double** x : {&low_, &high_, &box_low_, &box_high_, &normal_, &step_, &change_, &slope_, &left_, &bound_force_}) *x = s.take<double>(n);
        for (double** x : {&B_, &A_}) *x = s.take<double>(n * n);
        for (double** x : {&force_, &correction_}) *x = s.take<double>(m_);
        least_q_ = s.take<double>(p_.dofs);
        least_extra_ = s.take<double>(p_.extras);
        least_force_ = s.take<double>(m_);
        least_bound_force_ = s.take<double>(n);
        index_ = s.take<int>(m_);
        side_ = s.take<int>(m_);
        for (int t = 0; t < p_.num_terms; ++t) has_cost_ = has_cost_ || p_.terms[t].is_cost;
    }

    void begin() { terms_.begin(); }

    // Values and derivatives at a posture; false where what the caller computes failed.
    bool look(const double* q, const double* extra, const PostureValues& out, double* term_cost) {
        copy(q, p_.dofs, first_.q);
        copy(extra, p_.extras, first_.extra);
        if (!terms_.evaluate(first_, term_cost)) return false;
        copy(first_.c, m_, out.values);
        copy(first_.lower, m_, out.lower);
        copy(first_.upper, m_, out.upper);
        copy(first_.J, static_cast<std::size_t>(m_) * n_, out.slopes);
        copy(first_.g, n_, out.gradient);
        return true;
    }

    void solve(PostureAttempt& attempt, const PostureSettings& settings, StopSignal* stop) {
        here_ = &first_;
        there_ = &second_;
        copy(attempt.q, p_.dofs, there_->q);
        copy(attempt.extra, p_.extras, there_->extra);
        terms_.bound(*there_, low_, high_);
        for (int j = 0; j < n_; ++j) step_[j] = min(max(0.0, low_[j]), high_[j]);
        terms_.move(*there_, step_, *here_);
        attempt.iterations = 0;
        attempt.evaluations = 1;
        attempt.stationarity = kInfinity;
        clear(force_, m_);
        clear(bound_force_, n_);
        attempt.status = terms_.evaluate(*here_) ? descend(attempt, settings, stop) : PostureStatus::failed;
        if (attempt.status != PostureStatus::failed && worst(*here_) > settings.tolerance) restore_least();
        copy(here_->q, p_.dofs, attempt.q);
        copy(here_->extra, p_.extras, attempt.extra);
        copy(here_->c, m_, attempt.values);
        copy(force_, m_, attempt.multipliers);
        copy(bound_force_, n_, attempt.bound_multipliers);
        attempt.cost = here_->cost;
        attempt.violation = worst(*here_);
    }

private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kFirstRadius = 0.6, kLargestRadius = 3.0, kLeastRadius = 1e-9;
    static constexpr double kTiny = 1e-13;      // of a row, that is not broken
    static constexpr double kHopeless = 1e-9;   // part of what is left that a step would take, below which it takes none
    static constexpr int kRounds = 8;           // in which the rows that a soft normal step lowers are found
    static constexpr int kFailures = 8;         // quadratic programs in a row that rounding leaves without a solution
    static constexpr int kPatience = 12;        // steps in which what is left has to fall by a tenth
    static constexpr double kLittle = 1e-3;     // that is left: a cost that is being lowered may keep it from falling
    static constexpr int kCareful = 15;         // first steps of a descent, which go a part of the way to limits only
    static constexpr double kCare = 0.2;        // that part: what runs into its limit early seldom comes away
    static constexpr double kNear = 1e-3;       // of a limit [rad, m]
    static constexpr double kGolden = 0.6180339887498949;
    static constexpr double kLeap = 2.0;        // of an escape

    static void copy(const double* from, std::size_t count, double* to) {
        if (to) for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    }
    double dot_n(const double* a, const double* b) const {
        double sum = 0.0;
        for (int j = 0; j < n_; ++j) sum += a[j] * b[j];
        return sum;
    }

    // How far a value is outside of its bounds, with sign.
    static double beyond(double c, double low, double high) { return c < low ? c - low : c > high ? c - high : 0.0; }

    double left(const PosturePoint& x) const {
        double sum = 0.0;
        for (int r = 0; r < m_; ++r) {
            const double b = beyond(x.c[r], x.lower[r], x.upper[r]);
            sum += b * b;
        }
        return std::sqrt(sum);
    }
    double worst(const PosturePoint& x) const {
        double most = 0.0;
        for (int r = 0; r < m_; ++r) {
            const double b = std::fabs(beyond(x.c[r], x.lower[r], x.upper[r]));
            if (!(b <= most)) most = b;
        }
        return most;
    }
    // What is left of the linear rows after a step.
    double left_after(const double* step) const {
        double sum = 0.0;
        for (int r = 0; r < m_; ++r) {
            const double b = beyond(here_->c[r] + dot_n(here_->J + static_cast<std::size_t>(r) * n_, step), here_->lower[r], here_->upper[r]);
            sum += b * b;
        }
        return std::sqrt(sum);
    }

    void set_box(double radius) {
        for (int j = 0; j < n_; ++j) {
            const double size = radius * p_.scale[j];
            box_low_[j] = min(max(low_[j], -size), 0.0);
            box_high_[j] = max(min(high_[j], size), 0.0);
        }
    }

    // Whether a step within the box can bring a row to a bound.
    bool is_near(int r, const double* J) const {
        double up = 0.0, down = 0.0;
        for (int j = 0; j < n_; ++j) {
            const double a = J[j] * box_low_[j], b = J[j] * box_high_[j];
            down += min(a, b);
            up += max(a, b);
        }
        return here_->c[r] + up > here_->upper[r] || here_->c[r] + down < here_->lower[r];
    }

    bool is_broken(int r) const {
        const double b = beyond(here_->c[r], here_->lower[r], here_->upper[r]);
        return b > kTiny || b < -kTiny || here_->lower[r] == here_->upper[r];
    }

    void add_row(int r, double low, double high) {
        const double* J = here_->J + static_cast<std::size_t>(r) * n_;
        double* row = qp_.A + static_cast<std::size_t>(count_) * n_;
        for (int j = 0; j < n_; ++j) row[j] = J[j];
        qp_.row_lower[count_] = low;
        qp_.row_upper[count_] = high;
        index_[count_++] = r;
    }

    bool solve_program() {
        for (int j = 0; j < n_; ++j) {
            qp_.lower[j] = box_low_[j];
            qp_.upper[j] = box_high_[j];
        }
        for (int i = 0; i < n_ + count_; ++i) qp_.side[i] = 0.0;
        qp_.set_shape({n_, count_});
        qp_.solve({});
        return qp_.outcome[0].status == QuadraticStatus::solved;
    }

    void take_forces(double scale) {
        clear(force_, m_);
        for (int k = 0; k < count_; ++k) force_[index_[k]] = qp_.force[n_ + k] * scale;
        for (int j = 0; j < n_; ++j) bound_force_[j] = qp_.force[j] * scale;
    }

    // Lowers what is left of broken rows; rows that hold are kept, or, where that leaves no step, broken too if the sum of squares falls.
    bool find_normal(double left) {
        count_ = 0;
        for (int r = 0; r < m_; ++r) {
            const double* J = here_->J + static_cast<std::size_t>(r) * n_;
            side_[r] = 0;
            if (is_broken(r)) {
                const double b = beyond(here_->c[r], here_->lower[r], here_->upper[r]);
                side_[r] = b > 0.0 || (b == 0.0 && here_->lower[r] == here_->upper[r]) ? 1 : -1;
            } else if (!soft_ && is_near(r, J)) {
                add_row(r, here_->lower[r] - here_->c[r], here_->upper[r] - here_->c[r]);
            }
        }
        if (!soft_) {
            square_rows(left);
            if (!solve_program()) return false;
            copy(qp_.x, n_, normal_);
            return true;
        }
        double least = left;
        clear(normal_, n_);
        for (int round = 0; round < kRounds; ++round) {
            square_rows(left);
            if (!solve_program()) break;
            const double after = left_after(qp_.x);
            if (after < least) {
                least = after;
                copy(qp_.x, n_, normal_);
            }
            if (!change_sides(qp_.x)) break;
        }
        return true;
    }

    // The squares of what rows have beyond the bounds on their sides.
    void square_rows(double left) {
        double* H = qp_.H;
        clear(H, static_cast<std::size_t>(n_) * n_);
        clear(qp_.g, n_);
        double trace = 0.0;
        for (int r = 0; r < m_; ++r) {
            if (side_[r] == 0) continue;
            const double* J = here_->J + static_cast<std::size_t>(r) * n_;
            const double b = here_->c[r] - (side_[r] > 0 ? here_->upper[r] : here_->lower[r]);
            for (int i = 0; i < n_; ++i) {
                const double x = J[i];
                if (x == 0.0) continue;
                qp_.g[i] += x * b;
                trace += x * x;
                for (int j = 0; j <= i; ++j) H[i * n_ + j] += x * J[j];
            }
        }
        const double damping = kDamping * left * left + 1e-10 * (trace / n_) + 1e-12;
        for (int i = 0; i < n_; ++i) {
            H[i * n_ + i] += damping / (p_.scale[i] * p_.scale[i]);
            for (int j = 0; j < i; ++j) H[j * n_ + i] = H[i * n_ + j];
        }
    }

    // Takes in rows that the step breaks, and lets go of those that it brings within their bounds; whether there were any.
    bool change_sides(const double* step) {
        bool changed = false;
        for (int r = 0; r < m_; ++r) {
            if (here_->lower[r] == here_->upper[r]) continue;
            const double after = here_->c[r] + dot_n(here_->J + static_cast<std::size_t>(r) * n_, step);
            const int side = after > here_->upper[r] + kTiny ? 1 : after < here_->lower[r] - kTiny ? -1 : 0;
            changed = changed || side != side_[r];
            side_[r] = side;
        }
        return changed;
    }

    // Lowers the cost among the steps after which rows are no worse than after the normal one. correction: of the rows' values.
    bool find_tangential(const double* correction) {
        double most = 0.0;
        for (int i = 0; i < n_; ++i) most = max(most, B_[i * n_ + i]);
        for (int i = 0; i < n_ * n_; ++i) qp_.H[i] = B_[i];
        for (int i = 0; i < n_; ++i) {
            qp_.H[i * n_ + i] += 1e-8 * most + 1e-10;
            qp_.g[i] = here_->g[i];
        }
        count_ = 0;
        for (int r = 0; r < m_; ++r) {
            const double* J = here_->J + static_cast<std::size_t>(r) * n_;
            if (here_->lower[r] == -kInfinity && here_->upper[r] == kInfinity) continue;
            if (!is_broken(r) && !is_near(r, J)) continue;
            const double shift = here_->c[r] + (correction ? correction[r] : 0.0), reached = dot_n(J, normal_);
            double low = here_->lower[r] - shift, high = here_->upper[r] - shift;
            if (low == high && std::fabs(reached - low) < 1e-14) {
                add_row(r, low, high);
                continue;
            }
            add_row(r, min(low, reached), max(high, reached));
        }
        if (!solve_program()) return false;
        copy(qp_.x, n_, step_);
        return true;
    }

    // The gradient of the Lagrangian, and multipliers of rows that are not at a bound, relative to the gradient of the cost.
    double stationarity() {
        double size = 1.0, most = 0.0;
        for (int j = 0; j < n_; ++j) {
            size = max(size, std::fabs(here_->g[j]));
            left_[j] = here_->g[j];
        }
        for (int r = 0; r < m_; ++r) {
            if (force_[r] == 0.0) continue;
            const double* J = here_->J + static_cast<std::size_t>(r) * n_;
            for (int j = 0; j < n_; ++j) left_[j] -= force_[r] * J[j];
            const double gap = force_[r] > 0.0 ? here_->c[r] - here_->lower[r] : here_->upper[r] - here_->c[r];
            most = max(most, min(std::fabs(force_[r]) / size, std::fabs(gap)));
        }
        for (int j = 0; j < n_; ++j) {
            double x = left_[j];
            if (low_[j] > -1e-9 && x > 0.0) x = 0.0;
            if (high_[j] < 1e-9 && x < 0.0) x = 0.0;
            most = max(most, std::fabs(x) / size);
        }
        return most;
    }

    PostureStatus descend(PostureAttempt& a, const PostureSettings& settings, StopSignal* stop) {
        radius_ = kFirstRadius;
        nu_ = 1.0;
        escapes_ = began_ = 0;
        least_ = kInfinity;
        soft_ = false;
        clear(A_, static_cast<std::size_t>(n_) * n_);
        double mark = kInfinity;
        int since = 0, failures = 0;
        for (;; ++a.iterations) {
            if (stop && stop->poll()) return PostureStatus::stopped;
            if (settings.deadline < kInfinity && settings.now() > settings.deadline) return PostureStatus::time_out;
            const double v = left(*here_), most = worst(*here_);
            if (!(v < kInfinity) || !std::isfinite(here_->cost)) return PostureStatus::failed;
            const bool feasible = most <= settings.tolerance;
            terms_.bound(*here_, low_, high_);
            if (feasible && !has_cost_) {
                a.stationarity = 0.0;
                return PostureStatus::solved;
            }
            if (v < 0.9 * mark) {
                mark = v;
                since = 0;
            }
            if (!feasible && !(has_cost_ && v < kLittle) && ++since > kPatience) {
                set_box(radius_);
                if (find_normal(v)) keep_fight(v);
                if (!escape(a, v, settings)) return PostureStatus::infeasible;
                mark = kInfinity;
                since = 0;
                continue;
            }
            if (a.iterations >= settings.max_iterations) return PostureStatus::iterations;
            set_box(radius_);
            if (!feasible && a.iterations - began_ < kCareful) {
                for (int j = 0; j < n_; ++j) {
                    box_low_[j] = max(box_low_[j], min(kCare * low_[j], 0.0));
                    box_high_[j] = min(box_high_[j], max(kCare * high_[j], 0.0));
                }
            }
            clear(normal_, n_);
            if (v > kTiny) {
                if (!find_normal(v)) {
                    if (++failures > kFailures) return feasible ? PostureStatus::stalled : PostureStatus::infeasible;
                    radius_ *= 0.5;
                    continue;
                }
                if (!feasible && is_hopeless(v)) {
                    soft_ = !soft_;
                    find_normal(v);
                }
                if (!feasible && is_hopeless(v)) {
                    keep_fight(v);
                    if (!escape(a, v, settings)) return PostureStatus::infeasible;
                    mark = kInfinity;
                    since = 0;
                    continue;
                }
            }
            if (!has_cost_) {
                copy(normal_, n_, step_);
                keep_fight(v);
            } else {
                curve();
                if (find_tangential(nullptr)) {
                    failures = 0;
                    take_forces(1.0);
                    a.stationarity = stationarity();
                    if (feasible && a.stationarity <= settings.optimality) return PostureStatus::solved;
                } else {
                    // Rows that nearly depend on each other: the normal step alone, with what was learned forgotten.
                    if (++failures > kFailures) return feasible ? PostureStatus::stalled : PostureStatus::infeasible;
                    clear(A_, static_cast<std::size_t>(n_) * n_);
                    copy(normal_, n_, step_);
                }
            }
            const PostureStatus moved = advance(a, v, settings);
            if (moved != PostureStatus::iterations) return moved;
        }
    }

    bool is_hopeless(double v) const {
        const double after = left_after(normal_);
        return v * v - after * after <= kHopeless * v * v;
    }

    // Leaves a posture where nothing lowers what is left: dofs at limits go back to the middle, the others by numbers that are the same
    // at every call. The posture is kept, in case none better is found.
    bool escape(const PostureAttempt& a, double v, const PostureSettings& settings) {
        keep_least(v);
        if (escapes_ >= settings.max_escapes) return false;
        ++escapes_;
        for (int j = 0; j < n_; ++j) {
            const bool ranged = high_[j] - low_[j] < kInfinity, held = low_[j] > -kNear || high_[j] < kNear;
            const double turn = kGolden * (1 + j + 7 * escapes_), part = turn - std::floor(turn);
            step_[j] = ranged && held ? 0.5 * (low_[j] + high_[j]) : (2.0 * part - 1.0) * kLeap * p_.scale[j];
            step_[j] = min(max(step_[j], low_[j]), high_[j]);
        }
        terms_.move(*here_, step_, *there_);
        if (!terms_.evaluate(*there_)) return false;
        std::swap(here_, there_);
        began_ = a.iterations;
        soft_ = false;
        radius_ = kFirstRadius;
        nu_ = 1.0;
        clear(A_, static_cast<std::size_t>(n_) * n_);
        return true;
    }

    void keep_least(double v) {
        if (!(v < least_)) return;
        least_ = v;
        copy(here_->q, p_.dofs, least_q_);
        copy(here_->extra, p_.extras, least_extra_);
        copy(force_, m_, least_force_);
        copy(bound_force_, n_, least_bound_force_);
    }

    // Goes back to the posture that breaks rows least.
    void restore_least() {
        if (!(least_ < left(*here_))) return;
        copy(least_q_, p_.dofs, here_->q);
        copy(least_extra_, p_.extras, here_->extra);
        copy(least_force_, m_, force_);
        copy(least_bound_force_, n_, bound_force_);
        terms_.evaluate(*here_);
    }

    // What pulls against what: broken rows by how far they are beyond, the others and limits by the multipliers of the normal step.
    void keep_fight(double v) {
        const double scale = v > 0.0 ? 1.0 / v : 1.0;
        take_forces(scale);
        for (int r = 0; r < m_; ++r) {
            if (is_broken(r)) force_[r] = -beyond(here_->c[r], here_->lower[r], here_->upper[r]) * scale;
        }
    }

    // B: squares of costs and what was learned.
    void curve() {
        for (int i = 0; i < n_ * n_; ++i) B_[i] = here_->H[i] + A_[i];
        if (has_squares()) return;
        bool none = true;
        for (int i = 0; i < n_ * n_ && none; ++i) none = B_[i] == 0.0;
        for (int i = 0; i < n_ && none; ++i) B_[i * n_ + i] = 1.0 / (p_.scale[i] * p_.scale[i]);
    }
    bool has_squares() const {
        for (int i = 0; i < n_; ++i) {
            if (here_->H[i * n_ + i] > 0.0) return true;
        }
        return false;
    }

    double quadratic(const double* s) const {
        double sum = 0.0;
        for (int i = 0; i < n_; ++i) sum += s[i] * dot_n(B_ + i * n_, s);
        return sum;
    }

    // Tries the step; `iterations`: go on.
    PostureStatus advance(PostureAttempt& a, double v, const PostureSettings& settings) {
        const double v_model = left_after(step_);
        double model = 0.0;
        if (has_cost_) model = -(dot_n(here_->g, step_) + 0.5 * quadratic(step_));
        const double gain = v - v_model;
        if (has_cost_ && model + nu_ * gain < 0.3 * nu_ * gain) nu_ = max(nu_, 1.5 * -model / (0.7 * gain));
        const double predicted = has_cost_ ? model + nu_ * gain : v * v - v_model * v_model;
        double actual = 0.0;
        bool taken = try_step(a, v, actual);
        if (a.status == PostureStatus::failed) return PostureStatus::failed;
        const double noise = has_cost_ ? 1e-14 * (std::fabs(here_->cost) + nu_ * v) : 0.0;
        double ratio = predicted > 0.0 ? (actual + noise) / (predicted + noise) : -1.0;
        if (has_cost_ && ratio < 0.25 && v < 0.1 && m_ > 0 && correct(a)) {
            double again = 0.0;
            taken = try_step(a, v, again);
            if (a.status == PostureStatus::failed) return PostureStatus::failed;
            ratio = predicted > 0.0 ? (again + noise) / (predicted + noise) : -1.0;
        }
        double size = 0.0;
        for (int j = 0; j < n_; ++j) size = max(size, std::fabs(step_[j]) / p_.scale[j]);
        if (!taken || !(ratio > 1e-4)) {
            radius_ = min(radius_, size) * 0.35;
            if (radius_ < kLeastRadius) {
                if (worst(*here_) <= settings.tolerance) return PostureStatus::stalled;
                if (!escape(a, v, settings)) return PostureStatus::infeasible;
            }
            return PostureStatus::iterations;
        }
        if (has_cost_) learn();
        std::swap(here_, there_);
        if (ratio < 0.25) radius_ = max(0.5 * size, 4.0 * kLeastRadius);
        if (ratio > 0.75 && size > 0.8 * radius_) radius_ = min(2.0 * radius_, kLargestRadius);
        return PostureStatus::iterations;
    }

    bool try_step(PostureAttempt& a, double v, double& actual) {
        a.status = PostureStatus::iterations;
        terms_.move(*here_, step_, *there_);
        ++a.evaluations;
        if (!terms_.evaluate(*there_)) {
            a.status = PostureStatus::failed;
            return false;
        }
        const double after = left(*there_);
        actual = has_cost_ ? here_->cost - there_->cost + nu_ * (v - after) : v * v - after * after;
        return std::isfinite(actual);
    }

    // A second-order correction: the rows as they are where the step led. Fletcher (1982).
    bool correct(PostureAttempt&) {
        for (int r = 0; r < m_; ++r) {
            correction_[r] = there_->c[r] - here_->c[r] - dot_n(here_->J + static_cast<std::size_t>(r) * n_, step_);
            if (!std::isfinite(correction_[r])) return false;
        }
        copy(step_, n_, change_);
        if (find_tangential(correction_)) return true;
        copy(change_, n_, step_);
        return false;
    }

    // Damped BFGS: of the Lagrangian, less the squares of costs that are known. The step leads from here to there.
    void learn() {
        const auto slope = [&](const PosturePoint& x, int j) {
            double sum = x.g[j];
            for (int r = 0; r < m_; ++r) {
                if (force_[r] != 0.0) sum -= force_[r] * x.J[static_cast<std::size_t>(r) * n_ + j];
            }
            return sum;
        };
        double largest = 0.0;
        for (int j = 0; j < n_; ++j) largest = max(largest, std::fabs(step_[j]));
        if (largest < 1e-12) return;
        for (int j = 0; j < n_; ++j) change_[j] = slope(*there_, j) - slope(*here_, j);
        for (int i = 0; i < n_ * n_; ++i) B_[i] = there_->H[i] + A_[i];
        if (!has_squares()) curve();
        double s_B_s = quadratic(step_), s_y = dot_n(step_, change_);
        if (!(s_B_s > 1e-16 * dot_n(step_, step_))) {
            clear(A_, static_cast<std::size_t>(n_) * n_);
            return;
        }
        for (int i = 0; i < n_; ++i) slope_[i] = dot_n(B_ + i * n_, step_);
        if (s_y < 0.2 * s_B_s) {
            const double part = 0.8 * s_B_s / (s_B_s - s_y);
            for (int j = 0; j < n_; ++j) change_[j] = part * change_[j] + (1.0 - part) * slope_[j];
            s_y = dot_n(step_, change_);
        }
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) {
                B_[i * n_ + j] += change_[i] * change_[j] / s_y - slope_[i] * slope_[j] / s_B_s;
                A_[i * n_ + j] = B_[i * n_ + j] - there_->H[i * n_ + j];
            }
        }
    }

    static constexpr double kDamping = 1e-2;

    const PostureProgram& p_;
    const int n_, m_;
    PostureTerms terms_;
    PosturePoint first_, second_;
    PosturePoint *here_ = nullptr, *there_ = nullptr;
    QuadraticSolver<double> qp_;
    double *low_, *high_, *box_low_, *box_high_, *normal_, *step_, *change_, *slope_, *left_, *bound_force_;
    double *least_q_, *least_extra_, *least_force_, *least_bound_force_;
    double *B_, *A_, *force_, *correction_;
    int *index_, *side_;
    bool soft_ = false;
    int count_ = 0, escapes_ = 0, began_ = 0;
    double least_ = 0.0;
    double radius_ = 0.0, nu_ = 1.0;
    bool has_cost_ = false;
};

KIDO_END
