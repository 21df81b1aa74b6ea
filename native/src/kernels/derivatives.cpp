// Kernels of the derivatives of the dynamics.

#include "kido/algorithm/forward_dynamics_derivatives.hpp"
#include "kido/algorithm/inverse_dynamics_derivatives.hpp"
#include "kido/algorithm/registry/derivatives.hpp"
#include "kernels/family.hpp"

KIDO_FAMILY(derivatives, KIDO_DERIVATIVES)
