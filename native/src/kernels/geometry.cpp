// Kernels of collision: where two shapes touch, how far apart they are, and where a ray meets one.

#include "kido/batch/kernel_table.hpp"
#include "kido/geometry/collide.hpp"
#include "kido/geometry/distance.hpp"
#include "kido/geometry/ray_cast.hpp"

KIDO_BEGIN

extern const GeometryKernels geometry_kernels;
const GeometryKernels geometry_kernels = {geometry::collide, geometry::distance, geometry::ray_cast};

KIDO_END
