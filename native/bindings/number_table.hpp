#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>

#include "call.hpp"
#include "kido/ik/pose_region.hpp"

namespace kido {

// A C-contiguous float64 array (rows, columns) that Python prepared; rows -1: any.
struct Table {
    nb::object owner;
    const double* data;
    npy_intp rows;
};

inline Table table(const char* name, nb::handle value, npy_intp rows, npy_intp columns) {
    PyObject* array = PyArray_FROM_OTF(value.ptr(), NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    if (!array) throw nb::python_error();
    nb::object owner = nb::steal(array);
    auto* a = reinterpret_cast<PyArrayObject*>(array);
    if (PyArray_NDIM(a) != 2 || (rows >= 0 && PyArray_DIM(a, 0) != rows) || PyArray_DIM(a, 1) != columns) {
        throw nb::value_error((std::string(name) + ": expected rows of " + std::to_string(columns) + ", got " +
                               shape_text(a))
                                  .c_str());
    }
    return {owner, static_cast<const double*>(PyArray_DATA(a)), PyArray_DIM(a, 0)};
}

// The same of one dimension.
inline Table number_row(const char* name, nb::handle value, npy_intp count) {
    PyObject* array = PyArray_FROM_OTF(value.ptr(), NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
    if (!array) throw nb::python_error();
    nb::object owner = nb::steal(array);
    auto* a = reinterpret_cast<PyArrayObject*>(array);
    if (PyArray_NDIM(a) != 1 || PyArray_DIM(a, 0) != count) {
        throw nb::value_error((std::string(name) + ": expected shape (" + std::to_string(count) + ",), got " +
                               shape_text(a))
                                  .c_str());
    }
    return {owner, static_cast<const double*>(PyArray_DATA(a)), 1};
}

inline nb::object empty(int type, std::initializer_list<npy_intp> shape, void*& data) {
    npy_intp extents[2];
    std::copy(shape.begin(), shape.end(), extents);
    PyObject* array = PyArray_SimpleNew(static_cast<int>(shape.size()), extents, type);
    if (!array) throw nb::python_error();
    data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(array));
    return nb::steal(array);
}

// A region as Python prepares it: weights, whether it has bounds, whether errors are taken from their middle, axes by columns,
// lowest and highest displacement.
inline constexpr npy_intp region_numbers = 29;

inline void read_region(const double* numbers, PoseRegion& region) {
    std::copy_n(numbers, 6, region.weight);
    region.bounded = numbers[6] != 0.0;
    region.from_center = numbers[7] != 0.0;
    std::copy_n(numbers + 8, 9, region.axes);
    std::copy_n(numbers + 17, 6, region.low);
    std::copy_n(numbers + 23, 6, region.high);
}

}  // namespace kido
