#include "pose_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "kido/ik/search_rules.hpp"
#include "kido/tree/scratch.hpp"
#include "thread_pool.hpp"

namespace kido {

namespace {

// Targets below which waking a thread costs more than it saves.
constexpr std::size_t kSmallestShare = 32;

struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
};

using Clock = std::chrono::steady_clock;

// Stands for no limit of time [s].
constexpr double kLongest = 1e8;

void solve(const PoseProblem& problem, const PoseResults& results, StopSignal* stop) {
    const InverseKinematicsKernels& kernels = active_kernels().inverse_kinematics;
    const std::size_t bytes = kernels.pose_bytes(problem);
    const std::size_t most = problem.targets / kSmallestShare + 1;
    const std::size_t shares = std::min<std::size_t>(num_threads(), most);
    const auto solve = [&](int share) {
        const std::unique_ptr<std::byte, Free> memory(
            static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
        const std::size_t begin = problem.targets * share / shares, end = problem.targets * (share + 1) / shares;
        kernels.solve_poses(problem, results, begin, end, memory.get());
    };
    run_in_parallel(static_cast<int>(shares), solve, stop);
}

// Damping near a target that is out of reach. That of the search vanishes with the square of the distance: too little where
// a small distance remains, far too much where a large one does. Stable steps need the curvature of the distance there,
// which grows in proportion to it. Exponents between 1 and 2: Fan and Yuan, "On the quadratic convergence of the
// Levenberg-Marquardt method without nonsingularity assumption" (2005).
class Refinement {
public:
    Refinement(const PoseProblem& problem, const PoseResults& results) : p_(problem), results_(results) {
        for (std::size_t i = 0; i < p_.targets; ++i) {
            if (results.reached[i] || !std::isfinite(results.connected.squared[i])) continue;
            ends_.push_back({i, Kind::kConnected});
            if (results.squared[i] != results.connected.squared[i]) ends_.push_back({i, Kind::kBest});
            ends_.push_back({i, Kind::kDirect});
        }
        if (!ends_.empty()) begin_directly();
    }

    void run(Clock::time_point end, StopSignal* stop) {
        for (int round = 0; round < kRounds && gather(); ++round) {
            const double left = std::chrono::duration<double>(end - Clock::now()).count();
            if (left <= 0.0) cut();
            if (left <= 0.0 || (stop && stop->is_set())) return;
            PoseProblem again = p_;
            again.targets = open_.size();
            again.target = targets_.data();
            again.start = starts_.data();
            again.start_stride = p_.dofs;
            again.dampings = dampings_.data();
            again.starts = 1;
            again.mirrors = 0;
            again.nearest = false;
            again.time_budget = std::min(p_.time_budget, left);
            solve(again, found_.results(), stop);
            merge();
        }
        take_direct_ends();
    }

private:
    static constexpr int kRounds = 8;
    static constexpr double kNearer = 1.0 - 1e-8;  // factor on a squared error below which it is worth going there

    // Where the first start ended; where the best of the others did; and, by small steps alone, what is near the given positions:
    // free steps wander where they help little.
    enum class Kind { kConnected, kBest, kDirect };

    struct End {
        std::size_t target;
        Kind kind;
        double strength = 1.0;
        bool improved = false, reached = false;
    };

    // Results with memory of their own.
    struct Found {
        std::vector<double> numbers;
        std::vector<unsigned char> reached, timed_out;
        std::vector<int> counts;
        std::size_t rows = 0, dofs = 0;

        void resize(std::size_t count, std::size_t path) {
            rows = count;
            dofs = path;
            numbers.resize(2 * rows * (dofs + 3));
            reached.resize(rows);
            timed_out.resize(rows);
            counts.resize(3 * rows);
        }
        PoseEnds ends(int which) {
            double* q = numbers.data() + which * rows * (dofs + 3);
            double* errors = q + rows * dofs;
            return {q, errors, errors + rows, errors + 2 * rows, counts.data() + which * rows};
        }
        PoseResults results() { return {ends(0), reached.data(), timed_out.data(), counts.data() + 2 * rows, ends(1)}; }
    };

    const PoseEnds& ends_of(const End& end) const {
        if (end.kind == Kind::kDirect) return direct_ends_;
        return end.kind == Kind::kConnected ? results_.connected : results_;
    }

    // Direct ends begin at the given positions, with damping that suits the distance at connected ones.
    void begin_directly() {
        direct_.resize(p_.targets, p_.dofs);
        direct_ends_ = direct_.ends(0);
        for (const End& end : ends_) {
            if (end.kind != Kind::kDirect) continue;
            const double* from = p_.start + static_cast<std::ptrdiff_t>(end.target) * p_.start_stride;
            std::copy_n(from, p_.dofs, direct_ends_.positions + end.target * p_.dofs);
            direct_ends_.squared[end.target] = results_.connected.squared[end.target];
            direct_ends_.iterations[end.target] = 0;
        }
    }

    // A direct end that is as near takes the place of the connected one, for it moves less. One that reaches its target is another
    // answer than that of the first start, which says what is reached.
    void take_direct_ends() {
        for (const End& end : ends_) {
            const std::size_t i = end.target;
            if (end.kind != Kind::kDirect || !end.improved || end.reached || results_.reached[i]) continue;
            const double squared = direct_ends_.squared[i];
            if (squared == std::numeric_limits<double>::max()) continue;  // it stands for all that are too large
            if (kNearer * squared > results_.connected.squared[i]) continue;
            copy(direct_ends_, i, results_.connected, i);
            results_.connected.iterations[i] = direct_ends_.iterations[i];
        }
    }

    void copy(const PoseEnds& from, std::size_t row, const PoseEnds& to, std::size_t i) const {
        std::copy_n(from.positions + row * p_.dofs, p_.dofs, to.positions + i * p_.dofs);
        to.angular_error[i] = from.angular_error[row];
        to.linear_error[i] = from.linear_error[row];
        to.squared[i] = from.squared[row];
    }

    // The ends that are to be improved; false where there are none.
    bool gather() {
        open_.clear();
        targets_.clear();
        starts_.clear();
        dampings_.clear();
        for (std::size_t k = 0; k < ends_.size(); ++k) {
            const End& end = ends_[k];
            if (end.reached) continue;
            open_.push_back(k);
            const double* target = p_.target + PoseProblem::target_numbers * end.target;
            targets_.insert(targets_.end(), target, target + PoseProblem::target_numbers);
            const double* q = ends_of(end).positions + static_cast<std::size_t>(p_.dofs) * end.target;
            starts_.insert(starts_.end(), q, q + p_.dofs);
            const double squared = std::max(ends_of(end).squared[end.target], 1e-300);
            dampings_.push_back(std::exp2(std::nearbyint(std::log2(end.strength) - 0.5 * std::log2(squared))));
        }
        found_.resize(open_.size(), p_.dofs);
        return !open_.empty();
    }

    // The time is over before the ends that are open were improved as far as that goes.
    void cut() {
        for (const std::size_t k : open_) results_.timed_out[ends_[k].target] = true;
    }

    void merge() {
        const PoseResults found = found_.results();
        for (std::size_t row = 0; row < open_.size(); ++row) {
            End& end = ends_[open_[row]];
            const std::size_t i = end.target;
            const PoseEnds& to = ends_of(end);
            if (found.timed_out[row]) results_.timed_out[i] = true;
            const bool first = end.kind == Kind::kDirect && !end.improved;
            const bool better = first || found.reached[row] || found.squared[row] < kNearer * to.squared[i];
            end.strength *= better ? kWeaker : kStronger;
            if (!better) continue;
            end.improved = true;
            copy(found, row, to, i);
            end.reached = found.reached[row];
            to.iterations[i] += found.iterations[row];
            if (!end.reached || end.kind == Kind::kDirect) continue;
            results_.reached[i] = true;
            results_.timed_out[i] = false;
            if (end.kind == Kind::kConnected) answer(i);
        }
    }

    // The connected end of a target becomes its answer.
    void answer(std::size_t i) {
        copy(results_.connected, i, results_, i);
        results_.iterations[i] = results_.connected.iterations[i];
        results_.start[i] = 0;
        for (End& other : ends_) other.reached = other.reached || other.target == i;
    }

    const PoseProblem& p_;
    const PoseResults& results_;
    std::vector<End> ends_;
    std::vector<std::size_t> open_;
    std::vector<double> targets_, starts_, dampings_;
    Found found_, direct_;
    PoseEnds direct_ends_{};
};

}  // namespace

void search_poses(PoseProblem problem, const PoseResults& results, StopSignal* stop) {
    problem.stop = stop;
    const auto budget = std::chrono::duration<double>(std::min(problem.time_budget, kLongest));
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(budget);
    solve(problem, results, stop);
    Refinement(problem, results).run(end, stop);
}

void track_poses(const PoseProblem& problem, const double* largest_change, const PoseEnds& ends, unsigned char* reached,
                 unsigned char* timed_out, StopSignal* stop) {
    const int n = problem.dofs;
    std::vector<double> from(problem.start, problem.start + n), lower(n), upper(n), best(n);
    PoseProblem one = problem;
    one.targets = 1;
    one.start = from.data();
    one.start_stride = 0;
    one.lower = lower.data();
    one.upper = upper.data();
    one.starts = 1;
    one.mirrors = 0;
    one.nearest = false;
    for (std::size_t i = 0; i < problem.targets; ++i) {
        for (int j = 0; j < n; ++j) {
            // From beyond its limits a dof comes back as fast as it may.
            const double low = problem.lower[j], high = problem.upper[j], q = from[j], change = largest_change[j];
            lower[j] = std::max(low, q - change);
            upper[j] = std::min(high, q + change);
            if (q > high) upper[j] = std::max(high, q - change);
            if (q < low) lower[j] = std::min(low, q + change);
            if (q > high) lower[j] = std::min(lower[j], upper[j]);
            if (q < low) upper[j] = std::max(lower[j], upper[j]);
        }
        double errors[3];
        int iterations, start;
        const PoseEnds end = {ends.positions + i * n, ends.angular_error + i, ends.linear_error + i, ends.squared + i,
                              ends.iterations + i};
        one.target = problem.target + i * PoseProblem::target_numbers;
        const PoseEnds nearest = {best.data(), errors, errors + 1, errors + 2, &iterations};
        search_poses(one, {nearest, reached + i, timed_out + i, &start, end}, stop);
        if (stop && stop->poll()) return;  // one search is too short to ask
        std::copy_n(end.positions, n, from.data());
    }
}

}  // namespace kido
