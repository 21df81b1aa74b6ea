#pragma once

#include <string>

#include "message.hpp"

// Arrays of real numbers given as arguments.

namespace kido {

// Whether a value is what kernels read as it stands: a C-contiguous float64 array.
inline bool is_plain(PyObject* value) {
    if (!PyArray_CheckExact(value)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(value);
    return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

// Thrown for what has numbers, but not such that all of them can be taken as real ones.
struct NotReal {
    bool masked;        // elements are, else the type is wrong
    const char* trait;  // what is wrong with the value, to follow its name
};

// The numbers of a value as a C-contiguous float64 array. Throws NotReal for None, text, bytes, complex numbers and
// masked elements, else what reading it raised.
nb::object as_float64(nb::handle value);

// Raises a TypeError with a message, caused by the error that reading an argument raised. Errors of memory, interrupts and the
// like stay what they are.
[[noreturn]] void raise_unreadable(nb::python_error& cause, const std::string& message);
[[noreturn]] void raise_not_real(const NotReal& reason, const std::string& message);

// The numbers of an argument. `message()`, up to and with what came, is that of errors: TypeError, ValueError for masked
// elements.
template <class Message>
nb::object real_numbers(nb::handle value, const Message& message) {
    if (is_plain(value.ptr())) return nb::borrow(value);
    try {
        return as_float64(value);
    } catch (nb::python_error& cause) {
        raise_unreadable(cause, message());
    } catch (const NotReal& reason) {
        raise_not_real(reason, message());
    }
}

}  // namespace kido
