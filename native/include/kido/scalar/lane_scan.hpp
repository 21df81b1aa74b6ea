#pragma once

#include <bit>
#include <vector>

#include "kido/scalar/masked.hpp"

// Searches arrays of numbers a register at a time.

KIDO_BEGIN

// Numbers [at, at + count) of arrays, count at most KIDO_LANES.
struct LaneReader {
    int at, count;

    KIDO_INLINE NativeLanes operator()(const std::vector<double>& numbers) const { return (*this)(numbers.data()); }
    KIDO_INLINE NativeLanes operator()(const double* numbers) const {
        if (count < KIDO_LANES) return masked::load(numbers + at, count);
        NativeLanes x;
        std::memcpy(&x.v, numbers + at, sizeof x.v);
        return x;
    }
};

// Calls found(k) for each k < count, in order, whose lane is set in test(read), `read` being a LaneReader.
template <class Test, class F>
KIDO_INLINE void scan_lanes(int count, const Test& test, const F& found) {
    for (int at = 0; at < count; at += KIDO_LANES) {
        const LaneReader read = {at, count - at < KIDO_LANES ? count - at : KIDO_LANES};
        const unsigned all = (1U << read.count) - 1U;
        for (unsigned bits = lane_bits(test(read)) & all; bits != 0; bits &= bits - 1) found(at + std::countr_zero(bits));
    }
}

KIDO_END
