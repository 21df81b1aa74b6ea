#pragma once

// The name of each kernel of this family, and the algorithm that it runs.

#define KIDO_DERIVATIVES(X) \
    X(inverse_dynamics_derivatives, InverseDynamicsDerivatives) \
    X(forward_dynamics_derivatives, ForwardDynamicsDerivatives)
