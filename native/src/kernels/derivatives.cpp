// Kernels of the derivatives of the dynamics.

#include "kido/algorithm/forward_dynamics_derivatives.hpp"
#include "kido/algorithm/inverse_dynamics_derivatives.hpp"
#include "kido/algorithm/registry/derivatives.hpp"
#include "kernels/family.hpp"

// As the family of dynamics has compiled them.
KIDO_BEGIN
extern template KIDO_ABA(double);
extern template KIDO_ABA(NativeLanes);
KIDO_END

KIDO_FAMILY(derivatives, KIDO_DERIVATIVES)
