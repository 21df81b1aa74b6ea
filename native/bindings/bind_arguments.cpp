#include <nanobind/stl/string.h>

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

}  // namespace

void bind_arguments(nb::module_& m) {
    m.def("brief", &brief, "value"_a.none(), "repr of a value, cut to about 200 characters.");
    m.def("real_array", &real_array, "value"_a.none(), "copy"_a = false,
          nb::sig("def real_array(value: object, copy: bool = False) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          R"(The numbers of a value as a C-contiguous float64 array: the value itself where it is one and no copy is wanted.

Raises TypeError for None, text, bytes and complex numbers, ValueError for masked elements; an error that reading the
value raised is the cause of the TypeError.)");
}

}  // namespace kido
