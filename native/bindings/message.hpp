#pragma once

#include <string>

#include "numpy_api.hpp"

// What came, as messages name it: never long, whatever was given.

namespace kido {

namespace nb = nanobind;

// repr of a value, cut to about 200 characters.
std::string brief(nb::handle value);
// Name of a value's class.
std::string class_name(nb::handle value);
// Name of an array's type of numbers.
std::string dtype_name(nb::handle array);
// Shape of an array as Python writes it: "(3, 7)".
std::string shape_text(const npy_intp* shape, int axes);
std::string shape_text(PyArrayObject* array);

// Valid UTF-8 for bytes that may be none, cut to `limit` bytes.
nb::str readable(const std::string& bytes, std::size_t limit);

}  // namespace kido
