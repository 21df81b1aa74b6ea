#pragma once

#include <string>

#include "numpy_api.hpp"

// Arrays that Python keeps and native code reads where they are.

namespace kido {

namespace nb = nanobind;

inline constexpr npy_intp kNoColumns = -1;

// The numbers of an array that a skeleton keeps: C-contiguous, of this type and shape; columns kNoColumns: one axis.
inline const void* kept_array(const char* name, nb::handle value, int type, npy_intp rows, npy_intp columns) {
    auto* array = reinterpret_cast<PyArrayObject*>(value.ptr());
    const bool matrix = columns != kNoColumns;
    const int axes = matrix ? 2 : 1;
    if (!PyArray_Check(value.ptr()) || PyArray_TYPE(array) != type || !PyArray_ISCARRAY_RO(array) ||
        PyArray_NDIM(array) != axes || PyArray_DIM(array, 0) != rows || (matrix && PyArray_DIM(array, 1) != columns)) {
        const std::string shape = matrix ? std::to_string(rows) + ", " + std::to_string(columns) : std::to_string(rows) + ",";
        throw nb::value_error((std::string(name) + ": expected a C-contiguous array of shape (" + shape + ")").c_str());
    }
    return PyArray_DATA(array);
}

}  // namespace kido
