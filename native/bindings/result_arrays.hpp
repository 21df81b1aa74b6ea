#pragma once

#include <cstdint>
#include <string>

#include "numpy_api.hpp"

// Arrays that results are written to.

namespace kido {

namespace nb = nanobind;

inline nb::object array_of(int dimensions, const npy_intp* shape, int type) {
    nb::object array = nb::steal(PyArray_SimpleNew(dimensions, shape, type));
    if (!array.is_valid()) throw nb::python_error();
    return array;
}
inline nb::object floats(npy_intp rows, npy_intp columns) {
    const npy_intp shape[] = {rows, columns};
    return array_of(2, shape, NPY_DOUBLE);
}
inline std::int64_t* integers_of(const nb::object& array) {
    return static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}
inline double* numbers_of(const nb::object& array) {
    return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}
inline void require_index(const char* name, int index, std::size_t count) {
    if (index >= 0 && static_cast<std::size_t>(index) < count) return;
    throw nb::index_error((std::string(name) + ": there is none of index " + std::to_string(index)).c_str());
}

inline nb::object row_of(npy_intp count) {
    nb::object array = nb::steal(PyArray_SimpleNew(1, &count, NPY_DOUBLE));
    if (!array.is_valid()) throw nb::python_error();
    return array;
}

}  // namespace kido
