#pragma once

#include <vector>

#include "closed_form.hpp"
#include "numpy_api.hpp"

// Chains for closed forms, read from a tree or from arrays.

namespace kido {

namespace nb = nanobind;

class BoundTree;

// The form, and what its points are relative to: the first joint that turns, so that a robot may stand far from the
// origin.
struct BoundClosedForm {
    ClosedForm form;
    closed_form::Point origin;
    std::vector<int> dofs;
};

// A pose from 16 numbers; its axes are made orthonormal, to the last digit. Raises ValueError where it is none.
closed_form::Placement pose(const char* name, const double* T);
closed_form::Placement read_pose(const char* name, nb::handle value);

// From a base body, or the world (-1), to a point of a body.
BoundClosedForm closed_form_of_tree(const BoundTree& tree, int body, int base, nb::handle point, int locked);
BoundClosedForm closed_form_of_axes(nb::handle axes, nb::handle points, nb::handle tool, int locked,
                                    const std::vector<bool>& is_prismatic);

}  // namespace kido
