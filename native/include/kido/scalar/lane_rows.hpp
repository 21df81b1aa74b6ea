#pragma once

#include "kido/scalar/transpose.hpp"

// Between rows of numbers that lie anywhere and lanes: number k of row i is lane i of number k.

KIDO_BEGIN

// Where W rows begin.
template <class X, int W>
struct RowPointers {
    X* of[W];
};

template <int W>
inline void gather_rows(const RowPointers<const double, W>& rows, std::size_t size, Lanes<W>* lanes) {
    for (std::size_t k = 0; k < size; k += W) {
        const int width = size - k < W ? static_cast<int>(size - k) : W;
        LaneBlock<W> block;
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) {
            if (width == W) {
                std::memcpy(&block.row[i].v, rows.of[i] + k, sizeof block.row[i].v);
            } else {
                block.row[i] = masked::load(rows.of[i] + k, width);
            }
        }
        transpose(block);
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) {
            if (i < width) lanes[k + i] = block.row[i];
        }
    }
}

// The first `count` lanes.
template <int W>
inline void scatter_rows(const Lanes<W>* lanes, std::size_t size, const RowPointers<double, W>& rows, int count) {
    for (std::size_t k = 0; k < size; k += W) {
        const int width = size - k < W ? static_cast<int>(size - k) : W;
        LaneBlock<W> block;
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) block.row[i] = lanes[k + (i < width ? i : 0)];
        transpose(block);
        KIDO_UNROLL
        for (int i = 0; i < W; ++i) {
            if (i >= count) continue;
            if (width == W) {
                std::memcpy(rows.of[i] + k, &block.row[i].v, sizeof block.row[i].v);
            } else {
                masked::store(rows.of[i] + k, block.row[i], width);
            }
        }
    }
}

KIDO_END
