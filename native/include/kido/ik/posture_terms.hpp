#pragma once

#include "kido/ik/posture_direction_terms.hpp"
#include "kido/ik/posture_force_terms.hpp"
#include "kido/ik/posture_frame_terms.hpp"
#include "kido/ik/posture_position_terms.hpp"
#include "kido/ik/posture_shape_terms.hpp"
#include "kido/ik/posture_torque_terms.hpp"

// Rows of constraints and costs at a posture, and their derivatives by the unknowns. All derivatives are exact.

KIDO_BEGIN

class PostureTerms {
public:
    PostureTerms(const PostureProgram& program, Scratch& s)
        : p_(program), n_(program.all()), k_(program, s), frames_(k_), directions_(k_), positions_(k_), shapes_(k_), forces_(k_), torques_(k_, s) {
        int rows = 1;
        for (int t = 0; t < p_.num_terms; ++t) rows = p_.terms[t].rows > rows ? p_.terms[t].rows : rows;
        y_ = s.take<double>(rows);
        Jy_ = s.take<double>(static_cast<std::size_t>(rows) * n_);
        Wy_ = s.take<double>(rows);
        slopes_ = s.take<double>(static_cast<std::size_t>(rows) * (p_.dofs + p_.extras));
    }

    void begin() { k_.begin(); }

    // Rows, cost and derivatives at a posture; false where what the caller computes failed. term_cost: (terms), may be null.
    bool evaluate(PosturePoint& at, double* term_cost = nullptr) {
        if (!k_.place(at)) return false;
        clear(at.g, n_);
        clear(at.H, static_cast<std::size_t>(n_) * n_);
        at.cost = 0.0;
        for (int t = 0; t < p_.num_terms; ++t) {
            const PostureTerm& term = p_.terms[t];
            if (term_cost) term_cost[t] = 0.0;
            if (term.is_cost) {
                const double before = at.cost;
                if (!add_cost(term, at)) return false;
                if (term_cost) term_cost[t] = at.cost - before;
                continue;
            }
            double* J = at.J + static_cast<std::size_t>(term.first_row) * n_;
            clear(J, static_cast<std::size_t>(term.rows) * n_);
            double *low = at.lower + term.first_row, *high = at.upper + term.first_row;
            for (int r = 0; r < term.rows; ++r) {
                low[r] = term.lower ? term.lower[r] : -kInfinity;
                high[r] = term.upper ? term.upper[r] : kInfinity;
            }
            if (!write(term, at, at.c + term.first_row, J, low, high)) return false;
        }
        return true;
    }

private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    bool write(const PostureTerm& t, const PosturePoint& at, double* y, double* J, double* low, double* high) {
        switch (t.kind) {
            case PostureTermKind::points: frames_.points(t, y, J); break;
            case PostureTermKind::orientation: frames_.orientation(t, y, J, low, high); break;
            case PostureTermKind::turn: frames_.turn(t, y, J); break;
            case PostureTermKind::direction: case PostureTermKind::sight: directions_.angle(t, y, J, low, high); break;
            case PostureTermKind::chord: case PostureTermKind::sight_chord: directions_.chord(t, y, J); break;
            case PostureTermKind::distance: frames_.distance(t, y, J, low, high); break;
            case PostureTermKind::center_of_mass: frames_.center_of_mass(t, y, J); break;
            case PostureTermKind::positions: positions_.positions(t, at, y, J); break;
            case PostureTermKind::posture: positions_.posture(t, at, y, J); break;
            case PostureTermKind::shapes: shapes_.shapes(t, y, J, low, high); break;
            case PostureTermKind::nearest: shapes_.nearest(t, y, J); break;
            case PostureTermKind::balance: forces_.balance(t, at, y, J); break;
            case PostureTermKind::friction: forces_.friction(t, at, y, J, low); break;
            case PostureTermKind::force: forces_.force(t, at, y, J); break;
            case PostureTermKind::torque: torques_.torques(t, at, y, J); break;
            case PostureTermKind::custom: return custom(t, at, y, J);
        }
        return true;
    }

    bool custom(const PostureTerm& t, const PosturePoint& at, double* y, double* J) {
        const int width = p_.dofs + p_.extras;
        if (!p_.parts || !p_.parts->custom(t.custom, at.q, at.extra, y, slopes_)) return false;
        for (int r = 0; r < t.rows; ++r) {
            for (int d = 0; d < p_.dofs; ++d) k_.add(J, r, d, slopes_[r * width + d]);
            for (int k = 0; k < p_.extras; ++k) J[r * n_ + p_.unknowns + k] += slopes_[r * width + p_.dofs + k];
        }
        return true;
    }

    // 1/2 y.W y, or the value itself where there are no weights.
    bool add_cost(const PostureTerm& t, PosturePoint& at) {
        clear(Jy_, static_cast<std::size_t>(t.rows) * n_);
        double no_bounds[6];
        if (!write(t, at, y_, Jy_, no_bounds, no_bounds)) return false;
        if (!t.weight) {
            at.cost += y_[0];
            for (int j = 0; j < n_; ++j) at.g[j] += Jy_[j];
            return true;
        }
        for (int r = 0; r < t.rows; ++r) {
            double sum = 0.0;
            if (t.diagonal) {
                sum = t.weight[r] * y_[r];
            } else {
                for (int s = 0; s < t.rows; ++s) sum += t.weight[r * t.rows + s] * y_[s];
            }
            Wy_[r] = sum;
            at.cost += 0.5 * y_[r] * sum;
        }
        for (int r = 0; r < t.rows; ++r) {
            const double* row = Jy_ + r * n_;
            for (int j = 0; j < n_; ++j) at.g[j] += row[j] * Wy_[r];
            for (int s = t.diagonal ? r : 0; s < (t.diagonal ? r + 1 : t.rows); ++s) {
                const double w = t.diagonal ? t.weight[r] : t.weight[r * t.rows + s];
                if (w == 0.0) continue;
                const double* other = Jy_ + s * n_;
                for (int i = 0; i < n_; ++i) {
                    const double x = w * row[i];
                    if (x == 0.0) continue;
                    for (int j = 0; j < n_; ++j) at.H[i * n_ + j] += x * other[j];
                }
            }
        }
        return true;
    }

    const PostureProgram& p_;
    const int n_;
    PostureKinematics k_;
    PostureFrameTerms frames_;
    PostureDirectionTerms directions_;
    PosturePositionTerms positions_;
    PostureShapeTerms shapes_;
    PostureForceTerms forces_;
    PostureTorqueTerms torques_;
    double *y_, *Jy_, *Wy_, *slopes_;
};

KIDO_END
