#pragma once

#include <cfloat>
#include <cmath>

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/constraint_softness.hpp"
#include "kido/contact/contact_law.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/contact/step_rows.hpp"
#include "kido/scalar/lane_scan.hpp"
#include "kido/spatial/so3.hpp"

// Limits of positions and velocities: one row for each dof that is near one of its limits. They are hard, but for limits of positions
// that have a softness: a spring and damper, implicit in a sub-step. Positions of ball and free joints
// are rotation vectors, and places in the axes of what carries the joint: their rates are not the dofs' velocities, but these
// times a matrix, of which a row has one line.

KIDO_BEGIN

struct LimitRow {
    int dof, count;       // how many dofs its rate depends on
    int coordinates[3];
    double rate[3];       // away from the limit, by the velocities of these dofs
    double gap;           // to the limit [m or rad], or [m/s or rad/s] of a velocity
    double mass;          // 1 / response
    double impulse;
    double bias, give;    // as of RowSoftness; give 0: a hard limit

    // The impulse that holds u + bias gap + give impulse = 0 by a push, u being the velocity with the present impulse; what is still
    // apart may close its gap.
    double soft_impulse(double u, double gap, double per_step) const {
        const double error = gap > 0.0 ? gap * per_step : gap * bias;
        return mass > 0.0 ? std::max((impulse - mass * (u + error)) / (1.0 + mass * give), 0.0) : 0.0;
    }
    // Away from the limit: velocity, and displacement in this step.
    double motion(const ArticulationResponse& response) const { return along(response, &ArticulationResponse::motion_at); }
    double displacement(const ArticulationResponse& response) const { return along(response, &ArticulationResponse::displacement_at); }
    // To an impulse of another row, or of the same.
    double response(const LimitRow& other, const ArticulationResponse& response) const {
        double sum = 0.0;
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < other.count; ++j) sum += rate[i] * other.rate[j] * response.response(coordinates[i], other.coordinates[j]);
        }
        return sum;
    }
    void push(ArticulationResponse& response, double by) const {
        if (by == 0.0) return;
        for (int i = 0; i < count; ++i) {
            const double x[1] = {rate[i] * by};
            response.push(coordinates[i], x);
        }
    }

private:
    KIDO_INLINE double along(const ArticulationResponse& response, double (ArticulationResponse::*of)(int) const) const {
        double sum = rate[0] * (response.*of)(coordinates[0]);
        for (int i = 1; i < count; ++i) sum += rate[i] * (response.*of)(coordinates[i]);
        return sum;
    }
};

class JointLimits {
public:
    explicit JointLimits(const Model& model)
        : impulses_(model.num_dofs, 0.0), signs_(model.num_dofs, 0.0), speed_impulses_(model.num_dofs, 0.0),
          too_fast_(model.num_dofs, 0.0), too_near_(model.num_dofs, 0.0), coupled_(model.num_dofs, 0.0) {
        for (int k = 0; k < model.num_dofs; ++k) coupled_[k] = model.links[model.dof_link[k]].dof_count > 1 ? DBL_MAX : 0.0;
    }

    // In the next rows all limits of velocities have theirs: an impact changes velocities by any amount, and a limit without a row would
    // have the whole step solved again.
    void expect_impact(bool expects = true) { expects_impact_ = expects; }
    // The rows of a step of length h; adds their coordinates.
    void find(const Articulation& a, ArticulationResponse& response, double h) {
        rows_.clear();
        speeds_.clear();
        const double known = expects_impact_ ? DBL_MAX : 0.0;  // a bound of distances at which rows are looked for
        scan_lanes(a.model().num_dofs, [&](const LaneReader& read) { return may_have_rows(a, read, h, known); }, [&](int k) {
            if (a.is_prescribed(k)) return;
            find_position(a, response, k, h);
            find_speed(a, response, k, h);
        });
        expects_impact_ = false;
    }
    void prepare(const Articulation& a, const ArticulationResponse& response, double h) {
        for (auto* rows : {&rows_, &speeds_}) {
            for (LimitRow& r : *rows) {
                const double sum = r.response(r, response);
                double scale = 0.0;
                for (int i = 0; i < r.count; ++i) scale += r.rate[i] * r.rate[i] * response.scale(r.coordinates[i]);
                r.mass = sum > 0.0 ? 1.0 / std::max(sum, kHardlyMoved * scale) : 0.0;
            }
        }
        for (LimitRow& r : rows_) {
            const ConstraintSoftness& softness = a.limit_softness[r.dof];
            if (!softness.any() || r.mass == 0.0) continue;
            const RowSoftness soft = RowSoftness::of(softness, 1.0 / r.mass, h);
            r.bias = soft.bias;
            r.give = soft.give;
        }
    }
    // Whether a position is beyond its limit, so that it is pushed back.
    bool any_exceeded() const {
        return std::any_of(rows_.begin(), rows_.end(), [](const LimitRow& r) { return r.gap < -kExceeded; });
    }
    // Whether a position comes to its limit in a step of length h, fast [1/s].
    bool any_impact(const ArticulationResponse& response, double h, double fast) const {
        for (const LimitRow& r : rows_) {
            if (r.give > 0.0) continue;
            const double u = r.motion(response);
            if (u < -fast && r.gap + h * u < 0.0) return true;
        }
        return false;
    }
    void warm_start(ArticulationResponse& response) const {
        for (const LimitRow& r : rows_) r.push(response, r.impulse);
        for (const LimitRow& r : speeds_) r.push(response, r.impulse);
    }
    // A sweep over positions; returns the largest change of a velocity.
    template <bool Relaxing>
    double sweep(const SweepSettings& settings, ArticulationResponse& response) {
        double most = 0.0;
        for (LimitRow& r : rows_) {
            if (Relaxing && r.give > 0.0) continue;
            const double u = r.motion(response), gap = r.gap + r.displacement(response);
            if (r.give > 0.0) {
                most = std::max(most, set(response, r, r.soft_impulse(u, gap, settings.per_step)));
                continue;
            }
            most = std::max(most, set(response, r, normal_impulse<Relaxing>(settings, r.impulse, r.mass, u, gap)));
        }
        return most;
    }
    // Rows of a problem: positions, then velocities.
    void add_rows(StepRows& rows, int tree, const Correction& correction) const {
        const auto end = [&](const LimitRow& r) {
            RowEnd e = {-1, tree, r.count, {}, {}};
            std::copy_n(r.coordinates, r.count, e.at);
            std::copy_n(r.rate, r.count, e.w);
            return e;
        };
        for (const LimitRow& r : rows_) {
            const double apart = std::max(r.gap, 0.0) * correction.per_step, soft = r.gap > 0.0 ? apart : r.gap * r.bias;
            const double correcting = r.give > 0.0 ? soft : r.gap > 0.0 ? apart : correction.of_depth(r.gap);
            rows.add({SystemRowKind::limit, tree, r.dof, -1, -1, 0.0, HUGE_VAL, correcting, r.give > 0.0 ? soft : apart, r.give,
                      r.impulse, 0, 0}, end(r), no_end());
        }
        for (const LimitRow& r : speeds_) {
            rows.add({SystemRowKind::limit, tree, r.dof, 1, -1, 0.0, HUGE_VAL, r.gap, r.gap, 0.0, r.impulse, 0, 0}, end(r), no_end());
        }
    }
    const double* take_impulses(const double* x) {
        for (LimitRow& r : rows_) r.impulse = *x++;
        for (LimitRow& r : speeds_) r.impulse = *x++;
        return x;
    }
    void archive(StateArchive& archive) {
        archive.same_length(impulses_);
        archive.same_length(signs_);
        archive.same_length(speed_impulses_);
    }
    // A sweep over velocities.
    double sweep_speeds(ArticulationResponse& response) {
        double most = 0.0;
        for (LimitRow& r : speeds_) {
            most = std::max(most, set(response, r, std::max(r.impulse - r.mass * (r.motion(response) + r.gap), 0.0)));
        }
        return most;
    }
    // Sweeps until no position is about to be displaced beyond its limit, rigidly: under the load of an impact, a soft limit of a
    // light link would give way.
    void settle(SweepSettings settings, ArticulationResponse& response) {
        settings.softness.mass = 1.0;
        settings.softness.impulse = 0.0;
        for (int i = 0; i < kPasses && any_passes(settings, response); ++i) sweep<false>(settings, response);
    }
    // The same of velocities.
    void settle_speeds(ArticulationResponse& response) {
        for (int i = 0; i < kPasses && sweep_speeds(response) > kSettledSpeed; ++i) {}
    }
    // Whether a step of `substeps` keeps all limits; dofs that have exceeded one without a row have one when it is solved again.
    bool check(const Articulation& a, const double* changes, const double* sums, double step, int substeps) {
        bool watched = false;
        scan_lanes(a.model().num_dofs, [&](const LaneReader& read) { return may_exceed(a, changes, sums, step, substeps, read); },
                   [&](int) { watched = true; });
        if (!watched) return true;
        const bool speeds = check_speeds(a, changes, step);
        return check_positions(a, sums, step, substeps) && speeds;
    }

    std::vector<LimitRow>& rows() { return rows_; }
    const std::vector<LimitRow>& rows() const { return rows_; }
    std::vector<LimitRow>& speed_rows() { return speeds_; }
    // The dof of one of a row's coordinates.
    static int dof_of(const Articulation& a, const LimitRow& row, int i) {
        const int first = a.model().links[a.model().dof_link[row.dof]].dof;
        return row.count == 1 ? row.dof : first + (row.dof - first < 3 ? 0 : 3) + i;
    }

private:
    bool check_positions(const Articulation& a, const double* sums, double step, int substeps) {
        const double h = step / substeps, weight = 0.5 * (substeps + 1) * step;
        const auto moved = [&](int k) { return h * (substeps * a.velocities[k] + weight * a.accelerations[k] + sums[k]); };
        bool good = true;
        for (int k = 0; k < a.model().num_dofs; ++k) {
            const double low = a.positions[k] - a.lower[k], high = a.upper[k] - a.positions[k];
            if (a.is_prescribed(k) || !std::isfinite(std::min(low, high))) continue;
            LimitRow row = {};
            set_rate(a, k, 1.0, row);
            double way = 0.0;
            for (int i = 0; i < row.count; ++i) way += row.rate[i] * moved(row.coordinates[i]);
            // Of the limit that has a row, nothing is missed.
            const bool below = low + way <= -kMissed && signs_[k] <= 0.0, above = high - way <= -kMissed && signs_[k] >= 0.0;
            if (!below && !above) continue;
            too_near_[k] = below ? 1.0 : -1.0;
            good = false;
        }
        return good;
    }
    bool check_speeds(const Articulation& a, const double* changes, double step) {
        const auto beyond = [&](int k, double share) {
            const double v = a.velocities[k] + step * a.accelerations[k] + changes[k];
            return !a.is_prescribed(k) && too_fast_[k] == 0.0 && (v > a.fastest[k] * share || v < a.slowest[k] * share);
        };
        bool good = true;
        for (int k = 0; k < a.model().num_dofs; ++k) good &= !beyond(k, 1.0 + kSlack);
        if (good) return true;
        for (int k = 0; k < a.model().num_dofs; ++k) {
            if (beyond(k, kWatched)) too_fast_[k] = 1.0;
        }
        return false;
    }

public:
    // Adds the impulses of a sub-step to those of the dofs.
    void add_to(const ArticulationResponse& response, double* limit) const {
        for (const auto* rows : {&rows_, &speeds_}) {
            for (const LimitRow& r : *rows) {
                for (int i = 0; i < r.count; ++i) limit[response.dof(r.coordinates[i])] += r.rate[i] * r.impulse;
            }
        }
    }
    void keep() {
        for (const LimitRow& r : rows_) impulses_[r.dof] = r.impulse;
        std::fill(speed_impulses_.begin(), speed_impulses_.end(), 0.0);
        for (const LimitRow& r : speeds_) speed_impulses_[r.dof] += r.impulse;  // of its two limits, one pushes
        forget_checks();
    }
    // Where sub-steps are that many times longer than before.
    void scale_impulses(double factor) {
        for (auto* v : {&impulses_, &speed_impulses_}) {
            for (double& impulse : *v) impulse *= factor;
        }
    }
    void forget() {
        for (auto* v : {&impulses_, &speed_impulses_}) std::fill(v->begin(), v->end(), 0.0);
        forget_checks();
    }

private:
    static constexpr double kExceeded = 1e-4;              // [m or rad]
    static constexpr double kNear = 0.01, kMissed = 1e-3;  // [m or rad]
    static constexpr double kNearSpeed = 0.1;  // of the range of velocities
    static constexpr double kSlack = 1e-9, kWatched = 0.6;  // of limits of velocities: for rounding; what may be next
    static constexpr int kPasses = 100;
    static constexpr double kSettled = 1e-2, kSettledSpeed = 1e-9;  // [m/s or rad/s]

    void forget_checks() {
        for (auto* v : {&too_fast_, &too_near_}) std::fill(v->begin(), v->end(), 0.0);
    }
    // Which dofs may have rows: those near a limit, those that had one, and limited ball and free joints.
    KIDO_INLINE LaneMask<KIDO_LANES> may_have_rows(const Articulation& a, const LaneReader& read, double h, double known) const {
        const NativeLanes q = read(a.positions), v = read(a.velocities), slowest = read(a.slowest), fastest = read(a.fastest);
        const NativeLanes size = abs(v), gap = min(q - read(a.lower), read(a.upper) - q), span = fastest - slowest;
        const NativeLanes near = select(span < HUGE_VAL, span * kNearSpeed, size * kNearSpeed);
        const auto is_near = gap <= kNear + 2.0 * h * size + read(coupled_);
        const auto is_fast = min(v - slowest, fastest - v) <= near + (h * abs(read(a.accelerations)) + known);
        const NativeLanes had = abs(read(signs_)) + abs(read(too_near_)) + abs(read(too_fast_));
        return is_near | is_fast | (had > 0.0);
    }
    // Which dofs may be beyond a limit at the end of a step.
    KIDO_INLINE LaneMask<KIDO_LANES> may_exceed(const Articulation& a, const double* changes, const double* sums, double step,
                                                int substeps, const LaneReader& read) const {
        const double h = step / substeps, weight = 0.5 * (substeps + 1) * step;
        const NativeLanes q = read(a.positions), v = read(a.velocities), acceleration = read(a.accelerations);
        const NativeLanes way = h * (double(substeps) * v + weight * acceleration + read(sums)), end = v + step * acceleration + read(changes);
        const NativeLanes least = min(q - read(a.lower) + way, read(a.upper) - q - way);
        const NativeLanes fastest = read(a.fastest) * (1.0 + kSlack), slowest = read(a.slowest) * (1.0 + kSlack);
        return (least <= read(coupled_) - kMissed) | (end > fastest) | (end < slowest);
    }
    void find_position(const Articulation& a, ArticulationResponse& response, int k, double h) {
        const double low = a.positions[k] - a.lower[k], high = a.upper[k] - a.positions[k];
        const bool lowest = too_near_[k] != 0.0 ? too_near_[k] > 0.0 : low < high;
        const double gap = lowest ? low : high;
        double sign = 0.0;
        LimitRow row = {k, 0, {}, {}, gap, 0.0, 0.0, 0.0, 0.0};
        if (std::isfinite(gap)) {
            sign = lowest ? 1.0 : -1.0;
            const double u = set_rate(a, k, sign, row);
            if (gap > kNear + 2.0 * h * std::fabs(u) && too_near_[k] == 0.0) sign = 0.0;
        }
        if (sign != signs_[k]) impulses_[k] = 0.0;
        signs_[k] = sign;
        if (sign == 0.0) return;
        row.impulse = impulses_[k];
        add(a, response, row);
    }
    // A velocity that is near to a limit, or was beyond it when the step was tried.
    void find_speed(const Articulation& a, ArticulationResponse& response, int k, double h) {
        const double low = a.slowest[k], high = a.fastest[k], v = a.velocities[k], reach = h * std::fabs(a.accelerations[k]);
        if (!std::isfinite(low) && !std::isfinite(high)) return;
        const double near = std::isfinite(high - low) ? kNearSpeed * (high - low) : kNearSpeed * std::fabs(v);
        const bool lowest = v - low < high - v;
        const double gap = lowest ? v - low : high - v;
        const bool is_near = gap <= near + reach, both = too_fast_[k] != 0.0 || expects_impact_;
        if (!is_near && !both) return;
        const int at = response.add_dof(a.model(), k);
        const auto one = [&](double sign, double limit, bool nearest) {
            const double impulse = nearest && is_near && too_fast_[k] == 0.0 ? speed_impulses_[k] : 0.0;
            speeds_.push_back({k, 1, {at, 0, 0}, {sign, 0.0, 0.0}, -sign * limit, 0.0, impulse, 0.0, 0.0});
        };
        if (std::isfinite(low) && (lowest || both)) one(1.0, low, lowest);
        if (std::isfinite(high) && (!lowest || both)) one(-1.0, high, !lowest);
    }
    static void add(const Articulation& a, ArticulationResponse& response, LimitRow row, std::vector<LimitRow>& rows) {
        for (int i = 0; i < row.count; ++i) row.coordinates[i] = response.add_dof(a.model(), row.coordinates[i]);
        rows.push_back(row);
    }
    void add(const Articulation& a, ArticulationResponse& response, const LimitRow& row) { add(a, response, row, rows_); }

    // Dofs and rates of a position, and its rate at present.
    static double set_rate(const Articulation& a, int k, double sign, LimitRow& row) {
        const Link& link = a.model().links[a.model().dof_link[k]];
        if (link.kind != JointKind::ball && link.kind != JointKind::free) {
            row.count = 1;
            row.coordinates[0] = k;
            row.rate[0] = sign;
            return sign * a.velocities[k];
        }
        const Vec3<double> r = vec3(&a.positions[link.dof]);
        const bool turns = k - link.dof < 3;
        const Mat3<double> M = turns ? so3_right_jacobian_inverse(r) : so3_exp(r);
        const int component = (k - link.dof) % 3, first = link.dof + (turns ? 0 : 3);
        const Vec3<double>* columns = &M.x;
        double u = 0.0;
        row.count = 3;
        for (int j = 0; j < 3; ++j) {
            row.coordinates[j] = first + j;
            row.rate[j] = sign * (&columns[j].x)[component];
            u += row.rate[j] * a.velocities[first + j];
        }
        return u;
    }
    // Whether a position is about to be displaced beyond its limit, or farther beyond it.
    bool any_passes(const SweepSettings& settings, const ArticulationResponse& response) const {
        for (const LimitRow& r : rows_) {
            if (r.give > 0.0 || r.mass == 0.0) continue;
            if (std::max(r.gap + r.displacement(response), 0.0) * settings.per_step + r.motion(response) < -kSettled) return true;
        }
        return false;
    }
    // Returns the change of the velocity.
    static double set(ArticulationResponse& response, LimitRow& r, double next) {
        const double change = next - r.impulse;
        r.push(response, change);
        r.impulse = next;
        return r.mass > 0.0 ? std::fabs(change) / r.mass : 0.0;
    }
    std::vector<LimitRow> rows_, speeds_;
    std::vector<double> impulses_, signs_, speed_impulses_;
    // In a step that is solved again; of positions, 1 where the lower limit was missed, -1 where the upper one was.
    std::vector<double> too_fast_, too_near_;
    bool expects_impact_ = false;
    std::vector<double> coupled_;  // of dofs of ball and free joints a bound that each distance to a limit is below, else 0
};

KIDO_END
