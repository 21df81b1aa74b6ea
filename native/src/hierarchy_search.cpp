#include "hierarchy_search.hpp"

#include <memory>
#include <new>

#include "instruction_set.hpp"
#include "kido/tree/scratch.hpp"

namespace kido {

namespace {

struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
};

}  // namespace

void search_hierarchy(HierarchyProblem problem, HierarchyResult& result, StopSignal* stop) {
    problem.stop = stop;
    const InverseKinematicsKernels& kernels = active_kernels().inverse_kinematics;
    const std::unique_ptr<std::byte, Free> memory(static_cast<std::byte*>(
        ::operator new(kernels.hierarchy_bytes(problem), std::align_val_t(kAlignment))));
    kernels.solve_hierarchy(problem, result, memory.get());
}

}  // namespace kido
