#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "numpy_api.hpp"
#include "topics.hpp"

namespace kido {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const KernelTable* table : available_kernels()) names.emplace_back(table->instruction_set);
    return names;
}

void set_instruction_set(const std::string& name) {
    if (use_kernels(name)) return;
    std::string known;
    for (const std::string& set : instruction_sets()) known += (known.empty() ? "" : ", ") + set;
    throw nb::value_error(("instruction set: expected one of " + known + ", got " + name).c_str());
}

void check_and_set_num_threads(int count) {
    if (count < 0) throw nb::value_error("count: expected 0 (all processors) or more");
    set_num_threads(count);
}

}  // namespace

void bind_runtime(nb::module_& m) {
    m.def("num_threads", &num_threads, "Most threads that one batched call uses.");
    m.def("set_num_threads", &check_and_set_num_threads, "count"_a,
          "Limits the threads of one batched call; 0 means all processors of this process. Raises ValueError below 0.");
    m.def("instruction_sets", &instruction_sets, "Instruction sets that this build and this processor have, widest last.");
    m.def("instruction_set", [] { return std::string(active_kernels().instruction_set); },
          "The instruction set in use.");
    m.def("set_instruction_set", &set_instruction_set, "name"_a,
          "Switches the kernels; results stay the same to the bit. Raises ValueError for an unknown one.");
}

}  // namespace kido
