#pragma once

#include "kido/contact/cholesky.hpp"
#include "kido/contact/constraint_softness.hpp"
#include "kido/contact/correction_damping.hpp"
#include "kido/contact/row_shares.hpp"
#include "kido/contact/serial_contact.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/contact/step_rows.hpp"
#include "kido/contact/touch.hpp"
#include "kido/contact/turned_angle.hpp"
#include "kido/spatial/so3.hpp"

// Constraints that hold two bodies together: of a frame on the first in a frame on the second, some of the six components stay
// zero, or the distance of the two origins has a law. One visit solves all components at once. What the linear prediction of a
// step misses is learned from the step before, so that closed loops stay closed to second order.

KIDO_BEGIN

class BodyConstraintRows {
public:
    static constexpr int kRows = 6;

    explicit BodyConstraintRows(const BodyConstraint& constraint) : constraint_(constraint) {}

    const BodyConstraint& constraint() const { return constraint_; }
    // The impulse of the last step on the first body about its anchor, in world axes.
    FrameWrench<double> impulse() const {
        const FrameWrench<double> w = wrench(totals_);
        return {frame_ * w.force, frame_ * w.torque};
    }
    bool unmet() const { return feasibility_.unmet(); }
    // Of what is held, at the poses at hand: linear, angular; of a distance: the first.
    void error(const PoseRow* poses, double* out) const {
        BodyConstraintRows present = *this;
        present.place(poses, true);
        for (int i = 0; i < kRows; ++i) out[i] = constraint_.components[i] ? present.error_[i] : 0.0;
        if (!(constraint_.pulls && constraint_.pushes)) out[0] -= slack(out[0]);
    }
    ContactSides& sides() { return sides_; }
    const ContactSides& sides() const { return sides_; }
    // Rows that are held in this step.
    int size() const { return count_; }
    // Whether its force has no bounds, so that it can be solved together with others.
    bool is_linear() const { return constraint_.pulls && constraint_.pushes && count_ > 0 && !asleep && !eliminated_; }
    bool is_touched() const { return is_touched_; }
    // Whether contacts pull at what those hold that it is solved with.
    void see_touched(bool is_touched) { is_touched_ |= is_touched; }
    bool is_rigid() const { return constraint_.pulls && constraint_.pushes && !soft_; }
    // Whether it will be rigid in the next step.
    bool is_hard() const { return constraint_.pulls && constraint_.pushes && !constraint_.softness.any() && !yields(); }
    // Whether it turns soft because it cannot be met. One whose pushing is damped need not, unless it is driven: it comes to rest as it is.
    bool yields() const { return feasibility_.driven() || (unmet() && pushing_ == Pushing::plain && was_pushing_ == Pushing::plain); }
    // Whether it is solved outside of the sweeps, see LoopGroup.
    bool eliminated() const { return eliminated_; }
    // Impulses of a group are none to begin with: along what nothing moves, they are without bounds.
    void leave_to_sweeps() {
        if (eliminated_) forget();
        eliminated_ = false;
    }
    // Whether its errors were pushed with damping in the last step.
    bool is_damped() const { return pushing_ == Pushing::damped || was_pushing_ == Pushing::damped; }
    void begin_eliminated() {
        eliminated_ = true;
        count_ = 0;
    }
    void eliminate(int component) { rows_[count_++] = component; }
    bool grouped = false;  // whether it is solved together with others in this step
    bool asleep = false;   // whether what it holds sleeps

    // Frame, errors and arms, from the poses of the bodies; `disturbed`: not by steps alone.
    void place(const PoseRow* poses, bool disturbed) {
        const Placed first = placed(poses, constraint_.first, constraint_.first_pose);
        const Placed second = placed(poses, constraint_.second, constraint_.second_pose);
        const Vec3<double> apart = first.origin - second.origin;
        double error[kRows] = {};
        if (constraint_.law == ConstraintLaw::distance) {
            const double length = geometry::length(apart);
            const Vec3<double> along = length > 1e-12 ? apart * (1.0 / length) : second.axes.x;
            const Vec3<double> across = unit_across(along, second.axes.y);
            frame_ = {along, across, cross(along, across)};
            error[0] = length - constraint_.length;
        } else {
            frame_ = second.axes;
            write3(error, transposed_times(frame_, apart));
            write3(error + 3, turn(transpose(second.axes) * first.axes));
        }
        for (int i = 0; i < kRows; ++i) {
            const double missed = error[i] - predicted_[i];
            learn(i, disturbed || pushing_ == Pushing::damped || std::fabs(missed) > kMostLearned ? 0.0 : missed);
            error_[i] = error[i];
            totals_[i] = 0.0;
        }
        was_pushing_ = std::exchange(pushing_, Pushing::plain);
        sides_.first.arm = first.origin - first.center;
        // Equal and opposite at one point, however far the second frame's origin is along an axis that slides.
        sides_.second.arm = (constraint_.law == ConstraintLaw::distance ? second.origin : first.origin) - second.center;
    }
    void prepare(const SideRows& rows, double h) {
        numbers(sides_.bend(rows, frame_), bend_);
        substeps_ = 0;
        is_touched_ = rows.is_pushed(sides_.first.row) || rows.is_pushed(sides_.second.row);
        if (eliminated_) {
            soft_ = false;
            std::fill_n(is_spring_, kRows, false);
            return;
        }
        const PairResponse<double> r = sides_.response(rows, frame_);
        const Vec3<double>*v = &r.linear_by_force.x, *w = &r.angular_by_force.x;
        const Sym3<double>& t = r.angular_by_torque;
        const double turning[3][3] = {{t.xx, t.xy, t.xz}, {t.xy, t.yy, t.yz}, {t.xz, t.yz, t.zz}};
        double full[kRows][kRows];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                full[i][j] = (&v[j].x)[i];
                full[3 + i][j] = full[j][3 + i] = (&w[j].x)[i];
                full[3 + i][3 + j] = turning[i][j];
            }
        }
        double own[kRows];
        for (int i = 0; i < kRows; ++i) own[i] = full[i][i];
        see_open_response(rows, own);
        set_scales(own);
        set_softness(full, h);
        invert(full);
    }
    // About how rows would respond if their coordinates did not hold each other. What closed loops hold hardly responds, and a spring's mass
    // would be without bounds: there it takes the place of the response.
    void see_open_response(const SideRows& rows, double (&own)[kRows]) {
        for (int i = 0; i < kRows; ++i) {
            bool folded = false;
            open_[i] = 0.0;
            for_each_term(i, [&](int tree, int coordinate, double factor) {
                const ArticulationResponse& response = rows.responses[tree];
                folded |= response.is_folded();
                open_[i] += factor * factor * response.scale(coordinate);
            });
            if (folded) own[i] = std::max(own[i], open_[i]);
        }
    }
    // From the responses of all six components to themselves.
    void set_scales(const double (&own)[kRows]) {
        RowScale of[2];
        RowScale::of_pair(own, constraint_.law == ConstraintLaw::distance ? error_[0] + constraint_.length : HUGE_VAL, of);
        for (int i = 0; i < kRows; ++i) scales_[i] = of[i / 3];
    }
    // Of the k-th row that is held.
    const RowScale& scale(int k) const { return scales_[rows_[k]]; }
    // Calls f(tree, coordinate, factor) for what a component's velocity adds up in trees.
    template <class F>
    void for_each_term(int component, const F& f) const {
        for (const ContactSide* side : {&sides_.first, &sides_.second}) {
            if (side->tree < 0) continue;
            const Vec3<double> axis = (&frame_.x)[component % 3] * (side == &sides_.first ? 1.0 : -1.0);
            const Vec3<double> angular = component < 3 ? cross(side->arm, axis) : axis;
            for (int c = 0; c < 3; ++c) {
                if (component < 3 && (&axis.x)[c] != 0.0) f(side->tree, side->coordinate + c, (&axis.x)[c]);
                if ((&angular.x)[c] != 0.0) f(side->tree, side->coordinate + 3 + c, (&angular.x)[c]);
            }
        }
    }
    // The rows, each with what is added to its response to itself.
    void add_shares(std::vector<RowShares>& shares, std::vector<double>& regular) const {
        const Vec3<double>* axes = &frame_.x;
        for (int k = 0; k < count_; ++k) {
            const int i = rows_[k];
            RowShares row;
            for (const ContactSide* side : {&sides_.first, &sides_.second}) {
                const Vec3<double> axis = axes[i % 3] * (side == &sides_.first ? 1.0 : -1.0);
                const Vec3<double> linear = i < 3 ? axis : zero3<double>(), angular = i < 3 ? cross(side->arm, axis) : axis;
                if (side->tree < 0) {
                    row.bodies.push_back({side->row, linear, angular});
                    continue;
                }
                for (int c = 0; c < 3; ++c) {
                    if ((&linear.x)[c] != 0.0) row.coordinates.push_back({side->tree, side->coordinate + c, (&linear.x)[c]});
                    if ((&angular.x)[c] != 0.0) row.coordinates.push_back({side->tree, side->coordinate + 3 + c, (&angular.x)[c]});
                }
            }
            shares.push_back(std::move(row));
            regular.push_back(added(i));
        }
    }
    void warm_start(const SideRows& rows) {
        ++substeps_;
        if (eliminated_) return;
        for (int i = 0; i < kRows; ++i) totals_[i] += impulse_[i];
        sides_.give(rows, frame_, wrench(impulse_));
    }
    template <bool Relaxing>
    void sweep(const SideRows& rows, const SweepSettings& settings) {
        if (grouped || eliminated_) return;
        if (pushing_ != Pushing::plain) take_back(rows);
        if (soft_ && Relaxing) return;
        double wanted[kRows], pushed[kRows];
        read<Relaxing>(rows, settings, wanted, pushed);
        if (!Relaxing) {
            see_pushing(std::max(damp(rows, settings, pushed), pushing_of_touched(is_touched_ || strains(pushed, settings))));
        }
        double change[kRows] = {};
        if (Relaxing) {
            find_change([&](int k) { return wanted[k]; }, change);
        } else {
            find_change([&](int k) { return wanted[k] + pushed[k]; }, change);
            if (pushing_ != Pushing::plain) set_pushes(wanted, change);
        }
        take(rows, change);
    }
    // By how much the rows' velocities are off (size()), and what pushes their errors is more; returns how many these are.
    template <bool Relaxing>
    int read(const SideRows& rows, const SweepSettings& settings, double* wanted, double* pushed) {
        double u[kRows], moved[kRows];
        numbers(sides_.velocity(rows, frame_), u);
        numbers(sides_.displacement(rows, frame_), moved);
        for (int k = 0; k < count_; ++k) {
            const int i = rows_[k];
            const double error = error_[i] + learned_[i] + moved[i];
            // That joints turn on is left to the next step: at the end of this one the dofs' velocities alone keep the constraint, so that
            // it takes energy at most.
            const double bend = bend_[i] * substeps_;
            wanted[k] = u[i];
            pushed[k] = 0.0;
            if (soft_) {
                // In relaxing sweeps, that of the soft ones still: an implicit spring knows the error at the sub-step's beginning.
                if (!Relaxing) spring_[i] = spring(error, softness_[i].bias);
                wanted[k] += impulse_[i] * softness_[i].give;
                (gives_force(i) ? wanted : pushed)[k] += spring_[i];
            } else if (!Relaxing) {
                // What is slack may become taut within a sub-step.
                wanted[k] += slack(error) * settings.closing - bend;
                pushed[k] = (error - slack(error)) * settings.closing + bend;
            } else {
                wanted[k] += slack(error) * settings.per_step - bend;
            }
        }
        return count_;
    }
    // How its errors are pushed in a sub-step.
    void see_pushing(Pushing pushing) { pushing_ = std::max(pushing_, pushing); }
    // Of a spring that is as stiff as what holds rigidly, in relaxing sweeps.
    void drop_spring() {
        for (int i = 0; i < kRows; ++i) {
            if (!gives_force(i)) spring_[i] = 0.0;
        }
    }
    // Changes of the rows' impulses (size()).
    int take(const SideRows& rows, const double* change) {
        double of_all[kRows] = {};
        for (int k = 0; k < count_; ++k) {
            const int i = rows_[k];
            of_all[i] = change[k];
            impulse_[i] += change[k];
            totals_[i] += change[k];
        }
        sides_.give(rows, frame_, wrench(of_all));
        return count_;
    }
    // What it gave in a step outside of the sweeps (size()); returns how many rows these are.
    int take_eliminated(const double* totals, int substeps) {
        std::fill_n(totals_, kRows, 0.0);
        std::fill_n(impulse_, kRows, 0.0);
        for (int k = 0; k < count_; ++k) {
            totals_[rows_[k]] = totals[k];
            impulse_[rows_[k]] = totals[k] / substeps;
        }
        return count_;
    }
    // After `prepare`, for a step that others solve: what pushes errors there, damped.
    void push_errors(const SideRows& rows, const SweepSettings& settings) {
        double pushed[kRows];
        read_errors(rows, settings, pushed);
        see_pushing(damp(rows, settings, pushed));
        take_errors(settings, pushed);
    }
    int read_errors(const SideRows& rows, const SweepSettings& settings, double* pushed) {
        double wanted[kRows];
        substeps_ = 1;
        return read<false>(rows, settings, wanted, pushed);
    }
    int take_errors(const SweepSettings& settings, const double* pushed) {
        for (int k = 0; k < count_; ++k) {
            const int i = rows_[k];
            correcting_[i] = pushed[k] + (gives_force(i) ? spring_[i] : 0.0);
            if (!soft_) correcting_[i] += slack(error_[i] + learned_[i]) * settings.closing - bend_[i];
        }
        return count_;
    }
    // After these.
    void add_rows(StepRows& rows, int index, const Correction& correction) const {
        for (int k = 0; k < count_; ++k) {
            const int i = rows_[k];
            const double error = error_[i] + learned_[i];
            const double keeping = soft_ ? correcting_[i] : slack(error) * correction.per_step;
            double unit[kRows] = {};
            unit[i] = 1.0;
            rows.add({SystemRowKind::constraint, index, -1, i, -1, least_, most_, correcting_[i], keeping, softness_[i].give, impulse_[i],
                      0, 0},
                     sides_, frame_, wrench(unit));
        }
    }
    const double* take_impulses(const double* x) {
        std::fill_n(totals_, kRows, 0.0);
        for (int k = 0; k < count_; ++k) impulse_[rows_[k]] = *x++;
        std::fill_n(totals_, kRows, 0.0);
        return x;
    }
    void archive(StateArchive& archive) {
        archive(frame_);
        archive(error_);
        archive(learned_);
        archive(missed_);
        archive(changed_);
        archive(predicted_);
        archive(impulse_);
        archive(totals_);
        archive(feasibility_);
        archive(pushing_);
        archive(was_pushing_);
        archive(eliminated_);
    }
    void scale_impulses(double factor) {
        for (double& impulse : impulse_) impulse *= factor;
    }
    void forget() { std::fill_n(impulse_, kRows, 0.0); }
    // What the errors will be, by the linear motion of the step.
    void predict(const SideRows& rows) {
        double moved[kRows], u[kRows], fastest = 0.0;
        numbers(sides_.displacement(rows, frame_), moved);
        numbers(sides_.velocity(rows, frame_), u);
        double left = 0.0;
        for (int i = 0; i < kRows; ++i) predicted_[i] = error_[i] + moved[i];
        for (int k = 0; k < count_; ++k) {
            const double error = predicted_[rows_[k]] + learned_[rows_[k]];
            left = std::max(left, std::fabs(error - slack(error)));
            fastest = std::max(fastest, std::fabs(u[rows_[k]] - bend_[rows_[k]] * substeps_));
        }
        // What cannot be moved at present, as what stands badly, is not met either.
        for (int i = 0; i < kRows; ++i) {
            if (!constraint_.components[i] || std::find(rows_, rows_ + count_, i) != rows_ + count_) continue;
            const double error = std::fabs(predicted_[i] - slack(predicted_[i]));
            left = std::max(left, error);
            if (error > Feasibility::kLeft) see_pushing(Pushing::damped);
        }
        if (!constraint_.softness.any()) feasibility_.see(left, fastest);
    }

private:
    static constexpr double kSteady = 0.5;

    // Changes of impulses, within their bounds, that give rows the velocities that they want.
    // Of the impulses, that give rows the velocities which they want.
    template <class Wanted>
    KIDO_INLINE void find_change(const Wanted& wanted, double* change) const {
        for (int k = 0; k < count_; ++k) {
            double sum = 0.0;
            for (int l = 0; l < count_; ++l) sum += inverse_[k][l] * wanted(l);
            const double impulse = impulse_[rows_[k]];
            change[k] = std::min(std::max(impulse - sum, least_), most_) - impulse;
        }
    }
    // What of a change pushes errors.
    KIDO_NOINLINE void set_pushes(const double* wanted, const double* change) {
        double kept[kRows];
        find_change([&](int k) { return wanted[k]; }, kept);
        for (int k = 0; k < count_; ++k) pushes_[k] = change[k] - kept[k];
    }
    // Whether what acts in one way is pushed far: nobody knows what stands against it, for it is solved by itself.
    bool strains(const double* pushed, const SweepSettings& settings) const {
        if (soft_ || (constraint_.pulls && constraint_.pushes)) return false;
        return std::any_of(pushed, pushed + count_, [&](double b) { return std::fabs(b) > Feasibility::kLeft * settings.closing; });
    }
    // After the displacement, and before another sweep: impulses that push errors, which would pile up along rows that hardly move.
    KIDO_NOINLINE void take_back(const SideRows& rows) {
        for (double& p : pushes_) p = -p;
        take(rows, pushes_);
        std::fill_n(pushes_, kRows, 0.0);
    }
    // In place; `pushed`: velocities that push errors (size()).
    KIDO_NOINLINE Pushing damp(const SideRows& rows, const SweepSettings& settings, double* pushed) {
        RowScale scales[kRows];
        for (int k = 0; k < count_; ++k) scales[k] = scale(k);
        // What acts in one way is solved by itself: what it pushes against, others have to give back.
        if (!soft_ && (is_touched_ || !(constraint_.pulls && constraint_.pushes))) CorrectionDamping::bound(scales, count_, settings.push_speed, pushed);
        return damping_.damp(&lower_[0][0], kRows, scales, count_, settings.closing, settings.per_step / settings.closing, pushed,
                             [&](const double* impulses, double per_length) {
                                 turned_.begin();
                                 for (int k = 0; k < count_; ++k) add_turning(rows, rows_[k], impulses[k]);
                                 return turned_.largest(rows, per_length);
                             });
    }
    void add_turning(const SideRows& rows, int component, double impulse) {
        for_each_term(component, [&](int tree, int coordinate, double factor) { turned_.add(rows, tree, coordinate, factor * impulse); });
        for (const ContactSide* side : {&sides_.first, &sides_.second}) {
            if (side->tree >= 0 || !rows.bodies[side->row].moves()) continue;
            const Vec3<double> axis = (&frame_.x)[component % 3] * (side == &sides_.first ? impulse : -impulse);
            turned_.add(side->row, component < 3 ? cross(side->arm, axis) : axis);
        }
    }

    // Whether contacts may not take back what a row pushes, for it is a spring's force.
    bool gives_force(int i) const { return is_touched_ && is_spring_[i]; }
    double spring(double error, double bias) const { return constraint_.softness.any() ? error * bias : Feasibility::push(error, bias); }
    // What this step will miss, by what the last three have missed: the curvature of the motion changes smoothly, but where
    // something hits.
    void learn(int i, double missed) {
        const double change = missed - missed_[i], before = changed_[i];
        learned_[i] = missed;
        if (std::fabs(change) < kSteady * std::fabs(missed)) {
            learned_[i] += change;
            if (std::fabs(change - before) < kSteady * std::fabs(change)) learned_[i] += change - before;
        }
        missed_[i] = missed;
        changed_[i] = change;
    }
    static constexpr double kMostLearned = 1e-2;  // [m or rad]
    static constexpr double kRegular = 1e-10;     // of the trace, for components that constrain the same
    static constexpr double kRounding = 1e-13;    // of what a response is the difference of

    struct Placed {
        Vec3<double> center, origin;
        Mat3<double> axes;
    };
    static Placed placed(const PoseRow* poses, int row, const double* pose) {
        const double* p = poses[row].v;
        const Mat3<double> R = mat3(p + kRowAxes);
        return {vec3(p), vec3(p) + R * vec3(pose), R * mat3(pose + 3)};
    }
    // The angles that shall vanish: of a whole rotation, or of its z axis.
    Vec3<double> turn(const Mat3<double>& R) const {
        if (constraint_.components[5]) return so3_log(R);
        return {-R.z.y, R.z.x, 0.0};
    }
    // Of what acts in one way only, by how much it may still move before it acts.
    double slack(double error) const {
        if (constraint_.pulls && constraint_.pushes) return 0.0;
        return constraint_.pulls ? std::min(error, 0.0) : std::max(error, 0.0);
    }
    static FrameWrench<double> wrench(const double* x) { return {vec3(x), vec3(x + 3)}; }
    static void numbers(const FrameMotion<double>& m, double (&x)[kRows]) {
        write3(x, m.linear);
        write3(x + 3, m.angular);
    }
    void set_softness(const double (&full)[kRows][kRows], double h) {
        const BodyConstraint& c = constraint_;
        soft_ = c.softness.any() || yields();
        const ConstraintSoftness taken = c.softness.any() ? c.softness : Feasibility::yielding(h);
        for (int i = 0; i < kRows; ++i) softness_[i] = soft_ ? RowSoftness::of(taken, full[i][i], h, scales_[i].response) : RowSoftness{0.0, 0.0};
        for (int i = 0; i < kRows; ++i) is_spring_[i] = c.softness.any() && softness_[i].is_spring(full[i][i]);
        least_ = c.pulls ? -HUGE_VAL : 0.0;
        most_ = c.pushes ? HUGE_VAL : 0.0;
    }
    // What is added to a row's response to itself, for others that hold the same.
    double added(int i) const { return softness_[i].give + std::max(kRegular * trace_, kRounding * open_[i]); }
    // Of the components that are held, by Cholesky.
    void invert(const double (&full)[kRows][kRows]) {
        count_ = 0;
        for (int i = 0; i < kRows; ++i) {
            // What nothing moves is not held: between two bodies that stand, at a point on the only axis.
            if (constraint_.components[i] && full[i][i] > kRounding * open_[i]) rows_[count_++] = i;
        }
        trace_ = 0.0;
        for (int k = 0; k < count_; ++k) trace_ += full[rows_[k]][rows_[k]];
        for (int k = 0; k < count_; ++k) {
            for (int l = 0; l <= k; ++l) lower_[k][l] = full[rows_[k]][rows_[l]] + (k == l ? added(rows_[k]) : 0.0);
        }
        const auto at = [this](int k, int l) -> double& { return lower_[k][l]; };
        factorize_in_place(count_, at, [this](int k) { return std::max(added(rows_[k]), 1e-300); });
        for (int c = 0; c < count_; ++c) {
            const auto column = [this, c](int k) -> double& { return inverse_[k][c]; };
            for (int k = 0; k < count_; ++k) column(k) = k == c ? 1.0 : 0.0;
            solve_lower(count_, at, column);
            solve_upper(count_, at, column);
        }
    }

    BodyConstraint constraint_;
    ContactSides sides_ = {};
    Mat3<double> frame_ = identity3<double>();
    double error_[kRows] = {}, learned_[kRows] = {}, predicted_[kRows] = {}, impulse_[kRows] = {};
    double missed_[kRows] = {}, changed_[kRows] = {};  // by the last step; by how much more than by the one before
    double totals_[kRows] = {};  // impulses over the sub-steps
    double inverse_[kRows][kRows] = {}, lower_[kRows][kRows] = {};  // of the response, and its factor
    RowScale scales_[kRows] = {};
    CorrectionDamping damping_;
    TurnedAngle turned_;
    double pushes_[kRows] = {};  // the part of the impulses of a sub-step that pushes errors, where it is not plain
    Pushing pushing_ = Pushing::plain, was_pushing_ = Pushing::plain;  // in this step, in the one before
    double correcting_[kRows] = {};  // velocities that push errors in a step that others solve
    int rows_[kRows] = {}, count_ = 0;
    bool soft_ = false, eliminated_ = false, is_touched_ = false;
    RowSoftness softness_[kRows] = {};
    bool is_spring_[kRows] = {};  // whether its softness gives forces, rather than pushing errors as what is rigid does
    double spring_[kRows] = {};  // velocities that springs ask for in a sub-step
    double trace_ = 0.0, open_[kRows] = {};
    double bend_[kRows] = {};  // velocities that rows gain in a sub-step by velocities alone
    int substeps_ = 0;         // that have begun
    Feasibility feasibility_;
    double least_ = 0.0, most_ = 0.0;
};

KIDO_END
