#pragma once

#include <algorithm>
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
inline constexpr std::size_t kSamplesAtOnce = 64;  // between two looks at the stop signal

// How many ranges `for_ranges` makes.
inline int sample_shares(std::size_t count) {
    return static_cast<int>(std::clamp<std::size_t>(count / kSamplesAtOnce, 1, static_cast<std::size_t>(num_threads())));
}

// Calls f(range, k) for all samples k, in ranges on threads, without the interpreter's lock where there are many.
template <class F>
void for_ranges(std::size_t count, const F& f) {
    if (count <= kFewSamples) {
        for (std::size_t k = 0; k < count; ++k) f(SampleRange{0, 0, count}, k);
        return;
    }
    const int shares = sample_shares(count);
    without_lock([&](StopSignal* stop) {
        const auto job = [&](int share) {
            const SampleRange range = {share, count * share / shares, count * (share + 1) / shares};
            for (std::size_t k = range.begin; k < range.end; ++k) {
                if (k % kSamplesAtOnce == 0 && stop->poll()) return;
                f(range, k);
            }
        };
        run_in_parallel(shares, job, stop);
    });
}

}  // namespace kido
