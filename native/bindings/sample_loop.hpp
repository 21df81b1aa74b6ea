#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "evaluate.hpp"
#include "long_call.hpp"
#include "thread_pool.hpp"

namespace kido {

// Samples [begin, end) that one thread takes; `share` counts these ranges.
struct SampleRange {
    int share;
    std::size_t begin, end;
};

inline constexpr std::size_t kFewSamples = 16;     // are done at once
inline constexpr std::size_t kSamplesAtOnce = 64;  // between two looks at the stop signal, at the most

// Of one thread: when to look at the stop signal. Some samples take a tenth of a microsecond, others, as of surfaces of a hundred
// thousand triangles, a tenth of a second.
class StopWatch {
public:
    explicit StopWatch(std::size_t begin) : next_(begin), last_(Clock::now()) {}
    // Whether it is time, before sample k.
    bool is_due(std::size_t k) {
        if (k < next_) return false;
        const Clock::time_point now = Clock::now();
        stride_ = now - last_ < kShort ? std::min(2 * stride_, kSamplesAtOnce) : std::max<std::size_t>(stride_ / 8, 1);
        next_ = k + stride_;
        last_ = now;
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kShort{1};

    std::size_t next_, stride_ = 1;
    Clock::time_point last_;
};

// How many ranges `for_ranges` makes.
inline int sample_shares(std::size_t count) {
    return static_cast<int>(std::clamp<std::size_t>(count / kSamplesAtOnce, 1, static_cast<std::size_t>(num_threads())));
}

// Calls f(range, k) for all samples k, in ranges on threads, without the interpreter's lock where there are many.
template <class F>
void for_ranges(std::size_t count, const F& f) {
    if (count <= kFewSamples) {
        auto asked = std::chrono::steady_clock::now();
        for (std::size_t k = 0; k < count; ++k) {
            f(SampleRange{0, 0, count}, k);
            if (k + 1 == count || std::chrono::steady_clock::now() - asked < StopSignal::kInterval) continue;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            asked = std::chrono::steady_clock::now();
        }
        return;
    }
    const int shares = sample_shares(count);
    without_lock([&](StopSignal* stop) {
        const auto job = [&](int share) {
            const SampleRange range = {share, count * share / shares, count * (share + 1) / shares};
            StopWatch watch(range.begin);
            for (std::size_t k = range.begin; k < range.end; ++k) {
                if (watch.is_due(k) && stop->poll()) return;
                f(range, k);
            }
        };
        run_in_parallel(shares, job, stop);
    });
}

}  // namespace kido
