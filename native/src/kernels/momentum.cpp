// Kernels of energy, momentum and the center of mass.

#include "kido/algorithm/center_of_mass.hpp"
#include "kido/algorithm/momentum.hpp"
#include "kido/algorithm/registry/momentum.hpp"
#include "kernels/family.hpp"

KIDO_FAMILY(momentum, KIDO_MOMENTUM)
