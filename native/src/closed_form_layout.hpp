#pragma once

#include "closed_form.hpp"

namespace kido {

// All forms that fit six axes; relations hold to `tolerance` (relative).
std::vector<ClosedFormLayout> layouts_of(const closed_form::ScrewChain& chain, double tolerance);

ClosedFormPlan plan_of(const closed_form::ScrewChain& chain, const ClosedFormLayout& layout);

}  // namespace kido
