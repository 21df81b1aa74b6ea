#include "real_numbers.hpp"

#include <algorithm>

namespace kido {

namespace {

constexpr int kDeepest = 64;  // lists in lists

constexpr NotReal kText{false, ""}, kOfText{false, " of text"}, kComplex{false, " of complex numbers"},
    kOther{false, ""}, kMasked{true, " with masked elements"};

bool is_text(PyObject* value) { return PyUnicode_Check(value) || PyBytes_Check(value) || PyByteArray_Check(value); }

// Only who has imported numpy.ma has masked arrays.
bool is_masked(nb::handle array) {
    if (PyArray_CheckExact(array.ptr())) return false;
    nb::object name = nb::str("numpy.ma");
    nb::object module = nb::steal(PyImport_GetModule(name.ptr()));
    return module.is_valid() && nb::cast<bool>(nb::bool_(module.attr("is_masked")(array)));
}

void refuse_masked(nb::handle value, int depth = 0) {
    if (PyArray_Check(value.ptr())) {
        if (is_masked(value)) throw kMasked;
    } else if (depth < kDeepest && (PyList_CheckExact(value.ptr()) || PyTuple_CheckExact(value.ptr()))) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value.ptr()); ++i) {
            PyObject* element = PySequence_Fast_GET_ITEM(value.ptr(), i);
            if (!PyFloat_CheckExact(element) && !PyLong_CheckExact(element)) refuse_masked(nb::borrow(element), depth + 1);
        }
    }
}

// The array of a value, in the type of numbers that it has by itself.
nb::object natural_array(nb::handle value) {
    PyObject* array = PyArray_FROM_OF(value.ptr(), NPY_ARRAY_ENSUREARRAY);
    if (!array) throw nb::python_error();
    return nb::steal(array);
}

// Python makes a number of each object, so all that it would take for one has to be looked at here.
void refuse_odd_objects(nb::handle array) {
    for (nb::handle element : array.attr("flat")) {
        if (element.is_none()) throw kOther;
        if (is_text(element.ptr())) throw kOfText;
        if (PyArray_Check(element.ptr())) refuse_masked(element);
        if (PyComplex_Check(element.ptr()) || PyArray_IsScalar(element.ptr(), ComplexFloating)) throw kComplex;
    }
}

// The array of a float, or of a list or tuple that has floats only; invalid where the value is neither.
nb::object array_of_floats(PyObject* value) {
    const bool is_row = PyList_CheckExact(value) || PyTuple_CheckExact(value);
    if (!is_row && !PyFloat_CheckExact(value)) return {};
    npy_intp count = is_row ? PySequence_Fast_GET_SIZE(value) : 1;
    PyObject** elements = is_row ? PySequence_Fast_ITEMS(value) : &value;
    if (count == 0 || !std::all_of(elements, elements + count, [](PyObject* e) { return PyFloat_CheckExact(e); })) return {};
    PyObject* array = PyArray_SimpleNew(is_row ? 1 : 0, &count, NPY_DOUBLE);
    if (!array) throw nb::python_error();
    auto* numbers = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
    std::transform(elements, elements + count, numbers, [](PyObject* e) { return PyFloat_AS_DOUBLE(e); });
    return nb::steal(array);
}

}  // namespace

nb::object as_float64(nb::handle value) {
    if (nb::object row = array_of_floats(value.ptr()); row.is_valid()) return row;
    if (is_text(value.ptr())) throw kText;
    refuse_masked(value);
    nb::object array = natural_array(value);
    switch (PyArray_DESCR(reinterpret_cast<PyArrayObject*>(array.ptr()))->kind) {
        case 'b':
        case 'i':
        case 'u':
        case 'f': break;
        case 'c': throw kComplex;
        case 'O': refuse_odd_objects(array); break;
        case 'S':
        case 'U':
        case 'T': throw kOfText;
        default: throw kOther;
    }
    if (is_plain(array.ptr())) return array;
    PyObject* numbers = PyArray_FROM_OTF(array.ptr(), NPY_DOUBLE, NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST);
    if (!numbers) throw nb::python_error();
    return nb::steal(numbers);
}

void raise_unreadable(nb::python_error& cause, const std::string& message) {
    if (cause.matches(PyExc_MemoryError) || !cause.matches(PyExc_Exception)) throw std::move(cause);
    nb::raise_from(cause, PyExc_TypeError, "%s", message.c_str());
    throw nb::python_error();
}

void raise_not_real(const NotReal& reason, const std::string& message) {
    const std::string whole = message + reason.trait;
    if (reason.masked) throw nb::value_error(whole.c_str());
    throw nb::type_error(whole.c_str());
}

}  // namespace kido
