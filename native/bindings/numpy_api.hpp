#pragma once

// NumPy's C interface: reading an array argument this way costs a few nanoseconds, and a fresh result about fifty.
// One source file (module.cpp) defines KIDO_NUMPY_OWNER and imports the interface; the others share it.

#include <nanobind/nanobind.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL kido_numpy_api
#ifndef KIDO_NUMPY_OWNER
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
