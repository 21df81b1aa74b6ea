#pragma once

#include <cstddef>

#include "kido/algorithm/problem.hpp"

// One algorithm compiled for one instruction set, as the rest of the library sees it. Its functions take problems of
// this algorithm alone.

namespace kido {

inline constexpr std::size_t kAllPositive = static_cast<std::size_t>(-1);

struct Kernel {
    int inputs, outputs;
    std::size_t (*input_size)(const Problem&, int);
    std::size_t (*output_size)(const Problem&, int);
    std::size_t (*scalar_bytes)(const Problem&);  // working memory
    std::size_t (*lane_bytes)(const Problem&);
    // Samples [begin, end); the first one whose mass matrix is not positive definite, or kAllPositive.
    std::size_t (*scalar)(const Problem&, std::size_t begin, std::size_t end, void* memory);
    std::size_t (*lanes)(const Problem&, std::size_t begin, std::size_t end, void* memory);
};

}  // namespace kido
