#include "pose_search.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "kido/tree/scratch.hpp"
#include "thread_pool.hpp"

namespace kido {

namespace {

// Targets below which waking a thread costs more than it saves.
constexpr std::size_t kSmallestShare = 32;

struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
};

}  // namespace

void search_poses(PoseProblem problem, const PoseResults& results, StopSignal* stop) {
    problem.stop = stop;
    const InverseKinematicsKernels& kernels = active_kernels().inverse_kinematics;
    const std::size_t bytes = kernels.pose_bytes(problem);
    const std::size_t most = problem.targets / kSmallestShare + 1;
    const std::size_t shares = std::min<std::size_t>(num_threads(), most);
    const auto solve = [&](int share) {
        const std::unique_ptr<std::byte, Free> memory(
            static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
        const std::size_t begin = problem.targets * share / shares, end = problem.targets * (share + 1) / shares;
        kernels.solve_poses(problem, results, begin, end, memory.get());
    };
    run_in_parallel(static_cast<int>(shares), solve, stop);
}

}  // namespace kido
