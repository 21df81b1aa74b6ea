// Kernels of collision: where two shapes touch.

#include "kido/batch/kernel_table.hpp"
#include "kido/geometry/collide.hpp"

KIDO_BEGIN

extern const GeometryKernels geometry_kernels;
const GeometryKernels geometry_kernels = {geometry::collide};

KIDO_END
