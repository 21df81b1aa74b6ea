// Kernels of collision: where two shapes touch, how far apart they are, where a ray meets one, when moving ones meet.

#include "kido/batch/kernel_table.hpp"
#include "kido/geometry/collide.hpp"
#include "kido/geometry/distance.hpp"
#include "kido/geometry/gather.hpp"
#include "kido/geometry/ray_cast.hpp"
#include "kido/geometry/sweep.hpp"

KIDO_BEGIN

extern const GeometryKernels geometry_kernels;
const GeometryKernels geometry_kernels = {geometry::collide, geometry::distance, geometry::ray_cast, geometry::sweep, geometry::gather};

KIDO_END
