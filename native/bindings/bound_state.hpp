#pragma once

#include <memory>

#include "numpy_api.hpp"
#include "state.hpp"

namespace kido {

namespace nb = nanobind;

class BoundTree;

// A State and the NumPy array that its numbers lie in.
class BoundState {
public:
    BoundState(const BoundTree& tree, nb::handle rows, nb::handle user_links);

    State& state() const { return *state_; }
    const std::shared_ptr<State>& shared() const { return state_; }

    nb::object get(Quantity quantity, int first, int count) const;
    void set(Quantity quantity, int first, int count, const char* name, nb::handle values);

private:
    void check_part(int first, int count) const;

    std::shared_ptr<State> state_;
};

}  // namespace kido
