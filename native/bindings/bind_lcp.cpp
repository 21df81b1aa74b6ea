#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lcp.hpp"
#include "long_call.hpp"
#include "number_table.hpp"
#include "topics.hpp"

#define FLOATS "numpy.typing.NDArray[numpy.float64]"

namespace kido {

using namespace nb::literals;

namespace {

// A problem of Python, with what keeps its arrays alive.
class HeldProblem {
public:
    HeldProblem(nb::handle A, nb::handle b, nb::handle lower, nb::handle upper, nb::handle friction_index, nb::handle cone_rows,
                nb::handle cone_friction) {
        const nb::handle given[] = {A, b, lower, upper, cone_friction};
        const double** places[] = {&view_.A, &view_.b, &view_.lower, &view_.upper, &view_.cone_friction};
        npy_intp sizes[5];
        for (int k = 0; k < 5; ++k) {
            owners_[k] = doubles(given[k]);
            auto* array = reinterpret_cast<PyArrayObject*>(owners_[k].ptr());
            *places[k] = static_cast<const double*>(PyArray_DATA(array));
            sizes[k] = PyArray_SIZE(array);
        }
        const npy_intp n = sizes[1], cones = sizes[4];
        view_.friction_index = integers(friction_index, 5, n);
        view_.cone_rows = integers(cone_rows, 6, 3 * cones);
        if (sizes[0] != n * n || sizes[2] != n || sizes[3] != n) throw nb::value_error("problem: sizes differ");
        view_.n = static_cast<int>(n);
        view_.cones = static_cast<int>(cones);
        check_rows();
    }

    const LcpProblem& view() const { return view_; }

private:
    const int* integers(nb::handle value, int place, npy_intp count) {
        PyObject* array = PyArray_FROM_OTF(value.ptr(), NPY_INT, NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST);
        if (!array) throw nb::python_error();
        owners_[place] = nb::steal(array);
        auto* a = reinterpret_cast<PyArrayObject*>(array);
        if (PyArray_SIZE(a) != count) throw nb::value_error("problem: sizes differ");
        return static_cast<const int*>(PyArray_DATA(a));
    }

    void check_rows() const {
        for (int i = 0; i < view_.n; ++i) {
            const int j = view_.friction_index[i];
            const bool fits = j < view_.n && (j < 0 || view_.friction_index[j] < 0);
            if (!fits) throw nb::index_error("friction_index: no such normal row");
        }
        for (int k = 0; k < 3 * view_.cones; ++k) {
            if (view_.cone_rows[k] < 0 || view_.cone_rows[k] >= view_.n) throw nb::index_error("cones: no such row");
        }
    }

    nb::object owners_[7];
    LcpProblem view_{};
};

// Numbers of an array that kido.values has made.
template <class T>
const T* numbers_of(nb::handle array, int type, npy_intp& count) {
    auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
    if (!PyArray_Check(array.ptr()) || PyArray_TYPE(a) != type || !PyArray_ISCARRAY_RO(a)) {
        throw nb::type_error("expected a plain array");
    }
    count = PyArray_SIZE(a);
    return static_cast<const T*>(PyArray_DATA(a));
}

// Whether bounds are in order, and those of friction finite and of rows that have constant ones, 0 or above.
bool are_bounds(nb::handle lower, nb::handle upper, nb::handle friction_index) {
    npy_intp n, m, k;
    const auto* low = numbers_of<double>(lower, NPY_DOUBLE, n);
    const auto* high = numbers_of<double>(upper, NPY_DOUBLE, m);
    const auto* index = numbers_of<int>(friction_index, NPY_INT, k);
    if (n != m || n != k) return false;
    for (npy_intp i = 0; i < n; ++i) {
        const int j = index[i];
        if (!(low[i] <= high[i]) || low[i] == HUGE_VAL || high[i] == -HUGE_VAL || j < -1 || j >= n) return false;
        if (j >= 0 && (index[j] >= 0 || low[j] < 0.0 || !std::isfinite(low[i]) || !std::isfinite(high[i]))) return false;
    }
    return true;
}

// Whether a square matrix is symmetric, relative to the roots of its diagonal, where that is positive.
bool is_symmetric(nb::handle matrix, double tolerance) {
    npy_intp count;
    const auto* A = numbers_of<double>(matrix, NPY_DOUBLE, count);
    auto* array = reinterpret_cast<PyArrayObject*>(matrix.ptr());
    const bool is_matrix = PyArray_NDIM(array) == 2;
    const npy_intp n = is_matrix ? PyArray_DIM(array, 0) : 0;
    if (!is_matrix || n * n != count) throw nb::value_error("A: expected a square matrix");
    std::vector<double> scale(n);
    for (npy_intp i = 0; i < n; ++i) scale[i] = A[i * n + i] > 0.0 ? std::sqrt(A[i * n + i]) : 1.0;
    for (npy_intp i = 0; i < n; ++i) {
        for (npy_intp j = 0; j < i; ++j) {
            if (!(std::fabs(A[i * n + j] - A[j * n + i]) <= tolerance * (scale[i] * scale[j]))) return false;
        }
    }
    return true;
}

LcpMethod method_of(const std::string& name) {
    if (name == "projected_gauss_seidel") return LcpMethod::projected_gauss_seidel;
    if (name == "dantzig") return LcpMethod::dantzig;
    if (name == "lemke") return LcpMethod::lemke;
    if (name == "semismooth_newton") return LcpMethod::semismooth_newton;
    throw nb::value_error(("method: unknown one " + name).c_str());
}

// Numbers of a start, which may be None.
const double* start_of(nb::handle value, npy_intp n, nb::object& owner) {
    if (value.is_none()) return nullptr;
    owner = doubles(value);
    auto* array = reinterpret_cast<PyArrayObject*>(owner.ptr());
    if (PyArray_SIZE(array) != n) throw nb::value_error("start: expected as many numbers as the problem has rows");
    return static_cast<const double*>(PyArray_DATA(array));
}

// Problems of one call, with their results.
nb::list solve(const nb::list& problems, const nb::list& starts, const std::string& method, double tolerance,
               int max_iterations, double relaxation, double time_budget) {
    const std::size_t count = problems.size();
    if (starts.size() != count) throw nb::value_error("starts: expected one for each problem");
    const LcpSettings settings{method_of(method), tolerance, max_iterations, relaxation, time_budget};
    std::vector<LcpTask> tasks(count);
    std::vector<nb::object> x(count), w(count), kept(count), held(count);  // the list may change meanwhile
    std::size_t work = 0;
    for (std::size_t i = 0; i < count; ++i) {
        LcpTask& task = tasks[i];
        held[i] = nb::borrow(problems[i]);
        task.problem = nb::cast<const HeldProblem&>(held[i]).view();
        task.start = start_of(starts[i], task.problem.n, kept[i]);
        void *numbers, *others;
        x[i] = empty(NPY_DOUBLE, {task.problem.n}, numbers);
        w[i] = empty(NPY_DOUBLE, {task.problem.n}, others);
        task.result = {static_cast<double*>(numbers), static_cast<double*>(others), HUGE_VAL, 0, LcpReason::stalled};
        work += static_cast<std::size_t>(task.problem.n);
    }
    constexpr std::size_t kWorthReleasing = 8;
    if (work < kWorthReleasing && max_iterations <= 1000) {
        solve_lcps(settings, tasks.data(), count, nullptr);
    } else {
        without_lock([&](StopSignal* stop) { solve_lcps(settings, tasks.data(), count, stop); });
    }
    nb::list results;
    for (std::size_t i = 0; i < count; ++i) {
        const LcpResult& r = tasks[i].result;
        results.append(nb::make_tuple(x[i], w[i], r.residual, r.iterations, lcp_status(r.reason), lcp_message(r.reason)));
    }
    return results;
}

nb::tuple residual(const HeldProblem& problem, nb::handle x) {
    const npy_intp n = problem.view().n;
    nb::object owner;
    const double* at = start_of(x, n, owner);
    void *w, *natural;
    const nb::object product = empty(NPY_DOUBLE, {n}, w), rows = empty(NPY_DOUBLE, {n}, natural);
    const double size = residual_of_lcp(problem.view(), at, static_cast<double*>(w), static_cast<double*>(natural));
    return nb::make_tuple(product, rows, size);
}

}  // namespace

void bind_lcp(nb::module_& m) {
    nb::class_<HeldProblem>(m, "LcpProblem", "A complementarity problem for native solvers; kido.lcp checks it.")
        .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle>(), "A"_a, "b"_a,
             "lower"_a, "upper"_a, "friction_index"_a, "cone_rows"_a, "cone_friction"_a,
             nb::sig("def __init__(self, A: " FLOATS ", b: " FLOATS ", lower: " FLOATS ", upper: " FLOATS
                     ", friction_index: numpy.typing.NDArray[numpy.intc], cone_rows: numpy.typing.NDArray[numpy.intc], "
                     "cone_friction: " FLOATS ") -> None"));
    m.def("solve_lcps", solve, "problems"_a, "starts"_a, "method"_a, "tolerance"_a, "max_iterations"_a, "relaxation"_a,
          "time_budget"_a,
          nb::sig("def solve_lcps(problems: list[LcpProblem], starts: list[" FLOATS " | None], method: str, tolerance: float, "
                  "max_iterations: int, relaxation: float, time_budget: float) -> list[tuple[" FLOATS ", " FLOATS
                  ", float, int, str, str]]"),
          R"(Solves complementarity problems, several at a time on threads; kido.lcp prepares the arguments.

Returns for each: x (n,), w (n,), the relative residual [-], iterations, status, message.)");
    m.def("lcp_bounds_fit", are_bounds, "lower"_a, "upper"_a, "friction_index"_a,
          nb::sig("def lcp_bounds_fit(lower: " FLOATS ", upper: " FLOATS
                  ", friction_index: numpy.typing.NDArray[numpy.intc]) -> bool"),
          "Whether bounds (n,) are in order, and those of friction finite and of rows with constant bounds, 0 or above.");
    m.def("lcp_is_symmetric", is_symmetric, "A"_a, "tolerance"_a,
          nb::sig("def lcp_is_symmetric(A: " FLOATS ", tolerance: float) -> bool"),
          "Whether A (n, n) is symmetric within a tolerance [-], relative to the roots of its diagonal.");
    m.def("lcp_residual", residual, "problem"_a, "x"_a,
          nb::sig("def lcp_residual(problem: LcpProblem, x: " FLOATS ") -> tuple[" FLOATS ", " FLOATS ", float]"),
          "w (n,) = A x + b, the natural residual of each row (n,), and the relative one of all [-], at x (n,).");
}

}  // namespace kido
