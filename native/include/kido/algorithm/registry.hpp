#pragma once

#include "kido/algorithm/registry/derivatives.hpp"
#include "kido/algorithm/registry/dynamics.hpp"
#include "kido/algorithm/registry/kinematics.hpp"
#include "kido/algorithm/registry/momentum.hpp"

// Every algorithm that runs over samples, by family. The kernels of a family are compiled together, in
// native/src/kernels/<family>.cpp, which includes nothing of the others: a new algorithm adds its header there and a
// line to registry/<family>.hpp.

namespace kido {

#define KIDO_ALGORITHMS(X) \
    KIDO_KINEMATICS(X)     \
    KIDO_DYNAMICS(X)       \
    KIDO_MOMENTUM(X)       \
    KIDO_DERIVATIVES(X)

enum class Algorithm : int {
#define KIDO_ENTRY(name, type) name,
    KIDO_ALGORITHMS(KIDO_ENTRY)
#undef KIDO_ENTRY
        count
};

}  // namespace kido
