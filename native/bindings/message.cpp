#include "message.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

namespace kido {

namespace {

constexpr Py_ssize_t kLongest = 200;
constexpr const char* kCut = "...";

std::string cut(nb::str text) {
    if (PyUnicode_GetLength(text.ptr()) > kLongest) {
        text = nb::str(nb::steal<nb::str>(PyUnicode_Substring(text.ptr(), 0, kLongest)) + nb::str(kCut));
    }
    nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    if (!bytes.is_valid()) throw nb::python_error();
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

// reprlib looks at a part of large containers only, and stands what a class's own repr raises.
nb::object bounded_repr() {
    nb::object repr = nb::module_::import_("reprlib").attr("Repr")();
    for (const char* limit : {"maxlist", "maxtuple", "maxdict", "maxset", "maxfrozenset", "maxdeque", "maxarray"}) {
        repr.attr(limit) = kLongest / 2;
    }
    for (const char* limit : {"maxstring", "maxlong", "maxother"}) repr.attr(limit) = 4 * kLongest;
    return repr;
}

}  // namespace

std::string brief(nb::handle value) { return cut(nb::str(bounded_repr().attr("repr")(value))); }

std::string class_name(nb::handle value) { return cut(nb::str(nb::handle(Py_TYPE(value.ptr())).attr("__name__"))); }

std::string dtype_name(nb::handle array) { return cut(nb::str(nb::object(array.attr("dtype")))); }

std::string shape_text(const npy_intp* shape, int axes) {
    std::string text = "(";
    for (int i = 0; i < axes; ++i) text += std::to_string(shape[i]) + (i + 1 < axes ? ", " : axes == 1 ? "," : "");
    return text + ")";
}

std::string shape_text(PyArrayObject* array) { return shape_text(PyArray_DIMS(array), PyArray_NDIM(array)); }

nb::str readable(const std::string& bytes, std::size_t limit) {
    const std::size_t size = std::min(bytes.size(), limit);
    PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(size), "replace");
    if (!text) throw nb::python_error();
    nb::str whole = nb::steal<nb::str>(text);
    return size < bytes.size() ? nb::str(whole + nb::str(kCut)) : whole;
}

}  // namespace kido
