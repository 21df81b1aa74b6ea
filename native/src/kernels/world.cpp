// The world of one instruction set.

#include "kido/batch/kernel_table.hpp"
#include "kido/contact/contact_world.hpp"

KIDO_BEGIN

static std::unique_ptr<NativeWorld> make_world() { return std::make_unique<ContactWorld<NativeLanes>>(); }

extern const WorldKernels world_kernels;
const WorldKernels world_kernels = {make_world};

KIDO_END
