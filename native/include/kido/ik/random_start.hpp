#pragma once

#include <cstdint>

#include "kido/config.hpp"

KIDO_BEGIN

// Reproducible numbers in [0, 1): Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
KIDO_INLINE double drawn(std::uint64_t seed, std::uint64_t start, std::uint64_t dof) {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL * (1 + dof + 4096 * start);
    for (int i = 0; i < 2; ++i) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        z ^= z >> 31;
    }
    return static_cast<double>(z >> 11) * 0x1.0p-53;
}

KIDO_END
