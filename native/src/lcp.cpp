#include "lcp.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "kido/tree/scratch.hpp"
#include "thread_pool.hpp"

namespace kido {

namespace {

struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
};

using Memory = std::unique_ptr<std::byte, Free>;

Memory allocate(std::size_t bytes) {
    return Memory(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
}

// Numbers of a problem's matrix below which waking a thread costs more than it saves.
constexpr std::size_t kSmallestShare = 2000;

}  // namespace

void solve_lcps(const LcpSettings& settings, LcpTask* tasks, std::size_t count, StopSignal* stop) {
    const LcpKernels& kernels = active_kernels().lcp;
    std::size_t bytes = 0, numbers = 0;
    for (std::size_t i = 0; i < count; ++i) {
        bytes = std::max(bytes, kernels.bytes(tasks[i].problem, settings.method));
        numbers += static_cast<std::size_t>(tasks[i].problem.n) * tasks[i].problem.n;
    }
    const std::size_t most = std::min(count, numbers / kSmallestShare + 1);
    const int shares = static_cast<int>(std::min<std::size_t>(num_threads(), most));
    std::atomic<std::size_t> next{0};
    run_in_parallel(
        shares,
        [&](int) {
            const Memory memory = allocate(bytes);
            for (std::size_t i = next++; i < count && !(stop && stop->poll()); i = next++) {
                kernels.solve(tasks[i].problem, settings, tasks[i].start, tasks[i].result, stop, memory.get());
            }
        },
        stop);
}

double residual_of_lcp(const LcpProblem& problem, const double* x, double* w, double* natural) {
    const LcpKernels& kernels = active_kernels().lcp;
    std::vector<double> memory(2 * static_cast<std::size_t>(problem.n));
    kernels.multiply(problem, x, w);
    return kernels.residual(problem, x, w, natural, memory.data());
}

const char* lcp_status(LcpReason reason) {
    switch (reason) {
        case LcpReason::solved: return "solved";
        case LcpReason::iterations: return "max_iterations";
        case LcpReason::time: return "time_out";
        case LcpReason::infeasible: return "infeasible";
        case LcpReason::asymmetric:
        case LcpReason::indefinite:
        case LcpReason::not_finite: return "failed";
        default: return "stalled";
    }
}

const char* lcp_message(LcpReason reason) {
    switch (reason) {
        case LcpReason::solved: return "the residual is within the tolerance";
        case LcpReason::iterations: return "the iterations ran out";
        case LcpReason::time: return "time budget spent";
        case LcpReason::infeasible: 
            return "there is no solution: along a direction in which x is not bounded, A and b contradict each other";
        case LcpReason::ray: return "the path of complementary points ends in a ray, not at a solution";
        case LcpReason::indefinite: return "A is not positive semidefinite";
        case LcpReason::asymmetric: return "A is not symmetric";
        case LcpReason::bounds: return "bounds of friction and their normal rows did not settle";
        case LcpReason::inaccurate: return "the pivots are done, and rounding left more than the tolerance";
        case LcpReason::stalled: return "no step lowers the residual";
        default: return "numbers became infinite or NaN";
    }
}

}  // namespace kido
