#pragma once

#include "kido/scalar/masked.hpp"

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
    KIDO_UNROLL
    for (int i = 0; i < W; ++i) {
        const bool upper = (i / S) % 2 == 1;
        low[i] = upper ? W + i - S : i;
        high[i] = upper ? W + i : i + S;
    }
    KIDO_UNROLL
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

// Rows [0, count) of W numbers, `stride` apart, or their first `width` numbers; the last row fills the rest.
template <int W>
KIDO_INLINE LaneBlock<W> load_rows(const double* rows, std::ptrdiff_t stride, std::size_t count, int width) {
    LaneBlock<W> block;
    KIDO_UNROLL
    for (int i = 0; i < W; ++i) {
        const double* row = rows + stride * (i < static_cast<int>(count) ? i : static_cast<int>(count) - 1);
        if (width == W) {
            std::memcpy(&block.row[i].v, row, sizeof block.row[i].v);
        } else {
            block.row[i] = masked::load(row, width);
        }
    }
    return block;
}

template <int W>
KIDO_INLINE void store_rows(const LaneBlock<W>& block, double* rows, std::ptrdiff_t stride, std::size_t count,
                            int width) {
    KIDO_UNROLL
    for (int i = 0; i < W; ++i) {
        if (i >= static_cast<int>(count)) continue;
        if (width == W) {
            std::memcpy(rows + i * stride, &block.row[i].v, sizeof block.row[i].v);
        } else {
            masked::store(rows + i * stride, block.row[i], width);
        }
    }
}

// rows[lane][k] -> lanes[k][lane], k < size; lanes beyond `count` repeat the last row.
template <int W>
inline void rows_to_lanes(const double* rows, std::ptrdiff_t stride, std::size_t count, std::size_t size,
                          Lanes<W>* lanes) {
    for (std::size_t k = 0; k < size; k += W) {
        const int width = size - k < W ? static_cast<int>(size - k) : W;
        LaneBlock<W> block = load_rows<W>(rows + k, stride, count, width);
        transpose(block);
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) {
            if (i < width) lanes[k + i] = block.row[i];
        }
    }
}

template <int W>
inline void lanes_to_rows(const Lanes<W>* lanes, std::size_t count, std::size_t size, double* rows) {
    for (std::size_t k = 0; k < size; k += W) {
        const int width = size - k < W ? static_cast<int>(size - k) : W;
        LaneBlock<W> block;
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) block.row[i] = lanes[k + (i < width ? i : 0)];
        transpose(block);
        store_rows(block, rows + k, static_cast<std::ptrdiff_t>(size), count, width);
    }
}

// Rows of samples that a kernel in lanes writes as it goes, piece by piece.
template <int W>
struct LaneRows {
    double* rows;
    std::size_t stride, count;  // numbers of a row; rows, at most W

    template <int N>
    KIDO_INLINE void put(std::size_t at, const Lanes<W> (&values)[N]) const {
        static_assert(N % W == 0);
        KIDO_UNROLL
        for (int k = 0; k < N; k += W) {
            LaneBlock<W> block;
            KIDO_UNROLL
            for (int i = 0; i < W; ++i) block.row[i] = values[k + i];
            transpose(block);
            store_rows(block, rows + at + k, static_cast<std::ptrdiff_t>(stride), count, W);
        }
    }
};

KIDO_END
