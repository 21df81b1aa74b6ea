// Kernels of differential inverse kinematics.

#include "kido/batch/kernel_table.hpp"
#include "kido/ik/scaled_solver.hpp"
#include "kido/ik/velocity_solver.hpp"
#include "kido/scalar/transpose.hpp"

KIDO_BEGIN

// Beyond it the cache is lost, and one state at a time is faster.
static constexpr std::size_t kMostLaneBytes = std::size_t{1} << 19;

static std::size_t target_size(const VelocityTask& task, int dofs) {
    switch (task.kind) {
        case VelocityTaskKind::frame: return task.is_velocity ? 6 : 12;
        case VelocityTaskKind::posture: return dofs;
        case VelocityTaskKind::rows: return static_cast<std::size_t>(task.rows) * (dofs + 2);
        default: return 3;
    }
}

// Numbers of the states that a solver works on.
template <class T>
struct VelocityLoad {
    T *q, *v, *users, *G, *limit_lower, *limit_upper, *start;
    T** target;

    VelocityLoad(const VelocityProgram& p, Scratch& s) {
        const std::size_t n = p.model->num_dofs, m = p.limit_rows;
        q = s.take<T>(n);
        v = s.take<T>(n);
        users = s.take<T>(user_numbers(*p.model));
        G = s.take<T>(m * n);
        limit_lower = s.take<T>(m);
        limit_upper = s.take<T>(m);
        start = s.take<T>(p.unknowns + m);
        target = s.take<T*>(p.num_tasks);
        first_ = s;
        for (int t = 0; t < p.num_tasks; ++t) s.take<T>(target_size(p.tasks[t], p.model->num_dofs));
    }

    // Where the targets stand, which only memory that is there can tell.
    void begin(const VelocityProgram& p) {
        Scratch s = first_;
        for (int t = 0; t < p.num_tasks; ++t) target[t] = s.take<T>(target_size(p.tasks[t], p.model->num_dofs));
    }

    void read(const VelocityProgram& p, std::size_t sample, std::size_t count) {
        const std::size_t n = p.model->num_dofs, m = p.limit_rows;
        rows(p.q, p.q_stride, sample, count, n, q);
        rows(p.v, p.v_stride, sample, count, n, v);
        rows(p.users, p.users_stride, sample, count, user_numbers(*p.model), users);
        rows(p.G, p.G_stride, sample, count, m * n, G);
        rows(p.limit_lower, p.limit_lower_stride, sample, count, m, limit_lower);
        rows(p.limit_upper, p.limit_upper_stride, sample, count, m, limit_upper);
        rows(p.start, p.start_stride, sample, count, p.unknowns + m, start);
        for (int t = 0; t < p.num_tasks; ++t) {
            const VelocityTask& task = p.tasks[t];
            rows(task.target, task.stride, sample, count, target_size(task, p.model->num_dofs), target[t]);
        }
    }

private:
    static void rows(const double* from, std::ptrdiff_t stride, std::size_t sample, std::size_t, std::size_t size, double* to) {
        if (from) std::memcpy(to, from + stride * static_cast<std::ptrdiff_t>(sample), size * sizeof(double));
    }
    static void rows(const double* from, std::ptrdiff_t stride, std::size_t sample, std::size_t count, std::size_t size, NativeLanes* to) {
        if (from) rows_to_lanes(from + stride * static_cast<std::ptrdiff_t>(sample), stride, count, size, to);
    }

    Scratch first_{nullptr};
};

template <class T>
struct VelocityMemory : VelocityLoad<T> {
    VelocitySolver<T> solver;

    VelocityMemory(const VelocityProgram& p, Scratch& s) : VelocityLoad<T>(p, s), solver(p, s) {}
};

static QuadraticShape elastic_shape(const VelocityProgram& p) { return {p.unknowns + p.limit_rows, p.limit_rows}; }

static std::size_t lane_bytes(const VelocityProgram& p) { return measure<VelocityMemory<NativeLanes>>(p); }

static std::size_t velocity_bytes(const VelocityProgram& p) {
    const std::size_t one = measure<VelocityMemory<double>>(p) + (p.limit_rows ? measure<QuadraticSolver<double>>(elastic_shape(p)) : 0);
    return lane_bytes(p) + one;
}

static void write_sample(const double* from, std::size_t sample, std::size_t, std::size_t size, double* to) {
    std::memcpy(to + size * sample, from, size * sizeof(double));
}
static void write_sample(const NativeLanes* from, std::size_t sample, std::size_t count, std::size_t size, double* to) {
    lanes_to_rows(from, count, size, to + size * sample);
}

template <class T>
static void run(const VelocityProgram& p, VelocityMemory<T>& w) {
    const VelocitySample<T> sample = {w.q, w.v, w.users, w.target};
    w.solver.solve(sample, w.G, w.limit_lower, w.limit_upper, p.start ? w.start : nullptr);
}

template <class T>
static void write(const VelocityProgram& p, const VelocityResults& out, const VelocityMemory<T>& w, std::size_t sample, std::size_t count) {
    write_sample(w.solver.v, sample, count, p.model->num_dofs, out.v);
    write_sample(w.solver.error, sample, count, out.error_rows, out.error);
    write_sample(w.solver.side, sample, count, p.unknowns + p.limit_rows, out.side);
    for (std::size_t lane = 0; lane < count; ++lane) out.outcome[sample + lane] = w.solver.outcome[lane];
}

// One state whose limits in rows contradict others.
static void solve_relaxed(const VelocityProgram& p, const VelocityResults& out, std::size_t sample, Scratch scratch) {
    VelocityMemory<double> w(p, scratch);
    w.begin(p);
    w.read(p, sample, 1);
    run(p, w);
    QuadraticSolver<double> elastic(elastic_shape(p), scratch);
    w.solver.relax(elastic, w.limit_lower, w.limit_upper);
    run(p, w);
    write(p, out, w, sample, 1);
    out.relaxed[sample] = 1;
}

template <class T>
static void solve_states(const VelocityProgram& p, const VelocityResults& out, std::size_t begin, std::size_t end, void* memory,
                         StopSignal* stop) {
    Scratch scratch(memory);
    VelocityMemory<T> w(p, scratch);
    w.begin(p);
    constexpr std::size_t W = lanes_of<T>;
    for (std::size_t i = begin; i < end && !(stop && stop->poll()); i += W) {
        const std::size_t count = std::min(W, end - i);
        w.read(p, i, count);
        run(p, w);
        write(p, out, w, i, count);
        for (std::size_t sample = i; sample < i + count; ++sample) {
            out.relaxed[sample] = 0;
            if (p.limit_rows && out.outcome[sample].status == QuadraticStatus::infeasible) solve_relaxed(p, out, sample, scratch);
        }
    }
}

static void solve_velocities(const VelocityProgram& p, const VelocityResults& out, std::size_t begin, std::size_t end, void* memory,
                             StopSignal* stop) {
    const bool in_lanes = end - begin > 1 && lane_bytes(p) <= kMostLaneBytes;
    (in_lanes ? solve_states<NativeLanes> : solve_states<double>)(p, out, begin, end, memory, stop);
}

static std::size_t scaled_bytes(const ScaledProgram& p) { return measure<ScaledSolver>(p); }

static void solve_scaled(const ScaledProgram& p, ScaledResult& out, void* memory) {
    Scratch scratch(memory);
    ScaledSolver(p, scratch).solve(out);
}

extern const VelocityKernels velocity_kernels;
const VelocityKernels velocity_kernels = {velocity_bytes, solve_velocities, scaled_bytes, solve_scaled};

KIDO_END
