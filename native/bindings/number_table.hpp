#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>

#include "call.hpp"

namespace kido {

// A C-contiguous float64 array of numbers that Python prepared.
inline nb::object doubles(nb::handle value) {
    PyObject* array = PyArray_FROM_OTF(value.ptr(), NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    if (!array) throw nb::python_error();
    return nb::steal(array);
}

// The same of shape (rows, columns), for any number of rows.
struct Table {
    nb::object owner;
    const double* data;
    npy_intp rows;
};

inline Table table(const char* name, nb::handle value, npy_intp columns) {
    nb::object owner = doubles(value);
    auto* a = reinterpret_cast<PyArrayObject*>(owner.ptr());
    if (PyArray_NDIM(a) != 2 || PyArray_DIM(a, 1) != columns) {
        throw nb::value_error((std::string(name) + ": expected rows of " + std::to_string(columns) + ", got " +
                               shape_text(a))
                                  .c_str());
    }
    return {owner, static_cast<const double*>(PyArray_DATA(a)), PyArray_DIM(a, 0)};
}

inline nb::object empty(int type, std::initializer_list<npy_intp> shape, void*& data) {
    npy_intp extents[2];
    std::copy(shape.begin(), shape.end(), extents);
    PyObject* array = PyArray_SimpleNew(static_cast<int>(shape.size()), extents, type);
    if (!array) throw nb::python_error();
    data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(array));
    return nb::steal(array);
}

}  // namespace kido
