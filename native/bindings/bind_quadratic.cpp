#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "long_call.hpp"
#include "number_table.hpp"
#include "quadratic.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"

namespace kido {

using namespace nb::literals;

namespace {

// An argument of all programs (count, ...), or of one that is the same for all (1, ...).
class Samples {
public:
    Samples(const char* name, nb::handle value, npy_intp size, npy_intp count) : owner_(doubles(value)) {
        auto* a = reinterpret_cast<PyArrayObject*>(owner_.ptr());
        const npy_intp samples = PyArray_NDIM(a) > 0 ? PyArray_DIM(a, 0) : 0;
        if (PyArray_SIZE(a) != samples * size || (samples != count && samples != 1)) {
            throw nb::value_error((std::string(name) + ": expected one row, or one for each program, got shape " + shape_text(a)).c_str());
        }
        data = static_cast<const double*>(PyArray_DATA(a));
        stride = samples == 1 ? 0 : static_cast<std::size_t>(size);
    }

    const double* data;
    std::size_t stride;

private:
    nb::object owner_;
};

nb::tuple solve(nb::handle H, nb::handle g, nb::handle A, nb::handle row_lower, nb::handle row_upper, nb::handle lower, nb::handle upper,
                nb::handle start, npy_intp count, npy_intp n, npy_intp m, int max_iterations) {
    const Samples curvature("H", H, n * n, count), slope("g", g, n, count), rows("A", A, m * n, count);
    const Samples low("row_lower", row_lower, m, count), high("row_upper", row_upper, m, count);
    const Samples least("lower", lower, n, count), most("upper", upper, n, count);
    std::vector<Samples> begin;
    if (!start.is_none()) begin.emplace_back("start", start, n + m, count);
    void *x, *force, *side, *status, *iterations, *residual;
    const nb::object solution = empty(NPY_DOUBLE, {count, n}, x), forces = empty(NPY_DOUBLE, {count, n + m}, force);
    const nb::object sides = empty(NPY_DOUBLE, {count, n + m}, side), codes = empty(NPY_INT, {count}, status);
    const nb::object rounds = empty(NPY_INT, {count}, iterations), left = empty(NPY_DOUBLE, {count}, residual);
    std::vector<QuadraticOutcome> outcome(count, {QuadraticStatus::iterations, 0, 0.0});
    QuadraticBatch batch{};
    batch.shape = {static_cast<int>(n), static_cast<int>(m)};
    batch.count = static_cast<std::size_t>(count);
    batch.H = curvature.data, batch.H_stride = curvature.stride;
    batch.g = slope.data, batch.g_stride = slope.stride;
    batch.A = rows.data, batch.A_stride = rows.stride;
    batch.row_lower = low.data, batch.row_lower_stride = low.stride;
    batch.row_upper = high.data, batch.row_upper_stride = high.stride;
    batch.lower = least.data, batch.lower_stride = least.stride;
    batch.upper = most.data, batch.upper_stride = most.stride;
    if (!begin.empty()) batch.start = begin[0].data, batch.start_stride = begin[0].stride;
    batch.x = static_cast<double*>(x);
    batch.force = static_cast<double*>(force);
    batch.side = static_cast<double*>(side);
    batch.outcome = outcome.data();
    batch.settings.max_iterations = max_iterations;
    constexpr npy_intp kWorthReleasing = 400;  // numbers of all programs
    if (count * n * (n + m) < kWorthReleasing) {
        solve_quadratic(batch);
    } else {
        without_lock([&](StopSignal* stop) { solve_quadratic(batch, stop); });
    }
    for (npy_intp i = 0; i < count; ++i) {
        static_cast<int*>(status)[i] = static_cast<int>(outcome[i].status);
        static_cast<int*>(iterations)[i] = outcome[i].iterations;
        static_cast<double*>(residual)[i] = outcome[i].residual;
    }
    return nb::make_tuple(solution, forces, sides, codes, rounds, left);
}

}  // namespace

void bind_quadratic(nb::module_& m) {
    m.def("solve_quadratic_programs", solve, "H"_a, "g"_a, "A"_a, "row_lower"_a, "row_upper"_a, "lower"_a, "upper"_a,
          "start"_a.none(), "count"_a, "unknowns"_a, "rows"_a, "max_iterations"_a,
          nb::sig("def solve_quadratic_programs(H: " FLOATS ", g: " FLOATS ", A: " FLOATS ", row_lower: " FLOATS ", row_upper: " FLOATS
                  ", lower: " FLOATS ", upper: " FLOATS ", start: " FLOATS
                  " | None, count: int, unknowns: int, rows: int, max_iterations: int) -> tuple[" FLOATS ", " FLOATS ", " FLOATS
                  ", numpy.typing.NDArray[numpy.intc], numpy.typing.NDArray[numpy.intc], " FLOATS "]"),
          R"(Solves quadratic programs, several at a time in lanes and on threads; kido.optimize prepares the arguments.

Each argument has one row for each program, or one for all. Returns for each: x (n,), multipliers (n + m,) of bounds and
rows, at which bounds they are (n + m,), a status, iterations, and the relative residual [-].)");
}

}  // namespace kido
