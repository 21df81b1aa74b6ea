// The table of all kernels of one instruction set, put together from the families.

#include "kido/batch/kernel_table.hpp"
#include "kido/scalar/lanes.hpp"

#define KIDO_STRING_(x) #x
#define KIDO_STRING(x) KIDO_STRING_(x)
#define KIDO_JOIN_(a, b) a##b
#define KIDO_JOIN(a, b) KIDO_JOIN_(a, b)

KIDO_BEGIN

#define KIDO_COUNT(name, type) +1
extern const Kernel kinematics_kernels[KIDO_KINEMATICS(KIDO_COUNT)];
extern const Kernel dynamics_kernels[KIDO_DYNAMICS(KIDO_COUNT)];
extern const Kernel momentum_kernels[KIDO_MOMENTUM(KIDO_COUNT)];
extern const Kernel derivatives_kernels[KIDO_DERIVATIVES(KIDO_COUNT)];
#undef KIDO_COUNT
extern const ArrayKernels array_kernels;
extern const LazyKernels lazy_kernels;
extern const InverseKinematicsKernels inverse_kinematics_kernels;
extern const LoopKernels loop_kernels;
extern const LcpKernels lcp_kernels;
extern const QuadraticKernels quadratic_kernels;
extern const VelocityKernels velocity_kernels;
extern const PostureKernels posture_kernels;
extern const GeometryKernels geometry_kernels;
extern const WorldKernels world_kernels;

KIDO_END

namespace kido {

KernelTable KIDO_JOIN(kernels_, KIDO_TARGET)() {
    KernelTable table = {KIDO_STRING(KIDO_TARGET), KIDO_LANES, {}, array_kernels, lazy_kernels,
                         inverse_kinematics_kernels, loop_kernels, lcp_kernels, quadratic_kernels, velocity_kernels,
                         posture_kernels, geometry_kernels, world_kernels};
    Kernel* next = table.kernels;
    const auto append = [&](const auto& family) {
        for (const Kernel& kernel : family) *next++ = kernel;
    };
    append(kinematics_kernels);
    append(dynamics_kernels);
    append(momentum_kernels);
    append(derivatives_kernels);
    return table;
}

}  // namespace kido
