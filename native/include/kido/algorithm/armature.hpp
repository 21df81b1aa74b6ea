#pragma once

#include <cstddef>

#include "kido/spatial/vector.hpp"
#include "kido/tree/model.hpp"

// Armature: inertia of a motor's rotor as its dof feels it through the gear, its own times the gear ratio squared. It adds to the
// diagonal of the mass matrix (Featherstone 2008, section 9.6); that the rotor also turns with the link which carries it, its
// gyroscopic effects, is left out.

KIDO_BEGIN

// Inertia of a dof: that of what it moves, and its armature. armature: of all dofs, null where there is none.
template <class T>
KIDO_INLINE T with_armature(const T& inertia, const double* armature, int dof) {
    return armature ? inertia + armature[dof] : inertia;
}

// Adds it to the diagonal of a matrix (dofs, dofs). A call, so that robots without do not pay for it.
template <class T>
KIDO_NOINLINE void add_armature(const Model& m, T* matrix) {
    for (int d = 0; d < m.num_dofs; ++d) {
        T& own = matrix[static_cast<std::ptrdiff_t>(m.num_dofs + 1) * d];
        own = with_armature(own, m.armature, d);
    }
}

KIDO_END
