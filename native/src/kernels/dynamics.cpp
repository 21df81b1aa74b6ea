// Kernels of forces and accelerations.

#include "kido/algorithm/bias_forces.hpp"
#include "kido/algorithm/forward_dynamics.hpp"
#include "kido/algorithm/hybrid_dynamics.hpp"
#include "kido/algorithm/inverse_dynamics.hpp"
#include "kido/algorithm/inverse_mass_matrix.hpp"
#include "kido/algorithm/mass_matrix.hpp"
#include "kido/algorithm/registry/dynamics.hpp"
#include "kido/algorithm/spring_forces.hpp"
#include "kernels/family.hpp"

KIDO_FAMILY(dynamics, KIDO_DYNAMICS)

// Derivatives take them too.
KIDO_BEGIN
template KIDO_ABA(double);
template KIDO_ABA(NativeLanes);
KIDO_END
