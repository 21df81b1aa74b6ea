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

template <class A>
struct Drive {
    static std::size_t scalar_bytes(const Problem& p) { return measure<typename A::template Memory<double>>(p); }

    static std::size_t lane_bytes(const Problem& p) {
        std::size_t bytes = measure<typename A::template Memory<NativeLanes>>(p);
        for (int i = 0; i < A::inputs; ++i) bytes += p.in[i] ? aligned(A::input_size(p, i) * sizeof(NativeLanes)) : 0;
        if constexpr (!streams<A>) {
            for (int i = 0; i < A::outputs; ++i) bytes += aligned(A::output_size(p, i) * sizeof(NativeLanes));
        }
        return bytes;
    }

    static std::size_t scalar(const Problem& p, std::size_t begin, std::size_t end, void* memory) {
        Scratch scratch(memory);
        const typename A::template Memory<double> work(p, scratch);
        std::size_t failed = kAllPositive;
        for (std::size_t sample = begin; sample < end; ++sample) {
            const double* in[Problem::max_inputs] = {};
            double* out[Problem::max_outputs] = {};
            for (int i = 0; i < A::inputs; ++i) {
                if (p.in[i]) in[i] = p.in[i] + p.stride[i] * static_cast<std::ptrdiff_t>(sample);
            }
            for (int i = 0; i < A::outputs; ++i) out[i] = p.out[i] + A::output_size(p, i) * sample;
            if (!A::template run<double>(p, work, in, out) && failed == kAllPositive) failed = sample;
        }
        return failed;
    }

    static std::size_t lanes(const Problem& p, std::size_t begin, std::size_t end, void* memory) {
        using T = NativeLanes;
        constexpr int width = KIDO_LANES;
        Scratch scratch(memory);
        T* in[Problem::max_inputs] = {};
        T* out[Problem::max_outputs] = {};
        std::size_t in_size[Problem::max_inputs] = {}, out_size[Problem::max_outputs] = {};
        for (int i = 0; i < A::inputs; ++i) {
            if (!p.in[i]) continue;
            in_size[i] = A::input_size(p, i);
            in[i] = scratch.template take<T>(in_size[i]);
            if (p.stride[i] == 0) rows_to_lanes(p.in[i], 0, width, in_size[i], in[i]);
        }
        for (int i = 0; i < A::outputs; ++i) {
            out_size[i] = A::output_size(p, i);
            if constexpr (!streams<A>) out[i] = scratch.template take<T>(out_size[i]);
        }
        const typename A::template Memory<T> work(p, scratch);
        std::size_t failed = kAllPositive;
        for (std::size_t sample = begin; sample < end; sample += width) {
            const std::size_t count = end - sample < width ? end - sample : width;
            for (int i = 0; i < A::inputs; ++i) {
                if (!p.in[i] || p.stride[i] == 0) continue;
                rows_to_lanes(p.in[i] + p.stride[i] * static_cast<std::ptrdiff_t>(sample), p.stride[i], count,
                              in_size[i], in[i]);
            }
            if constexpr (streams<A>) {
                A::stream(p, work, in, LaneRows<width>{p.out[0] + out_size[0] * sample, out_size[0], count});
            } else {
                if (!A::template run<T>(p, work, in, out) && failed == kAllPositive) failed = sample;
                for (int i = 0; i < A::outputs; ++i) {
                    lanes_to_rows(out[i], count, out_size[i], p.out[i] + out_size[i] * sample);
                }
            }
        }
        return failed;
    }

    static constexpr Kernel kernel() {
        return {A::inputs, A::outputs, A::input_size, A::output_size, scalar_bytes, lane_bytes, scalar, lanes};
    }
};

KIDO_END
