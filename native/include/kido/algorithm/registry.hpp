#pragma once

// Every algorithm: the name in the kernel table, and the struct that has it. A new algorithm adds its header to
// native/src/kernels.cpp and a line here.

#define KIDO_ALGORITHMS(X)                    \
    X(inverse_dynamics, InverseDynamics)      \
    X(forward_dynamics, ForwardDynamics)
