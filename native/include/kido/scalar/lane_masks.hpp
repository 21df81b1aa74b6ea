#pragma once

#include <cstddef>
#include <cstring>

#include "kido/scalar/lanes.hpp"

// Masks of doubles and of lanes by the same names, and numbers that each lane takes from a place of its own.

KIDO_BEGIN

KIDO_INLINE bool both(bool a, bool b) { return a && b; }
KIDO_INLINE bool except(bool a, bool b) { return a && !b; }
template <int W>
KIDO_INLINE LaneMask<W> both(LaneMask<W> a, LaneMask<W> b) {
    return a & b;
}
template <int W>
KIDO_INLINE LaneMask<W> except(LaneMask<W> a, LaneMask<W> b) {
    return a & (a ^ b);
}
KIDO_INLINE bool mask_lane(bool mask, int) { return mask; }
template <int W>
KIDO_INLINE bool mask_lane(LaneMask<W> mask, int lane) {
    return mask.bits[lane] != 0;
}

// Number base[index * stride] of each lane.
template <class T>
KIDO_INLINE T gather_lanes(const T* base, const int* index, int stride = 1) {
    constexpr int W = lanes_of<T>;
    alignas(T) double x[W];
    for (int lane = 0; lane < W; ++lane) {
        x[lane] = reinterpret_cast<const double*>(base + static_cast<std::ptrdiff_t>(index[lane]) * stride)[lane];
    }
    T out;
    std::memcpy(&out, x, sizeof out);
    return out;
}

template <class T>
KIDO_INLINE void scatter_lanes(T* base, const int* index, const T& value, Mask<T> where) {
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
        if (mask_lane(where, lane)) reinterpret_cast<double*>(base + index[lane])[lane] = get_lane(value, lane);
    }
}

template <class T>
KIDO_INLINE T lanes_from(const int* numbers) {
    T x;
    for (int lane = 0; lane < lanes_of<T>; ++lane) set_lane(x, lane, numbers[lane]);
    return x;
}

KIDO_END
