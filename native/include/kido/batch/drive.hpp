#pragma once

#include "kido/batch/kernel.hpp"
#include "kido/scalar/transpose.hpp"
#include "kido/tree/scratch.hpp"

// Runs one algorithm over a range of samples: one by one in doubles, or W at a time in lanes.

KIDO_BEGIN

// Algorithms with one output that write it as they go: in lanes `stream` takes the place of `run`.
template <class A>
concept Streams = requires { &A::template stream<KIDO_LANES>; };

template <class A>
inline constexpr bool streams = Streams<A>;

// Results that are too many for any cache are worth writing around it: first into working memory, then as whole
// lines, which are not read from memory before they are overwritten. Not so new memory: the system has just put its
// zeros into the cache.
inline constexpr std::size_t kBeyondCache = std::size_t{1} << 22;   // numbers of the whole result
inline constexpr std::size_t kSmallestDetour = std::size_t{1} << 8;  // of a sample
inline constexpr std::size_t kLargestDetour = std::size_t{1} << 16;

#if KIDO_VECTOR_EXTENSION && defined(__SSE2__)
inline constexpr bool kWritesAroundCache = true;
#if defined(__AVX512F__)
KIDO_INLINE void store_around_cache(double* to, const double* from) { _mm512_stream_pd(to, _mm512_loadu_pd(from)); }
#elif defined(__AVX__)
KIDO_INLINE void store_around_cache(double* to, const double* from) { _mm256_stream_pd(to, _mm256_loadu_pd(from)); }
#else
KIDO_INLINE void store_around_cache(double* to, const double* from) { _mm_stream_pd(to, _mm_loadu_pd(from)); }
#endif
// Until then other threads may not see what was written around the cache.
KIDO_INLINE void finish_writing() { _mm_sfence(); }
#else
inline constexpr bool kWritesAroundCache = false;
KIDO_INLINE void store_around_cache(double* to, const double* from) { std::memcpy(to, from, sizeof(NativeLanes)); }
KIDO_INLINE void finish_writing() {}
#endif

inline void copy_around_cache(double* to, const double* from, std::size_t count) {
    std::size_t i = 0;
    for (; i < count && reinterpret_cast<std::uintptr_t>(to + i) % sizeof(NativeLanes) != 0; ++i) to[i] = from[i];
    for (; i + KIDO_LANES <= count; i += KIDO_LANES) store_around_cache(to + i, from + i);
    for (; i < count; ++i) to[i] = from[i];
}

template <class A>
struct Drive {
    using P = ProblemWith<OptionsOf<A>>;

    static KIDO_INLINE const P& own(const Problem& problem) { return static_cast<const P&>(problem); }

    static std::size_t input_size(const Problem& problem, int i) { return A::input_size(own(problem), i); }
    static std::size_t output_size(const Problem& problem, int i) { return A::output_size(own(problem), i); }

    // Calls f(i, numbers of a sample) for every input that is given.
    template <class F>
    static KIDO_INLINE void for_inputs(const P& p, F f) {
        for (int i = 0; i < A::inputs; ++i) {
            if (p.in[i]) f(i, A::input_size(p, i));
        }
        if (p.in[Problem::users]) f(Problem::users, user_numbers(*p.model));
    }

    static bool detours(const P& p, int output) {
        if (!kWritesAroundCache || streams<A> || !p.out_given) return false;
        const std::size_t size = A::output_size(p, output);
        return size >= kSmallestDetour && size <= kLargestDetour && size * p.samples >= kBeyondCache;
    }

    // Working memory for `samples` results of each output that takes the detour, null for others; whether any does.
    static bool take_detours(const P& p, std::size_t samples, Scratch& scratch, double** staged) {
        bool any = false;
        for (int i = 0; i < A::outputs; ++i) {
            if (!detours(p, i)) continue;
            staged[i] = scratch.template take<double>(A::output_size(p, i) * samples);
            any = true;
        }
        return any;
    }

    static std::size_t detour_bytes(const P& p, std::size_t samples) {
        std::size_t bytes = 0;
        for (int i = 0; i < A::outputs; ++i) {
            bytes += detours(p, i) ? aligned(A::output_size(p, i) * samples * sizeof(double)) : 0;
        }
        return bytes;
    }

    static std::size_t scalar_bytes(const Problem& problem) {
        return measure<typename A::template Memory<double>>(problem) + detour_bytes(own(problem), 1);
    }

    static std::size_t lane_bytes(const Problem& problem) {
        const P& p = own(problem);
        std::size_t bytes = measure<typename A::template Memory<NativeLanes>>(problem) + detour_bytes(p, KIDO_LANES);
        for_inputs(p, [&](int, std::size_t size) { bytes += aligned(size * sizeof(NativeLanes)); });
        if constexpr (!streams<A>) {
            for (int i = 0; i < A::outputs; ++i) bytes += aligned(A::output_size(p, i) * sizeof(NativeLanes));
        }
        return bytes;
    }

    static std::size_t scalar(const Problem& problem, std::size_t begin, std::size_t end, void* memory) {
        const P& p = own(problem);
        Scratch scratch(memory);
        double* staged[Problem::max_outputs] = {};
        const bool detour = take_detours(p, 1, scratch, staged);
        const typename A::template Memory<double> work(problem, scratch);
        std::size_t failed = kAllPositive;
        for (std::size_t sample = begin; sample < end; ++sample) {
            const double* in[Problem::max_inputs + 1] = {};
            double* out[Problem::max_outputs] = {};
            for_inputs(p, [&](int i, std::size_t) {
                in[i] = p.in[i] + p.stride[i] * static_cast<std::ptrdiff_t>(sample);
            });
            for (int i = 0; i < A::outputs; ++i) {
                out[i] = staged[i] ? staged[i] : p.out[i] + A::output_size(p, i) * sample;
            }
            if (!A::template run<double>(p, work, in, out) && failed == kAllPositive) failed = sample;
            for (int i = 0; detour && i < A::outputs; ++i) {
                const std::size_t size = A::output_size(p, i);
                if (staged[i]) copy_around_cache(p.out[i] + size * sample, staged[i], size);
            }
        }
        if (detour) finish_writing();
        return failed;
    }

    // By a call, for which the loop over samples has registers to spare and the algorithm has not.
    KIDO_NOINLINE static bool run_lanes(const P& p, const typename A::template Memory<NativeLanes>& work,
                                        NativeLanes* const* in, NativeLanes* const* out) {
        return A::template run<NativeLanes>(p, work, in, out);
    }

    static std::size_t lanes(const Problem& problem, std::size_t begin, std::size_t end, void* memory) {
        const P& p = own(problem);
        using T = NativeLanes;
        constexpr int width = KIDO_LANES;
        Scratch scratch(memory);
        T* in[Problem::max_inputs + 1] = {};
        T* out[Problem::max_outputs] = {};
        std::size_t out_size[Problem::max_outputs] = {};
        for_inputs(p, [&](int i, std::size_t size) {
            in[i] = scratch.template take<T>(size);
            if (p.stride[i] == 0) rows_to_lanes(p.in[i], 0, width, size, in[i]);
        });
        for (int i = 0; i < A::outputs; ++i) {
            out_size[i] = A::output_size(p, i);
            if constexpr (!streams<A>) out[i] = scratch.template take<T>(out_size[i]);
        }
        double* staged[Problem::max_outputs] = {};
        const bool detour = take_detours(p, width, scratch, staged);
        const typename A::template Memory<T> work(problem, scratch);
        std::size_t failed = kAllPositive;
        for (std::size_t sample = begin; sample < end; sample += width) {
            const std::size_t count = end - sample < width ? end - sample : width;
            for_inputs(p, [&](int i, std::size_t size) {
                if (p.stride[i] == 0) return;
                rows_to_lanes(p.in[i] + p.stride[i] * static_cast<std::ptrdiff_t>(sample), p.stride[i], count, size,
                              in[i]);
            });
            if constexpr (streams<A>) {
                A::stream(p, work, in, LaneRows<width>{p.out[0] + out_size[0] * sample, out_size[0], count});
            } else {
                if (!run_lanes(p, work, in, out) && failed == kAllPositive) failed = sample;
                for (int i = 0; i < A::outputs; ++i) {
                    double* rows = p.out[i] + out_size[i] * sample;
                    lanes_to_rows(out[i], count, out_size[i], staged[i] ? staged[i] : rows);
                    if (staged[i]) copy_around_cache(rows, staged[i], count * out_size[i]);
                }
            }
        }
        if (detour) finish_writing();
        return failed;
    }

    static constexpr Kernel kernel() {
        return {A::inputs, A::outputs, input_size, output_size, scalar_bytes, lane_bytes, scalar, lanes};
    }
};

KIDO_END
