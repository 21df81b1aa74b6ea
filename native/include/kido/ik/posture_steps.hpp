#pragma once

#include "kido/ik/posture_violation.hpp"
#include "kido/optimize/quadratic_solver.hpp"

// Steps of a search for postures, both quadratic programs that have solutions always: a normal step lowers what is left of the rows by
// least squares, within limits and without breaking rows that hold; a tangential step lowers the cost as far as the rows let it that the
// normal one reaches. The normal step is damped by what is left (Sugihara 2011).

KIDO_BEGIN

class PostureSteps {
public:
    double *low, *high;            // bounds of a step by limits of positions (unknowns)
    double *normal, *step;         // (unknowns)
    double *force, *bound_force;   // multipliers of rows (rows) and of limits (unknowns)
    bool soft = false;             // whether the normal step may break rows that hold

    PostureSteps(const PostureProgram& program, Scratch& s) : p_(program), n_(program.all()), m_(program.rows), qp_({n_, m_}, s) {
        for (double** x : {&low, &high, &box_low_, &box_high_, &normal, &step, &left_, &bound_force}) *x = s.take<double>(n_);
        force = s.take<double>(m_);
        index_ = s.take<int>(m_);
        side_ = s.take<int>(m_);
    }

    void set_box(double radius) {
        for (int j = 0; j < n_; ++j) {
            const double size = radius * p_.scale[j];
            box_low_[j] = min(max(low[j], -size), 0.0);
            box_high_[j] = max(min(high[j], size), 0.0);
        }
    }

    // Goes a part of the way to limits only, in the first steps of a descent: what runs into its limit early seldom comes away.
    void narrow_box() {
        for (int j = 0; j < n_; ++j) {
            box_low_[j] = max(box_low_[j], min(kCare * low[j], 0.0));
            box_high_[j] = min(box_high_[j], max(kCare * high[j], 0.0));
        }
    }

    // What is left of the linear rows after a step.
    double left_after(const PosturePoint& here, const double* by) const {
        double sum = 0.0;
        for (int r = 0; r < m_; ++r) {
            const double b = PostureViolation::beyond(here.c[r] + dot_numbers(here.J + static_cast<std::size_t>(r) * n_, by, n_), here.lower[r], here.upper[r]);
            sum += b * b;
        }
        return std::sqrt(sum);
    }

    // Lowers what is left of broken rows; rows that hold are kept, or, where that leaves no step, broken too if the sum of squares falls.
    bool find_normal(const PosturePoint& here, double left) {
        count_ = 0;
        for (int r = 0; r < m_; ++r) {
            const double* J = here.J + static_cast<std::size_t>(r) * n_;
            side_[r] = 0;
            if (is_broken(here, r)) {
                const double b = PostureViolation::beyond(here.c[r], here.lower[r], here.upper[r]);
                side_[r] = b > 0.0 || (b == 0.0 && here.lower[r] == here.upper[r]) ? 1 : -1;
            } else if (!soft && is_near(here, r, J)) {
                add_row(here, r, min(here.lower[r] - here.c[r], 0.0), max(here.upper[r] - here.c[r], 0.0));
            }
        }
        if (!soft) {
            square_rows(here, left);
            if (!solve_program()) return false;
            copy_numbers(qp_.x, n_, normal);
            return true;
        }
        double least = left;
        clear(normal, n_);
        for (int round = 0; round < kRounds; ++round) {
            square_rows(here, left);
            if (!solve_program()) break;
            const double after = left_after(here, qp_.x);
            if (after < least) {
                least = after;
                copy_numbers(qp_.x, n_, normal);
            }
            if (!change_sides(here, qp_.x)) break;
        }
        return true;
    }

    bool is_hopeless(const PosturePoint& here, double v) const {
        const double after = left_after(here, normal);
        return v * v - after * after <= kHopeless * v * v;
    }

    // Lowers the cost among the steps after which rows are no worse than after the normal one, but for a slack, which rows that nearly
    // depend on each other may need. correction: of the rows' values.
    bool find_tangential(const PosturePoint& here, const double* B, const double* correction, double slack = 0.0) {
        double most = 0.0;
        for (int i = 0; i < n_; ++i) most = max(most, B[i * n_ + i]);
        for (int i = 0; i < n_ * n_; ++i) qp_.H[i] = B[i];
        for (int i = 0; i < n_; ++i) {
            qp_.H[i * n_ + i] += 1e-8 * most + 1e-10;
            qp_.g[i] = here.g[i];
        }
        count_ = 0;
        for (int r = 0; r < m_; ++r) {
            const double* J = here.J + static_cast<std::size_t>(r) * n_;
            if (here.lower[r] == -kInfinity && here.upper[r] == kInfinity) continue;
            if (!is_broken(here, r) && !is_near(here, r, J)) continue;
            const double shift = here.c[r] + (correction ? correction[r] : 0.0), reached = dot_numbers(J, normal, n_);
            const double least = here.lower[r] - shift, greatest = here.upper[r] - shift;
            if (slack == 0.0 && least == greatest && std::fabs(reached - least) < 1e-14) {
                add_row(here, r, least, greatest);
                continue;
            }
            add_row(here, r, min(least, reached) - slack, max(greatest, reached) + slack);
        }
        if (!solve_program()) return false;
        copy_numbers(qp_.x, n_, step);
        return true;
    }

    void take_forces(double scale) {
        clear(force, m_);
        for (int k = 0; k < count_; ++k) force[index_[k]] = qp_.force[n_ + k] * scale;
        for (int j = 0; j < n_; ++j) bound_force[j] = qp_.force[j] * scale;
    }

    // What pulls against what: broken rows by how far they are beyond, the others and limits by the multipliers of the normal step.
    void keep_fight(const PosturePoint& here, double v) {
        const double scale = v > 0.0 ? 1.0 / v : 1.0;
        take_forces(scale);
        for (int r = 0; r < m_; ++r) {
            if (is_broken(here, r)) force[r] = -PostureViolation::beyond(here.c[r], here.lower[r], here.upper[r]) * scale;
        }
    }

    // The gradient of the Lagrangian, and multipliers of rows that are not at a bound, relative to the gradient of the cost.
    double stationarity(const PosturePoint& here) {
        double size = 1.0, most = 0.0;
        for (int j = 0; j < n_; ++j) {
            size = max(size, std::fabs(here.g[j]));
            left_[j] = here.g[j];
        }
        for (int r = 0; r < m_; ++r) {
            if (force[r] == 0.0) continue;
            const double* J = here.J + static_cast<std::size_t>(r) * n_;
            for (int j = 0; j < n_; ++j) left_[j] -= force[r] * J[j];
            const double gap = force[r] > 0.0 ? here.c[r] - here.lower[r] : here.upper[r] - here.c[r];
            most = max(most, min(std::fabs(force[r]) / size, std::fabs(gap)));
        }
        for (int j = 0; j < n_; ++j) {
            double x = left_[j];
            if (low[j] > -1e-9 && x > 0.0) x = 0.0;
            if (high[j] < 1e-9 && x < 0.0) x = 0.0;
            most = max(most, std::fabs(x) / size);
        }
        return most;
    }

private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kTiny = PostureViolation::kTiny;
    static constexpr double kHopeless = 1e-9;   // part of what is left that a step would take, below which it takes none
    static constexpr int kRounds = 8;           // in which the rows that a soft normal step lowers are found
    static constexpr double kCare = 0.2;        // part of the way to limits that careful steps go
    static constexpr double kDamping = 1e-2;

    // Whether a step within the box can bring a row to a bound.
    bool is_near(const PosturePoint& here, int r, const double* J) const {
        double up = 0.0, down = 0.0;
        for (int j = 0; j < n_; ++j) {
            const double a = J[j] * box_low_[j], b = J[j] * box_high_[j];
            down += min(a, b);
            up += max(a, b);
        }
        return here.c[r] + up > here.upper[r] || here.c[r] + down < here.lower[r];
    }

    bool is_broken(const PosturePoint& here, int r) const {
        const double b = PostureViolation::beyond(here.c[r], here.lower[r], here.upper[r]);
        return b > kTiny || b < -kTiny || here.lower[r] == here.upper[r];
    }

    void add_row(const PosturePoint& here, int r, double least, double most) {
        const double* J = here.J + static_cast<std::size_t>(r) * n_;
        double* row = qp_.A + static_cast<std::size_t>(count_) * n_;
        for (int j = 0; j < n_; ++j) row[j] = J[j];
        qp_.row_lower[count_] = least;
        qp_.row_upper[count_] = most;
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

    // The squares of what rows have beyond the bounds on their sides.
    void square_rows(const PosturePoint& here, double left) {
        double* H = qp_.H;
        clear(H, static_cast<std::size_t>(n_) * n_);
        clear(qp_.g, n_);
        double trace = 0.0;
        for (int r = 0; r < m_; ++r) {
            if (side_[r] == 0) continue;
            const double* J = here.J + static_cast<std::size_t>(r) * n_;
            const double b = here.c[r] - (side_[r] > 0 ? here.upper[r] : here.lower[r]);
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
    bool change_sides(const PosturePoint& here, const double* by) {
        bool changed = false;
        for (int r = 0; r < m_; ++r) {
            if (here.lower[r] == here.upper[r]) continue;
            const double after = here.c[r] + dot_numbers(here.J + static_cast<std::size_t>(r) * n_, by, n_);
            const int side = after > here.upper[r] + kTiny ? 1 : after < here.lower[r] - kTiny ? -1 : 0;
            changed = changed || side != side_[r];
            side_[r] = side;
        }
        return changed;
    }

    const PostureProgram& p_;
    const int n_, m_;
    QuadraticSolver<double> qp_;
    double *box_low_, *box_high_, *left_;
    int *index_, *side_;
    int count_ = 0;
};

KIDO_END
