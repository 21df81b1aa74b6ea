// Kernels of the lazy kinematics of a state.

#include "kido/algorithm/lazy_kinematics.hpp"
#include "kido/batch/kernel_table.hpp"

KIDO_BEGIN

extern const LazyKernels lazy_kernels;
const LazyKernels lazy_kernels = {lazy_bytes, lazy_numbers, lazy_advance};

KIDO_END
