#pragma once

#include <nanobind/nanobind.h>

namespace kido {

void bind_math(nanobind::module_& m);
void bind_runtime(nanobind::module_& m);
void bind_tree(nanobind::module_& m);

}  // namespace kido
