#pragma once

#include "kido/batch/drive.hpp"

// KIDO_FAMILY(kinematics, KIDO_KINEMATICS) defines `kinematics_kernels`, in the order of the family's registry.

#define KIDO_KERNEL(name, type) Drive<type>::kernel(),
#define KIDO_FAMILY(family, REGISTRY)                          \
    KIDO_BEGIN                                                 \
    extern const Kernel family##_kernels[];                    \
    const Kernel family##_kernels[] = {REGISTRY(KIDO_KERNEL)}; \
    KIDO_END
