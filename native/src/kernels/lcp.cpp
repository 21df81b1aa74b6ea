// Kernels of complementarity problems.

#include "kido/batch/kernel_table.hpp"
#include "kido/lcp/lcp_solver.hpp"

KIDO_BEGIN

static std::size_t lcp_bytes(const LcpProblem& p, LcpMethod method) { return measure<LcpMemory>(p, method); }

static void solve_lcp(const LcpProblem& p, const LcpSettings& settings, const double* start, LcpResult& result,
                      StopSignal* stop, void* memory) {
    LcpSolver(p, settings, memory).run(start, result, stop);
}

// `memory` holds 2 n numbers.
static double lcp_residual(const LcpProblem& p, const double* x, const double* w, double* natural, double* memory) {
    natural_residual(p, nullptr, x, w, natural);
    find_scale(p, memory);
    const double size = size_of(p, memory, memory + p.n);
    return relative_residual(p, memory, size, x, w, memory + p.n);
}

extern const LcpKernels lcp_kernels;
const LcpKernels lcp_kernels = {lcp_bytes, solve_lcp, lcp_residual, multiply};

KIDO_END
