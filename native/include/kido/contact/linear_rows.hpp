#pragma once

#include "kido/contact/cholesky.hpp"
#include "kido/contact/constraint_softness.hpp"
#include "kido/contact/correction_damping.hpp"
#include "kido/contact/row_shares.hpp"
#include "kido/contact/serial_contact.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/contact/step_rows.hpp"
#include "kido/contact/turned_angle.hpp"

// Constraints that are given as rows: sums of factor * velocity over dofs of skeletons and over free bodies. Gears are such rows, whose
// errors are sums of positions, and so is whatever a user's class gives. All rows are solved in one visit: by Cholesky where no
// force is bounded, else by projected Gauss-Seidel among themselves. A row takes one coordinate of each skeleton that it has a
// share in, however many dofs these are.

KIDO_BEGIN

class LinearRows {
public:
    explicit LinearRows(RowConstraint constraint) : constraint_(std::move(constraint)) { resize(); }

    const RowConstraint& constraint() const { return constraint_; }
    // New numbers for the next step; impulses stay where there are as many rows as before.
    void set(RowConstraint constraint) {
        const bool other = constraint.rows.size() != constraint_.rows.size();
        constraint_ = std::move(constraint);
        if (other) resize();
    }
    int size() const { return static_cast<int>(constraint_.rows.size()); }
    // Whether no force has bounds, so that the rows can be solved together with other constraints.
    bool is_linear() const { return !bounded_ && size() > 0 && !asleep; }
    bool is_rigid() const { return !bounded_ && !soft_; }
    bool is_touched() const { return is_touched_; }
    void see_touched(bool is_touched) { is_touched_ |= is_touched; }
    bool grouped = false;  // whether they are in this step
    bool asleep = false;   // whether what they couple sleeps
    // Whether they are the same in every step, as gears are.
    bool is_lasting() const { return constraint_.of_positions; }
    // Calls f(row of the solver) for the skeletons and bodies that it has ever a share in; of a skeleton with that of its first link.
    template <class Trees, class F>
    void for_each_body(const Trees& trees, F f) const {
        for (const TreeShare& s : constraint_.tree_shares) f(trees[s.tree].articulation.first_row());
        for (const BodyShare& s : constraint_.body_shares) f(s.body);
    }
    // Calls f(tree, body) with what the rows have a share in; -1: none.
    template <class F>
    void for_each_owner(F f) const {
        for (const Side& s : sides_) f(s.tree, -1);
        for (const Held& s : bodies_) f(-1, s.body);
    }
    // The rows, each with what is added to its response to itself.
    void add_shares(std::vector<RowShares>& shares, std::vector<double>& regular) const {
        const std::size_t first = shares.size();
        shares.resize(first + size());
        for (const Side& s : sides_) shares[first + s.row].coordinates.push_back({s.tree, s.reads, 1.0});
        for (const Held& s : bodies_) shares[first + s.row].bodies.push_back({s.body, s.linear, s.angular});
        regular.insert(regular.end(), added_.begin(), added_.end());
    }
    // Sums over the sub-steps of the last step.
    const std::vector<double>& totals() const { return totals_; }
    bool unmet() const { return feasibility_.unmet(); }

    // Adds the coordinates of a step. `disturbed`: bodies were moved by others than steps.
    template <class Trees>
    void find(const Trees& trees, std::vector<ArticulationResponse>& responses, bool disturbed) {
        sides_.clear();
        owners_.clear();
        for_each_body(trees, [&](int row) { owners_.push_back(row); });
        substeps_ = 0;
        for (int i = 0; i < size(); ++i) error_[i] = constraint_.rows[i].error;
        const std::vector<TreeShare>& all = constraint_.tree_shares;
        for (std::size_t begin = 0; begin < all.size();) {
            std::size_t end = begin;
            std::vector<DofShare> reads, gives;
            const TreeShare& first = all[begin];
            const Articulation& a = trees[first.tree].articulation;
            for (; end < all.size() && all[end].row == first.row && all[end].tree == first.tree; ++end) {
                reads.push_back({all[end].dof, all[end].factor});
                if (all[end].gives) gives.push_back(reads.back());
                if (constraint_.of_positions) error_[first.row] += all[end].factor * a.positions[all[end].dof];
            }
            Side side = {first.row, first.tree, add(responses[first.tree], a.model(), reads), -1};
            side.gives = gives.size() == reads.size() ? side.reads : gives.empty() ? -1 : add(responses[first.tree], a.model(), gives);
            sides_.push_back(side);
            begin = end;
        }
        for (int i = 0; i < size(); ++i) {
            const double missed = error_[i] - predicted_[i];
            learned_[i] = disturbed || pushing_ == Pushing::damped || std::fabs(missed) > kMostLearned ? 0.0 : missed;
            totals_[i] = 0.0;
        }
        was_pushing_ = std::exchange(pushing_, Pushing::plain);
    }
    void prepare(const SideRows& rows, double h) {
        h_ = h;
        const int m = size();
        is_touched_ = std::any_of(owners_.begin(), owners_.end(), [&](int row) { return rows.is_touched(row); });
        bodies_.clear();
        for (const BodyShare& s : constraint_.body_shares) {
            const BodyPose<double> pose = load_pose<double>(rows.poses, &s.body);
            const Vec3<double> linear = vec3(s.linear), angular = vec3(s.angular);
            bodies_.push_back({s.row, s.body, linear, angular, linear * pose.inverse_mass, pose.inverse_inertia * angular});
        }
        response_.assign(static_cast<std::size_t>(m) * m, 0.0);
        led_.assign(m, 0.0);
        for (const Side& i : sides_) {
            for (const Side& j : sides_) {
                if (j.gives >= 0) at(i.row, j.row) += rows.response(i.tree, i.reads, j.tree, j.gives);
            }
        }
        for (const Held& i : bodies_) {
            for (const Held& j : bodies_) {
                if (i.body == j.body) at(i.row, j.row) += dot(i.linear, j.linear_gain) + dot(i.angular, j.angular_gain);
            }
        }
        // A leader that yields more than its follower would turn the sign of a row that acts on the follower alone.
        for (const Side& s : sides_) {
            if (s.gives < 0 || s.gives == s.reads) continue;
            const double own = rows.responses[s.tree].response(s.gives, s.gives);
            at(s.row, s.row) = std::max(at(s.row, s.row), kLeastShare * own);
            led_[s.row] = std::max(at(s.row, s.row) - own, 0.0);
        }
        set_scales();
        soften(h);
        for (int i = 0; i < m; ++i) {
            const ConstraintRow& r = constraint_.rows[i];
            if (r.coupled < 0) impulse_[i] = std::min(std::max(impulse_[i], r.lower * h), r.upper * h);
        }
        for (int i = 0; i < m; ++i) impulse_[i] = std::min(std::max(impulse_[i], least(i)), most(i));
        if (!bounded_) factorize();
    }
    void warm_start(const SideRows& rows) {
        ++substeps_;
        for (int i = 0; i < size(); ++i) change_[i] = impulse_[i];
        give(rows);
    }
    template <bool Relaxing>
    void sweep(const SideRows& rows, const SweepSettings& settings) {
        if (grouped) return;
        take_back(rows);
        if (soft_ && Relaxing) return;
        read<Relaxing>(rows, settings, wanted_.data(), pushed_.data());
        if (!Relaxing) damp(rows, settings);
        for (int i = 0; i < size(); ++i) wanted_[i] += pushed_[i];
        if (bounded_) {
            project();
        } else {
            substitute(wanted_, change_);
        }
        take(rows, change_.data());
        if (!Relaxing && pushing_ != Pushing::plain) substitute(pushed_, pushes_);
    }
    const RowScale& scale(int i) const { return scales_[i]; }
    // How their errors are pushed in a sub-step.
    void see_pushing(Pushing pushing) { pushing_ = std::max(pushing_, pushing); }
    // Of springs that are as stiff as what holds rigidly, in relaxing sweeps.
    void drop_spring() {
        for (int i = 0; i < size(); ++i) {
            if (!gives_force(i)) spring_[i] = 0.0;
        }
    }
    // By how much the rows' velocities are off (size()), and what pushes their errors is more; returns how many these are.
    template <bool Relaxing>
    int read(const SideRows& rows, const SweepSettings& settings, double* wanted, double* pushed) {
        read(rows, rows.velocities, &ArticulationResponse::motion, motion_);
        read(rows, rows.displacements, &ArticulationResponse::displacement, moved_);
        for (int i = 0; i < size(); ++i) {
            const ConstraintRow& r = constraint_.rows[i];
            wanted[i] = motion_[i] - r.speed;
            pushed[i] = 0.0;
            if (r.coupled >= 0) continue;  // of friction, which knows velocities alone
            const double passed = (Relaxing ? substeps_ : substeps_ - 1) * h_;
            const double error = error_[i] + learned_[i] + moved_[i] - r.speed * passed;
            if (soft_) {
                // In relaxing sweeps, that of the soft ones still: an implicit spring knows the error at the sub-step's beginning.
                if (!Relaxing) spring_[i] = spring(error, softness_[i].bias);
                wanted[i] += impulse_[i] * softness_[i].give;
                (gives_force(i) ? wanted : pushed)[i] += spring_[i];
            } else if (!Relaxing) {
                wanted[i] += slack(r, error) * settings.closing;
                pushed[i] = (error - slack(r, error)) * settings.closing;
            } else {
                wanted[i] += slack(r, error) * settings.per_step;
            }
        }
        return size();
    }
    // Changes of the rows' impulses (size()).
    int take(const SideRows& rows, const double* change) {
        for (int i = 0; i < size(); ++i) {
            change_[i] = change[i];
            impulse_[i] += change[i];
        }
        give(rows);
        return size();
    }
    // After `prepare`, for a step that others solve: what pushes errors there, damped.
    void push_errors(const SideRows& rows, const SweepSettings& settings) {
        read_errors(rows, settings, pushed_.data());
        damp(rows, settings);
        take_errors(settings, pushed_.data());
    }
    int read_errors(const SideRows& rows, const SweepSettings& settings, double* pushed) {
        substeps_ = 1;
        return read<false>(rows, settings, wanted_.data(), pushed);
    }
    int take_errors(const SweepSettings& settings, const double* pushed) {
        for (int i = 0; i < size(); ++i) {
            const ConstraintRow& r = constraint_.rows[i];
            correcting_[i] = pushed[i] + (gives_force(i) ? spring_[i] : 0.0);
            if (!soft_ && r.coupled < 0) correcting_[i] += slack(r, error_[i] + learned_[i]) * settings.closing;
        }
        return size();
    }
    // After these: for solvers of matrices; `index` counts after all constraints between bodies with -1 as its second number.
    void add_rows(StepRows& rows, int index, const Correction& correction) const {
        const int first = static_cast<int>(rows.rows().size());
        for (int i = 0; i < size(); ++i) {
            const ConstraintRow& r = constraint_.rows[i];
            const double error = error_[i] + learned_[i];
            SystemRow row = {SystemRowKind::rows, index, -1, i, -1, least(i), most(i), 0.0, 0.0, softness_[i].give, impulse_[i], 0, 0};
            if (r.coupled >= 0) {
                row.normal = first + r.coupled;
                row.lower = -r.coefficient;
                row.upper = r.coefficient;
            } else {
                row.correcting = correcting_[i];
                row.keeping = soft_ ? row.correcting : slack(r, error) * correction.per_step;
            }
            row.correcting -= r.speed;
            row.keeping -= r.speed;
            row.softness += led_[i];
            rows.add(row, ends(i, &Side::gives), ends(i, &Side::reads));
        }
    }
    const double* take_impulses(const double* x) {
        std::fill(totals_.begin(), totals_.end(), 0.0);
        for (double& impulse : impulse_) impulse = *x++;
        std::fill(totals_.begin(), totals_.end(), 0.0);
        return x;
    }
    void archive(StateArchive& archive) {
        for (auto* v : {&error_, &learned_, &predicted_, &impulse_, &totals_}) archive(*v);
        archive(feasibility_);
        archive(pushing_);
        archive(was_pushing_);
        if (archive.reads()) follow(impulse_.size());
    }
    void scale_impulses(double factor) {
        for (double& impulse : impulse_) impulse *= factor;
    }
    void forget() { std::fill(impulse_.begin(), impulse_.end(), 0.0); }
    // What the errors will be, by the linear motion of a step of this length; speeds that are wished are no errors.
    void predict(const SideRows& rows, double step) {
        read(rows, rows.displacements, &ArticulationResponse::displacement, moved_);
        read(rows, rows.velocities, &ArticulationResponse::motion, motion_);
        double left = 0.0, fastest = 0.0;
        for (int i = 0; i < size(); ++i) {
            const ConstraintRow& r = constraint_.rows[i];
            predicted_[i] = error_[i] + moved_[i] - r.speed * step;
            const bool free = r.lower <= -HUGE_VAL && r.upper >= HUGE_VAL && r.coupled < 0 && r.speed == 0.0;
            if (!free || !(at(i, i) > 0.0)) continue;
            left = std::max(left, std::fabs(predicted_[i] + learned_[i]));
            fastest = std::max(fastest, std::fabs(motion_[i]));
        }
        if (!constraint_.softness.any()) feasibility_.see(left, fastest);
    }
    // Errors at the present positions where they are known, else those that the last step has left.
    template <class Trees>
    double error(const Trees& trees, int row) const {
        if (!constraint_.of_positions) return predicted_[row];
        double sum = constraint_.rows[row].error;
        for (const TreeShare& s : constraint_.tree_shares) {
            if (s.row == row) sum += s.factor * trees[s.tree].articulation.positions[s.dof];
        }
        return sum;
    }

private:
    static constexpr double kMostLearned = 1e-3;  // [m or rad]
    static constexpr double kRegular = 1e-10;     // of the trace, for rows that constrain the same
    static constexpr double kLeastShare = 0.1;
    static constexpr int kMostRounds = 50;
    static constexpr double kSettled = 1e-14;  // change of an impulse beside the largest

    // A row's part in a tree: the coordinates that it reads, and that it gives impulses to (-1: none).
    struct Side {
        int row, tree, reads, gives;
    };
    struct Held {
        int row, body;
        Vec3<double> linear, angular, linear_gain, angular_gain;
    };
    using Numbers = AlignedNumbers ArticulationResponse::*;

    void resize() {
        const std::size_t m = constraint_.rows.size();
        for (auto* v : {&error_, &learned_, &predicted_, &impulse_, &totals_}) v->assign(m, 0.0);
        follow(m);
        feasibility_ = {};
    }
    // As many numbers as rows; rows that are asked for come with the next step.
    void follow(std::size_t m) {
        constraint_.rows.resize(m);
        for (auto* v : {&error_, &learned_, &predicted_, &impulse_, &totals_}) v->resize(m, 0.0);
        for (auto* v : {&change_, &wanted_, &pushed_, &pushes_, &correcting_, &moved_, &motion_, &spring_, &added_}) v->assign(m, 0.0);
        softness_.assign(m, {0.0, 0.0});
        is_spring_.assign(m, 0);
        scales_.assign(m, {});
    }
    // Where a row acts, or what it reads.
    std::vector<RowEnd> ends(int row, int Side::*of) const {
        std::vector<RowEnd> out;
        for (const Side& s : sides_) {
            if (s.row == row && s.*of >= 0) out.push_back(dof_end(s.tree, s.*of, 1.0));
        }
        for (const Held& s : bodies_) {
            if (s.row != row) continue;
            RowEnd end = {s.body, -1, 6, {}, {}};
            write3(end.w, s.linear);
            write3(end.w + 3, s.angular);
            out.push_back(end);
        }
        return out;
    }
    static int add(ArticulationResponse& response, const Model& model, const std::vector<DofShare>& shares) {
        const bool is_free = model.links[model.dof_link[shares[0].dof]].kind == JointKind::free;
        response.need_matrix();
        if (shares.size() == 1 && shares[0].factor == 1.0 && !is_free) return response.add_dof(model, shares[0].dof);
        return response.add_combination(model, shares.data(), static_cast<int>(shares.size()));
    }
    double& at(int i, int j) { return response_[static_cast<std::size_t>(i) * size() + j]; }
    auto matrix() {
        return [this](int i, int j) -> double& { return at(i, j); };
    }

    KIDO_NOINLINE void damp(const SideRows& rows, const SweepSettings& settings) {
        if (bounded_) return;
        if (is_touched_) CorrectionDamping::bound(scales_.data(), size(), settings.push_speed, pushed_.data());
        const Pushing pushing =
            damping_.damp(response_.data(), size(), scales_.data(), size(), settings.closing, settings.per_step / settings.closing,
                          pushed_.data(), [&](const double* impulses, double per_length) { return turn(rows, impulses, per_length); });
        see_pushing(std::max(pushing, pushing_of_touched(is_touched_)));
    }
    TurnedRates turn(const SideRows& rows, const double* impulses, double per_length) {
        turned_.begin();
        for (const Side& s : sides_) {
            if (s.gives >= 0) turned_.add(rows, s.tree, s.gives, impulses[s.row]);
        }
        for (const Held& s : bodies_) turned_.add(s.body, s.angular * impulses[s.row]);
        return turned_.largest(rows, per_length);
    }
    // Of rows in the positions, nothing: they are linear. Else a unit of error is taken for that of an angle, and a row that moves less than
    // it for one that stands badly.
    void set_scales() {
        for (int i = 0; i < size(); ++i) {
            double most = 0.0;
            for (const TreeShare& s : constraint_.tree_shares) {
                if (s.row == i) most = std::max(most, s.factor * s.factor);
            }
            for (const Held& s : bodies_) {
                if (s.row == i) most = std::max({most, dot(s.linear, s.linear), dot(s.angular, s.angular)});
            }
            const bool small = !constraint_.of_positions && most > 0.0 && most < 1.0;
            scales_[i] = {small ? at(i, i) / most : at(i, i), constraint_.of_positions ? 0.0 : 1.0, 1.0};
        }
    }
    void soften(double h) {
        const ConstraintSoftness given = constraint_.softness;
        soft_ = given.any() || feasibility_.driven() || (feasibility_.unmet() && was_pushing_ == Pushing::plain);
        const ConstraintSoftness taken = given.any() ? given : Feasibility::yielding(h);
        double trace = 0.0;
        for (int i = 0; i < size(); ++i) trace += at(i, i);
        bounded_ = false;
        for (int i = 0; i < size(); ++i) {
            const ConstraintRow& r = constraint_.rows[i];
            softness_[i] = soft_ && r.coupled < 0 && at(i, i) > 0.0 ? RowSoftness::of(taken, at(i, i), h, scales_[i].response) : RowSoftness{0.0, 0.0};
            is_spring_[i] = given.any() && softness_[i].is_spring(at(i, i));
            added_[i] = softness_[i].give + (size() > 1 ? kRegular * trace : 0.0);
            at(i, i) += added_[i];
            bounded_ |= r.lower > -HUGE_VAL || r.upper < HUGE_VAL || r.coupled >= 0;
        }
        for (const Side& s : sides_) bounded_ |= s.gives != s.reads;
    }
    double least(int i) const {
        const ConstraintRow& r = constraint_.rows[i];
        return r.coupled < 0 ? r.lower * h_ : std::max(r.lower * h_, -r.coefficient * std::fabs(impulse_[r.coupled]));
    }
    double most(int i) const {
        const ConstraintRow& r = constraint_.rows[i];
        return r.coupled < 0 ? r.upper * h_ : std::min(r.upper * h_, r.coefficient * std::fabs(impulse_[r.coupled]));
    }
    bool gives_force(int i) const { return is_touched_ && is_spring_[i]; }
    double spring(double error, double bias) const { return constraint_.softness.any() ? error * bias : Feasibility::push(error, bias); }
    // Of what pushes only, or pulls only, by how much it may still move before it acts.
    static double slack(const ConstraintRow& r, double error) {
        if (r.lower >= 0.0) return std::max(error, 0.0);
        return r.upper <= 0.0 ? std::min(error, 0.0) : 0.0;
    }

    void read(const SideRows& rows, const MotionRow* free, Numbers numbers, std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (const Side& s : sides_) out[s.row] += (rows.responses[s.tree].*numbers)[s.reads];
        for (const Held& s : bodies_) {
            const double* v = free[s.body].v;
            out[s.row] += dot(s.linear, vec3(v)) + dot(s.angular, vec3(v + 3));
        }
    }
    // The changes of the impulses, to all that have a share.
    void give(const SideRows& rows) {
        for (int i = 0; i < size(); ++i) totals_[i] += change_[i];
        for (const Side& s : sides_) {
            const double x[1] = {change_[s.row]};
            if (s.gives < 0 || x[0] == 0.0) continue;
            rows.responses[s.tree].push(s.gives, x);
            rows.exchange(s.tree);
        }
        for (const Held& s : bodies_) {
            double* v = rows.velocities[s.body].v;
            write3(v, vec3(v) + s.linear_gain * change_[s.row]);
            write3(v + 3, vec3(v + 3) + s.angular_gain * change_[s.row]);
        }
    }

    // L L^T of the response, in its place.
    void factorize() {
        factorize_in_place(size(), matrix(), [this](int i) { return std::max(added_[i], kTiny); });
    }
    // x <- -response^-1 b.
    void substitute(const std::vector<double>& b, std::vector<double>& x) {
        const int m = size();
        for (int i = 0; i < m; ++i) x[i] = -b[i];
        solve_lower(m, matrix(), [&](int i) -> double& { return x[i]; });
        for (int i = m - 1; i >= 0; --i) {
            double sum = x[i];
            for (int k = i + 1; k < m; ++k) sum -= at(k, i) * x[k];
            x[i] = sum / at(i, i);
            if (at(i, i) <= kUnmoved) x[i] = 0.0;  // of what nothing moves
        }
    }
    // After the displacement, and before another sweep: impulses that push errors, which would pile up along rows that hardly move.
    KIDO_NOINLINE void take_back(const SideRows& rows) {
        if (pushing_ == Pushing::plain || bounded_) return;
        for (double& p : pushes_) p = -p;
        take(rows, pushes_.data());
        std::fill(pushes_.begin(), pushes_.end(), 0.0);
    }
    void project() {
        const int m = size();
        for (int i = 0; i < m; ++i) change_[i] = -impulse_[i];
        for (int round = 0; round < kMostRounds; ++round) {
            double moved = 0.0, largest = 0.0;
            for (int i = 0; i < m; ++i) {
                if (at(i, i) <= kTiny) continue;
                const double next = std::min(std::max(impulse_[i] - wanted_[i] / at(i, i), least(i)), most(i));
                const double d = next - impulse_[i];
                impulse_[i] = next;
                for (int j = 0; j < m; ++j) wanted_[j] += at(j, i) * d;
                moved = std::max(moved, std::fabs(d));
                largest = std::max(largest, std::fabs(next));
            }
            if (moved <= kSettled * largest) break;
        }
        for (int i = 0; i < m; ++i) {
            change_[i] += impulse_[i];
            impulse_[i] -= change_[i];
        }
    }

    static constexpr double kTiny = 1e-200, kUnmoved = 1e-99;

    RowConstraint constraint_;
    std::vector<Side> sides_;
    std::vector<Held> bodies_;
    std::vector<double> error_, learned_, predicted_, impulse_, totals_, change_, wanted_, pushed_, pushes_, correcting_, moved_, motion_, spring_, added_, response_;
    std::vector<double> led_;  // by how much more a row that drives one way responds than what it acts on, to its own impulse
    std::vector<RowSoftness> softness_;
    std::vector<char> is_spring_;  // whether a row's softness gives forces, rather than pushing errors as what is rigid does
    std::vector<RowScale> scales_;
    CorrectionDamping damping_;
    TurnedAngle turned_;
    Feasibility feasibility_;
    std::vector<int> owners_;  // rows of the bodies, of a skeleton of its first link
    bool soft_ = false, bounded_ = false, is_touched_ = false;
    Pushing pushing_ = Pushing::plain, was_pushing_ = Pushing::plain;  // how errors are pushed in this step, in the one before
    int substeps_ = 0;
    double h_ = 0.0;
};

KIDO_END
