// Kernels of postures under constraints.

#include "kido/batch/kernel_table.hpp"
#include "kido/ik/posture_solver.hpp"

KIDO_BEGIN

static std::size_t posture_bytes(const PostureProgram& p) { return measure<PostureSolver>(p); }

static void solve_posture(const PostureProgram& p, PostureAttempt& attempt, const PostureSettings& settings, StopSignal* stop, void* memory) {
    Scratch scratch(memory);
    PostureSolver solver(p, scratch);
    solver.begin();
    solver.solve(attempt, settings, stop);
}

static bool look_at_posture(const PostureProgram& p, const double* q, const double* extra, const PostureValues& out, void* memory) {
    Scratch scratch(memory);
    PostureSolver solver(p, scratch);
    solver.begin();
    return solver.look(q, extra, out, out.cost);
}

extern const PostureKernels posture_kernels;
const PostureKernels posture_kernels = {posture_bytes, solve_posture, look_at_posture};

KIDO_END
