#pragma once

#include "closed_form.hpp"

namespace kido {

// All forms that fit up to six joints; relations hold to `tolerance` (relative).
std::vector<ClosedFormLayout> layouts_of(const closed_form::ScrewChain& chain, double tolerance);

ClosedFormPlan plan_of(const closed_form::ScrewChain& chain, const ClosedFormLayout& layout);

// Reason for which a chain has no form: what was expected of it.
std::string missing_form(const closed_form::ScrewChain& chain);

// Of chains with prismatic joints or of fewer than six joints.
void add_sliding_wrists(const closed_form::ScrewChain& chain, bool reversed, double tolerance,
                        std::vector<ClosedFormLayout>& found);
void add_orientation_first(const closed_form::ScrewChain& chain, std::vector<ClosedFormLayout>& found);
void add_parallel_revolute(const closed_form::ScrewChain& chain, double tolerance, std::vector<ClosedFormLayout>& found);
closed_form::OrientationFirst orientation_first_of(const closed_form::ScrewChain& chain);
closed_form::ParallelRevolute parallel_revolute_of(const closed_form::ScrewChain& chain);

}  // namespace kido
