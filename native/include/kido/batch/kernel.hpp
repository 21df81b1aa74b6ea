#pragma once

#include <cstddef>

#include "kido/algorithm/problem.hpp"
#include "kido/algorithm/registry.hpp"
#include "kido/ik/hierarchy_problem.hpp"
#include "kido/ik/pose_problem.hpp"
#include "kido/tree/lazy.hpp"

// The kernels as the rest of the library sees them: a table of functions for each instruction set.

namespace kido {

enum class Algorithm : int {
#define KIDO_ENTRY(name, type) name,
    KIDO_ALGORITHMS(KIDO_ENTRY)
#undef KIDO_ENTRY
        count
};

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

struct KernelTable {
    const char* instruction_set;
    int lanes;
    Kernel kernels[static_cast<int>(Algorithm::count)];
    void (*sincos)(const double* x, std::size_t count, double* sine, double* cosine);
    bool (*finite)(const double* x, std::size_t count);
    std::size_t (*lazy_bytes)(const Model&);
    LinkNumbers (*lazy_numbers)(const Model&, void* memory);
    void (*lazy_advance)(const LazyKinematics&, int link, Known level);
    std::size_t (*pose_bytes)(const PoseProblem&);
    // Solves targets [begin, end).
    void (*solve_poses)(const PoseProblem&, const PoseResults&, std::size_t begin, std::size_t end, void* memory);
    std::size_t (*hierarchy_bytes)(const HierarchyProblem&);
    void (*solve_hierarchy)(const HierarchyProblem&, HierarchyResult&, void* memory);
};

}  // namespace kido
