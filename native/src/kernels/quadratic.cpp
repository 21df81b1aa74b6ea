// Kernels of quadratic programs.

#include "kido/batch/kernel_table.hpp"
#include "kido/optimize/quadratic_solver.hpp"
#include "kido/scalar/transpose.hpp"

KIDO_BEGIN

// Beyond it the cache is lost, and one program at a time is faster.
static constexpr std::size_t kMostLaneBytes = std::size_t{1} << 19;

static std::size_t lane_bytes(const QuadraticShape& shape) { return measure<QuadraticSolver<NativeLanes>>(shape); }

static std::size_t quadratic_bytes(const QuadraticShape& shape) {
    return std::max(lane_bytes(shape), measure<QuadraticSolver<double>>(shape));
}

static void read_rows(const double* rows, std::size_t stride, std::size_t sample, std::size_t, std::size_t size, double* to) {
    if (size > 0) std::memcpy(to, rows + stride * sample, size * sizeof(double));
}
static void read_rows(const double* rows, std::size_t stride, std::size_t sample, std::size_t count, std::size_t size, NativeLanes* to) {
    rows_to_lanes(rows + stride * sample, static_cast<std::ptrdiff_t>(stride), count, size, to);
}
static void write_rows(const double* from, std::size_t sample, std::size_t, std::size_t size, double* rows) {
    if (size > 0) std::memcpy(rows + size * sample, from, size * sizeof(double));
}
static void write_rows(const NativeLanes* from, std::size_t sample, std::size_t count, std::size_t size, double* rows) {
    lanes_to_rows(from, count, size, rows + size * sample);
}

template <class T>
static void solve_programs(const QuadraticBatch& b, std::size_t begin, std::size_t end, void* memory, StopSignal* stop) {
    Scratch scratch(memory);
    QuadraticSolver<T> solver(b.shape, scratch);
    const std::size_t n = b.shape.unknowns, m = b.shape.rows, all = n + m;
    constexpr std::size_t W = lanes_of<T>;
    for (std::size_t i = begin; i < end && !(stop && stop->poll()); i += W) {
        const std::size_t count = std::min(W, end - i);
        read_rows(b.H, b.H_stride, i, count, n * n, solver.H);
        read_rows(b.g, b.g_stride, i, count, n, solver.g);
        read_rows(b.A, b.A_stride, i, count, m * n, solver.A);
        read_rows(b.row_lower, b.row_lower_stride, i, count, m, solver.row_lower);
        read_rows(b.row_upper, b.row_upper_stride, i, count, m, solver.row_upper);
        read_rows(b.lower, b.lower_stride, i, count, n, solver.lower);
        read_rows(b.upper, b.upper_stride, i, count, n, solver.upper);
        if (b.start) {
            read_rows(b.start, b.start_stride, i, count, all, solver.side);
        } else {
            for (std::size_t k = 0; k < all; ++k) solver.side[k] = T(0.0);
        }
        solver.solve(b.settings, stop);
        if (stop && stop->is_set()) return;
        write_rows(solver.x, i, count, n, b.x);
        write_rows(solver.force, i, count, all, b.force);
        write_rows(solver.side, i, count, all, b.side);
        for (std::size_t lane = 0; lane < count; ++lane) b.outcome[i + lane] = solver.outcome[lane];
    }
}

static void solve_quadratic(const QuadraticBatch& b, std::size_t begin, std::size_t end, void* memory, StopSignal* stop) {
    const bool in_lanes = end - begin > 1 && lane_bytes(b.shape) <= kMostLaneBytes;
    (in_lanes ? solve_programs<NativeLanes> : solve_programs<double>)(b, begin, end, memory, stop);
}

extern const QuadraticKernels quadratic_kernels;
const QuadraticKernels quadratic_kernels = {quadratic_bytes, solve_quadratic};

KIDO_END
