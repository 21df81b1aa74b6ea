#pragma once

#include <string>
#include <vector>

#include "kido/batch/kernel_table.hpp"

namespace kido {

// Tables that this build has and this processor can run, the widest last.
const std::vector<const KernelTable*>& available_kernels();

// The table in use: at start the widest.
const KernelTable& active_kernels();

// Switches the table in use; false where no table has that name.
bool use_kernels(const std::string& instruction_set);

}  // namespace kido
