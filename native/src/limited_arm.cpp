#include "limited_arm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arm_descent.hpp"
#include "evaluate.hpp"
#include "thread_pool.hpp"

namespace kido {

using namespace closed_form;

namespace {

constexpr int kFew = 24, kMany = 240;   // positions of the locked joint that are tried from end to end
constexpr int kFiner = 4, kTimes = 8;   // factor by which the spacing shrinks about the best, and how often
constexpr double kPromising = 0.5;      // factor by which a refinement has to reduce what is beyond limits, if another is to follow
constexpr int kCenters = 6;             // the best, separate ones that are refined
constexpr double kSeparate = 2.5;       // spacings between two of them
constexpr double kSteepest = 4.0;       // distance from the target in spacings beyond which no solution is between two neighbours
constexpr double kApart = 0.2;          // between positions of the locked joint from which least squares begin [rad, m]
constexpr double kWithin = 0.3;         // of limits [rad, m], or of the target, from which least squares lead to it
constexpr std::size_t kPiece = 8;       // targets that a thread takes at a time
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool ArmSolutions::any_valid() const { return std::find(violations.begin(), violations.end(), kValid) != violations.end(); }

bool ArmSolutions::any_reached() const {
    for (std::size_t i = 0; i < count(); ++i) {
        if (reached(i)) return true;
    }
    return false;
}

void ArmSolutions::clear() {
    positions.clear();
    error.clear();
    beyond.clear();
    violations.clear();
}

void ArmSolutions::take(const ArmSolutions& from, std::size_t i) {
    positions.insert(positions.end(), from.row(i), from.row(i) + dofs);
    error.push_back(from.error[i]);
    beyond.push_back(from.beyond[i]);
    violations.push_back(from.violations[i]);
}

void ArmSolutions::take_all(const ArmSolutions& from) {
    for (std::size_t i = 0; i < from.count(); ++i) take(from, i);
}

void ArmSolutions::take_valid(const ArmSolutions& from) {
    for (std::size_t i = 0; i < from.count(); ++i) {
        if (from.violations[i] == kValid) take(from, i);
    }
}

LimitedArm::LimitedArm(const ClosedForm& form, const Point& origin, const JointRanges& ranges)
    : form_(form), origin_(origin), ranges_(ranges), rest_(ranges) {
    if (form.locked() >= 0) rest_ = ranges.without(form.locked());
}

// One target, from present positions.
struct LimitedArm::Search {
    const LimitedArm& arm;
    const Placement target;  // as the form has it
    const double* present;
    StopSignal* stop;
    ClosedFormSolutions raw;

    int locked() const { return arm.form_.locked(); }
    bool is_stopped() const { return stop && stop->poll(); }
    ArmSolutions none() const {
        ArmSolutions found;
        found.dofs = arm.dofs();
        return found;
    }

    // What the form found last, turned into the ranges.
    void add(ArmSolutions& found) const {
        for (int i = 0; i < raw.count; ++i) {
            double beyond = 0.0;
            for (int j = 0; j < arm.dofs(); ++j) {
                const double q = arm.ranges_.turned(j, raw.positions[i][j], present[j]);
                beyond = std::max(beyond, arm.ranges_.beyond(j, q));
                found.positions.push_back(q);
            }
            found.error.push_back(raw.angular_error[i] + raw.linear_error[i]);
            found.beyond.push_back(beyond);
            found.violations.push_back((raw.reached ? kValid : kOutOfReach) | (beyond > 0.0 ? kBeyondLimits : kValid));
        }
    }

    void at(const LockedChain& chain, const ClosedFormAim& aim, ArmSolutions& found) {
        arm.form_.solve(chain, target, present, aim, raw);
        add(found);
    }

    void without_locking(ArmSolutions& found) {
        arm.form_.solve(target, present, {}, raw);
        add(found);
    }

    // Valid ones among chains.
    ArmSolutions valid(const std::vector<LockedChain>& chains) {
        ArmSolutions close = none(), found = none();
        for (const LockedChain& chain : chains) {
            if (is_stopped()) break;
            close.clear();
            at(chain, {false, &arm.rest_}, close);
            found.take_valid(close);
        }
        return found;
    }

    // All that reach the target; chains that do not are listed.
    void reaching(const std::vector<LockedChain>& chains, ArmSolutions& found, std::vector<const LockedChain*>& missing) {
        for (const LockedChain& chain : chains) {
            if (is_stopped()) break;
            at(chain, {false, nullptr}, found);
            if (!raw.reached) missing.push_back(&chain);
        }
    }

    void nearest_of(const std::vector<const LockedChain*>& missing, ArmSolutions& found) {
        for (const LockedChain* chain : missing) {
            if (is_stopped()) break;
            at(*chain, {}, found);
        }
    }

    // Where the joint may be locked: its range, or about its present position.
    Grid grid() const {
        const int j = locked();
        const double reach = arm.ranges_.turns[j] ? arctangent::kPiHigh : 1.0;
        const double lower = arm.ranges_.lower[j], upper = arm.ranges_.upper[j];
        return {std::isfinite(lower) ? lower : std::min(present[j], upper) - reach,
                std::isfinite(upper) ? upper : std::max(present[j], lower) + reach, kFew};
    }

    void sweep(ArmSolutions& out) {
        const std::vector<LockedChain> here = {arm.form_.locked_at(present[locked()])};
        std::vector<const LockedChain*> missing;
        reaching(here, out, missing);
        if (out.any_valid()) return;
        Grid tried = grid();
        std::vector<LockedChain> own_few, own_many;
        for (int count : {kFew, kMany}) {
            tried.count = count;
            const std::vector<LockedChain>& chains = arm.chains(tried, count == kFew ? own_few : own_many);
            ArmSolutions within = valid(chains);
            if (within.count() > 0) return std::swap(out, within);
            reaching(chains, out, missing);
            if (!out.any_reached()) break;
        }
        std::vector<std::size_t> centers;
        if (!separated(out, kSeparate * tried.spacing(), centers)) {
            nearest_of(missing, out);
            separated(out, kSeparate * tried.spacing(), centers);
        }
        close_to(centers, tried, out);
    }

    // The best rows whose positions of the locked joint differ; whether there are as many as are refined.
    bool separated(const ArmSolutions& found, double distance, std::vector<std::size_t>& chosen) const {
        std::vector<std::size_t> order(found.count());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return found.reached(a) != found.reached(b) ? found.reached(a) : violation(found, a) < violation(found, b);
        });
        chosen.clear();
        for (std::size_t row : order) {
            const auto apart = [&](std::size_t other) {
                return std::fabs(found.row(other)[locked()] - found.row(row)[locked()]) > distance;
            };
            if (std::all_of(chosen.begin(), chosen.end(), apart)) chosen.push_back(row);
            if (chosen.size() == kCenters) return true;
        }
        return false;
    }

    // Of limits where a row reaches the target, else its distance from the target.
    static double violation(const ArmSolutions& found, std::size_t i) {
        return found.reached(i) ? found.beyond[i] : found.error[i];
    }

    // Valid rows near some of the best, none of which is valid; else the nearest of all.
    void close_to(const std::vector<std::size_t>& centers, const Grid& tried, ArmSolutions& out) {
        for (std::size_t row : centers) {
            if (is_stopped()) return;
            if (!out.reached(row) && out.error[row] > kSteepest * tried.spacing()) continue;
            const ArmSolutions close = closer(out, row, tried);
            if (close.any_valid()) {
                out.clear();
                return out.take_valid(close);
            }
            out.take_all(close);
        }
        if (!descend(out)) keep_nearest(out);
    }

    // Valid rows where the joint is locked as least squares within the ranges have it, from the best rows: these find
    // ranges of it that are narrower than any spacing. Whether there are some.
    bool descend(ArmSolutions& out) {
        std::vector<std::size_t> starts, more;
        separated(out, 0.0, starts);
        separated(out, kApart, more);
        starts.insert(starts.end(), more.begin(), more.end());
        const ArmDescent descent(arm.form_.chain(), arm.ranges_);
        ArmSolutions close = none();
        for (std::size_t row : starts) {
            if (is_stopped()) return true;
            if (violation(out, row) > kWithin) continue;
            double q[kMostJoints];
            std::copy(out.row(row), out.row(row) + arm.dofs(), q);
            if (!descent.reach(target, q)) continue;
            for (double beside : {0.0, 1e-8, -1e-8, 1e-6, -1e-6, 1e-4, -1e-4}) {
                close.clear();
                at(arm.form_.locked_at(q[locked()] + beside), {false, &arm.rest_}, close);
                if (!close.any_valid()) continue;
                out.clear();
                out.take_valid(close);
                return true;
            }
        }
        return false;
    }

    // Rows near one that is not valid, between its neighbours in a grid.
    ArmSolutions closer(const ArmSolutions& from, std::size_t row, const Grid& tried) {
        ArmSolutions one = none(), more = none();
        one.take(from, row);
        double spacing = tried.spacing();
        for (int k = 0; k < kTimes; ++k, spacing /= kFiner) {
            beside(one.row(0)[locked()], spacing, tried, more);
            if (more.any_valid() || more.count() == 0) return more;
            more.take(one, 0);
            const std::size_t best = best_of(more);
            if (!is_promising(more, best, one, spacing / kFiner)) return more;
            if (best + 1 == more.count()) continue;  // still that one
            one.clear();
            one.take(more, best);
        }
        return one;
    }

    // Whether there may be valid rows between the best of a refinement and its neighbours, `spacing` from it. All may miss a narrow
    // range within which the target is reached, and none be nearer than the one before: what counts is how far from the target the
    // best is, which is at most half the way to its neighbour from there.
    static bool is_promising(const ArmSolutions& more, std::size_t best, const ArmSolutions& one, double spacing) {
        if (!more.reached(best)) return more.error[best] <= kSteepest * 0.5 * spacing;
        return !one.reached(0) || more.beyond[best] <= kPromising * one.beyond[0];
    }

    // Rows between a position of the locked joint and its neighbours; the nearest where none of them reaches the target.
    void beside(double center, double spacing, const Grid& tried, ArmSolutions& found) {
        std::vector<LockedChain> chains;
        std::vector<const LockedChain*> missing;
        found.clear();
        for (int i = 1 - kFiner; i < kFiner; ++i) {
            if (i == 0) continue;
            const double position = center + static_cast<double>(i) / kFiner * spacing;
            chains.push_back(arm.form_.locked_at(std::min(std::max(position, tried.low), tried.high)));
        }
        reaching(chains, found, missing);
        if (found.count() == 0) nearest_of(missing, found);
    }

    // The row least beyond ranges of those that reach the target; where none does, the nearest.
    static std::size_t best_of(const ArmSolutions& found) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < found.count(); ++i) {
            const bool better = found.reached(i) == found.reached(best) ? violation(found, i) < violation(found, best)
                                                                         : found.reached(i);
            if (better) best = i;
        }
        return best;
    }

    // The best row; where none reaches the target, also that which comes nearest within ranges.
    void keep_nearest(ArmSolutions& out) const {
        if (out.count() == 0) return;
        const std::size_t best = best_of(out);
        std::size_t inside = best;
        double least = kInfinity;
        for (std::size_t i = 0; i < out.count() && !out.reached(best); ++i) {
            if (out.beyond[i] > 0.0 || !(out.error[i] < least)) continue;
            least = out.error[i];
            inside = i;
        }
        ArmSolutions kept = none();
        kept.take(out, std::min(best, inside));
        if (inside != best) kept.take(out, std::max(best, inside));
        std::swap(out, kept);
    }
};

const std::vector<LockedChain>& LimitedArm::chains(const Grid& grid, std::vector<LockedChain>& own) const {
    const int locked = form_.locked();
    const auto make = [&](std::vector<LockedChain>& chains) {
        chains.reserve(grid.count);
        for (int i = 0; i < grid.count; ++i) chains.push_back(form_.locked_at(grid.position(i)));
    };
    if (!std::isfinite(ranges_.lower[locked]) || !std::isfinite(ranges_.upper[locked])) {
        make(own);
        return own;
    }
    GridChains& kept = grid.count == kFew ? few_ : many_;
    std::call_once(kept.once, [&] { make(kept.chains); });
    return kept.chains;
}

void LimitedArm::solve(const Placement& target, const double* present, bool ranked, ArmSolutions& out,
                       StopSignal* stop) const {
    out.dofs = dofs();
    out.clear();
    out.positions.reserve(kMostSolutions * dofs());
    for (std::vector<double>* numbers : {&out.error, &out.beyond}) numbers->reserve(kMostSolutions);
    out.violations.reserve(kMostSolutions);
    Search search{*this, {target.R, target.p - origin_}, present, stop, {}};
    if (form_.locked() < 0) {
        search.without_locking(out);
    } else {
        search.sweep(out);
    }
    if (ranked) rank(present, out);
}

// Valid ones, then those out of reach, then those beyond ranges; within each of these by the largest change.
void LimitedArm::rank(const double* present, ArmSolutions& found) const {
    const std::size_t count = found.count();
    if (count < 2) return;
    struct Key {
        int grade;
        double change;
        std::size_t row;
    };
    std::vector<Key> keys;
    keys.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        double change = 0.0;
        for (int j = 0; j < dofs(); ++j) change = std::max(change, std::fabs(found.row(i)[j] - present[j]));
        const unsigned char flags = found.violations[i];
        keys.push_back({flags & kBeyondLimits ? 2 : flags & kOutOfReach ? 1 : 0, change, i});
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
        if (a.grade != b.grade) return a.grade < b.grade;
        return a.change != b.change ? a.change < b.change : a.row < b.row;
    });
    const ArmSolutions given = found;
    found.clear();
    for (const Key& key : keys) found.take(given, key.row);
}

ArmAnswer LimitedArm::answer(const Placement& target, const double* present, StopSignal* stop) const {
    ArmSolutions found;
    solve(target, present, true, found, stop);
    ArmAnswer best{};
    std::copy(present, present + dofs(), best.positions);
    if (found.count() == 0) {
        best.violations = kOutOfReach;
        measure(target, best);
        return best;
    }
    best.violations = found.violations[0];
    if (!(best.violations & kBeyondLimits)) {
        std::copy(found.row(0), found.row(0) + dofs(), best.positions);
        measure(target, best);
        return best;
    }
    // Of the present positions and the solutions, all put back to the limits, the nearest.
    ArmAnswer one = best;
    double least = kInfinity;
    for (std::size_t i = 0; i <= found.count(); ++i) {
        const double* q = i == 0 ? present : found.row(i - 1);
        for (int j = 0; j < dofs(); ++j) one.positions[j] = std::min(std::max(q[j], ranges_.lower[j]), ranges_.upper[j]);
        measure(target, one);
        const double distance = one.angular_error * one.angular_error + one.linear_error * one.linear_error;
        if (!(distance < least)) continue;
        least = distance;
        best = one;
    }
    return best;
}

void LimitedArm::measure(const Placement& target, ArmAnswer& answer) const {
    const PoseDifference e = difference({target.R, target.p - origin_}, form_.chain().forward(answer.positions));
    answer.angular_error = length(e.angular);
    answer.linear_error = length(e.linear);
}

namespace {

// Calls work(piece, begin, end) for pieces of a batch. Targets differ in time by far, so threads take what is next.
template <class Work>
void in_pieces(std::size_t count, StopSignal* stop, const Work& work) {
    const std::size_t pieces = (count + kPiece - 1) / kPiece;
    std::atomic<std::size_t> next{0};
    const auto run = [&](int) {
        for (std::size_t i = next++; i < pieces && !(stop && stop->poll()); i = next++) {
            work(i, i * kPiece, std::min(count, (i + 1) * kPiece));
        }
    };
    run_in_parallel(static_cast<int>(std::min<std::size_t>(num_threads(), pieces)), run, stop);
}

}  // namespace

ArmBatchSolutions solve_arm(const LimitedArm& arm, const ArmBatch& batch, bool ranked, StopSignal* stop) {
    std::vector<ArmBatchSolutions> parts((batch.count + kPiece - 1) / kPiece);
    in_pieces(batch.count, stop, [&](std::size_t piece, std::size_t begin, std::size_t end) {
        ArmSolutions found;
        ArmBatchSolutions& part = parts[piece];
        for (std::size_t i = begin; i < end; ++i) {
            arm.solve(batch.targets[i], batch.starts + i * batch.stride, ranked, found, stop);
            part.positions.insert(part.positions.end(), found.positions.begin(), found.positions.end());
            part.violations.insert(part.violations.end(), found.violations.begin(), found.violations.end());
            part.counts.push_back(found.count());
        }
    });
    ArmBatchSolutions all;
    for (const ArmBatchSolutions& part : parts) {
        all.positions.insert(all.positions.end(), part.positions.begin(), part.positions.end());
        all.violations.insert(all.violations.end(), part.violations.begin(), part.violations.end());
        all.counts.insert(all.counts.end(), part.counts.begin(), part.counts.end());
    }
    return all;
}

std::vector<ArmAnswer> answer_arm(const LimitedArm& arm, const ArmBatch& batch, StopSignal* stop) {
    std::vector<ArmAnswer> answers(batch.count);
    in_pieces(batch.count, stop, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            answers[i] = arm.answer(batch.targets[i], batch.starts + i * batch.stride, stop);
        }
    });
    return answers;
}

}  // namespace kido
