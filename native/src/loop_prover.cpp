#include "loop_prover.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>

#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "loop_descent.hpp"
#include "thread_pool.hpp"

namespace kido {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kClosed = 1e-9;  // [m] of a posture that is an answer

class Prover {
public:
    Prover(const LoopProblem& problem, const ProverSettings& settings, StopSignal* stop)
        : p_(problem), settings_(settings), stop_(stop), descent_(problem), n_(problem.variables()),
          end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings.time_budget))) {
        result_.distance = HUGE_VAL;
        result_.nodes = 0;
        result_.posture.assign(n_, 0.0);
    }

    ProverResult run(const double* start) {
        if (!settings_.all_regions && search(start)) return ended(ProverVerdict::found);
        BoxList root;
        for (int v = 0; v < n_; ++v) {
            root.numbers.push_back(p_.lower[v]);
            root.numbers.push_back(p_.upper[v]);
        }
        boxes_.push_back(std::move(root));
        sow();
        for (;;) {
            if (settle_leaves()) return ended(ProverVerdict::found);
            const std::size_t left = share_out();
            if (left == 0) break;
            if (stopped()) return ended(ProverVerdict::out_of_time);
            if (result_.nodes >= settings_.most_nodes) return ended(ProverVerdict::out_of_nodes);
            if (result_.leaves.size() / (2 * n_) > settings_.most_leaves) return ended(ProverVerdict::undecided);
            work();
        }
        return ended(result_.leaves.empty() ? ProverVerdict::infeasible : ProverVerdict::undecided);
    }

private:
    static constexpr std::size_t kSown = 512, kShare = 32, kRound = 1024;
    static constexpr int kMostSearches = 64;  // from boxes

    bool stopped() const { return (stop_ && stop_->poll()) || Clock::now() >= end_; }
    ProverResult ended(ProverVerdict verdict) {
        // What was not looked at remains as well.
        for (const BoxList& list : boxes_) {
            result_.leaves.insert(result_.leaves.end(), list.numbers.begin() + static_cast<std::ptrdiff_t>(list.begin), list.numbers.end());
        }
        result_.verdict = verdict;
        return std::move(result_);
    }

    // ---- postures

    std::uint64_t random() {
        state_ += 0x9E3779B97F4A7C15ULL;  // splitmix64 (Steele, Lea and Flood 2014)
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    bool descend(std::vector<double>& x) {
        const double distance = descent_.run(x.data());
        if (distance < result_.distance) {
            result_.distance = distance;
            result_.posture = x;
        }
        return distance <= kClosed;
    }

    bool search(const double* start) {
        state_ = settings_.seed;
        std::vector<double> x(n_);
        for (int k = 0; k < settings_.starts + (start ? 1 : 0); ++k) {
            for (int v = 0; v < n_; ++v) {
                const double unit = static_cast<double>(random() >> 11) * 0x1p-53, low = p_.lower[v], high = p_.upper[v];
                x[v] = start && k == 0 ? std::clamp(start[v], low, high) : low + (high - low) * unit;
            }
            if (descend(x)) return true;
            if (stopped()) return false;
        }
        return false;
    }

    // Looks for postures from the boxes that were not split further; true where that ends the search.
    bool settle_leaves() {
        const std::size_t row = 2 * static_cast<std::size_t>(n_);
        std::vector<double> x(n_);
        for (std::size_t at = 0; at + row <= leaves_.numbers.size(); at += row) {
            if (settings_.all_regions || searches_ == kMostSearches) break;
            ++searches_;
            for (int v = 0; v < n_; ++v) x[v] = 0.5 * (leaves_.numbers[at + 2 * v] + leaves_.numbers[at + 2 * v + 1]);
            if (descend(x)) return true;
        }
        result_.leaves.insert(result_.leaves.end(), leaves_.numbers.begin(), leaves_.numbers.end());
        leaves_.numbers.clear();
        return false;
    }

    // ---- boxes

    void advance(BoxList& boxes, std::size_t most, bool breadth_first, BoxList& leaves, std::size_t& nodes) const {
        nodes += active_kernels().loops.search_boxes(p_, boxes, {most, settings_.resolution, breadth_first}, leaves);
    }

    // Widely different boxes for threads to begin with; the easy problems end here.
    void sow() { advance(boxes_[0], std::min(kSown, settings_.most_nodes), true, leaves_, result_.nodes); }

    // Deals all boxes out to lists that threads take; returns how many there are.
    std::size_t share_out() {
        const std::size_t row = 2 * static_cast<std::size_t>(n_);
        std::vector<double> all;
        for (const BoxList& list : boxes_) all.insert(all.end(), list.numbers.begin(), list.numbers.end());
        const std::size_t count = all.size() / row, lists = std::clamp<std::size_t>(count / 8, 1, kShare);
        boxes_.assign(lists, {});
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<double>& to = boxes_[i % lists].numbers;
            to.insert(to.end(), all.begin() + static_cast<std::ptrdiff_t>(i * row), all.begin() + static_cast<std::ptrdiff_t>((i + 1) * row));
        }
        return count;
    }

    void work() {
        const std::size_t lists = boxes_.size();
        const std::size_t most = std::max<std::size_t>(1, std::min(kRound, (settings_.most_nodes - result_.nodes) / lists));
        std::vector<BoxList> leaves(lists);
        std::vector<std::size_t> nodes(lists, 0);
        const int threads = static_cast<int>(std::min<std::size_t>(num_threads(), lists));
        std::atomic<std::size_t> next{0};
        run_in_parallel(
            threads,
            [&](int) {
                for (std::size_t i = next++; i < lists && !stopped(); i = next++) advance(boxes_[i], most, false, leaves[i], nodes[i]);
            },
            stop_);
        for (std::size_t i = 0; i < lists; ++i) {
            result_.nodes += nodes[i];
            leaves_.numbers.insert(leaves_.numbers.end(), leaves[i].numbers.begin(), leaves[i].numbers.end());
        }
    }

    const LoopProblem& p_;
    const ProverSettings& settings_;
    StopSignal* stop_;
    LoopDescent descent_;
    int n_;
    Clock::time_point end_;
    std::uint64_t state_ = 0;
    int searches_ = 0;
    std::vector<BoxList> boxes_;
    BoxList leaves_;
    ProverResult result_{};
};

}  // namespace

ProverResult prove(const LoopProblem& problem, const ProverSettings& settings, const double* start, StopSignal* stop) {
    return Prover(problem, settings, stop).run(start);
}

}  // namespace kido
