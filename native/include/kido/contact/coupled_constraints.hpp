#pragma once

#include "kido/contact/body_constraint.hpp"
#include "kido/contact/cholesky.hpp"
#include "kido/contact/linear_rows.hpp"

// Constraints that share skeletons or bodies, solved together: one visit of a group takes all errors and velocities of its members at
// once, by one Cholesky factorization a step. Visited one after the other, loops over the same links would undo each other faster
// than sweeps converge.

KIDO_BEGIN

class ConstraintGroup {
public:
    // The response of all rows to each other. Members: constraints between bodies, and rows without bounds.
    void prepare(const SideRows& rows, std::vector<BodyConstraintRows>& bodies, std::vector<LinearRows>& linear,
                 const std::vector<int>& body_members, const std::vector<int>& linear_members) {
        bodies_ = body_members;
        linear_ = linear_members;
        shares_.clear();
        regular_.clear();
        for (const int i : bodies_) bodies[i].add_shares(shares_, regular_);
        for (const int i : linear_) linear[i].add_shares(shares_, regular_);
        size_ = static_cast<int>(shares_.size());
        pushing_ = Pushing::plain;
        is_touched_ = std::any_of(bodies_.begin(), bodies_.end(), [&](int i) { return bodies[i].is_touched(); }) ||
                      std::any_of(linear_.begin(), linear_.end(), [&](int i) { return linear[i].is_touched(); });
        for (const int i : bodies_) bodies[i].see_touched(is_touched_);
        for (const int i : linear_) linear[i].see_touched(is_touched_);
        matrix_.assign(static_cast<std::size_t>(size_) * size_, 0.0);
        for (auto* v : {&wanted_, &pushed_}) v->assign(size_, 0.0);
        scales_.clear();
        for (const int i : bodies_) {
            for (int k = 0; k < bodies[i].size(); ++k) scales_.push_back(bodies[i].scale(k));
        }
        for (const int i : linear_) {
            for (int k = 0; k < linear[i].size(); ++k) {
                scales_.push_back(linear[i].scale(k));
                // What is linear by itself turns what others hold.
                if (!bodies_.empty() && scales_.back().turn == 0.0) scales_.back().turn = 1.0;
            }
        }
        for (int i = 0; i < size_; ++i) {
            for (int j = 0; j <= i; ++j) at(i, j) = response(rows, shares_[i], shares_[j]);
            regular_[i] = std::max({regular_[i], kRegular * at(i, i), kRounding * scales_[i].response});
            if (!(regular_[i] > 0.0)) regular_[i] = 1.0;  // of what nothing moves
            at(i, i) += regular_[i];
        }
        factorize();
    }
    template <bool Relaxing>
    void sweep(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& bodies,
               std::vector<LinearRows>& linear) {
        take_back(rows, bodies, linear);
        int to = 0;
        for (const int i : bodies_) to += bodies[i].template read<Relaxing>(rows, settings, &wanted_[to], &pushed_[to]);
        for (const int i : linear_) to += linear[i].template read<Relaxing>(rows, settings, &wanted_[to], &pushed_[to]);
        if (!Relaxing) damp(rows, settings, bodies, linear);
        for (int i = 0; i < size_; ++i) wanted_[i] += pushed_[i];
        substitute(wanted_);
        take(rows, bodies, linear, bodies_, linear_, wanted_.data());
        if (!Relaxing && pushing_ != Pushing::plain) substitute(pushed_);
    }
    // In a step that others solve: what pushes errors there, damped.
    void push_errors(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& bodies,
                     std::vector<LinearRows>& linear) {
        int at = 0;
        for (const int i : bodies_) at += bodies[i].read_errors(rows, settings, &pushed_[at]);
        for (const int i : linear_) at += linear[i].read_errors(rows, settings, &pushed_[at]);
        damp(rows, settings, bodies, linear);
        at = 0;
        for (const int i : bodies_) at += bodies[i].take_errors(settings, &pushed_[at]);
        for (const int i : linear_) at += linear[i].take_errors(settings, &pushed_[at]);
    }
    template <class Visits>
    bool visited(const std::vector<BodyConstraintRows>& bodies, const std::vector<LinearRows>& linear, const Visits& visits) const {
        return bodies_.empty() ? visits(linear[linear_.front()]) : visits(bodies[bodies_.front()]);
    }

private:
    static constexpr double kTiny = 1e-200;
    static constexpr double kRegular = 1e-10;  // of a row's response, for rows that hold the same
    static constexpr double kRounding = 1e-13;  // of what is usual for a row, of which its response may be a difference

    double& at(int i, int j) { return matrix_[static_cast<std::size_t>(i) * size_ + j]; }
    auto matrix() {
        return [this](int i, int j) -> double& { return at(i, j); };
    }
    static double response(const SideRows& rows, const RowShares& a, const RowShares& b) {
        double sum = 0.0;
        for (const CoordinateShare& i : a.coordinates) {
            for (const CoordinateShare& j : b.coordinates) {
                sum += i.factor * j.factor * rows.response(i.tree, i.coordinate, j.tree, j.coordinate);
            }
        }
        for (const RowBody& i : a.bodies) {
            for (const RowBody& j : b.bodies) {
                if (i.body != j.body) continue;
                const BodyPose<double> pose = load_pose<double>(rows.poses, &i.body);
                sum += dot(i.linear, j.linear) * pose.inverse_mass + dot(i.angular, pose.inverse_inertia * j.angular);
            }
        }
        return sum;
    }
    TurnedRates turn(const SideRows& rows, const double* impulses, double per_length) {
        turned_.begin();
        for (int i = 0; i < size_; ++i) {
            for (const CoordinateShare& s : shares_[i].coordinates) turned_.add(rows, s.tree, s.coordinate, s.factor * impulses[i]);
            for (const RowBody& s : shares_[i].bodies) {
                if (rows.bodies[s.body].moves()) turned_.add(s.body, s.angular * impulses[i]);
            }
        }
        return turned_.largest(rows, per_length);
    }
    // L L^T of the matrix, in its lower half. No pivot is less than what was added to the diagonal, but for rounding.
    void factorize() {
        factorize_in_place(size_, matrix(), [this](int i) { return std::max(regular_[i], kTiny); });
    }
    // x <- -matrix^-1 x.
    void substitute(std::vector<double>& x) {
        const auto of_row = [&](int i) -> double& { return x[i]; };
        for (int i = 0; i < size_; ++i) x[i] = -x[i];
        solve_lower(size_, matrix(), of_row);
        solve_upper(size_, matrix(), of_row);
    }
    static void take(const SideRows& rows, std::vector<BodyConstraintRows>& bodies, std::vector<LinearRows>& linear,
                     const std::vector<int>& of_bodies, const std::vector<int>& of_linear, const double* change) {
        for (const int i : of_bodies) change += bodies[i].take(rows, change);
        for (const int i : of_linear) change += linear[i].take(rows, change);
    }
    KIDO_NOINLINE void damp(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& bodies, std::vector<LinearRows>& linear) {
        if (is_touched_) CorrectionDamping::bound(scales_.data(), size_, settings.push_speed, pushed_.data());
        pushing_ = damping_.damp(matrix_.data(), size_, scales_.data(), size_, settings.closing, settings.per_step / settings.closing,
                                 pushed_.data(),
                                 [&](const double* impulses, double per_length) { return turn(rows, impulses, per_length); });
        pushing_ = std::max(pushing_, pushing_of_touched(is_touched_));
        for (const int i : bodies_) bodies[i].see_pushing(pushing_);
        for (const int i : linear_) linear[i].see_pushing(pushing_);
    }
    // After the displacement, and before another sweep: impulses that push errors, which would pile up along rows that hardly move.
    KIDO_NOINLINE void take_back(const SideRows& rows, std::vector<BodyConstraintRows>& bodies, std::vector<LinearRows>& linear) {
        if (pushing_ == Pushing::plain) return;
        for (double& x : pushed_) x = -x;
        take(rows, bodies, linear, bodies_, linear_, pushed_.data());
        for (const int i : bodies_) bodies[i].drop_spring();
        for (const int i : linear_) linear[i].drop_spring();
        pushing_ = Pushing::plain;
    }

    std::vector<int> bodies_, linear_;
    std::vector<RowShares> shares_;
    std::vector<double> regular_, matrix_, wanted_, pushed_;
    std::vector<RowScale> scales_;
    CorrectionDamping damping_;
    TurnedAngle turned_;
    Pushing pushing_ = Pushing::plain;  // in the present sub-step; if not that, `pushed_` are impulses then
    int size_ = 0;
    bool is_touched_ = false;  // whether contacts pull at what it holds
};

// The groups of a step.
class CoupledConstraints {
public:
    // Groups of constraints that share what moves; a constraint alone, one with bounds, and groups that are too large stay by
    // themselves.
    void prepare(const SideRows& rows, std::vector<BodyConstraintRows>& bodies, std::vector<LinearRows>& linear) {
        count_ = 0;
        for (BodyConstraintRows& c : bodies) c.grouped = false;
        for (LinearRows& c : linear) c.grouped = false;
        if (bodies.size() + linear.size() < 2) return;
        connect(rows, bodies, linear);
        for (std::size_t i = 0; i < roots_.size(); ++i) {
            if (find(static_cast<int>(i)) == static_cast<int>(i)) make(static_cast<int>(i), rows, bodies, linear);
        }
    }
    // In a step that others solve, before its rows are asked for: what pushes errors of all constraints.
    void push_errors(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& bodies,
                     std::vector<LinearRows>& linear) {
        for (BodyConstraintRows& c : bodies) {
            if (!c.grouped && !c.asleep) c.push_errors(rows, settings);
        }
        for (LinearRows& c : linear) {
            if (!c.grouped && !c.asleep) c.push_errors(rows, settings);
        }
        for (int i = 0; i < count_; ++i) groups_[i].push_errors(rows, settings, bodies, linear);
    }
    // Groups for one of whose members visits(member) holds.
    template <bool Relaxing, class Visits>
    void sweep(const SideRows& rows, const SweepSettings& settings, std::vector<BodyConstraintRows>& bodies,
               std::vector<LinearRows>& linear, const Visits& visits) {
        for (int i = 0; i < count_; ++i) {
            if (groups_[i].visited(bodies, linear, visits)) groups_[i].template sweep<Relaxing>(rows, settings, bodies, linear);
        }
    }

private:
    static constexpr int kMostRows = 96;

    int find(int i) {
        while (roots_[i] != i) i = roots_[i] = roots_[roots_[i]];
        return i;
    }
    // Nodes: trees, bodies, then constraints between bodies, then rows.
    void connect(const SideRows& rows, const std::vector<BodyConstraintRows>& bodies, const std::vector<LinearRows>& linear) {
        const int trees = static_cast<int>(rows.responses.size()), first = trees + static_cast<int>(rows.bodies.size());
        roots_.resize(first + bodies.size() + linear.size());
        for (std::size_t i = 0; i < roots_.size(); ++i) roots_[i] = static_cast<int>(i);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (!bodies[i].is_linear()) continue;
            for (const ContactSide* side : {&bodies[i].sides().first, &bodies[i].sides().second}) {
                if (side->tree < 0 && !rows.bodies[side->row].moves()) continue;
                roots_[find(side->tree >= 0 ? side->tree : trees + side->row)] = find(first + static_cast<int>(i));
            }
        }
        for (std::size_t i = 0; i < linear.size(); ++i) {
            if (!linear[i].is_linear()) continue;
            const int node = first + static_cast<int>(bodies.size() + i);
            linear[i].for_each_owner([&](int tree, int body) { roots_[find(tree >= 0 ? tree : trees + body)] = find(node); });
        }
        first_ = first;
    }
    void make(int root, const SideRows& rows, std::vector<BodyConstraintRows>& bodies, std::vector<LinearRows>& linear) {
        std::vector<int> of_bodies, of_linear;
        int size = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (!bodies[i].is_linear() || find(first_ + static_cast<int>(i)) != root) continue;
            of_bodies.push_back(static_cast<int>(i));
            size += bodies[i].size();
        }
        for (std::size_t i = 0; i < linear.size(); ++i) {
            if (!linear[i].is_linear() || find(first_ + static_cast<int>(bodies.size() + i)) != root) continue;
            of_linear.push_back(static_cast<int>(i));
            size += linear[i].size();
        }
        if (of_bodies.size() + of_linear.size() < 2 || size > kMostRows) return;
        for (const int i : of_bodies) bodies[i].grouped = true;
        for (const int i : of_linear) linear[i].grouped = true;
        if (count_ == static_cast<int>(groups_.size())) groups_.emplace_back();
        groups_[count_++].prepare(rows, bodies, linear, of_bodies, of_linear);
    }

    std::vector<ConstraintGroup> groups_;
    std::vector<int> roots_;
    int count_ = 0, first_ = 0;
};

KIDO_END
