#pragma once

#include "kido/scalar/lanes.hpp"

// Between rows of samples (one sample after the other, as in an array) and lanes (one number of all samples side by
// side). Blocks of W x W numbers are transposed in registers.

KIDO_BEGIN

template <int W>
struct LaneBlock {
    Lanes<W> row[W];
};

#if KIDO_VECTOR_EXTENSION && defined(__GNUC__) && !defined(__clang__)
// Swaps the off-diagonal halves of all blocks of size 2 S: log2(W) such steps transpose the block.
template <int W, int S>
KIDO_INLINE void swap_halves(LaneBlock<W>& b) {
    using Bits = typename LaneStorage<W>::Bits;
    Bits low, high;
    for (int i = 0; i < W; ++i) {
        const bool upper = (i / S) % 2 == 1;
        low[i] = upper ? W + i - S : i;
        high[i] = upper ? W + i : i + S;
    }
    for (int i = 0; i < W; ++i) {
        if ((i / S) % 2 == 1) continue;
        const auto a = b.row[i].v, c = b.row[i + S].v;
        b.row[i].v = __builtin_shuffle(a, c, low);
        b.row[i + S].v = __builtin_shuffle(a, c, high);
    }
}

template <int W>
KIDO_INLINE void transpose(LaneBlock<W>& b) {
    if constexpr (W >= 2) swap_halves<W, 1>(b);
    if constexpr (W >= 4) swap_halves<W, 2>(b);
    if constexpr (W >= 8) swap_halves<W, 4>(b);
}
#else
template <int W>
KIDO_INLINE void transpose(LaneBlock<W>& b) {
    for (int i = 0; i < W; ++i) {
        for (int j = 0; j < i; ++j) {
            const double t = get_lane(b.row[i], j);
            set_lane(b.row[i], j, get_lane(b.row[j], i));
            set_lane(b.row[j], i, t);
        }
    }
}
#endif

// rows[lane][k] -> lanes[k][lane], k < size; lanes beyond `count` repeat the last row.
template <int W>
inline void rows_to_lanes(const double* rows, std::ptrdiff_t stride, std::size_t count, std::size_t size,
                          Lanes<W>* lanes) {
    std::size_t k = 0;
    if (count == W && stride != 0) {
        for (; k + W <= size; k += W) {
            LaneBlock<W> block;
            for (int i = 0; i < W; ++i) std::memcpy(&block.row[i].v, rows + i * stride + k, sizeof block.row[i].v);
            transpose(block);
            for (int i = 0; i < W; ++i) lanes[k + i] = block.row[i];
        }
    }
    for (; k < size; ++k) {
        for (int i = 0; i < W; ++i) {
            const std::ptrdiff_t row = i < static_cast<int>(count) ? i : static_cast<int>(count) - 1;
            set_lane(lanes[k], i, rows[row * stride + static_cast<std::ptrdiff_t>(k)]);
        }
    }
}

template <int W>
inline void lanes_to_rows(const Lanes<W>* lanes, std::size_t count, std::size_t size, double* rows) {
    std::size_t k = 0;
    if (count == W) {
        for (; k + W <= size; k += W) {
            LaneBlock<W> block;
            for (int i = 0; i < W; ++i) block.row[i] = lanes[k + i];
            transpose(block);
            for (int i = 0; i < W; ++i) std::memcpy(rows + i * size + k, &block.row[i].v, sizeof block.row[i].v);
        }
    }
    for (; k < size; ++k) {
        for (std::size_t i = 0; i < count; ++i) rows[i * size + k] = get_lane(lanes[k], static_cast<int>(i));
    }
}

KIDO_END
