#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>

#include "real_numbers.hpp"
#include "topics.hpp"

// What Python code needs to read arguments as native methods do.

namespace kido {

using namespace nb::literals;

namespace {

nb::object real_array(nb::handle value, bool copy) {
    nb::object array = real_numbers(value, [&] { return "expected real numbers, got " + brief(value); });
    auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
    const bool is_new = Py_REFCNT(array.ptr()) == 1 && PyArray_CHKFLAGS(a, NPY_ARRAY_OWNDATA);
    if (!copy || is_new) return array;
    PyObject* own = PyArray_NewCopy(a, NPY_CORDER);
    if (!own) throw nb::python_error();
    return nb::steal(own);
}

nb::object frozen_row(nb::handle table, Py_ssize_t row, Py_ssize_t first, Py_ssize_t count) {
    auto* from = reinterpret_cast<PyArrayObject*>(table.ptr());
    if (!is_plain(table.ptr()) || PyArray_NDIM(from) != 2) throw nb::type_error("table: expected a plain array (rows, columns)");
    const npy_intp rows = PyArray_DIM(from, 0), columns = PyArray_DIM(from, 1);
    npy_intp wanted = count < 0 ? columns - first : count;
    if (row < 0 || row >= rows || first < 0 || wanted < 0 || first + wanted > columns) throw nb::index_error("outside the table");
    PyObject* array = PyArray_SimpleNew(1, &wanted, NPY_DOUBLE);
    if (!array) throw nb::python_error();
    auto* copy = reinterpret_cast<PyArrayObject*>(array);
    const double* numbers = static_cast<const double*>(PyArray_DATA(from)) + row * columns + first;
    std::copy(numbers, numbers + wanted, static_cast<double*>(PyArray_DATA(copy)));
    PyArray_CLEARFLAGS(copy, NPY_ARRAY_WRITEABLE);
    return nb::steal(array);
}

bool all_numbers(PyArrayObject* array, bool infinite) {
    const auto* numbers = static_cast<const double*>(PyArray_DATA(array));
    return std::all_of(numbers, numbers + PyArray_SIZE(array),
                       [infinite](double x) { return infinite ? !std::isnan(x) : std::isfinite(x); });
}

// Whether all numbers of an array are finite, or with `infinite` are numbers at all.
bool has_numbers(nb::handle value, bool infinite) {
    if (!is_plain(value.ptr())) throw nb::type_error("array: expected a plain array");
    return all_numbers(reinterpret_cast<PyArrayObject*>(value.ptr()), infinite);
}

// `real_array`, which nobody can write into; None where `has_numbers` would say no.
nb::object frozen_numbers(nb::handle value, bool infinite) {
    nb::object copy = real_array(value, true);
    auto* array = reinterpret_cast<PyArrayObject*>(copy.ptr());
    if (!all_numbers(array, infinite)) return nb::none();
    PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE);
    return copy;
}

// Whether a value is a plain array (4, 4) of a rigid transform; what is not may be one in another form.
bool is_transform(nb::handle value, double tolerance) {
    auto* array = reinterpret_cast<PyArrayObject*>(value.ptr());
    if (!is_plain(value.ptr()) || PyArray_NDIM(array) != 2 || PyArray_DIM(array, 0) != 4 || PyArray_DIM(array, 1) != 4) {
        return false;
    }
    const auto* T = static_cast<const double*>(PyArray_DATA(array));
    if (T[12] != 0.0 || T[13] != 0.0 || T[14] != 0.0 || T[15] != 1.0) return false;
    if (!std::all_of(T, T + 12, [](double x) { return std::isfinite(x); })) return false;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double dot = T[i] * T[j] + T[4 + i] * T[4 + j] + T[8 + i] * T[8 + j];
            if (!(std::abs(dot - (i == j ? 1.0 : 0.0)) <= tolerance)) return false;
        }
    }
    const double det = T[0] * (T[5] * T[10] - T[6] * T[9]) - T[1] * (T[4] * T[10] - T[6] * T[8]) +
                       T[2] * (T[4] * T[9] - T[5] * T[8]);
    return det > 0.0;
}

}  // namespace

void bind_arguments(nb::module_& m) {
    m.def("brief", &brief, "value"_a.none(), "repr of a value, cut to about 200 characters.");
    m.def("real_array", &real_array, "value"_a.none(), "copy"_a = false,
          nb::sig("def real_array(value: object, copy: bool = False) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          R"(The numbers of a value as a C-contiguous float64 array: the value itself where it is one and no copy is wanted.

Raises TypeError for None, text, bytes and complex numbers, ValueError for masked elements; an error that reading the
value raised is the cause of the TypeError.)");
    m.def("has_numbers", &has_numbers, "array"_a, "infinite"_a,
          nb::sig("def has_numbers(array: numpy.typing.NDArray[numpy.float64], infinite: bool) -> bool"),
          "Whether no number of a C-contiguous float64 array is NaN, nor, without `infinite`, infinite.");
    m.def("frozen_numbers", &frozen_numbers, "value"_a.none(), "infinite"_a,
          nb::sig("def frozen_numbers(value: object, infinite: bool) -> numpy.typing.NDArray[numpy.float64] | None"),
          "A read-only copy by `real_array`, whose errors it raises; None where `has_numbers` refuses a number.");
    m.def("is_transform", &is_transform, "value"_a.none(), "tolerance"_a,
          nb::sig("def is_transform(value: object, tolerance: float) -> typing.TypeGuard[numpy.typing.NDArray[numpy.float64]]"),
          "Whether a value is a C-contiguous float64 array (4, 4) of a rigid transform, to a tolerance of R^T R - 1.");
    m.def("frozen_row", &frozen_row, "table"_a, "row"_a, "first"_a = 0, "count"_a = -1,
          nb::sig("def frozen_row(table: numpy.typing.NDArray[numpy.float64], row: int, first: int = 0, count: int = -1) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "Read-only copy of `count` numbers of a row of a C-contiguous float64 table; -1: all from `first` on.");
}

}  // namespace kido
